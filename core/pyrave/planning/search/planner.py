"""Base of planners that search: problems, limits of time, results."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, SettingError, shown
from pyrave.interfaces import (
    PlannerAction,
    PlannerBase,
    PlannerParameters,
    PlannerProgress,
    PlannerStatus,
    PlannerStatusCode,
    TrajectoryBase,
    setting,
)
from pyrave.interfaces.collision.touching_links import TOUCHING, touches_of_ends
from pyrave.kinematics.affine import Affine
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.search.post_processors import post_process
from pyrave.planning.search.problem import (
    MOVING,
    PreparedParameters,
    Problem,
    Refused,
    collision_text,
)
from pyrave.planning.search.samples import box_of
from pyrave.planning.search.simplifier import Simplifier
from pyrave.planning.search.user_space import UserSpace
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import Robot
    from pyrave.environment import Environment
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_REFINEMENTS = 4
_LONGEST = 1e9
_MAX_ITERATIONS = 100_000
_UNLIMITED = 1_000_000_000
_SLIDES = Affine.X | Affine.Y | Affine.Z
_moving = attrgetter(*MOVING)
_BASE_STEP = 0.5
"""Metres that a base goes in a step if no range is given."""


@dataclass(frozen=True, slots=True)
class SearchStatistics:
    """Statistics of a planner's search.

    Parameters
    ----------
    iterations
        Samples.
    nodes
        Of all trees.
    checks
        Configurations whose collisions were checked.
    seconds
        Wall time of the search, without shortcuts.
    compiled
        Whether one kernel searched, not Python.
    goal_paths
        How many goals a path was found to; the shortest one is returned.
    found_length, length, straight_length
        Weighted length of the path as it was found, as it is returned, and of the
        straight motion between its ends, which no path is shorter than.
    """

    iterations: int = 0
    nodes: int = 0
    checks: int = 0
    seconds: float = 0.0
    compiled: bool = False
    goal_paths: int = 0
    found_length: float = 0.0
    length: float = 0.0
    straight_length: float = 0.0


class InterruptedSearch(Exception):  # noqa: N818 - it ends in a status
    """A search that ended without a path, and why."""

    def __init__(self, code: PlannerStatusCode, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class RangeSettings:
    """Settings of searches that go by steps."""

    range: float = setting(
        0.0,
        "longest step, as distances are measured; 0: a part of the space",
        least=0.0,
        most=_LONGEST,
    )


@dataclass(frozen=True)
class SearchSettings(RangeSettings):
    """Settings of searches for paths."""

    shortcuts: int = setting(
        32,
        "how often a path is made shorter before it is returned",
        least=0,
        most=_LONGEST,
    )


class SearchPlanner(PlannerBase):
    """Base of planners that search: a subclass writes `search`.

    All of them have the settings of `SearchSettings`. A subclass with more of them
    names a dataclass derived from it in its `settings_type`.
    """

    contract = 2
    settings_type: ClassVar[type] = SearchSettings
    needs_start = True
    finds_paths = True
    """False: what `search` returns is no path, and is not made shorter."""
    functions: ClassVar[frozenset[str]] = frozenset()
    """Functions of `OPTIONAL` in parameters that it calls; it refuses others."""
    default_seconds = 0.0
    """Limit of time where parameters have none; 0: none."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._problem: Problem | None = None
        self.statistics = SearchStatistics()
        """Statistics of the last call of `plan_path`."""
        self._begin = 0.0
        self._searched: Space | None = None
        self._compiling = 0.0

    @abstractmethod
    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d), or raise `InterruptedSearch`."""

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take a problem; the status says what is wrong with it."""
        self._problem = None
        if not isinstance(parameters, PlannerParameters):
            raise ArgumentError(
                f"parameters is {shown(parameters)}, expected PlannerParameters"
            )
        try:
            problem = Problem.from_parameters(
                robot,
                parameters,
                needs_start=self.needs_start,
                needs_goal=self.needs_goal,
            )
            if not self.needs_path:
                problem.check_functions(type(self).__name__, self.functions)
            self.take_problem(problem)
        except Refused as refused:
            return refused.status
        except SettingError as error:
            return PlannerStatus(PlannerStatusCode.FAILED, str(error))
        self._problem = problem
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "ready")

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use, None before `init_plan`."""
        return None if self._problem is None else self._problem.parameters

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem, or raise `Refused`."""
        self._own: Any = self.settings_for(problem.parameters)
        self._reach = float(self._own.range)
        self._shortcuts = int(getattr(self._own, "shortcuts", 0))

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Plan, and put the path into `trajectory`: waypoints, lines between them."""
        if not isinstance(trajectory, TrajectoryBase):
            raise ArgumentError(
                f"trajectory is {shown(trajectory)}, expected a trajectory to fill"
            )
        status, rows = self._found()
        problem = self._problem
        if not status or problem is None:
            return status
        spec = problem.parameters.specification
        if self.finds_paths and problem.parameters.post_processing:
            made = self._post_processed(problem, rows)
            if isinstance(made, PlannerStatus):
                return made
            spec, rows = made.spec, made.waypoints
        trajectory.init(spec)
        trajectory.insert(0, rows)
        return replace(status, seconds=time.perf_counter() - self._begin)

    def find_path(self) -> tuple[PlannerStatus, Array]:
        """Plan, and return the status and the path (n, dof); no trajectory is made."""
        problem = self._problem
        is_own = type(self).plan_path is SearchPlanner.plan_path
        if not is_own or (problem and problem.parameters.post_processing):
            return super().find_path()
        return self._found()

    def _found(self) -> tuple[PlannerStatus, Array]:
        self._begin = time.perf_counter()
        self.statistics, self._searched = SearchStatistics(), None
        problem, none = self._problem, np.empty((0, 0))
        if problem is None:
            text = "there is no problem; init_plan takes one, its status says if it did"
            return PlannerStatus(PlannerStatusCode.FAILED, text), none
        try:
            problem.check_robot()
            known, robot = problem.parameters, problem.robot
            moves_base = robot is not None and robot.active_choice.affine
            stays = known.is_plain and not (
                self._progress
                or (moves_base and problem.prepared_space is None)
                or any(_moving(known))
            )
            with _kept(problem, stays=stays):
                path = self._parted_path(problem)
        except InterruptedSearch as ended:
            return self._status(ended.code, str(ended)), none
        except Refused as refused:
            code, text = refused.status.code, refused.status.description
            if code & PlannerStatusCode.CUSTOM_FILTER and self.is_out_of_time():
                # functions that look at the clock refuse everything then
                code = PlannerStatusCode.TIME_BASED
                text = f"no path in the {self._time_limit:g} s of max_planning_time"
            return self._status(code, text), none
        found = self.statistics
        said = f"after {found.iterations} samples, {found.checks} checks"
        text = f"{len(path)} configurations {said}"
        if self.finds_paths:
            text = (
                f"a path of {len(path)} waypoints {said}; its length is "
                f"{found.length:.3g}, a straight motion's {found.straight_length:.3g}"
            )
        return self._status(PlannerStatusCode.HAS_SOLUTION, text), path

    def _post_processed(
        self, problem: Problem, path: Array
    ) -> TrajectoryBase | PlannerStatus:
        """Return the path as a trajectory, behind the planners that come after it."""
        made = self.env.create("trajectory", "")
        made.init(problem.parameters.specification)
        made.insert(0, path)
        failed = post_process(self.env, problem.robot, problem.parameters, made)
        return self._status(PlannerStatusCode.FAILED, failed) if failed else made

    def _status(self, code: PlannerStatusCode, text: str) -> PlannerStatus:
        seconds = time.perf_counter() - self._begin
        known = self.statistics
        return PlannerStatus(code, text, seconds, known.iterations, known.checks)

    def _parted_path(self, problem: Problem) -> Array:
        """Return a free path; what touches at its ends may part on the way."""
        try:
            return self._checked_path(problem)
        except Refused:
            robot = problem.robot
            if robot is None or not problem.parameters.is_plain:
                raise
            starts, goals = self.ends(problem)
            if not len(starts):
                raise
            with robot.preserve_state():
                touches = touches_of_ends(
                    robot, TOUCHING, problem.place, starts[0], goals
                )
            if not touches:
                raise
            with robot.env.collision_checker.allowing(touches):
                if isinstance(problem.parameters, PreparedParameters):
                    problem.parameters.prepared_space = None  # it knows none of these
                return self._checked_path(problem)

    def ends(self, problem: Problem) -> tuple[Array, Array]:
        """Return the starts and the possible ends of paths, (k, n) and (m, n)."""
        return problem.starts, problem.goals

    def _checked_path(self, problem: Problem) -> Array:
        """Return a path that is free between the steps of the search, too."""
        space = self._searched = self._space(problem)
        self._compiling, checks = space.compiling, space.checks
        for _ in range(_REFINEMENTS):
            path = self.search(problem, space)
            seconds = time.perf_counter() - self._begin
            if not self.finds_paths:
                self.statistics = replace(
                    self.statistics,
                    checks=space.checks - checks,
                    seconds=seconds,
                    compiled=space.compiled,
                )
                return path
            if space.first_blocked(path, searched=True) < 0:
                simplifier = Simplifier(space, problem.parameters.random_seed)
                first = simplifier.length(path)
                path = simplifier.shortened(path, self._shortcuts, self.is_out_of_time)
                length = straight = simplifier.length(path)
                if len(path) > 2:
                    straight = simplifier.length(path[[0, -1]])
                self.statistics = replace(
                    self.statistics,
                    checks=space.checks - checks,
                    seconds=seconds,
                    compiled=space.compiled,
                    found_length=first,
                    length=length,
                    straight_length=straight,
                )
                return path
            space.refine()
        raise InterruptedSearch(
            PlannerStatusCode.FAILED,
            "paths collide between the steps at which motions are checked, also at an "
            f"{2**_REFINEMENTS}th of the resolutions; give finer ones",
        )

    @staticmethod
    def _space(problem: Problem) -> Space:
        robot, known = problem.robot, problem.parameters
        if robot is not None and known.is_plain:
            try:
                prepared = problem.prepared_space
                if prepared is not None and prepared.serves(
                    known.weights, known.resolutions
                ):
                    prepared.restart()
                    return prepared
                return JointSpace(robot, known.weights, known.resolutions)
            except NotSupportedError:
                pass  # the general way is as good, and slower
        return UserSpace(robot, known)

    # -- for searches --------------------------------------------------------------

    def is_out_of_time(self) -> bool:
        """Return True if the time for planning is over."""
        assert self._problem is not None  # noqa: S101 - searches begin with one
        limit = self._time_limit
        compiling = 0.0
        if self._searched is not None:
            compiling = self._searched.compiling - self._compiling
        spent = time.perf_counter() - self._begin - compiling
        return limit > 0.0 and spent >= limit

    @property
    def most_iterations(self) -> int:
        """Largest number of samples that the search may take."""
        assert self._problem is not None  # noqa: S101 - searches begin with one
        given = int(self._problem.parameters.max_iterations)
        timed = self._problem.parameters.max_planning_time > 0.0
        return given or (_UNLIMITED if timed else _MAX_ITERATIONS)

    def go_on(self, iteration: int, *, found: bool = False) -> bool:
        """Ask the clock, the limit of iterations and the callbacks.

        Parameters
        ----------
        found
            There is a solution already, and a better one is looked for.

        Returns
        -------
        Whether to go on; False only if something was found.

        Raises
        ------
        InterruptedSearch
            This is the end, and nothing was found or the user wants nothing.
        """
        if self._progress:
            action = self.call_progress(PlannerProgress(iteration))
            if action is PlannerAction.INTERRUPT:
                self.interrupted(iteration)
            if found and action is PlannerAction.RETURN_WITH_ANY_SOLUTION:
                return False
        if found:
            return not self.is_out_of_time() and iteration < self.most_iterations
        if self.is_out_of_time():
            raise InterruptedSearch(
                PlannerStatusCode.TIME_BASED,
                f"no path after {iteration} samples in the "
                f"{self._time_limit:g} s of max_planning_time",
            )
        if iteration >= self.most_iterations:
            raise InterruptedSearch(
                PlannerStatusCode.FAILED,
                f"no path after {iteration} samples; max_iterations allows more",
            )
        return True

    @staticmethod
    def interrupted(iteration: int) -> NoReturn:
        """Raise that a callback ended the search."""
        raise InterruptedSearch(
            PlannerStatusCode.INTERRUPTED,
            f"a progress callback ended the search after {iteration} samples",
        )

    @property
    def _time_limit(self) -> float:
        given = (
            0.0 if self._problem is None else self._problem.parameters.max_planning_time
        )
        return float(given or self.default_seconds)

    def reach_of(self, problem: Problem, space: Space, part: float) -> float:
        """Return the longest step: as it was given, or a part of the space."""
        if "neighbour_state" in problem.parameters.changed_functions:
            # what is between two nodes, nobody projects
            return max(problem.parameters.step_length, 1e-9)
        if self._reach > 0.0:
            return max(self._reach, problem.parameters.step_length)
        lower, upper = box_of(problem)
        corner = np.asarray(upper - lower)
        weights = problem.parameters.weights
        size = np.linalg.norm(corner * weights if len(weights) else corner)
        reach = part * float(size)
        robot = problem.robot
        if robot is not None and problem.parameters.is_plain and len(weights):
            # rooms are large beside the ways through them
            moves = (robot.active.affine & _SLIDES).size
            first = len(robot.active_dof_indices)
            slides = weights[first : first + moves]
            reach = min(reach, _BASE_STEP * float(slides.min(initial=np.inf)))
        return max(reach, problem.parameters.step_length, 1e-9)

    @staticmethod
    def free_ends(
        problem: Problem, space: Space
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the row numbers of initial and of goal configurations that are free.

        Raises
        ------
        Refused
            None of those that were given is; the text says what is in the way.
        """
        found = []
        for what, rows, code in (
            ("initial", problem.starts, PlannerStatusCode.INITIAL),
            ("goal", problem.goals, PlannerStatusCode.GOAL),
        ):
            hits = space.hits(rows) if len(rows) else np.zeros(0, np.bool_)
            if not space.compiled:
                # what the user's constraints refuse
                hits |= np.array([not space.is_free(q, q) for q in rows], np.bool_)
            if len(rows) and hits.all():
                bits, text = collision_text(problem.robot, rows)
                which = "configuration is" if len(rows) == 1 else "configurations are"
                raise Refused(code | bits, f"the {what} {which} {text}")
            found.append(np.flatnonzero(~hits))
        return found[0], found[1]


@contextmanager
def _kept(problem: Problem, *, stays: bool) -> Iterator[None]:
    """Observe links that move, and restore everything afterwards.

    Parameters
    ----------
    stays
        No function of the user is called that could move anything.
    """
    known, before = problem.parameters, None
    if known.get_state is not None and not known.is_plain:
        before = np.array(known.get_state())
    robot = problem.robot
    try:
        if robot is None:
            yield
        else:
            checker = robot.env.collision_checker
            kept: AbstractContextManager[object] = (
                nullcontext() if stays else robot.preserve_state(StateParts.PLANNED)
            )
            with kept, checker.moving_links():
                yield
    finally:
        if before is not None and known.set_state is not None:
            known.set_state(before)
