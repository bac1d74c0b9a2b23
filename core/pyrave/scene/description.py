"""The root of a scene description and its other interfaces."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyrave.errors import Problem
from pyrave.scene.body import (
    BodyDescription,
    FrameDescription,
    ReadableItems,
    RobotDescription,
)
from pyrave.scene.location import Location
from pyrave.scene.physics import ConstraintDescription, ContactProperties
from pyrave.scene.pose import Pose, Vec3


@dataclass(frozen=True, slots=True)
class PluginReference:
    """A plugin that the scene names: an entry point, a distribution or a path."""

    name: str
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InterfaceDescription:
    """An interface other than a body: sensor, controller, module, planner, ...

    Parameters
    ----------
    type
        One of the 13 interface types.
    interface
        ``"Id arg arg"``.
    name
        Name of the object, if the file gives one.
    args
        A module's ``args``.
    robot, joints, control_transform
        A controller's robot, the joints it drives (empty: all) and whether it
        drives the base.
    pose
        A sensor's T_world_sensor.
    commands
        Texts sent to the interface after creation.
    readables
        What custom readers made of its XML, by interface id or tag.
    settings
        (name, value) of an engine or a controller: a text, or numbers, one a tuple.
    """

    type: str
    interface: str
    name: str = ""
    args: str = ""
    robot: str = ""
    joints: tuple[str, ...] = ()
    control_transform: bool = False
    pose: Pose | None = None
    commands: tuple[str, ...] = ()
    readables: ReadableItems = ()
    location: Location | None = field(default=None, compare=False, repr=False)
    settings: tuple[tuple[str, tuple[float, ...] | str], ...] = ()


@dataclass(frozen=True, slots=True)
class CameraView:
    """Where a viewer's camera stands: T_world_camera, looking along its +z."""

    pose: Pose
    focal_distance: float = 0.0


@dataclass(frozen=True, slots=True)
class GrabDescription:
    """A body that another one holds: it moves with a link of that one.

    Where it lies in the hand follows from the poses of both.

    Parameters
    ----------
    holder, link
        The body that holds, and which of its links does.
    body
        The held body.
    ignored_links
        Links of the holder that may always touch it.
    touching_links, touching_bodies
        What else of the holder, and of what it holds, touched it when it was grabbed.
    """

    holder: str
    link: str
    body: str
    ignored_links: tuple[str, ...] = ()
    touching_links: tuple[str, ...] = ()
    touching_bodies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneDescription:
    """Everything that a scene file says.

    Parameters
    ----------
    bodies
        Bodies and robots in the order of the file.
    interfaces
        Sensors, controllers, modules, engines, ... in the order of the file.
    gravity
        World gravity in m/s2, or None for the default.
    uri
        Where the scene was read from.
    root
        ``"environment"``, or the interface type of a file that holds one object.
    grabs
        Which body holds which, in the order of grabbing.
    renamable
        The names are made up, as those of mesh files: where one is taken, another will
        do.
    frames
        Named frames of the world.
    constraints
        What ties links of bodies together, for physics engines.
    contact_properties
        Friction and restitution of materials and types of objects.
    """

    bodies: tuple[BodyDescription, ...] = ()
    interfaces: tuple[InterfaceDescription, ...] = ()
    plugins: tuple[PluginReference, ...] = ()
    name: str = ""
    gravity: Vec3 | None = None
    background_color: Vec3 | None = None
    camera: CameraView | None = None
    unit: tuple[str, float] = ("meter", 1.0)
    readables: ReadableItems = ()
    uri: str = field(default="", compare=False)
    root: str = "environment"
    location: Location | None = field(default=None, compare=False, repr=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False, repr=False)
    grabs: tuple[GrabDescription, ...] = ()
    renamable: bool = field(default=False, compare=False, repr=False)
    frames: tuple[FrameDescription, ...] = ()
    constraints: tuple[ConstraintDescription, ...] = ()
    contact_properties: ContactProperties = field(default_factory=ContactProperties)

    @property
    def robots(self) -> tuple[RobotDescription, ...]:
        """The bodies that are robots."""
        return tuple(b for b in self.bodies if isinstance(b, RobotDescription))
