"""The engine ``mujoco`` against closed forms, at its default step."""

import dataclasses
import math

import numpy as np
import pytest
from physics_scenes import G, ball, box, chain, floor, motor, run, tilted, world

from pyrave.scene import ContactMaterial, ContactProperties, Friction, Restitution

pytest.importorskip("mujoco")


def test_free_fall():
    env = world(box("a", (0, 0, 100)))
    run(env, 1.0)
    body = env.bodies["a"]
    assert body.transform[2, 3] - 100 == pytest.approx(-0.5 * G, rel=0.003)
    assert body.base_velocity[2] == pytest.approx(-G, rel=1e-9)


def test_the_error_of_free_fall_falls_with_the_step():
    from pyrave_mujoco.settings import MujocoSettings

    errors = []
    for step in (0.005, 0.0025, 0.00125):
        env = world(box("a", (0, 0, 100)))
        env.physics_engine.settings = MujocoSettings(time_step=step)
        run(env, 1.0)
        errors.append(100 - 0.5 * G - env.bodies["a"].transform[2, 3])
    ratios = np.array(errors[:-1]) / errors[1:]
    assert np.allclose(ratios, 2.0, rtol=1e-3), "the method is of first order"


@pytest.mark.parametrize("amplitude", [0.05, 1.0])
def test_pendulum(amplitude):
    """The period is 2 pi / omega / agm(1, cos(amplitude / 2))."""
    inertia = 0.02
    env = world(chain(inertia=(inertia,) * 3))
    body = env.bodies["chain"]
    body.dof_values = [amplitude]
    times, before = [], amplitude
    for k in range(1, 1500):
        env.step(0.005)
        now = body.dof_values[0]
        if before > 0 >= now:
            times.append(0.005 * (k - 1 + before / (before - now)))
        before = now
    a, b = 1.0, math.cos(0.5 * amplitude)
    for _ in range(10):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    omega = math.sqrt(G / (1.0 + inertia)) * a
    assert np.diff(times).mean() == pytest.approx(2 * math.pi / omega, rel=0.003)


def test_damped_slider():
    """A mass on a viscous slider: v = v0 exp(-c t / m)."""
    damping, mass = 3.0, 2.0
    actuator = motor(viscous_friction=damping)
    description = chain(
        kinds=("slider",), axes=((1, 0, 0),), mass=mass, actuator=actuator
    )
    env = world(description, gravity=(0, 0, 0))
    body = env.bodies["chain"]
    body.dof_velocities = [1.0]
    run(env, 1.0)
    assert body.dof_velocities[0] == pytest.approx(math.exp(-damping / mass), rel=0.005)


def test_dry_friction_and_rotor():
    """A torque below dry friction moves nothing; above, the rest accelerates all."""
    actuator = motor(coloumb_friction=2.0, rotor_inertia=0.01, gear_ratio=10.0)
    description = chain(axes=((0, 0, 1),), inertia=(0.5, 0.5, 0.5), actuator=actuator)
    env = world(description)
    body = env.bodies["chain"]
    for torque, expected in ((1.5, 0.0), (5.0, 3.0 / 1.5)):
        body.dof_values, body.dof_velocities = [0.0], [0.0]
        for _ in range(50):
            body.set_dof_torques([torque])
            env.step(0.01)
        reached = body.dof_velocities[0]
        assert reached == pytest.approx(0.5 * expected, rel=0.01, abs=3e-3)


def test_spring_by_torques():
    """Torques of a spring and damper set before each step act in it."""
    stiffness, damping, inertia = 40.0, 0.8, 2.0
    env = world(chain(axes=((0, 0, 1),), inertia=(1.0, 1.0, inertia)))
    body = env.bodies["chain"]
    body.dof_values = [0.3]
    for _ in range(1000):
        q, rate = body.dof_values[0], body.dof_velocities[0]
        body.set_dof_torques([-stiffness * q - damping * rate])
        env.step(0.001)
    decay = 0.5 * damping / inertia
    omega = math.sqrt(stiffness / inertia - decay**2)
    phase = math.cos(omega) + decay / omega * math.sin(omega)
    assert body.dof_values[0] == pytest.approx(0.3 * math.exp(-decay) * phase, abs=2e-3)


FRICTION = ContactProperties(
    materials=(ContactMaterial("rough"), ContactMaterial("smooth")),
    friction=(Friction("rough", "smooth", 0.3), Friction("rough", "rough", 0.9)),
    default_material="rough",
)


def incline(angle, material=""):
    """Return an environment, and how far a block slides down in it in a second."""
    normal = np.array((math.sin(angle), 0.0, math.cos(angle)))
    turn = tilted(angle)
    env = world(
        box("ramp", -0.5 * normal, (20, 20, 0.5), static=True, rotation=turn),
        box("block", 0.03 * normal, (0.1, 0.1, 0.03), rotation=turn, material=material),
    )
    env.contact_properties = FRICTION
    start = env.bodies["block"].transform[:3, 3]
    run(env, 1.0)
    return np.linalg.norm(env.bodies["block"].transform[:3, 3] - start)


