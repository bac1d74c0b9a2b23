"""Data for physics engines alone: settings, controllers, sensors, suction cups.

The parts name bodies and links, and go with them: an environment gives them with the
present names of its bodies, and drops those whose bodies leave.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from pyrave.scene.location import Location
from pyrave.scene.physics import LinkReference
from pyrave.scene.pose import IDENTITY, Pose

ControllerKind = Literal["pd", "pose", "motion_queue", "spring"]
ControlMode = Literal[
    "position", "continuous_position", "velocity", "force", "current"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ControllerDescription:
    """A controller of a body's joints that runs with the physics engine.

    Parameters
    ----------
    kind
        ``pd`` follows joint values, ``pose`` takes the end of the body to a pose,
        ``motion_queue`` executes queued motions, ``spring`` holds joints by springs.
    body
        The body that it moves.
    joints
        Names of its joints, in the order of `gains`; empty: all that are active.
    mode
        What a ``pd`` controller is given.
    gains
        A row per degree of freedom of these: proportional and derivative gain of
        ``pd``. For ``spring`` elasticity k, damping d and offset of ``torque = k (q +
        offset) + d qdot``, in N m/rad, N m s/rad and rad; a restoring spring has a
        negative k.
    time_step
        Seconds between two updates; 0: every step of the engine.
    """

    name: str
    kind: ControllerKind
    body: str
    joints: tuple[str, ...] = ()
    mode: ControlMode = "position"
    gains: tuple[tuple[float, ...], ...] = ()
    time_step: float = 0.0
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ForceTorqueSensor:
    """Sensor of force and torque between two links, at their joint or constraint.

    Parameters
    ----------
    parent, child
        The reading is minus the wrench that acts on the child, contacts included.
    frame, pose
        A link, and T_link_sensor: origin and axes of the reading, N and N m.
    """

    name: str
    parent: LinkReference
    child: LinkReference
    frame: LinkReference
    pose: Pose = IDENTITY
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ContactSensor:
    """All contacts of a link: points, normals, forces, and what it touches."""

    name: str
    link: LinkReference
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TactileArray:
    """A grid of cells on a link that measure pressure.

    Parameters
    ----------
    pose
        T_link_array: the corner of the first cell; rows go along y, columns along x.
    heights
        (rows + 1, columns + 1) of the corners of the cells above the plane z = 0,
        metres.
    cell_size
        Along x and y, metres.
    lowest, highest
        Pressures that it can tell, pascals.
    """

    name: str
    link: LinkReference
    pose: Pose = IDENTITY
    heights: tuple[tuple[float, ...], ...] = ((0.0, 0.0), (0.0, 0.0))
    cell_size: tuple[float, float] = (0.01, 0.01)
    lowest: float = 0.0
    highest: float = 250e3
    location: Location | None = field(default=None, compare=False, repr=False)


PhysicsSensor = ForceTorqueSensor | ContactSensor | TactileArray


@dataclass(frozen=True, slots=True)
class SuctionSpring:
    """Spring of a suction cup: N/m, N s/m, N m/rad, N m s/rad; rest height in m.

    Parameters
    ----------
    stiffness
        Along its axis, N/m.
    damping
        Along its axis, N s/m.
    bending_stiffness
        About both other axes, N m/rad.
    bending_damping
        About both other axes, N m s/rad.
    height
        At rest, metres.
    """

    stiffness: float
    damping: float
    bending_stiffness: float
    bending_damping: float
    height: float


@dataclass(frozen=True, slots=True)
class SuctionCup:
    """A cup that holds what its lip touches all around.

    Parameters
    ----------
    base, lip
        The links that the cup joins; the lip slides along z and bends about x and y.
    pose
        T_base_cup; z is the axis of the cup.
    radius, height
        Of the cup, metres.
    open, closed
        Its springs while nothing is held, and while something is.
    """

    name: str
    base: LinkReference
    lip: LinkReference
    radius: float
    height: float
    open: SuctionSpring
    closed: SuctionSpring
    pose: Pose = IDENTITY
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SimulationDescription:
    """Data of a scene for physics engines besides contacts and constraints.

    Parameters
    ----------
    settings
        (name, value) for whichever engine is used, by its own names: a text, or
        numbers, one a tuple.
    controllers
        Controllers of joints that run with the engine.
    sensors
        Sensors that ask the engine.
    suction_cups
        Cups that hold what their lips touch.
    """

    settings: tuple[tuple[str, tuple[float, ...] | str], ...] = ()
    controllers: tuple[ControllerDescription, ...] = ()
    sensors: tuple[PhysicsSensor, ...] = ()
    suction_cups: tuple[SuctionCup, ...] = ()

    def about(self, bodies: Collection[str]) -> SimulationDescription:
        """Return the settings, and the parts that name no other bodies than these."""
        return SimulationDescription(
            self.settings,
            tuple(one for one in self.controllers if one.body in bodies),
            tuple(one for one in self.sensors if _is_about(one, bodies)),
            tuple(one for one in self.suction_cups if _is_about(one, bodies)),
        )


def link_references(part: Any) -> dict[str, LinkReference]:
    """Return the links that a part names, by field."""
    found = {one.name: getattr(part, one.name) for one in fields(part)}
    return {name: end for name, end in found.items() if isinstance(end, LinkReference)}


def _is_about(part: PhysicsSensor | SuctionCup, bodies: Collection[str]) -> bool:
    return all(end.body in bodies for end in link_references(part).values())
