"""One arm and one kind of goals as `ik_success.py` measures them: as called."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from ik_call_statistics import CallStatistics, measure_calls
from ik_configurations import (
    adversarial_configurations,
    right_angle_configurations,
    singular_configurations,
    singular_joints,
    straight_configurations,
)
from ik_robots import loaded

from pyrave.bodies import Manipulator
from pyrave.ik import IkParameterizationType
from pyrave_ik.arm.poses import (
    meeting,
    random_configurations,
)

__all__ = ["KINDS", "SETS", "line", "run", "table"]

SETS = (
    "random",
    "right angles",
    "straight",
    "near straight",
    "singular",
    "standing",
    "adversarial",
)
KINDS = tuple(kind.name for kind in IkParameterizationType if not kind.is_velocity)
FOUND = {"random": 0.9999, "adversarial": 1.0}
FOUND_SINGULAR = 0.999
MISSED = 1e-4
"""Share of poses whose configuration may be none of all solutions."""
_WITH_STRAIGHT = ("straight", "near straight", "standing")
DRAWS = 10
EXAMPLES = 20
SEED = 20261121
WARM_UP = 3.0


def run(
    arm: str,
    kind_name: str,
    sets: Iterable[str],
    poses: int,
    seconds: float,
    sample: int,
) -> Iterator[dict[str, Any]]:
    """Measure an arm; return a result for each set that there is.

    Parameters
    ----------
    seconds
        For each set.
    sample
        As for `measure_calls`; with few poses each is asked everything.
    """
    env, hand = loaded(arm)
    kind = IkParameterizationType.of(kind_name)
    solver = hand.ik_solver
    named = {"arm": arm, "kind": kind.name}
    seed = [SEED, *f"{arm} {kind.name}".encode()]
    first = time.perf_counter()
    if not solver.supports(kind) or not len(_drawn(hand, kind, "random", 20, seed)[0]):
        yield {**named, "set": "", "fits": False, "note": "no goals that fit"}
        return
    named["planned"] = time.perf_counter() - first
    for chosen in sets:
        rows, starts = _drawn(hand, kind, chosen, poses, seed)
        if not len(rows):
            yield {**named, "set": chosen, "note": "no such configurations"}
            continue
        begin = time.perf_counter()
        found = measure_calls(
            hand,
            kind,
            rows,
            starts,
            sample=sample if poses > 10 * sample else 1,
            seconds=seconds,
            warm_up=WARM_UP,
        )
        yield {
            **named,
            "set": chosen,
            "surplus": len(hand.arm_indices) - kind.dof,
            "wanted": poses,
            **found.summary,
            "lost_at": found.lost[:EXAMPLES].tolist(),
            "wrong_at": found.wrong[:EXAMPLES].tolist(),
            "untrue_at": found.untrue[:EXAMPLES].tolist(),
            "missed_at": []
            if found.missed is None
            else found.missed[:EXAMPLES].tolist(),
            "seconds": time.perf_counter() - begin,
            "faults": _faults(found, chosen),
        }
    del env


def _drawn(
    hand: Manipulator,
    kind: IkParameterizationType,
    chosen: str,
    n: int,
    seed: list[int],
) -> tuple[Any, Any]:
    """Return up to n configurations (n, n_arm) of a set, and where the arm stands."""
    rng = np.random.default_rng([*seed, SETS.index(chosen)])
    joints = singular_joints(hand, rng) if chosen in _WITH_STRAIGHT else ()

    def drawn() -> Any:
        match chosen:
            case "random":
                return random_configurations(hand, n, rng)
            case "right angles":
                return right_angle_configurations(hand, n, rng)
            case "straight" | "near straight":
                near = chosen == "near straight"
                return straight_configurations(hand, n, rng, joints, near=near)
            case "singular":
                return singular_configurations(hand, n, rng)
            case "adversarial":
                return adversarial_configurations(hand, n, rng)
        third = -(-n // 3)
        some = (
            random_configurations(hand, third, rng),
            right_angle_configurations(hand, third, rng),
            straight_configurations(hand, third, rng, joints),
        )
        return rng.permutation(np.concatenate(some))

    rows = np.empty((0, len(hand.arm_indices)))
    for _ in range(DRAWS):
        rows = np.concatenate([rows, meeting(hand, kind, drawn(), rng)])[:n]
        if len(rows) == n:
            break
    if chosen == "standing":
        return rows, rows
    return rows, random_configurations(hand, len(rows), rng)


def _faults(found: CallStatistics, chosen: str) -> list[str]:
    """Return what is not as it must be."""
    faults = []
    if found.found < FOUND.get(chosen, FOUND_SINGULAR) * found.poses:
        faults.append(f"{len(found.lost)} lost")
    if len(found.wrong):
        faults.append(f"{len(found.wrong)} wrong")
    if len(found.untrue):
        faults.append(f"{len(found.untrue)} untrue")
    if found.errors:
        faults.append(f"{sum(found.errors.values())} errors")
    missed = 0 if found.missed is None else len(found.missed)
    if chosen == "random" and missed > MISSED * found.poses:
        faults.append(f"{missed} not among all")
    return faults


def line(one: dict[str, Any]) -> str:
    """Return a result in a line."""
    name = f"{one['arm']:16s} {one['kind']:28s} {one['set']:13s}"
    if "poses" not in one:
        return f"{name} {one['note']}"
    times = one["microseconds"]["solve"]
    spoken = " ".join(f"{times[p]:.0f}" for p in ("50", "99", "100") if times)
    return (
        f"{name} {one['poses']:5d} poses, found {one['found']:.2%}, "
        f"{spoken} us, {one['seconds']:.0f} s: {', '.join(one['faults']) or 'ok'}"
    )


def table(results: list[dict[str, Any]]) -> str:
    """Return a table of Markdown with a row for each arm and kind of goals."""
    measured: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for one in results:
        if "poses" in one:
            measured.setdefault((one["arm"], one["kind"]), {})[one["set"]] = one
    shown = [name for name in SETS if any(name in sets for sets in measured.values())]
    head = ["arm", "goals", "surplus", *shown, "wrong", "untrue", "not among all"]
    head += ["moved", "median us", "99 % us", "worst us", "poses"]
    rows = [head, ["---"] * len(head)]
    for (arm, kind), sets in measured.items():
        first = next(iter(sets.values()))
        at_random = sets.get("random", first)
        times = at_random["microseconds"]["solve"]
        missed = at_random["missed"]
        rows.append(
            [
                arm,
                kind,
                str(first["surplus"]),
                *(_percent(sets[name]) if name in sets else "" for name in shown),
                str(sum(one["wrong"] for one in sets.values())),
                str(sum(one["untrue"] for one in sets.values())),
                "" if missed is None else str(missed),
                str(sum(one["moved"] for one in sets.values())),
                *(f"{times[p]:.0f}" if times else "" for p in ("50", "99", "100")),
                " ".join(str(one["poses"]) for one in sets.values()),
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _percent(one: dict[str, Any]) -> str:
    lost = one["lost"]
    return f"{one['found']:.2%}" if lost else "100%"
