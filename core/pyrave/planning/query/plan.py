"""Motion planning: from a goal to a verified motion, or the cause of failure."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyrave.bodies.bare_robots import warn_of_bare
from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import (
    ArgumentError,
    Error,
    PluginError,
    PluginGuard,
    shown,
)
from pyrave.interfaces import (
    PlannerAction,
    PlannerBase,
    PlannerProgress,
    PlannerStatus,
    PlannerStatusCode,
)
from pyrave.interfaces.base import author_error, with_origin
from pyrave.interfaces.collision.touching_links import TOUCHING, as_touching
from pyrave.jit import seconds_compiled
from pyrave.messages import ProgressLine
from pyrave.planning.query.arguments import (
    SearchLimits,
    as_jerks,
    as_limits,
    as_mover,
    as_planner,
    as_seed,
    as_start,
)
from pyrave.planning.query.causes import (
    PlanFailure,
    PlanFailureCode,
    collision_cause,
    limits_cause,
    listed,
)
from pyrave.planning.query.constrained_shortcuts import shortened
from pyrave.planning.query.constraints import PathConstraints
from pyrave.planning.query.goal_search import GoalSearch
from pyrave.planning.query.goals import (
    arms_of_goal,
    read_goals,
    read_values,
)
from pyrave.planning.query.obstruction import what_blocks
from pyrave.planning.query.options import RobotPlanOptions
from pyrave.planning.query.path_timing import MotionScale, timed
from pyrave.planning.query.planner_parameters import make_parameters
from pyrave.planning.query.result import PlanResult, PlanStatistics
from pyrave.planning.query.space import LIMIT_TOLERANCE, PlanningSpace
from pyrave.records import Record
from pyrave.spatial import as_number
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array, IndicesLike

Result = TypeVar("Result")
GoalFinder = Callable[[], tuple["Array", PlanFailure | None]]
_GOALS = 0.4
"""Part of the time that goal functions may take."""
_REASON_SHARE = 0.05
"""Part of the time that is kept for finding obstacles."""
_MAX_REASON_SECONDS = 0.3
"""Largest time for finding obstacles, seconds."""
_LEAST = 0.2
"""Part of the time that a search has when finding goals took all of it."""
_COMPILING = 1.0
"""Seconds of compiling after which a search that found nothing has another go."""
_LATE = 0.5
"""Seconds beyond its time after which it is said that a planner does not keep it."""
_INTERRUPTED = PlannerStatusCode.INTERRUPTED
_FINER = (1.0, 4.0, 16.0)
"""Steps of path checks, until the motion between them is free, too."""
_MET = 1e-9


def plan(
    mover: Robot | Manipulator,
    goal: Any = None,
    *,
    values: ArrayLike | None = None,
    dof_indices: IndicesLike | None = None,
    manipulator: Manipulator | str | None = None,
    planner: str | PlannerBase | None = None,
    start: ArrayLike | None = None,
    seed: int = 0,
    timeout: float = 5.0,
    constraints: Any = (),
    speed: float = 1.0,
    jerk_limits: ArrayLike | None = None,
    touching: float | None = TOUCHING,
    limit_tolerance: float = LIMIT_TOLERANCE,
    progress: Callable[[PlannerProgress], PlannerAction | None] | None = None,
    max_iterations: int | None = None,
    step_length: float | None = None,
    **settings: Any,
) -> PlanResult:
    """Return a verified motion of a robot to a goal, or the reason why there is none.

    A manipulator moves the joints of its arm; a robot its active degrees of freedom,
    base motions too, or `dof_indices`. Collisions count of links that these move. Poses
    become IK solutions of which the planner reaches one. The path that it finds is
    timed by `retime`, corners rounded as far as nothing is in the way, and verified
    every millisecond. Whatever happens, the environment is as it was before.

    Parameters
    ----------
    mover
        In an environment.
    goal
        A pose T_world_tool, (4, 4) or qw qx qy qz x y z; (n,) values, a mapping of some
        names to values, an `IkParameterization` in the world, a function of values, or
        several of these as a list or an array with one more axis. A mapping of arms of
        a robot, or of their names, to poses moves the joints of all of them. Seven
        numbers for seven joints may be both, and are refused: see `values`. A function
        is called with the robot at the values, and returns True where the goal is met,
        or a number that falls to 0 there.
    values
        (n,) values of what is planned for, or (k, n) of which one is to be reached, in
        place of `goal`.
    dof_indices
        Joints of a robot to plan for instead of its active degrees of freedom.
    manipulator
        Whose poses and constraints of tools are meant; the active one of a robot.
    planner
        An object or an id; None for the default, a bidirectional RRT.
    start
        (n,) where to start; where the robot is if left out.
    seed
        Of everything random: the same seed gives the same result.
    timeout
        Seconds for all of it, compiling excepted: the first call on a machine takes so
        much longer, unless ``pyrave warm`` came before.
    constraints
        What the whole path keeps: functions of values that return True or False, or
        numbers that are 0; `ToolDirection`, `TaskSpaceRegion` or another `Constraint`.
    speed
        Part of the velocity and acceleration limits that is used, above 0 to 1.
    jerk_limits
        (n,) or one number, per second cubed; jerks are not limited without.
    touching
        Metres: pairs of links that are no deeper in each other at the start may part,
        or slide, and what the robot holds may come to lie so deep at the goal. Nowhere
        is a pair deeper than at the ends. None: whatever touches collides.
    limit_tolerance
        Radians or metres: a start or goal that is no further beyond a limit is taken at
        the limit. Encoders, solvers and single precision give such.
    progress
        Called while the planner searches; it may return a `PlannerAction`.
    max_iterations
        Samples that the search may take; None: as many as there is time for.
    step_length
        Length of its steps, as distances are measured; None: 0.04.
    **settings
        Of the planner of an id, for example ``range=0.2``; ``pyrave plugins`` lists
        planners, ``pyrave plugins show Id`` the settings of one.

    Returns
    -------
    PlanResult
        True if a motion was found. Else its `cause` says what is in the way.

    Raises
    ------
    ArgumentError
        A goal of a wrong length or not finite, joints without limits or resolutions,
        options without meaning.
    SettingError
        The planner has no such setting, or it does not take the value.
    InterfaceNotFoundError
        There is no such planner.
    StateError
        The robot is in no environment.
    PluginError
        The planner raised, or returned something that is no path to the goal.
    """
    began = perf_counter()
    robot, arm = as_mover(mover, manipulator, dof_indices)
    seconds = as_number(timeout, "timeout", 1e-6)
    scale = as_number(speed, "speed", 1e-3, 1.0)
    seed = as_seed(seed)
    env = robot.env
    known = ("goal", "values", *RobotPlanOptions.__annotations__)
    made = as_planner(robot, planner, settings, known)
    limits = as_limits(max_iterations, step_length)
    warn_of_bare(robot, "planning for")
    with ExitStack() as stack:
        stack.enter_context(env.lock())
        stack.enter_context(env.preserve_state(StateParts.PLANNED))
        if isinstance(mover, Manipulator):
            robot.set_active_dofs(mover.arm_indices)
        elif dof_indices is not None:
            robot.set_active_dofs(dof_indices)
        elif arms := arms_of_goal(goal, robot):
            robot.set_active_dofs(np.concatenate([one.arm_indices for one in arms]))
        slack = as_number(limit_tolerance, "limit_tolerance", 0.0)
        space = PlanningSpace(robot, slack)
        stack.enter_context(env.collision_checker.moving_links())
        first = space.values if start is None else as_start(start, space)
        first = space.at_limits(first)
        space.placed(first)
        space.prepare()
        asked = Planning(
            space,
            made,
            PathConstraints(space, arm, constraints, first),
            first,
            np.random.default_rng(seed),
            seed,
            began,
            seconds,
            MotionScale(scale, as_jerks(jerk_limits, space)),
            Progress(progress),
            limits,
            as_touching(touching),
        )
        if (goal is None) == (values is None):
            said = "no goal" if goal is None else "two goals"
            raise ArgumentError(f"the plan has {said}, expected a goal or values=")
        wanted = read_values(values, space) if goal is None else read_goals(goal, space)
        search = GoalSearch(
            space, arm, asked.constraints, first, asked.rng, asked.goal_deadline
        )
        return asked.result(lambda: search.configurations(wanted))


@dataclass(slots=True)
class Progress:
    """Passes progress on, and keeps what the user's callback raised."""

    callback: Callable[[PlannerProgress], PlannerAction | None] | None
    iteration: int = 0
    error: BaseException | None = None

    def __post_init__(self) -> None:
        if self.callback is not None and not callable(self.callback):
            raise ArgumentError(
                f"progress is {shown(self.callback)}, expected a function"
            )

    def shown_by(self, planner: PlannerBase) -> AbstractContextManager[object]:
        """Listen to a planner, if there is somebody to pass progress on to."""
        if self.callback is None:
            return nullcontext()  # a search without listeners calls no Python
        return planner.register_progress_callback(self)

    def __call__(self, progress: PlannerProgress) -> PlannerAction | None:
        """Pass progress on; interrupt if the callback raises."""
        assert self.callback is not None  # noqa: S101 - nothing listens without
        self.iteration = max(self.iteration, progress.iteration)
        with PluginGuard() as guard:
            return self.callback(progress)
        self.error = guard.error
        return PlannerAction.INTERRUPT


