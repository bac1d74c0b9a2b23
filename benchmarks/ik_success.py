"""What the analytic inverse kinematics find, miss and get wrong on many poses.

Every arm that ships, and arms whose axes lie anywhere; each with the richest kind of
goals that it matches. Poses come from configurations within the limits, free joints are
given the values that they had:

* ``random``: 100 % of the configurations must be among the solutions, no solution may
  be wrong, no two may be the same, and at regular poses of arms with six joints their
  number must be that of the general elimination, at ``--compare`` of the poses. Arms
  of six joints are solved a second time through ``Manipulator.solve_ik_batch``, where
  limits count.
* ``right angles`` and ``beside``: every joint at a multiple of 90 degrees, and 1e-9 to
  1e-3 from there. No solution may be wrong, 99 % of the poses must have one.

``python benchmarks/ik_success.py --poses 100000 --jobs 2 --out success.json``, and
``--show success.json`` for what was found as a table of Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

import pyrave
from pyrave_environments.arms import ARMS, Arm, arm_description, random_arm
from pyrave_ik.chain import ArmChain
from pyrave_ik.elimination import Comparison
from pyrave_ik.poses import random_configurations, singular_configurations
from pyrave_ik.richest import richest_solver
from pyrave_ik.statistics import Statistics, measure, measure_batch

RANDOM_ARMS = (
    *(random_arm(seed) for seed in range(1, 6)),
    random_arm(11, "RRPRRR"),
    random_arm(12, "RRRRRP"),
    random_arm(13, "RRRRRRR"),
)
SETS = ("random", "right angles", "beside")
POSITION = 1e-10
ROTATION = 1e-10
GENERAL = 1e-8
"""Errors that solutions may have, metres and radians; of the general elimination."""
SOLVED = 0.99
SEED = 20261121
EXAMPLES = 20


def arms() -> dict[str, Arm]:
    return {arm.name: arm for arm in (*ARMS, *RANDOM_ARMS)}


def run(name: str, chosen: str, poses: int, compare: int) -> dict[str, Any]:
    """Return what happened to one arm on one set, and whether it is good."""
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(arms()[name]))
    env.add(robot)
    hand = robot.manipulators["arm"]
    solver, _ = richest_solver(ArmChain.of(hand), hand.direction)
    solver.ready()
    general = solver.decomposition.kind.name == "GENERAL"
    rng = np.random.default_rng([SEED, SETS.index(chosen), *name.encode()])
    at_random = chosen == "random"
    if at_random:
        configurations = random_configurations(hand, poses, rng)
    else:
        beside = chosen == "beside"
        configurations = singular_configurations(hand, poses, rng, beside=beside)
    begin = time.perf_counter()
    found = measure(
        solver,
        hand,
        configurations,
        compare_at=min(compare, poses) if at_random else 0,
    )
    wrong = faults(found, chosen, general=general)
    result = {
        "arm": name,
        "set": chosen,
        "type": solver.kind.name,
        "decomposition": solver.decomposition.kind.name.lower(),
        "free": [solver.chain.names[i] for i in solver.free],
        **found.summary,
        **examples(found),
    }
    if at_random and Comparison.fits(solver):
        hand.ik_solver = env.create("iksolver", "Analytic")
        batch = measure_batch(hand, configurations)
        wrong += [f"batch: {one}" for one in faults(batch, chosen, general=general)]
        result["batch"] = {**batch.summary, **examples(batch)}
    return {**result, "seconds": time.perf_counter() - begin, "faults": wrong}


def examples(found: Statistics) -> dict[str, Any]:
    return {
        "missed_at": found.missed[:EXAMPLES].tolist(),
        "unsolved_at": found.unsolved[:EXAMPLES].tolist(),
        "wrong_at": found.wrong_at[:EXAMPLES].tolist(),
    }


def faults(found: Statistics, chosen: str, *, general: bool) -> list[str]:
    """Return what is not as it must be."""
    wrong = []
    if found.wrong:
        wrong.append(f"{found.wrong} wrong")
    if found.repeated:
        wrong.append(f"{found.repeated} repeated")
    if chosen != "random":
        if found.solved < SOLVED * found.poses:
            wrong.append(f"{found.poses - found.solved} without a solution")
        return wrong
    if found.found < found.poses:
        wrong.append(f"{found.poses - found.found} missed")
    for word, count in (("fewer", found.fewer), ("more", found.more)):
        if count:
            wrong.append(f"{word} than the general elimination at {count}")
    if found.position_error > (GENERAL if general else POSITION):
        wrong.append(f"position off by {found.position_error:.1e}")
    if found.rotation_error > (GENERAL if general else ROTATION):
        wrong.append(f"rotation off by {found.rotation_error:.1e}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--poses", type=int, default=100_000)
    parser.add_argument(
        "--compare", type=int, default=5000, help="poses given to the elimination, too"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--arm", action="append", choices=arms(), metavar="NAME", help="these arms only"
    )
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    parser.add_argument("--show", type=Path, help="print a table of such a file")
    options = parser.parse_args()
    if options.show:
        print(table(json.loads(options.show.read_text(encoding="utf-8"))))
        return 0
    names = options.arm or list(arms())
    tasks = [(name, one) for name in names for one in options.set or SETS]
    results: dict[tuple[str, str], dict[str, Any]] = {}
    begin = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        futures = {
            pool.submit(run, *task, options.poses, options.compare): task
            for task in tasks
        }
        for future in as_completed(futures):
            result = future.result()
            results[futures[future]] = result
            print(f"[{len(results)}/{len(tasks)}] {line(result)}", flush=True)
            if options.out:  # what is done stays if the run is broken off
                done = [results[task] for task in tasks if task in results]
                write(options.out, done)
    found = [results[task] for task in tasks]
    bad = [result for result in found if result["faults"]]
    print(
        f"{len(found)} runs of {options.poses} poses in "
        f"{time.perf_counter() - begin:.0f} s, {len(bad)} with faults\n"
        f"{totals(found)}\n\n{table(found)}"
    )
    return 1 if bad else 0


def write(path: Path, results: list[dict[str, Any]]) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(json.dumps(results, indent=1), encoding="utf-8")
    new.replace(path)


def totals(results: list[dict[str, Any]]) -> str:
    """Return what all runs together found, in a sentence."""
    poses = sum(one["poses"] for one in results)
    solutions = sum(one["poses"] * one["solutions_per_pose"] for one in results)
    return (
        f"{poses} poses, {sum(one['poses'] * one['solved'] for one in results):.0f} "
        f"solved, {sum(one['missed'] for one in results)} configurations not among "
        f"{solutions:.0f} solutions; {sum(one['wrong'] for one in results)} wrong, "
        f"{sum(one['repeated'] for one in results)} repeated, errors to "
        f"{max(one['position_error'] for one in results):.0e} m and "
        f"{max(one['rotation_error'] for one in results):.0e} rad"
    )


def line(result: dict[str, Any]) -> str:
    """Return a result in a line."""
    compared = result["compared_with_general"]
    return (
        f"{result['arm']:16s} {result['set']:12s} "
        f"{result['type']:24s} {result['decomposition']:9s} "
        f"success {result['success']:.5f} solved {result['solved']:.5f} "
        f"wrong {result['wrong']} {result['solutions_per_pose']:5.2f} a pose "
        f"{result['microseconds']['50']:4.0f} us {result['seconds']:4.0f} s "
        f"compared {compared:5d} {'; '.join(result['faults']) or 'ok'}"
    )


def table(results: list[dict[str, Any]]) -> str:
    """Return results as tables of Markdown, a row for each arm."""
    sets: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in SETS}
    for one in results:
        sets[one["set"]][one["arm"]] = one
    at_random = sets.pop("random")
    tables = []
    if at_random:
        head = ("arm", "goals", "solved by", "found", "wrong", "repeated", "m", "rad")
        more = ("solutions", "beside elimination")
        tables.append([(*head, *more), *map(random_row, at_random.values())])
    sets = {name: found for name, found in sets.items() if found}
    if sets:
        head = ("arm", "goals")
        for name in sets:
            head += (f"{name}: solved", "the same configuration")
        rows = [head]
        for arm, first in next(iter(sets.values())).items():
            cells = (arm, first["type"])
            for found in sets.values():
                one = found.get(arm)
                shares = (one["solved"], one["success"]) if one else ()
                cells += tuple(percent(share) for share in shares) or ("", "")
            rows.append(cells)
        tables.append(rows)
    return "\n\n".join(
        "\n".join(
            f"| {' | '.join(row)} |"
            for row in (rows[0], ("---",) * len(rows[0]), *rows[1:])
        )
        for rows in tables
    )


def random_row(one: dict[str, Any]) -> tuple[str, ...]:
    compared = one["compared_with_general"]
    differ = one["fewer_than_general"] + one["more_than_general"]
    return (
        one["arm"],
        one["type"],
        one["decomposition"],
        f"{one['poses'] - one['missed']} of {one['poses']}",
        str(one["wrong"]),
        str(one["repeated"]),
        f"{one['position_error']:.0e}",
        f"{one['rotation_error']:.0e}",
        f"{one['solutions_per_pose']:.2f}",
        f"{differ} of {compared} differ" if compared else "",
    )


def percent(share: float) -> str:
    return "100%" if share == 1.0 else f"{min(share, 0.999):.1%}"


if __name__ == "__main__":
    sys.exit(main())
