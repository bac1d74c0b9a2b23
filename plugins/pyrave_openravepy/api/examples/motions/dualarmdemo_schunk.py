"""Two arms that carry one bar between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples.grasps._hands import from_above
from pyrave_openravepy.api.misc.arms import MultiManipIKSolver

__all__ = ["run"]

_ARM = """<robot name="{0}" file="robots/heron7.robot.xml">
<translation>0 {1} 0</translation>
<jointvalues>0 0.1 0 1.2 0 0.9 0 0.03</jointvalues></robot>"""
_SCENE = f"""<environment>
{_ARM.format("left", 0.35)}{_ARM.format("right", -0.35)}
<kinbody name="bar"><body name="bar" type="dynamic"><geom type="box">
  <extents>0.02 0.35 0.02</extents>
</geom></body></kinbody>
</environment>"""
_GRASPS = (0.25, -0.25)
"""Metres along the bar where the hands hold it."""


def run(args: Sequence[str] | None = None) -> None:
    """Lift the bar and turn it; both hands stay where they hold it."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, _):
        robots = [env.GetRobot("left"), env.GetRobot("right")]
        manips = [robot.GetActiveManipulator() for robot in robots]
        bar = env.GetKinBody("bar")
        solver = MultiManipIKSolver(manips)
        inbar = [np.eye(4) @ from_above((0, along, 0)) for along in _GRASPS]
        rows = []
        for step in np.linspace(0, 1, 8):
            pose = api().matrixFromAxisAngle([0, 0, 0.3 * step])
            pose[:3, 3] = 0.45, 0.0, 0.3 + 0.15 * step
            bar.SetTransform(pose)
            goals = [pose @ grasp for grasp in inbar]
            bar.Enable(False)
            found = solver.findMultiIKSolution(goals, dooptimize=True)
            bar.Enable(True)
            expect(found is not None, f"the arms do not reach the bar at {step:.2f}")
            for robot, manip, values in zip(robots, manips, found or (), strict=True):
                robot.SetDOFValues(values, manip.GetArmIndices())
            off = max(
                np.abs(manip.GetTransform() - goal).max()
                for manip, goal in zip(manips, goals, strict=True)
            )
            expect(off < 1e-4, f"a hand is off by {off:g}")
            rows.append(np.hstack(found or ()))
        longest = np.abs(np.diff(rows, axis=0)).max()
        tell(f"the bar moved in {len(rows)} steps, joints by at most {longest:.2f} rad")
        expect(longest < 1.5, "an arm has jumped")
        robots[0].Grab(bar)
        expect(not env.CheckCollision(robots[0], robots[1]), "the arms collide")
        tell(f"both hands hold it at {np.round(bar.GetTransform()[:3, 3], 2)}")
