"""What controllers that drive a robot themselves have in common."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError
from pyrave.interfaces.controller import ControllerBase
from pyrave.spatial import Array, Indices, IndicesLike, as_indices, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.environment import EnvironmentProtocol


class BoundController(ControllerBase):
    """A controller that knows its robot and what it drives of it."""

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: weakref.ref[Robot] | None = None
        self._indices = as_indices((), "dof_indices")
        self._control_transform = False

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot.

        Raises
        ------
        ArgumentError
            One of them is none of the robot's.
        """
        indices = as_indices(dof_indices, "dof_indices")
        for index in indices.tolist():
            if not 0 <= index < robot.dof:
                raise ArgumentError(
                    f"dof index {index} of robot {robot.name!r} is out of range "
                    f"0..{robot.dof - 1}"
                )
        self._robot = weakref.ref(robot)
        self._indices = indices
        self._control_transform = bool(control_transform)

    def joint_goal(
        self, what: str, values: ArrayLike, transform: ArrayLike | None
    ) -> Array:
        """Return a copy (n,) of what `set_desired` got, for joints alone.

        Parameters
        ----------
        what
            What the numbers are, in messages.

        Raises
        ------
        ArgumentError
            Another number of values than of joints, or a transform is given.
        StateError
            There is no robot.
        """
        self.require_robot()
        if transform is not None:
            raise ArgumentError(
                f"{self.interface_id} drives joints only; leave out the transform"
            )
        return as_vector(values, len(self._indices), f"{what} of set_desired").copy()

    def get_control_dof_indices(self) -> Indices:
        """Return (n,) int64, the degrees of freedom given to `init`, in that order."""
        return self._indices

    def is_control_transformation(self) -> bool:
        """Return what `init` was told about the base."""
        return self._control_transform

    def get_robot(self) -> Robot | None:
        """Return the robot given to `init`, None before or when it is gone."""
        return None if self._robot is None else self._robot()
