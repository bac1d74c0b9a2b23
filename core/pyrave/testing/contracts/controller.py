"""The contract of controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pyrave.errors import Error
from pyrave.testing.contracts.interface import optional, refuses
from pyrave.testing.contracts.placed import PlacedContract, assert_no_failure
from pyrave.testing.scene import goes_away
from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.bodies import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import ControllerBase, TrajectoryBase

_ARRIVED = 1e-3
"""Offset of joints that have arrived, radians or metres."""
_WITHIN = "robot.set_dof_values(values, indices, LimitCheck.CLAMP)"


def _steps(env: Environment, count: int) -> None:
    for _ in range(count):
        env.step(0.01)
    assert_no_failure(env)


def _inside(robot: Robot, fraction: float) -> Any:
    lower, upper = (np.clip(bound, -3.0, 3.0) for bound in robot.dof_limits)
    return lower + fraction * (upper - lower)


def _assert_within_limits(robot: Robot) -> None:
    now, (lower, upper) = robot.dof_values, robot.dof_limits
    assert (now >= lower - 1e-9).all(), _WITHIN
    assert (now <= upper + 1e-9).all(), _WITHIN


def _half_a_second(
    env: Environment, robot: Robot, joints: Sequence[int] | None = None
) -> TrajectoryBase:
    """Return a path of 0.5 s from where the robot is, of all joints or of some."""
    indices = list(range(robot.dof)) if joints is None else list(joints)
    group = " ".join(["joint_values", robot.name, *map(str, indices)])
    spec = ConfigurationSpecification().add_group(group, len(indices), "linear")
    spec = spec.add_delta_time_group()
    trajectory: Any = env.create("trajectory", "")
    trajectory.init(spec)
    here = robot.dof_values
    there = here + 0.2 * (_inside(robot, 0.6) - here)
    rows = np.zeros((2, spec.dof))
    for row, values, dt in zip(rows, (here, there), (0.0, 0.5), strict=True):
        spec.insert_joint_values(row, values[indices], robot, indices)
        spec.insert_delta_time(row, dt)
    trajectory.insert(0, rows)
    return trajectory  # type: ignore[no-any-return]


class ControllerContract(PlacedContract):
    """Contract of controllers; they drive the arm."""

    interface_type = "controller"

    def ready(self, env: Environment) -> Any:
        """Return a controller of the arm, which has had another one before."""
        made, robot = self.make(env), self.arm(env)
        assert robot.controller is not made
        robot.set_controller(made)
        return made

    def place(self, env: Environment, made: Any) -> None:
        """Do nothing: a ready controller is in its place."""

    def exercise(self, env: Environment, made: Any) -> None:
        """Give it a goal that takes a while."""
        robot = self.arm(env)
        robot.dof_values = _inside(robot, 0.3)
        made.set_desired(_inside(robot, 0.6))

    def placed(self, env: Environment) -> Any:
        """Return the controller of the arm."""
        return self.arm(env).own_controller

    def take_out(self, env: Environment, made: Any) -> None:
        """Leave the arm without it."""
        self.arm(env).set_controller(None)

    def _bound(
        self, env: Environment, indices: Sequence[int] | None = None
    ) -> tuple[Robot, ControllerBase]:
        robot, controller = self.arm(env), self.ready(env)
        robot.set_controller(controller, indices)
        return robot, controller

    def test_unbound(self, env: Environment) -> None:
        """Before ``init`` a controller has no robot and nothing to do."""
        controller = self.make(env)
        assert controller.get_robot() is None
        assert tuple(controller.get_control_dof_indices()) == ()
        assert controller.is_control_transformation() is False

    def test_takes_over(self, env: Environment) -> None:
        """After ``init(robot, indices, flag)`` it returns just these, and is done."""
        robot, controller = self.arm(env), self.make(env)
        wanted = list(reversed(range(robot.dof)))[:2]
        controller.init(robot, wanted, control_transform=False)
        assert controller.get_robot() is robot
        seen = controller.get_control_dof_indices()
        fix = "keep pyrave.spatial.as_indices(dof_indices, 'dof_indices')"
        assert isinstance(seen, np.ndarray), fix
        assert seen.dtype.kind == "i", fix
        assert seen.tolist() == wanted, fix
        assert controller.is_control_transformation() is False
        assert controller.is_done() is True, "True when there is no command"
        controller.init(robot, range(robot.dof), control_transform=False)
        seen = controller.get_control_dof_indices()
        assert seen.tolist() == list(range(robot.dof)), (
            "a second init replaces the first"
        )

    def test_idle(self, env: Environment) -> None:
        """Without a command ``simulation_step`` leaves the robot as it is."""
        robot, _ = self._bound(env)
        robot.dof_values = _inside(robot, 0.3)
        before, pose = robot.dof_values, robot.transform
        _steps(env, 20)
        assert_array_equal(before, robot.dof_values)
        assert_array_equal(pose, robot.transform)

    def test_keeps_to_its_dofs(self, env: Environment) -> None:
        """``simulation_step`` moves only the DOFs given to init, within limits."""
        robot, controller = self._bound(env, [0])
        start, pose = robot.dof_values, robot.transform
        fix = "robot.set_dof_values(values, self.get_control_dof_indices())"
        for goal in (0.2, 1e3, -1e3):
            if refuses(Error, controller.set_desired, [goal]):
                continue  # a controller may refuse goals outside of the limits
            for _ in range(50):
                _steps(env, 1)
                assert_array_equal(robot.dof_values[1:], start[1:], fix)
                assert_array_equal(robot.transform, pose, fix)
                _assert_within_limits(robot)

    def test_answers(self, env: Environment) -> None:
        """``set_desired`` takes one value per index and returns a bool, as is_done."""
        robot, controller = self._bound(env)
        fix = "return True when the goal is accepted, False when it is refused"
        assert isinstance(controller.set_desired(_inside(robot, 0.6)), bool), fix
        for _ in range(10):
            _steps(env, 1)
            assert isinstance(controller.is_done(), bool)

    def _moving(self, env: Environment, goal: Any) -> tuple[Robot, ControllerBase]:
        """Return an arm, two steps after its controller was told a goal."""
        robot, controller = self._bound(env)
        robot.dof_values = _inside(robot, 0.3)
        if not controller.set_desired(goal):
            self.not_applicable("it refuses the goal of the kit")
        return robot, controller

    def test_goal_is_copied(self, env: Environment) -> None:
        """A goal may be changed by its owner after ``set_desired``."""
        other = self.new_environment()
        goal = _inside(self.arm(env), 0.6)
        robot, _ = self._moving(env, goal)
        goal[:] = _inside(robot, 0.3)
        twin, _ = self._moving(other, _inside(robot, 0.6))
        for _ in range(30):
            _steps(env, 1)
            _steps(other, 1)
        fix = "keep a copy: as_vector(values, n, 'values').copy()"
        assert_allclose(robot.dof_values, twin.dof_values, atol=1e-9, err_msg=fix)

    def test_path_is_copied(self, env: Environment) -> None:
        """A path may be changed by its owner after ``set_path``, and stays as it is."""
        other = self.new_environment()
        robots = []
        for one in (env, other):
            robot, controller = self._bound(one)
            path = _half_a_second(one, robot)
            before = path.get_waypoints()
            if not controller.set_path(path):
                self.not_applicable("it refuses a path of joint values")
            fix = "do not change the trajectory of set_path"
            assert_array_equal(before, path.get_waypoints(), fix)
            if one is env:
                path.clear_waypoints()
            robots.append(robot)
        first, second = robots
        for _ in range(60):
            _steps(env, 1)
            _steps(other, 1)
        fix = "keep trajectory.clone(), or its waypoints"
        moved, wanted = first.dof_values, second.dof_values
        assert_allclose(moved, wanted, atol=1e-9, err_msg=fix)

    def test_moves_with_time(self, env: Environment) -> None:
        """``simulation_step(dt)`` moves further in a step that takes longer."""
        moved = []
        for one, dt in ((env, 0.004), (self.new_environment(), 0.016)):
            robot, _ = self._moving(one, _inside(self.arm(one), 0.6))
            start = robot.dof_values
            for _ in range(2):
                one.step(dt)
            assert_no_failure(one)
            moved.append(np.abs(robot.dof_values - start).max())
            goal = np.abs(_inside(robot, 0.6) - start).max()
        if moved[0] >= 0.9 * goal:
            return  # it is at its goal at once
        if not moved[0]:
            self.not_applicable("it does not move within two steps")
        fix = "a speed times dt, not a constant, is how far joints move in a step"
        assert moved[1] > 1.05 * moved[0], fix

    def test_robot_goes_away(self, env: Environment) -> None:
        """A controller that is kept does not keep its robot (``get_robot``)."""
        controller = self._bound(env)[1]
        controller.set_desired(_inside(self.arm(env), 0.6))
        name = self.arm(env).name
        _steps(env, 2)
        assert goes_away(env, name), (
            "keep the robot by a weak reference, weakref.ref(robot), as "
            "BoundController does: the robot holds its controller"
        )
        assert controller.get_robot() is None, "return self._robot()"

    def test_a_clone_goes_on(self, env: Environment) -> None:
        """A clone made on the way moves as the original does."""
        robot, controller = self._moving(env, _inside(self.arm(env), 0.6))
        _steps(env, 2)
        clone = env.clone()
        twin = self.arm(clone)
        fix = "return the command and the progress from get_own_state"
        for _ in range(30):
            _steps(env, 1)
            _steps(clone, 1)
            assert_allclose(twin.dof_values, robot.dof_values, atol=1e-9, err_msg=fix)
        copied = twin.controller
        assert copied is not None
        assert copied.is_done() is controller.is_done(), fix

    def test_done_means_done(self, env: Environment) -> None:
        """``is_done()`` is false until joints that come to a goal are near it."""
        goal = _inside(self.arm(env), 0.6)
        robot, controller = self._moving(env, goal)
        way, done = float(np.abs(goal - robot.dof_values).max()), None
        for _ in range(500):
            _steps(env, 1)
            if done is None and controller.is_done():
                done = robot.dof_values
        if done is None or np.abs(goal - robot.dof_values).max() > 0.05 * way:
            self.not_applicable("its joints come to no goal within 5 s")
        fix = "is_done() is False until the joints are at the goal"
        assert np.abs(goal - done).max() <= 0.1 * way, fix

    def test_refuses_nonsense(self, env: Environment) -> None:
        """``set_desired`` refuses goals of wrong size or not finite, and does not move.

        It returns False or raises a pyrave error.
        """
        robot, controller = self._bound(env)
        before, n = robot.dof_values, robot.dof
        for bad in (np.zeros(n + 1), np.zeros(max(n - 1, 0)), np.full(n, np.nan)):
            try:
                answer = controller.set_desired(bad)
            except Error:
                answer = False
            fix = f"check {bad} with pyrave.spatial.as_vector(values, {n}, 'values')"
            assert answer is False, fix
            _steps(env, 3)
            assert_array_equal(before, robot.dof_values, f"{bad} moved the robot")

    def test_reset(self, env: Environment) -> None:
        """``reset()`` drops all commands: it is done and the robot stays."""
        robot, controller = self._bound(env)
        controller.set_desired(_inside(robot, 0.7))
        _steps(env, 2)
        before = robot.dof_values
        controller.reset()
        assert_array_equal(before, robot.dof_values, "reset() moved the robot")
        assert controller.is_done() is True
        _steps(env, 10)
        fix = "forget goal, path and velocities in reset()"
        assert_array_equal(before, robot.dof_values, fix)

    def test_follows_a_path(self, env: Environment) -> None:
        """A path that ``set_path`` accepts ends; None stops it."""
        robot, controller = self._bound(env)
        answer = controller.set_path(_half_a_second(env, robot))
        assert isinstance(answer, bool)
        if not answer:
            self.not_applicable("it refuses a path of joint values")
        for _ in range(2000):
            _steps(env, 1)
            _assert_within_limits(robot)
            if controller.is_done():
                break
        else:
            raise AssertionError("a path of 0.5 s is not done after 20 s")
        controller.set_path(_half_a_second(env, robot))
        _steps(env, 2)
        controller.set_path(None)
        assert controller.is_done() is True, "treat None as reset()"

    def test_stays_at_the_end(self, env: Environment) -> None:
        """Two seconds after a path is done joints are within 1e-3 of its end."""
        robot, controller = self._bound(env)
        trajectory = _half_a_second(env, robot)
        if not controller.set_path(trajectory):
            self.not_applicable("it refuses a path of joint values")
        for _ in range(2000):
            _steps(env, 1)
            if controller.is_done():
                break
        _steps(env, 200)
        end = trajectory.spec.extract_joint_values(
            trajectory.get_waypoint(-1), robot, range(robot.dof)
        )
        assert end is not None
        fix = "after the end hold its last point, with rates and accelerations of 0"
        off = np.abs(robot.subtract_dof_values(robot.dof_values, end))
        assert off.max() <= _ARRIVED, fix

    def test_what_a_path_leaves_out(self, env: Environment) -> None:
        """Joints that a path leaves out go on as ``set_desired`` told them."""
        robot, controller = self._bound(env)
        goal = _inside(robot, 0.6)
        if not controller.set_desired(goal):
            self.not_applicable("it refuses the goal of the kit")
        _steps(env, 500)
        if np.abs(robot.subtract_dof_values(robot.dof_values, goal)).max() > _ARRIVED:
            self.not_applicable("its joints come to no goal within 5 s")
        if not controller.set_path(_half_a_second(env, robot, [0])):
            self.not_applicable("it refuses a path of some joint values")
        _steps(env, 300)
        off = np.abs(robot.subtract_dof_values(robot.dof_values, goal))[1:]
        fix = "keep the goals of joints that the trajectory has no values for"
        assert off.max() <= _ARRIVED, fix

    def test_reports(self, env: Environment) -> None:
        """get_time, ``get_velocity`` and get_torque return numbers of the right shape.

        Or they raise NotSupportedError.
        """
        robot, controller = self._bound(env)
        names = ("get_time", "get_velocity", "get_torque")
        for name, value in optional(controller, dict.fromkeys(names, ())):
            assert np.shape(value) == (() if name == "get_time" else (robot.dof,)), name
            assert np.asarray(value).dtype.kind in "fi", name
