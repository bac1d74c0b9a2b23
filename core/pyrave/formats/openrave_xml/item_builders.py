"""Links, joints, manipulators and sensors while their body is read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.formats.openrave_xml.exact import Overrides, with_overrides
from pyrave.formats.openrave_xml.solver_hints import renamed_hints, renamed_solver
from pyrave.scene import (
    IDENTITY,
    AttachedSensorDescription,
    ContactDescription,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MimicFormula,
    Pose,
)
from pyrave.scene.readable import Readable

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.scope import Scope

DEFAULT_INERTIAL = Inertial()
_WORD = re.compile(r"\w+")


class LinkBuilder:
    """A link; `pose` is in the frame of the body element that is open."""

    __slots__ = ("contacts", "element", "enabled", "geometries", "inertial",
                 "kinematic", "material", "name", "object_type", "overrides", "pose",
                 "readables", "scope", "static")  # fmt: skip

    def __init__(self, name: str, element: Any, scope: Scope) -> None:
        self.name = name
        self.element = element
        self.scope = scope
        self.pose: Pose = IDENTITY
        self.geometries: list[GeometryDescription] = []
        self.contacts: tuple[ContactDescription, ...] = ()
        self.inertial = DEFAULT_INERTIAL
        self.static = False
        self.kinematic = False
        self.material = self.object_type = ""
        self.enabled = True
        self.readables: list[tuple[str, Readable]] | None = None
        self.overrides: Overrides | None = None

    def describe(self, pose: Pose) -> LinkDescription:
        """Return the finished link at `pose` in the body."""
        link = LinkDescription(
            self.name,
            pose,
            tuple(self.geometries),
            self.inertial,
            self.static,
            self.enabled,
            tuple(self.readables) if self.readables else (),
            self.scope.location(self.element),
            self.contacts,
            self.kinematic,
            self.material,
            self.object_type,
        )
        return with_overrides(link, self.overrides)


class ManipulatorBuilder:
    """A manipulator; links and joints are references, so that they follow renames."""

    __slots__ = ("base", "chucking", "direction", "effector", "element", "gripper",
                 "hinted", "iksolver", "name", "overrides", "readables", "scope",
                 "tool")  # fmt: skip

    name: str
    base: LinkBuilder | str
    effector: LinkBuilder | str
    gripper: list[JointBuilder | str]
    hinted: dict[str, JointBuilder]
    """Joints that the solver and the hints for it may name, by these names."""
    chucking: tuple[float, ...]
    direction: tuple[float, float, float]
    iksolver: str
    tool: Pose
    overrides: Overrides | None
    readables: tuple[tuple[str, Readable], ...]
    element: Any
    scope: Scope

    def describe(self) -> ManipulatorDescription:
        """Return the finished manipulator."""
        names = {
            name: joint.name
            for name, joint in self.hinted.items()
            if joint.name != name
        }
        found = ManipulatorDescription(
            self.name,
            self.base if isinstance(self.base, str) else self.base.name,
            self.effector if isinstance(self.effector, str) else self.effector.name,
            self.tool,
            self.direction,
            tuple(j if isinstance(j, str) else j.name for j in self.gripper),
            self.chucking,
            self.iksolver,
            self.scope.location(self.element),
            self.readables,
        )
        found = with_overrides(found, self.overrides)
        if not names:
            return found
        return replace(
            found,
            ik_solver=renamed_solver(found.ik_solver, names),
            readables=renamed_hints(found.readables, names),
        )


class SensorBuilder:
    """A sensor attached to a link."""

    __slots__ = ("commands", "element", "interface", "link", "name", "overrides",
                 "pose", "readables", "scope", "sensor_name")  # fmt: skip

    def __init__(self, name: str, element: Any, scope: Scope) -> None:
        self.name = name
        self.element = element
        self.scope = scope
        self.link: LinkBuilder | None = None
        self.pose = IDENTITY
        self.interface = ""
        self.sensor_name = ""
        self.commands: list[str] = []
        self.readables: list[tuple[str, Readable]] = []
        self.overrides: Overrides | None = None

    def describe(self, base: str) -> AttachedSensorDescription:
        """Return the finished sensor; without a link it sits on `base`."""
        found = AttachedSensorDescription(
            self.name,
            self.link.name if self.link is not None else base,
            self.pose,
            self.interface,
            self.sensor_name,
            tuple(self.readables),
            tuple(self.commands),
            self.scope.location(self.element),
        )
        return with_overrides(found, self.overrides)


class JointBuilder:
    """A joint while its body is read; its links may still be renamed or moved."""

    __slots__ = ("active", "actuator", "axes", "child", "element", "frames",
                 "name", "overrides", "parent", "readables", "scope",
                 "type")  # fmt: skip

    name: str
    type: str
    parent: LinkBuilder
    child: LinkBuilder
    axes: tuple[JointAxis, ...]
    active: bool
    actuator: Readable | None
    frames: tuple[Pose, Pose]
    overrides: Overrides | None
    readables: list[tuple[str, Readable]]
    element: Any
    scope: Scope

    def describe(self) -> JointDescription:
        """Return the finished joint."""
        joint = JointDescription(
            self.name,
            self.type,  # type: ignore[arg-type]
            self.parent.name,
            self.child.name,
            *self.frames,
            self.axes,
            self.active,
            self.actuator,
            tuple(self.readables),
            self.scope.location(self.element),
        )
        return with_overrides(joint, self.overrides)

    @property
    def child_pose(self) -> Pose:
        """T_parent_child in the configuration that the file shows."""
        in_parent, in_child = self.frames
        values = [axis.initial for axis in self.axes]
        motion = joint_motion(self.axes, values)
        return in_parent @ motion @ in_child.inverse()


def joint_motion(axes: tuple[JointAxis, ...], values: list[float]) -> Pose:
    """Return the motion of a joint's axes, applied in order in the joint frame."""
    motion = Pose()
    if len(axes) == 3:
        x, y, z = values
        angle = math.sqrt(x * x + y * y + z * z)
        return Pose.from_axis_angle((x, y, z), angle) if angle > 0.0 else motion
    for axis, value in zip(axes, values, strict=True):
        if value != 0.0:
            if axis.prismatic:
                x, y, z = axis.direction
                step = Pose.from_translation(x * value, y * value, z * value)
            else:
                step = Pose.from_axis_angle(axis.direction, value)
            motion = motion @ step
    return motion


class Renaming:
    """Puts a prefix before the names of joints in formulas, longest names first."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(filter(None, names))
        # names of other characters than words have are looked for one by one
        odd = [name for name in self._names if not _WORD.fullmatch(name)]
        odd.sort(key=len, reverse=True)
        words = [*map(re.escape, odd), r"\w+"]
        self._pattern = re.compile(
            r"(?<![\w.])(?:" + "|".join(words) + r")(?=_\d+(?!\w)|(?!\w))"
        )

    def of(self, mimic: MimicFormula, prefix: str) -> MimicFormula:
        """Return the formulas with the prefix."""

        def renamed(match: re.Match[str]) -> str:
            name = match.group()
            if name in self._names:
                return prefix + name
            # J_1 is the second axis of J, unless a joint is named so
            joint, _, axis = name.rpartition("_")
            known = axis.isdecimal() and joint in self._names
            return prefix + name if known else name

        def rename(text: str) -> str:
            return self._pattern.sub(renamed, text) if self._names else text

        return MimicFormula(
            rename(mimic.position),
            rename(mimic.velocity),
            rename(mimic.acceleration),
            mimic.location,
        )
