"""Collisions of solutions, as OpenRAVE's solvers check them.

Links that neither the arm nor the gripper moves may touch the environment, solids that
just touch are free, and a robot's own links are checked unless that is switched off.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import pyrave
from pyrave_openravepy.api.collision.queries import (
    check_collision,
    check_self_collision,
)
from pyrave_openravepy.api.enums import IkFilterOptions

__all__ = ["SolutionChecks", "native_options"]

_ENV = int(IkFilterOptions.CheckEnvCollisions)
_NO_SELF = int(IkFilterOptions.IgnoreSelfCollisions)
_NO_FILTERS = int(IkFilterOptions.IgnoreCustomFilters)
_NO_END_ENV = int(IkFilterOptions.IgnoreEndEffectorEnvCollisions)
_NO_END_SELF = int(IkFilterOptions.IgnoreEndEffectorSelfCollisions)
_REJECT = pyrave.IkAction.REJECT


def native_options(options: Any) -> pyrave.IkFilterOptions:
    """Return pyrave's options for what is no collision: `SolutionChecks` has these."""
    given = int(options)
    limits = given & int(IkFilterOptions.IgnoreJointLimits)
    if limits:
        return pyrave.IkFilterOptions.IGNORE_JOINT_LIMITS
    return pyrave.IkFilterOptions.NONE


class SolutionChecks:
    """A filter behind those of scripts: the collisions that options ask for.

    Parameters
    ----------
    arm
        pyrave's manipulator.
    options
        OpenRAVE's bits.
    """

    def __init__(self, arm: pyrave.Manipulator, options: int) -> None:
        checker = arm.robot.env.collision_checker
        finds = checker.finds_collisions and arm.robot.id >= 0
        self._arm = arm
        self._env = bool(options & _ENV) and finds
        self._self = not options & _NO_SELF and finds
        self._end_env = not options & _NO_END_ENV
        self._end_self = not options & _NO_END_SELF
        self._end_is_free = False
        children = set(arm.child_links)
        self._children = [link for link in arm.robot.links if link in children]

    @property
    def needed(self) -> bool:
        """True if anything is checked."""
        return self._env or self._self

    def __call__(self, values: Any, arm: Any, goal: Any) -> pyrave.IkReturn:
        """Answer for a candidate; the robot is there."""
        if self._self:
            links = [] if self._end_self else self._children
            with _disabled(links):
                if self._hits_itself():
                    action = _REJECT | pyrave.IkAction.REJECT_SELF_COLLISION
                    return pyrave.IkReturn(action, failures=("it hits itself",))
        if self._env:
            return self._environment(goal)
        return pyrave.IkReturn(pyrave.IkAction.SUCCESS)

    def _hits_itself(self) -> bool:
        robot = self._arm.robot
        return check_self_collision(robot.env.collision_checker, robot)

    def _hits(self, thing: Any) -> bool:
        return check_collision(self._arm.robot.env.collision_checker, (thing,), {})

    def _environment(self, goal: Any) -> pyrave.IkReturn:
        still = list(self._arm.independent_links)
        if not self._end_env:
            still += self._children
        with _disabled(still):
            if not self._hits(self._arm.robot):
                return pyrave.IkReturn(pyrave.IkAction.SUCCESS)
        action = _REJECT | pyrave.IkAction.REJECT_ENV_COLLISION
        is_pose = goal.type is pyrave.IkParameterizationType.Transform6D
        if is_pose and self._end_env and not self._end_is_free:
            if any(self._hits(link) for link in self._children if link.enabled):
                action |= (
                    pyrave.IkAction.QUIT | pyrave.IkAction.QUIT_END_EFFECTOR_COLLISION
                )
                text = "the end effector hits something at the goal"
                return pyrave.IkReturn(action, failures=(text,))
            # it is at the same place in all solutions
            self._end_is_free = True
        return pyrave.IkReturn(action, failures=("it hits something",))


@contextmanager
def _disabled(links: Any) -> Iterator[None]:
    """Let links collide with nothing in a block."""
    changed = [link for link in links if link.enabled]
    if not changed:
        yield
        return
    body = changed[0].body
    before = np.array(body.links_enabled)
    for link in changed:
        link.enabled = False
    try:
        yield
    finally:
        for link in changed:
            link.enabled = bool(before[link.index])
