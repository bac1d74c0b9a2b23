"""Joints on springs."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.authoring import BoundController
from pyrave.interfaces import settings_of
from pyrave.spatial import Array, IndicesLike
from pyrave_base.efforts import Dynamics, drive, feedback, push
from pyrave_base.gains import Gain, joint_gain, of_joints

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.trajectory import TrajectoryBase

_log = logging.getLogger("pyrave.controllers")


@dataclass(frozen=True)
class SpringSettings:
    """Settings of `SpringJointController`."""

    elasticity: Gain = joint_gain(
        0.0, "spring; one that brings back is negative", "N m/rad or N/m", signed=True
    )
    damping: Gain = joint_gain(
        0.0, "damper; one that brakes is negative", "N m s/rad or N s/m", signed=True
    )
    offset: Gain = joint_gain(0.0, "added to values", "rad or m", signed=True)


class SpringJointController(BoundController):
    """Push joints by springs and dampers, as RobWork's controller of this name.

    ``effort = elasticity (q + offset) + damping dq/dt`` from the first step on: springs
    that bring a joint back have negative numbers. They count as they are at the end of
    the step, so that stiff ones are stable, too. There is nothing to command; without a
    physics engine that applies efforts nothing happens.
    """

    contract = 2
    settings_type = SpringSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._efforts: Array = np.zeros(0)
        self._drives = False

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot.

        Raises
        ------
        ArgumentError
            An index that is none, or another number of springs than of joints.
        """
        super().init(robot, dof_indices, control_transform)
        self.settings_changed(None)
        self.reset()

    def settings_changed(self, before: Any) -> None:
        """Check that there is one number, or one for each joint that it has."""
        if self.get_robot() is None:
            return  # how many they are is known in init
        for name in settings_of(SpringSettings):
            of_joints(self.settings, name, len(self._indices), self.interface_id)

    def reset(self, options: int = 0) -> None:
        """Do nothing: springs have no commands."""
        self._efforts = np.zeros(len(self._indices))

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Refuse: springs have no goals but their offsets."""
        _log.warning("%r takes no goals", self)
        return False

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Refuse trajectories; None changes nothing."""
        if trajectory is not None:
            _log.warning("%r follows no trajectories", self)
        return trajectory is None

    def before_physics(self, dt: float) -> None:
        """Push the joints for the step that follows."""
        robot, dofs = self.get_robot(), self._indices
        if robot is None or not self.takes_efforts():
            return
        elasticity, damping, offset = (
            of_joints(self.settings, name, len(dofs), self.interface_id)
            for name in settings_of(SpringSettings)
        )
        # engines drive joints by what brings them back only
        if not (elasticity > 0.0).any() and not (damping > 0.0).any():
            still = np.zeros(len(dofs))
            goal, gains = (-offset, still), (-elasticity, -damping)
            self._drives = drive(robot, dofs, goal, gains, still)
        if self._drives:
            return
        values, rates = robot.dof_values[dofs], robot.dof_velocities[dofs]
        dynamics = Dynamics(robot, dofs)
        errors = (-offset - values - dt * rates, -rates)
        efforts = feedback(
            dynamics.inertia, dynamics.load, -elasticity, -damping, errors, dt
        )
        self._efforts = push(robot, dofs, efforts)

    def simulation_step(self, dt: float) -> None:
        """Record the efforts on the joints; physics moves them."""
        robot = self.get_robot()
        if robot is not None and self._drives:
            efforts = robot.env.physics_engine.get_joint_efforts(robot)
            self._efforts, self._drives = efforts[self._indices], False

    def is_done(self) -> bool:
        """Return True: there is never a command."""
        return True

    def get_torque(self) -> Array:
        """Return the efforts of the last step, (n,), N m or N."""
        return self._efforts.copy()

    def get_own_state(self) -> Any:
        """Return the last efforts."""
        return self._efforts.copy()

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of a twin returned."""
        self._efforts = state.copy()
