"""Motions within limits of torques and tools, against closed forms and samples."""

import math

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.planning import retime, verify

MASS, FORCE, GRAVITY = 2.0, 50.0, 9.81


@pytest.fixture
def lift():
    """Return a mass on a vertical slider."""
    env = pyrave.Environment()
    env.load_string(
        """<Environment><KinBody name="lift">
        <Body name="base" type="dynamic"/>
        <Body name="cabin" type="dynamic">
          <Mass type="custom">
            <total>2</total><inertia>1 0 0 0 1 0 0 0 1</inertia>
          </Mass>
        </Body>
        <Joint name="up" type="slider"><Body>base</Body><Body>cabin</Body>
          <axis>0 0 1</axis><limits>-9 9</limits></Joint>
        </KinBody></Environment>"""
    )
    env.gravity = [0, 0, -GRAVITY]
    body = env.bodies["lift"]
    body.dof_velocity_limits, body.dof_acceleration_limits = [1e3], [1e3]
    return body


@pytest.fixture(scope="module")
def arm():
    robot = pyrave.load("robots/arms/iiwa14.robot.xml").robots[0]
    robot.dof_acceleration_limits = np.full(7, 200.0)
    robot.dof_torque_limits = [176, 176, 110, 110, 110, 40, 40]
    return robot


def greatest_parts(robot, trajectory, limits, step=1e-3):
    """Return torques at each sample, from differences of positions, over limits."""
    times = np.arange(0, trajectory.duration, step)
    rows = trajectory.sample_points(times)[:, : robot.dof]
    rates = (rows[2:] - rows[:-2]) / (2 * step)
    changes = (rows[2:] - 2 * rows[1:-1] + rows[:-2]) / step**2
    torques = robot.dynamics.compute_inverse_dynamics(rows[1:-1], rates, changes)
    return np.abs(torques / limits).max(axis=1)


def bang_bang(way, rise, fall):
    """Return how long a way takes with two constant accelerations."""
    return math.sqrt(2 * way * (rise + fall) / (rise * fall))


@pytest.mark.parametrize("way", [3.0, -3.0])
@pytest.mark.parametrize("path", ["lines", "spline"])
def test_gravity_helps_to_brake(lift, way, path):
    found = retime(lift, [[0.0], [way]], torque_limits=FORCE, path=path, steps=200)
    up, down = FORCE / MASS - GRAVITY, FORCE / MASS + GRAVITY
    assert found.duration == pytest.approx(bang_bang(3.0, up, down), rel=3e-3)
    assert greatest_parts(lift, found, FORCE).max() <= 1 + 1e-6


def test_other_limits_are_kept_too(lift):
    lift.dof_velocity_limits = [2.0]
    found = retime(lift, [[0.0], [3.0]], torque_limits=FORCE, steps=400)
    up, down = FORCE / MASS - GRAVITY, FORCE / MASS + GRAVITY
    ramps = 2 / up + 2 / down
    wanted = ramps + (3.0 - 2.0 * ramps / 2) / 2.0
    assert found.duration == pytest.approx(wanted, rel=3e-3)
    assert verify(lift, found, collisions=False) == ()


@pytest.mark.parametrize(
    "options",
    [{}, {"path": "spline"}, {"deviation": 0.1}, {"path": "spline", "steps": 9}],
)
@pytest.mark.parametrize("seed", range(3))
def test_torques_of_arms(arm, options, seed):
    rows = np.random.default_rng(seed).uniform(-1.2, 1.2, (4, 7))
    limits = arm.dof_torque_limits
    found = retime(arm, rows, torque_limits=limits, **options)
    assert verify(arm, found, collisions=False) == ()
    free = retime(arm, rows, **options)
    assert found.duration > free.duration
    assert greatest_parts(arm, free, limits).max() > 1.5
    parts = greatest_parts(arm, found, limits)
    assert parts.max() <= 1 + 1e-6
    if "steps" not in options:
        # some joint is at its limit nearly always: that is what time-optimal means
        assert np.median(parts) > 0.98
    values = found.sample_points([0.0, found.duration])[:, :7]
    assert values == pytest.approx(rows[[0, -1]], abs=1e-9)


def test_torques_that_are_no_limit_change_nothing(arm):
    rows = np.random.default_rng(5).uniform(-1, 1, (4, 7))
    plain = retime(arm, rows, path="spline")
    found = retime(arm, rows, path="spline", torque_limits=1e5)
    assert found.duration == pytest.approx(plain.duration, rel=1e-6)
    plain, found = retime(arm, rows), retime(arm, rows, torque_limits=1e5, steps=400)
    assert found.duration == pytest.approx(plain.duration, rel=1e-2)


def test_some_joints(arm):
    found = retime(arm, [[0.0, 0.5], [1.0, -0.5]], [3, 1], torque_limits=[60.0, 90.0])
    times = np.arange(0, found.duration, 1e-3)
    rows = np.tile(arm.dof_values, (len(times), 1))
    rows[:, [3, 1]] = found.sample_points(times)[:, :2]
    rates = (rows[2:] - rows[:-2]) / 2e-3
    changes = (rows[2:] - 2 * rows[1:-1] + rows[:-2]) / 1e-6
    torques = arm.dynamics.compute_inverse_dynamics(rows[1:-1], rates, changes)[
        :, [3, 1]
    ]
    assert 0.99 < np.abs(torques / [60, 90]).max() <= 1 + 1e-6


