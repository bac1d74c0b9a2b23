"""Retimers: waypoints get times, and the motion stays on the lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning import TimedPath
from pyrave.planning.timing.given_velocities import through_velocities
from pyrave.planning.timing.rest_to_rest import rest_to_rest
from pyrave_planners.timing_planner import TimingPlanner

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters
    from pyrave.planning.timing.rest_to_rest import Law
    from pyrave_planners.timing_planner import TimingProblem


class LinearRetimer(TimingPlanner):
    """Go at the greatest constant speed from waypoint to waypoint.

    Velocities jump at waypoints, from rest and to rest, too: acceleration has no limit.
    """

    contract = 2
    interpolation = "linear"

    def _timed(
        self, problem: TimingProblem, given: PlannerParameters
    ) -> tuple[TimedPath, str]:
        return at_constant_speeds(problem), ""


def at_constant_speeds(problem: TimingProblem) -> TimedPath:
    """Return the times of waypoints, with velocities that hold up to each."""
    points = problem.points
    ways = np.diff(points, axis=0)
    spans = np.max(np.abs(ways) / problem.velocity_limits, axis=1, initial=0.0)
    given = problem.durations
    if given is not None:
        brief = given < spans * (1.0 - 1e-9)
        if brief.any():
            row = int(np.argmax(brief))
            raise ArgumentError(
                f"{given[row]:.6g} s from waypoint {row} to {row + 1} are too few, "
                f"within the limits it takes {spans[row]:.6g} s"
            )
        spans = given
    velocities = np.zeros_like(points)
    moves = spans > 0.0
    velocities[1:][moves] = ways[moves] / spans[moves, None]
    return TimedPath(np.concatenate(([0.0], np.cumsum(spans))), points, velocities)


class _RestToRest(TimingPlanner):
    """Rest at each waypoint, unless there are velocities."""

    law: ClassVar[Law]

    def _timed(
        self, problem: TimingProblem, given: PlannerParameters
    ) -> tuple[TimedPath, str]:
        if problem.velocities is not None:
            return through_velocities(
                problem.points,
                problem.velocities,
                np.stack((problem.velocity_limits, problem.acceleration_limits)),
                None if self.interpolation == "quadratic" else problem.jerk_limits,
                np.stack((problem.lower, problem.upper)),
                interpolation=self.interpolation,
                durations=problem.durations,
            ), ""
        return rest_to_rest(
            problem.points,
            problem.velocity_limits,
            problem.acceleration_limits,
            problem.jerk_limits,
            law=self.law,
            durations=problem.durations,
        ), ""


class ParabolicRetimer(_RestToRest):
    """Go with constant accelerations from waypoint to waypoint: trapezoids of speed."""

    contract = 2
    interpolation = "quadratic"
    law = "trapezoid"


class CubicRetimer(_RestToRest):
    """Go on one cubic from waypoint to waypoint."""

    contract = 2
    interpolation = "cubic"
    law = "cubic"


class JerkLimitedRetimer(_RestToRest):
    """Go with constant jerks from waypoint to waypoint, up to seven phases each."""

    contract = 2
    interpolation = "cubic"
    law = "s-curve"


class QuinticRetimer(_RestToRest):
    """Go on one quintic from waypoint to waypoint, without acceleration at them."""

    contract = 2
    interpolation = "quintic"
    law = "quintic"
