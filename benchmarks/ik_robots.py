"""The robots whose inverse kinematics are measured: those that ship, and URDF files.

The URDF files come with the extra `robots` (example-robot-data, rtb-data); arms of
files that are not installed are left out. Their chains are added by base and tip, so
that nothing depends on what an SRDF calls a group.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

import pyrave
from pyrave.bodies import Manipulator
from pyrave.scene import ManipulatorDescription
from pyrave_environments.arms import ARMS, Arm, arm_description, random_arm

__all__ = ["ARM_NAMES", "NotInstalledError", "is_known", "loaded", "random_names"]

_EXAMPLES = "cmeel.prefix/share/example-robot-data/robots"
_TOOLBOX = "rtbdata/xacro"
_KUKA = f"{_TOOLBOX}/kuka_description"
_PUMA = f"{_TOOLBOX}/unimation_puma560_description"
_HUMANOID = f"{_EXAMPLES}/simple_humanoid_description"


class NotInstalledError(Exception):
    """A file comes with a package that is not installed."""


@dataclass(frozen=True)
class Shipped:
    """A manipulator of a robot that ships."""

    file: str
    manipulator: str = "arm"


@dataclass(frozen=True)
class Urdf:
    """A chain of a URDF file: links where it begins and where it ends."""

    file: str
    base: str
    tip: str


_SHIPPED = {
    **{arm.name: Shipped(f"robots/arms/{arm.name}.robot.xml") for arm in ARMS},
    "heron7": Shipped("robots/heron7.robot.xml"),
    "planar3r": Shipped("robots/planar3r.robot.xml"),
    "biped_leg": Shipped("robots/biped.robot.xml", "left_leg"),
    "biped_arm": Shipped("robots/biped.robot.xml", "left_arm"),
}
_URDF = {
    f"{name}.urdf": Urdf(*where)
    for name, where in {
        "panda": (f"{_EXAMPLES}/panda_description/urdf/panda.urdf",
                  "panda_link0", "panda_hand_tcp"),
        "xarm7": (f"{_EXAMPLES}/xarm_description/urdf/xarm7.urdf",
                  "link_base", "link_eef"),
        "pr2": (f"{_EXAMPLES}/pr2_description/urdf/pr2.urdf",
                "torso_lift_link", "l_gripper_tool_frame"),
        "pr2_torso": (f"{_EXAMPLES}/pr2_description/urdf/pr2.urdf",
                      "base_link", "l_gripper_tool_frame"),
        "baxter": (f"{_EXAMPLES}/baxter_description/urdf/baxter.urdf",
                   "base", "left_gripper"),
        "tiago": (f"{_EXAMPLES}/tiago_description/robots/tiago_no_hand.urdf",
                  "torso_lift_link", "wrist_ft_tool_link"),
        "tiago_torso": (f"{_EXAMPLES}/tiago_description/robots/tiago_no_hand.urdf",
                        "base_footprint", "wrist_ft_tool_link"),
        "tiago_pro": (f"{_EXAMPLES}/tiago_pro_description/robots/tiago_pro.urdf",
                      "torso_lift_link", "arm_left_tool_link"),
        "talos": (f"{_EXAMPLES}/talos_data/robots/talos_reduced.urdf",
                  "torso_2_link", "gripper_left_base_link"),
        "talos_leg": (f"{_EXAMPLES}/talos_data/robots/talos_reduced.urdf",
                      "base_link", "left_sole_link"),
        "ur3": (f"{_EXAMPLES}/ur_description/urdf/ur3_robot.urdf",
                "base_link", "tool0"),
        "ur5": (f"{_EXAMPLES}/ur_description/urdf/ur5_robot.urdf",
                "base_link", "tool0"),
        "ur5_limited": (f"{_EXAMPLES}/ur_description/urdf/ur5_joint_limited_robot.urdf",
                        "base_link", "tool0"),
        "ur10": (f"{_EXAMPLES}/ur_description/urdf/ur10_robot.urdf",
                 "base_link", "tool0"),
        "jaco2": (f"{_EXAMPLES}/kinova_description/robots/kinova.urdf",
                  "j2s6s200_link_base", "j2s6s200_end_effector"),
        "z1": (f"{_EXAMPLES}/z1_description/urdf/z1.urdf", "link00", "gripperStator"),
        "so101": (f"{_EXAMPLES}/so_arm_description/urdf/so101.urdf",
                  "base_link", "gripper_frame_link"),
        "romeo": (f"{_EXAMPLES}/romeo_description/urdf/romeo.urdf",
                  "torso", "l_gripper"),
        "icub": (f"{_EXAMPLES}/icub_description/robots/icub.urdf",
                 "chest", "l_gripper"),
        "icub_leg": (f"{_EXAMPLES}/icub_description/robots/icub.urdf",
                     "base_link", "l_sole"),
        "g1": (f"{_EXAMPLES}/g1_description/urdf/g1_29dof_rev_1_0.urdf",
               "torso_link", "left_rubber_hand"),
        "g1_leg": (f"{_EXAMPLES}/g1_description/urdf/g1_29dof_rev_1_0.urdf",
                   "pelvis", "left_ankle_roll_link"),
        "centauro": (f"{_EXAMPLES}/centauro_description/urdf/centauro.urdf",
                     "torso_2", "arm1_8"),
        "alex": (f"{_EXAMPLES}/alex_description/urdf/alex_nub_hands.urdf",
                 "Torso", "leftNub"),
        "human": (f"{_EXAMPLES}/human_description/robots/human.urdf",
                  "middle_thorax", "left_hand"),
        "hextilt": (f"{_EXAMPLES}/hextilt_description/urdf/hextilt_flying_arm_5.urdf",
                    "hextilt__base_link", "flying_arm_5__gripper"),
        "humanoid": (f"{_HUMANOID}/urdf/simple_humanoid.urdf", "torso", "l_wrist"),
        "solo12_leg": (f"{_EXAMPLES}/solo_description/robots/solo12.urdf",
                       "base_link", "FL_FOOT"),
        "iiwa14": (f"{_KUKA}/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf",
                   "base_link", "tool0"),
        "irb140": (f"{_TOOLBOX}/abb_irb140_description/urdf/irb140.urdf",
                   "base_link", "tool0"),
        "kr210": (f"{_KUKA}/kuka_kr210/urdf/kr210l150.urdf",
                  "base_link", "tool0"),
        "puma560": (f"{_PUMA}/urdf/puma560_robot.urdf", "link1", "link7"),
        "al5d": (f"{_TOOLBOX}/lynxmotion_al5d_description/urdf/al5d_robot.urdf",
                 "base", "link4"),
    }.items()
}  # fmt: skip
_MADE = {
    arm.name: arm
    for arm in (
        *(random_arm(seed) for seed in range(1, 6)),
        random_arm(11, "RRPRRR"),
        random_arm(12, "RRRRRP"),
        random_arm(13, "RRRRRRR"),
    )
}
ARM_NAMES = (*_SHIPPED, *_URDF, *_MADE)
_RANDOM = "random:"


def random_names(count: int) -> tuple[str, ...]:
    """Return names of so many arms of the generator in `ik_random_arms`.

    Raises
    ------
    NotInstalledError
        There is no such module.
    """
    if importlib.util.find_spec("ik_random_arms") is None:
        raise NotInstalledError(
            "random arms need benchmarks/ik_random_arms.py, which is missing"
        )
    return tuple(f"{_RANDOM}{number}" for number in range(count))


def is_known(name: str) -> bool:
    """Return whether `loaded` takes a name."""
    return name in ARM_NAMES or name.removeprefix(_RANDOM).isdecimal()


def loaded(name: str) -> tuple[pyrave.Environment, Manipulator]:
    """Return an arm and the environment that holds it: keep both.

    Parameters
    ----------
    name
        One of `ARM_NAMES` or of `random_names`.

    Raises
    ------
    NotInstalledError
        Its file comes with a package that is not installed.
    """
    if name.startswith(_RANDOM):
        return _made(_random(int(name.removeprefix(_RANDOM))))
    if name in _MADE:
        return _made(_MADE[name])
    if name in _SHIPPED:
        shipped = _SHIPPED[name]
        env = pyrave.load(shipped.file)
        return env, env.robots[0].manipulators[shipped.manipulator]
    chain = _URDF[name]
    sites = dict.fromkeys(Path(entry) for entry in sys.path if entry)
    for path in (site / chain.file for site in sites):
        if path.is_file():
            env = pyrave.load(path)
            description = ManipulatorDescription("measured", chain.base, chain.tip)
            return env, env.robots[0].add_manipulator(description)
    raise NotInstalledError(f"{chain.file} is not installed: pip install '.[robots]'")


def _random(number: int) -> Arm:
    from ik_random_arms import random_arm_of

    return random_arm_of(number)


def _made(arm: Arm) -> tuple[pyrave.Environment, Manipulator]:
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(arm))
    env.add(robot)
    return env, robot.manipulators["arm"]
