"""Joints of all kinds in the engine ``mujoco``, against pyrave's own kinematics."""

import math

import numpy as np
import pytest
from loops import each
from physics_scenes import G, chain, motor, run, world

from pyrave import kinematics
from pyrave.scene import (
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
)
from pyrave.spatial import matrix_from_axis_angle

mujoco = pytest.importorskip("mujoco")
KINDS = {
    "hinge": "r", "slider": "p", "universal": "rr", "rp": "rp", "pr": "pr", "pp": "pp",
    "compound": "rrp",
}  # fmt: skip


def random_pose(rng):
    rotation = matrix_from_axis_angle(rng.normal(size=3))
    return Pose(tuple(rotation.ravel()), tuple(rng.uniform(-0.5, 0.5, 3)))


def random_inertial(rng):
    turn = matrix_from_axis_angle(rng.normal(size=3))
    a, b = rng.uniform(0.1, 0.3, 2)
    tensor = turn @ np.diag((a, b, rng.uniform(abs(a - b), a + b))) @ turn.T
    tensor = 0.5 * (tensor + tensor.T)
    com = tuple(rng.uniform(-0.2, 0.2, 3))
    return Inertial(rng.uniform(0.5, 2.0), com, tuple(tensor.ravel()))


def unit(vector):
    return tuple((vector / np.linalg.norm(vector)).tolist())


def random_tree(rng, n=6, *, balls=False, static=True):
    """Return a body whose joints are of all kinds, half of them the other way round."""
    links = [LinkDescription("link0", inertial=random_inertial(rng), static=static)]
    joints = []
    for k in range(1, n + 1):
        links.append(LinkDescription(f"link{k}", inertial=random_inertial(rng)))
        ends = [f"link{rng.integers(k)}", f"link{k}"]
        if rng.random() < 0.5:
            ends.reverse()
        kind = "spherical" if balls and k % 3 == 0 else rng.choice(list(KINDS))
        if kind == "spherical":
            frame = matrix_from_axis_angle(rng.normal(size=3))
            axes = tuple(
                JointAxis(tuple(row), False, -9, 9) for row in frame.T.tolist()
            )
        else:
            axes = tuple(
                JointAxis(unit(rng.normal(size=3)), letter == "p", -9, 9)
                for letter in KINDS[kind]
            )
        actuator = motor(rotor_inertia=rng.uniform(0, 0.1), gear_ratio=1.0)
        joints.append(
            JointDescription(
                f"joint{k}", str(kind), *ends, random_pose(rng), random_pose(rng),
                axes, actuator=None if kind == "spherical" else actuator,
            )
        )  # fmt: skip
    return BodyDescription("tree", links=tuple(links), joints=tuple(joints))


@each("seed", range(6))
def test_inverse_dynamics(seed):
    """To 1e-9, at random states and accelerations."""
    rng = np.random.default_rng(seed)
    env = world(random_tree(rng))
    body, engine = env.bodies["tree"], env.physics_engine
    part = engine.ready().parts[0]
    assert sorted(part.values) == list(range(body.dof))
    for _ in range(5):
        body.dof_values = rng.uniform(-2, 2, body.dof)
        body.dof_velocities = rng.uniform(-2, 2, body.dof)
        accelerations = rng.uniform(-3, 3, body.dof)
        model, data = engine.model, engine.data
        data.qacc[part.rates] = accelerations[part.values]
        mujoco.mj_inverse(model, data)
        found = np.empty(body.dof)
        found[part.values] = data.qfrc_inverse[part.rates]
        expected = body.inverse_dynamics(accelerations)
        assert np.allclose(found, expected, rtol=0, atol=1e-9)
        assert np.allclose(
            data.xpos[part.ids], body.link_transforms[:, :3, 3], atol=1e-12
        )


@each("seed", range(4))
def test_spherical_joints_accelerate_as_forward_dynamics_says(seed):
    rng = np.random.default_rng(seed)
    env = world(random_tree(rng, balls=True))
    body = env.bodies["tree"]
    body.dof_values = rng.uniform(-1, 1, body.dof)
    body.dof_velocities = rng.uniform(-1, 1, body.dof)
    torques = rng.uniform(-5, 5, body.dof)
    expected = body.forward_dynamics(torques)
    before, values = body.dof_velocities, body.dof_values
    body.dynamics.set_dof_torques(torques)
    env.step(1e-5)
    found = (body.dof_velocities - before) / 1e-5
    assert np.allclose(found, expected, rtol=1e-3, atol=2e-3)
    assert np.allclose(body.dof_values - values, 1e-5 * before, atol=1e-7)


