"""A robot that drives to a table, takes a block, and carries it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import DOFAffine
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.examples.grasps._hands import Hand, from_above
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation

__all__ = ["run"]

_SCENE = """<environment>
<robot name="heron7" file="robots/heron7.robot.xml">
  <translation>-1.2 -0.6 0</translation>
  <jointvalues>0 0.1 0 1.2 0 0.9 0 0.03</jointvalues>
</robot>
<kinbody name="block" file="objects/block.kinbody.xml">
  <translation>0 0 0.2</translation>
</kinbody>
<kinbody name="bench"><body name="bench" type="static"><geom type="box">
  <extents>0.2 0.3 0.1</extents><translation>0 0 0.0999</translation>
</geom></body></kinbody>
<kinbody name="post"><body name="post" type="static"><geom type="cylinder">
  <rotationaxis>1 0 0 90</rotationaxis><radius>0.1</radius><height>1.5</height>
  <translation>-0.9 -0.3 0.75</translation>
</geom></body></kinbody>
</environment>"""


def run(args: Sequence[str] | None = None) -> None:
    """Plan the base around a post, then the arm with goals that are told."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        block = env.GetKinBody("block")
        with robot:
            affine = DOFAffine.X | DOFAffine.Y | DOFAffine.RotationAxis
            robot.SetActiveDOFs([], affine, [0, 0, 1])
            goal = np.array((-0.6, 0.0, 0.0))
            timed = BaseManipulation(robot).MoveActiveJoints(
                goal=goal, execute=False, outputtrajobj=True
            )
        robot.GetController().SetPath(timed)
        robot.WaitForController(0)
        there = robot.GetTransform()[:2, 3]
        tell(f"the base stands at {np.round(there, 3)}")
        expect(abs(there - goal[:2]).max() < 1e-3, "the base is not at its goal")
        hand = Hand(robot)
        place = block.GetTransform()[:3, 3] + (0, 0, 0.04)
        hand.pick_up(block, from_above(place))
        expect(robot.IsGrabbing(block), "the hand is empty")
        tell("the hand holds the block")
        hand.put_down(block, from_above(place + np.array((0.05, 0.15, 0.001))))
        moved = block.GetTransform()[:3, 3]
        tell(f"the block is at {np.round(moved, 3)}")
        expect(abs(moved - (0.05, 0.15, 0.2)).max() < 0.01, "the block is elsewhere")
