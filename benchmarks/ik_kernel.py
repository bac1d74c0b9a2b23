"""One arm as `ik_success.py --kernel` measures it: the solver inside.

Held joints are given the values that they had, which no caller knows, and limits do not
count. So it shows whether decompositions lose, invent or repeat solutions, and nothing
of what users see.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from ik_configurations import right_angle_configurations
from ik_elimination import Comparison
from ik_robots import loaded
from ik_statistics import Statistics, measure, measure_batch

from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.poses import random_configurations
from pyrave_ik.solver.default_goal_type import default_solver

__all__ = ["SETS", "line", "run", "table", "totals"]

SETS = ("random", "right angles", "near right angles")
POSITION = 1e-10
ROTATION = 1e-10
GENERAL = 1e-8
"""Errors that solutions may have, metres and radians; of the general elimination."""
SOLVED = 0.99
SEED = 20261121
EXAMPLES = 20


def run(
    arm: str, sets: Iterable[str], poses: int, compare: int
) -> Iterator[dict[str, Any]]:
    """Measure an arm; return a result for each set.

    Parameters
    ----------
    compare
        At how many poses of the set ``random`` solutions are counted beside those of
        the general elimination.
    """
    _env, hand = loaded(arm)
    solver, _ = default_solver(ArmChain.from_manipulator(hand), hand.direction)
    solver.ready()
    general = solver.decomposition.kind.name == "GENERAL"
    for chosen in sets:
        begin = time.perf_counter()
        rng = np.random.default_rng([SEED, SETS.index(chosen), *arm.encode()])
        at_random = chosen == "random"
        if at_random:
            rows = random_configurations(hand, poses, rng)
        else:
            near = chosen == "near right angles"
            rows = right_angle_configurations(hand, poses, rng, near=near)
        compared = min(compare, poses) if at_random else 0
        found = measure(solver, hand, rows, compare_at=compared)
        wrong = _faults(found, chosen, general=general)
        result = {
            "arm": arm,
            "kind": solver.kind.name,
            "set": chosen,
            "decomposition": solver.decomposition.kind.name.lower(),
            "free": [solver.chain.names[i] for i in solver.free],
            **found.summary,
            **_examples(found),
        }
        if at_random and Comparison.fits(solver):
            hand.ik_solver = "Analytic"
            batch = measure_batch(hand, rows)
            wrong += [
                f"batch: {one}" for one in _faults(batch, chosen, general=general)
            ]
            result["batch"] = {**batch.summary, **_examples(batch)}
        yield {**result, "seconds": time.perf_counter() - begin, "faults": wrong}


def _examples(found: Statistics) -> dict[str, Any]:
    return {
        "missed_at": found.missed[:EXAMPLES].tolist(),
        "unsolved_at": found.unsolved[:EXAMPLES].tolist(),
        "wrong_at": found.wrong_at[:EXAMPLES].tolist(),
    }


def _faults(found: Statistics, chosen: str, *, general: bool) -> list[str]:
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
        f"{result['kind']:24s} {result['decomposition']:9s} "
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
        more = ("solutions", "and elimination")
        tables.append([(*head, *more), *map(_random_row, at_random.values())])
    sets = {name: found for name, found in sets.items() if found}
    if sets:
        head = ("arm", "goals")
        for name in sets:
            head += (f"{name}: solved", "the same configuration")
        rows = [head]
        for arm, first in next(iter(sets.values())).items():
            cells = (arm, first["kind"])
            for found in sets.values():
                one = found.get(arm)
                shares = (one["solved"], one["success"]) if one else ()
                cells += tuple(_percent(share) for share in shares) or ("", "")
            rows.append(cells)
        tables.append(rows)
    return "\n\n".join(
        "\n".join(
            f"| {' | '.join(row)} |"
            for row in (rows[0], ("---",) * len(rows[0]), *rows[1:])
        )
        for rows in tables
    )


def _random_row(one: dict[str, Any]) -> tuple[str, ...]:
    compared = one["compared_with_general"]
    differ = one["fewer_than_general"] + one["more_than_general"]
    return (
        one["arm"],
        one["kind"],
        one["decomposition"],
        f"{one['poses'] - one['missed']} of {one['poses']}",
        str(one["wrong"]),
        str(one["repeated"]),
        f"{one['position_error']:.0e}",
        f"{one['rotation_error']:.0e}",
        f"{one['solutions_per_pose']:.2f}",
        f"{differ} of {compared} differ" if compared else "",
    )


def _percent(share: float) -> str:
    return "100%" if share == 1.0 else f"{min(share, 0.999):.1%}"