@each("seed", range(3))
def test_a_floating_tree_keeps_its_momentum(seed):
    rng = np.random.default_rng(seed)
    env = world(random_tree(rng, 4, balls=True, static=False), gravity=(0, 0, 0))
    body = env.bodies["tree"]
    body.dof_velocities = rng.uniform(-0.3, 0.3, body.dof)
    body.base_velocity = rng.uniform(-0.3, 0.3, 6)

    def momenta():
        linear, angular = np.zeros(3), np.zeros(3)
        for link, velocity in zip(
            body.links, body.dynamics.link_velocities, strict=True
        ):
            arm = link.global_com - link.transform[:3, 3]
            speed = velocity[:3] + np.cross(velocity[3:], arm)
            linear += link.mass * speed
            angular += link.global_inertia @ velocity[3:]
            angular += link.mass * np.cross(link.global_com, speed)
        return np.concatenate((linear, angular))

    before = momenta()
    run(env, 0.2, dt=0.001)
    assert np.allclose(momenta(), before, atol=2e-3)


def test_joints_stop_at_their_limits():
    env = world(chain(kinds=("slider",), axes=((0, 0, 1),), limits=(-0.5, 0.5)))
    run(env, 2.0)
    assert env.bodies["chain"].dof_values[0] == pytest.approx(-0.5, abs=2e-3)


def test_limits_that_are_set_act():
    env = world(chain(kinds=("slider",), axes=((0, 0, 1),)))
    body = env.bodies["chain"]
    env.step(0.01)
    body.dof_limits = ([-1.0], [1.0])
    run(env, 2.0)
    assert body.dof_values[0] == pytest.approx(-1.0, abs=4e-3)


def test_a_passive_joint_swings():
    env = world(chain(active=False))
    body = env.bodies["chain"]
    assert body.dof == 0
    body.all_joints[0].values = [0.2]
    twin = world(chain())
    twin.bodies["chain"].dof_values = [0.2]
    for one in (env, twin):
        run(one, 0.5)
    expected = twin.bodies["chain"].dof_values
    assert np.allclose(body.all_joints[0].values, expected, atol=1e-12)


def following(formula, limits=(-2.0, 2.0)):
    """Return two sliders along x; the second follows the first."""
    axis = JointAxis((1.0, 0.0, 0.0), True, *limits)
    follower = JointAxis((1.0, 0.0, 0.0), True, -50, 50, mimic=MimicFormula(formula))
    joints = tuple(
        JointDescription(name, "slider", "base", link, axes=(one,))
        for name, link, one in (("lead", "a", axis), ("trail", "b", follower))
    )
    links = (
        LinkDescription("base", static=True),
        *(LinkDescription(name, inertial=Inertial(2.0)) for name in "ab"),
    )
    return BodyDescription("pair", links=links, joints=joints)


@pytest.mark.parametrize(
    ("formula", "slope"),
    [
        ("-3*lead+0.2", lambda _: -3.0),
        ("lead^2-0.5*lead^4", lambda q: 2 * q - 2 * q**3),
        ("sin(lead)", np.cos),
    ],
)
def test_joints_that_follow_others(formula, slope):
    """They weigh on what they follow: (m1 + f'^2 m2) q'' + m2 f' f'' q'^2 = force."""
    env = world(following(formula), gravity=(0, 0, 0))
    body = env.bodies["pair"]
    body.dof_values, body.dof_velocities = [0.4], [0.3]
    q, v = 0.4, 0.3
    for k in range(300):
        body.dynamics.set_dof_torques([1.0])
        env.step(0.001)
        del k
        for _ in range(10):
            curve = (slope(q + 1e-6) - slope(q - 1e-6)) / 2e-6
            f = slope(q)
            v += 1e-4 * (1.0 - 2.0 * f * curve * v * v) / (2.0 + 2.0 * f * f)
            q += 1e-4 * v
    assert body.dof_values[0] == pytest.approx(q, rel=0.01)
    data, part = env.physics_engine.data, env.physics_engine.ready().parts[0]
    raw = data.qpos[part.places[part.values == 1]][0]
    assert raw == pytest.approx(body.joint_values[1], abs=2e-4), "it follows closely"


