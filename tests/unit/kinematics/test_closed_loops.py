"""Loops that mimic formulas keep closed."""

import numpy as np
import pytest

from pyrave.kinematics import (
    compile_body,
    forward_dynamics,
    inverse_dynamics,
    joint_values,
    link_transforms,
    mass_matrix,
)
from pyrave.scene import (
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
)

Z = (0.0, 0.0, 1.0)
LENGTH, WIDTH, MASS = 0.8, 0.5, 1.5
FALL = (0.0, -9.81, 0.0)


def hinge(name, parent, child, at, formula=None, *, in_child=(0.0, 0.0, 0.0), **more):
    mimic = None if formula is None else MimicFormula(formula)
    return JointDescription(
        name,
        "hinge",
        parent,
        child,
        T_parent_joint=Pose.from_translation(*at),
        T_child_joint=Pose.from_translation(*in_child),
        axes=(JointAxis(Z, lower=-7.0, upper=7.0, mimic=mimic),),
        **more,
    )


@pytest.fixture
def parallelogram():
    """Two cranks on the base and a coupler that stays parallel to it."""
    nothing = Inertial(0.0, inertia=(0.0,) * 9)
    links = tuple(
        LinkDescription(name, inertial=inertial)
        for name, inertial in (
            ("base", nothing),
            ("left", nothing),
            ("right", nothing),
            ("coupler", Inertial(MASS, (0.5 * WIDTH, 0.0, 0.0), (0.0,) * 9)),
        )
    )
    tip = (LENGTH, 0.0, 0.0)
    joints = (
        hinge("drive", "base", "left", (0.0, 0.0, 0.0)),
        hinge("second", "base", "right", (WIDTH, 0.0, 0.0), "drive"),
        hinge("carry", "left", "coupler", tip, "-drive"),
        hinge("close", "right", "coupler", tip, "-drive", in_child=(WIDTH, 0.0, 0.0)),
    )
    return BodyDescription("parallelogram", links, joints)


def test_the_ends_of_a_closing_joint_stay_together(parallelogram):
    model = compile_body(parallelogram)
    assert model.n_dof == 1
    (closing,) = model.closing_joints
    first = model.joint_values[closing, 0]
    for q in np.linspace(-6.0, 6.0, 13):
        poses = link_transforms(model, np.eye(4), [q])
        near, far = model.joint_links[closing]
        value = joint_values(model, [q])[first]
        turn = Pose.from_axis_angle(Z, value).matrix
        ends = (
            poses[near] @ model.T_parent_joint[closing] @ turn,
            poses[far] @ model.T_child_joint[closing],
        )
        np.testing.assert_allclose(*ends, atol=1e-12)
        np.testing.assert_allclose(poses[3, :3, :3], np.eye(3), atol=1e-12)


def test_one_joint_moves_them_all(parallelogram):
    model = compile_body(parallelogram)
    assert model.dof_affects.tolist() == [[False, True, True, True]]
    assert model.chain("base", "coupler").dof_indices.tolist() == [0]
    assert [model.joint_names[j] for j in model.passive_joints] == [
        "second",
        "carry",
        "close",
    ]
    assert model.parent_links("coupler").tolist() == [1, 2]


def test_the_coupler_moves_like_a_point_on_a_circle(parallelogram):
    """It does not turn, so that only its mass counts: M = m l^2."""
    model = compile_body(parallelogram)
    q, qd = [0.7], [1.3]
    inertia = MASS * LENGTH**2
    np.testing.assert_allclose(mass_matrix(model, q), [[inertia]])
    weight = MASS * 9.81 * LENGTH * np.cos(0.7)
    force = inverse_dynamics(model, np.eye(4), q, qd, [2.0], FALL)
    np.testing.assert_allclose(force, [2.0 * inertia + weight])
    found = forward_dynamics(model, np.eye(4), q, qd, [0.0], FALL)
    np.testing.assert_allclose(found, [-weight / inertia])
