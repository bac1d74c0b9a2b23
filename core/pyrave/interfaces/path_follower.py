"""Following a trajectory: what a robot should do at a time along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.base import Immutable
from pyrave.interfaces.trajectory import TrajectoryBase

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array, Indices

_TIME_TOLERANCE = 1e-9
_INSTANT = 1e-3
"""Over which the motion at a moment is measured, seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class JointMotion:
    """Where joints are, or should be: (n,) values, rates and accelerations."""

    values: Array
    rates: Array
    accelerations: Array


def has_waypoints(trajectory: TrajectoryBase) -> bool:
    """Return whether there is anything to follow; ArgumentError for other objects."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(
            f"the path is {trajectory!r}, expected a trajectory or None; "
            "env.create('trajectory', '') makes one"
        )
    return trajectory.get_num_waypoints() > 0


@dataclass(frozen=True, slots=True, eq=False)
class SavedPath(Immutable):
    """A trajectory by id and state, with the time along it; it pickles."""

    interface_id: str
    state: Any
    time: float

    def resumed(self, robot: Robot, dof_indices: Indices) -> PathFollower:
        """Return the path of a robot's joints, followed as far as it was."""
        twin: Any = robot.env.create("trajectory", self.interface_id)
        twin.set_state(self.state)
        path = PathFollower(twin, robot, dof_indices, False)
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
        used, _ = spec.extract_used_indices(robot)
        self._moves_joints = bool(np.isin(used, dof_indices).any())
        base = spec.find_compatible_group(f"affine_transform {robot.name} 39")
        self._moves_base = control_transform and base is not None
        self.grabs = any(group.kind in {"grab", "grabbody"} for group in spec.groups)
        """Whether the trajectory says that something is held."""

    @property
    def concerns_robot(self) -> bool:
        """True if the trajectory says anything about what is controlled."""
        return self._moves_joints or self._moves_base

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

    def joint_values(self, sample: Array, robot: KinBody) -> Array | None:
        """Return the controlled joints' values, or None if it has none of them.

        Joints that the trajectory leaves out keep their present values.
        """
        if not self._moves_joints:
            return None
        present = robot.dof_values[self._indices]
        return self._spec.extract_joint_values(
            sample, robot, self._indices, default=present
        )

    def motion(
        self, robot: KinBody, dt: float, *, paused: bool = False
    ) -> JointMotion | None:
        """Return where the controlled joints should be `dt` later, None for anywhere.

        Rates and accelerations are differences over one step, so that they exist for
        any interpolation. At both ends, and while it is paused, joints stand.
        """
        now = min(self.time if paused else self.time + dt, self.duration)
        h = dt or _INSTANT
        before, here, after = (
            self.joint_values(self.trajectory.sample(one), robot)
            for one in (max(now - h, 0.0), now, min(now + h, self.duration))
        )
        if before is None or here is None or after is None:
            return None
        forth = robot.subtract_dof_values(after, here, self._indices) / h
        back = robot.subtract_dof_values(here, before, self._indices) / h
        if paused:
            forth = back = np.zeros(len(here))
        return JointMotion(here, 0.5 * (forth + back), (forth - back) / h)

    def saved(self) -> SavedPath:
        """Return what makes a twin of it."""
        return SavedPath(self.trajectory.interface_id, self.state, self.time)

    def base_pose(self, sample: Array, robot: KinBody) -> Array | None:
        """Return the base pose (4, 4), or None if it is not controlled."""
        if not self._moves_base:
            return None
        return self._spec.extract_transform(sample, robot, robot.transform)
