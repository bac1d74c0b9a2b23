"""Answers of an installed pyrave as arrays, to be the same bit for bit in two wheels.

``python .ci/answers.py one.npz`` computes them, and a second call with ``two.npz --like
one.npz`` in another environment names those that differ, and ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stdout
from functools import partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import pyrave
from pyrave import manipulation
from pyrave.cli import main as command
from pyrave.grasping import Grasper, box_rays, roll_angles
from pyrave.jit import eager

Answers = dict[str, np.ndarray[Any, np.dtype[Any]]]
DEMO = "scenes/demo.env.xml"
HERON, UR5 = "robots/heron7.robot.xml", "robots/arms/ur5.robot.xml"
SEED = 7
PATIENCE = 600.0
"""Seconds that a search may take, so that no answer depends on the machine's speed."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute all answers, keep them, and compare them with others."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="the .npz file to write")
    parser.add_argument("--like", type=Path, help="answers that have to be the same")
    given = parser.parse_args(arguments)
    own: Answers = {}
    with eager():  # what is interpreted may differ in the last bit
        for topic, answers in TOPICS.items():
            for name, values in answers().items():
                own[f"{topic}: {name}"] = np.asarray(values)
    np.savez_compressed(given.file, **own)
    if given.like is not None:
        with np.load(given.like) as others:
            differing = differences(own, dict(others))
        if differing:
            sys.exit("\n".join(["answers differ:", *differing]))
    print(f"{len(own)} answers, {sum(one.size for one in own.values())} numbers")


def differences(own: Answers, others: Answers) -> list[str]:
    """Return a line for each answer that is not the same, bit for bit."""
    told = [f"{name}: on one side only" for name in sorted({*own} ^ {*others})]
    for name in sorted({*own} & {*others}):
        one, other = own[name], others[name]
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            told.append(f"{name}: {other.dtype}{other.shape}, {one.dtype}{one.shape}")
            continue
        pairs = list(zip(other.ravel(), one.ravel(), strict=True))
        unequal = [pair for pair in pairs if pair[0].tobytes() != pair[1].tobytes()]
        if unequal:
            first = " and ".join(map(str, unequal[0]))
            told.append(f"{name}: {len(unequal)} of {len(pairs)}, the first {first}")
    return told


def demo() -> Mapping[str, object]:
    """Run the demo, and read what it writes."""
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
        status = command(["demo", "--out", "demo"])  # the summary has this name
        files = sorted(Path("demo").iterdir())
        found = {one.name: np.frombuffer(one.read_bytes(), np.uint8) for one in files}
    return {"status": status, **found}


def kinematics() -> Mapping[str, object]:
    """Compute poses, Jacobians and dynamics of an arm that ships."""
    robot = pyrave.load(HERON).robots[0]
    rows = configurations(robot, 200)
    robot.dof_values = rows[0]
    robot.dof_velocities = rows[1]
    return {
        "poses": robot.compute_link_transforms(rows),
        "jacobian": robot.manipulators[0].jacobian(),
        "inverse dynamics": robot.inverse_dynamics(rows[2]),
        "forward dynamics": robot.forward_dynamics(rows[3]),
        "mass matrix": robot.mass_matrix(),
    }


def inverse_kinematics(file: str) -> Mapping[str, object]:
    """Find all solutions of some poses, and a line."""
    robot = pyrave.load(file).robots[0]
    arm = robot.manipulators[0]
    found = {}
    for number, row in enumerate(configurations(robot, 10)):
        robot.dof_values = row
        found[f"pose {number}"] = arm.solve_ik(arm.transform, all=True)
    goal = arm.transform
    goal[:3, 3] += 0.01
    found["line"] = arm.straight_line(goal).values
    return found


