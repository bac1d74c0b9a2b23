"""Force-torque sensors: closed forms, Pinocchio, limits and what breaks."""

from __future__ import annotations

import numpy as np
import pytest
from body_sensors import GRAVITY, about_y, drive, pendulum

import pyrave
from pyrave import ArgumentError
from pyrave.spatial import matrix_from_axis_angle
from pyrave_base.physics import GenericPhysicsEngine
from pyrave_sensors.force6d import Force6DGeometry

MASS, CENTER = 2.0, np.array((0.3, 0.0, 0.1))


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_hanging_mass(angle):
    """Weight in the sensor's axes, and its lever."""
    pose = "<translation>0.1 0.2 0.3</translation><rotationaxis>1 0 0 30</rotationaxis>"
    _env, robot, sensor = pendulum("BaseForce6D", pose=pose)
    robot.dof_values = [angle]
    data = sensor.measure()
    turn = about_y(angle) @ matrix_from_axis_angle((1.0, 0, 0), np.radians(30))
    lever = about_y(angle) @ (CENTER - (0.1, 0.2, 0.3))
    weight = MASS * GRAVITY
    np.testing.assert_allclose(data.force, turn.T @ weight, atol=1e-12)
    np.testing.assert_allclose(
        data.torque, turn.T @ np.cross(lever, weight), atol=1e-12
    )
    assert not data.saturated.any()
    assert not data.broken


def test_turning_mass():
    """Centrifugal, tangential and Euler's terms, for a rotation about a fixed axis."""
    env, robot, sensor = pendulum("BaseForce6D")
    w0, bend, dt = 1.5, 4.0, 0.01
    t = drive(env, robot, lambda t: w0 * t + bend * t * t / 2, 20, dt)
    w, angle = w0 + bend * t, w0 * t + bend * t * t / 2
    data = sensor.read()
    axis = np.array((0.0, 1.0, 0.0))
    inertia = np.array([[0.1, 0.01, 0], [0.01, 0.2, 0], [0, 0, 0.3]])
    pull = np.cross(axis * bend, CENTER) + np.cross(
        axis * w, np.cross(axis * w, CENTER)
    )
    force = MASS * (about_y(angle).T @ GRAVITY - pull)
    spin = inertia @ axis
    torque = np.cross(CENTER, force) - spin * bend - np.cross(axis * w, spin * w)
    np.testing.assert_allclose(data.force, force, rtol=1e-7)
    np.testing.assert_allclose(data.torque, torque, rtol=1e-7)


WEIGHT = """<kinbody name="load"><translation>0.5 0 0</translation>
<body name="load" type="dynamic">
<geom type="box"><extents>.01 .01 .01</extents></geom>
<mass type="custom"><total>3</total></mass></body></kinbody>"""


def test_what_is_held_counts():
    _env, robot, sensor = pendulum("BaseForce6D", more=WEIGHT)
    empty = sensor.measure()
    robot.grab(robot.env.bodies["load"], robot.links["arm"])
    robot.dof_values = [np.pi / 2]
    data = sensor.measure()
    np.testing.assert_allclose(data.force, (5 * 9.797930195020351, 0, 0), atol=1e-12)
    robot.release(robot.env.bodies["load"])
    robot.dof_values = [0.0]
    np.testing.assert_array_equal(sensor.measure().force, empty.force)


def test_held_mass_turns_with_the_arm():
    """Its centrifugal force."""
    env, robot, sensor = pendulum("BaseForce6D", more=WEIGHT)
    robot.grab(env.bodies["load"], robot.links["arm"])
    t = drive(env, robot, lambda t: 3 * t, 10, 0.01)
    free, turn = 9 * 0.3 * MASS, about_y(3 * t).T @ (5 * GRAVITY)
    force = sensor.read().force
    np.testing.assert_allclose(force[0] - turn[0], free + 9 * 0.5 * 3, rtol=1e-8)


def arm_with_sensor(link):
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    mounting = robot.add_attached_sensor(
        pyrave.scene.AttachedSensorDescription("ft", robot.links[link].name)
    )
    mounting.sensor = env.create("sensor", "BaseForce6D")
    mounting.sensor.power = True
    return env, robot, mounting.sensor


@pytest.mark.parametrize("link", [1, 4, 7])
def test_against_pinocchio(link):
    """The wrench that Pinocchio's joints transmit in a motion with given velocities."""
    from pinocchio_twin import Twin, pin

    env, robot, sensor = arm_with_sensor(link)
    twin = Twin(robot.model)
    twin.model.gravity.linear = GRAVITY
    rng = np.random.default_rng(link)
    q0, v0, bend = rng.uniform(-1, 1, (3, robot.dof))
    q0[7], v0[7], bend[7] = 0.02, 0.05, 0.3  # the fingers, within their limits
    dt, n = 0.01, 12
    drive(env, robot, lambda t: q0 + v0 * t + bend * t * t / 2, n, dt)
    rates = v0 + bend * n * dt
    q, v, a, _ = twin.state(robot.dof_values, rates, bend)
    pin.rnea(twin.model, twin.data, q, v, a)
    joint, place = twin.places[link]
    theirs = place.actInv(twin.data.f[joint])
    ours = sensor.read()
    scale = np.abs(ours.force).max()
    np.testing.assert_allclose(ours.force, -theirs.linear, atol=1e-6 * scale)
    np.testing.assert_allclose(ours.torque, -theirs.angular, atol=1e-6 * scale)


