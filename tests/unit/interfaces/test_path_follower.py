"""Where a path wants joints: at its ends, between them, and where it says nothing."""

import numpy as np
import pytest

import pyrave
from pyrave.authoring import PathFollower
from pyrave.planning import retime
from pyrave.trajectories import ConfigurationSpecification

DT = 0.01


@pytest.fixture
def robot():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"]


def follower(robot, trajectory, **options):
    indices = np.arange(robot.dof)
    return PathFollower(trajectory, robot, indices, False, **options)


def swing(robot):
    """Return a trajectory from rest to rest."""
    rows = np.tile(robot.dof_values, (2, 1))
    rows[1, :2] += 0.7, -0.4
    return retime(robot, rows)


def line(robot, joint, values, seconds):
    """Return a trajectory of one joint at a constant rate."""
    spec = ConfigurationSpecification()
    spec = spec.add_group(f"joint_values {robot.name} {joint}", 1, "linear")
    made = robot.env.create("trajectory", "")
    made.init(spec.add_delta_time_group())
    rows = np.zeros((2, 2))
    rows[:, made.spec.groups[0].offset] = values
    rows[1, made.spec.groups[1].offset] = seconds
    made.insert(0, rows)
    return made


def velocities(trajectory, time):
    """Return rates of the joints as the trajectory itself has them."""
    found = trajectory.spec.extract_joint_values(
        trajectory.sample(time), "heron7", range(8), 1
    )
    assert found is not None
    return found


def test_rates_are_those_of_the_trajectory(robot):
    trajectory = swing(robot)
    path = follower(robot, trajectory)
    for time in np.linspace(0.0, trajectory.duration - DT, 23):
        path.time = time
        motion = path.motion(robot, DT)
        np.testing.assert_allclose(
            motion.rates, velocities(trajectory, time + DT), atol=2e-3
        )
        # accelerations last for the step: they make the change of rates
        change = motion.rates - velocities(trajectory, time)
        np.testing.assert_allclose(DT * motion.accelerations, change, atol=0.02)


def test_joints_stand_at_both_ends(robot):
    """One-sided at the ends: no half of the last deceleration stays."""
    trajectory = swing(robot)
    path = follower(robot, trajectory)
    begin = path.motion(robot, 0.0)
    np.testing.assert_allclose(begin.values, robot.dof_values)
    np.testing.assert_allclose(begin.rates, 0.0, atol=1e-9)
    assert np.abs(begin.accelerations).max() > 1.0
    path.time = trajectory.duration - DT
    end = path.motion(robot, DT)
    np.testing.assert_allclose(end.values, trajectory.sample(path.duration)[:8])
    np.testing.assert_allclose(end.rates, 0.0, atol=1e-9)
    assert np.abs(end.accelerations).max() > 1.0


def test_after_the_end_joints_hold(robot):
    trajectory = swing(robot)
    path = follower(robot, trajectory)
    for _ in range(3):
        path.advance(trajectory.duration)
        motion = path.motion(robot, DT)
        np.testing.assert_array_equal(
            motion.values, trajectory.sample(path.duration)[:8]
        )
        assert not motion.rates.any()
        assert not motion.accelerations.any()


def test_the_step_across_the_end_slows_down_to_rest(robot):
    """What is left of the rates is taken within the step."""
    trajectory = swing(robot)
    path = follower(robot, trajectory)
    path.time = trajectory.duration - 0.3 * DT
    motion = path.motion(robot, DT)
    assert not motion.rates.any()
    left = velocities(trajectory, path.time)
    assert np.abs(left).max() > 1e-4
    np.testing.assert_allclose(DT * motion.accelerations, -left, atol=1e-9)


def test_a_path_that_ends_on_the_move(robot):
    """At the end the rate is the trajectory's; after it joints stand."""
    path = follower(robot, line(robot, 1, (0.1, 0.5), 0.4))
    for time in (0.0, 0.2, 0.4 - DT):
        path.time = time
        motion = path.motion(robot, DT)
        assert motion.rates[1] == pytest.approx(1.0)
        assert motion.accelerations[1] == pytest.approx(0.0, abs=1e-6)
    path.advance(DT)
    motion = path.motion(robot, DT)
    assert motion.values[1] == 0.5
    assert not motion.rates.any()


def test_a_pause_stands(robot):
    trajectory = swing(robot)
    path = follower(robot, trajectory)
    path.time = 0.5 * trajectory.duration
    motion = path.motion(robot, DT, paused=True)
    np.testing.assert_array_equal(motion.values, trajectory.sample(path.time)[:8])
    assert not motion.rates.any()
    assert not motion.accelerations.any()


def test_what_it_leaves_out_is_kept(robot):
    kept = np.full(robot.dof, np.nan)
    kept[7] = 0.01
    path = follower(robot, line(robot, 1, (0.1, 0.5), 0.4), kept=kept)
    assert path.tells.tolist() == [False, True, *[False] * 5, True]
    motion = path.motion(robot, DT)
    wanted = robot.dof_values
    wanted[[1, 7]] = 0.11, 0.01
    np.testing.assert_allclose(motion.values, wanted)
    assert motion.rates[[0, 7]].tolist() == [0.0, 0.0]
    twin = path.saved().resumed(robot, np.arange(robot.dof))
    np.testing.assert_array_equal(twin.kept, kept)


def test_nothing_is_said_of_joints(robot):
    """A path of another robot wants nothing, unless joints keep something."""
    trajectory = line(robot, 1, (0.1, 0.5), 0.4)
    indices = np.array([3])
    assert PathFollower(trajectory, robot, indices, False).motion(robot, DT) is None
    holds = PathFollower(trajectory, robot, indices, False, np.array([0.2]))
    assert holds.motion(robot, DT).values.tolist() == [0.2]
