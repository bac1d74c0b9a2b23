"""The engine ``mujoco`` against closed forms, at its default step."""

import dataclasses
import math

import numpy as np
import pytest
from physics_scenes import G, ball, box, chain, floor, motor, run, tilted, world

from pyrave.scene import (
    BodyDescription,
    ContactMaterial,
    ContactProperties,
    Cylinder,
    Friction,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    LinkDynamics,
    Pose,
    Restitution,
)
from pyrave.spatial import matrix_from_axis_angle

pytest.importorskip("mujoco")


def test_free_fall():
    env = world(box("a", (0, 0, 100)))
    run(env, 1.0)
    body = env.bodies["a"]
    assert body.transform[2, 3] - 100 == pytest.approx(-0.5 * G, rel=0.003)
    assert body.base_velocity[2] == pytest.approx(-G, rel=1e-9)


def test_the_error_of_free_fall_falls_with_the_step():

    errors = []
    for step in (0.005, 0.0025, 0.00125):
        env = world(box("a", (0, 0, 100)))
        env.physics_engine.change_settings(time_step=step)
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
            body.dynamics.set_dof_torques([torque])
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
        body.dynamics.set_dof_torques([-stiffness * q - damping * rate])
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


SHAPES = {
    "cube": (0.1, 0.1, 0.1),
    "flat": (0.1, 0.1, 0.01),
    "plate": (0.3, 0.2, 0.01),
    "tall": (0.05, 0.05, 0.15),
    "long": (0.3, 0.05, 0.05),
}


def on_incline(angle, turn, half, mu, mass=1.0, **settings):
    """Return how far a block goes down in a second, turned about the normal."""
    normal = np.array((math.sin(angle), 0.0, math.cos(angle)))
    axes = np.reshape(tilted(angle), (3, 3)) @ matrix_from_axis_angle((0, 0, turn))
    env = world(
        box("ramp", -0.5 * normal, (20, 20, 0.5), static=True, rotation=tilted(angle)),
        box("block", half[2] * normal, half, mass, rotation=tuple(axes.ravel())),
    )
    engine = env.physics_engine
    engine.change_settings(friction=mu, **settings)
    start = env.bodies["block"].transform[:3, 3]
    run(env, 1.0)
    return np.linalg.norm(env.bodies["block"].transform[:3, 3] - start)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("turn", [0.0, 0.2, math.pi / 4, 1.0])
def test_blocks_of_all_shapes_slide_down_by_coulombs_law(shape, turn):
    for mu, more in ((0.3, 0.1), (0.9, 0.1)):
        if shape == "tall" and mu > 0.05 / 0.15:
            continue  # it falls over
        angle = math.atan(mu) + more
        way = on_incline(angle, turn, SHAPES[shape], mu)
        distance = 0.5 * G * (math.sin(angle) - mu * math.cos(angle))
        tolerance = 0.012 if shape == "tall" else 0.01
        assert way == pytest.approx(distance, rel=tolerance), mu


@pytest.mark.parametrize("mass", [1e-3, 1e3])
@pytest.mark.parametrize("step", [0.0005, 0.005])
def test_masses_and_steps_do_not_matter_to_friction(mass, step):
    angle = math.atan(0.5) + 0.1
    way = on_incline(angle, 0.5, SHAPES["cube"], 0.5, mass, time_step=step)
    distance = 0.5 * G * (math.sin(angle) - 0.5 * math.cos(angle))
    assert way == pytest.approx(distance, rel=0.01)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mu", [0.2, 0.3])
def test_what_slides_stops_by_coulombs_law(shape, mu):
    """After v^2 / (2 mu g), whatever way it is turned, and in a straight line."""
    for turn in (0.0, 0.2, math.pi / 4):
        half = SHAPES[shape]
        axes = matrix_from_axis_angle((0, 0, turn)).ravel()
        block = box("block", (0, 0, half[2]), half, rotation=tuple(axes))
        env = world(floor(), block)
        engine, body = env.physics_engine, env.bodies["block"]
        engine.change_settings(friction=mu)
        run(env, 0.1)
        body.base_velocity = [2.0, 0, 0, 0, 0, 0]
        run(env, 1.2 * 2.0 / (mu * G))
        way = body.transform[:3, 3]
        assert way[0] == pytest.approx(4.0 / (2 * mu * G), rel=0.01)
        assert abs(way[1]) < 0.002
        assert way[2] == pytest.approx(half[2], abs=1e-4)
        assert np.abs(body.base_velocity).max() < 1e-3


@pytest.mark.parametrize("kind", ["slider", "hinge"])
@pytest.mark.parametrize("mass", [1e-3, 1e-2, 1.0, 100.0])
def test_limits_of_joints_hold_whatever_their_links_weigh(kind, mass):
    """MuJoCo's give by (1 - d) F / (m k): 2 m where 100 N press 1 g."""
    axis = (1, 0, 0) if kind == "slider" else (0, 1, 0)
    moments = (0.01 * mass,) * 3
    env = world(
        chain(kinds=(kind,), axes=(axis,), mass=mass, inertia=moments, limits=(-1, 0)),
        gravity=(0, 0, 0),
    )
    body = env.bodies["chain"]
    for force in (1.0, 100.0):
        for _ in range(50):
            body.dynamics.set_dof_torques([force])
            env.step(0.01)
        given = 1e-4 * force / mass * 0.004**2  # d = 0.9999, 1 / k = (2 steps)^2
        assert body.dof_values[0] == pytest.approx(given, rel=0.05, abs=1e-8)


