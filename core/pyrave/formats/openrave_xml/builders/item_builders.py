"""Links, joints, manipulators and sensors while their body is read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyrave.formats.openrave_xml.elements.overrides import Overrides, with_overrides
from pyrave.formats.solver_hints import renamed_hints, renamed_solver
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
    Pose,
)
from pyrave.scene.pose import Vec3
from pyrave.scene.readable import Readable

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope

DEFAULT_INERTIAL = Inertial()
ReadableItem = tuple[str, Readable]


@dataclass(slots=True, eq=False)
class LinkBuilder:
    """A link; `pose` is in the frame of the body element that is open."""

    name: str
    element: Any
    scope: Scope
    pose: Pose = IDENTITY
    geometries: list[GeometryDescription] = field(default_factory=list)
    contacts: tuple[ContactDescription, ...] = ()
    inertial: Inertial = DEFAULT_INERTIAL
    static: bool = False
    enabled: bool = True
    kinematic: bool = False
    material: str = ""
    object_type: str = ""
    readables: list[ReadableItem] | None = None
    overrides: Overrides | None = None

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


@dataclass(slots=True, eq=False)
class ManipulatorBuilder:
    """A manipulator; links and joints are references, so that they follow renames."""

    name: str
    element: Any
    scope: Scope
    base: LinkBuilder | str = ""
    effector: LinkBuilder | str = ""
    tool: Pose = IDENTITY
    direction: Vec3 = (0.0, 0.0, 1.0)
    gripper: list[JointBuilder | str] = field(default_factory=list)
    chucking: tuple[float, ...] = ()
    iksolver: str = ""
    readables: tuple[ReadableItem, ...] = ()
    hinted: dict[str, JointBuilder] = field(default_factory=dict)
    """Joints that the solver and the hints for it may name, by these names."""
    overrides: Overrides | None = None

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


@dataclass(slots=True, eq=False)
class SensorBuilder:
    """A sensor attached to a link."""

    name: str
    element: Any
    scope: Scope
    link: LinkBuilder | None = None
    pose: Pose = IDENTITY
    interface: str = ""
    sensor_name: str = ""
    readables: list[ReadableItem] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    overrides: Overrides | None = None

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


@dataclass(slots=True, eq=False)
class JointBuilder:
    """A joint while its body is read; its links may still be renamed or moved."""

    name: str
    type: str
    element: Any
    scope: Scope
    parent: LinkBuilder = field(init=False)
    child: LinkBuilder = field(init=False)
    frames: tuple[Pose, Pose] = (IDENTITY, IDENTITY)
    axes: tuple[JointAxis, ...] = ()
    active: bool = True
    actuator: Readable | None = None
    readables: list[ReadableItem] = field(default_factory=list)
    overrides: Overrides | None = None

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
