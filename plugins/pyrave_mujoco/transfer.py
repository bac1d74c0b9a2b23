"""State of all bodies into the data of MuJoCo and out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.jit import DeferredKernel, KernelModule
from pyrave.jit.bundles import ArrayBundle
from pyrave.spatial import Array
from pyrave.world.motion import MotionGroup

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave_mujoco.bodies.driving import Placed
    from pyrave_mujoco.bodies.part import Part
    from pyrave_mujoco.scene import Scene
    from pyrave_mujoco.ties.tie import Key
    from pyrave_mujoco.ties.tying import Held

PULL = DeferredKernel(
    KernelModule("pyrave_mujoco.kernels.pulling"), "pull", "I64[2]",
    "physics: states of bodies", 2.0, whole=True,
)  # fmt: skip
_MILLISECONDS_PER_ROW = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What MuJoCo knows about a body, for another model that has the body, too.

    Parameters
    ----------
    pose, values, base_velocity, rates
        How the body was then: where it is in the model counts while it is so.
    rows
        Of `qpos`, `qvel` and `qacc_warmstart`, by the keys of `Part.rows`.
    is_current
        Whether nobody had changed the body since the last step.
    placed
        Where somebody put the body last, if that was in the last step.
    is_put, dt
        Whether somebody moved it since, without velocities, and the length of that
        step in seconds.
    """

    pose: Array
    values: Array
    base_velocity: Array
    rates: Array
    rows: dict[tuple[str, int], tuple[Array, Array, Array]]
    is_current: bool
    placed: Placed | None
    is_put: bool
    dt: float


class _Moving:
    """A body that is moved by itself, and what is looked up about it once."""

    def __init__(self, part: Part) -> None:
        body = part.body
        self.part = part
        self.body = body
        self.is_exact = len(part.ids) == 1 or not part.is_soft
        own = part.values < body.dof
        self.values, self.places = part.values[own], part.places[own]
        self.rates = part.rates[own]


class Transfer:
    """Moves state between the bodies and the data of a scene.

    Bodies whose state follows from MuJoCo's without exceptions are a `MotionGroup`: a
    kernel writes the states of all. Others are told one by one. Who changes a body
    between two steps notes it in `changed`.

    Attributes
    ----------
    changed
        Bodies that are not in the data as they are now.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._steps, self._dt = 0, 0.0
        self._order = {part.body: k for k, part in enumerate(scene.parts)}
        self.changed: set[KinBody] = set(self._order)
        self._group = self._watched = MotionGroup((), self.changed)
        self._others: list[_Moving] = []
        self._join()

    def _join(self) -> None:
        """Make the groups of what moves together, and of what does not."""
        parts = self.scene.parts
        together = [part for part in parts if _moves_together(part)]
        alone = [part for part in parts if not _moves_together(part)]
        self.dissolve()
        self._group = MotionGroup([part.body for part in together], self.changed)
        self._watched = MotionGroup([part.body for part in alone], self.changed)
        self._others = [_Moving(part) for part in alone if part.moves]
        for part in together:
            part.group = self._group
            self._group.adopt(part.body)
        for part in alone:
            part.group = self._watched
        self._watched.watch()
        self._balls = [part for part in together if part.balls]
        self._held = [part for part in alone if part.held]
        model, data = self.scene.model, self.scene.data
        self._arrays = ArrayBundle((
            data.qpos, data.qvel, data.xpos, data.xmat, self._group.poses,
            self._group.values, self._group.rates, self._group.velocities,
            *_tables(together, self._group, model),
        ))  # fmt: skip
        self._cost = _MILLISECONDS_PER_ROW * sum(map(len, self._arrays.arrays[4:]))

    def dissolve(self) -> None:
        """Let go of all bodies."""
        self._group.dissolve()
        self._watched.dissolve()

    def push(self) -> None:
        """Put into the data what was changed about bodies."""
        if not self.changed:
            return
        parts, group = self.scene.parts, self._group
        changed = sorted(self._order[body] for body in self.changed)
        for part in (parts[k] for k in changed):
            part.push(self.scene.data, self._steps, self._dt)
        for tie in self.scene.ties:
            if tie.is_tied(self.changed):
                tie.put(self.scene.data)
        for cup in self.scene.cups:
            if cup.held >= 0:
                body, link = self.scene.link_of_body[cup.held]
                if body in self.changed or cup.tie.is_tied(self.changed):
                    cup.check(body.transforms_view[link])
        if any(
            (part.group is group) != _moves_together(part)
            for part in (parts[k] for k in changed)
        ):
            self._join()
        for part in (parts[k] for k in changed):
            if part.group is self._group:
                self._group.adopt(part.body)
            part.note()
        self.changed.clear()

    def pull(self, dt: float) -> None:
        """Let the bodies be where the data say, after a step of `dt` seconds."""
        self._steps, self._dt = self._steps + 1, dt
        scene, group = self.scene, self._group
        scene.library.mj_kinematics(scene.model, scene.data)
        (PULL.function or PULL.auto(self._cost))(self._arrays.table)
        for part in self._balls:
            dofs = group.dofs[part.body]
            part.ball_values(scene.data, group.values[dofs], group.rates[dofs])
        group.moved()
        for one in self._others:
            # one that a callback moved meanwhile stays where that put it
            if (one.part.held or one.part.is_current()) and self._pull_other(one):
                self._note(one.part)
        for part in self._held:
            self._note(part)

    def _note(self, part: Part) -> None:
        part.note()
        self.changed.discard(part.body)

    def _pull_other(self, one: _Moving) -> bool:
        """Move a body; whether it is so then, or a callback gave it another state."""
        part, body, data = one.part, one.body, self.scene.data
        known, _ = body.velocity_views
        base = np.zeros(6) if known is None else known
        links, pose = self._poses(part), body.transform
        values, rates = body.dof_values, np.zeros(body.dof)
        values[one.values], rates[one.values] = (
            data.qpos[one.places],
            data.qvel[one.rates],
        )
        part.ball_values(data, values, rates)
        _wrap(values, *body.model.wrap_ranges)
        if part.roots and part.roots[0][0] == 0:
            row, pose, base = part.roots[0][2], links[0], np.empty(6)
            base[:3] = data.qvel[row : row + 3]
            base[3:] = pose[:3, :3] @ data.qvel[row + 3 : row + 6]
        exact = one.is_exact and not part.held and not part.scattered
        stamp = body.pose_stamp + 1
        body.take_motion(pose, values, base, rates, links if exact else None)
        passive, which = part.passive(data) if part.has_passive else ((), ())
        if len(which) and body.pose_stamp == stamp:
            stamp += 1
            body.set_passive_values(passive, which)
        if part.scattered and body.pose_stamp == stamp:
            stamp += 1
            body.set_link_transforms(links)
        now, speeds = body.velocity_views
        return body.pose_stamp == stamp and now is base and speeds is rates

    def _poses(self, part: Part) -> Array:
        """Return (n_links, 4, 4) poses of a body's links."""
        data = self.scene.data
        poses = np.zeros((len(part.ids), 4, 4))
        poses[:, :3, :3] = data.xmat[part.ids].reshape(-1, 3, 3)
        poses[:, :3, 3] = data.xpos[part.ids]
        poses[:, 3, 3] = 1.0
        return poses

    # -- other models --------------------------------------------------------------

    def keep(self) -> dict[str, Kept]:
        """Return what MuJoCo knows about the bodies that it moves, by name."""
        data = self.scene.data
        found = {}
        for part in self.scene.parts:
            body = part.body
            if not part.moves:
                continue
            rows = {
                key: (
                    data.qpos[place].copy(),
                    data.qvel[rate].copy(),
                    data.qacc_warmstart[rate].copy(),
                )
                for key, place, rate in part.rows()
            }
            found[body.name] = Kept(
                body.transform,
                body.dof_values,
                body.base_velocity,
                body.dof_velocities,
                rows,
                body not in self.changed,
                part.driving.kept(self._steps),
                part.is_put(),
                self._dt,
            )
        return found

    def keep_ties(self) -> dict[Key, Held]:
        """Return what MuJoCo knows about links that are tied."""
        return {
            one.tie.key: one.held(self.scene.data, not one.is_tied(self.changed))
            for one in self.scene.ties
        }

    def restore(self, kept: dict[str, Kept], held: Mapping[Key, Held]) -> None:
        """Take over what was kept about bodies and ties.

        The solver starts where it was. What is as it was has its coordinates, too, to
        the last bit.
        """
        data = self.scene.data
        for tie in self.scene.ties:
            if tie.tie.key in held:
                tie.restore(held[tie.tie.key], data)
        for part in self.scene.parts:
            known = kept.get(part.body.name)
            if known is None:
                continue
            as_kept = _unchanged(part, known)
            unchanged = known.is_current and as_kept
            if known.placed is not None:
                part.driving.restore(known.placed, self._steps)
            if known.is_put and as_kept and part.driving.put(self._steps, known.dt):
                # the next push has these
                self.changed.add(part.body)
            for key, place, rate in part.rows():
                rows = known.rows.get(key)
                if rows is None:
                    continue
                data.qacc_warmstart[rate] = rows[2]
                if unchanged:
                    data.qpos[place], data.qvel[rate] = rows[0], rows[1]


