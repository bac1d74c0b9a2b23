"""Damping, dry friction and springs of joints, links without weight: closed forms."""

import dataclasses
import math

import numpy as np
import pytest
from physics_scenes import G, chain, run, world

import pyrave
from pyrave.scene import LinkDynamics

pytest.importorskip("mujoco")

INERTIA = 0.004
WHEEL = (
    '<robot name="w"><link name="world"/><link name="wheel"><inertial><mass value="0.4"'
    '/><inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/>'
    '</inertial></link><joint name="j" type="continuous"><parent link="world"/>'
    '<child link="wheel"/><axis xyz="0 0 1"/><limit effort="1000" velocity="1000"/>'
    '<dynamics damping="{}" friction="{}"/></joint></robot>'
)


def with_axes(description, **changes):
    """Return a chain whose axes have other values."""
    joints = tuple(
        dataclasses.replace(
            one, axes=tuple(dataclasses.replace(axis, **changes) for axis in one.axes)
        )
        for one in description.joints
    )
    return dataclasses.replace(description, joints=joints)


def wheel(damping, friction, integrator="implicitfast"):
    env = pyrave.load_string(WHEEL.format(damping, friction))
    engine = env.set_physics_engine("mujoco")
    engine.change_settings(integrator=integrator)
    env.robots[0].set_controller("TorqueController")
    return env, env.robots[0]


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "RK4"])
@pytest.mark.parametrize("damping", [0.0, 0.001, 0.1, 0.5, 2.0, 10.0, 100.0])
def test_a_wheel_of_a_urdf_slows_down_exponentially(damping, integrator):
    env, robot = wheel(damping, 0.0, integrator)
    robot.dof_velocities = [5.0]
    rates = []
    for _ in range(30):
        env.step(0.01)
        rates.append(robot.dof_velocities[0])
    expected = 5 * np.exp(-damping * 0.01 * np.arange(1, 31) / INERTIA)
    np.testing.assert_allclose(rates, expected, rtol=1e-3, atol=2e-3)
    assert (np.diff(rates) <= 0).all()


@pytest.mark.parametrize("damping", [0.002, 0.1, 2.0, 100.0])
def test_a_torque_against_damping(damping):
    """It comes to torque / damping, with the time constant inertia / damping."""
    env, robot = wheel(damping, 0.0)
    for n in range(1, 51):
        robot.dynamics.set_dof_torques([0.02])
        env.step(0.01)
        part = 1 - math.exp(-damping * 0.01 * n / INERTIA)
        assert robot.dof_velocities[0] == pytest.approx(0.02 / damping * part, rel=1e-3)


def test_dry_friction_stops_a_wheel():
    env, robot = wheel(0.0, 0.01)
    robot.dof_velocities = [5.0]
    run(env, 1.0)
    assert robot.dof_velocities[0] == pytest.approx(5 - 0.01 / INERTIA, rel=1e-6)
    run(env, 1.1)
    assert abs(robot.dof_velocities[0]) < 1e-3


