"""The root of a scene description."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyrave.cards import counted
from pyrave.errors import Problem, count_problems
from pyrave.records import Record
from pyrave.scene.body import BodyDescription, FrameDescription, RobotDescription
from pyrave.scene.interface import InterfaceDescription
from pyrave.scene.location import Location
from pyrave.scene.physics import ConstraintDescription, ContactProperties
from pyrave.scene.pose import Pose, Vec3
from pyrave.scene.readable import ReadableItems
from pyrave.scene.simulation import SimulationDescription

DEFAULT_GRAVITY: Vec3 = (0.0, 0.0, -9.797930195020351)
"""World gravity where nothing is said, m/s2: OpenRAVE's, of Tokyo at sea level."""
_NO_SIMULATION = SimulationDescription()
_NO_PROPERTIES = ContactProperties()


@dataclass(frozen=True, slots=True)
class PluginReference:
    """A plugin that the scene names: an entry point, a distribution or a path.

    Parameters
    ----------
    settings
        Names, in lower case, and texts of settings that the scene gives it.
    """

    name: str
    location: Location | None = field(default=None, compare=False, repr=False)
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CameraView:
    """Pose of a viewer's camera: T_world_camera, looking along its +z.

    Parameters
    ----------
    focal_distance
        From the camera to what it turns about, metres; 0: not known.
    """

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


@dataclass(frozen=True, slots=True, order=True)
class IgnoredPair:
    """Two bodies, or links of them, whose collisions with each other do not count.

    Parameters
    ----------
    first, second
        Names of the bodies.
    first_link, second_link
        A link of each; empty: all of its links.
    """

    first: str
    second: str
    first_link: str = ""
    second_link: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class SceneDescription(Record):
    """Everything that a scene file says.

    Parameters
    ----------
    bodies
        Bodies and robots in the order of the file.
    interfaces
        Sensors, controllers, modules, engines, ... in the order of the file.
    gravity
        World gravity in m/s2, or None for `DEFAULT_GRAVITY`.
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
    simulation
        What else physics engines use: settings, controllers, sensors, suction cups.
    ignored_pairs
        What no collision query compares.
    problems
        Warnings and notes of the reader.
    notes
        What it took where the file is silent, for people.
    plugins
        Those that the file names.
    background_color
        (3,) red, green, blue, 0 to 1; None: the viewer's.
    camera
        Where a viewer looks from, None: it chooses.
    unit
        Name of the unit of lengths, and how many metres it has.
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
    contact_properties: ContactProperties = _NO_PROPERTIES
    simulation: SimulationDescription = _NO_SIMULATION
    ignored_pairs: tuple[IgnoredPair, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        name = self.uri or self.name
        parts = [counted(len(self.bodies), "body")]
        parts[0] += f" ({counted(len(self.robots), 'robot')})"
        if self.interfaces:
            parts.append(counted(len(self.interfaces), "interface"))
        if self.problems:
            parts.append(count_problems(self.problems))
        return f"<SceneDescription {name!r}: {', '.join(parts)}>"

    @property
    def robots(self) -> tuple[RobotDescription, ...]:
        """The bodies that are robots."""
        return tuple(b for b in self.bodies if isinstance(b, RobotDescription))

    @property
    def asks_for_physics(self) -> bool:
        """True if it has data for physics engines, or names one that moves bodies."""
        named = any(
            one.type == "physicsengine"
            and not one.interface.lower().startswith("genericphysicsengine")
            for one in self.interfaces
        )
        return (
            named
            or bool(self.constraints)
            or self.simulation != _NO_SIMULATION
            or self.contact_properties != _NO_PROPERTIES
        )
