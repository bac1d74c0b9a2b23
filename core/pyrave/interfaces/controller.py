"""Base of controllers, which move the degrees of freedom of a robot."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from pyrave.attributes import answers_other_names, not_alone
from pyrave.errors import NotSupportedError, StateError
from pyrave.interfaces.base import InterfaceBase

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.spatial import Array, Indices, IndicesLike


@answers_other_names
class ControllerBase(InterfaceBase):
    """Drives some degrees of freedom of one robot, and possibly its base.

    Life: `init` once, then `set_desired` or `set_path`, then in each simulation step
    `before_physics` and, after physics, `simulation_step` until `is_done`. What a
    custom reader read from the scene file is in `readables` when `init` is called.
    """

    interface_type: ClassVar[str] = "controller"
    __reduce_ex__ = not_alone
    contract: ClassVar[int] = 2

    @abstractmethod
    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot.

        Parameters
        ----------
        robot
            Keep it by a weak reference: the robot holds its controller.
        dof_indices
            (n,) indices into ``robot.dof_values``, each once; the robot passes a
            read-only int64 array.
        control_transform
            Whether the controller also drives the robot's base pose.
        """

    @abstractmethod
    def get_control_dof_indices(self) -> Indices:
        """Return (n,) int64, the degrees of freedom given to `init`, in that order."""

    @abstractmethod
    def is_control_transformation(self) -> bool:
        """Return True if the controller drives the base pose."""

    @abstractmethod
    def get_robot(self) -> Robot | None:
        """Return the robot given to `init`, None before."""

    def require_robot(self) -> Robot:
        """Return the robot given to `init`; StateError before or when it is gone."""
        robot = self.get_robot()
        if robot is None:
            raise StateError(
                f"{self!r} has no robot: call init() or robot.set_controller() first"
            )
        return robot

    @abstractmethod
    def reset(self, options: int = 0) -> None:
        """Drop all commands; the robot stays where it is."""

    @abstractmethod
    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Command a goal.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`; radians, metres (or what
            the controller says, for example velocities).
        transform
            (4, 4) goal of the base, if the controller drives it.

        Returns
        -------
        bool
            False if the goal is refused.
        """

    @abstractmethod
    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Follow a trajectory from now on; None stops. False if it is refused."""

    @abstractmethod
    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds and move the robot."""

    def before_physics(self, dt: float) -> None:
        """Push joints for the step of `dt` seconds that a physics engine takes next.

        ``robot.dynamics.set_dof_torques`` and ``joint.add_torques`` act in it. Does
        nothing unless overridden; without a physics engine nobody calls it.
        """

    @abstractmethod
    def is_done(self) -> bool:
        """Return True when the last command is finished (or there was none)."""

    def get_time(self) -> float:
        """Return the time along the present trajectory, seconds."""
        raise NotSupportedError(f"{self!r} does not report its time")

    def get_velocity(self) -> Array:
        """Return the commanded velocities, (n,), rad/s or m/s."""
        raise NotSupportedError(f"{self!r} does not report velocities")

    def get_torque(self) -> Array:
        """Return the commanded efforts, (n,), N m or N."""
        raise NotSupportedError(f"{self!r} does not report torques")
