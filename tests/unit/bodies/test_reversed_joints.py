"""Joints described from the child to the parent: axes and anchors are the tree's."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
)
from pyrave.spatial import rotation_vector

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TURN, SLIDE = JointAxis(Z, lower=-9, upper=9), JointAxis(X, prismatic=True)
JOINTS = {
    "hinge": (TURN,),
    "slider": (SLIDE,),
    "universal": (JointAxis(Z), JointAxis(X)),
    "rp": (TURN, SLIDE),
    "pr": (SLIDE, TURN),
    "spherical": (JointAxis(X), JointAxis(Y), JointAxis(Z)),
}


@pytest.fixture
def body(request):
    near = Pose.from_axis_angle((1, 2, 3), 0.5, (0.1, 0.2, 0.3))
    far = Pose.from_axis_angle((3, 1, 2), 0.7, (0.3, -0.2, 0.1))
    ends = ("tip", "base") if request.param[1] else ("base", "tip")
    joint = JointDescription(
        "j", request.param[0], *ends, near, far, JOINTS[request.param[0]]
    )
    follower = JointDescription(
        "f",
        "hinge",
        "end",
        "tip",
        far,
        near,
        (JointAxis(Y, mimic=MimicFormula("2*j")),),
    )
    links = tuple(LinkDescription(name) for name in ("base", "tip", "end"))
    env = pyrave.Environment()
    made = env.create_body(BodyDescription("b", links, (joint, follower)))
    made.transform = (0.5, 0.5, -0.5, 0.5, 1, 2, 3)
    made.dof_values = np.linspace(0.3, 0.5, made.dof)
    request.node.env = env
    return made


def twist(body, joint, rates):
    """Return how `child_link` moves against `parent_link`, seen from the anchor."""
    step = 1e-6
    poses = []
    for sign in (-1, 1):
        with body.preserve_state():
            body.dof_values = body.dof_values + sign * step * np.asarray(rates)
            poses.append(
                np.linalg.inv(joint.parent_link.transform) @ joint.child_link.transform
            )
    turn = poses[1][:3, :3] @ poses[0][:3, :3].T
    angular = rotation_vector(turn) / (2 * step)
    linear = (poses[1] - poses[0])[:3, 3] / (2 * step)
    frame = joint.parent_link.transform[:3, :3]
    return frame @ linear, frame @ angular


@pytest.mark.parametrize(
    "body", [(kind, way) for kind in JOINTS for way in (False, True)], indirect=True
)
def test_axes_say_how_the_child_moves(body):
    joint = body.joints["j"]
    assert (joint.parent_link.name, joint.child_link.name) == ("base", "tip")
    if joint.type == "spherical":
        body.dof_values = np.zeros(3)  # where the rates are those of the components
    for index, axis in enumerate(joint.description.axes):
        linear, angular = twist(body, joint, np.eye(body.dof)[index])
        direction = joint.axes[index]
        if axis.prismatic:
            np.testing.assert_allclose(linear, direction, atol=1e-8)
            np.testing.assert_allclose(angular, 0, atol=1e-8)
        else:
            np.testing.assert_allclose(angular, direction, atol=1e-8)


@pytest.mark.parametrize(
    "body", [("hinge", way) for way in (False, True)], indirect=True
)
def test_the_anchor_of_a_hinge_is_on_its_axis(body):
    joint = body.joints["j"]
    linear, angular = twist(body, joint, [1.0])
    arm = joint.child_link.transform[:3, 3] - joint.anchor
    np.testing.assert_allclose(linear, np.cross(angular, arm), atol=1e-8)


@pytest.mark.parametrize("body", [("slider", True)], indirect=True)
def test_the_anchor_of_a_slider_stays_with_the_parent(body):
    joint = body.joints["j"]
    before = joint.anchor
    body.dof_values = [-0.5]
    np.testing.assert_allclose(joint.anchor, before, atol=1e-14)


@pytest.mark.parametrize(
    "body", [("hinge", way) for way in (False, True)], indirect=True
)
def test_followers_have_the_velocity_of_their_formula(body):
    body.dof_velocities = [0.7]
    joint = body.passive_joints["f"]
    assert joint.velocities == pytest.approx([1.4])
    _, angular = twist(body, joint, [1.0])
    np.testing.assert_allclose(angular, 2 * joint.axes[0], atol=1e-8)


def test_openrave_xml_with_the_child_first(tmp_path):
    env = pyrave.load_string(
        "<kinbody name='k'><body name='b'/><body name='c'/><joint name='j'>"
        "<body>c</body><body>b</body><axis>0 0 1</axis></joint></kinbody>"
    )
    (joint,) = env.bodies[0].joints
    assert (joint.parent_link.name, joint.child_link.name) == ("b", "c")
    # c is turned back against b
    np.testing.assert_array_equal(joint.axes, [[0, 0, -1]])