@dataclass(slots=True)
class Planning(Record):
    """One call of `plan`, its arguments checked."""

    space: PlanningSpace
    planner: PlannerBase
    constraints: PathConstraints
    start: Array
    rng: np.random.Generator
    seed: int
    began: float
    timeout: float
    motion_scale: MotionScale
    progress: Progress
    limits: SearchLimits
    touching: float | None = TOUCHING
    seconds: dict[str, float] = field(default_factory=dict)
    compiled: float = field(default_factory=seconds_compiled)
    overtime: float = 0.0
    goals: int = 0
    gap: float = np.inf

    @property
    def goal_deadline(self) -> float:
        """Until when goals are looked for, of `time.perf_counter`."""
        return self.deadline - (1.0 - _GOALS) * self.timeout

    @property
    def deadline(self) -> float:
        """Until when there has to be an answer, of `time.perf_counter`."""
        compiling = max(self.space.compiling, seconds_compiled() - self.compiled)
        return self.began + self.timeout + compiling

    def result(self, find_goals: GoalFinder) -> PlanResult:
        """Plan, and say what came of it.

        Parameters
        ----------
        find_goals
            Returns (k, n) free configurations that meet the goals, or the cause of
            none.
        """
        line = ProgressLine(f"planning for {self.space.robot.name}", self.timeout)
        with line, ExitStack() as stack:
            return self._result(find_goals, stack)

    def _result(self, find_goals: GoalFinder, stack: ExitStack) -> PlanResult:
        """Plan; what may touch does so until the stack ends."""
        cause = self._wrong_start(stack)
        if cause is not None:
            return self._failed(cause)
        goals, cause = self._phase("goal", self._found_goals, find_goals, stack)
        self.goals = len(goals)
        if cause is not None:
            return self._failed(cause)
        violations: tuple[str, ...] = ()
        status = PlannerStatus(PlannerStatusCode.FAILED)
        for finer in _FINER:
            if violations and perf_counter() > self.deadline:
                break
            path, status, cause = self._phase("search", self._searched, goals, finer)
            if cause is not None:
                return self._failed(cause, status)
            self.space.place(self.start)  # from where loops are followed
            motion = self._phase(
                "timing", timed, self.space, path, self.motion_scale, self.constraints
            )
            violations = motion.violations
            if motion.trajectory is not None:
                self.gap = motion.gap
                return self._found(path, motion.trajectory, status)
        text = f"the path that was found cannot be used: {listed(violations, 3, '; ')}"
        hint = "Smaller robot.dof_resolutions make path checks finer."
        return self._failed(
            PlanFailure(PlanFailureCode.NOT_VERIFIED, text, hint, reasons=violations),
            status,
        )

    def _found_goals(
        self, find_goals: GoalFinder, stack: ExitStack
    ) -> tuple[Array, PlanFailure | None]:
        """Return goals; if none is free, those where what is held only touches."""
        space, most = self.space, self.touching
        goals, cause = find_goals()
        collides = cause is not None and cause.code is PlanFailureCode.GOAL_COLLISION
        if not collides or most is None or not space.holds_bodies:
            return goals, cause
        with space.letting_place(most):
            placed, refused = find_goals()
        if refused is not None:
            return goals, cause
        stack.enter_context(space.letting_part(placed, most, held=True))
        return placed, None

    def _wrong_start(self, stack: ExitStack) -> PlanFailure | None:
        space, start, codes = self.space, self.start, PlanFailureCode
        cause = limits_cause(space, start, codes.START_LIMITS, "the start")
        if cause is not None:
            return cause
        hit = bool(space.hits(start[None])[0])
        if hit and self.touching is not None:
            stack.enter_context(space.letting_part((start,), self.touching))
            hit = bool(space.hits(start[None])[0])
        if hit:
            return collision_cause(space, start, codes.START_COLLISION, "the start")
        if not self.constraints.are_met(start):
            text = f"the start is off a constraint: {self.constraints.text(start)}"
            hint = "Start where the constraint is met."
            return PlanFailure(codes.START_CONSTRAINT, text, hint)
        return None

    def _searched(
        self, goals: Array, finer: float
    ) -> tuple[Array, PlannerStatus, PlanFailure | None]:
        """Let the planner search; return the path (k, n), or the cause of none."""
        space, planner = self.space, self.planner
        none = np.empty((0, space.dof))
        # what a first call compiles takes longer than any search: it has another go
        for _ in range(2):
            begin, seconds = perf_counter(), self._left()
            compiled = seconds_compiled()
            parameters = make_parameters(
                space,
                self.start,
                goals,
                self.constraints,
                seed=self.seed,
                seconds=seconds,
                finer=finer,
                limits=self.limits,
            )
            space.place(self.start)
            try:
                with self.progress.shown_by(planner):
                    status = self._called(planner.init_plan, space.robot, parameters)
                    if not isinstance(status, PlannerStatus):
                        raise PluginError(
                            f"init_plan() of {with_origin(planner)} returned "
                            f"{shown(status)}, expected a PlannerStatus"
                        )
                    if not status:
                        said = status.description or "it gives no reason"
                        return none, status, self._refused(said)
                    found = self._called(planner.find_path)
            finally:
                parameters.prepared_space = None  # of the scene as it is now
            if self.progress.error is not None:
                raise self.progress.error
            match found:
                case PlannerStatus() as status, np.ndarray() as path:
                    pass
                case _:
                    raise PluginError(
                        f"find_path() of {with_origin(planner)} returned "
                        f"{shown(found)}, expected a PlannerStatus and an array "
                        "(n, dof)"
                    )
            compiled = seconds_compiled() - compiled
            self.overtime = perf_counter() - begin - seconds - compiled
            again = compiled >= _COMPILING and perf_counter() < self.deadline
            if status or status.code & _INTERRUPTED or not again:
                break
        if not status:
            return none, status, self._unsuccessful(goals, status)
        path = self._checked(path, goals)
        if self.constraints:
            end = min(self.deadline, begin + seconds)
            path = shortened(space, parameters, path, self.rng, end)
        return path, status, None

    def _left(self) -> float:
        """Return the seconds that a search may take, some in any case."""
        kept = min(_REASON_SHARE * self.timeout, _MAX_REASON_SECONDS)
        left = self.deadline - kept - perf_counter()
        return max(left, min(_LEAST * self.timeout, 1.0))

    def _called(self, call: Callable[..., Result], *arguments: Any) -> Result:
        """Call the planner; what users' functions raise passes as it is."""
        with PluginGuard(passes=Error) as guard:
            return call(*arguments)
        error = guard.error
        assert error is not None  # noqa: S101 - the guard kept it
        if error is self.constraints.error:
            raise error
        raise author_error(self.planner, call.__name__, error) from error

    def _refused(self, said: str) -> PlanFailure:
        return PlanFailure(
            PlanFailureCode.PLANNER_REFUSED,
            f"{self.planner!r} refuses the problem: {said}",
            "Another planner= may be made for it.",
            reasons=(said,),
        )

    def _unsuccessful(self, goals: Array, status: PlannerStatus) -> PlanFailure:
        """Return the cause of a search that ended without a path."""
        said = status.description
        reasons = (said,) if said else ()
        if status.code & PlannerStatusCode.INTERRUPTED:
            text = f"the search was interrupted{': ' + said if said else ''}"
            return PlanFailure(PlanFailureCode.INTERRUPTED, text, reasons=reasons)
        spent = perf_counter() - self.began
        kept = min(_REASON_SHARE * self.timeout, _MAX_REASON_SECONDS)
        end = max(perf_counter(), self.deadline - kept) + kept
        blocking = what_blocks(self.space, self.start, goals, self.rng, end)
        lines = [f"no path was found in {spent:.2f} s"]
        if said:
            lines[0] += f" ({said})"
        if self.overtime > _LATE:
            lines.append(
                f"{self.planner!r} searched for {self.overtime:.1f} s longer than its "
                "parameters.max_planning_time says"
            )
        if blocking.obstacles:
            names = listed(map(str, blocking.obstacles), 4)
            lines.append(f"motions collide most often with {names}")
        lines.append(blocking.text)
        return PlanFailure(
            PlanFailureCode.NO_PATH,
            "; ".join(filter(None, lines)),
            "More time (timeout=), another seed or planner may find one, unless what "
            "blocks closes every way.",
            reasons=reasons,
            obstacles=blocking.obstacles,
        )

    def _checked(self, path: Array, goals: Array) -> Array:
        """Return a planner's path whose ends are the start and a goal exactly."""
        space = self.space
        if not len(path) or not np.isfinite(path).all():
            found = "no waypoints" if not len(path) else "values that are not finite"
            raise PluginError(
                f"{with_origin(self.planner)} returned a path with {found}"
            )
        beyond = space.beyond(path)
        if beyond.any():
            raise PluginError(
                f"{with_origin(self.planner)} returned a path beyond the limits of "
                f"{space.named(np.any(beyond, axis=0))}"
            )
        begin = np.abs(space.difference(path[0], self.start)).max()
        ends = [np.abs(space.difference(path[-1], goal)).max() for goal in goals]
        last = int(np.argmin(ends))
        if begin > _MET or ends[last] > _MET:
            wrong = f"starts {begin:.3g} away from the start"
            if begin <= _MET:
                wrong = f"ends {ends[last]:.3g} away from the nearest goal"
            raise PluginError(
                f"{with_origin(self.planner)} returned a path that {wrong}"
            )
        if len(path) == 1:
            path = np.vstack((path, path))
        path = space.clipped(path)
        path[0] = self.start
        return path

    # -- what comes of it ------------------------------------------------------------

    def _phase(self, name: str, call: Callable[..., Result], *arguments: Any) -> Result:
        before = perf_counter()
        try:
            return call(*arguments)
        finally:
            spent = perf_counter() - before
            self.seconds[name] = self.seconds.get(name, 0.0) + spent

    def _statistics(self, path: Array, status: PlannerStatus | None) -> PlanStatistics:
        # the deadline is later by what the call has waited for machine code
        self.seconds["compiling"] = self.deadline - self.began - self.timeout
        self.seconds["total"] = perf_counter() - self.began
        space, iterations, checks = self.space, self.progress.iteration, 0
        if status is not None:
            iterations, checks = max(iterations, status.iterations), status.checks
        return PlanStatistics(
            iterations,
            space.checks + checks,
            self.goals,
            self.seconds,
            space.length(path),
            space.distance(path[-1], path[0]) if len(path) else 0.0,
            self.gap,
        )

    def _failed(
        self, cause: PlanFailure, status: PlannerStatus | None = None
    ) -> PlanResult:
        statistics = self._statistics(np.empty((0, self.space.dof)), status)
        code = cause.status | (
            PlannerStatusCode.FAILED if status is None else status.code
        )
        code &= ~PlannerStatusCode.HAS_SOLUTION
        total = statistics.seconds["total"]
        return PlanResult(
            PlannerStatus(code, cause.text, total),
            np.empty((0, self.space.dof)),
            None,
            statistics,
            cause,
        )

    def _found(
        self, path: Array, trajectory: TrajectoryBase, status: PlannerStatus
    ) -> PlanResult:
        whole = self.space.for_user(trajectory)
        return PlanResult(status, path, whole, self._statistics(path, status))
