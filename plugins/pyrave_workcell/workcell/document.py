"""Contents of a WorkCell, item by item, before they become bodies.

Names are full: ``Device.Frame``, ``Device.Chain.Frame``. Lengths are metres, angles
radians. What a file has thousands of are named tuples, which are made soonest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pyrave.scene import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import MeshReference, Shape
    from pyrave_workcell.syntax import CellNode

WORLD = "WORLD"

TURN, SLIDE = False, True
JOINT_AXES: Mapping[str, tuple[tuple[int, bool], ...]] = {
    "Revolute": ((2, TURN),),
    "Prismatic": ((2, SLIDE),),
    "Universal": ((0, TURN), (1, TURN)),
    "Spherical": ((0, TURN), (1, TURN), (2, TURN)),
    "PrismaticUniversal": ((0, TURN), (1, TURN), (2, SLIDE)),
    "PrismaticSpherical": ((0, TURN), (1, TURN), (2, TURN), (2, SLIDE)),
}
"""Axes of each type of joint in the order of its values: index of x y z, whether it
slides."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """A joint that follows another: its value is ``gain * owner + offset``.

    Parameters
    ----------
    foreign
        The other one is of another body, which no formula can name.
    """

    owner: str
    gain: float
    offset: float
    node: CellNode
    foreign: bool = False


class Frame(NamedTuple):
    """A frame, which may be a joint.

    Parameters
    ----------
    name, parent
        Full names; the parent of the world is empty.
    type
        ``Fixed``, ``Movable``, ``EndEffector`` or one of `JOINT_AXES`.
    pose
        T_parent_frame, of a joint where all its values are 0.
    daf
        Its parent may change at run time.
    device
        The device that it stands in, empty if none.
    passive
        Its values are not among those of its device.
    """

    name: str
    parent: str
    type: str
    node: CellNode
    pose: Pose = IDENTITY
    daf: bool = False
    device: str = ""
    passive: bool = False
    dependence: Dependence | None = None

    @property
    def is_joint(self) -> bool:
        """True if it moves against its parent, by values or by following."""
        return self.type in JOINT_AXES

    @property
    def is_free(self) -> bool:
        """True if it has a settable pose of its own."""
        return self.daf or self.type == "Movable"


class Limit(NamedTuple):
    """A limit of one joint: ``PosLimit``, ``VelLimit`` or ``AccLimit``, as written."""

    joint: str
    type: str
    numbers: tuple[float, ...]
    in_joint: bool
    node: CellNode


class Solid(NamedTuple):
    """One geometry of a model.

    Parameters
    ----------
    shape
        What collides.
    shown
        What is shown instead: another file of the same name, or None.
    """

    shape: Shape
    shown: MeshReference | None = None


class Model(NamedTuple):
    """A ``Drawable`` or a ``CollisionModel`` of a frame."""

    name: str
    frame: str
    pose: Pose
    solids: tuple[Solid, ...]
    visible: bool
    collides: bool
    color: tuple[float, ...] | None
    node: CellNode


class Property(NamedTuple):
    """A property of a frame, or of a device or WorkCell: `frame` is empty then."""

    name: str
    type: str
    text: str
    frame: str
    device: str
    node: CellNode


@dataclass(frozen=True, slots=True)
class Configuration:
    """A ``Q`` of a device: values by name, radians and metres."""

    name: str
    values: tuple[float, ...]
    node: CellNode


@dataclass(frozen=True, slots=True)
class Setup:
    """A collision or proximity setup that a WorkCell or device names."""

    type: str
    file: str
    scope: str
    node: CellNode


@dataclass(frozen=True, slots=True)
class Device:
    """A device: frames that were read in it, by their full names, in order.

    Parameters
    ----------
    end
        Of a parallel device the frame that it moves.
    meeting
        Of a parallel device pairs of frames that always have one pose.
    """

    name: str
    type: str
    frames: tuple[str, ...]
    configurations: tuple[Configuration, ...]
    node: CellNode
    end: str = ""
    meeting: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """All of a WorkCell, in the order of the file."""

    name: str
    node: CellNode
    frames: tuple[Frame, ...] = ()
    devices: tuple[Device, ...] = ()
    limits: tuple[Limit, ...] = ()
    models: tuple[Model, ...] = ()
    properties: tuple[Property, ...] = ()
    setups: tuple[Setup, ...] = ()
    by_name: dict[str, Frame] = field(default_factory=dict)
