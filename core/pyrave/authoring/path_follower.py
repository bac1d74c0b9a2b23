"""Following a trajectory: what a robot should do at a time along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.state_copies import Immutable
from pyrave.interfaces.trajectory import TrajectoryBase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array, Indices

_TIME_TOLERANCE = 1e-9
_INSTANT = 1e-3
"""Time between samples from which the motion at a moment follows, seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class JointMotion:
    """Desired or measured motion of joints: (n,) values, rates and accelerations.

    Parameters
    ----------
    values
        Radians or metres.
    rates
        rad/s or m/s.
    accelerations
        rad/s2 or m/s2.
    """

    values: Array
    rates: Array
    accelerations: Array


def has_waypoints(trajectory: TrajectoryBase) -> bool:
    """Return True if there is anything to follow; ArgumentError for other objects."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(
            f"the path is {trajectory!r}, expected a trajectory or None; "
            "env.create('trajectory', '') makes one"
        )
    return trajectory.get_num_waypoints() > 0


@dataclass(frozen=True, slots=True, eq=False)
class SavedPath(Immutable):
    """A trajectory by id and state, with the time along it; it pickles.

    Parameters
    ----------
    kept
        (n,) as of the `PathFollower`.
    """

    interface_id: str
    state: Any
    time: float
    kept: Array

    def resumed(self, robot: Robot, dof_indices: Indices) -> PathFollower:
        """Return the path of a robot's joints, followed as far as it was."""
        twin: Any = robot.env.create("trajectory", self.interface_id)
        twin.set_state(self.state)
        path = PathFollower(twin, robot, dof_indices, False, self.kept)
        path.time = self.time
        return path


class PathFollower:
    """A trajectory with a clock, seen from one robot and some of its joints.

    Parameters
    ----------
    trajectory
        Not shared: later changes would change the path.
    robot
        The robot that follows; it is not kept.
    dof_indices
        The joints that follow.
    control_transform
        Whether the base follows too.
    kept
        (n,) values that joints keep which the trajectory leaves out; NaN, and None for
        all, is where they are.

    Raises
    ------
    ArgumentError
        The trajectory has waypoints but no times.
    """

    def __init__(
        self,
        trajectory: TrajectoryBase,
        robot: Robot,
        dof_indices: Indices,
        control_transform: bool,
        kept: Array | None = None,
    ) -> None:
        self.trajectory = trajectory
        self.state = trajectory.get_state()
        self.time = 0.0
        spec = trajectory.spec
        if not any(group.kind == "deltatime" for group in spec.groups):
            raise ArgumentError(
                "the trajectory has no 'deltatime' group, so that its waypoints have "
                "no times; add one with add_delta_time_group() or retime it"
            )
        self.duration = trajectory.duration
        self._spec = spec
        self._indices = dof_indices
        self.kept = np.full(len(dof_indices), np.nan) if kept is None else kept
        """(n,) values of the joints that the trajectory leaves out."""
        used, _ = spec.extract_used_indices(robot)
        self.moves = np.isin(dof_indices, used)
        """(n,) which joints follow."""
        base = spec.find_compatible_group(f"affine_transform {robot.name} 39")
        self.moves_base = control_transform and base is not None
        """True if the base follows the trajectory."""
        self.grabs = any(group.kind in {"grab", "grabbody"} for group in spec.groups)
        """True if the trajectory has groups for grabbed bodies."""

    @property
    def concerns_robot(self) -> bool:
        """True if the trajectory says anything about what is controlled."""
        return bool(self.moves.any()) or self.moves_base

    @property
    def tells(self) -> NDArray[np.bool_]:
        """(n,) which joints it moves, or keeps somewhere."""
        return self.moves | ~np.isnan(self.kept)

    @property
    def finished(self) -> bool:
        """True when the clock has reached the end."""
        return self.time >= self.duration

    def advance(self, dt: float) -> None:
        """Move the clock on by `dt` seconds, at most to the end."""
        self.time += dt
        # the sum of many steps must not miss the end by its rounding errors
        if self.time > self.duration - _TIME_TOLERANCE * max(1.0, self.duration):
            self.time = self.duration

    def sample(self) -> Array:
        """Return the trajectory's configuration (spec.dof,) at the clock's time."""
        return self.trajectory.sample(self.time)

    def commanded(self, sample: Array, robot: KinBody) -> Array:
        """Return (..., n) what joints are told, NaN where that is nothing.

        Parameters
        ----------
        sample
            (..., spec.dof) configurations of the trajectory.
        """
        found = self._spec.extract_joint_values(
            sample, robot, self._indices, default=self.kept
        )
        assert found is not None  # noqa: S101 - there is a default
        return found

    def joint_values(self, sample: Array, robot: KinBody) -> Array | None:
        """Return (..., n) where joints should be, or None if none is told anything.

        Joints that are told nothing have their present values.
        """
        tells = self.tells
        if not tells.any():
            return None
        told = self.commanded(sample, robot)
        if not tells.all():
            told = np.where(tells, told, robot.dof_values[self._indices])
        return told

    def motion(
        self, robot: KinBody, dt: float, *, paused: bool = False
    ) -> JointMotion | None:
        """Return the desired joint motion after `dt`, None if joints are free.

        At both ends rates and accelerations are those of the trajectory there. After
        its end, and while it is paused, joints stand; in the step in which it ends they
        are slowed down to that.
        """
        now, end = self.time, self.duration
        ahead = now if paused else now + dt
        ends = ahead > end + _TIME_TOLERANCE * max(1.0, end)
        if not (paused or ends or now >= end):
            return self._motion_at(robot, min(ahead, end), dt)
        values = self.joint_values(self.trajectory.sample(min(ahead, end)), robot)
        if values is None:
            return None
        still = slowing = np.zeros(len(values))
        moving = None if paused or now >= end else self._motion_at(robot, now, dt)
        if moving is not None:
            slowing = -moving.rates / dt
        return JointMotion(values, still, slowing)

    def _motion_at(self, robot: KinBody, time: float, dt: float) -> JointMotion | None:
        """Return the motion at a time along the trajectory.

        Rates and accelerations are those of the parabola through three samples one step
        apart, so that they exist for any interpolation. Near the ends, where the
        trajectory has nothing further on, these are close together and lie before it.
        """
        h, end = dt or _INSTANT, self.duration
        middle = time
        if not h <= time <= end - h:
            h = min(_INSTANT, 0.5 * end)
            middle = min(max(time, h), end - h)
        samples = self.trajectory.sample_points((middle - h, middle, middle + h, time))
        found = self.joint_values(samples, robot)
        if found is None:
            return None
        before, here, after, values = found
        forth = robot.subtract_dof_values(after, here, self._indices) / h
        back = robot.subtract_dof_values(here, before, self._indices) / h
        accelerations = (forth - back) / h
        rates = 0.5 * (forth + back) + (time - middle) * accelerations
        return JointMotion(values, rates, accelerations)

    def saved(self) -> SavedPath:
        """Return the data from which a twin is made."""
        return SavedPath(self.trajectory.interface_id, self.state, self.time, self.kept)

    def base_pose(self, sample: Array, robot: KinBody) -> Array | None:
        """Return the base pose (4, 4), or None if it does not follow."""
        if not self.moves_base:
            return None
        return self._spec.extract_transform(sample, robot, robot.transform)
