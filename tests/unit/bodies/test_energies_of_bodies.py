"""Energies of bodies whose motors have inertia."""

import dataclasses

import pytest

import pyrave
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    XmlElement,
    XmlReadable,
)


def test_the_rotor_of_a_motor_has_energy_of_its_own():
    """In addition to the links': 0.5 I (n w)^2."""
    parts = {"gear_ratio": "10", "rotor_inertia": "0.005"}
    children = tuple(XmlElement(name, text=value) for name, value in parts.items())
    plain = JointDescription("j", "hinge", "a", "b", axes=(JointAxis((0.0, 0.0, 1.0)),))
    motor = XmlReadable(XmlElement("actuator", children=children))
    links = (LinkDescription("a"), LinkDescription("b"))
    energies = []
    for joint in (plain, dataclasses.replace(plain, actuator=motor)):
        env = pyrave.Environment()
        body = env.create_body(BodyDescription("x", links=links, joints=(joint,)))
        body.dof_velocities = [2.0]
        energies.append(body.dynamics.kinetic_energy)
    assert energies[1] - energies[0] == pytest.approx(0.5 * 0.5 * 2.0**2)
