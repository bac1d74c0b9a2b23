"""State of frames: joint values, poses in the world, rigid connections."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.coercion import HUGE
from pyrave.scene import IDENTITY, Pose
from pyrave_workcell.workcell.document import JOINT_AXES, WORLD, Device, Document
from pyrave_workcell.workcell.joints import motion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave_workcell.workcell.document import Frame
    from pyrave_workcell.workcell.load import WorkcellReading

_HOME = "Home"
_INF = math.inf
_DEFAULT_RATE = 1.0


class State:
    """Frames of a document: their order, configuration and poses.

    Parameters
    ----------
    document
        Whose parents are all known and make no circle.
    """

    def __init__(self, document: Document, reading: WorkcellReading) -> None:
        self._reading = reading
        self.frames = document.by_name
        self.order = _parents_first(self.frames)
        self._dofs = {
            name: len(JOINT_AXES[frame.type])
            for name, frame in self.frames.items()
            if frame.type in JOINT_AXES and frame.dependence is None
        }
        self._followers = {
            name: frame.dependence
            for name, frame in self.frames.items()
            if frame.dependence is not None
        }
        self.device_joints = {
            device.name: self._joints_of(device) for device in document.devices
        }
        self._active = frozenset(
            name for joints in self.device_joints.values() for name in joints
        )
        self.limits: dict[str, list[tuple[float, float]]] = {}
        self.rates: dict[tuple[str, str], list[float]] = {}
        self._take_limits(document)
        still = {name: (0.0,) * count for name, count in self._dofs.items()}
        self.rests = self._with_followers(dict(still))
        self.values = self._home(document, still)
        for name, found in self._followers.items():
            if found.foreign:
                self.rests[name] = self.values[name]
        self.world = self._poses()
        self.rigid_with = self._rigid()

    def is_active(self, frame: Frame) -> bool:
        """Return True if a joint has degrees of freedom: of its device, or alone."""
        return frame.name in self._active or not (frame.device or frame.passive)

    def dof(self, name: str) -> int:
        """Return the number of values of a joint, those that follow none."""
        return self._dofs.get(name, 0)

    # -- devices -----------------------------------------------------------------------

    def _joints_of(self, device: Device) -> tuple[str, ...]:
        """Return the joints that a configuration of a device lists, in its order."""
        joints = [
            name
            for name in self._on_the_way(device)
            if self.dof(name) and not self.frames[name].passive
        ]
        known = set(joints)
        others = [
            name
            for name in device.frames
            if name in self.frames
            and self.dof(name)
            and not self.frames[name].passive
            and name not in known
        ]
        for name in others:
            self._reading.warn(
                self.frames[name].node,
                "loose-joint",
                f"the joint {name!r} leads to no end of the {device.type} "
                f"{device.name!r}, and so is none of its degrees of freedom",
                'give the frame at its end type="EndEffector"',
            )
        return tuple(joints)

    def _on_the_way(self, device: Device) -> list[str]:
        """Return the frames on the ways from the base to the ends of a device."""
        mine = [name for name in device.frames if name in self.frames]
        if device.type != "TreeDevice":
            return mine
        found: dict[str, None] = {}
        inside = frozenset(mine)
        for end in self.ends(device):
            way = []
            name = end
            while name in inside and name not in found:
                way.append(name)
                name = self.frames[name].parent
            found.update(dict.fromkeys(reversed(way)))
        return list(found)

    def ends(self, device: Device) -> list[str]:
        """Return the frames that a device moves for: of a tree all end effectors."""
        mine = [name for name in device.frames if name in self.frames]
        if device.type == "TreeDevice":
            found = [one for one in mine if self.frames[one].type == "EndEffector"]
            return found or mine[-1:]
        if device.type == "ParallelDevice":
            return [device.end]
        return [] if device.type == "MobileDevice" else mine[-1:]

    def set_values(self, values: Mapping[str, tuple[float, ...]]) -> None:
        """Start at other values of joints that are passive: frames stand elsewhere."""
        self.values = self._with_followers({**self.values, **values})
        self.world = self._poses()

    # -- limits ------------------------------------------------------------------------

    def _take_limits(self, document: Document) -> None:
        """Take limits in joints, then those of devices, which go before them."""
        places: dict[tuple[str, str, bool], int] = {}
        for limit in sorted(document.limits, key=lambda one: not one.in_joint):
            frame = self.frames[limit.joint]
            axes = JOINT_AXES[frame.type]
            key = limit.joint, limit.type, limit.in_joint
            place = places.get(key, 0)
            places[key] = place + 1
            if frame.dependence:
                if limit.in_joint:
                    self._reading.warn(
                        limit.node,
                        "not-robwork",
                        f"the limits of {frame.name!r} mean nothing: it follows "
                        f"{frame.dependence.owner!r}",
                    )
                continue
            if place >= len(axes):
                self._reading.warn(
                    limit.node,
                    "repeated-item",
                    f"{frame.name!r} has {len(axes)} degrees of freedom, and "
                    f"{place + 1} <{limit.type}>; the others are left out",
                )
                continue
            slides = axes[place][1]
            numbers = (
                limit.numbers if slides else tuple(map(math.radians, limit.numbers))
            )
            if limit.type == "PosLimit":
                known = self.limits.setdefault(limit.joint, [(-_INF, _INF)] * len(axes))
                known[place] = numbers[0], numbers[1]
            else:
                rates = self.rates.setdefault(
                    (limit.joint, limit.type), [_DEFAULT_RATE] * len(axes)
                )
                rates[place] = numbers[0]

    # -- configuration and poses -------------------------------------------------------

    def _home(
        self, document: Document, values: dict[str, tuple[float, ...]]
    ) -> dict[str, tuple[float, ...]]:
        """Return the values of all joints: at home, else as they are given."""
        for device in document.devices:
            homes = [one for one in device.configurations if one.name == _HOME]
            if not homes:
                continue
            home = homes[-1]
            joints = self.device_joints[device.name]
            n = sum(map(self.dof, joints))
            if len(home.values) != n:
                self._reading.error(
                    home.node,
                    "bad-number",
                    f"<Q name={_HOME!r}> has {len(home.values)} values, and the device "
                    f"{device.name!r} has {n} degrees of freedom",
                )
                continue
            left = home.values
            for name in joints:
                values[name], left = left[: self.dof(name)], left[self.dof(name) :]
        return self._with_followers(values)

    def _with_followers(
        self, values: dict[str, tuple[float, ...]]
    ) -> dict[str, tuple[float, ...]]:
        """Add the values of joints that follow others, which stand above them."""
        for name, found in self._followers.items():
            (owner,) = values[found.owner]
            value = found.gain * owner + found.offset
            if not abs(value) <= HUGE:
                self._reading.error(
                    found.node,
                    "bad-number",
                    f"the joint {name!r} starts at {value:g}, expected at most "
                    f"{HUGE:g}",
                )
                value = 0.0
            values[name] = (value,)
        return values

    def at_rest(self, name: str) -> Pose:
        """Return T_parent_frame where all joints that move by themselves are at 0."""
        frame = self.frames[name]
        if not frame.is_joint:
            return frame.pose
        return frame.pose @ motion(frame.type, self.rests[name])

    def _poses(self) -> dict[str, Pose]:
        """Return T_world_frame of all frames at home."""
        world = {WORLD: IDENTITY}
        for name in self.order:
            frame = self.frames[name]
            if name != WORLD:
                pose = frame.pose
                if frame.is_joint:
                    pose = pose @ motion(frame.type, self.values[name])
                world[name] = world[frame.parent] @ pose
        return world

    def _rigid(self) -> dict[str, str]:
        """Return the topmost frame that each one is rigidly connected to."""
        found = {WORLD: WORLD}
        for name in self.order:
            frame = self.frames[name]
            if name != WORLD:
                moves = frame.is_joint or frame.is_free
                found[name] = name if moves else found[frame.parent]
        return found


def _parents_first(frames: dict[str, Frame]) -> list[str]:
    """Return the names of frames behind those of their parents, else as they come."""
    order: dict[str, None] = {}
    for first, frame in frames.items():
        chain = [first]
        name = frame.parent
        while name and name not in order:
            chain.append(name)
            name = frames[name].parent
        for one in reversed(chain):
            order[one] = None
    return list(order)
