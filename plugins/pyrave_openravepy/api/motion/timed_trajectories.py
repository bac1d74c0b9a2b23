"""Retimers and smoothers on trajectories: functions of `planningutils`, and objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded, guarded
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.motion.configuration_space import fill_space, positions_of
from pyrave_openravepy.api.motion.plain_values import continuous, plain, with_meaning
from pyrave_openravepy.api.motion.planner_status import PlannerStatus

__all__ = [
    "RETIMER",
    "SMOOTHER",
    "ActiveDOFTrajectoryRetimer",
    "ActiveDOFTrajectorySmoother",
    "AffineTrajectoryRetimer",
    "RetimeActiveDOFTrajectory",
    "RetimeAffineTrajectory",
    "RetimeTrajectory",
    "SmoothActiveDOFTrajectory",
    "SmoothAffineTrajectory",
    "SmoothTrajectory",
    "TimedSpace",
]

RETIMER, SMOOTHER = "ParabolicTrajectoryRetimer", "ParabolicSmoother"


@dataclass(frozen=True)
class TimedSpace:
    """The values of a trajectory that are timed, and limits of their rates.

    Parameters
    ----------
    env
        pyrave's environment.
    spec
        pyrave's specification of the values: of joints, and of poses.
    limits
        Of velocities, accelerations and jerks, each (dof,); None: those of the bodies.
    scales
        Parts of the limits of velocities and accelerations.
    """

    env: Any
    spec: Any
    limits: tuple[Any, Any, Any] = (None, None, None)
    scales: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def of_robot(cls, robot: Any, velocity: float, acceleration: float) -> TimedSpace:
        """Return the active degrees of freedom of a robot, and parts of its limits."""
        native = as_native(robot)
        spec = native.active.configuration_specification("linear")
        return cls(native.env, spec, scales=(float(velocity), float(acceleration)))

    @classmethod
    def of_trajectory(
        cls, trajectory: Any, velocity: float, acceleration: float
    ) -> TimedSpace:
        """Return all values of a trajectory that place bodies."""
        native = as_native(trajectory)
        spec = positions_of(native.spec)
        return cls(native.env, spec, scales=(float(velocity), float(acceleration)))

    @classmethod
    def of_limits(cls, trajectory: Any, *limits: Any) -> TimedSpace:
        """Return all values of a trajectory with limits of their own."""
        native = as_native(trajectory)
        velocity, acceleration, jerk = (*limits, None)[:3]
        spec = positions_of(native.spec, "ikparam_values")
        return cls(native.env, spec, (velocity, acceleration, jerk))

    def problem(self, text: str, settings: dict[str, str]) -> Any:
        """Return pyrave's parameters of a planner.

        Parameters
        ----------
        text
            What is inside of ``<PlannerParameters>``.
        settings
            Of the planner, by name.
        """
        from pyrave.interfaces import PlannerParameters

        made = PlannerParameters()
        if not self.spec.dof:
            raise openrave_exception(
                "the trajectory has neither joint values nor poses, there is nothing "
                "to time",
                ErrorCode.InvalidArguments,
            )
        known = plain(self.spec)
        if known == self.spec:
            fill_space(made, self.env, self.spec)
        else:
            made.specification = known
            self._require_limits()
        # what they start from, and who collides, is the trajectory's to say
        made.initial_configuration = np.empty(0)
        made.check_path_constraints = None
        names = ("velocity_limits", "acceleration_limits", "jerk_limits")
        for name, limits in zip(names, self.limits, strict=True):
            if limits is not None:
                setattr(made, name, np.array(limits, dtype=np.float64).ravel())
        if self.limits[0] is not None and self.limits[2] is None:
            made.jerk_limits = np.empty(0)
        made.velocity_limits = self.scales[0] * made.velocity_limits
        made.acceleration_limits = self.scales[1] * made.acceleration_limits
        if text:
            made.read_xml(f"<PlannerParameters>{text}</PlannerParameters>")
        made.post_processing = ()
        made.extra = {**made.extra, **settings}
        return made

    def timed(
        self,
        trajectory: Any,
        planner: str,
        text: str = "",
        *,
        has_times: bool = False,
        has_velocities: bool = False,
    ) -> PlannerStatus:
        """Let a retimer or smoother change a trajectory; it stays as it is on failure.

        Parameters
        ----------
        trajectory
            pyrave's.
        planner
            The id.
        text
            Parameters as XML.
        has_times, has_velocities
            Keep the times between waypoints, the velocities at them.
        """
        # the simulation runs in another thread
        with self.env.lock():
            return self._timed(trajectory, planner, text, has_times, has_velocities)

    def _timed(
        self,
        trajectory: Any,
        planner: str,
        text: str,
        has_times: bool,
        has_velocities: bool,
    ) -> PlannerStatus:
        import pyrave

        settings: dict[str, str] = {}
        if has_times:
            settings["has_timestamps"] = "1"
        if has_velocities:
            settings["has_velocities"] = "1"
        problem = self.problem(text, settings)
        try:
            maker = self.env.create("planner", planner)
        except pyrave.Error as error:
            return _failed(planner, str(error))
        scratch = self._scratch(trajectory, has_velocities=has_velocities)
        status = maker.init_plan(None, problem)
        if status:
            status = maker.plan_path(scratch)
        if not status:
            return _failed(planner, status.cause, int(status.code))
        trajectory.init(with_meaning(scratch.spec, self.spec))
        trajectory.insert(0, scratch.waypoints)
        return PlannerStatus._of(status, planner)

    def _scratch(self, trajectory: Any, *, has_velocities: bool) -> Any:
        """Return the values of a trajectory alone; those it lacks are the present."""
        spec = self.spec
        if has_velocities:
            spec = spec.add_derivative_groups(1)
        if trajectory.spec.find_compatible_group("deltatime") is not None:
            spec = spec.add_delta_time_group()
        made = self.env.create("trajectory", "")
        rows = continuous(self.spec, trajectory.get_waypoints(spec=spec))
        made.init(plain(spec))
        made.insert(0, rows)
        return made

    def _require_limits(self) -> None:
        if any(limits is None for limits in self.limits[:2]):
            names = ", ".join(repr(group.name) for group in self.spec.groups)
            raise openrave_exception(
                f"bodies have no limits for all of {names}; RetimeAffineTrajectory "
                "takes some",
                ErrorCode.InvalidArguments,
            )


def _failed(planner: str, text: str, code: int = 0) -> PlannerStatus:
    RaveLogWarn(f"{planner}: {text}")
    made = PlannerStatus(code)
    made.description, made.errorOrigin = text, planner
    return made


@guarded
def SmoothActiveDOFTrajectory(
    trajectory: Any,
    robot: Any,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
    plannerparameters: str = "",
) -> PlannerStatus:
    """Make a trajectory of a robot's active degrees of freedom shorter and time it."""
    space = TimedSpace.of_robot(robot, maxvelmult, maxaccelmult)
    name, text = plannername or SMOOTHER, plannerparameters
    return space.timed(as_native(trajectory), name, text)


