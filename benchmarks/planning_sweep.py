"""Whether all that planners, retimers and smoothers return keeps its promises.

Problems of the benchmark of planners, each with another planner; along each path every
retimer and smoother makes a trajectory. All are sampled every millisecond:

* positions, velocities and accelerations, and jerks where they are limited, from the
  differences of positions, and the velocities that the trajectory holds: to 1e-6;
* start and goal, and rest at both: to 1e-9;
* collisions, by the checker that planned or by ``--checker``.

A spline promises no collisions, as it leaves the path; nor do corners that `retime`
rounds. Accelerations jump at the waypoints of ``CubicTrajectoryRetimer``, so that its
jerks have no limit there, and those of ``LinearTrajectoryRetimer`` and
``LinearSmoother`` have none anywhere. Target: nothing broken in 10 000.

``--trajectories N`` for another number, ``--seed`` for other problems.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from measuring import pin_to_one_core, report
from planning_problems import SCENES, Scene, load, problems

import pyrave
from pyrave.planning import retime

STEP = 1e-3
WITHIN, AT_ENDS = 1e-6, 1e-9
JERKS = 15.0
"""Limits of jerk, in accelerations per second."""
SECONDS = 10.0
PLANNERS: tuple[dict[str, Any], ...] = (
    {"planner": "BiRRT"},
    {"planner": "BasicRRT", "parameters": {"goal_bias": 0.2}},
    {"planner": "RRTstar", "parameters": {"max_iterations": 300}},
    {"planner": "OMPL_RRTConnect"},
    {"planner": "OMPL_LBKPIECE1"},
    {"planner": "OMPL_BITstar", "timeout": 1.0},
)
STYLES: tuple[dict[str, Any], ...] = ({}, {"speed": 0.4}, {"jerks": True})
RETIMERS = (
    "LinearTrajectoryRetimer",
    "ParabolicTrajectoryRetimer",
    "CubicTrajectoryRetimer",
    "CubicTrajectoryRetimer2",
    "QuinticTrajectoryRetimer",
    "ruckig",
    "toppra",
)
SMOOTHERS = (
    "LinearSmoother",
    "ParabolicSmoother",
    "ConstraintParabolicSmoother",
    "CubicSmoother",
    "QuinticSmoother",
)
WITH_JERKS = {
    "CubicTrajectoryRetimer2",
    "QuinticTrajectoryRetimer",
    "ruckig",
    "CubicSmoother",
    "QuinticSmoother",
}


@dataclass(frozen=True)
class Promise:
    """What a trajectory has to keep beside its positions, velocities and ends."""

    speed: float = 1.0
    jerks: bool = False
    accelerations: bool = True
    collisions: bool = True
    positions: bool = True


Made = tuple[str, Promise, Callable[[], Any]]


def along(robot: Any, path: Any, seed: int) -> Iterator[Made]:
    """Return what can be made of a path: a name, what it promises, a function."""
    active, resolutions = robot.active_dof_indices, robot.active.resolutions
    jerks = JERKS * robot.active.acceleration_limits
    styles: dict[str, tuple[Promise, dict[str, Any]]] = {
        "retime": (Promise(), {}),
        "retime slower": (Promise(speed=0.5), {"velocity_scale": 0.5,
                                               "acceleration_scale": 0.5}),
        "retime jerks": (Promise(jerks=True), {"jerk_limits": jerks}),
        "retime rounded": (
            Promise(collisions=False), {"deviation": 4.0 * resolutions}
        ),
        "retime rounded jerks": (
            Promise(jerks=True, collisions=False),
            {"deviation": 4.0 * resolutions, "jerk_limits": jerks},
        ),
        "retime spline": (
            Promise(collisions=False, positions=False), {"path": "spline"}
        ),
        "retime spline jerks": (
            Promise(jerks=True, collisions=False, positions=False),
            {"path": "spline", "jerk_limits": jerks},
        ),
    }  # fmt: skip
    for name, (promise, options) in styles.items():
        yield name, promise, partial(retime, robot, path, active, **options)
    for name in (*RETIMERS, *SMOOTHERS):
        promise = Promise(
            jerks=name in WITH_JERKS,
            accelerations=not name.startswith("Linear"),
            collisions=name != "toppra",
        )
        yield name, promise, partial(by_planner, robot, path, name, jerks, seed)


def by_planner(robot: Any, path: Any, name: str, jerks: Any, seed: int) -> Any:
    """Let a retimer or smoother have a path; return the trajectory or its refusal."""
    env = robot.env
    given = pyrave.PlannerParameters()
    given.set_robot_active_joints(robot)
    given.jerk_limits, given.random_seed = jerks, seed
    given.max_iterations = 30
    if name == "ConstraintParabolicSmoother":
        given.extra = {"maxmanipspeed": "0.6", "maxlinkaccel": "6"}
    made = env.create("trajectory", "")
    made.init(given.specification)
    made.insert(0, path)
    planner = env.create("planner", name)
    status = planner.init_plan(robot, given)
    if status:
        status = planner.plan_path(made)
    return made if status else status.description


def broken(
    robot: Any, checker: Any, made: Any, promise: Promise, ends: Any
) -> set[str]:
    """Return which promises a trajectory breaks."""
    found = set()
    spec = robot.active.configuration_specification()
    times = np.append(np.arange(0.0, made.duration, STEP), made.duration)
    rows = made.sample_points(times, spec)
    lower, upper = robot.active.limits
    if (
        promise.positions
        and not ((rows >= lower - WITHIN) & (rows <= upper + WITHIN)).all()
    ):
        found.add("position")
    fastest = promise.speed * robot.active.velocity_limits
    hardest = promise.speed * robot.active.acceleration_limits
    jerks = JERKS * robot.active.acceleration_limits
    rates = np.diff(rows[:-1], axis=0) / STEP  # the last step is shorter
    rounding = 4.0 * np.finfo(float).eps * np.abs(rows).max()
    asked = [("velocity", rates, fastest, 1)]
    if promise.accelerations:
        asked.append(("acceleration", np.diff(rates, axis=0) / STEP, hardest, 2))
    if promise.jerks:
        asked.append(("jerk", np.diff(rates, n=2, axis=0) / STEP**2, jerks, 3))
    for what, values, limits, order in asked:
        slack = 2.0**order * rounding / STEP**order
        if (np.abs(values) > (1.0 + WITHIN) * limits + slack).any():
            found.add(what)
    own = made.sample_points(times, spec.convert_to_velocity_specification())
    if (np.abs(own) > (1.0 + WITHIN) * fastest).any():
        found.add("velocity as it says")
    if np.abs(rows[[0, -1]] - ends).max() > AT_ENDS:
        found.add("ends")
    if promise.accelerations and np.abs(own[[0, -1]]).max() > AT_ENDS:
        found.add("rest")
    if promise.collisions:
        values = np.tile(robot.dof_values, (len(rows), 1))
        values[:, robot.active_dof_indices] = rows
        if checker.check_configurations(robot, values).any():
            found.add("collision")
    return found


def checked(
    scene: Scene, checker: Any, asked: tuple[Any, Any], choice: int, seed: int
) -> Iterator[tuple[str, set[str] | str]]:
    """Plan, time and smooth one problem; return names and what each breaks."""
    robot, (start, goal) = scene.robot, asked
    jerks = JERKS * robot.active.acceleration_limits
    style = dict(STYLES[(choice // len(PLANNERS)) % len(STYLES)])
    if style.pop("jerks", False):
        style["jerk_limits"] = jerks
    options = {"timeout": SECONDS, **PLANNERS[choice % len(PLANNERS)], **style}
    result = robot.plan(values=goal, start=start, seed=seed, **options)
    name = options["planner"]
    if not result:
        yield name, f"no plan: {result.failure.code.value}"
        return
    ends = np.stack((start, goal))
    promise = Promise(options.get("speed", 1.0), "jerk_limits" in options)
    with checker.moving_links():
        yield name, broken(robot, checker, result.trajectory, promise, ends)
        for what, kept, make in along(robot, result.path, seed):
            made = make()
            if isinstance(made, str):
                yield what, made
            else:
                yield what, broken(robot, checker, made, kept, ends)


def main() -> None:
    """Make trajectories and count what they break."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trajectories", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checker", default="")
    given = parser.parse_args()
    pin_to_one_core()
    end = time.monotonic() + 60.0 * given.minutes
    scenes = {name: load(name) for name in SCENES}
    checkers = {}
    for name, scene in scenes.items():
        made = scene.env.collision_checker
        if given.checker:
            made = scene.env.create("collisionchecker", given.checker)
            made.init_environment()
        checkers[name] = made
    done: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    examples: list[str] = []
    for turn in itertools.count():
        for k, (name, scene) in enumerate(scenes.items()):
            seed = given.seed + turn
            (asked,) = problems(scene, 1, seed)
            for what, found in checked(scene, checkers[name], asked, turn + k, seed):
                if isinstance(found, str):
                    refused[f"{what}: {found.split(':')[0]}"] += 1
                    continue
                done[what] += 1
                for one in sorted(found):
                    wrong[f"{what}: {one}"] += 1
                    examples.append(f"{name}, seed {seed}, {turn + k}: {what}: {one}")
        if done.total() >= given.trajectories or time.monotonic() > end:
            break
    report(
        "planning_sweep",
        trajectories=done.total(),
        broken=dict(wrong),
        refused=dict(refused),
        examples=examples[:40],
        made=dict(done),
    )


if __name__ == "__main__":
    main()
