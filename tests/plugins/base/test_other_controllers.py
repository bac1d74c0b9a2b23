"""Velocity, redirect and multi-controllers."""

from __future__ import annotations

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave import ArgumentError, ConfigurationSpecification, NotFoundError, StateError

SCENE = scene_beside(__file__, "other_controllers.env.xml")


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load_string(SCENE)
    return env


@pytest.fixture
def robot(env):
    return env.robots["arm"]


def trajectory_of(env, spec, rows):
    trajectory = env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, rows)
    return trajectory


# -- velocities --------------------------------------------------------------------


def test_velocities_are_integrated(env, robot):
    controller = robot.set_controller("IdealVelocityController")
    assert controller.is_done()
    assert controller.set_desired([0.25, -0.5, 0])
    assert not controller.is_done()
    for _ in range(8):
        env.step(0.125)
    np.testing.assert_allclose(robot.dof_values, [0.25, -0.5, 0], atol=1e-12)
    np.testing.assert_array_equal(robot.dof_velocities, [0.25, -0.5, 0])
    np.testing.assert_array_equal(controller.get_velocity(), [0.25, -0.5, 0])


def test_velocities_are_clamped(env, robot):
    controller = robot.set_controller("IdealVelocityController")
    controller.set_desired([-2, 0, 0])
    env.step(0.5)
    np.testing.assert_allclose(robot.dof_values, [-0.25, 0, 0])


def test_joints_stop_at_limits(env, robot):
    controller = robot.set_controller("IdealVelocityController")
    controller.set_desired([0.5, 4, 0])
    env.step(1)
    np.testing.assert_array_equal(robot.dof_values, [0.5, 2, 0])
    np.testing.assert_array_equal(robot.dof_velocities, [0.5, 0, 0])
    assert not controller.is_done()
    env.step(2)
    np.testing.assert_array_equal(robot.dof_values, [1, 2, 0])
    np.testing.assert_array_equal(robot.dof_velocities, [0, 0, 0])
    assert controller.is_done()
    controller.set_desired([-0.5, 0, 0])
    env.step(0.5)
    np.testing.assert_allclose(robot.dof_values, [0.75, 2, 0])


def test_circular_joints_go_round(env, robot):
    controller = robot.set_controller("IdealVelocityController", [2])
    controller.set_desired([1.0])
    for _ in range(50):
        env.step(0.1)
    assert np.sin(robot.dof_values[2]) == pytest.approx(np.sin(5.0))
    assert not controller.is_done()


def test_velocity_controller_stops(env, robot):
    controller = robot.set_controller("IdealVelocityController")
    controller.set_desired([0.25, 0, 0])
    env.step(1)
    assert controller.set_path(None)
    assert controller.is_done()
    assert not robot.dof_velocities.any()
    env.step(1)
    np.testing.assert_allclose(robot.dof_values, [0.25, 0, 0])


def test_velocity_controller_refuses(env, robot, caplog):
    controller = robot.set_controller("IdealVelocityController")
    assert not controller.set_path(env.create("trajectory", ""))
    assert "velocities only" in caplog.text
    with pytest.raises(ArgumentError, match="transform"):
        controller.set_desired([0, 0, 0], np.eye(4))
    with pytest.raises(ArgumentError):
        controller.set_desired([0, 0])
    lonely = env.create("controller", "IdealVelocityController")
    with pytest.raises(StateError, match="no robot"):
        lonely.set_desired([])
    with pytest.raises(ArgumentError, match=r"0\.\.2"):
        lonely.init(robot, [5], False)


def test_velocity_state_travels_with_clones(env, robot):
    robot.set_controller("IdealVelocityController").set_desired([0.25, 0, 0])
    twin = env.clone()
    twin.step(1)
    np.testing.assert_allclose(twin.robots["arm"].dof_values, [0.25, 0, 0])
    np.testing.assert_array_equal(robot.dof_values, [0, 0, 0])


# -- redirection -------------------------------------------------------------------


def test_redirect_drives_the_controller_before_it(env, robot):
    ideal = robot.controller
    redirect = robot.set_controller("RedirectController")
    assert redirect.target is ideal
    assert redirect.set_desired([0.5, 0, 0])
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0, 0])
    assert not redirect.is_done()
    env.step(0.1)
    assert redirect.is_done()
    assert redirect.get_time() == 0
    assert "Pause" in redirect.commands
    assert redirect.send_command("Pause 1") == ""
    redirect.set_desired([0.1, 0, 0])
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0, 0])


def test_a_clone_drives_the_original(env, robot):
    twin = env.clone()
    ghost = twin.robots["arm"]
    redirect = ghost.set_controller("RedirectController")
    redirect.set_target(robot.controller)
    redirect.set_desired([0.5, 0.25, 0])
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0.25, 0])
    np.testing.assert_array_equal(ghost.dof_values, [0, 0, 0])
    twin.step(0.1)
    np.testing.assert_array_equal(ghost.dof_values, [0.5, 0.25, 0])
    assert not redirect.is_done()
    env.step(0.1)
    assert redirect.is_done()


def test_redirect_without_following(env, robot):
    twin = env.clone()
    ghost = twin.robots["arm"]
    redirect = ghost.set_controller("RedirectController 0")
    redirect.set_target(robot.controller)
    redirect.set_desired([0.5, 0.25, 0])
    twin.step(0.1)
    np.testing.assert_array_equal(ghost.dof_values, [0, 0, 0])
    with pytest.raises(pyrave.SettingError, match=r"follow of .* is 'maybe'"):
        env.create("controller", "RedirectController maybe")