def _moves_together(part: Part) -> bool:
    """Return whether a body's state follows from MuJoCo's without exceptions."""
    return (
        part.moves
        and not (part.held or part.scattered or part.is_soft)
        and part.body.moves_alone
    )


def _tables(
    parts: list[Part], group: MotionGroup, model: Any
) -> tuple[NDArray[Any], ...]:
    """Return the tables that `pulling.pull` reads."""
    links, free = [np.empty((0, 2), np.int32)], []
    dofs, ranges = [np.empty((0, 3), np.int32)], [np.empty((0, 2))]
    for row, part in enumerate(parts):
        first, value = group.links[part.body].start, group.dofs[part.body].start
        moving = model.body_weldid[part.ids] > 0
        rows = first + np.flatnonzero(moving)
        links.append(np.column_stack((part.ids[moving], rows)))
        free += [(rate, first, row) for _, _, rate in part.roots]
        own = part.values < part.body.dof
        targets = part.values[own]
        dofs.append(
            np.column_stack((part.places[own], part.rates[own], value + targets))
        )
        low, high = part.body.model.wrap_ranges
        ranges.append(np.column_stack((low[targets], high[targets])))
    return (
        np.concatenate(links).astype(np.int32),
        np.concatenate(dofs).astype(np.int32),
        np.concatenate(ranges),
        np.array(free, np.int32).reshape(-1, 3),
    )


def _unchanged(part: Part, known: Kept) -> bool:
    body = part.body
    return (
        np.array_equal(body.transform, known.pose)
        and np.array_equal(body.dof_values_view, known.values)
        and np.array_equal(body.base_velocity, known.base_velocity)
        and np.array_equal(body.dof_velocities, known.rates)
    )


def _wrap(values: Array, low: Array, high: Array) -> None:
    """Bring values into their ranges by whole periods."""
    wide = np.isfinite(low) & np.isfinite(high)
    period = (high - low)[wide]
    values[wide] -= period * np.floor((values[wide] - low[wide]) / period)
