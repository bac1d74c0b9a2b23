"""Trajectories of bodies along paths, and what verifying them finds."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, StateError
from pyrave.planning import retime, time_optimal, verify
from pyrave.scene import BodyDescription, JointAxis, JointDescription, LinkDescription


@pytest.fixture
def robot():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"]


def corners(robot):
    """Return three configurations, none of which collides."""
    rows = np.tile(robot.dof_values, (3, 1))
    rows[1:, 0], rows[1:, 1], rows[2, 3] = 1.2, 0.3, 1.0
    return rows


@pytest.mark.parametrize(
    "options", [{}, {"deviation": 0.05}, {"path": "spline"}, {"velocity_scale": 0.5}]
)
def test_controllers_follow_within_limits(robot, options):
    rows = corners(robot)
    before = robot.dof_values
    trajectory = retime(robot, rows, **options)
    assert (robot.dof_values == before).all()
    assert verify(robot, trajectory) == ()
    assert robot.controller.set_path(trajectory)
    while not robot.controller.is_done():
        robot.env.step(0.01)
    assert np.abs(robot.dof_values - rows[-1]).max() < 1e-9


def test_samples_are_those_of_the_pieces(robot):
    rows = corners(robot)
    trajectory = retime(robot, rows, deviation=0.1)
    timed = time_optimal(
        rows, robot.dof_velocity_limits, robot.dof_acceleration_limits, deviation=0.1
    )
    times = np.linspace(0, timed.duration, 999)
    positions, rates, _ = timed.at(times)
    own = trajectory.sample_points(times)
    assert np.abs(own[:, : robot.dof] - positions).max() < 1e-9
    assert np.abs(own[:, robot.dof : 2 * robot.dof] - rates).max() < 1e-7


def test_some_joints_move_and_the_others_stay(robot):
    trajectory = retime(robot, [[0.0, 1.0], [0.3, 0.5]], [3, 1])
    spec = trajectory.get_configuration_specification()
    assert spec.groups[0].joint_indices.tolist() == [3, 1]
    wanted = retime(robot, [[1.0, 0.0], [0.5, 0.3]], [1, 3])
    assert trajectory.duration == pytest.approx(wanted.duration)


def test_half_the_speed_takes_twice_as_long(robot):
    rows = corners(robot)
    whole = retime(robot, rows)
    half = retime(robot, rows, velocity_scale=0.5, acceleration_scale=0.25)
    assert half.duration == pytest.approx(2 * whole.duration, rel=1e-9)


def test_circular_joints_go_the_short_way():
    env = pyrave.Environment()
    turn = JointDescription(
        "turn", "hinge", "base", "rim", axes=(JointAxis((0, 0, 1), circular=True),)
    )
    links = LinkDescription("base"), LinkDescription("rim")
    body = env.create_body(BodyDescription("wheel", links, (turn,)))
    body.dof_velocity_limits = [1.0]
    body.dof_acceleration_limits = [100.0]
    trajectory = retime(body, [[3.0], [-3.0]])
    way = 2 * np.pi - 6
    assert trajectory.duration == pytest.approx(way + 0.01)


def test_what_passes_limits_is_found(robot):
    rows = corners(robot)
    slow = retime(robot, rows)
    robot.dof_velocity_limits = 0.9 * robot.dof_velocity_limits
    robot.dof_acceleration_limits = 0.5 * robot.dof_acceleration_limits
    lower, upper = robot.dof_limits
    upper[0] = 1.0
    robot.dof_limits = lower, upper
    found = verify(robot, slow, collisions=False)
    kinds = {one.kind for one in found}
    assert kinds == {"position", "velocity", "acceleration"}
    worst = next(one for one in found if one.kind == "position")
    assert worst.what == "joint 'joint1'"
    assert worst.amount == pytest.approx(0.2)
    assert "passes its position limit by 0.2" in str(worst)
    speed = next(one for one in found if one.kind == "velocity")
    assert speed.amount == pytest.approx(0.1 / 0.9 * robot.dof_velocity_limits[0])


def test_collisions_are_found_where_they_begin(robot):
    rows = corners(robot)
    trajectory = retime(robot, rows)
    path = trajectory.sample(0.5 * trajectory.duration)[: robot.dof]
    with robot.preserve_state():
        robot.dof_values = path
        place = robot.links["palm"].transform[:3, 3]
    body = robot.env.create_body(
        pyrave.scene.body_from_boxes("post", [(*place, 0.03, 0.03, 0.03)])
    )
    assert body in robot.env.bodies
    before, chosen = robot.dof_values, robot.active_dof_indices.tolist()
    (found,) = verify(robot, trajectory)
    assert found.kind == "collision"
    assert "post" in found.what
    assert 0 < found.time < 0.5 * trajectory.duration + 1e-9
    assert found.amount >= 0
    assert (robot.dof_values == before).all()
    assert robot.active_dof_indices.tolist() == chosen


def test_wrong_input_is_refused_in_words(robot):
    rows = corners(robot)
    with pytest.raises(ArgumentError, match=r"shape \(3, 2\), expected \(k, 8\)"):
        retime(robot, rows[:, :2])
    rows[1, 0] = 99.0
    with pytest.raises(ArgumentError, match="waypoint 1 has 99 for joint 'joint1'"):
        retime(robot, rows)
    with pytest.raises(ArgumentError, match="velocity_scale"):
        retime(robot, corners(robot), velocity_scale=0)
    with pytest.raises(ArgumentError, match=r"dof indices \[1, 1\] of .* repeat"):
        retime(robot, [[0.0, 0.0], [0.1, 0.2]], [1, 1])
    with pytest.raises(ArgumentError, match="steps is 1e"):
        retime(robot, corners(robot), path="spline", steps=1e300)
    with pytest.raises(ArgumentError, match="expected a body or robot, got None"):
        retime(None, rows)
    with pytest.raises(
        ArgumentError, match="trajectory is None, expected a trajectory"
    ):
        verify(robot, None)
    robot.dof_acceleration_limits = np.zeros(8)
    with pytest.raises(ArgumentError, match=r"assign body\.limits\.acceleration"):
        retime(robot, corners(robot))


def test_bodies_without_environment_and_foreign_trajectories_are_refused(robot):
    trajectory = retime(robot, corners(robot))
    env = robot.env
    table = env.bodies["table"]
    with pytest.raises(ArgumentError, match="no joint values of body 'table'"):
        verify(table, trajectory)
    env.remove(robot)
    with pytest.raises(StateError, match=r"env\.add\(body\)"):
        verify(robot, trajectory)
    with pytest.raises(StateError, match=r"env\.add\(body\)"):
        retime(robot, corners(robot))


@pytest.mark.parametrize(
    "options", [{}, {"deviation": 0.05}, {"path": "spline"}, {"velocity_scale": 0.5}]
)
@pytest.mark.parametrize("factor", [3.0, 30.0, 200.0])
def test_limits_of_jerk_are_kept(robot, options, factor):
    rows = corners(robot)
    jerks = factor * robot.dof_acceleration_limits
    trajectory = retime(robot, rows, jerk_limits=jerks, **options)
    assert verify(robot, trajectory, jerk_limits=jerks) == ()
    free = retime(robot, rows, **options)
    assert free.duration < trajectory.duration < free.duration + 40 / factor
    kinds = {one.kind for one in verify(robot, free, jerk_limits=jerks)}
    assert kinds == {"jerk"}
    values = trajectory.spec.extract_joint_values(trajectory.waypoints, robot)
    assert values[[0, -1]] == pytest.approx(rows[[0, -1]], abs=1e-12)
    means = options.get("deviation") or options.get("path")
    assert trajectory.spec.groups[0].interpolation == ("quintic" if means else "cubic")
    with pytest.raises(ArgumentError, match="jerk_limits have the shape"):
        verify(robot, free, jerk_limits=jerks[:2])


def test_lines_with_limited_jerk_stop_at_corners_only(robot):
    rows = corners(robot)
    jerks = 10 * robot.dof_acceleration_limits
    halves = np.array([rows[0], 0.5 * (rows[0] + rows[1]), rows[1]])
    one = retime(robot, halves, jerk_limits=jerks)
    assert one.duration == retime(robot, halves[::2], jerk_limits=jerks).duration
    back = retime(robot, [rows[0], rows[1], rows[0]], jerk_limits=jerks)
    assert back.duration == pytest.approx(2 * one.duration)


@pytest.mark.parametrize("jerks", [0.0, -1.0, np.nan, "fast", [1.0, 2.0]])
def test_wrong_limits_of_jerk(robot, jerks):
    with pytest.raises(ArgumentError, match="jerk_limits"):
        retime(robot, corners(robot), jerk_limits=jerks)


def test_a_path_of_an_arm_does_not_stop_at_its_goals(robot):
    arm = robot.manipulators["arm"]
    start, goal = arm.transform, arm.transform
    goal[:3, 3] += (0.1, 0.2, -0.1)
    path = arm.straight_line(goal, steps=50)
    motion = retime(arm, path)
    assert verify(robot, motion) == ()
    stops = retime(arm, path, path="lines")
    assert motion.duration < 0.5 * stops.duration
    assert stops.duration == retime(robot, path.values, arm.arm_indices).duration
    assert stops.duration == robot.env.retime(arm, path, path="lines").duration
    way = (goal - start)[:3, 3] / np.linalg.norm((goal - start)[:3, 3])
    values = motion.sample_points(np.linspace(0, motion.duration, 500))
    fastest, before = 0.0, None
    slow = retime(arm, path, tool_speed=0.1)
    for k, row in enumerate(values):
        arm.arm_dof_values = row[: len(arm.arm_indices)]
        off = arm.transform[:3, 3] - start[:3, 3]
        assert np.linalg.norm(off - off @ way * way) < 1e-4, k
    for row in slow.sample_points(np.arange(0, slow.duration, 0.01)):
        arm.arm_dof_values = row[: len(arm.arm_indices)]
        here = arm.transform[:3, 3]
        if before is not None:
            fastest = max(fastest, np.linalg.norm(here - before) / 0.01)
        before = here
    assert 0.09 < fastest < 0.1 + 1e-6


def test_a_path_that_is_not_complete_is_refused(robot):
    arm = robot.manipulators["arm"]
    goal = arm.transform
    goal[0, 3] += 5
    path = arm.straight_line(goal, steps=5)
    with pytest.raises(ArgumentError, match=r"not complete: .*; path\.values are"):
        retime(arm, path)
    with pytest.raises(ArgumentError, match="the IkPath is no motion: "):
        robot.execute(path)
