"""Shortcuts of paths: straight motions between points of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.planning.search.kernels.joint_space import distance, is_sure

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_2, I64, I64_2

_MIN_SAVED = 0.01
"""Least part of a path's length that a shortcut must save."""
JIT_ENTRIES = ("prune", "shorten")


def prune(space: I64_2, path: F64_2, count: int) -> int:
    """Leave out waypoints (n, d) that a free motion passes; return how many are left.

    From each waypoint that is kept, the last one is looked for that it reaches; halves
    of the rest are tried, not all of it.
    """
    at, kept = 0, 1
    while at < count - 1:
        last = count - 1
        while last > at + 1 and not is_sure(space, path[at], path[last]):
            last = at + (last - at) // 2
        path[kept] = path[last]
        kept, at = kept + 1, last
    return kept


def shorten(space: I64_2, path: F64_2, count: int, places: F64_2, tries: int) -> int:
    """Replace parts of a path by straight motions; return the number of waypoints.

    Geraerts and Overmars, "Creating high-quality paths for motion planning", 2007,
    section 3.2: of two random points on the path, the part between goes if the straight
    motion is free and shorter.

    Parameters
    ----------
    path
        (room, d) waypoints; the first `count` count. It has room for two more.
    places
        (n, 2) of 0 to 1 along the path, of which `tries` are used.
    """
    lengths, ends = _lengths(space, path, count), _ends(path)
    least = (1.0 + _MIN_SAVED) * distance(space, path[0], path[count - 1])
    for k in range(tries):
        total = lengths[count - 1]
        if count < 3 or total <= least or count + 2 > path.shape[0]:
            break
        low = min(places[k, 0], places[k, 1]) * total
        high = max(places[k, 0], places[k, 1]) * total
        first, last = _piece(lengths, count, low), _piece(lengths, count, high)
        if first == last:
            continue
        _point(path, lengths, first, low, ends[0])
        _point(path, lengths, last, high, ends[1])
        saved = (high - low) - distance(space, ends[0], ends[1])
        if saved <= _MIN_SAVED * total or not is_sure(space, ends[0], ends[1]):
            continue
        count = _spliced(path, count, first, last, ends)
        _measure(space, path, count, lengths)
    return count


def _lengths(space: I64, path: F64, count: int) -> F64:
    lengths = path[:, 0].copy()
    _measure(space, path, count, lengths)
    return lengths


def _ends(path: F64) -> F64:
    return path[:2].copy()


def _measure(space: I64, path: F64, count: int, lengths: F64) -> None:
    """Write the length of the path up to each waypoint."""
    lengths[0] = 0.0
    for k in range(count - 1):
        lengths[k + 1] = lengths[k] + distance(space, path[k], path[k + 1])


def _piece(lengths: F64, count: int, at: float) -> int:
    """Return the piece of a path on which a length is."""
    low, high = 0, count - 2
    while low < high:
        middle = (low + high + 1) // 2
        if lengths[middle] <= at:
            low = middle
        else:
            high = middle - 1
    return low


def _point(path: F64, lengths: F64, piece: int, at: float, out: F64) -> None:
    """Write the point of a piece at a length of the path."""
    own = lengths[piece + 1] - lengths[piece]
    part = (at - lengths[piece]) / own if own > 0.0 else 0.0
    for j in range(out.shape[0]):
        way = path[piece + 1, j] - path[piece, j]
        out[j] = path[piece, j] + part * way


def _spliced(path: F64, count: int, first: int, last: int, ends: F64) -> int:
    """Put two waypoints in the place of those after `first` up to `last`."""
    shift = first + 3 - (last + 1)
    if shift > 0:
        for k in range(count - 1, last, -1):
            path[k + shift] = path[k]
    else:
        for k in range(last + 1, count):
            path[k + shift] = path[k]
    path[first + 1] = ends[0]
    path[first + 2] = ends[1]
    return count + shift
