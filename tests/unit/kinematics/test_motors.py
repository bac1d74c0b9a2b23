"""Motors of joints: rotor inertia and friction in the dynamics of a body."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.kinematics import (
    compile_body,
    forward_dynamics,
    forward_dynamics_batch,
    inverse_dynamics,
    mass_matrix,
)
from pyrave.scene import Inertial, Motor, XmlElement, XmlReadable

GRAVITY = (0.3, -0.2, -9.81)
ROTOR, GEAR, COULOMB, VISCOUS = 1e-4, 50.0, 0.4, 0.2
SEEN = ROTOR * GEAR**2


def actuator(**numbers: float) -> XmlReadable:
    tags = tuple(XmlElement(tag, text=repr(value)) for tag, value in numbers.items())
    return XmlReadable(XmlElement("actuator", children=tags))


MOTOR = actuator(
    gear_ratio=GEAR,
    rotor_inertia=ROTOR,
    coloumb_friction=COULOMB,
    viscous_friction=VISCOUS,
)


def with_motors(body):
    joints = tuple(dataclasses.replace(j, actuator=MOTOR) for j in body.joints)
    return dataclasses.replace(body, joints=joints)


def bodies_of(bodies):
    """Yield each body without motors and with them, and which values have one."""
    rng = np.random.default_rng(4)
    kinds = ("hinge", "slider", "universal", "spherical", "hinge")
    for plain in (bodies.mimic_chain(), bodies.random(rng, kinds)):
        model = compile_body(plain)
        joints = [plain.joints[j] for j in model.value_joint[: model.n_dof]]
        has = np.array([len(joint.axes) == 1 for joint in joints])
        yield model, compile_body(with_motors(plain)), has


def test_torques_have_the_rotor_and_friction(bodies, rng):
    for plain, driven, has in bodies_of(bodies):
        q, qd, qdd = rng.uniform(-1, 1, (3, plain.n_dof))
        qd[0] = 0
        without = inverse_dynamics(plain, np.eye(4), q, qd, qdd, GRAVITY)
        more = has * (SEEN * qdd + COULOMB * np.sign(qd) + VISCOUS * qd)
        found = inverse_dynamics(driven, np.eye(4), q, qd, qdd, GRAVITY)
        np.testing.assert_allclose(found, without + more, atol=1e-12)
        parts = inverse_dynamics(
            driven, np.eye(4), q, qd, qdd, GRAVITY, components=True
        )
        np.testing.assert_allclose(parts.sum(axis=0), found, atol=1e-12)
        still = inverse_dynamics(plain, np.eye(4), q, qd * 0, qdd, (0, 0, 0))
        np.testing.assert_allclose(parts[0], still + has * SEEN * qdd, atol=1e-12)


def test_the_mass_matrix_has_the_rotor(bodies, rng):
    for plain, driven, has in bodies_of(bodies):
        q = rng.uniform(-1, 1, plain.n_dof)
        more = mass_matrix(driven, q) - mass_matrix(plain, q)
        np.testing.assert_allclose(more, np.diag(has * SEEN), atol=1e-12)


def test_forward_dynamics_is_the_inverse(bodies, rng):
    for _, driven, _ in bodies_of(bodies):
        q, qd, qdd = rng.uniform(-1, 1, (3, 4, driven.n_dof))
        torques = [
            inverse_dynamics(driven, np.eye(4), *row, GRAVITY)
            for row in zip(q, qd, qdd, strict=True)
        ]
        found = forward_dynamics_batch(driven, np.eye(4), q, qd, torques, GRAVITY)
        np.testing.assert_allclose(found, qdd, atol=1e-9)


def test_a_rotor_moves_where_a_link_has_no_mass():
    env = pyrave.load_string(
        "<kinbody name='k'><body name='a'/><body name='b'><mass type='custom'>"
        "<total>0</total><inertia>0 0 0 0 0 0 0 0 0</inertia></mass></body>"
        "<joint name='j'><body>a</body><body>b</body><axis>0 0 1</axis><actuator "
        "type='electric_motor'><gear_ratio>50</gear_ratio><rotor_inertia>1e-4"
        "</rotor_inertia><coloumb_friction>0.4</coloumb_friction><viscous_friction>0.2"
        "</viscous_friction></actuator></joint></kinbody>"
    )
    body = env.bodies[0]
    np.testing.assert_allclose(body.mass_matrix(), [[SEEN]])
    np.testing.assert_allclose(body.forward_dynamics([1.0]), [1 / SEEN])
    body.dof_velocities = [-2.0]
    np.testing.assert_allclose(
        body.inverse_dynamics([3.0]), [3 * SEEN - COULOMB - 2 * VISCOUS]
    )


def test_without_motor_such_a_joint_has_no_acceleration():
    empty = Inertial(0.0, inertia=(0.0,) * 9)
    env = pyrave.load_string(
        "<kinbody name='k'><body name='a'/><body name='b'/><joint name='j'>"
        "<body>a</body><body>b</body><axis>0 0 1</axis></joint></kinbody>"
    )
    described = env.bodies[0].describe()
    links = (
        described.links[0],
        dataclasses.replace(described.links[1], inertial=empty),
    )
    model = compile_body(dataclasses.replace(described, links=links))
    with pytest.raises(ArgumentError, match="move no inertia"):
        forward_dynamics(model, np.eye(4), [0.0], [0.0], [1.0], GRAVITY)


@pytest.mark.parametrize(
    ("readable", "motor"),
    [
        (None, Motor()),
        (MOTOR, Motor(SEEN, COULOMB, VISCOUS)),
        (actuator(rotor_inertia=1.0), Motor()),
        (
            XmlReadable(
                XmlElement(
                    "actuator",
                    children=(
                        XmlElement("Gear_Ratio", text=" 2 3 "),
                        XmlElement("rotor_inertia", text="1"),
                        XmlElement("viscous_friction", text="x"),
                        XmlElement("coloumb_friction", text="nan"),
                    ),
                )
            ),
            Motor(4.0),
        ),
    ],
)
def test_what_an_actuator_says(readable, motor):
    assert Motor.from_actuator(readable) == motor