@pytest.mark.parametrize("damping", [0.0, 0.02, 1.0])
def test_dry_friction_holds_a_light_wheel(damping):
    """What is weaker moves nothing; what is stronger comes to (t - f) / d."""
    friction = 0.5
    env, robot = wheel(damping, friction)
    for torque in (0.2, 0.45, -0.45, 0.6):
        for _ in range(100):
            robot.dynamics.set_dof_torques([torque])
            env.step(0.01)
        wanted = max(torque - friction, 0.0)
        if damping > 0.0:
            wanted = wanted / damping * (1.0 - math.exp(-damping / INERTIA))
        else:
            wanted /= INERTIA
        assert robot.dof_velocities[0] == pytest.approx(wanted, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("damping", [0.1, 10.0])
def test_motors_of_damped_joints(damping):
    """Springs of a drive are at rest where they are told, whatever brakes the joint."""
    env, robot = wheel(damping, 0.0)
    robot.set_controller("JointVelocityController").set_desired([2.0])
    run(env, 0.5)
    assert robot.dof_velocities[0] == pytest.approx(2.0, rel=1e-4)
    torque = robot.controller.get_torque()
    assert torque == pytest.approx(2.0 * damping, rel=1e-3)


def test_inverse_dynamics_has_what_the_engine_has():
    env, robot = wheel(0.3, 0.02)
    robot.dof_velocities = [2.0]
    torque = robot.inverse_dynamics([0.0])
    assert torque == pytest.approx([0.3 * 2 + 0.02])
    for _ in range(50):
        robot.dynamics.set_dof_torques(torque)
        env.step(0.01)
    assert robot.dof_velocities[0] == pytest.approx(2.0, rel=1e-6)


def test_strong_damping_of_a_whole_arm_takes_its_energy():
    """Whatever the inertia is elsewhere, nothing swings and nothing grows."""
    rng = np.random.default_rng(5)
    axes = ((0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    for damping in (0.5, 20.0, 1e3):
        plain = chain(kinds=("hinge",) * 4, axes=axes, length=0.3)
        env = world(with_axes(plain, damping=damping), gravity=(0, 0, 0))
        body = env.bodies["chain"]
        body.dof_values = rng.uniform(-2, 2, 4)
        body.dof_velocities = rng.uniform(-3, 3, 4)
        energy = body.dynamics.kinetic_energy
        for _ in range(100):
            env.step(0.01)
            assert body.dynamics.kinetic_energy < energy * (1 + 1e-9)
            energy = body.dynamics.kinetic_energy
        assert energy < (1e-2 if damping > 1 else 3.0)


@pytest.mark.parametrize("stiffness", [0.5, 20.0, 4000.0])
def test_a_spring_swings_with_its_period(stiffness):
    inertia = 0.03
    plain = chain(axes=((0, 0, 1),), inertia=(0.01, 0.02, inertia))
    env = world(with_axes(plain, stiffness=stiffness, rest=0.4), gravity=(0, 0, 0))
    body = env.bodies["chain"]
    body.dof_values = [0.9]
    rate = math.sqrt(stiffness / inertia)
    dt = 0.05 / rate
    for n in range(1, 500):
        env.step(dt)
        expected = 0.4 + 0.5 * math.cos(rate * dt * n)
        assert body.dof_values[0] == pytest.approx(expected, abs=0.06)
        assert (
            body.dynamics.potential_energy + body.dynamics.kinetic_energy
            == pytest.approx(0.125 * stiffness, rel=0.15)
        )


def test_a_spring_bears_a_weight_where_statics_says():
    plain = chain(inertia=(0.05,) * 3)
    env = world(with_axes(plain, stiffness=30.0, damping=5.0))
    body = env.bodies["chain"]
    run(env, 8.0)
    values = body.dof_values
    assert abs(values[0]) < 1e-3  # it hangs down
    body.dof_values = [0.5]
    torque = body.inverse_dynamics()[0]
    assert torque == pytest.approx(G * math.sin(0.5) + 30.0 * 0.5)
    for _ in range(100):
        body.dynamics.set_dof_torques([torque])
        env.step(0.01)
    assert body.dof_values[0] == pytest.approx(0.5, abs=1e-6)


def test_links_without_weight():
    light = LinkDynamics(gravity=False)
    plain = chain(kinds=("hinge",) * 2, axes=((0, 1, 0),) * 2)
    base, first, second = plain.links
    second = dataclasses.replace(second, dynamics=light)
    env = world(dataclasses.replace(plain, links=(base, first, second)))
    body = env.bodies["chain"]
    body.dof_values = [0.7, 0.4]
    held = body.inverse_dynamics()
    assert held == pytest.approx([G * math.sin(0.7), 0.0], abs=1e-12)
    torque = body.inverse_dynamics(external=np.zeros((3, 6)))
    assert torque == pytest.approx(held)
    for _ in range(100):
        body.dynamics.set_dof_torques(held)
        env.step(0.01)
    assert body.dof_values == pytest.approx([0.7, 0.4], abs=1e-6)
    assert body.forward_dynamics(held) == pytest.approx([0, 0], abs=1e-9)
    height = body.links[1].global_com[2]
    assert body.dynamics.potential_energy == pytest.approx(G * height)
    # and again with weight
    body.links[2].dynamics = LinkDynamics()
    assert body.inverse_dynamics()[1] == pytest.approx(G * math.sin(1.1))
    env.step(0.01)
    assert abs(body.dof_velocities[1]) > 0.005
    # what reads forces knows it: the joint bears the first link alone
    body.links[2].dynamics = light
    body.dof_values, body.dof_velocities = [0, 0], [0, 0]
    env.step(0.01)
    wrench = env.physics_engine.get_joint_force_torque(body.joints[0])
    assert wrench[2] == pytest.approx(G, rel=1e-6)


def test_a_free_body_without_weight_stays():
    text = (
        "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia ixx='1' "
        "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
        "<gazebo reference='a'><turnGravityOff>true</turnGravityOff></gazebo></robot>"
    )
    env = pyrave.load_string(text)
    env.physics_engine = "mujoco"
    run(env, 0.5)
    assert env.robots[0].transform[2, 3] == 0.0
    env.robots[0].links[0].dynamics = LinkDynamics()
    run(env, 0.5)
    assert env.robots[0].transform[2, 3] < -1.0
