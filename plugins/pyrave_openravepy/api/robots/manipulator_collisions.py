"""Collisions of the hands of manipulators."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import pyrave
from pyrave.spatial import invert_pose
from pyrave_openravepy.api.collision.queries import check_collision
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.ik.parameterization import IkParameterization

__all__ = ["ManipulatorCollisions"]

_POSE = int(pyrave.IkParameterizationType.Transform6D)


class ManipulatorCollisions(Guarded):
    """Collision queries of a manipulator."""

    _native: pyrave.Manipulator

    def CheckEndEffectorCollision(
        self, transform: Any = None, report: Any = None, numredundantsamples: int = 0
    ) -> bool:
        """Return True if the hand, and what it holds, hits the environment.

        ``(transform, report)`` with the tool there, a pose or a goal; ``(report)``
        where it is.
        """
        if _is_report(transform):
            transform, report = None, transform
        arm = self._native
        with _at(self, transform, numredundantsamples) as places:
            for move in places:
                if self._hand_hits(arm, move, report):
                    return True
        return False

    def CheckEndEffectorSelfCollision(
        self,
        transform: Any = None,
        report: Any = None,
        numredundantsamples: int = 0,
        ignoreManipulatorLinks: bool = False,
    ) -> bool:
        """Return True if the hand hits other links of the robot."""
        if _is_report(transform):
            transform, report = None, transform
        arm = self._native
        robot, checker = arm.robot, arm.robot.env.collision_checker
        children = {link.index for link in arm.child_links}
        off = []
        if ignoreManipulatorLinks:
            chain = robot.structure.chain_links(arm.base, arm.end_effector)
            off = [one for one in chain if one.index not in children]
        with _at(self, transform, numredundantsamples) as places:
            for move in places:
                for link in _enabled_children(arm):
                    if _link_hits_self(checker, link, move, off, children, report):
                        return True
        return False

    def CheckIndependentCollision(self, report: Any = None) -> bool:
        """Return True if links that the arm does not move hit the environment."""
        arm = self._native
        checker = arm.robot.env.collision_checker
        return any(
            _check(checker, link, report)
            for link in arm.independent_links
            if link.enabled
        )

    def _hand_hits(self, arm: pyrave.Manipulator, move: Any, report: Any) -> bool:
        checker = arm.robot.env.collision_checker
        native = None if report is None else report._native
        for link in _enabled_children(arm):
            pose = move @ link.transform
            if checker.check_link_collision(link, pose, report=native):
                return True
        return False


def _is_report(given: Any) -> bool:
    return hasattr(given, "collisionInfos")


def _enabled_children(arm: pyrave.Manipulator) -> list[pyrave.Link]:
    return [link for link in arm.child_links if link.enabled]


def _check(checker: Any, thing: Any, report: Any) -> bool:
    return check_collision(checker, (thing,), {"report": report})


def _link_hits_self(
    checker: Any, link: Any, move: Any, off: Any, children: set[int], report: Any
) -> bool:
    native = None if report is None else report._native
    changed = [one for one in off if one.enabled]
    # links of the hand go with it, and do not hit each other by that
    changed += [
        one
        for one in link.body.links
        if one.index in children and one.index != link.index and one.enabled
    ]
    for one in changed:
        one.enabled = False
    try:
        return bool(
            checker.check_link_self_collision(link, move @ link.transform, native)
        )
    finally:
        for one in changed:
            one.enabled = True


@contextmanager
def _at(owner: Any, transform: Any, samples: int) -> Iterator[Any]:
    """Give motions of the hand (4, 4) in the world that bring the tool to goals."""
    arm: pyrave.Manipulator = owner._native
    now = invert_pose(arm.transform)
    if transform is None:
        yield [np.eye(4)]
    elif (
        isinstance(transform, IkParameterization) and int(transform.GetType()) != _POSE
    ):
        # the hand is where a solution has it
        found = owner.FindIKSolutions(transform, 0x2 | 0x8)
        robot = arm.robot
        count = max(int(samples), 1)
        with robot.preserve_state(pyrave.StateParts.TRANSFORMS):
            moves = []
            for row in found[:count]:
                robot.set_dof_values(row, arm.arm_indices)
                moves.append(arm.transform @ now)
        if not moves:
            raise pyrave.StateError(
                f"{arm!r} cannot reach {transform!r}, expected a goal that it reaches"
            )
        yield moves
    else:
        if isinstance(transform, IkParameterization):
            transform = transform.GetTransform6D()
        yield [matrix_of(transform) @ now]
