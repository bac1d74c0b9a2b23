"""Kinetic and potential energy of bodies against the mass matrix and closed forms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave.scene import XmlElement, XmlReadable

KINDS = ("hinge", "slider", "universal", "spherical", "hinge")
MOTOR = XmlReadable(
    XmlElement(
        "actuator",
        children=(
            XmlElement("gear_ratio", text="50"),
            XmlElement("rotor_inertia", text="1e-4"),
        ),
    )
)


@pytest.fixture
def body(bodies, rng):
    plain = bodies.random(rng, KINDS)
    joints = tuple(dataclasses.replace(joint, actuator=MOTOR) for joint in plain.joints)
    env = pyrave.Environment()
    body = env.create("kinbody", "")
    body.init(dataclasses.replace(plain, joints=joints))
    env.add(body)
    body.dof_values = rng.uniform(-0.5, 0.5, body.dof)
    return body


def test_kinetic_energy_is_that_of_the_mass_matrix(body, rng):
    rates = rng.uniform(-1, 1, body.dof)
    body.dof_velocities = rates
    expected = 0.5 * rates @ body.mass_matrix() @ rates
    assert body.dynamics.kinetic_energy == pytest.approx(expected, rel=1e-10)


def test_kinetic_energy_of_a_moving_base(body):
    """A body that is rigid moves with m v^2 / 2 + w I w / 2."""
    body.base_velocity = (1, 2, 3, 0, 0, 0)
    assert body.dynamics.kinetic_energy == pytest.approx(0.5 * body.mass * 14)
    turn = np.array((0.3, -0.2, 0.5))
    body.base_velocity = (0, 0, 0, *turn)
    expected = 0.0
    for link in body.links:
        axes = link.transform[:3, :3]
        arm = link.global_com - body.links[0].transform[:3, 3]
        inertia = axes @ link.local_inertia @ axes.T
        expected += 0.5 * turn @ inertia @ turn
        expected += 0.5 * link.mass * np.sum(np.cross(turn, arm) ** 2)
    assert body.dynamics.kinetic_energy == pytest.approx(expected)


def test_potential_energy_is_the_work_of_the_weight(body):
    before = body.dynamics.potential_energy
    pose = body.transform.copy()
    pose[:3, 3] += (0.5, 0.4, 2.0)
    body.transform = pose
    work = -body.mass * body.env.gravity @ (0.5, 0.4, 2.0)
    assert body.dynamics.potential_energy - before == pytest.approx(work)


def test_a_body_without_mass_has_no_potential_energy():
    env = pyrave.load_string(
        "<kinbody name='a'><body name='b'><mass type='custom'><total>0</total></mass>"
        "</body></kinbody>"
    )
    body = env.bodies["a"]
    assert body.mass == body.dynamics.potential_energy == 0