def collisions() -> Mapping[str, object]:
    """Find contacts and distances of an arm that is put into a scene at random."""
    env = pyrave.load(DEMO)
    robot, checker = env.robots[0], env.collision_checker
    options, numbers = pyrave.CollisionOptions, []
    for row in configurations(robot, 40):
        robot.dof_values = row
        for option in (options.ALL_GEOMETRY_CONTACTS, options.DISTANCE):
            with checker.options(option):
                report = env.check_collision(robot, report=True)
            numbers.append([report.min_distance, len(report.pairs), 0.0])
            for contact in (one for pair in report.pairs for one in pair.contacts):
                numbers.extend([contact.position, contact.normal, [contact.depth] * 3])
    return {"contacts": np.array(numbers)}


def motions() -> Mapping[str, object]:
    """Plan a motion over a table, and pick up the mug that stands there."""
    env = pyrave.load(DEMO)
    arm = env.robots[0].manipulators[0]
    above = np.diag([1.0, -1.0, -1.0, 1.0])  # the tool points down
    above[:3, 3] = -0.12, -0.02, 1.05
    planned = arm.plan(above, seed=SEED, timeout=PATIENCE)
    picked = manipulation.pick(arm, env.bodies["mug"], seed=SEED, timeout=PATIENCE)
    return {
        "plan": at_times(planned.trajectory),
        "pick": at_times(picked.trajectory),
        "grasp": picked.choices,
    }


def sensors() -> Mapping[str, object]:
    """Read a laser, and one with noise."""
    env = pyrave.load(DEMO)
    robot = env.robots[0]
    noisy = robot.add_sensor("noisy", "BaseLaser2D", link="link7", noise_sigma=0.01)
    scan = robot.attached_sensors["laser"].measure()
    return {
        "points": scan.points,
        "bodies": scan.body_ids,
        "noise": noisy.measure().ranges,
    }


def pictures() -> Mapping[str, object]:
    """Draw a scene."""
    return {"picture": pyrave.load(DEMO).picture(size=(320, 240))}


def physics() -> Mapping[str, object]:
    """Let a scene fall and a servo move for a second, if MuJoCo is installed."""
    if find_spec("mujoco") is None:
        return {}
    env = pyrave.load(DEMO)
    env.physics_engine = "mujoco"
    robot = env.robots[0]
    servo = robot.set_controller("ComputedTorqueController")
    servo.set_desired(robot.dof_values + 0.1)
    env.bodies["crate"].transform = [1, 0, 0, 0, -1.5, 1.5, 0.3]
    for _ in range(100):
        env.step(0.01)
    poses = np.array([body.transform for body in env.bodies])
    return {"poses": poses, "joints": robot.dof_values}


def grasps() -> Mapping[str, object]:
    """Close a hand on a mug, and measure how well it holds."""
    env = pyrave.load(DEMO)
    mug = env.bodies["mug"]
    found = Grasper(env.robots[0].manipulators[0], mug, friction=0.6).grasps(
        box_rays(mug, 0.02), rolls=roll_angles(4), preshapes=[[0.04]]
    )
    return {
        "poses": np.array([grasp.T_hand_target for grasp in found]),
        "quality": np.array([grasp.scores["epsilon"] for grasp in found]),
    }


def configurations(robot: pyrave.Robot, count: int) -> Any:
    """Return random rows of joint values within the limits."""
    lower, upper = np.clip(robot.dof_limits, -3.0, 3.0)
    return np.random.default_rng(SEED).uniform(lower, upper, (count, robot.dof))


def at_times(trajectory: Any) -> Any:
    """Return a trajectory at a hundred times."""
    times = np.linspace(0.0, trajectory.duration, 100)
    return np.array([trajectory.sample(time) for time in times])


TOPICS = {
    "demo": demo,
    "kinematics": kinematics,
    "inverse kinematics of heron7": partial(inverse_kinematics, HERON),
    "inverse kinematics of ur5": partial(inverse_kinematics, UR5),
    "collisions": collisions,
    "motions": motions,
    "sensors": sensors,
    "pictures": pictures,
    "physics": physics,
    "grasps": grasps,
}

if __name__ == "__main__":
    main()
