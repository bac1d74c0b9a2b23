"""Replacement of `joint_space` for spaces that user functions define.

The space is an object with these methods, and searches are interpreted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave.planning.search.user_space import UserSpace


def distance(space: UserSpace, start: F64, end: F64) -> float:
    """Return the distance of two configurations."""
    return space.distance(start, end)


def nearest(
    space: UserSpace, nodes: F64, count: int, target: F64, distances: F64
) -> int:
    """Return the nearest of `count` configurations (d, room) to another one."""
    found = space.distances(nodes[:, :count].T, target)
    distances[:count] = found**2
    return int(found.argmin())


def steer(space: UserSpace, start: F64, target: F64, reach: float, out: F64) -> int:
    """Write the end of a step; 2 if that is the target, 0 if there is no step."""
    return space.steer(start, target, reach, out)


def is_free(space: UserSpace, start: F64, end: F64) -> bool:
    """Return True if a motion is free, the start left out."""
    return space.is_free(start, end)


def is_sure(space: UserSpace, start: F64, end: F64) -> bool:
    """Return True if a motion is free at finer steps, the start left out."""
    return space.is_sure(start, end)
