"""How late impossible plans end, and how long planning does not look at the clock.

Goals beyond limits, in collision, out of reach and sealed off, with planners, checkers
and constraints. Planning gets processor time as its clock, so that other work of the
machine makes nothing late. Targets: the right cause in all of 1000, and none later than
1.05 of the timeout.

``--count N`` asks for another number, ``--timeout`` for other seconds.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np
from measuring import pin_to_one_core, report

PLANNERS = ("BasicRRT", "RRTstar", "RAStar", "OMPL_RRTConnect", "OMPL_BITstar")
LATE = 1.05


class Clock:
    """Processor time in the place of `time.perf_counter`, and the longest gap."""

    def __init__(self) -> None:
        self.last = self.longest = 0.0

    def __call__(self) -> float:
        """Return the seconds that this process has worked."""
        now = time.process_time()
        self.longest = max(self.longest, now - self.last)
        self.last = now
        return now


def measured(clock: Clock, arm: Any, ask: Any, count: int, **options: Any) -> Any:
    """Ask for impossible goals; return wrong causes, late answers and longest times."""
    rng, wrong, late = np.random.default_rng(1), Counter[str](), 0
    longest = gap = 0.0
    for seed in range(-1, count):
        goal, code = ask(arm, rng)
        begin = clock.last = time.process_time()
        clock.longest = 0.0
        result = arm.plan(goal, seed=max(seed, 0), **options)
        clock()
        if seed < 0:  # the first one compiles
            continue
        if result or result.failure.code is not code:
            wrong["a plan" if result else result.failure.code.value] += 1
        late += clock.last - begin > LATE * options["timeout"]
        longest, gap = max(longest, clock.last - begin), max(gap, clock.longest)
    return {
        "asked": count,
        "wrong": dict(wrong),
        "late": late,
        "longest_ms": round(1e3 * longest, 1),
        "longest_between_looks_ms": round(1e3 * gap, 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--timeout", type=float, default=0.5)
    given = parser.parse_args()
    pin_to_one_core()
    clock = Clock()
    time.perf_counter = clock  # type: ignore[assignment]  # before pyrave takes it
    from planning_impossible import KINDS, sealed, sealed_arm

    from pyrave.planning import ToolDirection

    arm = sealed_arm()
    options: dict[str, Any] = {"timeout": given.timeout}
    found = {
        name: measured(clock, arm, ask, given.count // len(KINDS), **options)
        for name, ask in KINDS.items()
    }
    few = max(1, given.count // 100)
    for name in PLANNERS:
        found[name] = measured(clock, arm, sealed, few, planner=name, **options)
    upright = ToolDirection(arm.transform[2, :3], angle=0.3)
    found["constraint"] = measured(
        clock, arm, sealed, few, constraints=upright, **options
    )
    env = arm.robot.env
    env.collision_checker = "coal"
    found["coal"] = measured(clock, arm, sealed, few, **options)
    found["coal, constraint"] = measured(
        clock, arm, sealed, few, constraints=upright, **options
    )
    report("planning_clock", timeout_s=given.timeout, **found)


if __name__ == "__main__":
    main()
