"""Retimers: waypoints get times within limits, on the lines between them."""

import itertools

import numpy as np
import pytest

import pyrave
from pyrave.interfaces import PlannerParameters
from pyrave.planning import verify
from pyrave.trajectories import ConfigurationSpecification

INTERPOLATIONS = {
    "LinearTrajectoryRetimer": "linear",
    "ParabolicTrajectoryRetimer": "quadratic",
    "ParabolicTrajectoryRetimer2": "quadratic",
    "CubicTrajectoryRetimer": "cubic",
    "CubicTrajectoryRetimer2": "cubic",
    "QuinticTrajectoryRetimer": "quintic",
}
WITH_ACCELERATIONS = [name for name in INTERPOLATIONS if name[0] != "L"]
SMOOTH = ["CubicTrajectoryRetimer2", "QuinticTrajectoryRetimer"]


@pytest.fixture
def robot():
    robot = pyrave.load("scenes/demo.env.xml").robots["heron7"]
    robot.limits.jerk = 30 * robot.dof_acceleration_limits
    return robot


def problem(robot, **extra):
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.extra = extra
    return parameters


def path(robot, parameters, seed=0, count=5):
    """Return a trajectory of waypoints near where the robot stands."""
    rng = np.random.default_rng(seed)
    lower, upper = (np.clip(bound, -9, 9) for bound in robot.dof_limits)
    rows = robot.dof_values + rng.uniform(-0.5, 0.5, (count, robot.dof))
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(parameters.specification)
    trajectory.insert(0, np.clip(rows, lower, upper))
    return trajectory


def retimed(robot, name, trajectory, parameters):
    planner = robot.env.create("planner", name)
    status = planner.init_plan(robot, parameters)
    return planner.plan_path(trajectory) if status else status


@pytest.mark.parametrize("name", INTERPOLATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_limits_are_kept_between_the_ends(robot, name, seed):
    parameters = problem(robot)
    trajectory = path(robot, parameters, seed)
    points = trajectory.waypoints
    assert retimed(robot, name, trajectory, parameters)
    values = trajectory.spec.groups[0]
    assert values.interpolation == INTERPOLATIONS[name]
    found = verify(robot, trajectory, collisions=False)
    kinds = {one.kind for one in found}
    assert kinds == ({"acceleration"} if name not in WITH_ACCELERATIONS else set())
    times = np.linspace(0, trajectory.duration, 4000)
    rows = trajectory.sample_points(times, parameters.specification)
    assert rows[[0, -1]] == pytest.approx(points[[0, -1]], abs=1e-9)
    if name in SMOOTH:
        jerks = np.abs(np.diff(rows, n=3, axis=0) / times[1] ** 3)
        assert (jerks <= robot.limits.jerk * (1 + 1e-4)).all()
    # every row lies on a line between waypoints
    away = np.full(len(rows), np.inf)
    for start, end in itertools.pairwise(points):
        way = end - start
        part = np.clip((rows - start) @ way / (way @ way), 0, 1)[:, None]
        away = np.minimum(away, np.abs(rows - start - part * way).max(axis=1))
    assert away.max() < 1e-9


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_what_trajectories_say_is_what_they_do(robot, name):
    """Velocities that are sampled are derivatives of positions."""
    parameters = problem(robot)
    trajectory = path(robot, parameters)
    assert retimed(robot, name, trajectory, parameters)
    spec = parameters.specification
    times = np.linspace(0.0, trajectory.duration, 20_001)
    rows = trajectory.sample_points(times, spec)
    rates = trajectory.sample_points(times, spec.convert_to_velocity_specification())
    means = np.diff(rows, axis=0) / times[1]
    off = np.abs(0.5 * (rates[1:] + rates[:-1]) - means)
    if name == "LinearTrajectoryRetimer":  # velocities jump at the waypoints
        assert (off.max(axis=1) > 1e-6).sum() <= len(trajectory)
    else:
        assert off.max() < 1e-2


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_timestamps_are_kept(robot, name):
    parameters = problem(robot, hastimestamps="1")
    plain = path(robot, parameters)
    spec = parameters.specification.add_delta_time_group()
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(spec)
    spans = np.array([[0.0], [20.0], [15.0], [20.0], [30.0]])
    trajectory.insert(0, np.hstack((plain.waypoints, spans)))
    assert retimed(robot, name, trajectory, parameters)
    assert trajectory.duration == pytest.approx(85)
    rows = trajectory.sample_points(np.cumsum(spans), parameters.specification)
    assert rows == pytest.approx(plain.waypoints, abs=1e-9)
    spans[2] = 1e-3
    trajectory.init(spec)
    trajectory.insert(0, np.hstack((plain.waypoints, spans)))
    before = trajectory.waypoints
    status = retimed(robot, name, trajectory, parameters)
    assert not status
    assert "0.001 s from waypoint 1 to 2 are too few" in status.description
    assert (trajectory.waypoints == before).all()


@pytest.mark.parametrize("name", WITH_ACCELERATIONS)
def test_velocities_are_kept(robot, name):
    parameters = problem(robot, _hasvelocities="1")
    plain = path(robot, parameters, count=4)
    rates = np.zeros((4, robot.dof))
    ways = np.diff(plain.waypoints, axis=0)
    rates[1:-1] = 0.2 * (ways[:-1] + ways[1:])
    spec = parameters.specification.add_derivative_groups(1)
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, np.hstack((plain.waypoints, rates)))
    rested = path(robot, parameters, count=4)
    assert retimed(robot, name, trajectory, parameters)
    assert verify(robot, trajectory, collisions=False) == ()
    found = trajectory.get_waypoints(0, None, spec)
    for row in np.hstack((plain.waypoints, rates)):
        assert np.abs(found - row).max(axis=1).min() < 1e-9
    assert retimed(robot, name, rested, problem(robot))
    trajectory.init(spec)
    rates[1, 0] = 99.0
    trajectory.insert(0, np.hstack((plain.waypoints, rates)))
    status = retimed(robot, name, trajectory, parameters)
    assert "waypoint 1 has the velocity 99 for value 0" in status.description


