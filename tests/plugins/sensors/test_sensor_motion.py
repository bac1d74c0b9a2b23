"""Motion between steps: differences, given velocities, what starts anew."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
)
from pyrave.spatial import matrix_from_axis_angle
from pyrave_sensors.bodies.motion import (
    BodyMotion,
    FrameMotion,
    MotionHistory,
    Snapshot,
)


def frame(time, pose):
    return time, Snapshot.of_frame(pose)


def snapshot(time, values, rates=None):
    values = np.atleast_1d(np.asarray(values, float))
    rates = np.zeros_like(values) if rates is None else np.atleast_1d(rates)
    return time, Snapshot(np.eye(4), np.zeros(6), values, rates)


def motion_of(snapshots):
    history = MotionHistory()
    for time, one in snapshots:
        history.record(time, one)
    return history.motion(snapshots[-1][1])


TIMES = [0, 10_000, 25_000, 40_000, 47_000]


def test_polynomials_are_exact_also_with_uneven_steps():
    """Velocity of quadratics, acceleration of cubics."""
    t = np.array(TIMES) * 1e-6
    quadratic = motion_of(
        [snapshot(k, 1 - 2 * s + 3 * s**2) for k, s in zip(TIMES, t, strict=True)]
    )
    assert quadratic.rates[0] == pytest.approx(-2 + 6 * t[-1], abs=1e-10)
    cubic = motion_of([snapshot(k, s**3) for k, s in zip(TIMES, t, strict=True)])
    assert cubic.accelerations[0] == pytest.approx(6 * t[-1], abs=1e-9)
    line = motion_of([snapshot(k, 5 * s) for k, s in zip(TIMES, t, strict=True)])
    assert line.rates[0] == pytest.approx(5, abs=1e-12)
    assert line.accelerations[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("what", "exact"), [("rates", np.cos(1)), ("accelerations", -np.sin(1))]
)
def test_errors_are_of_second_order(what, exact):
    """Half the step, a quarter of the error."""
    errors = []
    for step in (20_000, 10_000, 5_000):
        times = [1_000_000 + k * step for k in range(-5, 1)]
        motion = motion_of([snapshot(k, np.sin(k * 1e-6)) for k in times])
        errors.append(abs(getattr(motion, what)[0] - exact))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.1)


def test_turning_frame():
    """A frame that screws along a tilted axis, against closed form."""
    axis = np.array((1.0, 2.0, -0.5)) / np.linalg.norm((1.0, 2.0, -0.5))
    rate, bend = 3.0, -2.0

    def pose(t):
        result = np.eye(4)
        result[:3, :3] = matrix_from_axis_angle(axis, 0.4 + rate * t + bend * t * t / 2)
        result[:3, 3] = (t, t * t, 0)
        return result

    times = [k * 5_000 for k in range(6)]
    t = times[-1] * 1e-6
    motion = motion_of([frame(k, pose(k * 1e-6)) for k in times])
    np.testing.assert_allclose(motion.velocity[:3], (1, 2 * t, 0), atol=1e-9)
    np.testing.assert_allclose(motion.velocity[3:], axis * (rate + bend * t), atol=1e-9)
    np.testing.assert_allclose(motion.acceleration[:3], (0, 2, 0), atol=1e-7)
    np.testing.assert_allclose(motion.acceleration[3:], axis * bend, atol=1e-7)


def test_tumbling_frame():
    """Angular velocity and acceleration of a rotation that changes its axis."""

    def turn(t):
        first = matrix_from_axis_angle((0.0, 0.0, 1.0), 2 * t)
        return first @ matrix_from_axis_angle((1.0, 0.0, 0.0), 3 * t)

    def pose(t):
        result = np.eye(4)
        result[:3, :3] = turn(t)
        return result

    step = 500
    times = [k * step for k in range(6)]
    t = times[-1] * 1e-6
    motion = motion_of([frame(k, pose(k * 1e-6)) for k in times])
    c, s = np.cos(2 * t), np.sin(2 * t)
    np.testing.assert_allclose(motion.velocity[3:], (3 * c, 3 * s, 2), atol=1e-4)
    np.testing.assert_allclose(motion.acceleration[3:], (-6 * s, 6 * c, 0), atol=2e-3)


def test_given_velocities_count_through_a_turning_point():
    """Velocity 0 is given too where the step before had one."""
    motion = motion_of(
        [snapshot(k * 1000, 7 * k, rates=[(3 - k) * 0.01]) for k in range(4)]
    )
    assert motion.rates[0] == 0
    assert motion.accelerations[0] == pytest.approx(-10)


def test_what_was_put_elsewhere_does_not_move():
    history = MotionHistory()
    for k in range(4):
        history.record(*snapshot(k * 1000, k))
    motion = history.motion(snapshot(3000, 99.0)[1])
    assert motion.rates[0] == 0
    assert motion.accelerations[0] == 0


def test_one_snapshot_rests_and_time_that_goes_back_starts_anew():
    assert motion_of([snapshot(0, 1.0)]).rates[0] == 0
    history = MotionHistory()
    for time in (0, 1000, 2000, 500):
        history.record(*snapshot(time, time))
    assert len(history.items) == 1
    history.record(*snapshot(1500, [1.0, 2.0]))
    assert len(history.items) == 1


def test_circular_joints_take_the_short_way():
    env = pyrave.Environment()
    env.load_string(
        "<environment><kinbody name='k'><body name='a'/><body name='b'/>"
        "<joint name='j' type='hinge' circular='true'><body>a</body><body>b</body>"
        "<axis>0 0 1</axis></joint></kinbody></environment>"
    )
    body, history = env.bodies["k"], MotionHistory()
    for k in range(5):
        angle = 3.1 + 0.02 * k
        body.dof_values = [(angle + np.pi) % (2 * np.pi) - np.pi]
        history.record(k * 10_000, Snapshot.from_body(body))
    motion = history.motion(Snapshot.from_body(body), body)
    assert motion.rates[0] == pytest.approx(2)
    assert motion.accelerations[0] == pytest.approx(0, abs=1e-8)


def test_links_of_an_accelerating_base():
    """A robot whose base moves and turns, and whose joints move: all by differences."""
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    rng = np.random.default_rng(3)
    q0, v0, a0 = rng.uniform(-0.5, 0.5, (3, robot.dof))
    axis = np.array((0.6, 0.0, 0.8))

    def place(t):
        robot.dof_values = q0 + v0 * t + a0 * t * t / 2
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_axis_angle(axis, 0.7 * t + 0.9 * t * t)
        pose[:3, 3] = (0.3 * t * t, -t, 0.2)
        robot.transform = pose
        return robot.link_transforms[:, :3, 3]

    history, h = MotionHistory(), 1e-3
    for k in range(5):
        place(k * h)
        history.record(round(k * h * 1e6), Snapshot.from_body(robot))
    t = 4 * h
    motion = history.motion(Snapshot.from_body(robot), robot)
    velocities, accelerations = motion.of_links(robot)
    e = 1e-4
    before, now, after = place(t - e), place(t), place(t + e)
    np.testing.assert_allclose(velocities[:, :3], (after - before) / (2 * e), atol=1e-6)
    np.testing.assert_allclose(
        accelerations[:, :3], (after - 2 * now + before) / e**2, atol=1e-5
    )
    np.testing.assert_allclose(velocities[0, 3:], axis * (0.7 + 1.8 * t), atol=1e-9)
    np.testing.assert_allclose(accelerations[0, 3:], axis * 1.8, atol=1e-6)


def test_point_of_a_turning_frame():
    """Centripetal and tangential parts."""
    w, alpha = np.array((0.0, 0.0, 2.0)), np.array((0.0, 0.0, 3.0))
    point = FrameMotion(np.zeros(3), w, np.zeros(3), alpha).at(np.array((0.5, 0, 0)))
    np.testing.assert_allclose(point.velocity, (0, 1, 0))
    np.testing.assert_allclose(point.acceleration, (-2, 1.5, 0))


def test_links_move_as_passive_joints_stand():
    env = pyrave.Environment()
    body = env.create_body(
        BodyDescription(
            "body",
            tuple(LinkDescription(name) for name in ("base", "mount", "arm")),
            (
                JointDescription("mount", "hinge", "base", "mount", active=False,
                                 axes=(JointAxis((1.0, 0.0, 0.0)),)),
                JointDescription("arm", "hinge", "mount", "arm",
                                 axes=(JointAxis((0.0, 0.0, 1.0)),)),
            ),
        )
    )  # fmt: skip
    body.passive_joints["mount"].values = (0.7,)
    body.dof_velocities = (2.0,)
    zero = np.zeros(1)
    motion = BodyMotion(np.zeros(6), np.zeros(6), body.dof_velocities, zero)
    velocities, _ = motion.of_links(body)
    np.testing.assert_allclose(velocities, body.dynamics.link_velocities, atol=1e-12)
