"""Torques of motions against a pendulum's, in closed form."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, StateError
from pyrave.planning import retime, verify_segment, verify_torques
from pyrave.scene import (
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    XmlElement,
    XmlReadable,
)

MASS, LENGTH = 2.0, 0.5
GRAVITY = 9.80665


@pytest.fixture
def pendulum():
    bob = Inertial(MASS, (LENGTH, 0.0, 0.0), (0.0,) * 9)
    axis = JointAxis(
        (0.0, -1.0, 0.0),
        lower=-3.0,
        upper=3.0,
        velocity_limit=20.0,
        acceleration_limit=100.0,
    )
    env = pyrave.Environment()
    env.gravity = (0.0, 0.0, -GRAVITY)
    return env.create_body(
        BodyDescription(
            "pendulum",
            (LinkDescription("base"), LinkDescription("bob", inertial=bob)),
            (JointDescription("swing", "hinge", "base", "bob", axes=(axis,)),),
        )
    )


def needed(q, a):
    """Return the torque of a point mass on a rod that is level at 0."""
    return MASS * LENGTH**2 * a + MASS * GRAVITY * LENGTH * np.cos(q)


def cubic(start, end, seconds, times):
    """Return values and accelerations of a cubic from rest to rest."""
    s = times / seconds
    way = end - start
    return (
        start + way * (3 * s**2 - 2 * s**3),
        way / seconds**2 * (6 - 12 * s),
    )


def test_torques_of_a_segment_are_those_of_the_pendulum(pendulum):
    times = np.linspace(0.0, 1.0, 1001)
    torques = needed(*cubic(-0.5, 0.8, 1.0, times))
    worst = int(np.argmax(np.abs(torques)))
    most = 0.9 * np.abs(torques).max()
    (found,) = verify_segment(pendulum, [-0.5], [0.8], 1.0, torque_limits=most)
    assert found.kind == "torque"
    assert found.time == pytest.approx(times[worst], abs=2e-3)
    assert found.amount == pytest.approx(np.abs(torques).max() - most, rel=2e-3)
    assert str(found).startswith("joint 'swing' passes its torque limit by")
    enough = 1.01 * np.abs(torques).max()
    assert verify_segment(pendulum, [-0.5], [0.8], 1.0, torque_limits=enough) == ()
    assert verify_segment(pendulum, [-0.5], [0.8], 1.0) == ()


def test_a_motion_within_torques_is_found_to_be(pendulum):
    most = 1.3 * needed(0.0, 0.0)
    motion = retime(pendulum, [[-1.2], [0.9]], torque_limits=most)
    assert verify_torques(pendulum, motion, most, tolerance=2e-3) == ()
    hasty = retime(pendulum, [[-1.2], [0.9]])
    (found,) = verify_torques(pendulum, hasty, most)
    assert found.amount > 0.1 * most
    assert pendulum.dof_values.tolist() == [0.0]


def test_other_limits_and_velocities_at_the_ends(pendulum):
    kinds = [one.kind for one in verify_segment(pendulum, [-0.5], [0.8], 0.05)]
    assert kinds == ["velocity", "acceleration"]
    # as fast as it goes on: no acceleration at all
    way = verify_segment(
        pendulum, [0.0], [0.5], 0.5, start_velocity=[1.0], end_velocity=[1.0],
        torque_limits=needed(0.0, 0.0) * 1.001,
    )  # fmt: skip
    assert way == ()


def test_a_held_joint_counts(pendulum):
    robot = pyrave.load("robots/heron7.robot.xml").robots[0]
    robot.active_manipulator.arm_dof_values = [0.0, 1.5, 0, 0, 0, 0, 0]
    held = np.abs(robot.inverse_dynamics(np.zeros(robot.dof)))
    limits = np.where(np.arange(robot.dof) == 1, 0.5 * held[1], 1e6)
    found = verify_segment(
        robot,
        [0.0],
        [0.3],
        2.0,
        dof_indices=[6],
        torque_limits=limits,
        collisions=False,
    )
    assert [one.what for one in found] == ["joint 'joint2'"]


def test_wrong_input_ends_in_words(pendulum):
    for arguments, options, said in (
        (([0.0, 1.0], [0.5], 1.0), {}, "start"),
        (([0.0], [0.5], 0.0), {}, "duration"),
        (([0.0], [0.5], 1.0), {"torque_limits": -1.0}, "torque_limits"),
        (([0.0], [0.5], 1.0), {"end_velocity": [1.0, 2.0]}, "end_velocity"),
        (([0.0], [np.nan], 1.0), {}, "end"),
        (([], [], 1.0), {"dof_indices": []}, "no degrees of freedom"),
    ):
        with pytest.raises(ArgumentError, match=said):
            verify_segment(pendulum, *arguments, **options)
    pendulum.env.remove(pendulum)
    with pytest.raises(StateError):
        verify_segment(pendulum, [0.0], [0.5], 1.0)


@pytest.mark.parametrize("seconds", [5e-4, 1e-3, 2e-3])
def test_a_segment_shorter_than_a_step_is_not_taken_for_rest(pendulum, seconds):
    found = verify_segment(
        pendulum, [0.0], [1e-3], seconds, torque_limits=50.0, collisions=False
    )
    assert {one.kind for one in found} == {"acceleration", "torque"}
    torque = found[-1].amount + 50.0
    # the differences at the ends are those of the next samples
    assert torque == pytest.approx(needed(0.0, 6e-3 / seconds**2), rel=1e-3)


def test_friction_of_a_motor_helps_to_stop():
    """A mass on a slide with dry friction, as fast as its force allows."""
    friction, most, way = 3.0, 8.0, 1.5
    tag = XmlElement("coloumb_friction", text=repr(friction))
    motor = XmlReadable(XmlElement("actuator", children=(tag,)))
    axis = JointAxis(
        (1.0, 0.0, 0.0),
        prismatic=True,
        lower=-3.0,
        upper=3.0,
        velocity_limit=50.0,
        acceleration_limit=500.0,
    )
    cart = Inertial(MASS, (0.0, 0.0, 0.0), (0.0,) * 9)
    env = pyrave.Environment()
    slide = env.create_body(
        BodyDescription(
            "slide",
            (LinkDescription("base"), LinkDescription("cart", inertial=cart)),
            (
                JointDescription(
                    "way", "slider", "base", "cart", axes=(axis,), actuator=motor
                ),
            ),
        )
    )
    for end in (way, -way):
        found = retime(slide, [[0.0], [end]], torque_limits=most, steps=1000)
        faster, slower = (most - friction) / MASS, (most + friction) / MASS
        peak = np.sqrt(2.0 * way / (1.0 / faster + 1.0 / slower))
        assert found.duration == pytest.approx(peak / faster + peak / slower, rel=1e-2)
        assert verify_torques(slide, found, most) == ()
