"""What the packed world of an environment costs, as ratios of interleaved runs.

* ``switch``: one link of 1000 bodies switched off or on, then one ray, against one body
  moved, then one ray. Target: <= 2.
* ``ray``: joint values of a PR2-sized robot set, then one ray, against the same and the
  poses of all links. Target: <= 1.5.
* ``sensors``: ``set_dof_values`` of an arm with ten attached sensors against the same
  arm without. Target: <= 1.1.
* ``mass``: the mass of one link of the robot in an environment. Target: <= 0.5 ms.
* ``clones``: resident memory of one clone of a scene of 20 bodies that was seen by a
  ray, kB.

``--robot FILE`` takes another robot than the one made here, for example PR2's URDF.
"""

from __future__ import annotations

import argparse
import gc
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import psutil
from measuring import interleaved, report
from robots import arm7, mobile_tree

import pyrave
from pyrave.scene import (
    AttachedSensorDescription,
    Box,
    GeometryDescription,
    RobotDescription,
    SceneDescription,
)

BODIES = 1000
WARM_UP = 20
CLONES = 1000
CALLS = 50
"""Calls of one sample."""
DOWN = np.array([(0.0, 0.0, -1.0)])


def boxes(count: int) -> pyrave.Environment:
    """Return an environment of boxes in rows."""
    env = pyrave.Environment()
    side = int(np.ceil(np.sqrt(count)))
    for k in range(count):
        x, y = divmod(k, side)
        env.create_body(
            pyrave.scene.body_from_boxes(
                f"box{k}", [(2.0 * x, 2.0 * y, 0.0, 0.4, 0.4, 0.4)]
            )
        )
    return env


def shaped(description: RobotDescription, half: float) -> RobotDescription:
    """Return a robot with a box on each link."""
    box = GeometryDescription(Box((half, half, half)))
    links = tuple(replace(link, geometries=(box,)) for link in description.links)
    return replace(description, links=links)


def robot_in(env: pyrave.Environment, file: str) -> pyrave.Robot:
    """Return the PR2-sized robot."""
    if file:
        env.load(file)
        return env.robots[0]
    env.create_body(shaped(mobile_tree().description(), 0.03))
    return env.robots[0]


def often(action: Callable[[int], Any]) -> Callable[[], None]:
    """Return a case that calls an action with 0, 1, 2, ... in each sample."""

    def run() -> None:
        for k in range(CALLS):
            action(k)

    return run


def switching(rounds: int) -> dict[str, Any]:
    env = boxes(BODIES)
    box = env.bodies["box500"]
    start = box.transform
    poses = [start.copy() for _ in range(2)]
    poses[1][2, 3] += 0.5
    origin = (0.0, 0.0, 5.0)

    def move(k: int) -> None:
        box.transform = poses[k % 2]
        env.raycast(origin, DOWN)

    def switch(k: int) -> None:
        box.enable_link(0, k % 2 == 1)
        env.raycast(origin, DOWN)

    return compared({"move": often(move), "switch": often(switch)}, rounds)


def rays(rounds: int, file: str) -> dict[str, Any]:
    env = pyrave.Environment()
    robot = robot_in(env, file)
    rng = np.random.default_rng(0)
    lower, upper = robot.dof_limits
    low, high = np.maximum(lower, -3.0), np.minimum(upper, 3.0)
    values = low + (high - low) * rng.uniform(0.05, 0.95, (CALLS, robot.dof))

    def ask(k: int) -> None:
        robot.set_dof_values(values[k])
        robot.link_transforms  # noqa: B018 - computes them

    def cast(k: int) -> None:
        robot.set_dof_values(values[k])
        env.raycast((0.0, 0.0, 5.0), DOWN)

    def look(_: int) -> None:
        env.raycast((0.0, 0.0, 5.0), DOWN)

    cases = {"ask": often(ask), "cast": often(cast), "ray_alone": often(look)}
    return compared(cases, rounds)


def sensors(rounds: int) -> dict[str, Any]:
    plain = arm7().description()
    last = plain.links[-1].name
    mounted = tuple(
        AttachedSensorDescription(f"eye{k}", last, interface="BaseLaser2D")
        for k in range(10)
    )
    cases, kept = {}, []
    for name, description in (
        ("without", plain),
        ("with_ten", replace(plain, name="seeing", attached_sensors=mounted)),
    ):
        env = pyrave.Environment()
        env.add_scene(SceneDescription(bodies=(description,)), strict=True)
        robot = env.robots[0]
        values = np.random.default_rng(0).uniform(-1.0, 1.0, (CALLS, robot.dof))

        def case(k: int, robot: Any = robot, values: Any = values) -> None:
            robot.set_dof_values(values[k])

        cases[name] = many(often(case))
        kept.append(env)
    return compared(cases, rounds)


def many(case: Callable[[], None]) -> Callable[[], None]:
    """Return a case of which one sample is long enough to be timed."""

    def run() -> None:
        for _ in range(20):
            case()

    return run


def masses(rounds: int, file: str) -> dict[str, Any]:
    env = pyrave.Environment()
    robot = robot_in(env, file)
    env.raycast((0.0, 0.0, 5.0), DOWN)
    link = robot.links[-1]
    counter = itertools.count(1)

    def edit(_: int) -> None:
        link.mass = 0.001 * next(counter)

    found = interleaved({"edit": often(edit)}, rounds)["edit"]
    return {"median_ms": 1e3 * found["median_s"] / CALLS, "target_ms": 0.5}


def clones() -> dict[str, Any]:
    env = boxes(20)
    env.raycast((0.0, 0.0, 5.0), DOWN)
    kept = [env.clone()]
    gc.collect()
    process = psutil.Process()
    before = process.memory_info().rss
    for _ in range(CLONES):
        twin = env.clone()
        twin.raycast((0.0, 0.0, 5.0), DOWN)
        kept.append(twin)
    gc.collect()
    return {"kB_per_clone": (process.memory_info().rss - before) / 1024.0 / CLONES}


def compared(cases: dict[str, Callable[[], None]], rounds: int) -> dict[str, Any]:
    """Return microseconds per call of each case, and the second over the first."""
    # tree kernels run in the interpreter until they are worth compiling
    found = interleaved(cases, rounds, warm_up=WARM_UP)
    scale = 1e6 / CALLS
    result: dict[str, Any] = {
        f"{name}_us": scale * times["median_s"] for name, times in found.items()
    }
    first, second, *_ = found
    result["ratio_of_best"] = found[second]["min_s"] / found[first]["min_s"]
    result["ratio"] = found[second]["median_s"] / found[first]["median_s"]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="", help="file of another robot")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    report(
        "world",
        switch=switching(options.rounds),
        ray=rays(options.rounds, options.robot),
        sensors=sensors(options.rounds),
        mass=masses(options.rounds, options.robot),
        clones=clones(),
        targets={"switch": 2.0, "ray": 1.5, "sensors": 1.1},
    )


if __name__ == "__main__":
    main()
