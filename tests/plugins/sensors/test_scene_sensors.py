"""Sensors of a scene, and those that bodies carry, in simulated physics."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from arm_scenes import arm, robot_of
from physics_scenes import G, box, chain, floor, run, world

import pyrave
from pyrave.scene import (
    IDENTITY,
    AttachedSensorDescription,
    ConstraintDescription,
    ContactSensor,
    ForceTorqueSensor,
    LinkReference,
    Pose,
    SimulationDescription,
    TactileArray,
)
from pyrave.spatial import matrix_from_axis_angle

pytest.importorskip("mujoco")


def measured(env, *sensors):
    env.simulation = SimulationDescription(sensors=sensors)
    return [env.sensors[one.name] for one in sensors]


# -- force and torque --------------------------------------------------------------


def test_weight_behind_a_joint():
    """A load at the end of a held arm: m g, and m g l about the frame."""
    env, robot = arm(((0, 1, 0), (0, 1, 0)))
    env.simulation = SimulationDescription(
        sensors=(
            ForceTorqueSensor(
                "wrist",
                LinkReference("chain", "link1"),
                LinkReference("chain", "link2"),
                LinkReference("chain", "link2"),
                Pose.from_translation(0, 0, -0.2),
            ),
        )
    )
    goal = np.array((0.5, -1.2))
    robot.dof_values = goal
    robot.set_controller("ComputedTorqueController").set_desired(goal)
    run(env, 2.0)
    data = env.sensors["wrist"].read()
    turn = robot.links["link2"].transform[:3, :3]
    np.testing.assert_allclose(data.pose[:3, :3], turn, atol=1e-12)
    # what the hand does to the arm: its weight pulls down
    np.testing.assert_allclose(turn @ data.force, (0, 0, -G), atol=0.02)
    torque = np.cross((0, 0, -0.8), data.force)
    np.testing.assert_allclose(data.torque, torque, atol=0.02)


def test_what_touches_the_child_counts():
    """A weight on the child is not what the parent carries for it."""
    env = world(floor(), box("load", (0, 0, 0.1), mass=3.0))
    joint = ForceTorqueSensor(
        "scale", LinkReference(""), LinkReference("load"), LinkReference("load")
    )
    (sensor,) = measured(env, joint)
    run(env, 1.0)
    np.testing.assert_allclose(sensor.read().force, (0, 0, -3 * G), atol=0.02)


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_through_a_constraint(kind):
    """A load on a stub: its weight, and its torque where the constraint holds it."""
    env = world(box("wall", (0, 0, 2), static=True), box("load", (0.5, 0, 2), mass=2.0))
    axis = Pose.from_matrix(turned((1, 0, 0), -math.pi / 2))
    env.add_constraint(
        ConstraintDescription(
            "tie", kind, LinkReference("wall"), LinkReference("load"), axis
        )
    )
    wall = LinkReference("wall")
    one = ForceTorqueSensor("ft", wall, LinkReference("load"), wall)
    (sensor,) = measured(env, one)
    run(env, 1.0 if kind == "fixed" else 0.01)
    data = sensor.read()
    if kind == "fixed":
        np.testing.assert_allclose(data.force, (0, 0, -2 * G), atol=0.05)
        np.testing.assert_allclose(data.torque, (0, 2 * G * 0.5, 0), atol=0.05)
    else:
        inertia = 2 / 3 * (0.1**2 + 0.1**2)
        carried = 2 * G * (1 - 2 * 0.25 / (inertia + 2 * 0.25))
        assert data.force[2] == pytest.approx(-carried, rel=0.05)
        assert abs(data.torque[1]) < 0.1


def turned(axis, angle):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(axis, angle)
    return pose


# -- contacts ----------------------------------------------------------------------


def test_contacts_of_a_link():
    """Four corners carry the weight; forces on the link point up."""
    half = (0.1, 0.2, 0.05)
    env = world(floor(), box("crate", (0, 0, 0.05), half, mass=4.0))
    (sensor,) = measured(env, ContactSensor("feet", LinkReference("crate")))
    run(env, 1.0)
    data = sensor.read()
    np.testing.assert_allclose(data.forces.sum(axis=0), (0, 0, 4 * G), atol=0.02)
    np.testing.assert_allclose(np.abs(data.points[:, :2]), [half[:2]] * 4, atol=2e-3)
    np.testing.assert_allclose(data.normals, [(0, 0, 1)] * 4, atol=1e-3)
    assert set(data.links) == {("floor", "base")}


def test_pressures_of_an_array():
    """Their sum is the weight; where it stands they are high."""
    size, cells = 0.02, 20
    array = TactileArray(
        "skin",
        LinkReference("floor"),
        Pose.from_translation(-0.2, -0.2, 0.5),
        ((0.0,) * (cells + 1),) * (cells + 1),
        (size, size),
        highest=1e6,
    )
    env = world(floor(), box("crate", (0.1, -0.05, 0.04), (0.05, 0.05, 0.04), mass=5))
    (sensor,) = measured(env, array)
    run(env, 1.0)
    data = sensor.read()
    assert data.pressures.shape == (cells, cells)
    weight = data.pressures.sum() * size**2
    assert weight == pytest.approx(5 * G, rel=2e-3)
    np.testing.assert_allclose(data.forces.sum(axis=0), (0, 0, -weight), atol=1e-9)
    middle = (np.arange(cells) + 0.5) * size - 0.2
    total = data.pressures.sum()
    assert data.pressures.sum(axis=0) @ middle / total == pytest.approx(0.1, abs=3e-3)
    assert data.pressures.sum(axis=1) @ middle / total == pytest.approx(-0.05, abs=3e-3)


def test_slopes_clips_and_small_pressures():
    """Of a force on a slope of 45 degrees the normal part counts."""
    env = world(floor(), box("crate", (0, 0, 0.1), mass=1.0))
    plain = TactileArray(
        "slope",
        LinkReference("floor"),
        Pose.from_translation(-0.5, -0.5, 0.5),
        ((0.0, 1.0), (0.0, 1.0)),
        (1.0, 1.0),
    )
    clipped = TactileArray(
        "clipped", plain.link, plain.pose, cell_size=(1.0, 1.0), highest=3.0
    )
    deaf = TactileArray("deaf", plain.link, plain.pose, cell_size=(1, 1), lowest=50.0)
    slope, clip, zero = measured(env, plain, clipped, deaf)
    run(env, 1.0)
    assert slope.read().pressures[0, 0] == pytest.approx(G / math.sqrt(2), rel=5e-3)
    assert clip.read().pressures[0, 0] == 3.0
    assert zero.read().pressures[0, 0] == 0.0


# -- life --------------------------------------------------------------------------


def test_they_come_and_go_with_the_scene(tmp_path):
    env = world(floor(), box("crate", (0, 0, 0.1)))
    measured(env, ContactSensor("feet", LinkReference("crate")))
    run(env, 0.5)
    assert env.sensors["feet"].read().forces[:, 2].sum() == pytest.approx(G, rel=0.01)
    env.save(tmp_path / "a.env.xml")
    again = pyrave.load(tmp_path / "a.env.xml")
    restored = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    for other in (again, env.clone(), restored):
        assert other.simulation == env.simulation
        assert other.sensors.names == ("feet",)
        other.remove("crate")
        assert other.sensors.names == ()
    env.simulation = SimulationDescription()
    assert env.sensors.names == ()
    assert env.problems == ()


def test_without_an_engine_nothing_is_felt():
    env = world(floor(), box("crate", (0, 0, 0.1)))
    env.physics_engine = ""
    touch, force = measured(
        env,
        ContactSensor("feet", LinkReference("crate")),
        ForceTorqueSensor(
            "ft", LinkReference("floor"), LinkReference("crate"), LinkReference("crate")
        ),
    )
    env.step(0.01)
    assert not len(touch.read().forces)
    assert not force.read().force.any()


# -- sensors that bodies carry -----------------------------------------------------


def attached(robot, kind, link, pose=IDENTITY):
    mounted = robot.add_attached_sensor(AttachedSensorDescription(kind, link, pose))
    mounted.sensor = robot.env.create("sensor", kind)
    mounted.sensor.power = True
    return mounted.sensor


def carried(sensor, link, pose=IDENTITY):
    """Return an arm that holds itself, and a sensor on a link of it."""
    env, robot = arm(((0, 1, 0), (0, 1, 0)))
    return env, robot, attached(robot, sensor, link, pose)


def test_a_falling_imu_feels_nothing():
    description = robot_of(chain(static=False))
    env = world(description)
    robot = env.robots["chain"]
    robot.transform = [1, 0, 0, 0, 0, 0, 100]
    imu = attached(robot, "BaseIMU", "base")
    run(env, 0.5)
    np.testing.assert_allclose(imu.read().linear_acceleration, 0.0, atol=1e-6)


def test_a_turning_imu():
    """At a radius r and a constant rate w: w2 r inwards, and gravity."""
    env, robot, imu = carried("BaseIMU", "link1", Pose.from_translation(0, 0, -1))
    env.gravity = (0, 0, 0)
    robot.set_controller("JointVelocityController").set_desired([2.0, 0.0])
    run(env, 1.0)
    data = imu.read()
    np.testing.assert_allclose(data.linear_acceleration, (0, 0, 4.0), atol=0.02)
    np.testing.assert_allclose(data.angular_velocity, (0, 2.0, 0), atol=2e-3)


def test_encoder_force_and_odometry():
    env, robot, encoder = carried("BaseEncoder", "link2")
    force = attached(robot, "BaseForce6D", "link1")
    pose = attached(robot, "BaseOdometry", "base")
    robot.set_controller("ComputedTorqueController").set_desired([0.7, -0.2])
    run(env, 3.0)
    data = encoder.read()
    assert data.values[-1] == pytest.approx(robot.dof_values[1], abs=1e-9)
    load = force.read()
    turn = robot.links["link1"].transform[:3, :3]
    np.testing.assert_allclose(turn @ load.force, (0, 0, -2 * G), atol=0.05)
    reach = [robot.links[k].global_com[0] for k in (1, 2)]
    assert (turn @ load.torque)[1] == pytest.approx(G * sum(reach), rel=5e-3)
    np.testing.assert_allclose(pose.read().linear_velocity, 0.0, atol=1e-9)
