"""Checks of candidates after their limits: filters and collisions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.ik.parameterization import IkParameterizationType
from pyrave.ik.results import (
    IkAction,
    IkFilterOptions,
    IkReturn,
    as_filter_options,
    first_solution,
)
from pyrave.interfaces.collision.report import CollisionReport
from pyrave.kinematics import LimitCheck
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.views.link import Link
    from pyrave.ik.parameterization import IkParameterization
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.interfaces.iksolver import IkSolverBase
    from pyrave.spatial import Array

_NO_SELF = IkFilterOptions.IGNORE_SELF_COLLISIONS
_ENV = IkFilterOptions.CHECK_ENV_COLLISIONS
_ANY = _ENV | IkFilterOptions.CHECK_SELF_COLLISIONS
_NO_FILTERS = IkFilterOptions.IGNORE_CUSTOM_FILTERS
_NO_END_ENV = IkFilterOptions.IGNORE_END_EFFECTOR_ENV_COLLISIONS
_NO_END_SELF = IkFilterOptions.IGNORE_END_EFFECTOR_SELF_COLLISIONS


class IkChecks:
    """The checks of candidates that options select, limits aside. Belongs to one call.

    Parameters
    ----------
    solver
        Has the custom filters.

    Raises
    ------
    ArgumentError
        There are no such options.
    NotSupportedError
        Collisions are to be checked and the collision checker never finds any.
    """

    def __init__(
        self, solver: IkSolverBase, arm: Manipulator, options: IkFilterOptions
    ) -> None:
        self._solver = solver
        self._arm = arm
        self.options = options = as_filter_options(options)
        checker = solver.env.collision_checker
        if options & _ANY and not checker.finds_collisions:
            raise NotSupportedError(
                "collisions are to be checked (CHECK_ENV_COLLISIONS or "
                f"CHECK_SELF_COLLISIONS), but {checker.interface_id} never finds any; "
                "assign another checker (`pyrave plugins` lists them) to "
                "env.collision_checker"
            )
        self._filters = solver.filtered and not options & _NO_FILTERS
        asks = bool(options & _ANY) and not options & _NO_SELF
        self._self_checker: CollisionCheckerBase | None = checker if asks else None

    @cached_property
    def _children(self) -> tuple[Link, ...]:
        """The links of the hand, which a call looks for once."""
        return self._arm.child_links

    @property
    def needed(self) -> bool:
        """True if there is anything to check."""
        return bool(
            self._filters or self._self_checker is not None or self.options & _ENV
        )

    def run(
        self, rows: Iterable[Array], goal: IkParameterization
    ) -> Iterator[tuple[Array, IkReturn]]:
        """Check candidates (k, n_arm) in order until one answers QUIT.

        Yields each with its answer; the robot is there meanwhile.
        """
        robot = self._arm.robot
        with robot.preserve_state(StateParts.PLANNED):
            for row in rows:
                solution = row.copy()
                answer = self._one(solution, goal)
                yield row, answer
                if answer.action & IkAction.QUIT:
                    return

    def answers(self, rows: Array, goal: IkParameterization) -> list[IkReturn]:
        """Return the answers for candidates (k, n_arm), up to one that is QUIT."""
        if self.needed:
            return [answer for _, answer in self.run(rows, goal)]
        return [IkReturn(IkAction.SUCCESS, row) for row in rows]

    def first(self, rows: Array, goal: IkParameterization) -> IkReturn:
        """Return the first candidate that passes, or why those before a QUIT do not."""
        return first_solution(answer for _, answer in self.run(rows, goal))

    def finish(self, answer: IkReturn, goal: IkParameterization) -> None:
        """Pass an answer to the solver's finish callbacks."""
        self._solver.call_finish_callbacks(answer, goal)

    def finish_all(self, rows: Array, goal: IkParameterization) -> list[IkReturn]:
        """Return `answers`; those that pass go to the solver's finish callbacks."""
        answers = self.answers(rows, goal)
        for answer in answers:
            if answer:
                self._solver.call_finish_callbacks(answer, goal)
        return answers

    def _one(self, solution: Array, goal: IkParameterization) -> IkReturn:
        self._place(solution)
        values: dict[str, object] = {}
        for last in (False, True):
            if self._filters:
                before = solution.copy()
                answer = self._solver.call_filters(solution, goal, last=last)
                values.update(answer.values)
                if answer.action != IkAction.SUCCESS:
                    return _refused(answer)
                if not np.array_equal(before, solution):
                    changed = self._changed(solution)
                    if changed is not None:
                        return changed
            if not last:
                hit = self._collision(goal)
                if hit is not None:
                    return hit
        return IkReturn(IkAction.SUCCESS, solution, values)

    def _place(self, solution: Array) -> None:
        self._arm.robot.set_dof_values(
            solution, self._arm.arm_indices, limits=LimitCheck.NONE
        )

    def _changed(self, solution: Array) -> IkReturn | None:
        """Use a solution as a filter changed it; return why it is refused, or None."""
        if not np.isfinite(solution).all():
            raise ArgumentError(
                f"an IK filter changed a solution to {solution.tolist()}, which is "
                "not finite"
            )
        if not self.options & IkFilterOptions.IGNORE_JOINT_LIMITS:
            lower, upper = (
                bound[self._arm.arm_indices] for bound in self._arm.robot.dof_limits
            )
            outside = (solution < lower - 1e-6) | (solution > upper + 1e-6)
            if outside.any():
                joint = self._arm.robot.structure.joint_of_dof(
                    self._arm.arm_indices[int(np.argmax(outside))]
                )
                return IkReturn(
                    IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS,
                    failures=(f"a filter took joint {joint.name!r} out of its limits",),
                )
        self._place(solution)
        return None

    def _collision(self, goal: IkParameterization) -> IkReturn | None:
        if self._self_checker is not None:
            report = CollisionReport()
            if self._hits_itself(self._self_checker, report):
                return IkReturn(
                    IkAction.REJECT | IkAction.REJECT_SELF_COLLISION,
                    failures=(f"the robot hits itself: {report}",),
                )
        if not self.options & _ENV:
            return None
        links = self._children
        excluded = links if self.options & _NO_END_ENV else ()
        env, robot = self._solver.env, self._arm.robot
        if not env.check_collision(robot, excluded_links=excluded):
            return None
        reason = env.check_collision(robot, excluded_links=excluded, report=True)
        action = IkAction.REJECT | IkAction.REJECT_ENV_COLLISION
        if (
            goal.type is IkParameterizationType.Transform6D
            and not excluded
            and any(env.check_collision(link) for link in links)
        ):
            return IkReturn(
                action | IkAction.QUIT | IkAction.QUIT_END_EFFECTOR_COLLISION,
                failures=(f"the end effector hits something at the goal: {reason}",),
            )
        return IkReturn(action, failures=(f"the robot hits something: {reason}",))

    def _hits_itself(
        self, checker: CollisionCheckerBase, report: CollisionReport
    ) -> bool:
        robot = self._arm.robot
        if not self.options & _NO_END_SELF:
            return bool(checker.check_self_collision(robot, report))
        links: list[Link] = [link for link in self._children if link.enabled]
        for link in links:
            link.enabled = False
        try:
            return bool(checker.check_self_collision(robot, report))
        finally:
            for link in links:
                link.enabled = True


def _refused(answer: IkReturn) -> IkReturn:
    texts = answer.failures or ("a custom filter refused it",)
    action = answer.action
    if not action & IkAction.QUIT:
        action |= IkAction.REJECT
    return IkReturn(action, None, answer.values, texts)
