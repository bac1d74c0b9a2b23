"""Plan of a written file, before it has an order: frames, devices, a cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.scene import IDENTITY, Pose

if TYPE_CHECKING:
    from pyrave.scene import (
        BodyDescription,
        GeometryDescription,
        JointAxis,
        LinkDescription,
        XmlElement,
    )
    from pyrave_workcell.workcell.writing.mobile import Drive


@dataclass(slots=True, eq=False)
class Piece:
    """One frame that is written.

    Parameters
    ----------
    name
        In its device, or of the cell.
    parent
        The frame that it stands in; None: the world.
    pose
        T_parent_piece, of a joint where its values are 0.
    type
        RobWork's.
    link
        The link that it is, None if it is none.
    axes
        Of a joint: one for each of its values.
    follows
        The joint that it follows, gain and offset.
    values
        Of a joint: where it starts.
    dynamic_properties
        Those that a Dynamic WorkCell says.
    full
        Its full name, when that is known.
    device
        Name of the device that it stands in, or empty.
    drawn
        Whether any geometry of it is written, when that is done.
    """

    name: str
    parent: Piece | None = None
    pose: Pose = IDENTITY
    type: str = "Fixed"
    link: LinkDescription | None = None
    axes: tuple[JointAxis, ...] = ()
    passive: bool = False
    follows: tuple[Piece, float, float] | None = None
    values: tuple[float, ...] = ()
    geometries: tuple[GeometryDescription, ...] = ()
    properties: list[XmlElement] = field(default_factory=list)
    dynamic_properties: list[XmlElement] = field(default_factory=list)
    full: str = ""
    device: str = ""
    drawn: bool = False


@dataclass(slots=True, eq=False)
class Device:
    """A device that is written; its frames in the order of the file."""

    name: str
    tag: str
    pieces: list[Piece]
    properties: list[XmlElement] = field(default_factory=list)
    configurations: list[XmlElement] = field(default_factory=list)
    drive: Drive | None = None
    junctions: list[list[str]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Plan:
    """The frames of one body.

    Parameters
    ----------
    pieces
        In the device: in its order.
    outside
        Those that stand in the cell, behind the device.
    device
        None: the body is frames alone, the first one is its own.
    links
        The piece of each link.
    joints
        The pieces of each joint's axes: (joint, number of the axis).
    """

    body: BodyDescription
    pieces: list[Piece]
    outside: list[Piece]
    device: Device | None
    links: dict[str, Piece]
    joints: dict[tuple[str, int], Piece]

    @property
    def base(self) -> Piece:
        """The frame that the body stands by."""
        return self.pieces[0]

    def all(self) -> list[Piece]:
        """All frames of the body."""
        return [*self.pieces, *self.outside]


@dataclass(slots=True, eq=False)
class Cell:
    """A WorkCell that is written: frames and devices in the order of the file."""

    name: str
    items: list[Piece | Device] = field(default_factory=list)
    properties: list[XmlElement] = field(default_factory=list)
    plans: dict[str, Plan] = field(default_factory=dict)
    worlds: dict[Piece, Pose] = field(default_factory=dict)
