"""Planning with BiRRT against roboplan, and OMPL's RRTConnect, which asks MuJoCo.

100 problems each of six scenes around the shipped seven-joint arm, one of them with two
arms (14 joints): the same solids in both libraries, whose answers about 500 random
configurations are compared first. One core, processor time; the rows of a problem are
measured one after the other.

* plan: ``robot.plan``, the front door: the path is timed and verified, too.
* call: ``init_plan`` and ``plan_path``, which prepares the collisions, searches, takes
  shortcuts and verifies the path. Target: median <= 0.3x OMPL.
* kernel: the search alone, collisions prepared before.
* ompl: ``SimpleSetup.solve`` with a validity check in Python that calls MuJoCo, every
  0.03 rad along a motion; ours are checked every 0.017 rad of any joint. No shortcuts.
* roboplan: its search alone, all in C++ on Pinocchio and coal, every 0.03 rad, too; and
  roboplan_whole: with its shortcuts and its timing.

Success is a path within 10 s; what is not solved counts as 10 s. Violations are paths
of the call that touch something where the checker ``coal`` looks, or a dense row of
ours without it: every 0.002 rad.

``--reference LAB1`` adds the original's problem: the WAM in its lab1.env.xml, with
the folder of its data in OPENRAVE_DATA.
``--impossible N`` asks for N goals beyond limits, in collision, out of reach or sealed,
and counts wrong causes and answers later than 1.05 of the timeout: 0 of both. With
``--problems 0`` this is all that is done. `planning_clock.py` measures the same where
other work makes answers late, `planning_sweep.py` what trajectories keep.
``pip install pyrave[bench]`` installs the peers; roboplan may be missing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measuring import pin_to_one_core, report
from planning_impossible import impossible
from planning_peers import Ompl, mujoco_check
from planning_problems import SCENES, Scene, load, problems

import pyrave
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.search.trees import TreePair

SECONDS = 10.0
OMPL_STEP = 0.03
DENSE_STEP = 0.002
COMPARED = 500


def parameters_of(robot: Any, start: Any, goal: Any, seed: int) -> Any:
    """Return a problem for planners."""
    made = pyrave.PlannerParameters()
    made.set_robot_active_joints(robot)
    made.initial_configuration, made.goal_configuration = start, goal
    made.max_planning_time, made.random_seed = SECONDS, seed
    return made


class Call:
    """The planner as people call it."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._planner = scene.env.create("planner", "BiRRT")

    def __call__(self, start: Any, goal: Any, seed: int) -> Any:
        """Return the path (n, d) of a problem, or None."""
        robot, env = self._scene.robot, self._scene.env
        parameters = parameters_of(robot, start, goal, seed)
        trajectory = env.create("trajectory", "")
        if not self._planner.init_plan(robot, parameters):
            return None
        if not self._planner.plan_path(trajectory):
            return None
        return trajectory.get_waypoints()

    @property
    def lengths(self) -> tuple[float, float]:
        """Return the length of the last path, found and returned, by straight ones."""
        found = self._planner.statistics
        straight = max(found.straight_length, 1e-9)
        return found.found_length / straight, found.length / straight


class FrontDoor:
    """`robot.plan`: the path is timed and verified, too."""

    def __init__(self, scene: Scene) -> None:
        self._robot = scene.robot

    def __call__(self, start: Any, goal: Any, seed: int) -> Any:
        """Return the path (n, d) of a problem, or None."""
        found = self._robot.plan(values=goal, start=start, seed=seed, timeout=SECONDS)
        return found.path if found else None


class Kernel:
    """The search alone."""

    def __init__(self, scene: Scene) -> None:
        robot = scene.robot
        known = parameters_of(robot, (), (), 0)
        checker = scene.env.collision_checker
        with checker.options(pyrave.CollisionOptions.ACTIVE_DOFS):
            self._space = JointSpace(robot)
        self._low, self._high = known.lower_limits, known.upper_limits
        corner = known.weights * (self._high - self._low)
        self._reach = 0.2 * float(np.linalg.norm(corner))

    def __call__(self, start: Any, goal: Any, seed: int) -> Any:
        """Return the path (n, d) of a problem, or None."""
        space, begin = self._space, time.perf_counter()
        if space.is_free(start, goal):
            return np.stack((start, goal))
        trees = TreePair(space, len(start), self._reach)
        trees.add_root(0, start)
        trees.add_root(1, goal)
        rng = np.random.default_rng(seed)
        span = self._high - self._low
        while time.perf_counter() - begin < SECONDS:
            if trees.grow(self._low + rng.random((64, len(start))) * span):
                return trees.path()[0]
        return None


def different(scene: Scene, collides: Callable[[Any], bool]) -> int:
    """Return about how many random configurations two checkers differ."""
    robot, checker = scene.robot, scene.env.collision_checker
    active = robot.active_dof_indices
    low, high = (limits[active] for limits in robot.dof_limits)
    rows = np.tile(robot.dof_values, (COMPARED, 1))
    rows[:, active] = np.random.default_rng(5).uniform(low, high, (COMPARED, len(low)))
    with checker.options(pyrave.CollisionOptions.ACTIVE_DOFS):
        hits = checker.check_configurations(robot, rows)
    other = [collides(row[active]) for row in rows]
    return int(np.sum(hits != np.array(other)))


