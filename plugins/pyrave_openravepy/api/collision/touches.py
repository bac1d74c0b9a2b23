"""Collisions that are none in OpenRAVE, where solids that just touch are free."""

from __future__ import annotations

from typing import Any

import pyrave

__all__ = ["drop_touches", "may_only_touch"]

_DEPTH = 1e-9
"""Metres: rounding of poses makes solids that just touch as deep."""
_SOLIDS = frozenset({"box", "sphere", "cylinder", "capsule"})


def may_only_touch(report: pyrave.CollisionReport) -> bool:
    """Return True if what was found first may be a touch of two solids.

    Of meshes nobody places one exactly at another, and depths are those of triangles.
    """
    return bool(report.pairs) and all(map(_is_of_solids, report.pairs))


def _is_of_solids(pair: Any) -> bool:
    sides = pair.first.geometry, pair.second.geometry
    return all(one is not None and one.type in _SOLIDS for one in sides)


def drop_touches(checker: Any, report: pyrave.CollisionReport) -> bool:
    """Take pairs that just touch out of a report of all pairs; True if one is left.

    Distances stay: OpenRAVE's are 0 as well.
    """
    kept = [pair for pair in report.pairs if _is_deep(checker, pair)]
    report.pairs[:] = kept
    return bool(kept)


def _is_deep(checker: Any, pair: Any) -> bool:
    if not _is_of_solids(pair):
        return True
    return bool(checker.depth(pair.first.link, pair.second.link) > _DEPTH)
