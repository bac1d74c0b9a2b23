"""RRT*: a tree whose paths become shorter with every sample.

Karaman and Frazzoli, "Sampling-based algorithms for optimal motion planning", 2011,
with k nearest neighbours; Gammell, Srinivasa and Barfoot, "Informed RRT*", 2014: what
cannot be on a shorter way than the best one is left out. The tree is a table of arrays
(`pyrave.jit.bundles`), numbered by the constants below.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.jit.bundles import f64_1, f64_2, f64_3, i64_1
from pyrave.planning.search.kernels.joint_space import distance, is_sure, nearest, steer

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64, I64_2

JIT_ENTRIES = ("improve",)

NODES = 0
"""(1, d, room) configurations."""
PARENTS = 1
"""(room,) rows of nodes, -1 for roots."""
LENGTHS = 2
"""(room,) distances from the parents."""
STATE = 3
"""(4,): nodes, the next sample, samples so far, the goal of the best way."""
SAMPLES = 4
"""(n, d) configurations that the tree grows towards."""
GOALS = 5
"""(m, d) configurations."""
GOAL_NODES = 6
"""(m,) rows of the goals, -1 for those that the tree has not come to."""
DISTANCES = 7
"""(room,) scratch."""
NEAR = 8
"""(k,) scratch: rows."""
NEAR_COSTS = 9
"""(2, k) scratch."""
NUMBERS = 10
"""(2,): the longest step, the length of the best way."""
POINTS = 11
"""(4, d) scratch."""

COUNT, AT, ITERATIONS, BEST = 0, 1, 2, 3
MORE, FULL = 0, 2
_SAVED = 1e-9


def improve(space: I64_2, tree: I64_2) -> int:
    """Add a node towards each sample, and let others go its way if that is shorter.

    Returns MORE or FULL.
    """
    state, samples, numbers = (
        i64_1(tree, STATE),
        f64_2(tree, SAMPLES),
        f64_1(tree, NUMBERS),
    )
    nodes, points = f64_3(tree, NODES), f64_2(tree, POINTS)
    target, new, other = points[0], points[1], points[2]
    while state[AT] < samples.shape[0]:
        if state[COUNT] + 1 >= nodes.shape[2]:
            return FULL
        target[:] = samples[state[AT]]
        state[AT] += 1
        state[ITERATIONS] += 1
        distances = f64_1(tree, DISTANCES)
        row = nearest(space, nodes[0], state[COUNT], target, distances)
        _copy(nodes, row, other)
        if steer(space, other, target, numbers[0], new) == 0:
            continue
        near = _neighbours(space, tree, new)
        cost = _attached(space, tree, new, near)
        if cost >= 0.0:
            _rewired(space, tree, new, cost, near)
            _connected(space, tree, new, cost)
            _note_best(tree)
    return MORE


def cost_of(tree: I64, row: int) -> float:
    """Return the length of the way from a root to a node."""
    parents, lengths = i64_1(tree, PARENTS), f64_1(tree, LENGTHS)
    total = 0.0
    while parents[row] >= 0:
        total += lengths[row]
        row = parents[row]
    return total


def _copy(nodes: F64, row: int, out: F64) -> None:
    for j in range(out.shape[0]):
        out[j] = nodes[0, j, row]


def _added(tree: I64, q: F64, parent: int, length: float) -> int:
    nodes, state = f64_3(tree, NODES), i64_1(tree, STATE)
    row = int(state[COUNT])
    for j in range(q.shape[0]):
        nodes[0, j, row] = q[j]
    i64_1(tree, PARENTS)[row] = parent
    f64_1(tree, LENGTHS)[row] = length
    state[COUNT] += 1
    return row


def _neighbours(space: I64, tree: I64, new: F64) -> int:
    """Write the rows of the k nodes nearest to a configuration; return k.

    k is e (1 + 1 / d) log n, above which ways are optimal in the limit.
    """
    nodes, near = f64_3(tree, NODES), i64_1(tree, NEAR)
    distances, count = f64_1(tree, DISTANCES), i64_1(tree, STATE)[COUNT]
    nearest(space, nodes[0], count, new, distances)
    wanted = math.ceil(math.e * (1.0 + 1.0 / new.shape[0]) * math.log(count + 1.0))
    most = min(wanted, count, near.shape[0])
    found = 0
    for row in range(count):
        if found == most and distances[row] >= distances[near[most - 1]]:
            continue
        place = found if found < most else most - 1
        while place > 0 and distances[near[place - 1]] > distances[row]:
            near[place] = near[place - 1]
            place -= 1
        near[place] = row
        found = min(found + 1, most)
    return found


def _attached(space: I64, tree: I64, new: F64, near: int) -> float:
    """Add a node on the shortest way from neighbours; return its length, or -1."""
    nodes, rows = f64_3(tree, NODES), i64_1(tree, NEAR)
    costs, numbers = f64_2(tree, NEAR_COSTS), f64_1(tree, NUMBERS)
    other = f64_2(tree, POINTS)[2]
    least = _to_goal(space, tree, new)
    for i in range(near):
        _copy(nodes, rows[i], other)
        costs[1, i] = distance(space, other, new)
        costs[0, i] = cost_of(tree, rows[i]) + costs[1, i]
    for _ in range(near):
        best = 0
        for i in range(near):
            if costs[0, i] < costs[0, best]:
                best = i
        cost = float(costs[0, best])
        if cost + least >= numbers[1]:
            return -1.0
        _copy(nodes, rows[best], other)
        if costs[1, best] > 0.0 and is_sure(space, other, new):
            _added(tree, new, rows[best], costs[1, best])
            return cost
        costs[0, best] = math.inf
    return -1.0


def _to_goal(space: I64, tree: I64, q: F64) -> float:
    """Return the distance to the nearest goal."""
    goals, least = f64_2(tree, GOALS), math.inf
    for g in range(goals.shape[0]):
        least = min(least, distance(space, q, goals[g]))
    return least


def _rewired(space: I64, tree: I64, new: F64, cost: float, near: int) -> None:
    """Let neighbours come from the node added last where their ways get shorter."""
    nodes, rows, costs = f64_3(tree, NODES), i64_1(tree, NEAR), f64_2(tree, NEAR_COSTS)
    own, other = i64_1(tree, STATE)[COUNT] - 1, f64_2(tree, POINTS)[2]
    parents, lengths = i64_1(tree, PARENTS), f64_1(tree, LENGTHS)
    for i in range(near):
        row = rows[i]
        if cost + costs[1, i] >= cost_of(tree, row) - _SAVED:
            continue
        _copy(nodes, row, other)
        if is_sure(space, new, other):
            parents[row] = own
            lengths[row] = costs[1, i]


def _connected(space: I64, tree: I64, new: F64, cost: float) -> None:
    """Go from the node added last to goals, where that is shorter than the best way."""
    goals, goal_nodes = f64_2(tree, GOALS), i64_1(tree, GOAL_NODES)
    numbers, own = f64_1(tree, NUMBERS), i64_1(tree, STATE)[COUNT] - 1
    for g in range(goals.shape[0]):
        way = distance(space, new, goals[g])
        if way > numbers[0] or cost + way >= numbers[1] - _SAVED:
            continue
        if not is_sure(space, new, goals[g]):
            continue
        if goal_nodes[g] < 0:
            if i64_1(tree, STATE)[COUNT] >= f64_3(tree, NODES).shape[2]:
                continue
            goal_nodes[g] = _added(tree, goals[g], own, way)
        else:
            i64_1(tree, PARENTS)[goal_nodes[g]] = own
            f64_1(tree, LENGTHS)[goal_nodes[g]] = way


def _note_best(tree: I64) -> None:
    goal_nodes, numbers = i64_1(tree, GOAL_NODES), f64_1(tree, NUMBERS)
    for g in range(goal_nodes.shape[0]):
        if goal_nodes[g] >= 0:
            cost = cost_of(tree, goal_nodes[g])
            if cost < numbers[1]:
                numbers[1] = cost
                i64_1(tree, STATE)[BEST] = g
