"""Snapshots of the moving state that readers take without any lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.cards import counted
from pyrave.environment.failures import fail
from pyrave.records import Record
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment
    from pyrave.world.motion_groups import MotionGroup


@dataclass(frozen=True, slots=True, repr=False)
class PublishedBody(Record):
    """State of one body; the arrays are read-only copies.

    Parameters
    ----------
    link_transforms
        (n_links, 4, 4) world poses.
    dof_values
        (dof,) radians or metres.
    id
        See `KinBody.id`.
    link_names
        In order.
    """

    name: str
    link_names: tuple[str, ...]
    link_transforms: Array
    dof_values: Array
    id: int = -1

    def __repr__(self) -> str:
        links = counted(len(self.link_names), "link")
        values = counted(len(self.dof_values), "joint value")
        return f"<PublishedBody {self.name!r}: {links}, {values}>"


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A body whose state is in the arrays of all that an engine moves together."""

    name: str
    link_names: tuple[str, ...]
    id: int
    links: slice
    dofs: slice

    def published(self, poses: Array, values: Array) -> PublishedBody:
        """Return its snapshot, given those of all."""
        own, dofs = poses[self.links], values[self.dofs]
        return PublishedBody(self.name, self.link_names, own, dofs, self.id)


class PublishedState:
    """State of an environment at one simulated time (seconds).

    The arrays are copied at that time, the objects about bodies are made when somebody
    asks for them.

    Parameters
    ----------
    simulation_time
        Seconds.
    rows
        Of the bodies, in order.
    frame
        Poses and values that all bodies share; None: each has its own.
    """

    __slots__ = ("_frame", "_rows", "simulation_time")

    def __init__(
        self,
        simulation_time: float,
        rows: tuple[PublishedBody | _Row, ...],
        frame: tuple[Array, Array] | None = None,
    ) -> None:
        self.simulation_time = simulation_time
        """Seconds."""
        self._rows = rows
        self._frame = frame

    @property
    def bodies(self) -> tuple[PublishedBody, ...]:
        """The bodies, in the order of the environment's."""
        frame = self._frame
        if frame is not None:
            self._rows = tuple(
                one.published(*frame) if isinstance(one, _Row) else one
                for one in self._rows
            )
            self._frame = None
        return self._rows  # type: ignore[return-value] # none is a row now

    def __repr__(self) -> str:
        time = self.simulation_time
        return f"<PublishedState t={time:g} s, {counted(len(self._rows), 'body')}>"

    def _ipython_key_completions_(self) -> list[str]:
        """Return the keys for brackets, for shells that complete them."""
        return [body.name for body in self.bodies]

    def __getitem__(self, name: str) -> PublishedBody:
        for body in self.bodies:
            if body.name == name:
                return body
        from pyrave.errors import NotFoundError

        raise NotFoundError("published body", name, [b.name for b in self.bodies])


class Publisher:
    """Makes snapshots of an environment; what did not move is not copied again."""

    def __init__(self) -> None:
        self.state = PublishedState(0.0, ())
        """The last snapshot."""
        self._known: dict[KinBody, PublishedBody] = {}
        self._listed: object = None
        self._group: MotionGroup | None = None
        self._alone: dict[KinBody, int] = {}
        self._places: dict[KinBody, int] = {}
        self._rows: list[PublishedBody | _Row | None] = []
        self._published: tuple[PublishedBody | _Row, ...] = ()

    def forget(self, body: KinBody) -> None:
        """Let go of a body that was removed."""
        self._known.pop(body, None)
        self._listed = self._group = None
        self._alone, self._places = {}, {}

    def publish(self, env: Environment) -> None:
        """Let `state` be the present state of all bodies."""
        self.state = self._taken(env)

    def _taken(self, env: Environment) -> PublishedState:
        group = self._group
        if self._listed is not env.bodies or (group is not None and group.is_dissolved):
            self._list(env)
        waiting = env.internals.packing.pending.unpublished
        if waiting:
            for body in tuple(waiting):
                motion, row = body.motion, self._alone.get(body)
                if row is None:
                    waiting.discard(body)
                    continue
                if motion is not None and motion.steps and motion is not self._group:
                    self._list(env)  # an engine moves it together with others now
                    return self._taken(env)
                made = self._rows[row] = self._snapshot(env, body)
                if made is not None:  # else its code raised: it is asked again
                    waiting.discard(body)
            self._published = tuple(one for one in self._rows if one is not None)
        group = self._group
        if group is None:
            return PublishedState(env.simulation_time, self._published)
        published = self._published
        if group.changed and not self._places.keys().isdisjoint(group.changed):
            rows = self._rows.copy()
            for body in group.changed & self._places.keys():
                rows[self._places[body]] = self._snapshot(env, body)
            published = tuple(one for one in rows if one is not None)
        frame = group.poses.copy(), group.values.copy()
        for array in frame:
            array.setflags(write=False)
        return PublishedState(env.simulation_time, published, frame)

    def _list(self, env: Environment) -> None:
        """Group the bodies that an engine moves together."""
        self._listed, self._group = env.bodies, None
        self._alone, self._places, self._rows = {}, {}, []
        waiting = env.internals.packing.pending.unpublished
        for row, body in enumerate(env.bodies):
            motion = body.motion
            if motion is None or not motion.steps:
                known = self._known.get(body)
                self._rows.append(known)
                self._alone[body] = row
                if known is None:
                    waiting.add(body)
                continue
            self._known.pop(body, None)
            self._group = motion
            self._places[body] = row
            names, links = body.model.link_names, motion.links[body]
            dofs = motion.dofs[body]
            self._rows.append(_Row(body.name, names, body.id, links, dofs))
        self._published = tuple(one for one in self._rows if one is not None)

    def _snapshot(self, env: Environment, body: KinBody) -> PublishedBody | None:
        # no `PluginGuard`: one for each body that moved costs more than the rest
        try:
            found = _snapshot(body)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - code of plugins
            if not body.disabled:
                fail(env, body, "reading its state raised", error)
            return None
        self._known[body] = found
        return found


def _snapshot(body: KinBody) -> PublishedBody:
    """Copy the state of one body."""
    transforms = body.link_transforms
    values = body.dof_values
    transforms.setflags(write=False)
    values.setflags(write=False)
    return PublishedBody(body.name, body.model.link_names, transforms, values, body.id)
