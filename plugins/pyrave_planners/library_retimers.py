"""Retimers of the libraries toppra and ruckig, which the extra `planning` brings."""

from __future__ import annotations

import functools
import importlib
import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.planning import TimedPath, point_to_point
from pyrave.planning.timing.own_units import OwnUnits
from pyrave.planning.timing.timed_path import joined
from pyrave_planners.timing_planner import TimingPlanner

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters
    from pyrave.spatial import Array
    from pyrave_planners.timing_planner import TimingProblem

_STEPS, _STEPS_EACH = 100, 10
_SAME, _SLACK = 1e-9, 1e-6


class ToppraRetimer(TimingPlanner):
    """Go along the natural spline through the waypoints, as fast as toppra finds.

    Pham and Pham, "A New Approach to Time-Optimal Path Parameterization Based on
    Reachability Analysis", IEEE Transactions on Robotics 34, 2018. Between the points
    of its grid toppra may pass limits; the whole motion is slowed down until it keeps
    them.
    """

    contract = 2
    interpolation = "cubic"

    def _timed(
        self, problem: TimingProblem, given: PlannerParameters
    ) -> tuple[TimedPath, str]:
        if problem.velocities is not None or problem.durations is not None:
            raise ArgumentError(
                "toppra chooses times and velocities, expected neither <hastimestamps> "
                "nor <hasvelocities>"
            )
        library = _toppra()
        points = _distinct(problem.points)
        if len(points) == 1:
            return TimedPath(np.zeros(1), points, np.zeros_like(points)), ""
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        knots = np.concatenate(([0.0], np.cumsum(lengths)))
        # the spline is that of these knots in any units
        units = OwnUnits.from_limits(
            problem.velocity_limits, problem.acceleration_limits
        )
        rows = units.positions(points - points[0])
        ways = np.abs(np.diff(rows, axis=0)).max(axis=1)
        knots *= ways.sum() / knots[-1]
        steps = max(_STEPS, _STEPS_EACH * len(lengths))
        grid = np.union1d(np.linspace(0.0, knots[-1], steps + 1), knots)
        path = library.SplineInterpolator(knots, rows, bc_type="natural")
        velocities, accelerations = (
            _both(units.derivatives(limits, order))
            for order, limits in enumerate(
                (problem.velocity_limits, problem.acceleration_limits), 1
            )
        )
        limits = [
            library.constraint.JointVelocityConstraint(velocities),
            library.constraint.JointAccelerationConstraint(accelerations),
        ]
        found = library.algorithm.TOPPRA(limits, path, gridpoints=grid)
        motion = found.compute_trajectory(0, 0)
        if motion is None:
            raise ArgumentError("toppra finds no motion along the spline of the path")
        times = np.linspace(0.0, motion.duration, 4 * steps + 1)
        timed = TimedPath(
            units.second * times,
            points[0] + units.usual(motion(times)),
            units.usual(motion(times, 1), 1),
        )
        _check_positions(timed.positions, problem)
        return _slowed(timed, problem), ""


class RuckigRetimer(TimingPlanner):
    """Go with limited jerk from waypoint to waypoint, as fast as ruckig finds.

    Berscheid and Kröger, "Jerk-limited Real-time Trajectory Generation with Arbitrary
    Target States", Robotics: Science and Systems 2021. It rests at waypoints and goes
    along the lines between them, or has the velocities there that the trajectory has.
    """

    contract = 2
    interpolation = "cubic"

    def _timed(
        self, problem: TimingProblem, given: PlannerParameters
    ) -> tuple[TimedPath, str]:
        if problem.jerk_limits is None:
            raise ArgumentError(
                "the parameters have no jerk_limits, which ruckig needs"
            )
        points, rates = problem.points, problem.velocities
        if rates is None:
            rates = np.zeros_like(points)
        pieces = []
        for k in range(len(points) - 1):
            wanted = 0.0 if problem.durations is None else float(problem.durations[k])
            piece = point_to_point(
                points[k],
                points[k + 1],
                problem.velocity_limits,
                problem.acceleration_limits,
                problem.jerk_limits,
                start_velocity=rates[k],
                goal_velocity=rates[k + 1],
                straight=problem.velocities is None,
                duration=wanted,
            )
            if problem.durations is not None and piece.duration > wanted + _SAME:
                raise ArgumentError(
                    f"{wanted:.6g} s from waypoint {k} to {k + 1} are too few, within "
                    f"the limits it takes {piece.duration:.6g} s"
                )
            pieces.append(piece)
        timed = joined(points, rates, pieces)
        _check_positions(timed.positions, problem)
        return timed, ""


def _distinct(points: Array) -> Array:
    """Return the points (k, dof) without those that are as the one before."""
    size = np.abs(points - points[0]).max()
    moves = np.abs(np.diff(points, axis=0)).max(axis=1, initial=0.0)
    moves = moves > _SAME * min(size, 1.0)
    return points[np.concatenate(([True], moves))]


def _both(limits: Array) -> Array:
    return np.stack((-limits, limits), axis=1)


def _check_positions(positions: Array, problem: TimingProblem) -> None:
    beyond = np.maximum(problem.lower - positions, positions - problem.upper)
    row, column = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if beyond[row, column] > _SLACK * max(1.0, float(np.abs(positions).max())):
        raise ArgumentError(
            f"the motion passes the limits of value {column} by "
            f"{beyond[row, column]:.3g} between waypoints, expected waypoints farther "
            "from the limits or more of them"
        )


def _slowed(timed: TimedPath, problem: TimingProblem) -> TimedPath:
    """Return a motion, all of it slower by the same part if it passes limits."""
    _, first, second, third = timed.coefficients()
    spans = np.diff(timed.times)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = -second / (3.0 * third)
    turn = np.where((turn > 0.0) & (turn < spans), turn, 0.0)
    rates = [first + (2.0 * second + 3.0 * third * t) * t for t in (0.0, turn, spans)]
    changes = [2.0 * second + 6.0 * third * t for t in (0.0, spans)]
    fastest = np.abs(rates / problem.velocity_limits).max()
    hardest = np.abs(changes / problem.acceleration_limits).max()
    part = max(1.0, float(fastest), float(hardest) ** 0.5)
    return TimedPath(timed.times * part, timed.positions, timed.velocities / part)


@functools.cache
def _toppra() -> Any:
    try:
        library = importlib.import_module("toppra")
    except ImportError as error:
        raise NotSupportedError(
            "the planner toppra needs the library toppra, which cannot be imported "
            f"({error}); pip install 'pyrave[planning]'"
        ) from error
    log = logging.getLogger("toppra")
    if log.level == logging.NOTSET:
        log.setLevel(logging.ERROR)  # it warns of each grid that it is given
    return library