def test_redirect_without_target(env, robot):
    redirect = env.create("controller", "RedirectController")
    redirect.init(robot, [0], False)
    assert redirect.is_done()
    redirect.reset()
    redirect.simulation_step(0.1)
    assert redirect.set_path(None)
    with pytest.raises(StateError, match="set_target"):
        redirect.set_desired([0])
    with pytest.raises(StateError, match="set_target"):
        redirect.send_command("Pause 1")
    other = env.create("controller", "RedirectController")
    other.set_target(redirect)
    with pytest.raises(ArgumentError, match="own target"):
        redirect.set_target(other)


# -- several -----------------------------------------------------------------------


@pytest.fixture
def multi(env, robot):
    controller = robot.set_controller("GenericMultiController", control_transform=True)
    controller.attach_controller("IdealController", [2, 0])
    controller.attach_controller(
        env.create("controller", "IdealController"), [1], control_transform=True
    )
    return controller


def test_goals_are_split(env, robot, multi):
    pose = np.eye(4)
    pose[0, 3] = 3
    assert multi.set_desired([0.1, 0.2, 0.3], pose)
    np.testing.assert_array_equal(robot.dof_values, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(robot.transform, pose)
    assert not multi.is_done()
    env.step(0.1)
    assert multi.is_done()


def test_who_drives_what(multi):
    first, second = multi.controllers
    assert multi.get_controller(0) is first
    assert multi.get_controller(2) is first
    assert multi.get_controller(1) is second
    assert multi.get_controller(-1) is second
    multi.remove_controller(first)
    assert multi.get_controller(0) is None
    with pytest.raises(NotFoundError):
        multi.remove_controller(first)


def test_what_is_taken_cannot_be_attached(env, robot, multi):
    with pytest.raises(ArgumentError, match="dof 1 is driven by"):
        multi.attach_controller("IdealController", [1])
    with pytest.raises(ArgumentError, match="dof 7"):
        multi.attach_controller("IdealController", [7])
    with pytest.raises(ArgumentError, match="base is driven by"):
        multi.attach_controller("IdealController", [], control_transform=True)
    plain = robot.set_controller("GenericMultiController", [0])
    with pytest.raises(ArgumentError, match="does not drive"):
        plain.attach_controller("IdealController", [0], control_transform=True)
    with pytest.raises(ArgumentError, match="no controller"):
        plain.set_desired([0], np.eye(4))
    lonely = env.create("controller", "GenericMultiController")
    with pytest.raises(StateError, match="no robot"):
        lonely.attach_controller("IdealController", [0])


def test_what_is_attached_is_not_attached_again(env, robot, multi):
    first = multi.controllers[0]
    multi.remove_controller(multi.controllers[1])
    for one in (multi, first):
        with pytest.raises(ArgumentError, match="attached already"):
            multi.attach_controller(one, [1])
    with pytest.raises(ArgumentError, match="controller is 5, expected"):
        multi.attach_controller(5, [1])
    assert multi.controllers == (first,)
    assert set(first.get_control_dof_indices().tolist()) == {0, 2}


def test_trajectories_are_split(env, robot, multi):
    spec = (
        ConfigurationSpecification()
        .add_group("joint_values arm 1 0 2", 3, "linear")
        .add_group("affine_transform arm 39", 7, "linear")
        .add_delta_time_group()
    )
    rows = [
        [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        [2, 0.4, 1, 4, 0, 0, 1, 0, 0, 0, 1],
    ]
    whole = trajectory_of(env, spec, rows)
    assert multi.set_path(whole)
    for k in range(1, 5):
        env.step(0.25)
        expected = np.array([0.4, 2, 1]) * k / 4
        np.testing.assert_allclose(robot.dof_values, expected, atol=1e-12)
        assert robot.transform[0, 3] == pytest.approx(k)
        assert multi.get_time() == pytest.approx(0.25 * k)
    assert multi.is_done()


def test_parts_without_a_share_rest(env, robot, multi):
    spec = (
        ConfigurationSpecification()
        .add_group("joint_values arm 1", 1, "linear")
        .add_delta_time_group()
    )
    assert multi.set_path(trajectory_of(env, spec, [[0, 0], [1, 1]]))
    assert multi.controllers[0].is_done()
    assert not multi.is_done()
    assert multi.set_path(None)
    assert multi.is_done()
    nobody = (
        ConfigurationSpecification()
        .add_group("joint_values nobody 1", 1, "linear")
        .add_delta_time_group()
    )
    assert not multi.set_path(trajectory_of(env, nobody, [[0, 0], [1, 1]]))


def test_velocities_are_collected(robot):
    multi = robot.set_controller("GenericMultiController", [2, 0, 1])
    multi.attach_controller("IdealVelocityController", [1, 2])
    multi.set_desired([3, 0.5, -1])
    np.testing.assert_array_equal(multi.get_velocity(), [3, 0, -1])


def test_multi_state_travels_with_clones(env, robot, multi):
    multi.set_desired([0.1, 0.2, 0.3])
    twin = env.clone()
    copy = twin.robots["arm"].controller
    assert [c.get_control_dof_indices().tolist() for c in copy.controllers] == [
        [2, 0],
        [1],
    ]
    assert not copy.is_done()
    twin.step(0.1)
    assert copy.is_done()
    assert not multi.is_done()
    np.testing.assert_array_equal(twin.robots["arm"].dof_values, [0.1, 0.2, 0.3])
