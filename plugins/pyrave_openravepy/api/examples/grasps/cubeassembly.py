"""Blocks that an arm puts together, in an order that is searched for."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples.grasps._hands import Hand, from_above

__all__ = ["run"]

_SCENE = """<environment>
<robot name="heron7" file="robots/heron7.robot.xml">
  <jointvalues>0 0.1 0 1.2 0 0.9 0 0.03</jointvalues>
</robot>
</environment>"""
_SIDE = 0.05
_GAP = 0.002
_PARTS = ((0, 0, 1), (0, 1, 1), (0, 0, 0), (0, 1, 0))
"""Columns, rows and layers of the blocks; those that lie above come first."""


def run(args: Sequence[str] | None = None) -> None:
    """Search an order in which nothing is in the way, and put the blocks there."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        blocks = []
        for k in range(len(_PARTS)):
            block = api().RaveCreateKinBody(env, "")
            block.InitFromBoxes(np.array([[0, 0, 0, *[_SIDE / 2] * 3]]), True)
            block.SetName(f"block{k}")
            env.Add(block, True)
            block.SetTransform(_at((0.45, -0.3 + 0.12 * k, _SIDE / 2 + _GAP)))
            blocks.append(block)
        order = _order(robot, blocks)
        expect(order, "there is no order in which the blocks fit")
        tell(f"the order is {order}")
        above = order.index(0) > order.index(2) and order.index(1) > order.index(3)
        expect(above, "a block would hang in the air")
        hand = Hand(robot, lift=0.15)
        for k in order:
            hand.pick_up(blocks[k], from_above(blocks[k].GetTransform()[:3, 3]))
            hand.put_down(blocks[k], from_above(_place(_PARTS[k])))
        for part, block in zip(_PARTS, blocks, strict=True):
            off = np.linalg.norm(block.GetTransform()[:3, 3] - _place(part))
            expect(off < 0.01, f"{block.GetName()} is {off:.3f} m beside its place")
        tell("the blocks are together")


def _order(robot: Any, blocks: list[Any]) -> tuple[int, ...]:
    """Return the first order in which blocks rest on others and the hand has room."""
    manip = robot.GetActiveManipulator()
    starts = [block.GetTransform() for block in blocks]
    found: tuple[int, ...] = ()
    for order in itertools.permutations(range(len(blocks))):
        for block, pose in zip(blocks, starts, strict=True):
            block.SetTransform(pose)
        placed: list[tuple[int, int, int]] = []
        for k in order:
            x, y, layer = _PARTS[k]
            rests = layer == 0 or (x, y, layer - 1) in placed
            blocks[k].Enable(False)
            room = not manip.CheckEndEffectorCollision(from_above(_place(_PARTS[k])))
            blocks[k].Enable(True)
            if not (rests and room):
                break
            blocks[k].SetTransform(_at(_place(_PARTS[k])))
            placed.append(_PARTS[k])
        else:
            found = order
            break
    for block, pose in zip(blocks, starts, strict=True):
        block.SetTransform(pose)
    return found


def _place(part: tuple[int, int, int]) -> np.ndarray:
    """Return the place of the centre of a block."""
    steps = np.array(part) * (_SIDE + _GAP)
    return np.asarray(np.array((0.55, 0.22, _SIDE / 2 + _GAP)) + steps)


def _at(place: Any) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = place
    return pose