@pytest.mark.parametrize(
    ("mass", "force", "deep"),
    [(1e-3, 10, 1e-4), (0.01, 100, 1e-4), (1, 100, 6e-5), (100, 100, 6e-5)],
)
def test_what_light_bodies_are_pressed_with_keeps_them_apart(mass, force, deep):
    half = (0.05, 0.05, 0.01)
    env = world(floor(), box("plate", (0, 0, 0.01), half, mass))
    body = env.bodies["plate"]
    for _ in range(100):
        body.links[0].set_force([0, 0, -force], body.transform[:3, 3])
        env.step(0.01)
    assert -deep < body.transform[2, 3] - 0.01 < 0.0
    carried = sum(one.force for one in env.physics_engine.contacts())
    assert abs(carried[2]) == pytest.approx(force + mass * G, rel=1e-3)


@pytest.mark.parametrize(("light", "heavy"), [(0.01, 10), (0.1, 100), (1e-3, 10)])
def test_light_bodies_carry_heavy_ones(light, heavy):
    half = (0.05,) * 3
    env = world(
        floor(),
        box("light", (0, 0, 0.05), half, light),
        box("heavy", (0, 0, 0.15), half, heavy),
    )
    run(env, 1.0)
    for name, height in (("light", 0.05), ("heavy", 0.15)):
        sunk = height - env.bodies[name].transform[2, 3]
        assert 0.0 < sunk < (2e-4 if heavy / light < 2000 else 6e-4), name


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
    run(env, 60.0)
    for k in range(10):
        place = env.bodies[f"box{k}"].transform[:3, 3]
        assert np.allclose(place, (0, 0, 0.1 + 0.2 * k), atol=5e-3)


def swinging(axes, values, **settings):
    """Return an environment with a chain without friction, and the chain."""
    env = world(chain(kinds=("hinge",) * len(axes), axes=axes))
    engine = env.physics_engine
    engine.change_settings(**settings)
    body = env.bodies["chain"]
    body.dof_values = values
    return env, body


def energy_of(body):
    rates = body.dof_velocities
    heights = [link.global_com[2] * link.mass for link in body.links[1:]]
    return 0.5 * rates @ body.mass_matrix() @ rates + G * sum(heights)


def test_energy_of_a_chain():
    """Of three frictionless links over 60 s, with MuJoCo's fourth-order method."""
    axes = ((0, 1, 0), (1, 0, 0), (0, 1, 0))
    env, body = swinging(axes, (1.0, 0.5, -0.7), integrator="RK4")
    before = energy_of(body)
    run(env, 60.0)
    assert energy_of(body) == pytest.approx(before, abs=1e-7)


def test_energy_of_a_double_pendulum():
    """Released at right angles, where it is chaotic; of some 30 J in motion."""
    env, body = swinging(((0, 1, 0),) * 2, (1.5, 1.5), integrator="RK4")
    before, fastest = energy_of(body), 0.0
    for _ in range(500):
        env.step(0.01)
        fastest = max(fastest, np.abs(body.dof_velocities).max())
        assert energy_of(body) == pytest.approx(before, abs=1e-3)
    assert fastest > 5.0


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_a_chain_drifts_as_that_of_mujoco_alone(integrator):
    """Stepping through pyrave adds nothing to the error of MuJoCo's methods."""
    import mujoco

    axes = ((0, 1, 0), (1, 0, 0), (0, 1, 0))
    env, body = swinging(axes, (1.0, 0.5, -0.7), integrator=integrator)
    engine = env.physics_engine
    model, data = engine.model, mujoco.MjData(engine.model)
    data.qpos[:], data.qvel[:] = engine.data.qpos, engine.data.qvel
    count = round(0.01 / engine.settings.time_step)
    model.opt.timestep = engine.settings.time_step
    for _ in range(300):
        env.step(0.01)
        mujoco.mj_step(model, data, count)
    np.testing.assert_array_equal(engine.data.qpos, data.qpos)
    np.testing.assert_allclose(body.dof_values, data.qpos, atol=1e-12)


@pytest.mark.parametrize(("integrator", "order"), [("implicitfast", 1), ("RK4", 4)])
def test_the_error_falls_with_the_step_at_the_order_of_the_method(integrator, order):
    """Of a pendulum at 1 rad after 1 s, against its own limit at tiny steps."""

    def after(step, method=integrator):
        env, body = swinging(((0, 1, 0),), (1.0,), integrator=method, time_step=step)
        run(env, 1.0, 0.1)
        return float(body.dof_values[0])

    exact = after(0.0005, "RK4")
    coarse, fine = abs(after(0.02) - exact), abs(after(0.01) - exact)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.3)


