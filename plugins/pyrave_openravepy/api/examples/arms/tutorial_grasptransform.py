"""The pose of a hand in what it grasps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.functions.rotations import matrixFromAxisAngle

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Print the pose of the hand in the mug, and back."""
    with scene(args, __doc__ or "") as (env, robot):
        target = env.GetKinBody("mug")
        hand = robot.GetActiveManipulator().GetTransform()
        relative = np.linalg.inv(target.GetTransform()) @ hand
        tell(f"the hand in the mug:\n{np.round(relative, 3)}")
        target.SetTransform(target.GetTransform() @ matrixFromAxisAngle([0, 0, 0.5]))
        moved = target.GetTransform() @ relative
        back = np.linalg.inv(target.GetTransform()) @ moved
        expect(np.allclose(back, relative), "the hand is elsewhere in the mug")
        tell(f"the hand, once the mug has turned:\n{np.round(moved, 3)}")
