"""Controllers that drive joints by velocities and by torques."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.authoring import BoundController
from pyrave.interfaces import command
from pyrave.spatial import Array, IndicesLike
from pyrave_base.efforts import push
from pyrave_base.motors import VelocityMotors
from pyrave_base.velocity_controller import IdealVelocityController

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.trajectory import TrajectoryBase

_log = logging.getLogger("pyrave.controllers")


class JointVelocityController(IdealVelocityController):
    """Drive joints with the velocities of `set_desired` by motors.

    With a physics engine that applies efforts, motors push within the torque limits:
    joints keep their velocities under load, and stop where something stronger is in
    the way. Velocity 0 holds a joint; `reset` lets go. Without an engine, and for
    kinematic links, it is an `IdealVelocityController`. ``odevelocity``, the name of
    OpenRAVE's controller, stands for it.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._motors = VelocityMotors(0)
        self._driven = False

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot; nothing pushes them yet."""
        super().init(robot, dof_indices, control_transform)
        self._release()

    def reset(self, options: int = 0) -> None:
        """Push no more; without an engine the joints stop."""
        robot = self.get_robot()
        if robot is not None and self.takes_efforts():
            self._velocities = np.zeros(len(self._indices))
            self._moving = False
        else:
            super().reset(options)
        self._release()

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Move with velocities from the next step on; as `IdealVelocityController`."""
        self._driven = super().set_desired(values, transform)
        return self._driven

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Stop for None, as `reset`; refuse trajectories."""
        if trajectory is None:
            self.reset()
            return True
        return super().set_path(trajectory)

    @command(name="setvelocity")
    def set_velocity(self, velocities: tuple[float, ...]) -> bool:
        """Move with velocities, as `set_desired`: a word for each joint.

        Parameters
        ----------
        velocities
            (n,) rad/s or m/s.
        """
        return self.set_desired(velocities)

    def before_physics(self, dt: float) -> None:
        """Push the joints for the step that follows."""
        robot = self.get_robot()
        if robot is None or not self._driven:
            return
        if self.takes_efforts():
            self._motors.push(robot, self._indices, self._velocities, dt)

    def simulation_step(self, dt: float) -> None:
        """Move the joints on by `dt` seconds if nothing pushes them."""
        robot = self.get_robot()
        if robot is None:
            return
        self._motors.note(robot, self._indices)
        if not self.takes_efforts():
            super().simulation_step(dt)

    def get_torque(self) -> Array:
        """Return the efforts of the last step, (n,), N m or N."""
        return self._motors.efforts.copy()

    def get_own_state(self) -> Any:
        """Return the commanded velocities and the state of the motors."""
        motors = self._motors.missed.copy(), self._motors.efforts.copy()
        return super().get_own_state(), self._driven, motors

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of a twin returned."""
        known, self._driven, (missed, efforts) = state
        super().set_own_state(known)
        self._motors.missed, self._motors.efforts = missed.copy(), efforts.copy()

    def _stop(self) -> None:
        robot = self.get_robot()
        if robot is None or not self.takes_efforts():
            super()._stop()

    def _release(self) -> None:
        self._driven = False
        self._motors = VelocityMotors(len(self._indices))


class TorqueController(BoundController):
    """Push joints with the efforts of `set_desired`, until told otherwise.

    Torque limits clip them. Without a physics engine that applies efforts goals are
    refused, and so are trajectories.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._wanted: Array = np.zeros(0)
        self._efforts: Array = np.zeros(0)

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot; nothing pushes them yet."""
        super().init(robot, dof_indices, control_transform)
        self.reset()

    def reset(self, options: int = 0) -> None:
        """Push no more."""
        self._wanted = self._efforts = np.zeros(len(self._indices))

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Push from the next step on.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`, N m or N.
        transform
            None: the base is not driven.

        Returns
        -------
        bool
            False, with a warning in the log, where nothing applies efforts.

        Raises
        ------
        ArgumentError
            A wrong number of efforts, or a transform is given.
        StateError
            There is no robot.
        """
        wanted = self.joint_goal("efforts", values, transform)
        robot = self.require_robot()
        if not self.takes_efforts():
            _log.warning(
                "%r refuses efforts: %r applies none to the joints of %r",
                self,
                self.env.physics_engine,
                robot.name,
            )
            return False
        self._wanted = wanted
        return True

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Push no more for None; refuse trajectories."""
        if trajectory is None:
            self.reset()
            return True
        _log.warning("%r follows no trajectories, it takes efforts only", self)
        return False

    def before_physics(self, dt: float) -> None:
        """Push the joints for the step that follows."""
        robot = self.get_robot()
        if robot is None or not self.takes_efforts():
            self._efforts = np.zeros(len(self._indices))
        elif self._wanted.any():
            self._efforts = push(robot, self._indices, self._wanted)

    def simulation_step(self, dt: float) -> None:
        """Do nothing: physics moves the joints."""

    def is_done(self) -> bool:
        """Return True while nothing pushes."""
        return not self._wanted.any()

    def get_torque(self) -> Array:
        """Return the efforts of the last step, (n,), N m or N."""
        return self._efforts.copy()

    def get_own_state(self) -> Any:
        """Return the wanted and the last efforts."""
        return self._wanted.copy(), self._efforts.copy()

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of a twin returned."""
        self._wanted, self._efforts = (one.copy() for one in state)
