"""Several camera heads that look at the same thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.examples._scenes import solid
from pyrave_openravepy.api.examples.arms.tutorial_iklookat import look_at

__all__ = ["run"]

_HEAD = """<robot name="head{0}" file="robots/arms/pan_tilt.robot.xml">
{4}<rotationaxis>0 0 1 {3}</rotationaxis><translation>{1} {2} 0</translation></robot>"""
_PLACES = ((0, -1, 0, 0), (1, 1, 0, 180), (2, 0, 1, 270), (3, 0, -1, 90))
_SCENE = f"""<environment>
{"".join(_HEAD.format(*place, solid("link2")) for place in _PLACES)}
<kinbody name="mug" file="objects/mug.kinbody.xml"/>
</environment>"""


def run(args: Sequence[str] | None = None) -> None:
    """Move the mug between the heads; their lines of sight meet in it."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, _):
        mug = env.GetKinBody("mug")
        manips = [robot.GetActiveManipulator() for robot in env.GetRobots()]
        for place in ((0, 0, 0.3), (0.2, 0.1, 0.5), (-0.2, 0.3, 0.2)):
            pose = np.eye(4)
            pose[:3, 3] = place
            mug.SetTransform(pose)
            beside = [look_at(manip, place) for manip in manips]
            tell(f"mug at {place}: at most {max(beside):.1e} rad beside it")
            expect(max(beside) < 1e-3, f"a head looks elsewhere: {beside}")
            handles = [
                env.drawlinelist(np.array((manip.GetTransform()[:3, 3], place)), 1)
                for manip in manips
            ]
            del handles
        tell(f"{len(manips)} heads looked at it")
