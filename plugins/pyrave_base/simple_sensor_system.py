"""SimpleSensorSystem: bodies at the poses that something outside tells."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import KinBody, SensorSystemBase
from pyrave.errors import ArgumentError, Error, NotFoundError
from pyrave.interfaces import setting
from pyrave.scene import IDENTITY, Pose, Readable, XmlElement
from pyrave.spatial import (
    as_number,
    as_pose,
    invert_pose,
    matrix_from_axis_angle,
    matrix_from_quat,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.views.link import Link
    from pyrave.formats import CustomReaderContext
    from pyrave.spatial import Array

TAG = "simplesensorsystem"
_SIZES = {"translation": 3, "quat": 4, "rotationaxis": 4, "rotationmat": 9}
_IGNORED = frozenset({"sid"})


@dataclass(frozen=True)
class TrackingData(Readable):
    """How a body is tracked: ``T_world_link = offset @ measured @ pre_offset``.

    Parameters
    ----------
    id
        By which the tracker knows the body; -1: its name alone.
    link
        Name of the link that is measured; empty: the base.
    offset, pre_offset
        Poses before and behind the measured one.
    """

    id: int = -1
    link: str = ""
    offset: Pose = IDENTITY
    pre_offset: Pose = IDENTITY

    def to_xml(self) -> XmlElement:
        """Return the ``<simplesensorsystem>`` that says the same."""
        children = [XmlElement("id", text=str(self.id))]
        if self.link:
            children.append(XmlElement("offsetlink", text=self.link))
        for before, pose in (("", self.offset), ("pre", self.pre_offset)):
            if pose != IDENTITY:
                found = pose.matrix
                for tag, values in (
                    ("translation", found[:3, 3]),
                    ("rotationmat", found[:3, :3].ravel()),
                ):
                    text = " ".join(map(repr, values.tolist()))
                    children.append(XmlElement(before + tag, text=text))
        return XmlElement(TAG, children=tuple(children))


@dataclass(frozen=True)
class SimpleSensorSystemSettings:
    """Settings of a `SimpleSensorSystem`."""

    expiry: float = setting(
        2.0, "after which a body that was not seen is not present", unit="s", above=0.0
    )
    removes: bool = setting(
        False, "bodies that expired leave the environment, unless they are locked"
    )


@dataclass(eq=False)
class TrackedBody:
    """A body that is tracked.

    Parameters
    ----------
    body
        The body, weakly: None when it is gone.
    data
        How it is tracked.
    stamp
        Of the last pose, seconds; None before the first.
    enabled
        False: poses are not taken over.
    locked
        True: it stays in the environment when it expires.
    present
        True from a pose on until it expires.
    """

    body: weakref.ref[KinBody]
    data: TrackingData
    stamp: float | None = None
    enabled: bool = True
    locked: bool = False
    present: bool = field(default=False)

    @property
    def offset_link(self) -> Link | None:
        """The link that is measured, None when the body is gone."""
        body = self.body()
        if body is None:
            return None
        return body.links[self.data.link] if self.data.link else body.links[0]


class SimpleSensorSystem(SensorSystemBase):
    """Places bodies where `update` says that they are.

    It tracks what `add_kinbody` gives it, and with `add_registered_bodies` all that
    have ``<simplesensorsystem>``. Whoever receives measurements calls `update`, from
    any thread.
    """

    contract = 1
    settings_type = SimpleSensorSystemSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._tracked: dict[str, TrackedBody] = {}
        self._now = -np.inf

    @property
    def tracked(self) -> Mapping[str, TrackedBody]:
        """Tracked bodies, by their names."""
        return dict(self._tracked)

    def update(
        self, poses: Mapping[int | str, ArrayLike], stamp: float
    ) -> tuple[str, ...]:
        """Move bodies to measured poses, and let those expire that were not seen.

        Parameters
        ----------
        poses
            (4, 4) or 7-vector in the world, by id or name. Ids of no body are left out:
            trackers see more than a scene has.
        stamp
            When they were measured, seconds of one clock; what is older than the last
            pose of a body is left out.

        Returns
        -------
        Names of the bodies that were moved.

        Raises
        ------
        NotFoundError
            A name is that of no body that is tracked.
        ArgumentError
            A pose or the stamp is none; nothing was moved.
        """
        when = as_number(stamp, "stamp")
        wanted = []
        for key, pose in poses.items():
            one = self._of(key)
            if one is not None:
                wanted.append((one, as_pose(pose, f"the pose of {key!r}")))
        moved = []
        with self.env.lock():
            for one, measured in wanted:
                body = one.body()
                late = one.stamp is not None and when < one.stamp
                if body is None or not one.enabled or late:
                    continue
                one.stamp, one.present = when, True
                link = one.offset_link
                assert link is not None  # noqa: S101 - the body is there
                pose = one.data.offset.matrix @ measured @ one.data.pre_offset.matrix
                body.transform = pose @ invert_pose(link.transform) @ body.transform
                moved.append(body.name)
            self.expire(when)
        return tuple(moved)

    def expire(self, now: float) -> None:
        """Note which bodies were not seen for too long.

        Parameters
        ----------
        now
            Seconds, of the clock of `update`; it never goes back.
        """
        self._now = max(self._now, as_number(now, "now"))
        for name, one in list(self._tracked.items()):
            body = one.body()
            if body is None:
                del self._tracked[name]
                continue
            last = one.stamp
            if last is None or self._now - last <= self.settings.expiry:
                continue
            one.present = False
            if self.settings.removes and not one.locked and body.id >= 0:
                with self.env.lock():
                    self.env.remove(body)
                del self._tracked[name]

    def reset(self) -> None:
        """Forget all bodies."""
        self._tracked.clear()
        self._now = -np.inf

    def add_registered_bodies(self, bodies: Sequence[KinBody]) -> None:
        """Track those of the bodies that have a ``<simplesensorsystem>``."""
        for body in bodies:
            known = body.readables.all(TAG)
            data = [one for one in known if isinstance(one, TrackingData)]
            if data:
                self.add_kinbody(body, data[-1])

    def add_kinbody(self, body: KinBody, data: Any = None) -> TrackedBody:
        """Track a body.

        Parameters
        ----------
        data
            A `TrackingData`; None: by its name, at its base.

        Raises
        ------
        ArgumentError
            The data are none, or their id is that of another body.
        NotFoundError
            The body has no such link.
        """
        known = TrackingData() if data is None else data
        if not isinstance(known, TrackingData):
            raise ArgumentError(f"data is {data!r}, expected a TrackingData or None")
        if known.link and known.link not in body.links:
            raise NotFoundError("link", known.link, body.links.names)
        other = self._with_id(known.id)
        if other is not None and other.body() not in {None, body}:
            raise ArgumentError(
                f"the id {known.id} is that of {other.body()!r}, too; ids are of one "
                "body each"
            )
        made = self._tracked[body.name] = TrackedBody(weakref.ref(body), known)
        return made

    def remove_kinbody(self, body: KinBody) -> bool:
        """Stop tracking a body; False if it was not tracked."""
        return self._tracked.pop(body.name, None) is not None

    def is_body_present(self, body: KinBody) -> bool:
        """Return True if the body is tracked and was seen lately."""
        one = self._tracked.get(body.name)
        return one is not None and one.present

    def enable_body(self, body: KinBody, enable: bool) -> bool:
        """Switch updates of a body; False if it is not tracked."""
        one = self._tracked.get(body.name)
        if one is not None:
            one.enabled = bool(enable)
        return one is not None

    def switch_body(self, first: KinBody, second: KinBody) -> bool:
        """Give the tracking data of one body to another; False if not tracked."""
        one = self._tracked.pop(first.name, None)
        if one is None:
            return False
        try:
            self.add_kinbody(second, one.data)
        except Error:
            self._tracked[first.name] = one
            raise
        return True

    def _with_id(self, number: int) -> TrackedBody | None:
        if number < 0:
            return None
        every = self._tracked.values()
        return next((one for one in every if one.data.id == number), None)

    def _of(self, key: int | str) -> TrackedBody | None:
        if not isinstance(key, str):
            return self._with_id(int(as_number(key, "an id")))
        one = self._tracked.get(key)
        if one is None:
            raise NotFoundError("tracked body", key, list(self._tracked))
        return one


# -- files -----------------------------------------------------------------------------


def read_tracking_data(element: Any, context: CustomReaderContext) -> TrackingData:
    """Return what a ``<simplesensorsystem>`` element says."""
    number, link = -1, ""
    poses = {"": np.eye(4), "pre": np.eye(4)}
    for child in element.iterchildren("*"):
        tag, text = child.tag, child.xpath("string()").strip()
        before = "pre" if tag.startswith("pre") else ""
        if tag == "id":
            if not text.isdecimal():
                context.error(f"id is {text!r}, expected a whole number", child)
                continue
            number = int(text)
        elif tag == "offsetlink":
            link = text
        elif tag.removeprefix("pre") in _SIZES:
            _move(poses[before], tag.removeprefix("pre"), text, child, context)
        elif tag not in _IGNORED:
            context.warn(f"<{tag}> says nothing here", child)
    offset, pre = (Pose.from_matrix(poses[one]) for one in ("", "pre"))
    return TrackingData(number, link, offset, pre)


def _move(
    pose: Array, tag: str, text: str, child: Any, context: CustomReaderContext
) -> None:
    """Change a pose as a tag says; rotations are joined."""
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    needs_length = tag in {"quat", "rotationaxis"}
    axis = values[:3] if tag == "rotationaxis" else values
    fits = len(values) == _SIZES[tag] and np.isfinite(values).all()
    if not fits or (needs_length and not np.linalg.norm(axis) > 0.0):
        context.error(
            f"<{child.tag}> is {text!r}, expected {_SIZES[tag]} numbers"
            + (" with a length" if needs_length else ""),
            child,
        )
        return
    if tag == "translation":
        pose[:3, 3] = values
        return
    if tag == "quat":
        turn = matrix_from_quat(values / np.linalg.norm(values))
    elif tag == "rotationaxis":
        turn = matrix_from_axis_angle(axis, float(np.deg2rad(values[3])))
    else:
        turn = values.reshape(3, 3)
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-3):
            context.error(f"<{child.tag}> is no rotation", child)
            return
    pose[:3, :3] = pose[:3, :3] @ turn
