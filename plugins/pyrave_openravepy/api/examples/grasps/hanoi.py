"""The towers of Hanoi, moved by an arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples.grasps._hands import Hand, from_above

__all__ = ["run"]

_SCENE = """<environment>
<robot name="heron7" file="robots/heron7.robot.xml">
  <jointvalues>0 0.1 0 1.2 0 0.9 0 0.03</jointvalues>
</robot>
</environment>"""
_HEIGHT = 0.04
_PEGS = np.array([(0.45, y, 0.0) for y in (-0.2, 0.0, 0.2)])


def run(args: Sequence[str] | None = None) -> None:
    """Move a tower of three discs, one at a time, none onto a smaller one."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, robot):
        pegs: list[list[int]] = [[2, 1, 0], [], []]
        discs = []
        for size in range(3):
            disc = api().RaveCreateKinBody(env, "")
            extents = 0.02, 0.03 + 0.01 * size, _HEIGHT / 2
            disc.InitFromBoxes(np.array([[0, 0, 0, *extents]]), True)
            disc.SetName(f"disc{size}")
            env.Add(disc, True)
            pose = np.eye(4)
            pose[:3, 3] = _place(0, 2 - size)
            disc.SetTransform(pose)
            discs.append(disc)
        hand = Hand(robot, lift=0.15)
        for count, (here, there) in enumerate(_moves(3, 0, 2), 1):
            size = pegs[here].pop()
            expect(not pegs[there] or pegs[there][-1] > size, "against the rules")
            disc = discs[size]
            hand.pick_up(disc, from_above(disc.GetTransform()[:3, 3]))
            hand.put_down(disc, from_above(_place(there, len(pegs[there]))))
            pegs[there].append(size)
            tell(f"move {count}: disc {size} to peg {there}")
        expect(pegs[2] == [2, 1, 0], f"the tower is not there: {pegs}")
        for level, size in enumerate(pegs[2]):
            off = np.linalg.norm(discs[size].GetTransform()[:3, 3] - _place(2, level))
            expect(off < 0.01, f"disc {size} is {off:.3f} m beside its place")
        tell("the tower stands on the last peg")


def _moves(count: int, here: int, there: int) -> Iterator[tuple[int, int]]:
    """Yield pegs from which and to which the uppermost disc moves."""
    if count:
        other = 3 - here - there
        yield from _moves(count - 1, here, other)
        yield here, there
        yield from _moves(count - 1, other, there)


def _place(peg: int, level: int) -> np.ndarray:
    """Return the centre of a disc on a peg; a hair of air between them."""
    return np.asarray(_PEGS[peg] + (0, 0, 0.001 + (_HEIGHT + 0.001) * (level + 0.5)))