@pytest.mark.parametrize(
    ("formula", "gradient"),
    [
        ("2*lead-3*other+0.2", lambda _: np.array((2.0, -3.0))),
        ("lead*other+sin(lead)", lambda q: np.array((q[1] + np.cos(q[0]), q[0]))),
    ],
)
def test_joints_that_follow_several_others(formula, gradient):
    """``(M + m g g^T) q'' + m g (g' q') = force``, with g the gradient."""
    axis = JointAxis((1.0, 0.0, 0.0), True, -9.0, 9.0)
    follower = JointAxis((1.0, 0.0, 0.0), True, -50, 50, mimic=MimicFormula(formula))
    joints = tuple(
        JointDescription(name, "slider", "base", link, axes=(one,))
        for name, link, one in (
            ("lead", "a", axis), ("other", "b", axis), ("trail", "c", follower)
        )
    )  # fmt: skip
    links = (
        LinkDescription("base", static=True),
        *(LinkDescription(name, inertial=Inertial(2.0)) for name in "abc"),
    )
    env = world(BodyDescription("sum", links=links, joints=joints), gravity=(0, 0, 0))
    body = env.bodies["sum"]
    q, v, force = np.array((0.4, -0.2)), np.array((0.3, 0.5)), np.array((1.0, -2.0))
    body.dof_values, body.dof_velocities = q, v
    for _ in range(300):
        body.dynamics.set_dof_torques(force)
        env.step(0.001)
        for _ in range(10):
            g = gradient(q)
            bend = (gradient(q + 1e-6 * v) - gradient(q - 1e-6 * v)) @ v / 2e-6
            mass = 2.0 * np.eye(2) + 2.0 * np.outer(g, g)
            v = v + 1e-4 * np.linalg.solve(mass, force - 2.0 * g * bend)
            q = q + 1e-4 * v
    assert np.allclose(body.dof_values, q, rtol=0.01, atol=2e-3)
    data, part = env.physics_engine.data, env.physics_engine.ready().parts[0]
    raw = data.qpos[part.places[part.values == 2]][0]
    assert raw == pytest.approx(body.joint_values[2], abs=2e-4), "it follows closely"
    assert not env.problems


def test_a_four_bar_linkage_stays_closed():
    """Two cranks of 1 m hold a coupler of 2 m; a hinge closes the loop."""

    def link(name, com):
        return LinkDescription(
            name, inertial=Inertial(1.0, com, (0.1,) + (0, 0, 0, 0.1) * 2)
        )

    links = (
        LinkDescription("ground", static=True),
        link("left", (0, 0, 0.5)),
        link("coupler", (1, 0, 0)),
        link("right", (0, 0, 0.5)),
    )
    axis = (JointAxis((0, 1, 0), False, -3, 3),)

    def hinge(name, parent, child, at, inner=(0, 0, 0), **more):
        return JointDescription(
            name, "hinge", parent, child, Pose(translation=at), Pose(translation=inner),
            axes=axis, **more,
        )  # fmt: skip

    joints = (
        hinge("a", "ground", "left", (0, 0, 0)),
        hinge("b", "left", "coupler", (0, 0, 1)),
        hinge("c", "ground", "right", (2, 0, 0)),
        hinge("d", "coupler", "right", (2, 0, 0), (0, 0, 1)),
    )
    env = world(BodyDescription("linkage", links=links, joints=joints))
    body = env.bodies["linkage"]
    assert len(body.model.closing_joints) == 1
    values = {j.name: 0.2 for j in body.joints}
    values["b"] = -0.2
    body.dof_values = [values[joint.name] for joint in body.joints]
    # a parallelogram: cranks and coupler fall as one: m_eff = 2 (I + m/4) + m
    acceleration = (2 * 0.5 + 1.0) * G / (2 * (0.1 + 0.25) + 1.0)
    angle, speed = 0.2, 0.0
    for _ in range(3000):
        speed += 1e-4 * acceleration * np.sin(angle)
        angle += 1e-4 * speed
    run(env, 0.3)
    by_name = dict(zip([j.name for j in body.joints], body.dof_values, strict=True))
    assert by_name["a"] == pytest.approx(angle, rel=0.01)
    assert by_name["c"] == pytest.approx(by_name["a"], abs=2e-3)
    assert by_name["b"] == pytest.approx(-by_name["a"], abs=2e-3)


