"""The ordinary call: an arm as it stands, a pose, nothing else asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.packed_arm import N_FREE, THRESHOLD, TILT

if TYPE_CHECKING:
    from pyrave.bodies import Robot
    from pyrave.jit import TypedKernel
    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices
    from pyrave_ik.methods.bounded_arm import BoundedArm

ROWS = 32
"""Room for solutions. An arm that has more is asked in full."""


@dataclass(frozen=True, slots=True)
class PlainCall:
    """An arm whose poses are solved in one call of compiled code.

    Parameters
    ----------
    model, lower, upper
        Of the robot. Others have taken their places where it was edited.
    record
        See the kernel `standing`.
    d
        Number of the arm's joints.
    """

    model: Model
    lower: Array
    upper: Array
    record: Array
    kernel: TypedKernel
    d: int

    @classmethod
    def of(
        cls, robot: Robot, base: int, dofs: Indices, bounded: BoundedArm
    ) -> PlainCall | None:
        """Return the arm of a base link and joints, None if it takes more."""
        kernel = bounded.kernels.solve_current
        if kernel is None or bounded.array[N_FREE] or bounded.array[THRESHOLD]:
            return None
        record = np.concatenate([bounded.array, [base], dofs])
        lower, upper = robot.limits.bounds
        return cls(robot.state_model, lower, upper, record, kernel, len(dofs))

    def fits(self, robot: Robot) -> bool:
        """Return whether the robot has the same joints and limits as it had."""
        lower, upper = robot.limits.bounds
        return (
            lower is self.lower
            and upper is self.upper
            and robot.state_model is self.model
        )

    def rows(self, robot: Robot, pose: Any, size: int) -> Array | None:
        """Return all solutions of (4, 4) T_world_tool, or with one row the nearest.

        None for whatever is not the plainest case, wrong input among it: it is to be
        asked in full, and is refused there.
        """
        out = np.empty((size, self.d))
        try:
            n = self.kernel.call(
                self.record, robot.transforms_view, robot.dof_values, pose, out
            )
        except TypeError:  # as arrays of another layout have it
            return None
        if n == 0 and self.record[TILT]:  # a search may find some
            return None
        return out[:n] if 0 <= n <= size else None
