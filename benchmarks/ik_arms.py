"""The arms of the benchmarks of inverse kinematics: one table for all libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pyrave
from pyrave.spatial import invert_pose, rotation_vector
from pyrave_environments.arms import Arm, At, Row, arm_description

RIGHT = 90.0
TURN = (-180.0, 180.0)
TABLES: dict[str, list[tuple[float, float, float]]] = {
    "puma560": [
        (0.0, RIGHT, 0.0),
        (0.4318, 0.0, 0.0),
        (0.0203, -RIGHT, 0.15005),
        (0.0, RIGHT, 0.4318),
        (0.0, -RIGHT, 0.0),
        (0.0, 0.0, 0.0),
    ],
    "irb140": [
        (0.07, -RIGHT, 0.352),
        (0.36, 0.0, 0.0),
        (0.0, -RIGHT, 0.0),
        (0.0, RIGHT, 0.38),
        (0.0, -RIGHT, 0.0),
        (0.0, 0.0, 0.065),
    ],
    "ur5": [
        (0.0, RIGHT, 0.089159),
        (-0.425, 0.0, 0.0),
        (-0.39225, 0.0, 0.0),
        (0.0, RIGHT, 0.10915),
        (0.0, -RIGHT, 0.09465),
        (0.0, 0.0, 0.0823),
    ],
}
"""Length (m), twist (degrees) and offset (m) of each joint."""
OPW: dict[str, tuple[float, float, float, float, float, float, float]] = {
    "puma560": (0.0, -0.0203, -0.15005, 0.0, 0.4318, 0.4318, 0.0),
    "irb140": (0.07, 0.0, 0.0, 0.352, 0.36, 0.38, 0.065),
}
"""The same sizes as a1, a2, b, c1, c2, c3, c4 (Brandstoetter et al., 2014)."""


class Case:
    """An arm in an environment, with random configurations and their poses.

    Parameters
    ----------
    arm
        Of six joints or more that turn.
    turned
        (3, 3) rotation of the tool where every joint is at zero; None: that of `arm`.
    """

    def __init__(self, arm: Arm, n: int, turned: Any = None) -> None:
        self.env = pyrave.Environment()
        robot = self.env.create("robot", "")
        robot.init(arm_description(arm))
        self.env.add(robot)
        self.name = arm.name
        self.hand = robot.manipulators["arm"]
        lower, upper = (b[list(self.hand.arm_indices)] for b in robot.dof_limits)
        self.lower, self.upper = lower, upper
        if turned is not None:
            tool = self.hand.local_tool_transform
            tool[:3, :3] = turned
            self.hand.local_tool_transform = tool
        low, high = np.maximum(lower, -np.pi), np.minimum(upper, np.pi)
        rng = np.random.default_rng(len(arm.name))
        self.values = rng.uniform(low, high, (n, len(lower)))
        self.poses = [np.ascontiguousarray(self.tool(q)) for q in self.values]

    def tool(self, q: Any) -> Any:
        """Return T_base_tool, by the robot's own kinematics."""
        robot = self.hand.robot
        full = robot.dof_values
        full[list(self.hand.arm_indices)] = q
        links = robot.compute_link_transforms(full[None])[0]
        end = links[self.hand.end_effector.index] @ self.hand.local_tool_transform
        return invert_pose(links[self.hand.base.index]) @ end


def table_arm(name: str) -> Arm:
    """Return an arm of the tables, every joint within half a turn."""
    rows = tuple(Row(a, alpha, d, TURN) for a, alpha, d in TABLES[name])
    return Arm(name, name, "published Denavit-Hartenberg parameters", rows)


def radians(name: str) -> tuple[Any, Any, Any]:
    """Return lengths, twists (radians) and offsets of an arm of the tables."""
    lengths, twists, offsets = np.array(TABLES[name]).T
    return lengths, np.radians(twists), offsets


def opw_arm(name: str) -> Arm:
    """Return an arm of the same sizes as OPW counts its angles."""
    a1, a2, b, c1, c2, c3, c4 = OPW[name]
    wrist = (a1 + a2, b, c1 + c2 + c3)
    joints = (
        At("z", (0.0, 0.0, c1), TURN),
        At("y", (a1, 0.0, c1), TURN),
        At("y", (a1, 0.0, c1 + c2), TURN),
        At("z", wrist, TURN),
        At("y", wrist, TURN),
        At("z", wrist, TURN),
    )
    flange = (wrist[0], wrist[1], wrist[2] + c4)
    return Arm(name, name, "the same sizes", joints, flange)


def case_of(name: str, forward: Callable[[Any], Any], n: int) -> Case:
    """Return an arm of six joints that another library knows by its kinematics.

    Each joint alone turns the tool about its axis.
    """
    home = np.asarray(forward(np.zeros(6)))
    joints = []
    for one in np.eye(6):
        moved = np.asarray(forward(one)) @ invert_pose(home)
        axis = rotation_vector(moved[:3, :3])
        axis = axis / np.linalg.norm(axis)
        point = np.linalg.lstsq(np.eye(3) - moved[:3, :3], moved[:3, 3], rcond=None)[0]
        joints.append(At(tuple(axis.tolist()), tuple(point.tolist()), TURN))
    arm = Arm(name, name, "forward kinematics", tuple(joints), tuple(home[:3, 3]))
    return Case(arm, n, home[:3, :3])


def among(rows: Any, q: Any) -> bool:
    """Return whether a configuration is among solutions, whole turns aside."""
    rows = np.asarray(rows).reshape(-1, len(q))
    off = np.abs(np.exp(1j * rows) - np.exp(1j * np.asarray(q))).max(axis=1, initial=0)
    return bool(len(rows) and off.min() < 1e-6)