@guarded
def SmoothAffineTrajectory(
    trajectory: Any,
    maxvelocities: Any,
    maxaccelerations: Any,
    plannername: str = "",
    plannerparameters: str = "",
) -> PlannerStatus:
    """Make a trajectory shorter and time it within limits for each value."""
    space = TimedSpace.of_limits(trajectory, maxvelocities, maxaccelerations)
    name, text = plannername or SMOOTHER, plannerparameters
    return space.timed(as_native(trajectory), name, text)


@guarded
def SmoothTrajectory(
    trajectory: Any,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
    plannerparameters: str = "",
) -> PlannerStatus:
    """Make a trajectory shorter and time it within the limits of its bodies."""
    space = TimedSpace.of_trajectory(trajectory, maxvelmult, maxaccelmult)
    name, text = plannername or SMOOTHER, plannerparameters
    return space.timed(as_native(trajectory), name, text)


@guarded
def RetimeActiveDOFTrajectory(
    trajectory: Any,
    robot: Any,
    hastimestamps: bool = False,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
    plannerparameters: str = "",
) -> PlannerStatus:
    """Put times into a trajectory of a robot's active degrees of freedom."""
    space = TimedSpace.of_robot(robot, maxvelmult, maxaccelmult)
    name, text = plannername or RETIMER, plannerparameters
    times = bool(hastimestamps)
    return space.timed(as_native(trajectory), name, text, has_times=times)


