"""The plain call: one pose, the current configuration and limits, no options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np

from pyrave.records import Record
from pyrave_ik.kernels.packed_arm import N_FREE, THRESHOLD

if TYPE_CHECKING:
    from weakref import ReferenceType

    from pyrave.bodies import Manipulator, Robot
    from pyrave.jit import Kernel
    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices
    from pyrave_ik.methods.bounded_arm import BoundedArm

ROWS = 16
"""Room for solutions. Arms with more take the full call."""


@dataclass(frozen=True, slots=True)
class PlainCall(Record):
    """An arm whose poses are solved in one call of compiled code.

    Parameters
    ----------
    robot
        Refers to the robot.
    model, bounds
        Its model at the present passive joints, and its limits. An edit replaces both.
    record
        See the kernel `solve_current`.
    d
        Number of the arm's joints.
    """

    robot: ReferenceType[Robot]
    model: Model
    bounds: tuple[Array, Array]
    record: Array
    kernel: Kernel
    d: int

    @classmethod
    def of(
        cls, arm: Manipulator, dofs: Indices, bounded: BoundedArm
    ) -> PlainCall | None:
        """Return the call of an arm with joints `dofs`, or None, see `rows`."""
        kernel = bounded.kernels.solve_current
        if kernel is None or bounded.array[N_FREE] or bounded.array[THRESHOLD]:
            return None
        robot, tool = arm.robot, arm.local_tool_transform[:3].ravel()
        ends = [arm.base.index, arm.end_effector.index]
        record = np.concatenate([bounded.array, dofs, ends, tool])
        state = robot.state_model, robot.limit_store.bounds
        return cls(ref(robot), *state, record, kernel, len(dofs))

    def fits(self, robot: Robot) -> bool:
        """Return True if the robot has the same joints and limits as it had."""
        return (
            robot.limit_store.bounds is self.bounds and robot.state_model is self.model
        )

    def rows(self, pose: object, size: int) -> Array | None:
        """Return all solutions of (4, 4) T_world_tool, or with one row the nearest.

        None in every other case, wrong input among them, which the full call settles
        or refuses.
        """
        robot = self.robot()
        if robot is None or not self.fits(robot):
            return None
        out = np.empty((size, self.d))
        try:
            n = self.kernel.call(
                self.record, robot.transforms_view, robot.dof_values_view, pose, out
            )
        except TypeError:  # arrays of another layout
            return None
        return out[:n] if 0 <= n <= size else None
