"""Chains of acting: plan, execute, physics, and stand there for two seconds.

The arms of the demo, of UR5, Panda, PR2 and TIAGo (files of example-robot-data) in the
physics engine ``mujoco``, with every controller of ours that follows trajectories. The
share of chains that hold is printed, and what breaks the others; the target is 1.

* ``arrive``: the arm is planned for, and a controller of all joints of the robot
  executes that. `execute` is true, and two seconds later no joint of the arm is off by
  more than 1 mrad, or 5 mrad for controllers that are soft: PID and PD as they come.
* ``grip``, ``grip split``: a cube is squeezed, carried through a motion of the arm, and
  held for two seconds more; the trajectory leaves the gripper out. It slips by at most
  5 mm. One controller for all joints, or one for the arm and another for the gripper.
* ``base``: the base of a robot that is loaded with ``fixed_base=True`` stays where it
  is to the last bit; another one falls, and `execute` says so.

``--arms``, ``--controllers`` and ``--chains`` choose some.

``pip install pyrave[robots,physics,collision]`` installs what this needs.
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from measuring import report

import pyrave
from pyrave.scene import body_from_boxes

STEP = 0.01
STANDS = 2.0
"""How long a robot stands after the end, seconds."""
ARRIVED, SOFT = 1e-3, 5e-3
"""Offsets of joints that have arrived, rad or m."""
SLIP = 5e-3
"""How far a cube may slip in a hand, metres."""
MASS = 0.03
"""Of a cube, kg."""
_EXAMPLES = "cmeel.prefix/share/example-robot-data/robots"

CONTROLLERS = {
    "IdealController": ARRIVED,
    "ComputedTorqueController": ARRIVED,
    "OperationalSpaceController": ARRIVED,
    "JointPIDController gravity=1": SOFT,
    "JointPIDController kp=1000 kd=100 gravity=1": ARRIVED,
    "PDDeviceController": SOFT,
    "PoseDeviceController": ARRIVED,
    "SerialDeviceController": ARRIVED,
}
"""With how far off joints may be two seconds after the end."""
_FINGER = "JointPIDController kp=5000 kd=100"


@dataclass(frozen=True)
class Gripper:
    """Two fingers that close along y of a frame.

    Parameters
    ----------
    joint
        What moves both.
    open, touching
        Its values with the cube between the fingers, and when they touch it.
    half
        Half of an edge of the cube, metres.
    frame
        Link in whose origin the cube is; the tool of the arm without it.
    deep
        How far into the cube the joint is told to go.
    """

    joint: str
    open: float
    touching: float
    half: float
    frame: str = ""
    deep: float = 0.01


@dataclass(frozen=True)
class Arm:
    """A robot, which of its joints go where, and its gripper.

    Parameters
    ----------
    file
        Of a robot or a scene with one.
    goal, start
        Values by names of joints.
    manipulator, base, tip
        The arm's name, or the links between which it is.
    """

    file: str
    goal: dict[str, float]
    start: dict[str, float] = field(default_factory=dict)
    manipulator: str = ""
    base: str = ""
    tip: str = ""
    gripper: Gripper | None = None


ARMS = {
    "demo": Arm(
        "scenes/demo.env.xml",
        {"joint1": 0.9, "joint4": 0.9},
        manipulator="arm",
        gripper=Gripper("left_finger_joint", 0.03, 0.017, 0.015),
    ),
    "ur5": Arm(
        f"{_EXAMPLES}/ur_description/urdf/ur5_robot.urdf",
        {"shoulder_pan_joint": 0.8, "wrist_2_joint": -1.2},
        {
            "shoulder_lift_joint": -1.2,
            "elbow_joint": 1.6,
            "wrist_1_joint": -1.9,
            "wrist_2_joint": -1.57,
        },
        base="base_link",
        tip="tool0",
    ),
    "panda": Arm(
        f"{_EXAMPLES}/panda_description/urdf/panda.urdf",
        {"panda_joint1": 0.9, "panda_joint6": 1.2},
        {
            "panda_joint2": -0.5,
            "panda_joint4": -2.2,
            "panda_joint6": 1.7,
            "panda_finger_joint1": 0.035,
        },
        manipulator="arm",
        gripper=Gripper("panda_finger_joint1", 0.03, 0.02, 0.02),
    ),
    "pr2": Arm(
        f"{_EXAMPLES}/pr2_description/urdf/pr2.urdf",
        {"r_shoulder_pan_joint": -1.2, "r_wrist_flex_joint": -0.9},
        # without the springs of the real robot its motors lift no stretched arm
        {
            "torso_lift_joint": 0.3,
            "r_shoulder_pan_joint": -0.6,
            "l_shoulder_pan_joint": 0.6,
            "r_shoulder_lift_joint": 1.25,
            "l_shoulder_lift_joint": 1.25,
            "r_elbow_flex_joint": -1.6,
            "l_elbow_flex_joint": -1.6,
            "r_wrist_flex_joint": -0.4,
            "l_wrist_flex_joint": -0.4,
        },
        manipulator="right_arm",
        gripper=Gripper(
            "r_gripper_l_finger_joint", 0.25, 0.23, 0.02, "r_gripper_tool_frame"
        ),
    ),
    "tiago": Arm(
        f"{_EXAMPLES}/tiago_description/robots/tiago_no_hand.urdf",
        {"arm_1_joint": 1.4, "arm_4_joint": 1.2},
        {
            "arm_1_joint": 0.6,
            "arm_2_joint": -0.6,
            "arm_3_joint": -1.5,
            "arm_4_joint": 1.7,
            "arm_6_joint": 0.4,
            "torso_lift_joint": 0.15,
        },
        base="torso_lift_link",
        tip="arm_tool_link",
    ),
}


class Scene:
    """A robot in the physics engine, and what is asked of it."""

    def __init__(self, arm: Arm, *, fixed: bool = True) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.env = pyrave.load(found(arm.file), fixed_base=fixed)
        self.robot = self.env.robots[0]
        if not fixed:  # some files fix it themselves
            for link in self.robot.links:
                link.static = False
        self.robot.set_joints(arm.start)
        if arm.manipulator:
            self.arm = self.robot.manipulators[arm.manipulator]
        else:
            self.arm = self.robot.add_manipulator("arm", base=arm.base, tip=arm.tip)
        self.robot.active_manipulator = self.arm
        self.env.physics_engine = "mujoco"

    def plan(self, goal: dict[str, float]) -> Any:
        """Return a trajectory of the arm."""
        result = self.arm.plan(goal, seed=1, timeout=20.0)
        if not result:
            raise RuntimeError(f"no plan: {result.cause}")
        return result.trajectory

    def wait(self, seconds: float, each: Callable[[], None] | None = None) -> None:
        """Let time pass."""
        for _ in range(round(seconds / STEP)):
            if each is not None:
                each()
            self.env.step(STEP)

    def offset(self, trajectory: Any) -> float:
        """Return how far joints of the arm are from the end of a trajectory."""
        joints = self.arm.arm_indices
        end = trajectory.spec.extract_joint_values(
            trajectory.get_waypoint(-1), self.robot, joints
        )
        there = self.robot.dof_values[joints]
        return float(np.abs(self.robot.subtract_dof_values(there, end, joints)).max())

    def failure(self) -> str:
        """Return what failed in the environment."""
        failed = [one for one in self.env.problems if one.code == "plugin-failure"]
        return str(failed[0]) if failed else ""


def found(file: str) -> str:
    """Return where a file of the extra `robots` is installed."""
    sites = (Path(entry) for entry in sys.path if entry)
    paths = [site / file for site in sites if (site / file).is_file()]
    return str(paths[0]) if paths else file


def arrive(arm: Arm, controller: str) -> dict[str, Any]:
    """Plan, execute, and stand there."""
    scene, slack = Scene(arm), CONTROLLERS[controller]
    scene.robot.set_controller(controller)
    trajectory = scene.plan(arm.goal)
    done = scene.robot.execute(trajectory, tolerance=slack)
    scene.wait(STANDS)
    offset, failure = scene.offset(trajectory), scene.failure()
    return {
        "holds": bool(done) and offset <= slack and not failure,
        "offset": offset,
        "late_s": round(done.seconds - trajectory.duration, 3),
        "reason": done.cause or failure,
    }


def grip(arm: Arm, controller: str, *, split: bool = False) -> dict[str, Any]:
    """Squeeze a cube and carry it through a motion that leaves the gripper out."""
    gripper = arm.gripper
    if gripper is None:
        raise ValueError(f"{arm.file} has no gripper")
    scene, slack = Scene(arm), CONTROLLERS[controller]
    robot, env = scene.robot, scene.env
    finger = robot.joints[gripper.joint].dof_index
    limits = robot.dof_torque_limits
    limits[finger] = 20.0
    robot.dof_torque_limits = limits
    # as gently as a lab moves what is held by friction alone
    robot.dof_acceleration_limits = np.minimum(robot.dof_acceleration_limits, 2.0)
    robot.set_joints({gripper.joint: gripper.open})
    trajectory = scene.plan(arm.goal)
    cube = body_from_boxes(
        "cube", [(0, 0, 0, *(gripper.half,) * 3)], static=False, mass=MASS
    )
    held = env.create_body(cube)

    def hand() -> Any:
        link = gripper.frame
        return robot.links[link].transform if link else scene.arm.transform

    def keep() -> None:
        held.transform, held.base_velocity = hand(), np.zeros(6)

    goal = robot.dof_values
    goal[finger] = max(0.0, gripper.touching - gripper.deep)
    if split:
        multi = robot.set_controller("GenericMultiController")
        others = np.setdiff1d(np.arange(robot.dof), [finger])
        multi.attach_controller(controller, others)
        own = "IdealController" in controller
        multi.attach_controller(controller if own else _FINGER, [finger])
    else:
        robot.set_controller(controller)
    robot.controller.set_desired(goal)
    scene.wait(1.5, keep)
    scene.wait(0.2)
    before = np.linalg.inv(hand()) @ held.transform
    done = robot.execute(trajectory, tolerance=slack)
    scene.wait(STANDS)
    after = np.linalg.inv(hand()) @ held.transform
    slip, failure = float(np.linalg.norm((after - before)[:3, 3])), scene.failure()
    taken = float(np.linalg.norm(before[:3, 3])) <= SLIP
    reason = "" if taken else "it was not taken"
    return {
        "holds": bool(done) and taken and slip <= SLIP and not failure,
        "slip": slip,
        "reason": reason or done.cause or failure,
    }


def grip_split(arm: Arm, controller: str) -> dict[str, Any]:
    """As `grip`, with another controller for the gripper."""
    return grip(arm, controller, split=True)


def base(arm: Arm, controller: str) -> dict[str, Any]:
    """Execute with a base that is held, and with one that is not."""
    moved, answers = [], []
    for fixed in (True, False):
        scene = Scene(arm, fixed=fixed)
        trajectory = scene.plan(arm.goal)
        if not fixed:
            pose = scene.robot.transform
            pose[2, 3] += 5.0
            scene.robot.transform = pose
        scene.robot.set_controller(controller)
        before = scene.robot.transform
        answers.append(
            scene.robot.execute(trajectory, tolerance=CONTROLLERS[controller])
        )
        moved.append(float(np.abs(scene.robot.transform - before).max()))
    held, free = answers
    # what has no masses that a body can have is not simulated, and stays
    told = moved[1] == 0.0 or (not free and "the base of" in free.cause)
    return {
        "holds": bool(held) and moved[0] == 0.0 and told,
        "moved": moved,
        "reason": held.cause or ("" if told else f"told of a fall: {free.cause!r}"),
    }


CHAINS = {"arrive": arrive, "grip": grip, "grip split": grip_split, "base": base}


def main() -> None:
    """Run the chains and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--controllers", nargs="+", default=list(CONTROLLERS))
    parser.add_argument("--chains", nargs="+", choices=CHAINS, default=list(CHAINS))
    chosen = parser.parse_args()
    logging.getLogger("pyrave").setLevel(logging.CRITICAL)
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for chain in chosen.chains:
        rows = figures[chain] = {}
        for name in chosen.arms:
            if ARMS[name].gripper is None and chain.startswith("grip"):
                continue
            for controller in chosen.controllers:
                rows[f"{name}, {controller}"] = CHAINS[chain](ARMS[name], controller)
    all_rows = [row for rows in figures.values() for row in rows.values()]
    broken = [
        f"{chain}: {name}: {row['reason']}"
        for chain, rows in figures.items()
        for name, row in rows.items()
        if not row["holds"]
    ]
    worst = {
        controller: max(
            (
                row["offset"]
                for name, row in figures.get("arrive", {}).items()
                if name.endswith(f", {controller}")
            ),
            default=None,
        )
        for controller in chosen.controllers
    }
    report(
        "acting",
        chains=len(all_rows),
        share_that_holds=1.0 - len(broken) / max(len(all_rows), 1),
        broken=broken,
        worst_offsets=worst,
        figures=figures,
    )


if __name__ == "__main__":
    main()
