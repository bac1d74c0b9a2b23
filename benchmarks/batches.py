"""Batches against single calls from Python, in the same run.

One core, two robots of seven joints: Heron 7 of the demo, between a table and boxes,
and Panda, which is kinematics alone. For each kind of query microseconds per item of
single calls, of a batch of as many, and the ratio. Targets: every ratio < 1; poses
and inverse dynamics <= 0.25.

``pyrave.Manipulator.solve_ik_batch`` uses all cores; ``--cores`` does not pin this
process to one. ``--items`` for other numbers than 1000.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import interleaved, pin_to_one_core, report

import pyrave

SLOW = 4
"""Distances and continuous motions take a part of the items."""
FAST = frozenset({"poses", "tool poses", "inverse dynamics"})
LIMIT, FAST_LIMIT = 1.0, 0.25

Case = tuple[Callable[[], Any], Callable[[], Any], int]


def cases(name: str, items: int) -> dict[str, Case]:
    """Return single calls, the batch, and how many items, by the kind of query."""
    env = pyrave.load("scenes/demo.env.xml" if name == "heron7" else name)
    robot = env.robots[0]
    arm = robot.active_manipulator or robot.manipulators[0]
    rows = robot.sample_configurations(items, seed=1)
    rates, zeros = 0.1 * rows, np.zeros((items, robot.dof))
    values = rows[:, arm.arm_indices]
    poses, middle = arm.compute_transforms(values), rows.mean(axis=0)
    robot.dof_values = middle

    def at(read: Callable[[], Any], some: Any = rows) -> Callable[[], None]:
        def run() -> None:
            for row in some:
                robot.dof_values = row
                read()
            robot.dof_values = middle

        return run

    found: dict[str, Case] = {
        "poses": (
            at(lambda: robot.link_transforms),
            lambda: robot.compute_link_transforms(rows),
            items,
        ),
        "tool poses": (
            at(lambda: arm.transform), lambda: arm.compute_transforms(values), items,
        ),
        "jacobians": (at(arm.jacobian), lambda: arm.compute_jacobians(values), items),
        "masses": (
            at(robot.mass_matrix),
            lambda: robot.dynamics.compute_mass_matrices(rows),
            items,
        ),
        "inverse dynamics": (
            at(robot.inverse_dynamics),
            lambda: robot.dynamics.compute_inverse_dynamics(rows, zeros, zeros),
            items,
        ),
        "ik, nearest": (
            lambda: [arm.solve_ik(pose) for pose in poses],
            lambda: arm.solve_ik_batch(poses),
            items,
        ),
        "ik, all": (
            lambda: [arm.solve_ik(pose, all=True) for pose in poses[:: SLOW]],
            lambda: arm.solve_ik_batch(poses[:: SLOW], all=True),
            len(poses[:: SLOW]),
        ),
    }  # fmt: skip
    if name == "heron7":
        checker = env.collision_checker
        env.ignore_collisions("heron7/base", "table")  # it stands there
        few, more = rows[::SLOW], rows[::SLOW] + rates[::SLOW]
        found |= {
            "collisions": (
                at(lambda: checker.check_collision(robot)
                   or checker.check_self_collision(robot)),
                lambda: checker.check_configurations(robot, rows),
                items,
            ),
            "distances": (
                lambda: [checker.distances(robot, row[None]) for row in few],
                lambda: checker.distances(robot, few),
                len(few),
            ),
            "motions": (
                lambda: [
                    checker.check_motions(robot, a[None], b[None])
                    for a, b in zip(few, more, strict=True)
                ],
                lambda: checker.check_motions(robot, few, more),
                len(few),
            ),
        }  # fmt: skip
    return found


def measure(name: str, items: int, rounds: int) -> dict[str, dict[str, float]]:
    """Return microseconds per item of single calls and of batches, and the ratio."""
    every = cases(name, items)
    runs = {}
    for kind, (single, batch, _) in every.items():
        runs |= {f"{kind}/single": single, f"{kind}/batch": batch}
    times = interleaved(runs, rounds, warm_up=2)
    rows = {}
    for kind, (*_, count) in every.items():
        single, batch = (
            1e6 * times[f"{kind}/{way}"]["min_s"] / count for way in ("single", "batch")
        )
        rows[kind] = {
            "single_us": round(single, 3),
            "batch_us": round(batch, 3),
            "ratio": round(batch / single, 3),
        }
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cores", action="store_true", help="use all cores")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.cores:
        pin_to_one_core()
    found = {
        name: measure(name, options.items, options.rounds)
        for name in ("heron7", "panda")
    }
    missed = [
        f"{name}: {kind} {row['ratio']}"
        for name, rows in found.items()
        for kind, row in rows.items()
        if row["ratio"] > (FAST_LIMIT if kind in FAST else LIMIT)
    ]
    report(
        "batches", items=options.items, cores=options.cores, robots=found, missed=missed
    )


if __name__ == "__main__":
    main()
