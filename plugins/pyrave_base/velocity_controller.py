"""A controller whose commands are velocities."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.authoring import BoundController
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, IndicesLike

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.trajectory import TrajectoryBase

_log = logging.getLogger("pyrave.controllers")


class IdealVelocityController(BoundController):
    """Move joints with the velocities that `set_desired` commands.

    Velocities are clamped to the velocity limits, and a joint stops at its limits. The
    robot's ``dof_velocities`` are those with which it really moves. The base is not
    driven, and trajectories are refused.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._velocities: Array = np.zeros(0)
        self._moving = False

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot, at rest."""
        super().init(robot, dof_indices, control_transform)
        self._velocities = np.zeros(len(self._indices))
        self._moving = False

    def reset(self, options: int = 0) -> None:
        """Stop; the robot stays where it is."""
        self._stop()

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Move with velocities from the next step on, until told otherwise.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`, rad/s or m/s.
        transform
            None: the base is not driven.

        Raises
        ------
        ArgumentError
            A wrong number of velocities, or a transform is given.
        StateError
            There is no robot.
        """
        wanted = self.joint_goal("velocities", values, transform)
        limits = self.require_robot().dof_velocity_limits[self._indices]
        self._velocities = np.clip(wanted, -limits, limits)
        self._moving = bool(self._velocities.any())
        if not self._moving:
            self._stop()
        return True

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Stop for None; refuse trajectories."""
        if trajectory is None:
            self._stop()
            return True
        _log.warning("%r follows no trajectories, it takes velocities only", self)
        return False

    def simulation_step(self, dt: float) -> None:
        """Move the joints on by `dt` seconds."""
        robot = self.get_robot()
        if robot is None or not self._moving:
            return
        lower, upper = (bound[self._indices] for bound in robot.dof_limits)
        circular = robot.model.circular[: robot.dof][self._indices]
        wanted = robot.dof_values[self._indices] + self._velocities * dt
        # a joint that would pass its limit ends there
        stopped = ~circular & ((wanted <= lower) | (wanted >= upper))
        outward = np.where(wanted <= lower, self._velocities < 0, self._velocities > 0)
        robot.set_dof_values(wanted, self._indices, LimitCheck.CLAMP)
        rates = robot.dof_velocities
        rates[self._indices] = np.where(stopped & outward, 0.0, self._velocities)
        robot.dof_velocities = rates
        self._moving = bool(rates[self._indices].any())

    def is_done(self) -> bool:
        """Return True when nothing moves: at rest, or all joints at their limits."""
        return not self._moving

    def get_velocity(self) -> Array:
        """Return the commanded velocities, clamped, (n,), rad/s or m/s."""
        return self._velocities.copy()

    def get_own_state(self) -> Any:
        """Return the commanded velocities and whether the robot moves."""
        return self._velocities.copy(), self._moving

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of a twin returned."""
        velocities, self._moving = state
        self._velocities = velocities.copy()

    def _stop(self) -> None:
        self._velocities = np.zeros(len(self._indices))
        self._moving = False
        robot = self.get_robot()
        if robot is not None and len(self._indices):
            rates = robot.dof_velocities
            rates[self._indices] = 0.0
            robot.dof_velocities = rates
