"""Trees that grow towards samples: one (RRT), or two towards each other (RRT-Connect).

LaValle, "Rapidly-exploring random trees: A new tool for path planning", 1998; Kuffner
and LaValle, "RRT-Connect: An efficient approach to single-query path planning", 2000.
Trees are a table of arrays (`pyrave.jit.bundles`), numbered by the constants
below; tree 0 grows from initial configurations, tree 1 from goals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.jit.bundles import f64_1, f64_2, f64_3, i64_1, i64_2
from pyrave.planning.search.kernels.joint_space import is_free, nearest, steer

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64, I64_2

JIT_ENTRIES = ("grow", "grow_one")

NODES = 0
"""(2, d, room) configurations."""
PARENTS = 1
"""(2, room) rows of nodes, -1 for roots."""
STATE = 2
"""State of the search, see below."""
SAMPLES = 3
"""(n, d) configurations that trees grow towards."""
DISTANCES = 4
"""(room,) scratch."""
NUMBERS = 5
"""(1,) the longest step."""
POINTS = 6
"""(3, d) scratch."""
TARGETS = 7
"""(n,) which goal a sample is, -1 if it is none."""

COUNTS, AT, FOUND, ITERATIONS = 0, 2, 3, 5
"""Columns of the state: nodes of each tree, the next sample, the nodes of each tree at
which these met, samples so far."""
STATE_SIZE = 6

MORE, MET, FULL = 0, 1, 2
"""Results of `grow`: no more samples, a solution, no room for nodes."""

_TRAPPED, _REACHED = 0, 2


def grow(space: I64_2, trees: I64_2) -> int:
    """Grow the smaller tree towards each sample, then the other one to where it came.

    Returns MORE, MET or FULL.
    """
    state, samples = i64_1(trees, STATE), f64_2(trees, SAMPLES)
    points = f64_2(trees, POINTS)
    target, reached = points[0], points[1]
    while state[AT] < samples.shape[0]:
        if is_full(trees):
            return FULL
        side = 0 if state[COUNTS] <= state[COUNTS + 1] else 1
        target[:] = samples[state[AT]]
        state[AT] += 1
        state[ITERATIONS] += 1
        node = _nearest(space, trees, side, target)
        if extend(space, trees, side, node, target) == _TRAPPED:
            continue
        own = state[COUNTS + side] - 1
        reached[:] = f64_3(trees, NODES)[side, :, own]
        other = 1 - side
        node = _nearest(space, trees, other, reached)
        result = 1
        while result == 1:
            if is_full(trees):
                return FULL
            result = extend(space, trees, other, node, reached)
            node = state[COUNTS + other] - 1
        if result == _REACHED:
            state[FOUND + side], state[FOUND + other] = own, node
            return MET
    return MORE


def grow_one(space: I64_2, trees: I64_2, steps: int) -> int:
    """Grow tree 0 towards each sample, by so many steps at most.

    Returns MORE, MET (the goal's number is where the node of tree 1 would be) or FULL.
    """
    state, samples = i64_1(trees, STATE), f64_2(trees, SAMPLES)
    targets, target = i64_1(trees, TARGETS), f64_2(trees, POINTS)[0]
    while state[AT] < samples.shape[0]:
        if is_full(trees):
            return FULL
        row = state[AT]
        target[:] = samples[row]
        state[AT] += 1
        state[ITERATIONS] += 1
        node = _nearest(space, trees, 0, target)
        for _ in range(steps):
            if is_full(trees):
                return FULL
            result = extend(space, trees, 0, node, target)
            if result == _TRAPPED:
                break
            node = state[COUNTS] - 1
            if result == _REACHED:
                if targets[row] >= 0:
                    state[FOUND], state[FOUND + 1] = node, targets[row]
                    return MET
                break
    return MORE


def is_full(trees: I64) -> bool:
    """Return True if one of the trees has no room for another node."""
    state = i64_1(trees, STATE)
    room = f64_3(trees, NODES).shape[2]
    return bool(state[COUNTS] >= room or state[COUNTS + 1] >= room)


def _nearest(space: I64, trees: I64, side: int, target: F64) -> int:
    count = i64_1(trees, STATE)[COUNTS + side]
    nodes, distances = f64_3(trees, NODES), f64_1(trees, DISTANCES)
    return nearest(space, nodes[side], count, target, distances)


def extend(space: I64, trees: I64, side: int, node: int, target: F64) -> int:
    """Add a node one step from another one towards a target, if the way is free.

    Returns 0 if it is not, 2 if the target is reached, else 1.
    """
    nodes, points = f64_3(trees, NODES), f64_2(trees, POINTS)
    step = points[2]
    start = nodes[side, :, node].copy()
    result = steer(space, start, target, f64_1(trees, NUMBERS)[0], step)
    if result == _TRAPPED or not is_free(space, start, step):
        return _TRAPPED
    count = i64_1(trees, STATE)
    row = count[COUNTS + side]
    for j in range(step.shape[0]):
        nodes[side, j, row] = step[j]
    i64_2(trees, PARENTS)[side, row] = node
    count[COUNTS + side] += 1
    return result
