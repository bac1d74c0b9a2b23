"""Template of an inverse kinematics solver: damped least squares."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The inverse kinematics solver @id@."""

from __future__ import annotations

import math
import time
import weakref
from typing import TYPE_CHECKING

import numpy as np
from pyrave import ArgumentError, StateError
from pyrave.ik import IkAction, IkFilterOptions, IkParameterizationType, IkReturn
from pyrave.interfaces import IkSolverBase
from pyrave.spatial import as_indices, as_vector, pose_from_wxyz_xyz, rotation_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave.interfaces import EnvironmentProtocol
    from pyrave.spatial import Indices

_N_STARTS = 20
_N_ITERATIONS = 100
_PRECISION = 1e-6
_DAMPING = 1e-3


class @id@(IkSolverBase):
    """Finds joint values numerically, by damped least squares from several starts.

    Goals are poses or positions of the tool in world axes. Joint limits always hold;
    `solve_all` returns what 20 seeded random starts find, which may not be all.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._manipulator: weakref.ref[Manipulator] | None = None

    def init(self, manipulator: Manipulator) -> bool:
        """Take any manipulator that has a joint."""
        self._manipulator = weakref.ref(manipulator)
        return len(manipulator.arm_indices) > 0

    def get_manipulator(self) -> Manipulator | None:
        """Return the manipulator given to `init`."""
        return None if self._manipulator is None else self._manipulator()

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True for poses and positions."""
        return IkParameterizationType.of(kind) in {
            IkParameterizationType.Transform6D,
            IkParameterizationType.Translation3D,
        }

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0`, or why there is none."""
        arm = self._arm(goal, free)
        robot, indices = arm.robot, arm.arm_indices
        near = robot.dof_values[indices]
        if q0 is not None:
            near = as_vector(q0, len(indices), "q0")
        answers = self._search(arm, goal, options, near, timeout)
        found = [one for one in answers if one.solution is not None]
        if not found:
            reasons = tuple(text for one in answers for text in one.failures)
            action = answers[0].action if answers else IkAction.REJECT_KINEMATICS
            return IkReturn(action | IkAction.REJECT, None, failures=reasons)

        def distance(answer: IkReturn) -> float:
            way = robot.subtract_dof_values(np.array(answer.solution), near, indices)
            return float(np.abs(way).sum())

        return min(found, key=distance)

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> list[IkReturn]:
        """Return the solutions that were found."""
        arm = self._arm(goal, free)
        near = arm.robot.dof_values[arm.arm_indices]
        return [one for one in self._search(arm, goal, options, near, timeout) if one]

    def get_num_free_parameters(self) -> int:
        """Return 0: every joint is solved for."""
        return 0

    def get_free_parameters(self) -> NDArray[np.float64]:
        """Return an empty array."""
        return np.empty(0)

    def get_free_indices(self) -> Indices:
        """Return no index."""
        return as_indices((), "free indices")

    def _arm(self, goal: IkParameterization, free: ArrayLike | None) -> Manipulator:
        arm = self.get_manipulator()
        if arm is None:
            raise StateError(f"{self!r} has no manipulator; assign it to arm.ik_solver")
        if not self.supports(goal.type):
            raise ArgumentError(f"{self!r} cannot solve goals of type {goal.type.name}")
        if free is not None and np.size(free):
            raise ArgumentError(f"{self!r} has no free parameters")
        return arm

    def _search(
        self,
        arm: Manipulator,
        goal: IkParameterization,
        options: IkFilterOptions,
        near: NDArray[np.float64],
        timeout: float | None,
    ) -> list[IkReturn]:
        end = math.inf if timeout is None else time.monotonic() + timeout
        robot, indices = arm.robot, arm.arm_indices
        lower, upper = (np.clip(b[indices], -np.pi, np.pi) for b in robot.dof_limits)
        random = np.random.default_rng(0)
        starts = [near, *random.uniform(lower, upper, (_N_STARTS - 1, len(indices)))]
        answers: list[IkReturn] = []
        solutions: list[NDArray[np.float64]] = []
        with robot.preserve_state():
            for start in starts:
                if time.monotonic() > end:
                    break
                robot.set_dof_values(start, indices)
                if not _descend(arm, goal):
                    continue
                q = robot.dof_values[indices]
                if any(np.allclose(q, other, atol=1e-4) for other in solutions):
                    continue
                solutions.append(q)
                answers.append(self._accept(arm, goal, options, q))
        if not answers:
            text = f"no start out of {_N_STARTS} reached the goal"
            answers.append(IkReturn(IkAction.REJECT_KINEMATICS, None, failures=(text,)))
        return answers

    def _accept(
        self,
        arm: Manipulator,
        goal: IkParameterization,
        options: IkFilterOptions,
        q: NDArray[np.float64],
    ) -> IkReturn:
        robot = arm.robot
        if not options & IkFilterOptions.IGNORE_CUSTOM_FILTERS:
            answer = self.call_filters(q, goal)
            if not answer:
                return answer
        else:
            answer = IkReturn(IkAction.SUCCESS, q)
        check_self = not options & IkFilterOptions.IGNORE_SELF_COLLISIONS
        if check_self and self.env.collision_checker.check_self_collision(robot):
            text = (f"{q} hits the robot itself",)
            return IkReturn(IkAction.REJECT_SELF_COLLISION, None, failures=text)
        check_env = bool(options & IkFilterOptions.CHECK_ENV_COLLISIONS)
        if check_env and self.env.check_collision(robot):
            text = (f"{q} hits the environment",)
            return IkReturn(IkAction.REJECT_ENV_COLLISION, None, failures=text)
        return answer


def _descend(arm: Manipulator, goal: IkParameterization) -> bool:
    """Move the robot towards the goal; True if it gets there."""
    robot, indices = arm.robot, arm.arm_indices
    whole = goal.type == IkParameterizationType.Transform6D
    target = np.eye(4)
    if whole:
        target = pose_from_wxyz_xyz(goal.values)
    else:
        target[:3, 3] = goal.values
    for _ in range(_N_ITERATIONS):
        pose = arm.transform
        error = target[:3, 3] - pose[:3, 3]
        jacobian = arm.jacobian()[:3]
        if whole:
            turn = rotation_vector(target[:3, :3] @ pose[:3, :3].T)
            error = np.concatenate((error, turn))
            jacobian = arm.jacobian()
        if np.abs(error).max() < _PRECISION:
            return True
        square = jacobian @ jacobian.T + _DAMPING**2 * np.eye(error.size)
        step = jacobian.T @ np.linalg.solve(square, error)
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-12))
        lower, upper = robot.dof_limits
        q = np.clip(robot.dof_values[indices] + step, lower[indices], upper[indices])
        robot.set_dof_values(q, indices)
    return False
'''

_TEST = '''"""What @id@ solves."""

import numpy as np
import pyrave


def test_it_reaches_poses_that_the_arm_can_reach(scene):
    robot = scene.robots["arm"]
    arm = robot.manipulators[0]
    arm.ik_solver = scene.create("iksolver", "@id@")
    robot.dof_values = wanted = np.array([0.4, 0.9])
    pose = arm.transform
    robot.dof_values = np.zeros(2)
    solution = arm.solve_ik(pose)
    np.testing.assert_allclose(robot.dof_values, np.zeros(2))
    np.testing.assert_allclose(solution, wanted, atol=1e-3)
    goal = pyrave.IkParameterization.translation_3d(pose[:3, 3])
    assert len(arm.solve_ik(goal, all=True)) == 2  # elbow on either side


def test_out_of_reach_says_why(scene):
    arm = scene.robots["arm"].manipulators[0]
    arm.ik_solver = scene.create("iksolver", "@id@")
    goal = pyrave.IkParameterization.translation_3d((9, 9, 9))
    answer = arm.ik_solver.solve(goal)
    assert not answer
    assert "no start" in answer.failures[0]
    assert arm.ik_solver.solve_all(goal) == []
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST)