@guarded
def RetimeAffineTrajectory(
    trajectory: Any,
    maxvelocities: Any,
    maxaccelerations: Any,
    hastimestamps: bool = False,
    plannername: str = "",
    plannerparameters: str = "",
) -> PlannerStatus:
    """Put times into a trajectory within limits for each value."""
    space = TimedSpace.of_limits(trajectory, maxvelocities, maxaccelerations)
    name, text = plannername or RETIMER, plannerparameters
    times = bool(hastimestamps)
    return space.timed(as_native(trajectory), name, text, has_times=times)


@guarded
def RetimeTrajectory(
    trajectory: Any,
    hastimestamps: bool = False,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
    plannerparameters: str = "",
) -> PlannerStatus:
    """Put times into a trajectory within the limits of its bodies."""
    space = TimedSpace.of_trajectory(trajectory, maxvelmult, maxaccelmult)
    name, text = plannername or RETIMER, plannerparameters
    times = bool(hastimestamps)
    return space.timed(as_native(trajectory), name, text, has_times=times)


class ActiveDOFTrajectorySmoother(Guarded):
    """A smoother for the degrees of freedom of a robot that are active now."""

    def __init__(
        self, robot: Any, plannername: str = "", plannerparameters: str = ""
    ) -> None:
        self._space = TimedSpace.of_robot(robot, 1.0, 1.0)
        self._planner, self._text = plannername or SMOOTHER, plannerparameters

    def PlanPath(self, traj: Any, releasegil: bool = True) -> PlannerStatus:
        return self._space.timed(as_native(traj), self._planner, self._text)


class ActiveDOFTrajectoryRetimer(Guarded):
    """A retimer for the degrees of freedom of a robot that are active now."""

    def __init__(
        self, robot: Any, plannername: str = "", plannerparameters: str = ""
    ) -> None:
        self._space = TimedSpace.of_robot(robot, 1.0, 1.0)
        self._planner, self._text = plannername or RETIMER, plannerparameters

    def PlanPath(
        self, traj: Any, hastimestamps: bool = False, releasegil: bool = True
    ) -> PlannerStatus:
        native, times = as_native(traj), bool(hastimestamps)
        return self._space.timed(native, self._planner, self._text, has_times=times)


class AffineTrajectoryRetimer(Guarded):
    """A retimer with limits for each value."""

    def __init__(self, plannername: str = "", plannerparameters: str = "") -> None:
        self._planner, self._text = plannername or RETIMER, plannerparameters

    def GetPlannerName(self) -> str:
        return self._planner

    def PlanPath(
        self, traj: Any, maxvelocities: Any, maxaccelerations: Any, *given: Any,
        **named: Any,
    ) -> PlannerStatus:  # fmt: skip
        """Put times into a trajectory; limits of jerks may stand before the rest."""
        jerks = named.pop("maxjerks", None)
        if given and np.ndim(given[0]):
            jerks, *given = given  # type: ignore[assignment]
        times = bool(named.pop("hastimestamps", given[0] if given else False))
        space = TimedSpace.of_limits(traj, maxvelocities, maxaccelerations, jerks)
        native = as_native(traj)
        return space.timed(native, self._planner, self._text, has_times=times)
