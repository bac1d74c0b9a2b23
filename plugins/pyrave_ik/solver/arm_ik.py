"""Calls of an arm's solver: starts, limits, checks, order, batches and deadlines."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import StateError
from pyrave.ik import (
    IkBatch,
    IkFilterOptions,
    IkNearest,
    IkParameterization,
    IkResult,
    IkReturn,
)
from pyrave.ik.results import as_filter_options, goal_of
from pyrave.interfaces import IkChecks, IkSolverBase
from pyrave.spatial import Array, as_vector
from pyrave_ik.arm.chain import WORLD, ArmChain, dof_names
from pyrave_ik.arm.goals import checked
from pyrave_ik.solver.effort import ALL_SECONDS, NEAREST_SECONDS, Clock
from pyrave_ik.solver.goal_method import GoalMethod, Query
from pyrave_ik.solver.joint_paths import follow_by_continuation
from pyrave_ik.solver.plain_call import ROWS, PlainCall
from pyrave_ik.solver.results import result_of, tried
from pyrave_ik.solver.velocities import joint_velocities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkPath
    from pyrave.kinematics import Model
    from pyrave_ik.solver.numeric_method import NumericMethod

_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS


def ignores_limits(options: IkFilterOptions) -> bool:
    """Return True if joint limits do not count."""
    return options is not _NONE and bool(options & _NO_LIMITS)


class ArmIk(IkSolverBase):
    """Base of the solvers of an arm: everything around the methods of goals.

    A subclass chooses the `method` of a goal, and says what searches numerically. It is
    asked anew where the arm, its limits or the settings changed.
    """

    contract: ClassVar[int] = 2
    verifies: ClassVar[bool] = True

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._chain: ArmChain | None = None
        self._model: Model | None = None
        self._ends: tuple[Array, Array] | None = None
        self._searches: dict[bool, NumericMethod] = {}
        self._plain_call: PlainCall | None = None

    # -- the arm -----------------------------------------------------------------

    def init(self, manipulator: Manipulator) -> bool:
        """Set up for a manipulator.

        Raises
        ------
        NotSupportedError
            A joint on the way to its tool has no axes.
        """
        chain = ArmChain.from_manipulator(manipulator)
        super().init(manipulator)
        self._take(manipulator, chain)
        return chain.n > 0

    def _take(self, manipulator: Manipulator, chain: ArmChain) -> None:
        """Use an arm as it is now."""
        self._chain = chain
        self._model = manipulator.robot.state_model
        self._base = manipulator.base.index
        self._dofs = manipulator.arm_indices
        self._names = tuple(dof_names(manipulator))
        self._forget()

    def _forget(self) -> None:
        """Make methods anew, as limits or settings changed."""
        self._ends = None
        self._searches = {}
        self._plain_call = None

    def _ready(self) -> Manipulator:
        """Return the manipulator; its derived data are brought up to date."""
        arm = self.get_manipulator()
        if arm is None:
            raise StateError(
                f"{self!r} has no manipulator; assign it: arm.ik_solver = solver"
            )
        robot = arm.robot
        if robot.state_model is not self._model:
            self._take(arm, ArmChain.from_manipulator(arm))
        ends = robot.limit_store.bounds
        if ends is not self._ends:
            self._forget()
            self._ends = ends
        return arm

    @property
    def chain(self) -> ArmChain:
        """The arm's screws."""
        self._ready()
        assert self._chain is not None  # noqa: S101 - _ready saw to it
        return self._chain

    # -- methods -----------------------------------------------------------------

    @abstractmethod
    def method(
        self, target: IkParameterization | Array, options: IkFilterOptions = _NONE
    ) -> GoalMethod:
        """Return the method that solves a target, with or without limits."""

    @abstractmethod
    def _new_search(self, arm: Manipulator, *, ignored: bool) -> NumericMethod:
        """Return a numerical search for any goals of the arm."""

    def _keep_plain_call(self) -> None:
        """Keep what the next pose takes where only the arm's values change."""

    def numeric(self, options: IkFilterOptions = _NONE) -> NumericMethod:
        """Return the numerical search for any goals, with or without limits."""
        return self._search(self._ready(), options)

    def _search(self, arm: Manipulator, options: IkFilterOptions) -> NumericMethod:
        ignored = ignores_limits(options)
        known = self._searches.get(ignored)
        if known is None:
            known = self._searches[ignored] = self._new_search(arm, ignored=ignored)
        return known

    def _start(self, arm: Manipulator, q0: ArrayLike | None = None) -> Array:
        """Return joint values (d,) to begin at: `q0`, checked, or the present ones."""
        if q0 is None:
            return np.asarray(arm.robot.dof_values[self._dofs])
        return as_vector(q0, len(self._dofs), "q0")

    def _is_plain(
        self, target: IkParameterization | Array, options: IkFilterOptions
    ) -> bool:
        """Return True if solutions have to pass nothing but limits."""
        return not (
            self._finish_callbacks
            or self._filters
            or (options is not _NONE and options & ~_NO_LIMITS)
            or (isinstance(target, IkParameterization) and target.type.is_velocity)
        )

    # -- one goal ----------------------------------------------------------------

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none.

        Distances are the plain sum of squares from `q0`, the present values where None
        is given. Joints to spare are searched; where checks refuse solutions the next
        nearest follow. For a velocity the answer is the least joint velocities at `q0`.
        """
        arm = self._ready()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = joint_velocities(arm, goal, q0, options, free).answer
        else:
            near = self._start(arm, q0)
            method = self.method(goal, options)
            checks = IkChecks(self, arm, options)
            query = Query(arm, goal, near, free, Clock(timeout, method.seconds))
            answer = method.answer(query, checks)
        if answer:
            self.call_finish_callbacks(answer, goal)
        return answer

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> list[IkReturn]:
        """Return all solutions that pass the checks.

        Joints are at the turns nearest to the present values, or with `turns` at all
        within their limits; circular joints come once.
        """
        arm = self._ready()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = self.solve(goal, None, options, free)
            return [answer] if answer else []
        checks = IkChecks(self, arm, options)
        method = self.method(goal, options)
        clock = Clock(timeout, ALL_SECONDS)
        query = Query(arm, goal, self._start(arm), free, clock, turns)
        if not checks.needed:
            return checks.finish_all(method.rows(query), goal)
        every = tried(checks, method.candidates(query), goal)
        answers = [answer for _, _, answer in every if answer]
        for answer in answers:
            self.call_finish_callbacks(answer, goal)
        return answers

    def solution(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array | None:
        """Return the solution (n_arm,) nearest to `q0` (n_arm,), or None.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        """
        if q0 is None and free is None and options is _NONE and timeout is None:
            call = self._plain_call
            if call and not self._filters and not self._finish_callbacks:
                rows = call.rows(target, 1)
                if rows is not None:
                    return rows[0] if len(rows) else None
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if self._is_plain(target, options):
            near, method = self._start(arm, q0), self.method(target, options)
            clock = Clock(timeout, method.seconds)
            found = method.nearest(Query(arm, target, near, free, clock))
        else:
            found = super().solution(target, q0, options, free, timeout=timeout)
        self._keep_plain_call()
        return found

    def solutions(
        self,
        target: IkParameterization | Array,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> Array:
        """Return all solutions as (k, n_arm) joint values.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        turns
            True: joints come at all turns within their limits, not only at those
            nearest to the present values.
        """
        if not turns and free is None and options is _NONE and timeout is None:
            call = self._plain_call
            if call and not self._filters and not self._finish_callbacks:
                rows = call.rows(target, ROWS)
                if rows is not None:
                    return rows
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        if self._is_plain(target, options):
            clock, near = Clock(timeout, ALL_SECONDS), self._start(arm)
            query = Query(arm, target, near, free, clock, turns)
            found = self.method(target, options).rows(query)
        else:
            found = super().solutions(
                target, options, free, timeout=timeout, turns=turns
            )
        self._keep_plain_call()
        return found

    def find(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        nearest: bool = False,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkResult:
        """Return all solutions with their branches, and why candidates are none."""
        arm = self._ready()
        target, options = checked(target), as_filter_options(options)
        near = self._start(arm, q0)
        if isinstance(target, IkParameterization) and target.type.is_velocity:
            return joint_velocities(arm, target, near, options, free).result(target)
        method = self.method(target, options)
        clock = Clock(timeout, ALL_SECONDS)
        query = Query(arm, target, near, free, clock, turns)
        candidates = method.candidates(query)
        plain = self._is_plain(target, options)
        checks = None if plain else IkChecks(self, arm, options)
        result = result_of(target, candidates, self._names, checks, near)
        if nearest and not len(result):
            result = replace(result, nearest=self.nearest(target, near, options))
        return result

    def nearest(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
    ) -> IkNearest:
        """Return the nearest result to a goal of a search from `q0` (n_arm,)."""
        arm = self._ready()
        near, clock = self._start(arm, q0), Clock(None, NEAREST_SECONDS)
        query = Query(arm, checked(target), near, None, clock)
        return self.numeric(as_filter_options(options)).miss(query)

    # -- many goals --------------------------------------------------------------

    def nearest_batch(
        self,
        poses: ArrayLike,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array:
        """Return the solutions (n, n_arm) nearest to `q0`, NaN without, on all cores.

        Parameters
        ----------
        poses
            (n, 4, 4) or (n, 7) T_world_tool.
        """
        arm, options = self._ready(), as_filter_options(options)
        rows = None
        if self._is_plain(WORLD, options):
            method, near = self.method(WORLD, options), self._start(arm, q0)
            query = Query(arm, WORLD, near, free, Clock(timeout, method.seconds))
            rows = method.many_nearest(query, poses)
        if rows is None:
            return super().nearest_batch(poses, q0, options, free, timeout=timeout)
        return rows

    def solve_batch(
        self,
        poses: ArrayLike,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkBatch:
        """Return all solutions of (n, 4, 4) or (n, 7) T_world_tool, on all cores."""
        arm, options = self._ready(), as_filter_options(options)
        found = None
        if self._is_plain(WORLD, options):
            clock, near = Clock(timeout, ALL_SECONDS), self._start(arm)
            query = Query(arm, WORLD, near, free, clock, turns)
            found = self.method(WORLD, options).many_rows(query, poses)
        if found is None:
            return super().solve_batch(
                poses, options, free, timeout=timeout, turns=turns
            )
        return IkBatch(*found)

    def follow(
        self,
        targets: ArrayLike | Sequence[IkParameterization],
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
    ) -> IkPath:
        """Return a continuous joint path through goals, by continuation.

        All joints move, also those that are held where single goals are solved.
        """
        options = as_filter_options(options)
        problem = self.numeric(options).problem
        if problem.followed:
            return super().follow(targets, q0, options)
        return follow_by_continuation(self, problem, targets, q0, options)
