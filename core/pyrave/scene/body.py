"""Links, joints, bodies and robots as a file describes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from pyrave.cards import counted
from pyrave.records import Record, made_quickly
from pyrave.scene.composition import Composition
from pyrave.scene.contact import ContactDescription
from pyrave.scene.geometry import GeometryDescription
from pyrave.scene.location import Location
from pyrave.scene.pose import IDENTITY, Matrix3, Pose, Vec3
from pyrave.scene.readable import Readable, ReadableItems

JointType = Literal[
    "hinge",
    "slider",
    "universal",
    "hinge2",
    "spherical",
    "rr",
    "rp",
    "pr",
    "pp",
    "compound",
    "trajectory",
    "fixed",
]


@made_quickly
@dataclass(frozen=True, slots=True)
class Inertial(Record):
    """Mass (kg), centre of mass in the link frame (m), inertia about it (kg m2).

    `inertia` is the row-major 3x3 matrix about the centre of mass in link axes.

    Parameters
    ----------
    com
        (3,) centre of mass in the link frame, metres.
    mass
        Kilograms.
    inertia
        3 x 3 by rows about the centre of mass, axes of the link, kg m2.
    """

    mass: float = 1.0
    com: Vec3 = (0.0, 0.0, 0.0)
    inertia: Matrix3 = (0.4, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4)


@dataclass(frozen=True, slots=True)
class FrameDescription:
    """A named coordinate frame, fixed to a link or to the world.

    Parameters
    ----------
    link
        The link of the body that has the frame; empty: its base. Frames of a scene
        have none and are fixed to the world.
    pose
        T_link_frame, or T_world_frame.
    """

    name: str
    link: str = ""
    pose: Pose = IDENTITY
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LinkDynamics(Record):
    """Settings of a link for physics engines, beyond its mass.

    Parameters
    ----------
    integrator
        A method of the engine, such as ``"Euler"``; empty: its default.
    linear_damping, angular_damping
        Fraction of the velocity that is lost at each step of the engine, 0 to 1.
    surface_velocity
        Of a conveyor: what its surface does to what lies on it, m/s in link axes.
    gravity
        Whether it has weight.
    """

    integrator: str = ""
    linear_damping: float = 0.0
    angular_damping: float = 0.0
    surface_velocity: Vec3 = (0.0, 0.0, 0.0)
    gravity: bool = True


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class LinkDescription:
    """A rigid link.

    Parameters
    ----------
    pose
        T_body_link in the configuration that the file shows (every joint at its
        `JointAxis.initial`). The first link is the base: what is made of another pose
        than identity is there, and has identity.
    static
        Physics never moves it.
    enabled
        Takes part in collision checks.
    contacts
        Where it may touch its surroundings.
    kinematic
        Physics moves it as its body's joints and poses say, whatever pushes it.
    material, object_type
        Names in the `ContactProperties` of the scene, empty for its default.
    geometries
        Shapes that collide and are shown.
    inertial
        Mass, its centre and inertia.
    dynamics
        What physics engines use besides.
    """

    name: str
    pose: Pose = IDENTITY
    geometries: tuple[GeometryDescription, ...] = ()
    inertial: Inertial = Inertial()
    static: bool = False
    enabled: bool = True
    readables: ReadableItems = ()
    location: Location | None = field(default=None, compare=False, repr=False)
    contacts: tuple[ContactDescription, ...] = ()
    kinematic: bool = False
    material: str = ""
    object_type: str = ""
    dynamics: LinkDynamics = LinkDynamics()

    def __repr__(self) -> str:
        geometries = counted(len(self.geometries), "geometry")
        return f"<LinkDescription {self.name!r}: {geometries}>"


@dataclass(frozen=True, slots=True)
class MimicFormula:
    """A joint axis that follows others, in OpenRAVE's expression language.

    Parameters
    ----------
    position
        Expression in joint names (``J`` is axis 0 of joint J, ``J_1`` its axis 1).
    velocity, acceleration
        ``|name expr`` lists of partial derivatives; empty: derived symbolically.
    """

    position: str
    velocity: str = ""
    acceleration: str = ""
    location: Location | None = field(default=None, compare=False, repr=False)


@made_quickly
@dataclass(frozen=True, slots=True)
class JointAxis(Record):
    """One degree of freedom of a joint. Radians or metres, per second.

    Parameters
    ----------
    direction
        Unit vector in the joint frame.
    prismatic
        True: moves along `direction`; False: turns about it.
    lower, upper
        Limits. For a circular axis the limits that the file gave.
    hard_lower, hard_upper
        Limits of the mechanism, where others than those of its controller are known.
    initial
        Value of this axis in the configuration that the file shows.
    torque_limit, inertia_limit, hard_velocity_limit, hard_acceleration_limit,
    hard_jerk_limit
        0: not known.
    damping, friction
        What the mechanism loses: per velocity, N m s/rad or N s/m, and Coulomb's, N m
        or N. Its motor loses more, see `Motor`.
    stiffness, rest
        Of a spring, N m/rad or N/m, and the value at which it is slack.
    circular
        Turns without end.
    velocity_limit
        rad/s or m/s.
    acceleration_limit
        rad/s2 or m/s2.
    jerk_limit
        rad/s3 or m/s3.
    weight
        Of this value in distances of configurations.
    resolution
        Step at which motions are checked, radians or metres.
    mimic
        Formula that it follows, None: it moves by itself.
    """

    direction: Vec3
    prismatic: bool = False
    lower: float = -math.pi
    upper: float = math.pi
    circular: bool = False
    initial: float = 0.0
    velocity_limit: float = 10.0
    acceleration_limit: float = 50.0
    jerk_limit: float = 50000.0
    torque_limit: float = 0.0
    inertia_limit: float = 0.0
    hard_velocity_limit: float = 0.0
    hard_acceleration_limit: float = 0.0
    hard_jerk_limit: float = 0.0
    weight: float = 1.0
    resolution: float = 0.02
    mimic: MimicFormula | None = None
    hard_lower: float = -math.inf
    hard_upper: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True, slots=True)
class JointPath:
    """Path of a trajectory joint's child: poses at increasing times.

    Between two times the translation runs along a line and the rotation along the
    shortest turn, both at constant speed; before the first and after the last time the
    pose holds. On a circular axis the path starts again after its end.

    Parameters
    ----------
    times
        Values of the joint's axis, two or more, strictly increasing; seconds.
    poses
        Motion of the joint at each time, in the joint frame.
    """

    times: tuple[float, ...]
    poses: tuple[Pose, ...]


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class JointDescription:
    """A joint between two links.

    The child link's pose is ``T_parent_joint @ motion(values) @ inv(T_child_joint)``
    in the parent link, ``motion`` being the axes' motions applied in order in the
    joint frame.

    Parameters
    ----------
    type
        ``hinge`` turns about an axis, ``slider`` moves along one. ``universal`` and
        ``hinge2`` have two turning axes. ``spherical`` has three axes whose values are
        a rotation vector. ``rr rp pr pp`` have two axes, each of which turns (r) or
        slides (p); ``compound`` has one to six of any kind. ``trajectory`` follows
        `path`; its one axis counts seconds. ``fixed`` has no axis.
    active
        False: passive, not in the list of degrees of freedom.
    path
        Of a trajectory joint, else None.
    closes_loop
        It carries no link: other joints connect its links, and passive joints on that
        way move so that this joint holds. Without it a loop is as open as the values
        of its joints leave it.
    parent
        Name of the link that carries it.
    child
        Name of the link that it carries.
    T_parent_joint
        Pose of the joint frame in the parent link.
    T_child_joint
        Pose of the joint frame in the child link.
    axes
        One for each degree of freedom.
    actuator
        Motor data of a file, None without.
    """

    name: str
    type: JointType
    parent: str
    child: str
    T_parent_joint: Pose = IDENTITY
    T_child_joint: Pose = IDENTITY
    axes: tuple[JointAxis, ...] = ()
    active: bool = True
    actuator: Readable | None = None
    readables: ReadableItems = ()
    location: Location | None = field(default=None, compare=False, repr=False)
    path: JointPath | None = None
    closes_loop: bool = False

    def __repr__(self) -> str:
        ends = f"{self.parent} > {self.child}"
        return f"<JointDescription {self.name!r}: {self.type}, {ends}>"


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class BodyDescription:
    """A kinematic body; `links[0]` is its base, whose frame is the body frame.

    Parameters
    ----------
    name
        Not empty, no blanks or control characters.
    interface
        ``"Id args"`` of the implementation, empty for the generic one.
    pose
        T_world_body.
    uri
        Where the body was read from; takes no part in comparisons.
    dof_values
        Initial values of the degrees of freedom, or None.
    adjacent
        Pairs of link names whose self collision is never checked.
    joined_links_adjacent
        Links joined by a joint count as adjacent.
    composition
        The files that the body was put together from, or None.
    frames
        Named frames of its links.
    links
        The first one is the base.
    joints
        Active and passive, in the order of the file.
    """

    name: str
    links: tuple[LinkDescription, ...] = ()
    joints: tuple[JointDescription, ...] = ()
    pose: Pose = IDENTITY
    interface: str = ""
    uri: str = field(default="", compare=False)
    dof_values: tuple[float, ...] | None = None
    adjacent: frozenset[tuple[str, str]] = frozenset()
    joined_links_adjacent: bool = True
    readables: ReadableItems = ()
    commands: tuple[str, ...] = ()
    location: Location | None = field(default=None, compare=False, repr=False)
    composition: Composition | None = field(default=None, compare=False, repr=False)
    frames: tuple[FrameDescription, ...] = ()

    def __repr__(self) -> str:
        links = counted(len(self.links), "link")
        joints = counted(len(self.joints), "joint")
        return f"<{type(self).__name__} {self.name!r}: {links}, {joints}>"


@dataclass(frozen=True, slots=True)
class ManipulatorDescription(Record):
    """A chain from `base` to `end_effector` with a tool frame.

    Parameters
    ----------
    tool
        T_end_effector_tool.
    direction
        Unit approach direction in the tool frame.
    gripper_joints, chucking_direction
        Joint names, and per gripper degree of freedom the closing sign (-1, 0, 1).
    ik_solver
        ``"Id args"`` or empty.
    readables
        What formats say beyond this, such as hints for inverse kinematics.
    """

    name: str
    base: str
    end_effector: str
    tool: Pose = IDENTITY
    direction: Vec3 = (0.0, 0.0, 1.0)
    gripper_joints: tuple[str, ...] = ()
    chucking_direction: tuple[float, ...] = ()
    ik_solver: str = ""
    location: Location | None = field(default=None, compare=False, repr=False)
    readables: ReadableItems = ()


@dataclass(frozen=True, slots=True)
class AttachedSensorDescription:
    """A sensor carried by a link of a robot; `pose` is T_link_sensor.

    `interface` is ``"Id args"`` of the sensor, empty for a bare mounting frame.

    Parameters
    ----------
    interface
        ``"Id args"`` of the sensor, empty where only the frame is known.
    sensor_name
        Name of the sensor itself, empty without one.
    """

    name: str
    link: str
    pose: Pose = IDENTITY
    interface: str = ""
    sensor_name: str = ""
    readables: ReadableItems = ()
    commands: tuple[str, ...] = ()
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConfigurationDescription:
    """A named configuration of a robot, or of some of its joints.

    Parameters
    ----------
    values
        (joint, its values), radians or metres, of joints with degrees of freedom.
    """

    name: str
    values: tuple[tuple[str, tuple[float, ...]], ...] = ()
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConnectedBodyDescription:
    """A body that is a part of a robot while it is active, such as a tool.

    Parameters
    ----------
    link
        The link of the robot that carries it.
    body
        Its links, joints, manipulators and sensors. While it is active the robot has
        them, too, under the same names.
    pose
        T_link_body.
    active
        False: it is not mounted at present.
    """

    name: str
    link: str
    body: RobotDescription
    pose: Pose = IDENTITY
    active: bool = True
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GripperDescription:
    """A gripper: its joints, and what else is known about it.

    Parameters
    ----------
    kind
        Which kind of gripper it is; free text.
    joints
        Names of its joints.
    data
        More about it, as the text of a JSON document; empty for nothing.
    """

    name: str
    kind: str = ""
    joints: tuple[str, ...] = ()
    data: str = ""
    location: Location | None = field(default=None, compare=False, repr=False)


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class RobotDescription(BodyDescription):
    """A body with manipulators, attached sensors and named configurations.

    Its controllers are entries of `SceneDescription.interfaces` that name it; none
    means the environment's default.

    Parameters
    ----------
    connected_bodies
        Bodies that are parts of it while they are active; parts of active ones are
        among its own, too.
    grippers
        What is known about its grippers.
    """

    manipulators: tuple[ManipulatorDescription, ...] = ()
    attached_sensors: tuple[AttachedSensorDescription, ...] = ()
    configurations: tuple[ConfigurationDescription, ...] = ()
    connected_bodies: tuple[ConnectedBodyDescription, ...] = ()
    grippers: tuple[GripperDescription, ...] = ()
