"""Contents of a Dynamic WorkCell, before they reach the bodies of its WorkCell.

Units are SI and radians. `at` is the element that an item was read from, for messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pyrave.records import Record
from pyrave.scene import IDENTITY

if TYPE_CHECKING:
    from pyrave.scene import (
        ConstraintKind,
        ContactMaterial,
        ControllerKind,
        ControlMode,
        Friction,
        Limits,
        Pose,
        Restitution,
        Spring,
        SuctionSpring,
    )
    from pyrave.scene.pose import Matrix3, Vec3
    from pyrave_workcell.syntax import CellNode

BodyKind = Literal["fixed", "kinematic", "rigid", "link"]
Value = tuple[float, ...] | str


@dataclass(frozen=True, slots=True)
class Placed:
    """Base of what a file says at an element."""

    at: CellNode = field(compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Property(Placed):
    """A named value: a text or numbers, one a tuple."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Named(Placed):
    """A name of something that stands elsewhere."""

    name: str


@dataclass(frozen=True, slots=True)
class Mass(Record):
    """Mass, centre and inertia; what is None is estimated from geometry.

    `inertia` is about the centre of mass, in the axes of the body's frame.
    """

    mass: float = 0.0
    com: Vec3 | None = None
    inertia: Matrix3 | None = None


@dataclass(frozen=True, slots=True)
class Body(Placed):
    """A body, the base of a device, or one of its links.

    Parameters
    ----------
    frame
        Its frame, without the name of the device in front.
    associated
        Further frames whose geometry belongs to it.
    material, object_type
        As written, None for the default.
    """

    kind: BodyKind
    frame: str
    material: str | None = None
    object_type: str | None = None
    mass: Mass | None = None
    integrator: str = ""
    associated: tuple[Named, ...] = ()
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class ForceLimit(Placed):
    """Largest force or torque of a joint's motor, N or N m."""

    joint: str
    limit: float


@dataclass(frozen=True, slots=True)
class Device(Placed):
    """A device of the WorkCell as bodies; `base` may be a body that is there."""

    device: str
    rigid: bool
    base: Body | Named | None
    links: tuple[Body, ...] = ()
    force_limits: tuple[ForceLimit, ...] = ()


@dataclass(frozen=True, slots=True)
class Cup(Placed):
    """A suction cup; `pose` is T_base_cup."""

    name: str
    base: Body | None
    end: Body | None
    radius: float
    height: float
    open: SuctionSpring
    closed: SuctionSpring
    pose: Pose = IDENTITY


@dataclass(frozen=True, slots=True)
class Constraint(Placed):
    """A constraint between two bodies; `pose` is T_parent_constraint."""

    name: str
    kind: ConstraintKind
    parent: str
    child: str
    pose: Pose = IDENTITY
    limits: tuple[Limits, ...] = ()
    spring: Spring | None = None


@dataclass(frozen=True, slots=True)
class ForceTorque(Placed):
    """A sensor between two bodies; `frame` is that of the reading, else the child's."""

    name: str
    parent: str
    child: str
    frame: Named | None = None


@dataclass(frozen=True, slots=True)
class Touch(Placed):
    """A sensor of all contacts of the body that a frame belongs to."""

    name: str
    frame: str


@dataclass(frozen=True, slots=True)
class Skin(Placed):
    """A tactile array on a body, see `pyrave.scene.TactileArray`; pascals."""

    name: str
    body: str
    pose: Pose
    heights: tuple[tuple[float, ...], ...]
    cell_size: tuple[float, float]
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Controller(Placed):
    """A controller of a device; gains are rows as in `ControllerDescription`."""

    name: str
    kind: ControllerKind
    device: str
    mode: ControlMode = "position"
    gains: tuple[tuple[float, ...], ...] = ()
    time_step: float = 0.0


Item = (
    Body | Device | Cup | Constraint | ForceTorque | Touch | Skin | Controller
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DynamicWorkCell(Record):
    """A whole file with what it includes.

    Parameters
    ----------
    workcell
        Name of the WorkCell's file as written.
    items
        Bodies, devices, constraints, sensors and controllers in the order of the file:
        what names another stands below it.
    """

    workcell: str
    gravity: Vec3 = (0.0, 0.0, 0.0)
    settings: tuple[Property, ...] = ()
    materials: tuple[ContactMaterial, ...] = ()
    object_types: tuple[ContactMaterial, ...] = ()
    default_material: str = ""
    default_object_type: str = ""
    friction: tuple[Friction, ...] = ()
    restitution: tuple[Restitution, ...] = ()
    items: tuple[Item, ...] = ()
    at: CellNode = field(compare=False, repr=False, kw_only=True)
