"""A base that drives around obstacles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import DOFAffine
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation

__all__ = ["run"]

_SCENE = """<environment>
<robot name="rover" file="robots/rover.robot.xml"/>
<kinbody name="wall"><body name="wall" type="static"><geom type="box">
  <extents>0.05 0.4 0.3</extents><translation>0.6 0 0.3</translation>
</geom></body></kinbody>
</environment>"""


def run(args: Sequence[str] | None = None) -> None:
    """Plan and execute a way of the rover to behind a wall."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        tell(f"{robot.GetName()} stands at {np.round(robot.GetTransform()[:2, 3], 2)}")
        affine = DOFAffine.X | DOFAffine.Y | DOFAffine.RotationAxis
        robot.SetActiveDOFs([], affine, [0, 0, 1])
        goal = np.array((1.2, 0.0, 0.5))
        timed = BaseManipulation(robot).MoveActiveJoints(
            goal=goal, outputtrajobj=True, execute=False
        )
        aside = 0.0
        spec = timed.GetConfigurationSpecification()
        for time in np.linspace(0, timed.GetDuration(), 50):
            here = robot.GetTransform()
            pose = spec.ExtractTransform(here, timed.Sample(time), robot)
            with robot:
                robot.SetTransform(pose)
                expect(not env.CheckCollision(robot), "the way leads through the wall")
            aside = max(aside, abs(pose[1, 3]))
        tell(f"a way of {timed.GetDuration():.1f} s, up to {aside:.2f} m aside")
        expect(aside > 0.4, "the way does not lead around the wall")
        robot.GetController().SetPath(timed)
        robot.WaitForController(0)
        off = np.abs(robot.GetActiveDOFValues() - goal).max()
        expect(off < 1e-3, f"it stands {off:g} beside its goal")
        tell(f"it stands at {np.round(robot.GetTransform()[:2, 3], 2) + 0.0}")
