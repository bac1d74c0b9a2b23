"""IdealController: goals, paths by simulated time, limits, grabbing, state."""

from __future__ import annotations

import gc
import logging
import pickle
import weakref

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave import ArgumentError, ConfigurationSpecification, StateError

SCENE = scene_beside(__file__, "ideal_controller.env.xml")


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load_string(SCENE)
    return env


@pytest.fixture
def robot(env):
    return env.robots["arm"]


def path(env, rows, names=("joint_values arm 0 1",), interpolation="linear"):
    """Return a timed trajectory; each row is the groups' values and a delta time."""
    spec = ConfigurationSpecification()
    for name in names:
        words = name.split()
        size = len(words) - 2 if words[0].startswith("joint") else 1
        size = 7 if words[0] == "affine_transform" else size
        kind = "previous" if words[0].startswith("grab") else interpolation
        spec = spec.add_group(name, size, kind)
    spec = spec.add_delta_time_group()
    trajectory = env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, rows)
    return trajectory


def test_it_is_the_default_and_idle(robot):
    controller = robot.controller
    assert controller.interface_id == "IdealController"
    assert controller.is_done()
    assert controller.get_time() == 0
    assert controller.get_control_dof_indices().tolist() == [0, 1]
    assert controller.is_control_transformation()
    assert controller.get_robot() is robot


def test_goal_jumps_at_once_and_is_done_after_a_step(env, robot):
    assert robot.controller.set_desired([0.5, 0.25])
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0.25])
    assert not robot.controller.is_done()
    env.step(0.01)
    assert robot.controller.is_done()


def test_goal_is_held_until_reset(env, robot):
    robot.controller.set_desired([0.5, 0.25])
    env.step(0.01)
    robot.dof_values = [0, 0]
    env.step(0.01)
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0.25])
    robot.controller.reset()
    robot.dof_values = [0, 0]
    env.step(0.01)
    np.testing.assert_array_equal(robot.dof_values, [0, 0])


def test_goal_of_some_joints_and_of_the_base(env, robot):
    controller = robot.set_controller("IdealController", [1])
    controller.set_desired([0.75])
    np.testing.assert_array_equal(robot.dof_values, [0, 0.75])
    with pytest.raises(ArgumentError, match="does not drive its base"):
        controller.set_desired([0.75], np.eye(4))
    controller = robot.set_controller("IdealController", control_transform=True)
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    controller.set_desired([0, 0], pose)
    np.testing.assert_array_equal(robot.transform, pose)


@pytest.mark.parametrize("values", [[0.1], [0.1, 0.2, 0.3], [np.nan, 0]])
def test_wrong_goals_change_nothing(robot, values):
    with pytest.raises(ArgumentError):
        robot.controller.set_desired(values)
    np.testing.assert_array_equal(robot.dof_values, [0, 0])
    assert robot.controller.is_done()


def test_without_a_robot(env):
    controller = env.create("controller", "IdealController")
    with pytest.raises(StateError, match="no robot"):
        controller.set_desired([0])
    with pytest.raises(StateError, match="no robot"):
        controller.set_path(None)
    controller.simulation_step(0.1)


def test_bad_dof_index(env, robot):
    controller = env.create("controller", "IdealController")
    with pytest.raises(ArgumentError, match=r"dof index 2 .* 0\.\.1"):
        controller.init(robot, [2], False)


@pytest.mark.parametrize("dt", [0.1, 0.01, 0.03, 0.0333333])
def test_path_is_where_the_trajectory_says_at_each_time(env, robot, dt):
    trajectory = path(env, [[0, 0, 0], [0.5, 1, 0.5], [-0.5, 0, 0.7]])
    start = env.simulation_time
    assert robot.controller.set_path(trajectory)
    assert not robot.controller.is_done()
    for _ in range(1000):
        env.step(dt)
        elapsed = env.simulation_time - start
        expected = trajectory.sample(min(elapsed, trajectory.duration))[:2]
        np.testing.assert_allclose(robot.dof_values, expected, atol=1e-9)
        if robot.controller.is_done():
            break
    assert elapsed >= trajectory.duration - 1e-9
    assert elapsed < trajectory.duration + dt
    np.testing.assert_array_equal(robot.dof_values, [-0.5, 0])
    assert robot.controller.get_time() == trajectory.duration


def test_last_point_is_held(env, robot):
    robot.controller.set_path(path(env, [[0, 0, 0], [0.5, 0, 0.1]]))
    for _ in range(20):
        env.step(0.01)
    robot.dof_values = [0, 0]
    env.step(0.01)
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0])


def test_path_is_a_copy(env, robot):
    trajectory = path(env, [[0, 0, 0], [0.5, 0, 1]])
    robot.controller.set_path(trajectory)
    trajectory.clear_waypoints()
    env.step(0.5)
    np.testing.assert_allclose(robot.dof_values, [0.25, 0])