def test_a_rolling_cylinder():
    """Down an incline: 2/3 of the acceleration of one that slides."""
    angle, radius = 0.3, 0.1
    half = 0.5 * (1.0 / 4.0 * radius**2 + 0.3**2 / 12.0) * 2.0
    tensor = (half, 0, 0, 0, half, 0, 0, 0, 0.5 * radius**2)
    link = LinkDescription(
        "base",
        geometries=(GeometryDescription(Cylinder(radius, 0.3)),),
        inertial=Inertial(1.0, (0, 0, 0), tensor),
    )
    lying = (1, 0, 0, 0, 0, 1, 0, -1, 0)
    body = BodyDescription("roll", links=(link,), pose=Pose(lying, (0, 0, radius)))
    gravity = (G * math.sin(angle), 0.0, -G * math.cos(angle))
    env = world(floor(), body, gravity=gravity)
    run(env, 1.0)
    roll = env.bodies["roll"]
    way = 0.5 * (2.0 / 3.0) * G * math.sin(angle)
    assert roll.transform[0, 3] == pytest.approx(way, rel=0.01)
    speed = roll.base_velocity
    assert speed[0] == pytest.approx(radius * speed[4], rel=0.01)


def test_a_four_bar_linkage():
    """A parallelogram that swings: its coupler stays level, the period is known."""
    length, mass = 0.5, 2.0
    env = world(parallelogram(length, mass))
    body = env.bodies["bars"]
    # cranks without mass carry a coupler that does not turn: a simple pendulum
    start = 0.05
    body.set_dof_values([start, start, -start], [0, 1, 2])
    crossings, before, now = [], start, 0.0
    while len(crossings) < 3 and now < 10.0:
        env.step(0.002)
        now += 0.002
        value = float(body.dof_values[0])
        if before > 0.0 >= value or before < 0.0 <= value:
            crossings.append(now - 0.002 * value / (value - before))
        before = value
        coupler = body.links["coupler"].transform
        assert abs(coupler[0, 2]) < 3e-3
    period = 2.0 * math.pi * math.sqrt(length / G)
    assert crossings[2] - crossings[0] == pytest.approx(period, rel=0.01)


def parallelogram(length, mass):
    """Return two light cranks that hang from a base and carry a coupler."""
    light = Inertial(1e-4, (0, 0, 0), (1e-6, 0, 0, 0, 1e-6, 0, 0, 0, 1e-6))
    inertia = Inertial(mass, (0, 0, 0), (0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01))
    links = (
        LinkDescription("base", inertial=light, static=True),
        LinkDescription("left", pose=Pose(translation=(-0.2, 0, 0)), inertial=light),
        LinkDescription("right", pose=Pose(translation=(0.2, 0, 0)), inertial=light),
        LinkDescription(
            "coupler", pose=Pose(translation=(0, 0, -length)), inertial=inertia
        ),
    )
    ends = (
        ("base", "left", (-0.2, 0, 0), (0, 0, 0)),
        ("base", "right", (0.2, 0, 0), (0, 0, 0)),
        ("left", "coupler", (0, 0, -length), (-0.2, 0, 0)),
        ("right", "coupler", (0, 0, -length), (0.2, 0, 0)),
    )
    joints = tuple(
        JointDescription(
            f"{first}-{second}",
            "hinge",
            first,
            second,
            T_parent_joint=Pose(translation=place),
            T_child_joint=Pose(translation=other),
            axes=(JointAxis((0.0, 1.0, 0.0), False, -3.0, 3.0),),
        )
        for first, second, place, other in ends
    )
    return BodyDescription("bars", links=links, joints=joints)


@pytest.mark.parametrize("dt", [0.01, 0.002])
def test_damping_of_links(dt):
    """A free link keeps 1 - d of its velocities in each step of the environment."""
    rates = LinkDynamics(linear_damping=0.02, angular_damping=0.05)
    env = world(box("one", half=(0.1, 0.2, 0.3), dynamics=rates), gravity=(0, 0, 0))
    body = env.bodies["one"]
    body.base_velocity = (1.0, 2.0, 3.0, 0.0, 0.0, 4.0)
    for k in range(1, 51):
        env.step(dt)
        expected = np.array((1, 2, 3)) * 0.98**k
        np.testing.assert_allclose(body.base_velocity[:3], expected, rtol=1e-9)
    assert body.base_velocity[5] == pytest.approx(4.0 * 0.95**50, rel=1e-9)


def test_damping_of_a_pendulum():
    """As a viscous force at its centre of mass: it decays by half of its rate."""
    known = chain(inertia=(1e-6,) * 3)
    linear = LinkDynamics(linear_damping=0.004)
    links = (known.links[0], dataclasses.replace(known.links[1], dynamics=linear))
    env = world(dataclasses.replace(known, links=links))
    body = env.bodies["chain"]
    body.dof_values = [0.05]
    values = []
    for _ in range(800):
        env.step(0.01)
        values.append(abs(float(body.dof_values[0])))
    peak = max(values[600:])
    rate = 0.004 / 0.01
    times = 0.01 * (601 + int(np.argmax(values[600:])))
    assert peak == pytest.approx(0.05 * math.exp(-0.5 * rate * times), rel=0.02)


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
