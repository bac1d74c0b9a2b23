"""Queries to a collision engine, and its answers.

Everything is in rows of the tables of `PackedWorldChecker.world`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pyrave.records import compared_by_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pyrave.geometry import Solid
    from pyrave.spatial import Array

FIRST = 1
"""Bit of `PairSelection.sides`: a link of the first side."""
SECOND = 2
"""Bit of `PairSelection.sides`: a link of the second side."""

Veto = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PairSelection:
    """The pairs of links that a query is about; exactly one of both is given.

    Of each pair of links all pairs of their solids are meant whose mask has the bit
    `pyrave.world.COLLISION` and whose kind is something. Links that are disabled are in
    no pair. An engine may keep what it derives from a selection as long as that is
    alive: poses do not change it, and one of other rows is another object.

    Parameters
    ----------
    sides
        (L,) uint8 per row of links, bits `FIRST` and `SECOND`: each link with the first
        bit against each other link with the second. At most one link has both. With a
        probe no link has the first.
    pairs
        (p, 2) int32 rows of links.
    """

    sides: NDArray[np.uint8] | None = None
    pairs: NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """Quantities to find about the pairs of a selection.

    Parameters
    ----------
    distance
        The smallest signed distance over all pairs.
    contacts
        The deepest contact of each pair of solids that is returned.
    all_contacts
        Several contacts of each where the engine has them.
    all_links
        Go on after the first pair of links that collides.
    all_geometries
        Return all pairs of solids of a pair of links, not only one.
    tolerance
        Solids that are not further apart than this collide, metres.
    veto
        Called with the rows of two solids that collide; True: they do not count, for
        the distance neither.
    """

    distance: bool = False
    contacts: bool = False
    all_contacts: bool = False
    all_links: bool = False
    all_geometries: bool = False
    tolerance: float = 0.0
    veto: Veto | None = None


@compared_by_items
class ContactArrays(NamedTuple):
    """The contacts of one pair of solids, in the world.

    Parameters
    ----------
    positions
        (c, 3) metres, midway between the two deepest points.
    normals
        (c, 3) unit, out of the first solid.
    depths
        (c,) metres, positive where the solids overlap.
    """

    positions: Array
    normals: Array
    depths: Array


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Findings of an engine.

    Parameters
    ----------
    solids
        Rows of the pairs that collide: first side, second side. With a probe
        the first is the index of the probe's solid.
    contacts
        Of each pair, if they were asked for.
    distance
        Smallest signed distance, metres; infinite if it was not asked for or there is
        no pair.
    nearest
        The pair of that distance, as in `solids`.
    nearest_points
        (2, 3) its nearest or deepest points on the first and the second, world.
    n_tested
        How many pairs of solids were compared exactly.
    """

    solids: Sequence[tuple[int, int]] = ()
    contacts: Sequence[ContactArrays] = ()
    distance: float = math.inf
    nearest: tuple[int, int] | None = None
    nearest_points: Array | None = None
    n_tested: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """Solids that are not in the world, or elsewhere there, as the first side.

    Parameters
    ----------
    solids
        Each with its pose T_world_solid (4, 4).
    rows
        Rows of the solids of which these are copies at other poses; -1: of none.
    """

    solids: tuple[tuple[Solid, Array], ...]
    rows: tuple[int, ...]