def wrong_cases(robot):
    def changed(**fields):
        parameters = problem(robot)
        for name, value in fields.items():
            setattr(parameters, name, value)
        return parameters

    dof = robot.dof
    limits = np.ones(dof)
    limits[3] = 0.0
    other = ConfigurationSpecification().add_group("joint_values other 0", 1, "linear")
    pose = ConfigurationSpecification().add_group("affine_transform heron7 39", 7)
    return {
        "velocity_limits has the shape (1,)": changed(velocity_limits=np.ones(1)),
        "acceleration_limits has 0 for value 3": changed(acceleration_limits=limits),
        "no configuration specification": PlannerParameters(),
        "no group 'joint_values other 0'": changed(
            specification=other,
            velocity_limits=np.ones(1),
            acceleration_limits=np.ones(1),
        ),
        "has a quaternion": changed(specification=pose),
        "is 'yes', expected true or false": changed(extra={"hastimestamps": "yes"}),
        "interpolation is 'septic'": changed(extra={"interpolation": "septic"}),
        "is 'fast', expected a number >= 0 m/s": changed(
            extra={"maxmanipspeed": "fast"}
        ),
        "no deltatime group": changed(extra={"hastimestamps": "true"}),
        "the trajectory has no 'joint_velocities": changed(
            extra={"hasvelocities": "1"}
        ),
        "expected 5 to 6": changed(
            lower_limits=np.full(dof, 5.0), upper_limits=np.full(dof, 6.0)
        ),
        "lower_limits has the shape (2,)": changed(lower_limits=np.zeros(2)),
    }


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_wrong_input_is_said(robot, name):
    for text, parameters in wrong_cases(robot).items():
        trajectory = path(robot, problem(robot))
        before = trajectory.waypoints
        status = retimed(robot, name, trajectory, parameters)
        assert not status
        assert text in status.description
        assert (trajectory.waypoints == before).all()
    empty = robot.env.create("trajectory", "")
    empty.init(problem(robot).specification)
    status = retimed(robot, name, empty, problem(robot))
    assert "no waypoints" in status.description


def test_jerk_limits_are_needed(robot):
    parameters = problem(robot)
    parameters.jerk_limits = np.empty(0)
    trajectory = path(robot, parameters)
    status = retimed(robot, "CubicTrajectoryRetimer2", trajectory, parameters)
    assert "needs jerk_limits" in status.description


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_one_waypoint_rests(robot, name):
    parameters = problem(robot)
    trajectory = path(robot, parameters, count=1)
    assert retimed(robot, name, trajectory, parameters)
    assert trajectory.duration == 0
    assert len(trajectory) == 1
