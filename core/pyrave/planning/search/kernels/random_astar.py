"""A* over random neighbours of configurations.

Diankov and Kuffner, "Randomized statistical path planning", IROS 2007: the node from
which the way through seems shortest gets children at random places around it, where no
other node is near. The search is a table of arrays (`pyrave.jit.bundles`), numbered by
the constants below.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.jit.bundles import f64_1, f64_2, f64_3, i64_1
from pyrave.planning.search.kernels.joint_space import distance, is_free, nearest, steer

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64, I64_2

JIT_ENTRIES = ("expand",)

NODES = 0
"""(1, d, room) configurations."""
PARENTS = 1
"""(room,) rows of nodes, -1 for roots."""
COSTS = 2
"""(2, room): length of the way to a node, and that with the estimate of the rest."""
HEAP = 3
"""(room,) rows of nodes that wait, the least estimate first."""
STATE = 4
"""See below."""
OFFSETS = 5
"""(n, d) places around a configuration that are tried one after the other."""
GOALS = 6
"""(m, d) configurations."""
NUMBERS = 7
"""(3,): radius, distance between nodes, factor of the estimate."""
BOX = 8
"""(2, d) limits, infinite for values that turn for ever."""
POINTS = 9
"""(4, d) scratch."""
CELLS = 10
"""(k,) first node of each cell of a hashed grid, -1: none; k is a power of 2."""
NEXT = 11
"""(room,) next node of the same cell, -1: none."""
AXES = 12
"""(h,) values that the grid is of; none: all nodes are looked at."""
SIZES = 13
"""(h,) width of a cell along them."""
DISTANCES = 14
"""(room,) scratch."""

COUNT, WAITING, AT, FOUND, GOAL, EXPANDED, CHILDREN, TRIES = 0, 1, 2, 3, 4, 5, 6, 7
"""Columns of the state: nodes, how many wait, the next offset, the node from which a
goal was reached and which, nodes that were expanded; most children, tries for each."""
STATE_SIZE = 8
MORE, MET, FULL, EMPTY = 0, 1, 2, 3
"""Results of `expand`: no more offsets, a solution, no room, no node waits."""

_PRIMES = (73856093, 19349663, 83492791)


def expand(space: I64_2, search: I64_2) -> int:
    """Expand the best nodes until offsets end; returns MORE, MET, FULL or EMPTY."""
    state, offsets = i64_1(search, STATE), f64_2(search, OFFSETS)
    nodes, points = f64_3(search, NODES), f64_2(search, POINTS)
    own, new = points[0], points[1]
    while True:
        if state[AT] + state[CHILDREN] * state[TRIES] > offsets.shape[0]:
            return MORE
        if state[COUNT] + state[CHILDREN] >= nodes.shape[2]:
            return FULL
        if state[WAITING] == 0:
            return EMPTY
        row = _popped(search)
        state[EXPANDED] += 1
        for j in range(own.shape[0]):
            own[j] = nodes[0, j, row]
        for _ in range(state[CHILDREN]):
            for _ in range(state[TRIES]):
                if not _placed(space, search, own, new):
                    continue
                if _is_near(space, search, new) or not is_free(space, own, new):
                    continue
                cost = f64_2(search, COSTS)[0, row] + distance(space, own, new)
                child = _added(space, search, new, row, cost)
                if _reaches(space, search, new):
                    state[FOUND] = child
                    return MET
                break


def _added(space: I64, search: I64, q: F64, parent: int, cost: float) -> int:
    """Add a node that waits; return its row."""
    state, numbers = i64_1(search, STATE), f64_1(search, NUMBERS)
    nodes, costs = f64_3(search, NODES), f64_2(search, COSTS)
    goals, rest = f64_2(search, GOALS), math.inf
    for g in range(goals.shape[0]):
        rest = min(rest, distance(space, q, goals[g]))
    row = int(state[COUNT])
    for j in range(q.shape[0]):
        nodes[0, j, row] = q[j]
    i64_1(search, PARENTS)[row] = parent
    costs[0, row] = cost
    costs[1, row] = cost + numbers[2] * rest
    state[COUNT] += 1
    if i64_1(search, AXES).shape[0] > 0:
        cells = i64_1(search, CELLS)
        cell = cell_of(search, q, 0)
        i64_1(search, NEXT)[row] = cells[cell]
        cells[cell] = row
    _pushed(search, row)
    return row


def _placed(space: I64, search: I64, own: F64, new: F64) -> bool:
    """Write the next place around a configuration; False if it is beyond limits."""
    state, box = i64_1(search, STATE), f64_2(search, BOX)
    offsets, target = f64_2(search, OFFSETS), f64_2(search, POINTS)[2]
    at = state[AT]
    state[AT] += 1
    for j in range(own.shape[0]):
        target[j] = own[j] + offsets[at, j]
        if not box[0, j] <= target[j] <= box[1, j]:
            return False
    return bool(steer(space, own, target, f64_1(search, NUMBERS)[0], new) != 0)


def _reaches(space: I64, search: I64, q: F64) -> bool:
    """Return True if a free motion not longer than the radius leads to a goal."""
    goals, radius = f64_2(search, GOALS), f64_1(search, NUMBERS)[0]
    for g in range(goals.shape[0]):
        if distance(space, q, goals[g]) <= radius and is_free(space, q, goals[g]):
            i64_1(search, STATE)[GOAL] = g
            return True
    return False


# -- nodes nearby ------------------------------------------------------------------


def cell_of(search: I64, q: F64, step: int) -> int:
    """Return the cell of a configuration, or of one of those around it."""
    axes, sizes = i64_1(search, AXES), f64_1(search, SIZES)
    code = 0
    for k in range(axes.shape[0]):
        place = math.floor(q[axes[k]] / sizes[k]) + step % 3
        if step % 3 == 2:
            place -= 3
        code ^= int(place) * _PRIMES[k]
        step //= 3
    return int(code & (i64_1(search, CELLS).shape[0] - 1))


def _is_near(space: I64, search: I64, q: F64) -> bool:
    """Return True if a node is nearer to a configuration than nodes may be."""
    nodes, apart = f64_3(search, NODES), f64_1(search, NUMBERS)[1]
    count = i64_1(search, STATE)[COUNT]
    other = f64_2(search, POINTS)[3]
    h = i64_1(search, AXES).shape[0]
    if h == 0:
        distances = f64_1(search, DISTANCES)
        row = nearest(space, nodes[0], count, q, distances)
        return bool(distances[row] < apart * apart)
    cells, following = i64_1(search, CELLS), i64_1(search, NEXT)
    around = 3**h
    for step in range(around):
        row = cells[cell_of(search, q, step)]
        while row >= 0:
            for j in range(q.shape[0]):
                other[j] = nodes[0, j, row]
            if distance(space, q, other) < apart:
                return True
            row = following[row]
    return False


# -- the heap ----------------------------------------------------------------------


def _pushed(search: I64, row: int) -> None:
    heap, keys = i64_1(search, HEAP), f64_2(search, COSTS)[1]
    state = i64_1(search, STATE)
    at = int(state[WAITING])
    state[WAITING] += 1
    while at > 0:
        above = (at - 1) // 2
        if keys[heap[above]] <= keys[row]:
            break
        heap[at] = heap[above]
        at = above
    heap[at] = row


def _popped(search: I64) -> int:
    """Take the best node off the heap and return its row."""
    heap, keys = i64_1(search, HEAP), f64_2(search, COSTS)[1]
    state = i64_1(search, STATE)
    best = int(heap[0])
    state[WAITING] -= 1
    count = int(state[WAITING])
    last, at = int(heap[count]), 0
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        if below + 1 < count and keys[heap[below + 1]] < keys[heap[below]]:
            below += 1
        if keys[last] <= keys[heap[below]]:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return best
