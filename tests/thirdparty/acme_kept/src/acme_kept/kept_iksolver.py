"""The iksolver KeptIksolver."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import ArrayLike

from pyrave import ArgumentError
from pyrave.bodies import Manipulator
from pyrave.ik import (
    IkAction,
    IkFilterOptions,
    IkParameterization,
    IkParameterizationType,
    IkReturn,
    IkTypeLike,
)
from pyrave.interfaces import IkSolverBase
from pyrave.spatial import pose_from_wxyz_xyz, rotation_vector

_N_STARTS = 20
_N_ITERATIONS = 100
_PRECISION = 1e-6
_DAMPING = 1e-3


class KeptIksolver(IkSolverBase):
    """Finds joint values numerically, by damped least squares from several starts.

    Goals are poses or positions of the tool in world axes. Joint limits always hold;
    `solve_all` returns what 20 seeded random starts find, which may not be all.
    """

    contract = 2

    def init(self, manipulator: Manipulator) -> bool:
        """Set up for a manipulator; False if the solver does not fit it.

        The manipulator is kept by a weak reference: it holds its solver. A subclass
        that prepares something calls this one, too.

        Raises
        ------
        NotSupportedError
            It does not fit, with the reason in words.
        """
        return super().init(manipulator) and len(manipulator.arm_indices) > 0

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True if goals of that kind can be solved.

        `IkParameterizationType.of` makes a type of a name.
        """
        return IkParameterizationType.of(kind) in {
            IkParameterizationType.Transform6D,
            IkParameterizationType.Translation3D,
        }

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> list[IkReturn]:
        """Return all solutions; the parameters are those of `solve`.

        Each comes once, joints at the turns nearest to the present values. A solver
        that can list all turns within limits takes the keyword ``turns: bool = False``,
        which is passed on only where a user wants them.
        """
        arm = self.require_manipulator()
        if not self.supports(goal.type):
            raise ArgumentError(f"{self!r} cannot solve goals of type {goal.type.name}")
        if free is not None and np.size(free):
            raise ArgumentError(f"{self!r} has no free parameters")
        end = math.inf if timeout is None else time.monotonic() + timeout
        robot, indices = arm.robot, arm.arm_indices
        lower, upper = (np.clip(b[indices], -np.pi, np.pi) for b in robot.dof_limits)
        random = np.random.default_rng(0)
        starts = random.uniform(lower, upper, (_N_STARTS, len(indices)))
        starts[0] = robot.dof_values[indices]
        found = np.empty((0, len(indices)))
        with robot.preserve_state():
            for start in starts:
                if time.monotonic() > end:
                    break
                robot.set_dof_values(start, indices)
                if _descend(arm, goal):
                    q = robot.dof_values[indices]
                    if not any(np.allclose(q, other, atol=1e-4) for other in found):
                        found = np.vstack((found, q))
        if not len(found):
            text = f"no start out of {_N_STARTS} reached the goal"
            return [IkReturn(IkAction.REJECT_KINEMATICS, failures=(text,))]
        return self.checked(found, goal, options)


def _descend(arm: Manipulator, goal: IkParameterization) -> bool:
    """Move the robot towards the goal; True if it gets there."""
    robot, indices = arm.robot, arm.arm_indices
    whole = goal.type == IkParameterizationType.Transform6D
    target = pose_from_wxyz_xyz(goal.values) if whole else np.eye(4)
    if not whole:
        target[:3, 3] = goal.values
    lower, upper = (bound[indices] for bound in robot.dof_limits)
    for _ in range(_N_ITERATIONS):
        pose, jacobian = arm.transform, arm.jacobian()
        turn = rotation_vector(target[:3, :3] @ pose[:3, :3].T)
        error = np.concatenate((target[:3, 3] - pose[:3, 3], turn))
        if not whole:
            error, jacobian = error[:3], jacobian[:3]
        if np.abs(error).max() < _PRECISION:
            return True
        square = jacobian @ jacobian.T + _DAMPING**2 * np.eye(error.size)
        step = jacobian.T @ np.linalg.solve(square, error)
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-12))
        q = np.clip(robot.dof_values[indices] + step, lower, upper)
        robot.set_dof_values(q, indices)
    return False