def test_joints_that_the_path_leaves_out_stay(env, robot):
    robot.dof_values = [0, 0.3]
    robot.controller.set_path(
        path(env, [[0, 0], [0.5, 1]], names=["joint_values arm 0"])
    )
    env.step(1)
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0.3])


def test_base_path(env, robot):
    poses = [[0, 0, 0, 1, 0, 0, 0, 0], [2, 0, 1, 1, 0, 0, 0, 1]]
    trajectory = path(env, poses, names=["affine_transform arm 39"])
    robot.controller.set_path(trajectory)
    env.step(0.5)
    np.testing.assert_allclose(robot.transform[:3, 3], [1, 0, 0.5])
    robot.set_controller("IdealController")
    assert not robot.controller.set_path(trajectory)


def test_paths_that_make_no_sense(env, robot, caplog):
    trajectory = env.create("trajectory", "")
    assert robot.controller.set_path(trajectory)
    assert robot.controller.is_done()
    trajectory.init(ConfigurationSpecification().add_group("joint_values arm 0 1", 2))
    trajectory.insert(0, [0, 0])
    with pytest.raises(ArgumentError, match="deltatime"):
        robot.controller.set_path(trajectory)
    other = path(env, [[0, 0], [1, 1]], names=["joint_values nobody 0"])
    with caplog.at_level(logging.WARNING, "pyrave"):
        assert not robot.controller.set_path(other)
    assert "'arm'" in caplog.text


def test_none_stops(env, robot):
    robot.controller.set_path(path(env, [[0, 0, 0], [0.5, 0, 1]]))
    env.step(0.5)
    assert robot.controller.set_path(None)
    assert robot.controller.is_done()
    env.step(0.5)
    np.testing.assert_allclose(robot.dof_values, [0.25, 0])


def test_pause(env, robot):
    robot.controller.set_path(path(env, [[0, 0, 0], [0.5, 0, 1]]))
    assert robot.controller.send_command("Pause 1") == ""
    env.step(0.5)
    assert robot.controller.get_time() == 0
    np.testing.assert_array_equal(robot.dof_values, [0, 0])
    robot.controller.command("pause", paused=False)
    env.step(0.5)
    np.testing.assert_allclose(robot.dof_values, [0.25, 0])


def test_paused_goal_waits(env, robot):
    robot.controller.command("Pause", True)
    robot.controller.set_desired([0.5, 0])
    np.testing.assert_array_equal(robot.dof_values, [0, 0])
    robot.controller.command("Pause", False)
    env.step(0.1)
    np.testing.assert_array_equal(robot.dof_values, [0.5, 0])
    assert robot.controller.is_done()


def test_limits_are_clamped_and_reported_once(env, robot, caplog):
    robot.controller.set_path(path(env, [[0.9, 0, 0], [1.5, 0, 1]]))
    with caplog.at_level(logging.WARNING, "pyrave"):
        for _ in range(5):
            env.step(0.2)
    assert caplog.text.count("limits -1..1") == 1
    assert "'shoulder'" in caplog.text
    np.testing.assert_array_equal(robot.dof_values, [1, 0])
    assert robot.controller.is_done()


def test_circular_joints_wrap_silently(env, robot, caplog):
    with caplog.at_level(logging.WARNING, "pyrave"):
        robot.controller.set_path(path(env, [[0, 0, 0], [0, 4, 1]]))
        for _ in range(10):
            env.step(0.1)
    assert not caplog.text
    assert np.cos(robot.dof_values[1]) == pytest.approx(np.cos(4))
    assert np.sin(robot.dof_values[1]) == pytest.approx(np.sin(4))


def test_exceptions_if_asked_for(robot):
    robot.controller.send_command("SetThrowExceptions 1")
    with pytest.raises(StateError, match=r"'shoulder' is outside of its limits"):
        robot.controller.set_desired([1.5, 0])
    robot.controller.send_command("SetThrowExceptions 0")
    assert robot.controller.set_desired([1.5, 0])


def test_speed_is_checked(env, robot, caplog):
    robot.controller.set_path(path(env, [[0, 0, 0], [0.9, 0, 0.1]]))
    with caplog.at_level(logging.WARNING, "pyrave"):
        env.step(0.05)
    assert "faster than its velocity limit 2" in caplog.text


def test_collisions_are_checked_if_asked_for(env, robot, caplog):
    class Nasty(type(env.collision_checker)):
        contract = 2
        finds_collisions = True

        def check_collision(self, *_args, **_options):
            return True

    env.collision_checker = Nasty(env)
    with caplog.at_level(logging.WARNING, "pyrave"):
        robot.controller.set_desired([0, 0])
        assert "collides" not in caplog.text
        robot.controller.send_command("SetCheckCollisions 1")
        robot.controller.set_desired([0, 0])
    assert "collides with its environment" in caplog.text