def test_efforts_equal_inverse_dynamics():
    """The same loads by virtual work, for an arm with mimic joints."""
    from pyrave_sensors.bodies.loads import joint_loads, link_loads
    from pyrave_sensors.bodies.motion import BodyMotion

    env = pyrave.load("robots/arms/nextage.robot.xml")
    robot = env.robots[0]
    rng = np.random.default_rng(1)
    for link in robot.links:
        link.mass = rng.uniform(0.5, 2)
        link.local_com = rng.uniform(-0.1, 0.1, 3)
        link.local_inertia = np.diag(rng.uniform(0.01, 0.1, 3))
    q, rates, bend = rng.uniform(-0.3, 0.3, (3, robot.dof))
    robot.dof_values, robot.dof_velocities = q, rates
    motion = BodyMotion(np.zeros(6), np.zeros(6), rates, bend)
    ours = joint_loads(robot, link_loads(robot, motion, env.gravity))
    np.testing.assert_allclose(ours, robot.inverse_dynamics(bend), atol=1e-9)


# -- what the instrument does ----------------------------------------------------------


def test_polarity_and_correction():
    _env, robot, sensor = pendulum("BaseForce6D", "<polarity>-1</polarity>")
    load = MASS * GRAVITY
    np.testing.assert_allclose(sensor.measure().force, -load)
    matrix = np.diag((1.0, 1.0, 2.0, 1, 1, 1))
    matrix[4, 2] = 0.25
    sensor.set_sensor_geometry(Force6DGeometry(correction_matrix=matrix))
    data = sensor.measure()
    np.testing.assert_allclose(data.force, 2 * load, atol=1e-12)
    assert data.torque[1] == pytest.approx(-0.3 * load[2] + 0.25 * load[2])
    assert robot.env is sensor.env
    with pytest.raises(ArgumentError, match="polarity is 3, expected one of 1, -1"):
        sensor.set_sensor_geometry(Force6DGeometry(polarity=3))


def test_saturation_and_resolution():
    tags = "<load_range_force>-1 -1 15</load_range_force>"
    tags += "<load_resolution_torque>0 0.5 0</load_resolution_torque>"
    _env, _robot, sensor = pendulum("BaseForce6D", tags)
    data = sensor.measure()
    assert data.force[2] == -15
    assert data.saturated.tolist() == [False, False, True, False, False, False]
    true = 0.3 * MASS * 9.797930195020351
    assert data.torque[1] == pytest.approx(round(true / 0.5) * 0.5)


def test_capacity():
    """One warning; broken until repaired; -1 is not known."""
    tags = "<load_capacity_range_force>-1 -1 30</load_capacity_range_force>"
    tags += "<load_capacity_range_torque>-1 -1 -1</load_capacity_range_torque>"
    env, robot, sensor = pendulum("BaseForce6D", tags, more=WEIGHT)
    assert not sensor.measure().broken
    robot.grab(env.bodies["load"], robot.links["arm"])
    for _ in range(3):
        env.step(0.01)
        assert sensor.read().broken
    found = [p for p in env.problems if p.code == "sensor-broken"]
    assert len(found) == 1
    assert "pendulum:one" in str(found[0])
    assert "force about z is -48.9897 N, it withstands 30 N" in str(found[0])
    robot.release(robot.env.bodies["load"])
    assert sensor.measure().broken
    twin = env.clone()
    assert twin.robots[0].attached_sensors[0].measure().broken
    sensor.send_command("Repair")
    assert not sensor.measure().broken


def test_noise():
    tags = "<force_sigma>0.5</force_sigma><seed>4</seed>"
    tags += "<torque_sigma>0.02</torque_sigma>"
    _env, _robot, sensor = pendulum("BaseForce6D", tags)
    data = [sensor.measure() for _ in range(1500)]
    assert np.std([d.force for d in data], axis=0) == pytest.approx(0.5, rel=0.1)
    assert np.std([d.torque for d in data], axis=0) == pytest.approx(0.02, rel=0.1)
    assert np.mean([d.force[2] for d in data]) == pytest.approx(
        2 * GRAVITY[2], abs=0.05
    )


class Engine(GenericPhysicsEngine):
    """An engine that knows what joints transmit."""

    def get_joint_force_torque(self, joint):
        """Return what acts on the child at the anchor."""
        return np.array((1.0, 2.0, 3.0, 0.1, 0.2, 0.3))


def test_a_physics_engine_knows_better():
    env, robot, sensor = pendulum(
        "BaseForce6D", pose="<translation>0 0 1</translation>"
    )
    handle = env.register("physicsengine", "Knowing", Engine)
    env.physics_engine = "Knowing"
    data = sensor.measure()
    np.testing.assert_allclose(data.force, (-1, -2, -3))
    lever = np.cross(robot.joints[0].anchor - (0, 0, 1), (-1, -2, -3))
    np.testing.assert_allclose(data.torque, np.array((-0.1, -0.2, -0.3)) + lever)
    handle.close()


def test_standing_alone_it_carries_nothing():
    env = pyrave.Environment()
    sensor = env.create("sensor", "BaseForce6D")
    np.testing.assert_array_equal(sensor.measure().force, 0)
    geometry = sensor.get_sensor_geometry()
    assert geometry.polarity == 1
    np.testing.assert_array_equal(geometry.correction_matrix, np.eye(6))
