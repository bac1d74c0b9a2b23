"""Base of retimers and smoothers: a trajectory in, a timed one out."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import ArgumentError, Error
from pyrave.interfaces import (
    PlannerBase,
    PlannerParameters,
    PlannerStatus,
    PlannerStatusCode,
)
from pyrave.kinematics import Affine
from pyrave.planning.search.problem import given_velocities
from pyrave.planning.timing.timed_trajectories import write_timed
from pyrave_planners.timing_options import TimingOptions

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning import TimedPath
    from pyrave.spatial import Array

_OUTSIDE = 1e-6
"""Violation of a limit up to which a waypoint is put on the limit."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class TimingProblem:
    """A path and what limits motions along it.

    Parameters
    ----------
    points
        (k, dof) waypoints, k >= 1; circular joints do not jump.
    velocities
        (k, dof) at the waypoints, or None.
    durations
        (k - 1,) seconds between waypoints, or None.
    velocity_limits, acceleration_limits, jerk_limits
        (dof,); no limit of jerk is None.
    lower, upper
        (dof,) limits of positions.
    """

    points: Array
    velocities: Array | None
    durations: Array | None
    velocity_limits: Array
    acceleration_limits: Array
    jerk_limits: Array | None
    lower: Array
    upper: Array


class TimingPlanner(PlannerBase):
    """Takes a trajectory's waypoints and puts a timed trajectory in its place."""

    interpolation: ClassVar[str]
    """Interpolation of the result."""
    is_waypoint: ClassVar[bool] = False
    """True if the result has a group ``iswaypoint``."""
    limits_links: ClassVar[bool] = False
    """True if it keeps speed and acceleration limits of links and tools."""
    needs_path = True
    settings_type = TimingOptions

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._parameters: PlannerParameters | None = None
        self._options = TimingOptions()

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take the limits; the path comes with the trajectory."""
        self._parameters = None
        try:
            options: TimingOptions = self.settings_for(parameters)
            self._check(parameters, options)
        except Error as error:
            return PlannerStatus(PlannerStatusCode.FAILED, str(error))
        self._parameters, self._options = parameters, options
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION)

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use, None before `init_plan`."""
        return self._parameters

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Time the waypoints of a trajectory, which stays as it was on failure."""
        start = time.perf_counter()
        given = self._parameters
        if given is None:
            return PlannerStatus(PlannerStatusCode.FAILED, "call init_plan first")
        try:
            problem = self._problem(given, trajectory)
            found = self._timed(problem, given)
        except Error as error:
            return PlannerStatus(PlannerStatusCode.FAILED, str(error), _since(start))
        if isinstance(found, PlannerStatus):
            return found
        timed, said = found
        write_timed(
            trajectory,
            given.specification,
            timed,
            interpolation=self.interpolation,
            is_waypoint=self.is_waypoint,
        )
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, said, _since(start))

    @abstractmethod
    def _timed(
        self, problem: TimingProblem, given: PlannerParameters
    ) -> tuple[TimedPath, str] | PlannerStatus:
        """Return the timed path and its message, or the reason for having none."""

    def _check(self, given: PlannerParameters, options: TimingOptions) -> None:
        spec, dof = given.specification, given.dof
        if not dof:
            raise ArgumentError("the parameters have no configuration specification")
        spec.require_valid()
        for group in spec.groups:
            if group.kind == "affine_transform":
                if group.affine_mask & Affine.ROTATION_QUAT:
                    raise ArgumentError(
                        f"group {group.name!r} has a quaternion, which has no speed "
                        "limit for each value; plan for a rotation about an axis"
                    )
            elif group.kind != "joint_values":
                raise ArgumentError(
                    f"group {group.name!r} cannot be timed, expected joint_values or "
                    "affine_transform"
                )
        for name in ("velocity_limits", "acceleration_limits"):
            _limits(getattr(given, name), dof, name)
        wanted = options.interpolation
        if wanted not in {"", self.interpolation}:
            raise ArgumentError(
                f"interpolation is {wanted!r}, {self.interface_id} gives "
                f"{self.interpolation!r}"
            )
        if options.limits_links and not self.limits_links:
            raise ArgumentError(
                f"{self.interface_id} keeps no limits of links and tools, expected "
                "max_link_speed, max_link_acceleration, max_tool_speed and "
                "max_tool_acceleration of 0; ConstraintParabolicSmoother keeps them, "
                "and pyrave.planning.retime has tool_speed="
            )
        if given.post_processing:
            raise ArgumentError(
                f"parameters.post_processing names {given.post_processing[0][0]!r}, "
                f"expected nothing: planners that find paths have others behind them, "
                f"{self.interface_id} is one of those"
            )
        velocities = given_velocities(given)
        if velocities:
            raise ArgumentError(velocities)

    def _problem(
        self, given: PlannerParameters, trajectory: TrajectoryBase
    ) -> TimingProblem:
        own, spec = trajectory.get_configuration_specification(), given.specification
        for group in spec.groups:
            if own.find_compatible_group(group) is None:
                raise ArgumentError(f"the trajectory has no group {group.name!r}")
        if not len(trajectory):
            raise ArgumentError("the trajectory has no waypoints, expected one or more")
        points = trajectory.get_waypoints(0, None, spec)
        if not np.isfinite(points).all():
            raise ArgumentError("the trajectory has waypoints that are not finite")
        dof = given.dof
        lower, upper = (
            np.full(dof, default) if not len(bound) else np.asarray(bound, float)
            for bound, default in (
                (given.lower_limits, -np.inf),
                (given.upper_limits, np.inf),
            )
        )
        for name, bound in (("lower_limits", lower), ("upper_limits", upper)):
            if bound.shape != (dof,):
                raise ArgumentError(f"{name} has the shape {bound.shape}, not ({dof},)")
        outside = (points < lower - _OUTSIDE) | (points > upper + _OUTSIDE)
        if outside.any():
            row, column = np.argwhere(outside)[0].tolist()
            raise ArgumentError(
                f"waypoint {row} has {points[row, column]:g} for value {column}, "
                f"expected {lower[column]:g} to {upper[column]:g}"
            )
        points = np.clip(points, lower, upper)  # rounding
        if given.difference is not None and len(points) > 1:
            moves = [
                given.difference(points[k + 1], points[k])
                for k in range(len(points) - 1)
            ]
            if np.abs(moves - np.diff(points, axis=0)).max() > _ROUNDING:
                points = np.cumsum(np.vstack((points[:1], *moves)), axis=0)
        jerks = given.jerk_limits
        return TimingProblem(
            points,
            self._velocities(trajectory, given),
            self._durations(trajectory),
            np.array(given.velocity_limits, float),
            np.array(given.acceleration_limits, float),
            _limits(jerks, dof, "jerk_limits") if len(jerks) else None,
            lower,
            upper,
        )

    def _velocities(
        self, trajectory: TrajectoryBase, given: PlannerParameters
    ) -> Array | None:
        if not self._options.has_velocities:
            return None
        own = trajectory.get_configuration_specification()
        wanted = given.specification.convert_to_velocity_specification()
        for group in wanted.groups:
            if own.find_compatible_group(group) is None:
                raise ArgumentError(
                    f"<hasvelocities> is 1, and the trajectory has no {group.name!r}"
                )
        return trajectory.get_waypoints(0, None, wanted)

    def _durations(self, trajectory: TrajectoryBase) -> Array | None:
        if not self._options.has_timestamps:
            return None
        own = trajectory.get_configuration_specification()
        found = own.extract_delta_time(trajectory.get_waypoints())
        if found is None:
            raise ArgumentError("<hastimestamps> is 1, and there is no deltatime group")
        durations = np.asarray(found[1:], float)
        if not (np.isfinite(durations) & (durations >= 0.0)).all():
            raise ArgumentError("deltatime of a waypoint is negative or not finite")
        return durations


def _limits(values: Array, dof: int, name: str) -> Array:
    limits = np.array(values, float)
    if limits.shape != (dof,):
        raise ArgumentError(f"{name} has the shape {limits.shape}, expected ({dof},)")
    if not ((limits > 0.0) & np.isfinite(limits)).all():
        value = int(np.argmin((limits > 0.0) & np.isfinite(limits)))
        raise ArgumentError(
            f"{name} has {limits[value]:g} for value {value}, expected a number > 0"
        )
    return limits


def _since(start: float) -> float:
    return time.perf_counter() - start
