"""Parts, reversals, unions and derivatives of trajectories, by what they do."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, StateError
from pyrave.planning import (
    add_derivatives,
    extend_trajectory,
    insert_waypoint,
    merge_trajectories,
    retime,
    retime_trajectory,
    reverse_trajectory,
    segment_trajectory,
    smooth_trajectory,
    trajectory_segment,
    verify,
)
from pyrave.trajectories import ConfigurationSpecification

RETIMERS = [
    "LinearTrajectoryRetimer",
    "ParabolicTrajectoryRetimer",
    "CubicTrajectoryRetimer2",
    "QuinticTrajectoryRetimer",
]


@pytest.fixture(scope="module")
def robot():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"]


def waypoints(robot, count=4, seed=1):
    rng = np.random.default_rng(seed)
    lower, upper = (np.clip(bound, -9, 9) for bound in robot.dof_limits)
    rows = robot.dof_values + rng.uniform(-0.3, 0.3, (count, robot.dof))
    return np.clip(rows, lower, upper)


def path_of(robot, rows, joints=None):
    which = range(robot.dof) if joints is None else joints
    names = " ".join(map(str, which))
    spec = ConfigurationSpecification().add_group(
        f"joint_values {robot.name} {names}", len(which), "linear"
    )
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, rows)
    return trajectory


@pytest.fixture(params=RETIMERS)
def trajectory(request, robot):
    made = path_of(robot, waypoints(robot))
    retime_trajectory(made, robot, planner=request.param)
    return made


def values(robot, trajectory, times):
    rows = trajectory.sample_points(times)
    return trajectory.spec.extract_joint_values(rows, robot)


def rates(robot, trajectory, times):
    rows = trajectory.sample_points(times)
    return trajectory.spec.extract_joint_values(rows, robot, time_derivative=1)


def test_segments_do_the_same(robot, trajectory):
    start, end = 0.21 * trajectory.duration, 0.83 * trajectory.duration
    part = trajectory_segment(trajectory, start, end)
    assert part.duration == pytest.approx(end - start)
    times = np.linspace(0, part.duration, 301)[1:-1]
    assert values(robot, part, times) == pytest.approx(
        values(robot, trajectory, start + times), abs=1e-9
    )
    assert rates(robot, part, times) == pytest.approx(
        rates(robot, trajectory, start + times), abs=1e-6
    )
    again = trajectory_segment(trajectory, 0, trajectory.duration)
    assert again.waypoints == pytest.approx(trajectory.waypoints, abs=1e-12)
    point = trajectory_segment(trajectory, start, start)
    assert len(point) == 1
    assert point.duration == 0
    segment_trajectory(part, 0.0, 0.1)
    assert part.duration == pytest.approx(0.1)


def test_reversals_go_back(robot, trajectory):
    back = reverse_trajectory(trajectory)
    assert back.duration == pytest.approx(trajectory.duration)
    times = np.linspace(0, back.duration, 303)[1:-1]
    there = trajectory.duration - times
    assert values(robot, back, times) == pytest.approx(
        values(robot, trajectory, there), abs=1e-9
    )
    assert rates(robot, back, times) == pytest.approx(
        -rates(robot, trajectory, there), abs=1e-6
    )
    twice = reverse_trajectory(back)
    assert values(robot, twice, times) == pytest.approx(
        values(robot, trajectory, times), abs=1e-9
    )


def test_unions_do_both(robot):
    rows = waypoints(robot)
    first = path_of(robot, rows[:, [0, 2]], [0, 2])
    second = path_of(robot, rows[:2, [1, 4, 3]], [1, 4, 3])
    retime_trajectory(first, robot)
    retime_trajectory(second, robot, planner="QuinticTrajectoryRetimer")
    both = merge_trajectories([first, second])
    assert both.duration == pytest.approx(max(first.duration, second.duration))
    times = np.linspace(0, both.duration, 500)
    for one, joints in ((first, [0, 2]), (second, [1, 4, 3])):
        wanted = one.sample_points(np.minimum(times, one.duration))[:, : len(joints)]
        sampled = both.sample_points(times)
        found = both.spec.extract_joint_values(sampled, robot, joints)
        assert found == pytest.approx(wanted, abs=1e-9)
    with pytest.raises(ArgumentError, match=r"trajectory 1 has 'joint_v.* 0'"):
        merge_trajectories([first, first])
    with pytest.raises(ArgumentError, match="no trajectories"):
        merge_trajectories([])


def test_derivatives_are_those_of_the_motion(robot, trajectory):
    before = trajectory.waypoints[:, : robot.dof]
    add_derivatives(trajectory, 3)
    kinds = [group.kind for group in trajectory.spec.groups]
    for kind in ("velocities", "accelerations", "jerks"):
        assert kinds.count(f"joint_{kind}") == 1
    assert (trajectory.waypoints[:, : robot.dof] == before).all()
    times = np.cumsum(trajectory.spec.extract_delta_time(trajectory.waypoints))
    step = 1e-4
    for order in (1, 2):
        found = trajectory.spec.extract_joint_values(
            trajectory.waypoints, robot, time_derivative=order
        )
        # one-sided differences just before each waypoint
        long = np.diff(times) > 3 * step
        near = times[1:][long, None] - step * np.arange(order + 1)
        rows = [values(robot, trajectory, row) for row in near]
        wanted = [np.diff(row, n=order, axis=0)[0] / step**order for row in rows]
        signed = np.array(wanted) * (-1) ** order
        most = 0.05 * np.abs(signed).max() + 0.1
        assert found[1:][long] == pytest.approx(signed, abs=most)


def test_planners_work_in_place(robot):
    rows = waypoints(robot)
    made = path_of(robot, rows)
    retime_trajectory(made, robot)
    whole = made.duration
    made = path_of(robot, rows)
    retime_trajectory(made, robot, velocity_scale=0.5, acceleration_scale=0.25)
    assert made.duration == pytest.approx(2 * whole)
    smooth = path_of(robot, rows)
    smooth_trajectory(smooth, robot, iterations=20, seed=3)
    assert smooth.duration < whole
    assert verify(robot, smooth) == ()
    before = made.waypoints
    with pytest.raises(StateError, match="too few"):
        retime_trajectory(made, robot, has_timestamps=True, velocity_scale=1e-3)
    assert (made.waypoints == before).all()
    with pytest.raises(ArgumentError, match="velocity_scale"):
        retime_trajectory(made, robot, velocity_scale=2.0)
    with pytest.raises(ArgumentError, match="expected a robot"):
        retime_trajectory(made, None)


def test_waypoints_are_inserted(robot):
    rows = waypoints(robot)
    made = path_of(robot, np.delete(rows, 2, axis=0))
    retime_trajectory(made, robot, planner="CubicTrajectoryRetimer")
    insert_waypoint(made, 2, rows[2], robot, planner="CubicTrajectoryRetimer")
    wanted = path_of(robot, rows)
    retime_trajectory(wanted, robot, planner="CubicTrajectoryRetimer")
    assert made.waypoints == pytest.approx(wanted.waypoints)
    with pytest.raises(ArgumentError, match="index"):
        insert_waypoint(made, 9, rows[2], robot)


@pytest.mark.parametrize("at_start", [True, False])
def test_trajectories_are_extended(robot, at_start):
    rows = waypoints(robot)
    made = retime(robot, rows[1:-1])
    before = made.duration
    end = rows[0] if at_start else rows[-1]
    extend_trajectory(made, end, robot, at_start=at_start)
    added = path_of(robot, rows[:2] if at_start else rows[-2:])
    retime_trajectory(added, robot)
    assert made.duration == pytest.approx(before + added.duration)
    assert values(robot, made, [0.0, made.duration])[0 if at_start else 1] == (
        pytest.approx(end)
    )
    assert verify(robot, made, collisions=False) == ()
    times = np.linspace(0, before, 99)
    shift = added.duration if at_start else 0.0
    old = retime(robot, rows[1:-1])
    assert values(robot, made, times + shift) == pytest.approx(
        values(robot, old, times), abs=1e-9
    )


def test_what_has_no_times_is_refused(robot):
    plain = path_of(robot, waypoints(robot))
    empty = robot.env.create("trajectory", "")
    empty.init(plain.spec)
    calls = {
        "segment": lambda one: trajectory_segment(one, 0, 1),
        "reverse": reverse_trajectory,
        "merge": lambda one: merge_trajectories([one]),
        "derivatives": add_derivatives,
    }
    for call in calls.values():
        with pytest.raises(StateError, match="no deltatime group; retime it"):
            call(plain)
        with pytest.raises(StateError, match="no waypoints"):
            call(empty)
        with pytest.raises(ArgumentError, match="expected a trajectory"):
            call(3)
    timed = retime(robot, waypoints(robot))
    with pytest.raises(ArgumentError, match="end"):
        trajectory_segment(timed, 1.0, 0.5)
    with pytest.raises(ArgumentError, match="order"):
        add_derivatives(timed, 1.5)
