"""The numerical inverse kinematics solver: any chain, any goal, mixes of goals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik import (
    IkAction,
    IkFilterOptions,
    IkNearest,
    IkParameterization,
    IkParameterizationType,
    IkReturn,
)
from pyrave.ik.results import as_filter_options, goal_of, start_of
from pyrave.interfaces import IkChecks, IkSolverBase
from pyrave.interfaces.settings.declarations import setting
from pyrave.kinematics import angle_difference
from pyrave.spatial import as_indices, as_vector
from pyrave_ik.arm.chain import WORLD, ArmChain, dof_names, joint_periods
from pyrave_ik.arm.goals import pose_of
from pyrave_ik.arm.turns import (
    at_all_turns,
    at_nearest_turns,
    moved_near,
    turning_periods,
)
from pyrave_ik.coupled_joints.active_chains import ActiveChains
from pyrave_ik.methods.least_squares import (
    TOLERANCE,
    NumericProblem,
    NumericResult,
    settings_of,
)
from pyrave_ik.solver.effort import Clock
from pyrave_ik.solver.joint_paths import follow_by_continuation
from pyrave_ik.solver.velocities import joint_velocities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkPath, IkResult
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices

_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_POSE = IkParameterizationType.Transform6D


@dataclass(frozen=True)
class NumericalSettings:
    """Settings of `NumericalIk`."""

    least_squares: bool = setting(
        False, "goals that ask for too much are met in the least-squares sense"
    )
    starts: int = setting(100, "most starts a solve may take", least=1, most=1e6)
    tolerance: float = setting(
        TOLERANCE, "that may be missed", unit="m and rad", least=1e-12, most=1.0
    )


class NumericalIk(IkSolverBase):
    """Solves any goal of any arm by damped least squares from many starts.

    Redundant arms get the configuration nearest to q0. A goal that is not met ends in
    an answer that says how near the arm came: the texts of ``failures``, and ``values``
    with ``nearest``, ``position_error``, ``rotation_error`` and ``limits``.
    """

    contract = 2
    verifies: ClassVar[bool] = True
    settings_type = NumericalSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._chain: ArmChain | None = None
        self._model: Model | None = None
        self.settings_changed(None)
        self._known: tuple[Any, Any, dict[bool, NumericProblem]] = (None, None, {})

    def settings_changed(self, before: Any) -> None:
        """Solve with other settings from the next goal on."""
        self._numbers = settings_of(self.starts, self.tolerance)

    @property
    def least_squares(self) -> bool:
        """True if overdetermined goals are met in the least-squares sense."""
        return bool(self.settings.least_squares)

    @property
    def starts(self) -> int:
        """Most starts that a solve may take."""
        return int(self.settings.starts)

    @property
    def tolerance(self) -> float:  # type: ignore[override]  # it is a setting here
        """Tolerated distance from the goal, m and rad."""
        return float(self.settings.tolerance)

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
        self._chain, self._model = chain, manipulator.robot.state_model
        self._base = manipulator.base.index
        self._dofs = manipulator.arm_indices
        self._known = (None, None, {})
        return chain.n > 0

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True: any kind of goals can be searched for."""
        return IkParameterizationType.of(kind) in IkParameterizationType

    def get_num_free_parameters(self) -> int:
        """Return 0: joints that a goal leaves free are chosen, not given."""
        return 0

    def get_free_parameters(self) -> Array:
        """Return no values."""
        return np.empty(0)

    def get_free_indices(self) -> Indices:
        """Return no indices."""
        return as_indices((), "free indices")

    def _ready(self) -> Manipulator:
        """Return the manipulator; its derived data are brought up to date."""
        arm = self.get_manipulator()
        if arm is None:
            return self.require_manipulator()  # which raises
        if arm.robot.state_model is not self._model:
            self.init(arm)
        return arm

    def problem(self, options: IkFilterOptions) -> NumericProblem:
        """Return the arm within its limits, as they are now."""
        return self._within(self._ready(), options)

    def _within(self, arm: Manipulator, options: IkFilterOptions) -> NumericProblem:
        lower, upper = arm.robot.limit_store.bounds
        known = self._known
        if known[0] is not lower or known[1] is not upper:
            known = self._known = (lower, upper, {})
        ignored = options is not _NONE and bool(options & _NO_LIMITS)
        problem = known[2].get(ignored)
        if problem is None:
            assert self._chain is not None  # noqa: S101 - set with the manipulator
            endless = np.full(len(self._dofs), 1e4)
            problem = known[2][ignored] = NumericProblem(
                [self._chain],
                -endless if ignored else lower[self._dofs],
                endless if ignored else upper[self._dofs],
                directions=arm.direction[None],
            )
        return problem

    # -- solving -----------------------------------------------------------------

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return a solution near `q0` (n_arm,), or how near the arm came.

        Without `q0` the search begins at the present values. Where a check rejects
        what was found, other starts follow. With a timeout there are ever more starts
        until then. For a velocity the answer is the least joint velocities at `q0`.
        """
        clock = None if timeout is None else Clock(timeout, 0.0)
        arm = self.require_manipulator()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = joint_velocities(arm, goal, q0, options, free).answer
            if answer:
                self.call_finish_callbacks(answer, goal)
            return answer
        checks = self._checked(free, options)
        problem = self.problem(options)
        start, base = start_of(arm, q0), self._pose_of_base(arm)
        result = self._solved(problem, goal, start, base)
        starts = self.starts
        while clock is not None and not result and not clock.is_over:
            starts *= 2
            result = self._solved(problem, goal, start, base, starts)
        if not result:
            return self._failure(result, dof_names(arm))
        answer = IkReturn(IkAction.SUCCESS, result.q, self._errors(result))
        if checks.needed:
            answer = self._first(checks, goal, result.q, problem)
        if answer:
            self.call_finish_callbacks(answer, goal)
        return answer

    def solution(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array | None:
        """Return the solution (n_arm,) found from `q0` (n_arm,), or None.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        """
        options = as_filter_options(options)
        given = free is not None or timeout is not None
        if given or not self._is_plain(target, options):
            return super().solution(target, q0, options, free, timeout=timeout)
        arm = self._ready()
        problem = self._within(arm, options)
        robot = arm.robot
        if q0 is None:
            q0 = robot.dof_values[self._dofs]
        pose = pose_of(target) if isinstance(target, IkParameterization) else target
        base = robot.transforms_view[self._base]
        return problem.solution(base, pose, q0, self._numbers)

    def _is_plain(
        self, target: IkParameterization | Array, options: IkFilterOptions
    ) -> bool:
        """Return True if the goal is a pose and only limits have to be met."""
        return not (
            self._filters
            or self._finish_callbacks
            or self.least_squares
            or (options is not _NONE and options & ~_NO_LIMITS)
            or (isinstance(target, IkParameterization) and target.type is not _POSE)
        )

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> list[IkReturn]:
        """Return the distinct solutions that starts all over the arm's range lead to.

        There is no promise that these are all; for a redundant arm they are samples.
        Joints are at the turns nearest to the present values, or with `turns` at all
        within limits.
        """
        arm = self.require_manipulator()
        goal, options = goal_of(goal), as_filter_options(options)
        if goal.type.is_velocity:
            answer = self.solve(goal, None, options, free)
            return [answer] if answer else []
        checks = self._checked(free, options)
        problem, base = self.problem(options), self._pose_of_base(arm)
        rows = problem.solve_several(goal, self.starts, self.tolerance, base=base)
        if not len(rows):
            return [self.solve(goal, None, options, free, timeout=timeout)]
        turning = self._turning(options, every=turns)
        if turns:
            rows = at_all_turns(rows, *turning)
        else:
            rows = at_nearest_turns(rows, arm.arm_dof_values, *turning)
        return checks.finish_all(rows, goal)

    def _turning(
        self, options: IkFilterOptions, *, every: bool
    ) -> tuple[Array, Array, Array]:
        """Return limits (n_arm,) twice, and the periods of joints between them."""
        arm, problem = self._ready(), self.problem(options)
        lower, upper = problem.lower, problem.upper
        periods = joint_periods(problem.chains, lower, upper)
        return lower, upper, turning_periods(arm, periods, lower, upper, every=every)

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
        """Return the solutions found, the nearest to `q0` first; see the base class."""
        options = as_filter_options(options)
        if isinstance(target, IkParameterization) and target.type.is_velocity:
            arm = self.require_manipulator()
            return joint_velocities(arm, target, q0, options, free).result(target)
        result = super().find(target, q0, options, free, timeout=timeout, turns=turns)
        if q0 is not None and not turns:
            near = start_of(self._ready(), q0)
            result = moved_near(result, near, *self._turning(options, every=False))
        if result or not nearest:
            return result
        return replace(result, nearest=self.nearest(result.goal, q0, options))

    def follow(
        self,
        targets: ArrayLike | Sequence[IkParameterization],
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
    ) -> IkPath:
        """Return a continuous joint path through goals, by continuation."""
        problem = self.problem(as_filter_options(options))
        if problem.followed:
            return super().follow(targets, q0, options)
        return follow_by_continuation(self, problem, targets, q0, options)

    def nearest(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
    ) -> IkNearest:
        """Return the nearest result to a goal of a search from `q0` (n_arm,)."""
        arm = self._ready()
        goal, base = goal_of(goal), self._pose_of_base(arm)
        problem = self.problem(as_filter_options(options))
        best = self._solved(problem, goal, start_of(arm, q0), base)
        pose = base @ problem.tools(best.q)[0]
        local = goal.type.name.startswith("TranslationLocal")
        point = goal.array[:3] if local else np.zeros(3)
        reached = IkParameterization.from_pose(goal.type, pose, arm.direction, point)
        distance = math.sqrt(abs(goal.distance2(reached)))
        return IkNearest(best.q, pose, distance)

    def solve_tasks(
        self,
        tasks: Sequence[tuple[Manipulator, IkParameterization, float]],
        q0: ArrayLike | None = None,
        *,
        least_squares: bool | None = None,
    ) -> IkReturn:
        """Move the active degrees of freedom so that several goals are met.

        The answer's `solution` are values of the robot's active degrees of freedom
        (active_dof,), motions of the base among them; of all that meet the goals, those
        near `q0`. Its values and failures are those of `solve`.

        Parameters
        ----------
        tasks
            Manipulators of one robot, each with a goal in the world and a weight.
        q0
            (active_dof,) where to begin; the present values by default.
        least_squares
            Whether goals that cannot be met together are met in the least-squares
            sense; by default what the solver was created with.
        """
        chains = ActiveChains.from_manipulators([arm for arm, _, _ in tasks])
        lower, upper = chains.limits
        start = chains.inner(
            chains.robot.active.values
            if q0 is None
            else as_vector(q0, chains.robot.active.dof, "q0")
        )
        problem = NumericProblem(
            chains.chains,
            lower,
            upper,
            directions=np.array([arm.direction for arm, _, _ in tasks]),
            weights=[weight for _, _, weight in tasks],
            center=start,
        )
        result = problem.solve(
            [goal for _, goal, _ in tasks],
            start,
            least_squares=(
                self.least_squares if least_squares is None else least_squares
            ),
            starts=self.starts,
            tolerance=self.tolerance,
        )
        found = chains.outer(result)
        if not found:
            return self._failure(found, chains.robot.active.names)
        return IkReturn(IkAction.SUCCESS, found.q, self._errors(found))

    # -- parts -------------------------------------------------------------------

    def _checked(self, free: ArrayLike | None, options: IkFilterOptions) -> IkChecks:
        if free is not None and np.size(free):
            raise ArgumentError(
                f"{self!r} has no free parameters, found {np.size(free)}; expected none"
            )
        return IkChecks(self, self.require_manipulator(), options)

    def _pose_of_base(self, arm: Manipulator) -> Array:
        pose: Array = arm.robot.transforms_view[self._base]
        return pose

    def _solved(
        self,
        problem: NumericProblem,
        goal: IkParameterization,
        q0: Array,
        base: Array = WORLD,
        starts: int | None = None,
    ) -> NumericResult:
        return problem.solve(
            goal,
            q0,
            base=base,
            least_squares=self.least_squares,
            starts=starts or self.starts,
            tolerance=self.tolerance,
        )

    def _first(
        self,
        checks: IkChecks,
        goal: IkParameterization,
        found: Array,
        problem: NumericProblem,
    ) -> IkReturn:
        """Return the first candidate that passes the checks, or why all failed.

        Others are sought where `found` (n_arm,) does not pass.
        """
        action = IkAction.REJECT
        failures: list[str] = []
        arm = self.require_manipulator()
        periods = arm.robot.model.circular_periods[arm.arm_indices]
        for near in (True, False):
            rows = found[None]
            if not near:
                base = self._pose_of_base(self._ready())
                rows = problem.solve_several(
                    goal, self.starts, self.tolerance, base=base
                )
            ways = angle_difference(rows - found, periods)
            rows = rows[np.argsort((ways**2).sum(axis=1))]
            for _, answer in checks.run(rows, goal):
                if answer:
                    return answer
                action |= answer.action
                failures += answer.failures
                if answer.action & IkAction.QUIT:
                    return IkReturn(action, failures=tuple(failures))
        return IkReturn(action, failures=tuple(failures))

    @staticmethod
    def _errors(result: NumericResult) -> dict[str, object]:
        return {
            "position_error": result.position_error,
            "rotation_error": result.rotation_error,
        }

    def _failure(self, result: NumericResult, names: Sequence[str]) -> IkReturn:
        limits = tuple(names[i] for i in (*result.at_lower, *result.at_upper))
        values = {**self._errors(result), "nearest": result.q, "limits": limits}
        return IkReturn(
            IkAction.REJECT | IkAction.REJECT_KINEMATICS,
            None,
            values,
            (result.reason(names),),
        )
