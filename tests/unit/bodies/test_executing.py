"""Trajectories executed by controllers, in simulated time."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, PluginError, StateError
from pyrave.planning import retime


@pytest.fixture
def robot():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"]


def motion(robot, by=0.5, **options):
    rows = np.tile(robot.dof_values, (2, 1))
    rows[1, 0] += by
    return retime(robot, rows, **options)


def test_the_robot_arrives_in_the_time_of_the_trajectory(robot):
    trajectory, times = motion(robot), []
    done = robot.execute(trajectory, progress=times.append)
    assert done
    assert done.cause == ""
    assert done.seconds == pytest.approx(trajectory.duration, abs=0.011)
    assert robot.env.simulation_time == pytest.approx(done.seconds)
    assert np.abs(robot.dof_values - trajectory.waypoints[-1][:8]).max() < 1e-9
    assert times == sorted(times)
    assert times[-1] == pytest.approx(trajectory.duration)


def test_a_state_shares_the_path_that_is_followed(robot):
    """A long trajectory is not copied to save a state, nor made again to go back."""
    robot.controller.set_path(motion(robot))
    robot.env.step(0.1)
    one, other = (robot.get_state().robot.controller[1] for _ in range(2))
    assert one.value.trajectory is other.value.trajectory
    values, time = robot.dof_values, robot.controller.get_time()
    with robot.preserve_state():
        robot.env.step(0.1)
        assert robot.controller.get_time() > time
    assert robot.controller.get_time() == time
    assert (robot.dof_values == values).all()
    again = robot.get_state().robot.controller[1]
    assert again.value.trajectory is one.value.trajectory


def test_some_joints_alone(robot):
    trajectory = retime(robot, [[0.0, 1.2], [0.3, 0.8]], [0, 3])
    done = robot.execute(trajectory)
    assert done
    assert done.errors.shape == (2,)
    assert robot.dof_values[[0, 3]].tolist() == pytest.approx([0.3, 0.8])


def test_with_physics():
    pytest.importorskip("mujoco")
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    env.physics_engine = "mujoco"
    robot.set_controller("IdealController")
    done = robot.execute(motion(robot), dt=0.005)
    assert done, done.cause


def servo(name, **limits):
    """Return a robot in the physics engine, driven by a controller."""
    pytest.importorskip("mujoco")
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    env.physics_engine = "mujoco"
    robot.set_controller(name)
    return robot


def test_arrival_is_a_milliradian():
    """A spring sags: 0.01 rad are told with the joint, and allowed if asked for."""
    robot = servo("JointPIDController kp=3000 kd=300")
    done = robot.execute(motion(robot))
    assert not done
    sag = abs(robot.inverse_dynamics()[1]) / 3000
    assert 2e-3 < sag < 0.019
    assert done.errors[1] == pytest.approx(sag, rel=1e-3)
    assert f"'joint2' is off by {done.errors[1]:.3g}, " in done.cause
    robot = servo("JointPIDController kp=3000 kd=300")
    assert robot.execute(motion(robot), tolerance=0.02)


def test_the_start_may_be_off_by_more(robot):
    trajectory = motion(robot)
    robot.dof_values = robot.dof_values + 0.015
    assert robot.execute(trajectory)
    robot = pyrave.load("scenes/demo.env.xml").robots["heron7"]
    trajectory = motion(robot)
    robot.dof_values = robot.dof_values + 0.015
    with pytest.raises(StateError, match=r"is off by 0\.015"):
        robot.execute(trajectory, start_tolerance=0.01)


def test_a_torque_limit_that_holds_a_joint_up():
    robot = servo("ComputedTorqueController")
    limits = robot.dof_torque_limits
    limits[1] = 0.5 * abs(robot.inverse_dynamics()[1])
    robot.dof_torque_limits = limits
    done = robot.execute(motion(robot), patience=0.1)
    assert not done
    assert f"and pushed with its torque limit of {limits[1]:g}" in done.cause


@pytest.mark.parametrize("name", ["IdealController", "PDDeviceController"])
def test_a_base_that_falls_is_no_arrival(name):
    robot = servo(name)
    robot.links[0].static = False
    pose = robot.transform
    pose[2, 3] += 3.0
    robot.transform = pose
    done = robot.execute(motion(robot))
    assert pose[2, 3] - robot.transform[2, 3] > 0.5
    assert not done
    assert "the base of <robot GenericRobot 'heron7'> moved by " in done.cause
    assert "nothing holds it" in done.cause


def test_how_far_a_base_may_move():
    robot = servo("IdealController")
    robot.links[0].static = False
    pose = robot.transform
    pose[2, 3] += 3.0
    robot.transform = pose
    assert robot.execute(motion(robot), base_tolerance=10.0)


def test_an_engine_that_gives_up_is_no_arrival():
    robot = servo("IdealController")
    robot.env.physics_engine.simulate_step = lambda dt: 1 / 0
    done = robot.execute(motion(robot))
    assert not done
    assert done.cause.startswith("<physicsengine mujoco> was disabled after it raised")


def test_a_base_that_others_put_somewhere_is_not_blamed(robot):
    """Without physics, and where it is fixed, only scripts move a base."""
    pose = robot.transform

    def lift(_):
        pose[2, 3] += 0.01
        robot.transform = pose

    assert robot.execute(motion(robot), progress=lift)
    robot = servo("ComputedTorqueController")
    assert robot.execute(motion(robot))


def test_a_robot_that_does_not_arrive(robot):
    trajectory = motion(robot)
    robot.controller.send_command("Pause 1")
    done = robot.execute(trajectory, patience=0.2)
    assert not done
    assert "is not done, but the robot did not arrive: 'joint1' is off by 0.5" in (
        done.cause
    )
    assert done.seconds == pytest.approx(trajectory.duration + 0.2, abs=0.011)


def test_a_controller_that_raises(robot):
    robot.controller.simulation_step = lambda dt: 1 / 0
    done = robot.execute(motion(robot))
    assert not done
    assert "was disabled after it raised" in done.cause
    assert any("ZeroDivisionError" in str(one) for one in robot.env.problems)


def test_what_is_refused(robot):
    with pytest.raises(ArgumentError, match="trajectory is 3, expected a trajectory"):
        robot.execute(3)
    with pytest.raises(ArgumentError, match="dt is 0"):
        robot.execute(motion(robot), dt=0)
    with pytest.raises(ArgumentError, match="progress is 3"):
        robot.execute(motion(robot), progress=3)
    empty = robot.env.create("trajectory", "")
    with pytest.raises(StateError, match="no waypoints"):
        robot.execute(empty)
    trajectory = motion(robot)
    robot.dof_values = robot.dof_values + 0.1
    with pytest.raises(
        StateError, match=r"not where the trajectory starts: .* is off by"
    ):
        robot.execute(trajectory)


def test_trajectories_of_other_robots(robot):
    other = pyrave.load("robots/planar3r.robot.xml").robots[0]
    trajectory = motion(other)
    with pytest.raises(ArgumentError, match=r"is not of .*: it moves 'planar3r'"):
        robot.execute(trajectory)
    other.env.remove(other)
    other.name = robot.name
    other.env.add(other)
    big = motion(robot)
    with pytest.raises(ArgumentError, match="it is of another robot of that name"):
        other.execute(big)
    robot.env.remove(robot)
    with pytest.raises(StateError, match="is in no environment"):
        robot.execute(big)


def test_a_controller_of_other_joints_refuses(robot):
    robot.set_controller("IdealController", [3])
    with pytest.raises(StateError, match="refuses the trajectory: it drives"):
        robot.execute(retime(robot, [[0.0], [0.3]], [0]))


def test_a_robot_that_is_removed_meanwhile(robot):
    """The clock may never reach the end, if whoever removes it sets that to 0."""
    env = robot.env
    done = robot.execute(motion(robot), progress=lambda _: env.reset())
    assert not done
    assert "'heron7'> was removed from its environment; " in done.cause
    assert done.seconds < 0.02


def test_a_controller_that_answers_with_an_array(robot, monkeypatch):
    controller = robot.controller
    monkeypatch.setattr(type(controller), "set_path", lambda *_: np.zeros(2))
    with pytest.raises(PluginError, match="set_path"):
        robot.execute(motion(robot))


def test_motions_of_a_base():
    env = pyrave.load("robots/rover.robot.xml")
    rover = env.robots[0]
    rover.set_active_dofs([], pyrave.Affine.X | pyrave.Affine.ROTATION_AXIS)
    rover.active.set_affine_limits(pyrave.Affine.X, resolution=0.05)
    trajectory = rover.plan([0.4, 0.5], timeout=30).trajectory
    rover.transform = [1, 0, 0, 0, 0.1, 0, 0]
    with pytest.raises(StateError, match=r"the base is off by 0\.1"):
        rover.execute(trajectory)
    rover.transform = np.eye(4)
    done = rover.execute(trajectory)
    assert done
    assert np.abs(done.errors).max() < 1e-9
    assert rover.transform[0, 3] == pytest.approx(0.4)
    rover.transform = np.eye(4)
    rover.set_controller("IdealController")  # of the joints alone
    expected = r"moves \[\] and the base; a controller with control_transform=True"
    with pytest.raises(StateError, match=expected):
        rover.execute(trajectory)
