"""Joints that close loops have the values that the poses of their links mean."""

from __future__ import annotations

import numpy as np
import pytest
from loops import each
from scene_files import scene_beside

import pyrave
from pyrave.kinematics import compile_body, link_transforms, set_loop_values
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
)

FOUR_BAR = scene_beside(__file__, "loop_values_four_bar.kinbody.xml")


def test_a_four_bar_linkage():
    env = pyrave.load_string(FOUR_BAR.format(""))
    body = env.bodies[0]
    assert body.dof == 4
    assert body.describe().dof_values is None
    body.dof_values = [0.3, 0.3, -0.3, 0.9]
    np.testing.assert_allclose(body.dof_values, [0.3, 0.3, -0.3, -0.3], atol=1e-15)
    # the others keep theirs where only one is set
    body.set_dof_values([0.1], [1])
    np.testing.assert_allclose(body.dof_values, [0.3, 0.1, -0.3, -0.1], atol=1e-15)
    np.testing.assert_array_equal(body.joints["c"].values, body.dof_values[3:])
    state = body.get_state()
    body.dof_values = np.zeros(4)
    body.set_state(state)
    np.testing.assert_array_equal(body.dof_values, state.dof_values)


def test_a_passive_joint_that_closes_a_loop():
    env = pyrave.load_string(FOUR_BAR.format("enable='false'"))
    body = env.bodies[0]
    body.dof_values = [0.3, 0.2, -0.3]
    assert body.passive_joints["c"].values == pytest.approx([-0.2], abs=1e-15)


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SLANTED = (0.6, 0.0, 0.8)


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("hinge", [Z]),
        ("slider", [SLANTED]),
        ("universal", [Z, X]),
        ("universal", [Z, SLANTED]),
        ("hinge2", [X, Y]),
        ("rp", [Z, X]),
        ("pr", [X, Y]),
        ("pp", [Z, SLANTED]),
        ("spherical", [X, Y, Z]),
    ],
)
@each("seed", range(3))
def test_every_type_of_joint(kind, axes, seed):
    rng = np.random.default_rng(seed)
    slides = {"slider": "p", "rp": "rp", "pr": "pr", "pp": "pp"}.get(kind, "")
    near = Pose.from_axis_angle(tuple(rng.normal(size=3)), 0.5, (0.1, 0.2, 0.3))
    far = Pose.from_axis_angle(tuple(rng.normal(size=3)), 0.9, (0.3, 0.2, 0.1))
    described = tuple(
        JointAxis(axis, prismatic=slides[i : i + 1] == "p")
        for i, axis in enumerate(axes)
    )
    joint = JointDescription("j", kind, "a", "b", near, far, described)
    links = (LinkDescription("a"), LinkDescription("b"))
    tree = compile_body(BodyDescription("b", links, (joint,)))
    wanted = rng.uniform(-1, 1, len(axes))
    poses = link_transforms(tree, np.eye(4), wanted)
    # the same joint again, beside one that holds the links where they are
    held = Pose.from_matrix(np.linalg.inv(poses[0]) @ poses[1])
    weld = JointDescription("w", "fixed", "a", "b", held)
    loop = compile_body(BodyDescription("b", links, (weld, joint)))
    assert loop.closing_joints == (1,)
    values = np.zeros(loop.n_dof)
    set_loop_values(loop, poses, values)
    np.testing.assert_allclose(values, wanted, atol=1e-12)
