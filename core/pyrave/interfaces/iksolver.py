"""Base of inverse kinematics solvers."""

from __future__ import annotations

import inspect
import weakref
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import closing
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.attributes import answers_other_names, not_alone
from pyrave.batches import each
from pyrave.errors import (
    ArgumentError,
    NotSupportedError,
    PluginError,
    StateError,
    shown,
)
from pyrave.ik.results import (
    IkAction,
    IkBatch,
    IkFilterOptions,
    IkRejection,
    IkResult,
    IkReturn,
    as_filter_options,
    as_timeout,
    first_solution,
    goal_of,
    start_of,
)
from pyrave.interfaces.base import InterfaceBase, author_code
from pyrave.interfaces.handles import Handle
from pyrave.interfaces.inverse_kinematics.candidate_checks import IkChecks
from pyrave.interfaces.inverse_kinematics.solution_checks import (
    Verified,
    faults,
    verify_methods,
)
from pyrave.kinematics import angle_difference
from pyrave.spatial import as_indices, as_poses, as_rows, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.environment import Environment
    from pyrave.ik.parameterization import IkParameterization, IkTypeLike
    from pyrave.ik.path import IkPath
    from pyrave.spatial import Array, Indices

_SLACK = 1e-9

IkFilter = Callable[
    ["Array", "Manipulator", "IkParameterization"], "IkAction | IkReturn"
]
"""Function of (values, manipulator, goal); returns an `IkAction` or an `IkReturn`."""
IkFinishCallback = Callable[["IkReturn", "Manipulator", "IkParameterization"], object]
"""Function of (answer, manipulator, goal); what it returns is not used."""


