"""Motions that pick things up from above and put them down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation
from pyrave_openravepy.api.interfaces.TaskManipulation import TaskManipulation

__all__ = ["Hand", "from_above"]

_STEP = 0.005


def from_above(place: Any, yaw: float = 0.0) -> NDArray[np.float64]:
    """Return the pose of a hand that comes from above, its fingers along yaw."""
    cosine, sine = np.cos(yaw), np.sin(yaw)
    pose = np.eye(4)
    pose[:3, :3] = ((cosine, sine, 0), (sine, -cosine, 0), (0, 0, -1))
    pose[:3, 3] = place
    return pose


class Hand:
    """The hand of a robot's active manipulator.

    Parameters
    ----------
    robot
        The robot.
    lift
        Metres above a place from which the hand comes down.
    """

    def __init__(self, robot: Any, lift: float = 0.1) -> None:
        self.robot, self.lift = robot, lift
        self.base = BaseManipulation(robot)
        self.task = TaskManipulation(robot)

    def go(self, pose: NDArray[np.float64]) -> None:
        """Move above a pose, and down to it."""
        above = pose.copy()
        above[2, 3] += self.lift
        self.base.MoveToHandPosition(matrices=[above], maxiter=3000)
        self.robot.WaitForController(0)
        self.straight(-1)

    def straight(self, sign: int) -> None:
        """Move down, -1, or up, 1, along a line."""
        steps = round(self.lift / _STEP)
        self.base.MoveHandStraight(
            [0, 0, sign], stepsize=_STEP, minsteps=steps, maxsteps=steps
        )
        self.robot.WaitForController(0)

    def pick_up(self, body: Any, pose: NDArray[np.float64]) -> None:
        """Take a body with the hand at a pose, and lift it."""
        self.task.ReleaseFingers()
        self.robot.WaitForController(0)
        self.go(pose)
        self.task.CloseFingers()
        self.robot.WaitForController(0)
        self.robot.Grab(body)
        self.straight(1)

    def put_down(self, body: Any, pose: NDArray[np.float64]) -> None:
        """Let a body go with the hand at a pose, and leave it."""
        self.go(pose)
        self.task.ReleaseFingers(target=body)
        self.robot.WaitForController(0)
        self.robot.ReleaseAllGrabbed()
        self.straight(1)