@pytest.mark.parametrize(("material", "mu"), [("", 0.9), ("smooth", 0.3)])
def test_incline(material, mu):
    assert incline(math.atan(mu) - 0.05, material) < 5e-4
    for more in (0.05, 0.15):
        angle = math.atan(mu) + more
        distance = 0.5 * G * (math.sin(angle) - mu * math.cos(angle))
        assert incline(angle, material) == pytest.approx(distance, rel=0.01)


def bouncing(coefficient):
    properties = ContactProperties(
        object_types=(ContactMaterial("hard"),),
        restitution=(Restitution("hard", "hard", coefficient),),
        default_object_type="hard",
    )
    env = world(floor(), ball("ball", (0, 0, 1.1)))
    env.contact_properties = properties
    return env


@pytest.mark.parametrize("coefficient", [0.0, 0.2, 0.4, 0.6, 0.8, 0.9])
def test_restitution(coefficient):
    """A ball dropped from 1 m comes back to cr^2, within 5 % of the drop."""
    env = bouncing(coefficient)
    body, top, fallen = env.bodies["ball"], 0.0, False
    for _ in range(120):
        env.step(0.01)
        fallen |= body.base_velocity[2] > 0
        if fallen:
            top = max(top, body.transform[2, 3] - 0.1)
    assert top == pytest.approx(coefficient**2, abs=0.05)
    run(env, 20.0)
    assert body.transform[2, 3] == pytest.approx(0.1, abs=2e-3)
    assert abs(body.base_velocity).max() < 1e-2


@pytest.mark.parametrize("coefficient", [0.0, 0.5, 0.9])
def test_two_bodies_keep_their_momentum(coefficient):
    env = bouncing(coefficient)
    env.remove("floor")
    env.gravity = (0, 0, 0)
    body = env.bodies["ball"]
    env.create_body(ball("other", (0.5, 0.02, 1.1), mass=3.0))
    body.base_velocity = (2.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    run(env, 1.0)
    velocity, other = body.base_velocity, env.bodies["other"].base_velocity
    assert np.allclose(velocity[:3] + 3.0 * other[:3], (2, 0, 0), atol=1e-6)
    assert other[0] > 0.1
    energy = 0.5 * velocity[:3] @ velocity[:3] + 1.5 * other[:3] @ other[:3]
    assert energy < 2.0


def test_a_stack_stays():
    boxes = [box(f"box{k}", (0, 0, 0.1 + 0.2 * k)) for k in range(10)]
    env = world(floor(), *boxes)
    run(env, 10.0)
    for k in range(10):
        place = env.bodies[f"box{k}"].transform[:3, 3]
        assert np.allclose(place, (0, 0, 0.1 + 0.2 * k), atol=5e-3)


def test_energy_of_a_chain():
    """Of three frictionless links over 10 s, with MuJoCo's fourth-order method."""
    description = chain(kinds=("hinge",) * 3, axes=((0, 1, 0), (1, 0, 0), (0, 1, 0)))
    env = world(description)
    engine = env.physics_engine
    engine.settings = dataclasses.replace(engine.settings, integrator="RK4")
    body = env.bodies["chain"]
    body.dof_values = (1.0, 0.5, -0.7)

    def energy():
        rates = body.dof_velocities
        heights = [link.global_com[2] * link.mass for link in body.links[1:]]
        return 0.5 * rates @ body.mass_matrix() @ rates + G * sum(heights)

    before = energy()
    run(env, 10.0)
    assert energy() == pytest.approx(before, abs=1e-3)


def test_a_top_precesses():
    """A fast gyroscope on a spherical joint: omega = m g l / (I spin)."""
    inertia, spin, length = 0.05, 200.0, 0.2
    description = chain(
        kinds=("spherical",),
        axes=((0, 0, 1),),
        length=-length,
        inertia=(0.025, 0.025, inertia),
    )
    env = world(description)
    body = env.bodies["chain"]
    body.dof_values = (1.0, 0.0, 0.0)
    axis = body.links[1].transform[:3, 2]
    rate = G * length / (inertia * spin)
    body.dof_velocities = np.linalg.lstsq(
        body.jacobian(1)[3:], spin * axis + (0, 0, rate), rcond=None
    )[0]
    run(env, 1.0)
    now = body.links[1].transform[:3, 2]
    turned = math.atan2(now[1], now[0]) - math.atan2(axis[1], axis[0])
    assert math.remainder(turned - rate, 2 * math.pi) == pytest.approx(0.0, abs=0.02)
    assert now[2] == pytest.approx(axis[2], abs=0.01)