def test_logging_if_asked_for(robot, caplog):
    with caplog.at_level(logging.INFO, "pyrave.controllers"):
        robot.controller.set_desired([0.125, 0])
        assert not caplog.text
        robot.controller.send_command("SetEnableLogging 1")
        robot.controller.set_desired([0.125, 0])
    assert "robot arm at 0.000000 s: [0.125, 0.0]" in caplog.text


def test_commands_have_openraves_names(robot):
    assert set(robot.controller.commands) == {
        "Pause",
        "SetCheckCollisions",
        "SetThrowExceptions",
        "SetEnableLogging",
    }


def test_grabbody_group(env, robot):
    rows = [[0, 0, 0, 0], [0, 0, 1, 0.5], [0, 1, 0, 0.5], [0, 0, 0, 0.5]]
    names = ["joint_values arm 0 1", "grabbody mug arm lower"]
    trajectory = path(env, rows, names)
    robot.controller.set_path(trajectory)
    mug = env.bodies["mug"]
    env.step(0.25)
    assert not robot.grabbed
    env.step(0.25)
    assert robot.is_grabbing(mug)
    T_lower_mug = np.linalg.inv(robot.links["lower"].transform) @ mug.transform  # noqa: N806
    env.step(0.25)
    held = robot.links["lower"].transform @ T_lower_mug
    np.testing.assert_allclose(mug.transform, held, atol=1e-12)
    env.step(0.25)
    assert not robot.grabbed
    assert robot.controller.is_done() is False


def test_grabbody_group_with_a_pose(env, robot):
    rows = [[1, 0], [1, 1]]
    names = ["grabbody mug arm 2 1 0 0 0 0.1 0.2 0.3"]
    robot.controller.set_path(path(env, rows, names))
    env.step(0.1)
    np.testing.assert_allclose(env.bodies["mug"].transform[:3, 3], [0.1, 0.2, 1.3])
    assert robot.is_grabbing(env.bodies["mug"])


def test_grab_group_counts_bodies(env, robot):
    number = env.bodies.names.index("mug") + 1
    rows = [[number, 0], [0, 0.5], [-number, 0.5]]
    robot.controller.set_path(path(env, rows, ["grab arm 1"]))
    env.step(0.1)
    assert robot.is_grabbing(env.bodies["mug"])
    env.step(0.5)
    assert robot.is_grabbing(env.bodies["mug"])
    env.step(0.5)
    assert not robot.grabbed


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("grabbody mug arm nolink", "nolink"),
        ("grabbody mug arm 1 1 0 0", "seven numbers|shape|expected"),
        ("grabbody mug arm 1 a b c d e f g", "seven numbers"),
        ("grab arm 17", "17"),
    ],
)
def test_wrong_grab_groups(env, robot, name, message):
    with pytest.raises(pyrave.Error, match=message):
        robot.controller.set_path(path(env, [[1, 0], [1, 1]], [name]))


def test_grabbing_what_is_not_there_is_reported(env, robot, caplog):
    with caplog.at_level(logging.WARNING, "pyrave"):
        robot.controller.set_path(path(env, [[1, 0], [1, 1]], ["grabbody pot"]))
        env.step(0.1)
        robot.controller.set_path(path(env, [[9, 0], [9, 1]], ["grab arm"]))
        env.step(0.1)
    assert "no body 'pot'" in caplog.text
    assert "grab group is wrong" in caplog.text
    assert not env.problems


def test_state_goes_on_in_clones_and_pickles(env, robot):
    robot.controller.set_path(path(env, [[0, 0, 0], [0.8, 0, 1]]))
    env.step(0.25)
    twin = env.clone()
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301
    robot.controller.reset()
    for other in (twin, copy):
        other.step(0.25)
        np.testing.assert_allclose(other.robots["arm"].dof_values, [0.4, 0])
        assert not other.robots["arm"].controller.is_done()
    np.testing.assert_allclose(robot.dof_values, [0.2, 0])


def test_preserved_state_brings_the_command_back(env, robot):
    robot.controller.set_path(path(env, [[0, 0, 0], [0.8, 0, 1]]))
    env.step(0.25)
    with robot.preserve_state():
        robot.controller.set_desired([0.7, 0])
        env.step(0.25)
    np.testing.assert_allclose(robot.dof_values, [0.2, 0])
    env.step(0.25)
    np.testing.assert_allclose(robot.dof_values, [0.4, 0])


def test_robots_and_controllers_go_away_together():
    env = pyrave.Environment()
    env.load_string(SCENE)
    robot = env.robots["arm"]
    controller = robot.controller
    controller.set_path(path(env, [[0, 0, 0], [0.8, 0, 1]]))
    references = weakref.ref(robot), weakref.ref(env)
    del robot, env
    gc.collect()
    assert controller.get_robot() is references[0]()
    del controller
    gc.collect()
    assert [reference() for reference in references] == [None, None]
