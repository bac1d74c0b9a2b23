"""Smoothers: shortcuts of a path, in time, that the environment leaves free."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces import (
    PlannerAction,
    PlannerProgress,
    PlannerStatus,
    PlannerStatusCode,
)
from pyrave.planning.timing.moving_average import averaged, window_of
from pyrave.planning.timing.rest_to_rest import rest_to_rest
from pyrave.planning.timing.time_shortcuts import samples, shortened
from pyrave_planners.free_space import FreeSpace
from pyrave_planners.retimers import at_constant_speeds
from pyrave_planners.timing_planner import TimingPlanner, TimingProblem

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters
    from pyrave.planning import TimedPath
    from pyrave.spatial import Array

_ROUNDS = 100
_STEP = 1e-3
"""Seconds between the last checks of a result."""
_TRIES = 3
_GAIN = 1e-6


class _Smoother(TimingPlanner):
    """Checks the path it is given, and what it makes of it."""

    def _timed(
        self, problem: TimingProblem, given: PlannerParameters
    ) -> tuple[TimedPath, str] | PlannerStatus:
        if problem.velocities is not None or problem.durations is not None:
            raise ArgumentError(
                "<hasvelocities> and <hastimestamps> are not for smoothers, which "
                "choose velocities and times; take a retimer"
            )
        steps = self._resolutions(given)
        self._since, self._interrupted = time.monotonic(), False
        with FreeSpace(self.env, given, problem.points) as space:
            first = rest_to_rest(
                problem.points, problem.velocity_limits, problem.acceleration_limits
            )
            if self._options.verify_initial_path:
                rows = samples(first, steps)
                if not space.is_free(rows):
                    return PlannerStatus(
                        PlannerStatusCode.FAILED | PlannerStatusCode.ENV_COLLISION,
                        f"the path is not free: {space.what_blocks(rows)}",
                        time.monotonic() - self._since,
                    )
            found = self._smoothed(problem, given, space, steps)
        if self._interrupted and not self._returns:
            return PlannerStatus(
                PlannerStatusCode.INTERRUPTED, "a callback interrupted the smoothing"
            )
        return found, f"{found.duration:.6g} s"

    @abstractmethod
    def _smoothed(
        self,
        problem: TimingProblem,
        given: PlannerParameters,
        space: FreeSpace,
        steps: Array,
    ) -> TimedPath:
        """Return a motion through the points that takes less time."""

    def _goes_on(self, k: int) -> bool:
        given = self._parameters
        most = given.max_planning_time if given is not None else 0.0
        if most > 0.0 and time.monotonic() - self._since > most:
            return False
        action = self.call_progress(PlannerProgress(k))
        if action is PlannerAction.CONTINUE:
            return True
        self._interrupted = True
        self._returns = action is PlannerAction.RETURN_WITH_ANY_SOLUTION
        return False

    def _rounds(self, given: PlannerParameters) -> int:
        return given.max_iterations if given.max_iterations > 0 else _ROUNDS

    @staticmethod
    def _resolutions(given: PlannerParameters) -> Array:
        steps = np.array(given.resolutions, float)
        if not len(steps):
            return np.full(given.dof, max(given.step_length, 1e-6))
        if steps.shape != (given.dof,) or not (steps > 0.0).all():
            raise ArgumentError(
                f"resolutions are {steps}, expected {given.dof} positive numbers"
            )
        return steps

    _since: float = 0.0
    _interrupted: bool = False
    _returns: bool = False


class LinearSmoother(_Smoother):
    """Straight shortcuts between random places of the path, at constant speeds."""

    contract = 2
    interpolation = "linear"

    def _smoothed(
        self,
        problem: TimingProblem,
        given: PlannerParameters,
        space: FreeSpace,
        steps: Array,
    ) -> TimedPath:
        for _ in range(_TRIES):
            points = self._shortcut(problem.points, given, space, steps)
            if _is_line_free(points, 0.25 * steps, space):
                return at_constant_speeds(_with_points(problem, points))
            steps = 0.5 * steps
        return at_constant_speeds(problem)

    def _shortcut(
        self, points: Array, given: PlannerParameters, space: FreeSpace, steps: Array
    ) -> Array:
        """Return the waypoints of a path that is shorter."""
        rng = np.random.default_rng(given.random_seed)
        for k in range(self._rounds(given)):
            if len(points) < 3 or not self._goes_on(k):
                break
            lengths = np.max(np.abs(np.diff(points, axis=0)) / steps, axis=1)
            at = np.concatenate(([0.0], np.cumsum(lengths)))
            start, end, ends = 0.0, at[-1], points[[0, -1]]
            if k:
                start, end = np.sort(rng.uniform(0.0, end, 2)).tolist()
                ends = np.stack(
                    [np.interp((start, end), at, column) for column in points.T], axis=1
                )
            straight = float(np.max(np.abs(ends[1] - ends[0]) / steps))
            if straight > (1.0 - _GAIN) * (end - start):
                continue
            fractions = np.linspace(0.0, 1.0, int(np.ceil(straight)) + 2)[:, None]
            if space.is_free(ends[0] + fractions * (ends[1] - ends[0])):
                points = np.concatenate((points[at < start], ends, points[at > end]))
        return points


class ParabolicSmoother(_Smoother):
    """Shortcuts of constant accelerations between random times."""

    contract = 2
    interpolation = "quadratic"
    is_waypoint: ClassVar[bool] = True

    def _smoothed(
        self,
        problem: TimingProblem,
        given: PlannerParameters,
        space: FreeSpace,
        steps: Array,
    ) -> TimedPath:
        return self._shortened(problem, given, space, steps)

    def _shortened(
        self,
        problem: TimingProblem,
        given: PlannerParameters,
        space: FreeSpace,
        steps: Array,
        part: float = 1.0,
    ) -> TimedPath:
        """Return shortcuts with a part of the acceleration that there may be."""
        accelerations = part * problem.acceleration_limits
        limits = np.stack(
            (problem.velocity_limits, accelerations, problem.lower, problem.upper)
        )
        straight = rest_to_rest(problem.points, problem.velocity_limits, accelerations)
        straight = self._slowed(straight)
        for _ in range(_TRIES):

            def is_free(motion: TimedPath, wanted: Array = steps) -> bool:
                return self._is_allowed(motion) and space.is_free(
                    samples(motion, wanted)
                )

            found = shortened(
                straight,
                limits,
                is_free,
                rounds=self._rounds(given),
                seed=given.random_seed,
                goes_on=self._goes_on,
            )
            if self._is_wholly_free(found, space):
                return found
            steps = 0.5 * steps
        return straight

    @staticmethod
    def _is_wholly_free(motion: TimedPath, space: FreeSpace) -> bool:
        count = int(np.ceil(motion.duration / _STEP)) + 1
        times = np.linspace(0.0, motion.duration, count)
        return space.is_wholly_free(times, lambda some: motion.at(some)[0])

    def _slowed(self, straight: TimedPath) -> TimedPath:
        """Return a motion that rests at waypoints within further limits."""
        return straight

    def _is_allowed(self, motion: TimedPath) -> bool:
        """Return True if a shortcut is within further limits."""
        return True


class CubicSmoother(ParabolicSmoother):
    """Shortcuts of constant accelerations, averaged: piecewise constant jerk.

    Where the average is not free it is that of a slower motion, which it differs less
    from, and at last the motion that rests at waypoints.
    """

    contract = 2
    interpolation = "cubic"
    is_waypoint: ClassVar[bool] = False

    def _smoothed(
        self,
        problem: TimingProblem,
        given: PlannerParameters,
        space: FreeSpace,
        steps: Array,
    ) -> TimedPath:
        if problem.jerk_limits is None:
            raise ArgumentError("jerk_limits are empty; assign parameters.jerk_limits")
        part = _best_part(problem)
        for _ in range(_TRIES):
            found = self._shortened(problem, given, space, steps, part)
            motion = self._averaged(found, problem.jerk_limits)
            if self._is_wholly_free(motion, space):
                return motion
            part *= 0.5
        return self._at_rest(problem)

    def _averaged(self, motion: TimedPath, jerk_limits: Array) -> TimedPath:
        window = window_of(motion, jerk_limits)
        return averaged(motion, window) if window > 0.0 else motion

    def _at_rest(self, problem: TimingProblem) -> TimedPath:
        return rest_to_rest(
            problem.points,
            problem.velocity_limits,
            problem.acceleration_limits,
            problem.jerk_limits,
            law="s-curve",
        )


class QuinticSmoother(CubicSmoother):
    """Shortcuts of constant accelerations, averaged twice: continuous jerk."""

    contract = 2
    interpolation = "quintic"

    def _averaged(self, motion: TimedPath, jerk_limits: Array) -> TimedPath:
        window = window_of(motion, jerk_limits)
        if window <= 0.0:
            return motion
        return averaged(averaged(motion, window), 0.5 * window)

    def _at_rest(self, problem: TimingProblem) -> TimedPath:
        return rest_to_rest(
            problem.points,
            problem.velocity_limits,
            problem.acceleration_limits,
            problem.jerk_limits,
            law="quintic",
        )


def _is_line_free(points: Array, steps: Array, space: FreeSpace) -> bool:
    """Return True if the lines between waypoints (k, dof) are free."""
    lengths = np.max(np.abs(np.diff(points, axis=0)) / steps, axis=1, initial=0.0)
    along = np.concatenate(([0.0], np.cumsum(lengths)))

    def at(places: Array) -> Array:
        return np.stack(
            [np.interp(places, along, values) for values in points.T], axis=1
        )

    count = int(np.ceil(along[-1])) + 1
    return space.is_wholly_free(
        np.union1d(along, np.linspace(0.0, along[-1], count)), at
    )


def _best_part(problem: TimingProblem) -> float:
    """Return the part of the acceleration with which an average takes the least time.

    Less acceleration takes longer, but its average a shorter window.
    """
    jerks = problem.jerk_limits
    if jerks is None:
        return 1.0

    def duration(part: float) -> float:
        accelerations = part * problem.acceleration_limits
        straight = rest_to_rest(
            problem.points[[0, -1]], problem.velocity_limits, accelerations
        )
        return straight.duration + window_of(straight, jerks)

    parts = np.geomspace(1.0, 1e-3, 31).tolist()
    return float(min(parts, key=duration))


def _with_points(problem: TimingProblem, points: Array) -> TimingProblem:
    return TimingProblem(
        points,
        None,
        None,
        problem.velocity_limits,
        problem.acceleration_limits,
        problem.jerk_limits,
        problem.lower,
        problem.upper,
    )
