"""Collision queries on the packed world, without the engines that answer them.

A checker that works on rows of ``env.world.tables`` subclasses `PackedWorldChecker`,
one that compares links two by two `PairwiseChecker`.
"""

from pyrave.collision.engine_queries import (
    FIRST,
    SECOND,
    ContactArrays,
    Demand,
    Findings,
    PairSelection,
    Probe,
    Veto,
)
from pyrave.collision.packed_checker import PackedWorldChecker
from pyrave.collision.pairwise_checker import PairwiseChecker
from pyrave.collision.rays import check_ray
from pyrave.collision.solids import solid_of_row

__all__ = [
    "FIRST",
    "SECOND",
    "ContactArrays",
    "Demand",
    "Findings",
    "PackedWorldChecker",
    "PairSelection",
    "PairwiseChecker",
    "Probe",
    "Veto",
    "check_ray",
    "solid_of_row",
]


def __dir__() -> list[str]:
    return sorted(__all__)
