"""What plans without a way promise: the right cause, in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import pyrave
from pyrave.planning import PlanFailureCode
from pyrave.scene import body_from_boxes

TIMEOUT = 0.5
LATE = 1.05
PLATES = (
    ("left", (0.0, 0.35, 0.5), (0.9, 0.02, 0.4)),
    ("right", (0.0, -0.35, 0.5), (0.9, 0.02, 0.4)),
    ("roof", (0.0, 0.0, 0.7), (0.9, 0.33, 0.02)),
)
Goal = tuple[Any, PlanFailureCode]


def beyond_limits(arm: Any, rng: np.random.Generator) -> Goal:
    """Return values of which one is out of its limits."""
    lower, upper = (limits[:7] for limits in arm.robot.dof_limits)
    values, k = rng.uniform(lower, upper), int(rng.integers(7))
    far = rng.uniform(0.01, 2.0)
    values[k] = upper[k] + far if rng.random() < 0.5 else lower[k] - far
    return _by_name(arm, values), PlanFailureCode.GOAL_LIMITS


def in_collision(arm: Any, rng: np.random.Generator) -> Goal:
    """Return values at which something touches."""
    lower, upper = (limits[:7] for limits in arm.robot.dof_limits)
    row = arm.robot.dof_values
    while True:
        row[:7] = rng.uniform(lower, upper)
        checker = arm.robot.env.collision_checker
        if checker.check_configurations(arm.robot, row[None])[0]:
            return _by_name(arm, row[:7]), PlanFailureCode.GOAL_COLLISION


def _by_name(arm: Any, values: Any) -> dict[str, float]:
    return dict(zip(arm.robot.dof_names[:7], values.tolist(), strict=True))


def out_of_reach(arm: Any, rng: np.random.Generator) -> Goal:
    """Return a pose that is further away than the arm is long."""
    pose, way = arm.transform, rng.normal(size=3)
    way /= np.linalg.norm(way)
    pose[:3, 3] = (0.0, 0.0, 0.34) + rng.uniform(1.3, 9.0) * way
    return pose, PlanFailureCode.GOAL_OUT_OF_REACH


def sealed(_arm: Any, rng: np.random.Generator) -> Goal:
    """Return a place behind plates between which the arm cannot turn round."""
    return {"joint1": rng.uniform(2.85, 2.95)}, PlanFailureCode.NO_PATH


KINDS: dict[str, Callable[[Any, np.random.Generator], Goal]] = {
    "limits": beyond_limits,
    "collision": in_collision,
    "reach": out_of_reach,
    "sealed": sealed,
}


def sealed_arm() -> Any:
    """Return an arm between two plates and a roof."""
    env = pyrave.load("robots/heron7.robot.xml")
    for name, centre, half in PLATES:
        plate = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
        plate.transform = [1, 0, 0, 0, *centre]
    arm = env.robots[0].active_manipulator
    arm.arm_dof_values = [0, 1.3, 0, 0.4, 0, 0.2, 0]
    return arm


def impossible(count: int) -> dict[str, Any]:
    """Ask for what is not possible; count wrong causes and late answers."""
    arm = sealed_arm()
    rng = np.random.default_rng(1)
    for ask in KINDS.values():  # compiles
        arm.plan(ask(arm, rng)[0], timeout=5.0)
    found: dict[str, Any] = {}
    for name, ask in KINDS.items():
        wrong: Counter[str] = Counter()
        seconds = []
        for seed in range(-(-count // len(KINDS))):
            goal, code = ask(arm, rng)
            result = arm.plan(goal, seed=seed, timeout=TIMEOUT)
            if result or result.failure.code is not code:
                wrong["a plan" if result else result.failure.code.value] += 1
            seconds.append(result.statistics.seconds["total"])
        found[name] = {
            "asked": len(seconds),
            "wrong": dict(wrong),
            "late": int((np.array(seconds) > LATE * TIMEOUT).sum()),
            "median_ms": round(1e3 * float(np.median(seconds)), 3),
            "longest_ms": round(1e3 * max(seconds), 1),
        }
    return found