def test_a_slider_closes_a_loop():
    """A crank of 0.5 m, a metre off, moves a block that slides along a lever."""
    tensor = (0.1,) + (0, 0, 0, 0.1) * 2
    links = (
        LinkDescription("ground", static=True),
        *(
            LinkDescription(name, inertial=Inertial(1.0, (com, 0, 0), tensor))
            for name, com in (("crank", 0.25), ("lever", 0.6), ("block", 0.0))
        ),
    )
    turn = (JointAxis((0, -1, 0), False, -9, 9),)
    slide = (JointAxis((1, 0, 0), True, 0.4, 1.6),)
    joints = (
        JointDescription("b", "hinge", "ground", "crank", Pose(translation=(1, 0, 0)),
                         axes=turn),
        JointDescription("a", "hinge", "ground", "lever", axes=turn),
        JointDescription("c", "hinge", "crank", "block", Pose(translation=(0.5, 0, 0)),
                         axes=turn),
        JointDescription("d", "slider", "lever", "block", axes=slide),
    )  # fmt: skip
    env = world(BodyDescription("engine", links=links, joints=joints))
    body = env.bodies["engine"]
    assert [body.all_joints[k].name for k in body.model.closing_joints] == ["d"]
    names = [joint.name for joint in body.joints]

    def closed(crank):
        """Return angles of lever and block, and the way of the block."""
        x, z = 1.0 + 0.5 * math.cos(crank), 0.5 * math.sin(crank)
        return math.atan2(z, x), math.hypot(x, z)

    def put(crank):
        lever, slid = closed(crank)
        values = {"a": lever, "b": crank, "c": lever - crank, "d": slid}
        body.dof_values = [values[name] for name in names]
        body.dof_velocities = np.zeros(body.dof)

    put(1.0)
    energy = body.dynamics.kinetic_energy + body.dynamics.potential_energy
    fastest = 0.0
    for _ in range(100):
        env.step(0.01)
        values = dict(zip(names, body.dof_values, strict=True))
        lever, slid = closed(values["b"])
        assert values["a"] == pytest.approx(lever, abs=2e-3)
        assert values["d"] == pytest.approx(slid, abs=2e-3)
        fastest = max(fastest, body.dynamics.kinetic_energy)
        now = body.dynamics.kinetic_energy + body.dynamics.potential_energy
        assert now == pytest.approx(energy, abs=0.02 * max(fastest, 1.0))
    assert fastest > 2.0
    assert not env.problems
    number = names.index("d")
    lower, upper = (bound.copy() for bound in body.dof_limits)
    lower[number], upper[number] = 1.2, 1.4
    body.dof_limits = lower, upper
    put(1.0)
    run(env, 0.5)
    assert 1.2 - 2e-3 < body.dof_values[number] < 1.4 + 2e-3, "the slider has limits"
    assert abs(body.dof_values[names.index("b")] - 1.0) > 0.1


def test_a_universal_joint_closes_a_loop():
    """What a ball in the same place would let turn in all ways."""
    tensor = (0.1,) + (0, 0, 0, 0.1) * 2
    links = (
        LinkDescription("ground", static=True),
        LinkDescription("a", inertial=Inertial(1.0, (0, 0, -0.5), tensor)),
    )
    axes = [JointAxis(tuple(row), False, -100, 100) for row in np.eye(3).tolist()]
    joints = (
        JointDescription("ball", "spherical", "ground", "a", axes=tuple(axes)),
        JointDescription("cross", "universal", "ground", "a", axes=tuple(axes[:2])),
    )
    env = world(BodyDescription("top", links=links, joints=joints))
    body = env.bodies["top"]
    assert body.all_joints[body.model.closing_joints[0]].name == "cross"
    for _ in range(100):
        body.links[1].set_torque((3.0, 2.0, 2.0))
        env.step(0.01)
        # Rx(a) Ry(b)
        assert abs(body.links[1].transform[0, 1]) < 1e-3
    assert np.abs(body.links[1].transform - np.eye(4)).max() > 0.3


def test_limits_of_spherical_joints():
    env = world(chain(kinds=("spherical",), axes=((0, 0, 1),), limits=(-0.5, 0.5)),
                gravity=(3.0, 4.0, 0.0))  # fmt: skip
    run(env, 3.0)
    values = env.bodies["chain"].dof_values
    assert np.linalg.norm(values) == pytest.approx(0.5, abs=5e-3)
    assert not env.problems
    env = world(chain(kinds=("spherical",), axes=((0, 0, 1),), limits=(-0.5, 0.4)))
    run(env, 0.02)
    assert "limits of its spherical joint 'joint1' do not act" in str(env.problems[0])


def test_kinematic_links_are_moved_by_their_bodies_alone():
    env = world(chain(kinds=("hinge",), axes=((0, 1, 0),)))
    body = env.bodies["chain"]
    body.links[1].kinematic = True
    body.dof_values = [0.7]
    run(env, 0.2)
    assert body.dof_values[0] == 0.7
    model = body.model
    assert np.allclose(
        body.link_transforms, kinematics.link_transforms(model, np.eye(4), [0.7])
    )


def test_torque_limits_clip_the_sum_of_what_pushes():
    """A limit of 3 N m on an inertia of 2 kg m2; 0 limits nothing."""
    for limit, expected in ((3.0, 1.5), (0.0, 2.5)):
        env = world(chain(axes=((0, 0, 1),), inertia=(1.0, 1.0, 2.0)))
        body = env.bodies["chain"]
        body.dof_torque_limits = [limit]
        for _ in range(100):
            body.dynamics.set_dof_torques([4.0])
            body.joints[0].add_torques([1.0])
            env.step(0.01)
        assert body.dof_velocities[0] == pytest.approx(expected, rel=1e-6)
