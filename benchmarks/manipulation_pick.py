"""Picking and placing objects of the demo: success, causes and processor time.

An object (mug, bottle, block, brick) stands at a random free place of the table that
the hand reaches from above, turned at random; the brick stands on its long side, as it
is wider than the hand where it lies. Other objects are where the demo has them. Each is
picked and placed at another random place by one `solve`. What comes out is verified,
and stepped each millisecond: the deepest contact of what moves, against the millimetre
that may be. Causes are those of tasks that have no solution in 10 s. Targets: 98 %
placed, median of processor time 0.5 s, nothing deeper than it may be.

    python benchmarks/manipulation.py pick --count 100
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
from measuring import report

import pyrave
from pyrave.manipulation import Pick, Place, TaskResult, solve
from pyrave.planning import verification

NAMES = ("mug", "bottle", "block_red", "brick")
TABLE = 0.72
REACH = (0.42, 0.75)
"""Metres from the arm's axis. Nearer the limit of joint 4 lets no hand come from above,
and at 0.8 m the arm ends."""
DEEPEST = 1e-3


def standing(name: str, x: float, y: float, angle: float) -> np.ndarray:
    """Return the pose of an object that stands on the table."""
    cosine, sine = np.cos(angle), np.sin(angle)
    pose = np.eye(4)
    pose[:2, :2] = (cosine, -sine), (sine, cosine)
    pose[:3, 3] = x, y, TABLE
    if name == "brick":
        on_side = np.array([(1.0, 0, 0), (0, 0, 1.0), (0, -1.0, 0)])
        pose[:3, :3] = pose[:3, :3] @ on_side
        # its frame is in the middle of the side that is now vertical
        pose[:3, 3] += (0.0, 0.0, 0.05)
    return pose


def free_place(body: Any, rng: np.random.Generator) -> np.ndarray:
    """Return a random pose on the table in reach where a body touches nothing else."""
    env, base = body.env, body.env.robots[0].transform[:2, 3]
    others = [one for one in env.bodies if one is not body and one.name != "table"]
    with body.preserve_state():
        while True:
            x, y = rng.uniform((-0.35, -0.4), (0.7, 0.4))
            if not REACH[0] <= np.hypot(*((x, y) - base)) <= REACH[1]:
                continue
            body.transform = pose = standing(body.name, x, y, rng.uniform(-3.1, 3.1))
            if all(env.distance(body, other) > 0.03 for other in others):
                return pose


def demo() -> Any:
    env = pyrave.load("scenes/demo.env.xml")
    # what stands on others makes them stay where they are
    for name in ("block_blue", "block_violet"):
        env.remove(name)
    return env


def tasks(count: int, seed: int) -> Any:
    """Yield scenes with a body and the pose where it shall be."""
    env, rng = demo(), np.random.default_rng(seed)
    begin = {body.name: body.transform for body in env.bodies}
    for number in range(count):
        for name, pose in begin.items():
            env.bodies[name].transform = pose
        body = env.bodies[NAMES[number % len(NAMES)]]
        body.transform = free_place(body, rng)
        yield env, body, free_place(body, rng)


def deepest(env: Any, task: TaskResult) -> float:
    """Return the deepest contact of what moves, stepped each millisecond."""
    robot, checker = env.robots[0], env.collision_checker
    options = pyrave.CollisionOptions
    robot.controller.set_path(task.trajectory)
    robot.set_active_dofs(np.arange(robot.dof))
    found = 0.0
    more = options.CONTACTS | options.ACTIVE_DOFS | options.ALL_LINK_COLLISIONS
    with checker.options(more):
        for _ in range(int(np.ceil(task.trajectory.duration / 1e-3)) + 1):
            env.step(1e-3)
            touched = env.check_collision(robot, report=True)
            depths = [one.depth for pair in touched.pairs for one in pair.contacts]
            found = max(found, max(depths, default=0.0))
    return found


def pick(count: int, seed: int) -> None:
    spent, causes, depths, off = [], [], [], []
    for number, (env, body, goal) in enumerate(tasks(count, seed)):
        robot = env.robots[0]
        arm = robot.active_manipulator
        if not number:  # kernels are compiled once a machine
            solve(robot, Pick(arm, body), Place(arm, body, goal))
        begin = time.process_time()
        task = solve(robot, Pick(arm, body), Place(arm, body, goal), seed=seed)
        spent.append(time.process_time() - begin)
        if not task:
            causes.append(f"{body.name}: {task.cause}")
            continue
        if not (checked := verification(robot, task)):
            causes.append(f"{body.name}: not verified: {checked.cause}")
        with env.preserve_state():
            depths.append(deepest(env, task))
            off.append(float(np.abs(body.transform - goal).max()))
    report(
        "manipulation/pick",
        count=count,
        placed=sum(one < 1e-6 for one in off),
        cpu_median_s=statistics.median(spent),
        cpu_mean_s=statistics.mean(spent),
        cpu_max_s=max(spent),
        deepest_m=max(depths, default=0.0),
        tasks_too_deep=sum(depth > DEEPEST for depth in depths),
        causes=causes,
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    pick(given.count, given.seed)