@answers_other_names
class IkSolverBase(InterfaceBase):
    """Finds joint values of a manipulator that reach a goal given in the world.

    A subclass says what goals it supports, and writes `solve_all`, which hands its
    candidates to `checked`. Other methods are there to be done better.

    What methods of a subclass return is compared with the goal by forward kinematics
    and with the limits of joints: a solution that is none is dropped, and reported once
    with the name of the plugin.
    """

    interface_type: ClassVar[str] = "iksolver"
    __reduce_ex__ = not_alone
    contract: ClassVar[int] = 2
    LAST: ClassVar[int] = -(2**31)
    """The least priority: such filters are called after all other checks."""
    verifies: ClassVar[bool] = False
    """True: the class compares each solution with its goal and the limits itself.

    It is stated in the body of each class that overrides methods of this one.
    """
    tolerance: float = 1e-4
    """Metres and radians by which a solution may miss its goal."""
    _unlisted = "verified"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        verify_methods(cls)

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.verified = Verified()
        self._manipulator: weakref.ref[Manipulator] | None = None
        self._filters: list[tuple[int, int, IkFilter]] = []
        self._filter_count = 0
        self._finish_callbacks: list[IkFinishCallback] = []

    def init(self, manipulator: Manipulator) -> bool:
        """Set up for a manipulator; False if the solver does not fit it.

        The manipulator is kept by a weak reference: it holds its solver. A subclass
        that prepares something calls this one, too.

        Raises
        ------
        NotSupportedError
            It does not fit, with the reason in words.
        """
        self._manipulator = weakref.ref(manipulator)
        return True

    def get_manipulator(self) -> Manipulator | None:
        """Return the manipulator given to `init`."""
        return None if self._manipulator is None else self._manipulator()

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none.

        Parameters
        ----------
        free
            The free parameters, each 0..1 over its joint's range; None searches them.
        timeout
            Seconds that a search may take, and then returns the best so far. It is
            passed on only where a user gave one, so that a solver whose time is bounded
            anyway may do without this keyword; `pyrave.NotSupportedError` says so to
            who gives one all the same.

        Here it is the nearest of what `solve_all` returns.
        """
        arm = self.require_manipulator()
        near = start_of(arm, q0)
        answers = self._answers(goal, options, free, timeout)
        found = self._nearest_first(answers, near)
        if found:
            return found[0]
        none = first_solution(answers or [IkReturn(IkAction.REJECT_KINEMATICS)])
        said = none.failures or (f"{self!r} found no solution",)
        return IkReturn(none.action, failures=said)

    @abstractmethod
    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> list[IkReturn]:
        """Return all solutions; the parameters are those of `solve`.

        Each comes once, joints at the turns nearest to the present values. A solver
        that can list all turns within limits takes the keyword ``turns: bool = False``,
        which is passed on only where a user wants them.
        """

    def checked(
        self,
        candidates: ArrayLike,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
    ) -> list[IkReturn]:
        """Return the answers for joint values that reach a goal: what `solve_all` says.

        Candidates that miss the goal by more than `tolerance` are reported and refused.
        Limits, custom filters and collisions are checked, as options say; what passes
        goes to the finish callbacks. The robot stays where it is.

        Parameters
        ----------
        candidates
            (k, n_arm) joint values, circular joints at any turn.

        Raises
        ------
        ArgumentError
            Candidates of another shape or not finite, or no such options.
        NotSupportedError
            Collisions are to be checked by a checker that never finds any.
        """
        arm = self.require_manipulator()
        robot, indices = arm.robot, arm.arm_indices
        checks = IkChecks(self, arm, options)
        name = f"candidates of {self!r}"
        rows = as_rows(candidates, (len(indices),), name)
        lower, upper = (bound[indices] for bound in robot.dof_limits)
        free = robot.model.circular[: robot.dof][indices]
        outside = ~free & ((rows < lower - _SLACK) | (rows > upper + _SLACK))
        if IkFilterOptions.IGNORE_JOINT_LIMITS in checks.options:
            outside[:] = False
        rejected = []
        for row, wrong in zip(rows, outside, strict=True):
            if wrong.any():
                k = int(np.argmax(wrong))
                joint = robot.structure.joint_of_dof(int(indices[k]))
                text = (
                    f"joint {joint.name!r} would be at {row[k]:.4g}, outside of its "
                    f"limits {lower[k]:.4g}..{upper[k]:.4g}"
                )
                action = IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
                rejected.append(IkReturn(action, failures=(text,)))
        rows = rows[~outside.any(axis=1)]
        if not self.verifies:
            wrong = faults(self, rows, goal, checks.options)
            rejected += [one for one in wrong if one is not None]
            rows = rows[[one is None for one in wrong]]
        answers = checks.finish_all(rows, goal)
        for one in answers:
            self.verified.trust(one.solution)
        return answers + rejected

    def get_num_free_parameters(self) -> int:
        """Return the count of free parameters; none here."""
        return 0

    def get_free_parameters(self) -> Array:
        """Return the free parameters of the present configuration, 0..1 each."""
        return np.empty(0)

    def get_free_indices(self) -> Indices:
        """Return (k,) int64, the indices into the arm's joints that are free.

        There are none where the free parameters are no joints' values.
        """
        return as_indices((), "free indices")

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True if goals of that kind can be solved.

        `IkParameterizationType.of` makes a type of a name.
        """
        return False

    def solution(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
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
        options = as_filter_options(options)
        limit = self.call_keywords(self.solve, timeout)
        near = start_of(self.require_manipulator(), q0)
        goal = goal_of(target)
        with author_code(self, "solve"):
            answer = self.solve(goal, near, options, free, **limit)
        (answer,) = self._understood("solve", [answer])
        return answer.solution if answer else None

    def _answers(
        self,
        goal: IkParameterization,
        options: IkFilterOptions,
        free: ArrayLike | None,
        timeout: float | None,
        turns: bool = False,
    ) -> list[IkReturn]:
        """Return the answers of `solve_all`, or raise a PluginError."""
        limit = self.call_keywords(self.solve_all, timeout, turns)
        with author_code(self, "solve_all"):
            answers = self.solve_all(goal, options, free, **limit)
        return self._understood("solve_all", answers)

    def _nearest_first(self, answers: list[IkReturn], near: Array) -> list[IkReturn]:
        """Return the solutions among answers, the nearest to (n_arm,) first."""
        arm = self.require_manipulator()
        found = [one for one in answers if one]
        rows = np.array([one.solution for one in found], dtype=np.float64)
        off = rows.reshape(-1, len(near)) - near
        periods = arm.robot.model.circular_periods[arm.arm_indices]
        ways = (angle_difference(off, periods) ** 2).sum(axis=1)
        return [found[k] for k in ways.argsort(kind="stable")]

    def _understood(self, method: str, answers: Any) -> list[IkReturn]:
        """Return the answers of a solver, or raise a PluginError that names it."""
        n = len(self.require_manipulator().arm_indices)
        with author_code(self, method):
            found = list(answers)
        for one in found:
            values: Any = (
                one.solution if isinstance(one, IkReturn) and one else np.zeros(n)
            )
            with author_code(self, method):
                fits = np.shape(values) == (n,) and np.isfinite(values).all()
            if not isinstance(one, IkReturn) or not fits:
                origin = f" of plugin {self.plugin!r}" if self.plugin else ""
                raise PluginError(
                    f"{method}() of {self!r}{origin} returned {shown(one)}, expected "
                    f"an IkReturn with {n} finite joint values"
                )
        return found

    # -- many solutions at once --------------------------------------------------

    def solutions(
        self,
        target: IkParameterization | Array,
        options: IkFilterOptions = IkFilterOptions.NONE,
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
            True: joints come at all turns within their limits, not only at the nearest.
        """
        goal = goal_of(target)
        options = as_filter_options(options)
        answers = self._answers(goal, options, free, timeout, turns)
        found = [one.solution for one in answers if one]
        n = len(self.require_manipulator().arm_indices)
        return np.array(found, dtype=np.float64).reshape(len(found), n)

    def find(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        nearest: bool = False,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkResult:
        """Return all solutions, the nearest to `q0` first, and what was rejected.

        A solver that promises to find all says so: `IkResult.complete`.

        Parameters
        ----------
        target
            A goal, or (4, 4) T_world_tool.
        nearest
            Where there is no solution, say how near the arm comes, if the solver can.
        turns
            True: joints come at all turns within their limits, not only at the nearest.
        """
        goal = goal_of(target)
        arm = self.require_manipulator()
        near = start_of(arm, q0)
        options = as_filter_options(options)
        answers = self._answers(goal, options, free, timeout, turns)
        found = self._nearest_first(answers, near)
        action = IkAction.SUCCESS
        if not found:
            action = IkAction.REJECT_KINEMATICS | first_solution(answers).action
        rows = np.array([one.solution for one in found], dtype=np.float64)
        return IkResult(
            goal,
            rows.reshape(len(found), len(near)),
            np.full(len(found), -1),
            tuple(
                IkRejection(one.action, np.full(len(near), np.nan), text)
                for one in answers
                if not one
                for text in one.failures
            ),
            action,
            tuple(one.values for one in found),
        )

    def nearest_batch(
        self,
        poses: ArrayLike,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> Array:
        """Return the solutions (n, n_arm) nearest to `q0` (n_arm,), else rows of NaN.

        `poses` are (n, 4, 4) or (n, 7) T_world_tool, `timeout` is of each.
        """
        poses = as_poses(poses, "targets")
        near = start_of(self.require_manipulator(), q0)
        limit = self.call_keywords(self.solution, timeout)
        rows = np.full((len(poses), len(near)), np.nan)
        for row, pose in each([*zip(rows, poses, strict=True)], "solving", "poses"):
            found = self.solution(pose, near, options, free, **limit)
            if found is not None:
                row[:] = found
        return rows

    def solve_batch(
        self,
        poses: ArrayLike,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkBatch:
        """Return all solutions of (n, 4, 4) or (n, 7) T_world_tool.

        `timeout` is of each, `turns` as for `solutions`.
        """
        poses = as_poses(poses, "targets")
        limit = self.call_keywords(self.solutions, timeout, turns)
        with closing(each(list(poses), "solving", "poses")) as told:
            found = [self.solutions(pose, options, free, **limit) for pose in told]
        n = len(self.require_manipulator().arm_indices)
        counts = np.array([len(rows) for rows in found], dtype=np.int64)
        return IkBatch(np.concatenate([np.empty((0, n)), *found]), counts)

    def call_keywords(
        self,
        method: Callable[..., object],
        timeout: float | None,
        turns: bool = False,
    ) -> dict[str, Any]:
        """Return the keywords to call a method of this solver with.

        There are none without a timeout and where one turn is enough: solvers may do
        without these keywords.

        Raises
        ------
        ArgumentError
            The timeout is not a positive number of seconds, or `turns` not a bool.
        NotSupportedError
            The method takes no such keyword.
        """
        if timeout is None and turns is False:
            return {}
        keywords: dict[str, Any] = {}
        if timeout is not None:
            keywords["timeout"] = as_timeout(timeout)
        if not isinstance(turns, bool | np.bool_):
            raise ArgumentError(f"turns is {turns!r}, expected True or False")
        if turns:
            keywords["turns"] = True
        taken = inspect.signature(method).parameters
        for name in keywords:
            if name not in taken:
                raise NotSupportedError(
                    f"{self!r} takes no {name}: its {method.__name__}() has no such "
                    f"keyword; leave {name}= out"
                )
        return keywords

    def follow(
        self,
        targets: ArrayLike | Sequence[IkParameterization],
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
    ) -> IkPath:
        """Return a continuous joint path through goals; see `Manipulator.follow`.

        This one calls `solve` for each goal from the solution of the goal before, and
        between goals wherever joints do not move evenly: there the solution may have
        changed its branch. A solver that knows derivatives does better.
        """
        from pyrave.ik.path_solver import follow_by_solving

        return follow_by_solving(self, targets, q0, as_filter_options(options))

    def require_manipulator(self) -> Manipulator:
        """Return the manipulator.

        Raises
        ------
        StateError
            The solver was given none, or it is gone.
        """
        manipulator = self.get_manipulator()
        if manipulator is None:
            raise StateError(
                f"{self!r} has no manipulator; assign it: arm.ik_solver = solver"
            )
        return manipulator

    # -- filters -----------------------------------------------------------------

    def register_custom_filter(self, priority: int, ik_filter: IkFilter) -> Handle:
        """Call a filter with every candidate, higher priorities first.

        The filter gets (solution, manipulator, goal), may change the solution in
        place, and returns an action or an IkReturn whose values are kept: SUCCESS
        accepts, REJECT refuses this candidate, QUIT ends the search. The robot is at
        the candidate. Filters of the priority `LAST` come after collision checks.
        """
        if not callable(ik_filter):
            raise ArgumentError(f"the IK filter {ik_filter!r} cannot be called")
        if not isinstance(priority, Integral):
            raise ArgumentError(
                f"the priority of an IK filter is {priority!r}, expected a whole number"
            )
        self._filter_count += 1
        entry = (-int(priority), self._filter_count, ik_filter)
        self._filters.append(entry)
        self._filters.sort(key=lambda item: item[:2])

        def remove() -> None:
            if entry in self._filters:
                self._filters.remove(entry)

        return Handle(remove)

    def register_finish_callback(self, callback: IkFinishCallback) -> Handle:
        """Call a function with every answer that is about to be returned."""
        if not callable(callback):
            raise ArgumentError(f"the IK callback {callback!r} cannot be called")
        self._finish_callbacks.append(callback)

        def remove() -> None:
            if callback in self._finish_callbacks:
                self._finish_callbacks.remove(callback)

        return Handle(remove)

    @property
    def first_priority(self) -> int:
        """The greatest priority of a filter, 0 if there are none."""
        return max((-minus for minus, _, _ in self._filters), default=0)

    @property
    def filtered(self) -> bool:
        """True if there are custom filters."""
        return bool(self._filters)

    def call_filters(
        self, solution: Array, goal: IkParameterization, *, last: bool | None = None
    ) -> IkReturn:
        """Run the custom filters on a candidate until one does not accept it.

        Parameters
        ----------
        last
            False: those above the priority `LAST`; True: those of it; None: all.
        """
        manipulator = self.get_manipulator()
        result = IkReturn(IkAction.SUCCESS, solution)
        if manipulator is None:
            return result
        before = solution.copy()
        for priority, _, ik_filter in tuple(self._filters):
            if last is not None and last is not (-priority <= self.LAST):
                continue
            answer = ik_filter(solution, manipulator, goal)
            failures: tuple[str, ...] = ()
            if isinstance(answer, IkReturn):
                result.values.update(answer.values)
                failures = answer.failures
                if answer.solution is not None:
                    name = f"the solution of the IK filter {ik_filter!r}"
                    solution[:] = as_vector(answer.solution, len(solution), name)
                answer = answer.action
            if not isinstance(answer, Integral) or isinstance(answer, bool):
                raise ArgumentError(
                    f"the IK filter {ik_filter!r} returned {answer!r}, expected an "
                    "IkAction (SUCCESS, REJECT, QUIT) or an IkReturn"
                )
            if answer != IkAction.SUCCESS:
                return IkReturn(
                    IkAction(int(answer)) | IkAction.REJECT_CUSTOM_FILTER,
                    None,
                    result.values,
                    failures,
                )
        if (solution != before).any():
            self.verified.trust(solution)
        return result

    def call_finish_callbacks(self, answer: IkReturn, goal: IkParameterization) -> None:
        """Pass an answer to the finish callbacks."""
        if self._finish_callbacks:
            manipulator = self.require_manipulator()
            for callback in tuple(self._finish_callbacks):
                callback(answer, manipulator, goal)
