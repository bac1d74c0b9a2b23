"""A camera head that looks at a thing that moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import IkFilterOptions, IkParameterizationType
from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples._scenes import solid

__all__ = ["look_at", "run"]

_SCENE = f"""<environment>
<robot name="head" file="robots/arms/pan_tilt.robot.xml">{solid("link2")}</robot>
<kinbody name="mug" file="objects/mug.kinbody.xml"/>
</environment>"""


def look_at(manip: Any, place: Any) -> float:
    """Turn an arm so that its direction leads to a place; return radians beside it."""
    goal = api().IkParameterization(place, IkParameterizationType.Lookat3D)
    found = manip.FindIKSolution(goal, IkFilterOptions.CheckEnvCollisions)
    if found is None:
        return np.inf
    manip.GetRobot().SetDOFValues(found, manip.GetArmIndices())
    pose = manip.GetTransform()
    there = np.asarray(place) - pose[:3, 3]
    along = pose[:3, :3] @ manip.GetDirection() @ there / np.linalg.norm(there)
    return float(np.arccos(np.clip(along, -1, 1)))


def run(args: Sequence[str] | None = None) -> None:
    """Follow the mug around the head."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        manip, mug = robot.GetActiveManipulator(), env.GetKinBody("mug")
        for angle in np.linspace(-2.0, 2.0, 9):
            pose = np.eye(4)
            pose[:3, 3] = np.cos(angle), np.sin(angle), 0.2 + 0.1 * angle
            mug.SetTransform(pose)
            beside = look_at(manip, pose[:3, 3])
            tell(f"the mug at {np.round(pose[:3, 3], 2)}: {beside:.1e} rad beside it")
            expect(beside < 1e-3, "the head does not look at the mug")
