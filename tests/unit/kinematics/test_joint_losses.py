"""Friction and springs of joints, and links without weight, in the dynamics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.kinematics import (
    compile_body,
    forward_dynamics_batch,
    inverse_dynamics,
    inverse_dynamics_batch,
)
from pyrave.scene import LinkDynamics, XmlElement, XmlReadable

KINDS = ("hinge", "slider", "universal", "hinge")
GRAVITY = (0.3, -0.2, -9.81)


@pytest.fixture
def twins(bodies, rng):
    """A body without and with losses, and what its values have."""
    plain = bodies.random(rng, KINDS)
    n = sum(len(joint.axes) for joint in plain.joints)
    numbers = rng.uniform(0.1, 2, (n, 4))
    rows = iter(numbers.tolist())
    joints = tuple(
        dataclasses.replace(
            joint,
            axes=tuple(
                dataclasses.replace(
                    axis,
                    **dict(
                        zip(
                            ("damping", "friction", "stiffness", "rest"),
                            next(rows),
                            strict=True,
                        )
                    ),
                )
                for axis in joint.axes
            ),
        )
        for joint in plain.joints
    )
    return plain, dataclasses.replace(plain, joints=joints), numbers


def test_torques_overcome_friction_and_springs(twins, rng):
    plain, lossy, numbers = twins
    damping, friction, stiffness, rest = numbers.T
    ideal, real = compile_body(plain), compile_body(lossy)
    q, qd, qdd = rng.uniform(-1, 1, (3, ideal.n_dof))
    qd[0] = 0.0
    pose = np.eye(4)
    args = pose, q, qd, qdd, GRAVITY
    without = inverse_dynamics(ideal, *args, components=True)
    found = inverse_dynamics(real, *args, components=True)
    np.testing.assert_allclose(found[0], without[0], atol=1e-12)
    rubbing = damping * qd + friction * np.sign(qd)
    np.testing.assert_allclose(found[1], without[1] + rubbing, atol=1e-12)
    pull = stiffness * (q - rest)
    np.testing.assert_allclose(found[2], without[2] + pull, atol=1e-12)
    np.testing.assert_allclose(inverse_dynamics(real, *args), found.sum(0), atol=1e-12)


def test_forward_dynamics_is_the_inverse(twins, rng):
    _, lossy, _ = twins
    model = compile_body(lossy)
    q, qd, qdd = rng.uniform(-1, 1, (3, 5, model.n_dof))
    torques = inverse_dynamics_batch(model, np.eye(4), q, qd, qdd, GRAVITY)
    found = forward_dynamics_batch(model, np.eye(4), q, qd, torques, GRAVITY)
    np.testing.assert_allclose(found, qdd, atol=1e-9)


def test_friction_of_a_motor_and_of_its_joint_add_up():
    actuator = XmlReadable(
        XmlElement(
            "actuator",
            children=(
                XmlElement("viscous_friction", text="0.2"),
                XmlElement("coloumb_friction", text="0.5"),
            ),
        )
    )
    env = pyrave.load_string(
        "<kinbody name='k'><body name='a'/><body name='b'/><joint name='j'>"
        "<body>a</body><body>b</body><axis>0 0 1</axis></joint></kinbody>"
    )
    described = env.bodies[0].describe()
    (joint,) = described.joints
    axis = dataclasses.replace(joint.axes[0], damping=1.0, friction=2.0)
    made = dataclasses.replace(joint, axes=(axis,), actuator=actuator)
    model = compile_body(dataclasses.replace(described, joints=(made,)))
    assert model.viscous_frictions == pytest.approx([1.2])
    assert model.coulomb_frictions == pytest.approx([2.5])


def test_links_without_weight_feel_no_gravity(bodies, rng):
    plain = bodies.random(rng, KINDS)
    light = LinkDynamics(gravity=False)
    whole = dataclasses.replace(
        plain,
        links=tuple(dataclasses.replace(one, dynamics=light) for one in plain.links),
    )
    some = dataclasses.replace(plain, links=(*plain.links[:2], *whole.links[2:]))
    models = [compile_body(one) for one in (plain, some, whole)]
    q, qd, qdd = rng.uniform(-1, 1, (3, models[0].n_dof))
    external = rng.uniform(-1, 1, (len(plain.links), 6))
    heavy, mixed, free = (
        inverse_dynamics(one, np.eye(4), q, qd, qdd, GRAVITY, external)
        for one in models
    )
    ideal = inverse_dynamics(models[0], np.eye(4), q, qd, qdd, (0, 0, 0), external)
    np.testing.assert_allclose(free, ideal, atol=1e-12)
    # weight is the sum of what each link weighs
    first = dataclasses.replace(plain, links=(*whole.links[:2], *plain.links[2:]))
    rest = inverse_dynamics(
        compile_body(first), np.eye(4), q, qd, qdd, GRAVITY, external
    )
    np.testing.assert_allclose(heavy - ideal, mixed + rest - 2 * ideal, atol=1e-9)
    with pytest.raises(ArgumentError, match="external has shape"):
        inverse_dynamics(models[1], np.eye(4), q, qd, qdd, GRAVITY, external[1:])


def test_potential_energy_of_springs_is_their_work(twins, rng):
    _, lossy, _ = twins
    env = pyrave.Environment()
    body = env.create_body(lossy)
    values = rng.uniform(-0.4, 0.4, body.dof)
    step = 1e-6
    for dof in range(body.dof):
        energies = []
        for side in (-step, step):
            moved = values.copy()
            moved[dof] += side
            body.dof_values = moved
            energies.append(body.dynamics.potential_energy)
        body.dof_values = values
        slope = (energies[1] - energies[0]) / (2 * step)
        held = body.inverse_dynamics(components=True)[2][dof]
        assert slope == pytest.approx(held, abs=1e-6)


def test_a_link_that_loses_its_weight_keeps_the_tree(bodies, rng):
    env = pyrave.Environment()
    body = env.create_body(bodies.random(rng, KINDS))
    before = body.model
    body.links[2].dynamics = LinkDynamics(gravity=False)
    assert body.model.link_weighs.tolist().count(False) == 1
    assert body.model.tree is before.tree
    again = compile_body(body.describe())
    assert again.link_weighs.tolist() == body.model.link_weighs.tolist()


@pytest.mark.parametrize("name", ["damping", "friction", "stiffness"])
def test_losses_are_not_negative(twins, name):
    _, lossy, _ = twins
    joint = lossy.joints[0]
    axis = dataclasses.replace(joint.axes[0], **{name: -1.0})
    joints = (dataclasses.replace(joint, axes=(axis,)), *lossy.joints[1:])
    env = pyrave.Environment()
    with pytest.raises(ArgumentError, match=f"{name} is -1.0, expected 0 or more"):
        env.create_body(dataclasses.replace(lossy, joints=joints))