def test_what_cannot_be_held_is_said(lift, arm):
    with pytest.raises(ArgumentError, match=r"value 0 needs 19\.62 to be held at"):
        retime(lift, [[0.0], [1.0]], torque_limits=10.0)
    rows = np.zeros((2, 7))
    rows[1] = 0.5
    with pytest.raises(ArgumentError, match="torque_limits has 0 for joint 0"):
        retime(arm, rows, torque_limits=0.0)
    with pytest.raises(ArgumentError, match="torque_limits"):
        retime(arm, rows, torque_limits=[1.0, 2.0])
    with pytest.raises(ArgumentError, match="not kept together with"):
        retime(arm, rows, torque_limits=1e3, jerk_limits=1e3)
    with pytest.raises(ArgumentError, match="too many"):
        retime(arm, rows, torque_limits=1e3, steps=90_000)
    still = retime(arm, rows[:1], torque_limits=1e3)
    assert still.duration == 0


def tool_places(arm, trajectory, step=1e-3):
    times = np.arange(0, trajectory.duration, step)
    rows = trajectory.sample_points(times)[:, : arm.robot.dof]
    poses = arm.robot.compute_link_transforms(rows)[:, arm.end_effector.index]
    return (poses @ arm.local_tool_transform[:, 3])[:, :3]


def greatest_rates(places, step=1e-3):
    rates = np.diff(places, axis=0) / step
    changes = np.diff(rates, axis=0) / step
    return [np.linalg.norm(one, axis=1).max() for one in (rates, changes)]


@pytest.fixture(scope="module")
def line(arm):
    """Return a straight line of the tool as joint values, and its length."""
    tool = arm.manipulators[0]
    with arm.preserve_state():
        arm.dof_values = [0.2, 0.6, 0.1, -1.4, 0.3, 0.8, 0.0]
        goal = tool.transform
        goal[:3, 3] += [0.1, 0.25, -0.15]
        path = tool.straight_line(goal, steps=60)
        return tool, path.values, math.hypot(0.1, 0.25, 0.15)


def test_straight_lines_at_the_speed_of_the_tool(arm, line):
    tool, rows, length = line
    speed, acceleration = 0.1, 0.5
    found = retime(
        arm,
        rows,
        path="spline",
        tool=tool,
        tool_speed=speed,
        tool_acceleration=acceleration,
        steps=400,
    )
    wanted = length / speed + speed / acceleration
    assert found.duration == pytest.approx(wanted, rel=5e-3)
    places = tool_places(tool, found)
    fast, hard = greatest_rates(places)
    assert 0.99 * speed < fast <= speed * (1 + 1e-6)
    assert hard <= acceleration * (1 + 1e-6)
    way = (places[-1] - places[0]) / np.linalg.norm(places[-1] - places[0])
    across = (places - places[0]) - ((places - places[0]) @ way)[:, None] * way
    assert np.abs(across).max() < 1e-4
    assert verify(arm, found, collisions=False) == ()


@pytest.mark.parametrize("options", [{}, {"deviation": 0.1}, {"path": "spline"}])
def test_limits_of_tools_on_any_path(arm, options):
    tool = arm.manipulators[0]
    rows = np.random.default_rng(8).uniform(-1, 1, (4, 7))
    found = retime(
        arm, rows, tool=tool, tool_speed=0.8, tool_acceleration=3.0, **options
    )
    fast, hard = greatest_rates(tool_places(tool, found))
    assert 0.9 * 0.8 < fast <= 0.8 * (1 + 1e-6)
    assert hard <= 3.0 * (1 + 1e-6)
    assert verify(arm, found, collisions=False) == ()
    both = retime(
        arm,
        rows,
        tool=tool,
        tool_speed=0.8,
        torque_limits=arm.dof_torque_limits,
        **options,
    )
    assert greatest_rates(tool_places(tool, both))[0] <= 0.8 * (1 + 1e-6)
    assert greatest_parts(arm, both, arm.dof_torque_limits).max() <= 1 + 1e-6


def test_wrong_limits_of_tools(arm, lift):
    tool, rows = arm.manipulators[0], np.zeros((2, 7))
    rows[1] = 0.5
    wrong = {
        "need a tool=": {"tool_speed": 1.0},
        "a tool needs tool_speed": {"tool": tool},
        "tool_speed is": {"tool": tool, "tool_speed": -1.0},
        "not kept together": {"tool": tool, "tool_speed": 1.0, "jerk_limits": 9.0},
    }
    for text, options in wrong.items():
        with pytest.raises(ArgumentError, match=text):
            retime(arm, rows, **options)
    with pytest.raises(ArgumentError, match="is not a tool of"):
        retime(lift, [[0.0], [1.0]], tool=tool, tool_speed=1.0)