def violates(scene: Scene, checker: Any, path: Any) -> bool:
    """Return whether a path touches something, by dense configurations."""
    robot = scene.robot
    active = robot.active_dof_indices
    places = [path[:1]]
    for k in range(len(path) - 1):
        way = path[k + 1] - path[k]
        steps = max(1, int(np.ceil(np.abs(way).max() / DENSE_STEP)))
        places.append(path[k] + np.arange(1, steps + 1)[:, None] / steps * way)
    rows = np.tile(robot.dof_values, (sum(map(len, places)), 1))
    rows[:, active] = np.vstack(places)
    with checker.options(pyrave.CollisionOptions.ACTIVE_DOFS):
        return bool(checker.check_configurations(robot, rows).any())


def other_checker(env: Any) -> Any:
    """Return a checker that is not the one that plans, if there is one."""
    try:
        made = env.create("collisionchecker", "coal")
    except pyrave.Error:
        return env.collision_checker
    made.init_environment()
    return made


def summary(seconds: list[float], solved: int, count: int) -> dict[str, float]:
    return {
        "median_ms": round(1e3 * float(np.median(seconds)), 3),
        "p95_ms": round(1e3 * float(np.percentile(seconds, 95)), 3),
        "success": solved / count,
    }


def compare(scene: Scene, count: int, *, ompl: bool) -> dict[str, Any]:
    """Plan all problems of a scene with all planners."""
    robot = scene.robot
    rows: dict[str, Any] = {
        "plan": FrontDoor(scene),
        "call": Call(scene),
        "kernel": Kernel(scene),
    }
    made: dict[str, Any] = {}
    if ompl:
        check = mujoco_check(scene.env, robot)
        made["different_answers"] = different(scene, check)
        active = robot.active_dof_indices
        low, high = (limits[active] for limits in robot.dof_limits)
        step = OMPL_STEP / float(np.linalg.norm(high - low))
        peer = Ompl(low, high, check, step)
        rows["ompl"] = lambda start, goal, _seed: peer.solve(start, goal, SECONDS)
        with contextlib.suppress(ImportError):
            from planning_roboplan import Roboplan

            for name, whole in (("roboplan", False), ("roboplan_whole", True)):
                other = Roboplan(scene.env, robot, OMPL_STEP, whole=whole)
                rows[name] = partial(other.solve, SECONDS)
            made["different_from_roboplan"] = different(scene, other.collides())
    told = {key: made[key] for key in made if key.startswith("different")}
    if any(count > COMPARED // 100 for count in told.values()):
        raise SystemExit(f"the libraries' scenes are not the same: {told}")
    times: dict[str, list[float]] = {name: [] for name in rows}
    solved = dict.fromkeys(rows, 0)
    lengths, violations = [], 0
    dense = other_checker(scene.env)
    asked = problems(scene, count, 0)
    for seed, (start, goal) in enumerate((asked[0], *asked)):
        for name, plan in rows.items():
            begin = time.process_time()
            path = plan(start, goal, seed)
            spent = time.process_time() - begin
            if not seed:
                continue  # that was the warm-up
            times[name].append(spent if path is not None else max(spent, SECONDS))
            solved[name] += path is not None
            if name == "call" and path is not None:
                lengths.append(rows["call"].lengths)
                violations += violates(scene, dense, path)
    found = {name: summary(times[name], solved[name], len(asked)) for name in rows}
    made["length_found"], made["length"] = np.median(lengths, axis=0).round(3).tolist()
    made["violations"] = violations
    for name in ("plan", "call", "kernel"):
        for other in ("ompl", "roboplan", "roboplan_whole"):
            if other in found:
                ratio = found[name]["median_ms"] / found[other]["median_ms"]
                made[f"{name}_by_{other}"] = round(ratio, 3)
    return {**found, **made}


def reference(path: str, count: int) -> dict[str, Any]:
    """Plan with the WAM in the original's lab1, between random free configurations."""
    env = pyrave.load(path)
    robot = env.robots[0]
    robot.set_active_dofs(robot.active_manipulator.arm_indices)
    everywhere = ((-9.0, -9.0, -9.0), (9.0, 9.0, 9.0))
    return compare(Scene(env, robot, (everywhere,)), count, ompl=False)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--scenes", nargs="*", default=list(SCENES))
    parser.add_argument("--reference", default="")
    parser.add_argument("--impossible", type=int, default=0)
    options = parser.parse_args()
    pin_to_one_core()
    found: dict[str, Any] = {}
    for name in options.scenes if options.problems else ():
        found[name.replace(" ", "_")] = compare(load(name), options.problems, ompl=True)
    if options.reference:
        found["wam_lab1"] = reference(options.reference, options.problems or 100)
    if options.impossible:
        found["impossible"] = impossible(options.impossible)
    peers = {"ompl": importlib.metadata.version("ompl")}
    report("planning", **peers, **found)


if __name__ == "__main__":
    main()
