"""The contract of inverse kinematics solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_array_equal

from pyrave.errors import NotSupportedError
from pyrave.ik import (
    IkAction,
    IkParameterization,
    IkParameterizationType,
    IkReturn,
    residuals,
)
from pyrave.testing.contracts.interface import InterfaceContract

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.environment import Environment
    from pyrave.interfaces import IkSolverBase

_KINDS = (IkParameterizationType.Transform6D, IkParameterizationType.Translation3D)
_SAMPLES = 5
_ROUNDING = 1e-9


def _error(manipulator: Manipulator, solution: Any, goal: IkParameterization) -> float:
    """Return the error of forward kinematics at the goal, metres or radians."""
    robot = manipulator.robot
    with robot.preserve_state():
        robot.set_dof_values(solution, manipulator.arm_indices)
        pose = manipulator.transform[None]
    away, turn = residuals(goal, pose, manipulator.direction)
    return float(max(away[0], turn[0]))


def _assert_nothing_dropped(env: Environment) -> None:
    """Fail if a solution was compared with its goal, and was wrong."""
    wrong = [str(p) for p in env.problems if p.code == "wrong-ik-solution"]
    assert not wrong, "\n".join(wrong)


def _distance(manipulator: Manipulator, a: Any, b: Any) -> float:
    delta = manipulator.robot.subtract_dof_values(a, b, manipulator.arm_indices)
    return float(delta @ delta)


class IkSolverContract(InterfaceContract):
    """Contract of inverse kinematics solvers.

    They are tested on the first manipulator of the scene that they fit, with goals made
    by forward kinematics.
    """

    interface_type = "iksolver"

    def _fitted(self, env: Environment) -> tuple[IkSolverBase, Manipulator]:
        for manipulator in (m for robot in env.robots for m in robot.manipulators):
            solver: IkSolverBase = self.make(env)
            try:
                answer = solver.init(manipulator)
            except NotSupportedError:
                continue
            assert isinstance(answer, bool), "init returns whether the solver fits"
            if answer:
                return solver, manipulator
        return self.not_applicable(
            "it fits no manipulator; state a `scene` with one that fits"
        )

    def _goals(
        self, env: Environment
    ) -> tuple[IkSolverBase, Manipulator, list[tuple[Any, IkParameterization]]]:
        """Return goals within reach, each with joint values that reach it."""
        solver, manipulator = self._fitted(env)
        kind = next((k for k in _KINDS if solver.supports(k)), None)
        if kind is None:
            self.not_applicable("it solves neither Transform6D nor Translation3D goals")
        robot, arm = manipulator.robot, manipulator.arm_indices
        lower, upper = (np.clip(bound, -3.0, 3.0)[arm] for bound in robot.dof_limits)
        rng = np.random.default_rng(11)
        goals = []
        with robot.preserve_state():
            for values in rng.uniform(lower, upper, (_SAMPLES, len(arm))):
                robot.set_dof_values(values, arm)
                goal = IkParameterization.from_pose(kind, manipulator.transform)
                goals.append((values, goal))
        return solver, manipulator, goals

    def test_fits(self, env: Environment) -> None:
        """``init`` returns whether the solver fits; get_manipulator returns the arm."""
        assert self.make(env).get_manipulator() is None
        solver, manipulator = self._fitted(env)
        assert solver.get_manipulator() is manipulator
        fix = "supports() is True for the kinds that solve() understands"
        assert any(solver.supports(kind) for kind in IkParameterizationType), fix

    def test_free(self, env: Environment) -> None:
        """Count, indices and values (``get_free_parameters``) fit together."""
        solver, manipulator = self._fitted(env)
        count, indices = solver.get_num_free_parameters(), solver.get_free_indices()
        values = np.asarray(solver.get_free_parameters())
        assert isinstance(count, int)
        fix = "return pyrave.spatial.as_indices(indices, 'free indices')"
        assert isinstance(indices, np.ndarray), fix
        assert indices.dtype.kind == "i", fix
        assert len(indices) in {0, count}
        assert values.shape == (count,)
        assert all(0 <= i < len(manipulator.arm_indices) for i in indices)
        assert (values >= -1e-9).all()
        assert (values <= 1 + 1e-9).all()

    def test_verifies(self, env: Environment) -> None:
        """Every solution of ``solve_all`` reaches its goal and is within the limits."""
        solver, manipulator, goals = self._goals(env)
        arm = manipulator.arm_indices
        lower, upper = (bound[arm] for bound in manipulator.robot.dof_limits)
        answers = [(goal, a) for _, goal in goals for a in solver.solve_all(goal)]
        assert all(isinstance(answer, IkReturn) for _, answer in answers)
        solved = [(goal, np.asarray(a.solution)) for goal, a in answers if a]
        assert solved, (
            f"none of {len(goals)} goals made by forward kinematics is solved"
        )
        most = solver.tolerance + _ROUNDING
        for goal, solution in solved:
            assert solution.shape == (len(arm),)
            assert np.isfinite(solution).all()
            fix = "reject it with IkAction.REJECT_JOINT_LIMITS unless options say so"
            assert (solution >= lower - 1e-6).all(), fix
            assert (solution <= upper + 1e-6).all(), fix
            fix = "compare with manipulator.transform after robot.set_dof_values"
            assert _error(manipulator, solution, goal) <= most, fix
        _assert_nothing_dropped(env)

    def test_nearest(self, env: Environment) -> None:
        """``solve`` returns the solution nearest to q0."""
        solver, manipulator, goals = self._goals(env)
        found = 0
        for values, goal in goals:
            answer = solver.solve(goal, values)
            assert isinstance(answer, IkReturn)
            if not answer or answer.solution is None:
                continue
            found += 1
            every = [r.solution for r in solver.solve_all(goal) if r]
            best = min((_distance(manipulator, q, values) for q in every), default=1e9)
            seen = _distance(manipulator, answer.solution, values)
            assert seen <= best + 1e-6, "sort the solutions by their distance to q0"
        assert found, "solve found no solution of goals made by forward kinematics"

    def test_leaves_the_robot(self, env: Environment) -> None:
        """``solve`` leaves the robot where it is."""
        solver, manipulator, goals = self._goals(env)
        before = manipulator.robot.dof_values
        for values, goal in goals:
            solver.solve(goal, values)
            solver.solve_all(goal)
        fix = "work inside `with robot.preserve_state():`"
        assert_array_equal(before, manipulator.robot.dof_values, fix)

    def test_out_of_reach(self, env: Environment) -> None:
        """``solve`` of a goal out of reach gives an answer that is false."""
        solver, _, goals = self._goals(env)
        far = np.eye(4)
        far[:3, 3] = 1e3
        goal = IkParameterization.from_pose(goals[0][1].type, far)
        answer = solver.solve(goal)
        assert isinstance(answer, IkReturn), "IkReturn(IkAction.REJECT_KINEMATICS)"
        assert not answer, "the goal is 1.7 km away"
        assert not any(solver.solve_all(goal)), "the goal is 1.7 km away"
        _assert_nothing_dropped(env)

    def test_filters(self, env: Environment) -> None:
        """``call_filters`` asks custom filters, the highest priority first."""
        solver, _, goals = self._goals(env)
        called: list[str] = []

        def noting(name: str, action: IkAction) -> Any:
            def ik_filter(*_: Any) -> IkAction:
                called.append(name)
                return action

            return ik_filter

        handles = [
            solver.register_custom_filter(1, noting("low", IkAction.SUCCESS)),
            solver.register_custom_filter(9, noting("high", IkAction.SUCCESS)),
        ]
        values, goal = goals[0]
        assert solver.solve(goal, values), "filters that accept prevent the solution"
        fix = "run self.call_filters(solution, goal) on every candidate"
        assert called[:2] == ["high", "low"], fix
        handles.append(solver.register_custom_filter(5, noting("no", IkAction.REJECT)))
        fix = "return only candidates that call_filters accepts"
        assert not solver.solve(goal, values), fix
        for handle in handles:
            handle.close()
        called.clear()
        assert solver.solve(goal, values)
        assert not called, "closed filters are still called"
