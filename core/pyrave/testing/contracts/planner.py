"""The contract of planners."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pyrave.errors import Error
from pyrave.interfaces import (
    PlannerAction,
    PlannerParameters,
    PlannerProgress,
    PlannerStatus,
    PlannerStatusCode,
)
from pyrave.scene import body_from_boxes
from pyrave.testing.contracts.interface import InterfaceContract

if TYPE_CHECKING:
    from pyrave.bodies import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import TrajectoryBase


_SAMPLES = 20
_ARRAYS = (
    "initial_configuration",
    "goal_configuration",
    "lower_limits",
    "upper_limits",
)


def _problem(robot: Robot, goal: Any = None) -> PlannerParameters:
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    lower, upper = (np.clip(bound, -2.0, 2.0) for bound in robot.dof_limits)
    default = lower + 0.7 * (upper - lower)
    parameters.goal_configuration = np.asarray(default if goal is None else goal)
    parameters.max_iterations = 2000
    parameters.max_planning_time = 10.0
    parameters.random_seed = 5
    return parameters


def _checked(status: Any) -> PlannerStatus:
    assert isinstance(status, PlannerStatus), (
        "return PlannerStatus(PlannerStatusCode.HAS_SOLUTION), or a failure with a "
        "description"
    )
    assert isinstance(status.code, PlannerStatusCode)
    return status


def _joint_values(robot: Robot, trajectory: TrajectoryBase) -> Any:
    spec = trajectory.get_configuration_specification()
    indices = robot.active_dof_indices
    rows = trajectory.get_waypoints()
    values = [spec.extract_joint_values(row, robot, indices) for row in rows]
    fix = "trajectory.init(parameters.specification), then insert the configurations"
    assert values, fix
    assert all(v is not None for v in values), fix
    return np.array(values)


def _blocked(env: Environment, robot: Robot, rows: Any) -> bool:
    """Return True if the robot hits a body between configurations."""
    with robot.preserve_state():
        for a, b in itertools.pairwise(rows):
            for part in np.linspace(0.0, 1.0, _SAMPLES):
                robot.active.set_values(a + part * (b - a))
                if env.check_collision(robot):
                    return True
    return False


class PlannerContract(InterfaceContract):
    """Contract of planners; they plan motions of the arm's joints."""

    interface_type = "planner"

    def _plan(
        self, env: Environment, parameters: PlannerParameters
    ) -> tuple[PlannerStatus, TrajectoryBase]:
        """Plan; a refusal by init_plan counts as the result."""
        planner = self.make(env)
        trajectory: Any = env.create("trajectory", "")
        status = _checked(planner.init_plan(self.arm(env), parameters))
        return (
            _checked(planner.plan_path(trajectory)) if status else status
        ), trajectory

    def _solved(self, env: Environment) -> tuple[Robot, TrajectoryBase]:
        robot = self.arm(env)
        status, trajectory = self._plan(env, _problem(robot))
        if not status:
            self.not_applicable(
                "it does not solve a plain joint-space problem, so it is taken for a "
                f"special planner: {status.description or status.code!r}"
            )
        return robot, trajectory

    def test_life(self, env: Environment) -> None:
        """get_parameters is None before ``init_plan``, the parameters after it."""
        planner, robot = self.make(env), self.arm(env)
        assert planner.get_parameters() is None
        status = _checked(planner.init_plan(robot, _problem(robot)))
        fix = "keep the parameters in init_plan"
        assert not status or isinstance(planner.get_parameters(), PlannerParameters), (
            fix
        )

    def test_not_initialised(self, env: Environment) -> None:
        """``plan_path`` before init_plan fails with a status or a pyrave error."""
        planner: Any = self.make(env)
        try:
            status = planner.plan_path(env.create("trajectory", ""))
        except Error:
            return
        assert not _checked(status), "there is no problem to solve"

    def test_ends(self, env: Environment) -> None:
        """The solution of ``plan_path`` goes exactly from initial to goal."""
        robot, trajectory = self._solved(env)
        wanted, values = _problem(robot), _joint_values(robot, trajectory)
        assert_allclose(values[0], wanted.initial_configuration, atol=1e-6)
        assert_allclose(values[-1], wanted.goal_configuration, atol=1e-6)

    def test_within_limits(self, env: Environment) -> None:
        """Configurations of ``plan_path`` are finite and within the limits."""
        robot, trajectory = self._solved(env)
        values, wanted = _joint_values(robot, trajectory), _problem(robot)
        fix = "clip samples to parameters.lower_limits and upper_limits"
        assert np.isfinite(values).all()
        assert (values >= wanted.lower_limits - 1e-9).all(), fix
        assert (values <= wanted.upper_limits + 1e-9).all(), fix

    def test_stays(self, env: Environment) -> None:
        """``plan_path`` leaves the robot where it was."""
        robot, fix = self.arm(env), "plan inside `with robot.preserve_state():`"
        before, pose = robot.dof_values, robot.transform
        self._plan(env, _problem(robot))
        assert_array_equal(before, robot.dof_values, fix)
        assert_array_equal(pose, robot.transform, fix)

    def test_keeps_its_problem(self, env: Environment) -> None:
        """Neither ``init_plan`` nor plan_path changes the parameters."""
        parameters = _problem(self.arm(env))
        before = [getattr(parameters, name).copy() for name in _ARRAYS]
        self._plan(env, parameters)
        for name, value in zip(_ARRAYS, before, strict=True):
            assert_array_equal(value, getattr(parameters, name), f"copy {name} first")

    def test_progress(self, env: Environment) -> None:
        """``plan_path`` asks call_progress now and then, and ends when that says so."""
        robot, free = self._solved(env)
        planner, asked = self.make(env), list[PlannerProgress]()

        def stop(progress: PlannerProgress) -> PlannerAction:
            asked.append(progress)
            return PlannerAction.INTERRUPT

        status = PlannerStatus(PlannerStatusCode.FAILED)
        with planner.register_progress_callback(stop):
            for wall in (False, True):
                if wall:  # a way that is free may be found before it asks
                    self._put_a_wall(env, robot, free)
                if not asked and planner.init_plan(robot, _problem(robot)):
                    status = _checked(planner.plan_path(env.create("trajectory", "")))
        fix = "call self.call_progress(PlannerProgress(i)) in the loop"
        assert asked, fix
        fix = "end with PlannerStatusCode.INTERRUPTED, unless there is a path already"
        ended = not status or status.code & PlannerStatusCode.INTERRUPTED
        assert ended or len(asked) == 1, fix

    def test_constraints(self, env: Environment) -> None:
        """``plan_path`` asks check_path_constraints about each motion of its path."""
        robot, _ = self._solved(env)
        parameters, asked = _problem(robot), list[Any]()

        def never(*motion: Any) -> bool:
            asked.append(motion)
            return False

        parameters.check_path_constraints = never
        parameters.max_iterations = 200
        status, _ = self._plan(env, parameters)
        fix = "self.check_motion(a, b) asks parameters.check_path_constraints"
        assert asked, fix
        assert not status, f"no motion keeps the constraint, and it has a path; {fix}"

    def _put_a_wall(self, env: Environment, robot: Robot, free: TrajectoryBase) -> None:
        """Put a box where the hand comes by, and not at the ends of its way."""
        values = _joint_values(robot, free)
        with robot.preserve_state():
            robot.active.set_values(values[0] + 0.5 * (values[-1] - values[0]))
            place = robot.links[-1].transform[:3, 3]
        env.create_body(body_from_boxes("kit_wall", [(*place, 0.03, 0.03, 0.03)]))
        ends = (_blocked(env, robot, values[[k, k]]) for k in (0, -1))
        if any(ends) or not _blocked(env, robot, values):
            self.not_applicable("the kit's wall is not in its way")

    def test_walls(self, env: Environment) -> None:
        """The path of ``plan_path`` goes through no body: planners check collisions."""
        robot, free = self._solved(env)
        self._put_a_wall(env, robot, free)
        status, trajectory = self._plan(env, _problem(robot))
        if not status:
            assert status.description, "PlannerStatus(code, 'what was hit')"
            return
        found = _joint_values(robot, trajectory)
        assert not _blocked(env, robot, found), (
            "the path goes through a body; self.check_motion(a, b), or "
            "env.collision_checker.check_motions, in plan_path"
        )

    def test_goal_is_start(self, env: Environment) -> None:
        """``plan_path`` to the start gives a short solution, or says why not."""
        robot, _ = self._solved(env)
        status, trajectory = self._plan(env, _problem(robot, robot.dof_values))
        assert status or status.description, "PlannerStatus(code, 'what happened')"
        if status:
            values = _joint_values(robot, trajectory)
            assert_allclose(values[-1], robot.dof_values, atol=1e-6)

    def test_says_why_not(self, env: Environment) -> None:
        """``init_plan`` refuses impossible problems with a status, not an exception."""
        robot = self.arm(env)
        upper, n = robot.dof_limits[1], robot.dof
        problems = {
            "a goal outside of the limits": _problem(robot, np.minimum(upper, 1e3) + 1),
            "a goal of NaN": _problem(robot, np.full(n, np.nan)),
            "a goal with a value too many": _problem(robot, np.zeros(n + 1)),
            "empty parameters": PlannerParameters(),
        }
        if self.make(env).needs_goal:
            problems["no goal"] = _problem(robot, np.empty(0))
        for what, parameters in problems.items():
            status, _ = self._plan(env, parameters)
            assert not status, f"{what} was solved; check the parameters in init_plan"
            assert status.description, f"{what}: PlannerStatus(code, 'what is wrong')"

    def test_repeatable(self, env: Environment) -> None:
        """``plan_path`` gives the same solution for the same problem and seed."""
        robot, first = self._solved(env)
        _, second = self._plan(env, _problem(robot))
        fix = "use np.random.default_rng(parameters.random_seed), never np.random"
        first_values = _joint_values(robot, first)
        assert_array_equal(first_values, _joint_values(robot, second), fix)

    def test_reusable(self, env: Environment) -> None:
        """``init_plan`` may be called again for another problem."""
        robot, _ = self._solved(env)
        planner = self.make(env)
        for goal in (None, robot.dof_values + 0.05):
            parameters = _problem(robot, goal)
            trajectory: Any = env.create("trajectory", "")
            assert planner.init_plan(robot, parameters)
            assert planner.plan_path(trajectory)
            end = _joint_values(robot, trajectory)[-1]
            fix = "forget the last problem in init_plan"
            assert_allclose(end, parameters.goal_configuration, atol=1e-6, err_msg=fix)
