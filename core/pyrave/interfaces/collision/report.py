"""Options of collision queries and what they find."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.attributes import TellsNames
from pyrave.cards import card, counted, table
from pyrave.errors import ArgumentError, shown
from pyrave.records import Record
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.bodies.views.link import Link

NO_DISTANCE = 1e20
"""`CollisionReport.min_distance` when no distance was asked for, as in OpenRAVE."""


class CollisionOptions(enum.IntFlag):
    """Options of collision queries, with OpenRAVE's bit values.

    Without any of the ``ALL`` bits a query stops at the first pair that collides.

    Attributes
    ----------
    DISTANCE
        The smallest signed distance, its pair and its two points.
    USE_TOLERANCE
        What is nearer than the tolerance collides, too.
    CONTACTS
        The deepest contact of each pair that is reported.
    RAY_ANY_HIT
        Rays stop at any hit, which need not be the nearest.
    ACTIVE_DOFS
        Of a robot only links that its active degrees of freedom move, and of what
        collides with itself only links that these move relative to each other.
    ALL_LINK_COLLISIONS
        Go on to every pair of links that collides.
    ALL_GEOMETRY_COLLISIONS
        Report every pair of geometries of the pairs of links that are reported.
    ALL_GEOMETRY_CONTACTS
        Several contacts of each pair where the checker has them: the corners of what
        two faces share.
    IGNORE_CALLBACKS
        Leave the callbacks of ``env.on_collision`` unasked.
    """

    NONE = 0
    DISTANCE = 0x1
    USE_TOLERANCE = 0x2
    CONTACTS = 0x4
    RAY_ANY_HIT = 0x8
    ACTIVE_DOFS = 0x10
    ALL_LINK_COLLISIONS = 0x20
    ALL_GEOMETRY_COLLISIONS = 0x40
    ALL_GEOMETRY_CONTACTS = 0x80
    IGNORE_CALLBACKS = 0x100


class CollisionAction(enum.Enum):
    """Decision of a collision callback."""

    DEFAULT = 0
    IGNORE = 1


@dataclass(frozen=True, slots=True)
class Contact(Record):
    """One contact point in world axes.

    Parameters
    ----------
    position
        (3,) metres, midway between the two deepest or nearest points.
    normal
        (3,) unit, out of the first geometry.
    depth
        Metres, positive when the geometries penetrate. A hit of a ray has minus the
        distance along the ray.
    """

    position: Array
    normal: Array
    depth: float


@dataclass(frozen=True, slots=True, repr=False)
class CollisionSide:
    """One of two things that collide; all is empty for a ray, a mesh or a box.

    Ids say what it is, also when the body was removed since; names may be empty.

    Parameters
    ----------
    body_id, link_id, geometry_id
        `KinBody.id`, `Link.id` and `Geometry.id` at the time of the query; -1: the
        checker does not know, or there is none.
    link, geometry
        The link and its geometry, if they are known.
    """

    body_id: int = -1
    link_id: int = -1
    geometry_id: int = -1
    link: Link | None = field(default=None, compare=False)
    geometry: Geometry | None = field(default=None, compare=False)

    @classmethod
    def of_link(cls, link: Link) -> CollisionSide:
        """Return the side of a link of which the geometry is not known."""
        return cls(link.body.id, link.id, link=link)

    @classmethod
    def of_geometry(cls, geometry: Geometry) -> CollisionSide:
        """Return the side of a geometry."""
        link = geometry.link
        return cls(link.body.id, link.id, geometry.id, link, geometry)

    @property
    def body(self) -> KinBody | None:
        """The body, if it is known."""
        return None if self.link is None else self.link.body

    @property
    def body_name(self) -> str:
        """Name of the body."""
        return "" if self.link is None else self.link.body.name

    @property
    def link_name(self) -> str:
        """Name of the link."""
        return "" if self.link is None else self.link.name

    @property
    def geometry_name(self) -> str:
        """Name of the geometry; many have none."""
        return "" if self.geometry is None else self.geometry.name

    def __repr__(self) -> str:
        return f"<CollisionSide {self}>"

    def __str__(self) -> str:
        if self.link is None:
            return "(query)"
        names = self.body_name, self.link_name, self.geometry_name
        return "/".join(name for name in names if name)


@dataclass(frozen=True, slots=True, repr=False)
class CollisionPair:
    """Two things that collide, and their contacts if asked for.

    Parameters
    ----------
    first
        One side.
    second
        The other side.
    """

    first: CollisionSide
    second: CollisionSide = CollisionSide()
    contacts: tuple[Contact, ...] = ()

    def __repr__(self) -> str:
        return f"<CollisionPair {self}>"

    def __str__(self) -> str:
        text = f"{self.first} x {self.second}"
        if not self.contacts:
            return text
        depth = max(contact.depth for contact in self.contacts)
        return f"{text}: {counted(len(self.contacts), 'contact')}, {depth:.6g} m deep"


@dataclass(slots=True, repr=False)
class CollisionReport(Record, TellsNames):
    """Result of collision queries; true if something collides.

    ``str(report)`` has a line for each pair.

    Parameters
    ----------
    min_distance
        Smallest signed distance, metres, minus the depth where solids overlap; 1e20 if
        it was not asked for, or there is nothing to be near.
    n_within_tolerance
        With `CollisionOptions.USE_TOLERANCE`: how many of the pairs were found nearer
        than the tolerance, those that overlap included.
    keep_previous
        Accumulate over queries instead of starting over at each.
    nearest
        The two sides of `min_distance`.
    nearest_points
        (2, 3) their nearest or deepest points, world, metres.
    n_tested
        How many pairs of solids were compared exactly.
    from_physics
        A physics engine asks whether a contact shall act.
    pairs
        What collides, each pair once.
    options
        What was asked for.
    """

    pairs: list[CollisionPair] = field(default_factory=list)
    options: CollisionOptions = CollisionOptions.NONE
    min_distance: float = NO_DISTANCE
    n_within_tolerance: int = 0
    keep_previous: bool = False
    nearest: tuple[CollisionSide, CollisionSide] | None = None
    nearest_points: Array | None = None
    n_tested: int = 0
    from_physics: bool = False

    def __bool__(self) -> bool:
        return bool(self.pairs)

    @property
    def distance(self) -> float:
        """Smallest signed distance, metres; infinite where `min_distance` is 1e20."""
        return math.inf if self.min_distance >= NO_DISTANCE else self.min_distance

    def __repr__(self) -> str:
        if not self.pairs and self.nearest is None:
            return "<CollisionReport: no collision>"
        first, *more = str(self).splitlines()
        rest = f", and {len(more)} more" if more else ""
        return f"<CollisionReport: {first}{rest}>"

    def __str__(self) -> str:
        lines = [str(pair) for pair in self.pairs] or ["no collision"]
        if self.nearest is not None:
            one, other = self.nearest
            lines.append(f"distance {self.min_distance:.6g} m: {one} x {other}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        distance = f"{self.distance:.6g} m" if self.nearest is not None else ""
        facts = {"pairs": str(len(self.pairs)), "least distance": distance}
        rows = [
            [
                str(pair.first),
                str(pair.second),
                str(len(pair.contacts)),
                f"{max((one.depth for one in pair.contacts), default=0.0):.4g}",
            ]
            for pair in self.pairs
        ]
        head = ["first", "second", "contacts", "depth (m)"]
        title = f"CollisionReport: {'collision' if self else 'no collision'}"
        return card(title, facts, table(head, rows) if rows else "")

    def reset(self) -> None:
        """Forget earlier results unless `keep_previous`."""
        if not self.keep_previous:
            self.pairs.clear()
            self.min_distance = NO_DISTANCE
            self.n_within_tolerance = self.n_tested = 0
            self.nearest = self.nearest_points = None


def asked_report(report: bool) -> CollisionReport | None:
    """Return an empty report if one is asked for, else None.

    Raises
    ------
    ArgumentError
        A report was given, as OpenRAVE has it: it would stay empty.
    """
    if isinstance(report, CollisionReport):
        raise ArgumentError(
            f"report is {shown(report)}, expected True or False; with report=True the "
            "report is returned, those of env.collision_checker fill one that is given"
        )
    return CollisionReport() if report else None
