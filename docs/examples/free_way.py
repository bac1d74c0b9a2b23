"""Find a way around a post: free configurations, free motions between them, a path."""

from __future__ import annotations

import heapq

import numpy as np

import pyrave
from pyrave import CollisionOptions
from pyrave.scene import body_from_boxes

SAMPLES = 150
NEIGHBOURS = 12


def shortest(n: int, edges: dict[tuple[int, int], float]) -> list[int]:
    """Return the rows from 0 to 1 over edges with lengths; none if there is no way."""
    near: dict[int, list[tuple[int, float]]] = {k: [] for k in range(n)}
    for (a, b), length in edges.items():
        near[a].append((b, length))
        near[b].append((a, length))
    queue, came = [(0.0, 0, 0)], {}
    while queue:
        so_far, row, before = heapq.heappop(queue)
        if row in came:
            continue
        came[row] = before
        for other, length in near[row]:
            heapq.heappush(queue, (so_far + length, other, row))
    way = [1] if 1 in came else []
    while way and way[-1] != 0:
        way.append(came[way[-1]])
    return way[::-1]


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    robot, checker = env.robots["heron7"], env.collision_checker
    post = env.create_body(body_from_boxes("post", [(0, 0, 0, 0.04, 0.04, 0.6)]))
    post.transform = [1, 0, 0, 0, 0.0, 0.0, 1.35]
    # the base stands on the table, wherever the arm is
    checker.set_collision_options(CollisionOptions.ACTIVE_DOFS)

    start, goal = robot.dof_values, robot.dof_values
    start[:2], goal[:2] = (-1.2, 1.0), (1.2, 1.0)
    (first,) = checker.check_motions(robot, [start], [goal])
    print(f"straight: collides after {first:.0%} of the way")

    rng = np.random.default_rng(3)
    samples = rng.uniform(*robot.dof_limits, (SAMPLES, robot.dof))
    rows = np.vstack((start, goal, samples))
    rows = rows[~checker.check_configurations(robot, rows)]
    print(f"{len(rows) - 2} of {SAMPLES} samples are free")

    apart = np.linalg.norm(rows[:, None] - rows, axis=2)
    nearest = np.argsort(apart, axis=1)[:, 1 : NEIGHBOURS + 1]
    ends = np.array(
        sorted({(min(a, b), max(a, b)) for a, row in enumerate(nearest) for b in row})
    )
    hits = checker.check_motions(robot, rows[ends[:, 0]], rows[ends[:, 1]])
    free = ends[np.isinf(hits)]
    print(f"{len(free)} of {len(ends)} motions are free")

    way = shortest(len(rows), {(a, b): float(apart[a, b]) for a, b in free.tolist()})
    if not way:
        raise SystemExit("no way was found: take more samples")
    clearance = checker.distances(robot, rows[way]).min()
    print(f"a way of {len(way) - 1} motions, {clearance:.3f} m clear at its corners")


if __name__ == "__main__":
    main()
