"""Views of a pattern from which a camera can be calibrated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples._scenes import EYE

__all__ = ["run"]

_SIZE = 0.12
"""Metres of the pattern's side."""


def run(args: Sequence[str] | None = None) -> None:
    """Move the camera around the pattern, and find each corner in each picture."""
    with scene(args, __doc__ or "", data=EYE) as (env, robot):
        for name in ("mug", "brick"):
            env.Remove(env.GetKinBody(name))
        pattern = api().RaveCreateKinBody(env, "")
        half = _SIZE / 2
        pattern.InitFromBoxes(np.array([[0, 0, 0, half, half, 0.001]]), True)
        pattern.SetName("pattern")
        env.Add(pattern, True)
        place = np.eye(4)
        place[:3, 3] = -0.08, 0.0, 0.73
        pattern.SetTransform(place)
        corners = place[:3, 3] + half * np.array(
            [(x, y, 0) for x in (-1, 1) for y in (-1, 1)]
        )
        manip = robot.GetActiveManipulator()
        eye = robot.GetAttachedSensor("eye")
        hand_eye = np.linalg.inv(manip.GetTransform()) @ eye.GetTransform()
        lens = eye.GetSensor().GetSensorGeometry().intrinsics.K
        seen = 0
        for tilt in (0.0, 0.3, 0.5):
            for turn in np.linspace(0, 2 * np.pi, 5)[:-1]:
                goal = _view(place[:3, 3], tilt, turn) @ np.linalg.inv(hand_eye)
                found = manip.FindIKSolution(goal, IkFilterOptions.CheckEnvCollisions)
                if found is None:
                    continue
                robot.SetDOFValues(found, manip.GetArmIndices())
                there = np.linalg.inv(eye.GetTransform())
                rays = (corners @ there[:3, :3].T + there[:3, 3]) @ lens.T
                pixels = rays[:, :2] / rays[:, 2:]
                inside = ((pixels > 0) & (pixels < (320, 240))).all()
                expect(inside, "a corner of the pattern is beside the picture")
                seen += 1
        tell(f"the pattern is seen whole from {seen} of 12 places")
        expect(seen >= 4, "the arm reaches too few places")


def _view(target: np.ndarray, tilt: float, turn: float) -> np.ndarray:
    """Return the pose of a camera 0.3 m away, tilted from straight above."""
    toward = -np.array(
        (np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt))
    )
    side = np.cross(toward, (0.0, 1.0, 0.0))
    side /= np.linalg.norm(side)
    pose = np.eye(4)
    pose[:3, :3] = np.stack((side, np.cross(toward, side), toward), axis=1)
    pose[:3, 3] = target - 0.3 * toward
    return pose
