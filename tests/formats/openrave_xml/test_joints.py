"""Joints: frames, axes, limits, defaults, mimic formulas."""

import math

import numpy as np
import pytest

LINKS = "<body name='Base'/><body name='arm'><translation>0 0 1</translation></body>"
ENDS = "<body>BASE</body><body>arm</body>"


def joint(only_body, content, attributes="name='j'"):
    return only_body(f"{LINKS}<joint {attributes}>{ENDS}{content}</joint>").joints[0]


def test_anchor_and_axis_are_in_the_kinbody_frame_without_offsetfrom(only_body):
    body = only_body(
        "<body name='a'><translation>1 0 0</translation>"
        "<rotationaxis>0 0 1 90</rotationaxis></body><body name='b'/>"
        "<joint name='j'><body>a</body><body>b</body><anchor>0 0 2</anchor>"
        "<axis>0 5 0</axis></joint>"
    )
    one = body.joints[0]
    np.testing.assert_allclose(one.T_parent_joint.translation, (0, 1, 2), atol=1e-15)
    np.testing.assert_allclose(one.axes[0].direction, (1, 0, 0), atol=1e-15)
    child = one.T_parent_joint @ one.T_child_joint.inverse()
    np.testing.assert_allclose(child.matrix, body.links[1].pose.matrix, atol=1e-15)


def test_defaults(only_body):
    axis = joint(only_body, "<axis>1 0 0</axis>").axes[0]
    assert (axis.lower, axis.upper) == (-math.pi, math.pi)
    assert (axis.velocity_limit, axis.acceleration_limit) == (10.0, 50.0)
    assert (axis.weight, axis.resolution, axis.torque_limit) == (1.0, 0.02, 0.0)
    slider = joint(only_body, "<axis>1 0 0</axis>", "name='j' type='slider'").axes[0]
    assert (slider.lower, slider.upper, slider.prismatic) == (-10.0, 10.0, True)


def test_units(only_body):
    axis = joint(
        only_body,
        "<axis>1 0 0</axis><limitsdeg>90 -90</limitsdeg><resolution>1</resolution>"
        "<maxveldeg>180</maxveldeg><maxaccel>2</maxaccel>",
    ).axes[0]
    assert (axis.lower, axis.upper) == pytest.approx((-math.pi / 2, math.pi / 2))
    assert axis.resolution == math.radians(1)
    assert (axis.velocity_limit, axis.acceleration_limit) == (math.pi, 2.0)
    slider = joint(
        only_body,
        "<axis>1 0 0</axis><limitsdeg>0 2</limitsdeg>",
        "name='j' type='slider'",
    )
    assert slider.axes[0].upper == 2.0


def test_circular_does_not_depend_on_the_order_of_attributes(only_body):
    axes = "<axis1>1 0 0</axis1><axis2>0 2 0</axis2>"
    for attributes in (
        "name='j' circular='true' type='universal'",
        "type='universal' circular='1' name='j'",
    ):
        one = joint(only_body, axes, attributes)
        assert [axis.circular for axis in one.axes] == [True, True]
        assert one.axes[1].direction == (0, 1, 0)


def test_initial_is_the_value_of_the_modelled_pose(only_body):
    one = joint(only_body, "<axis>0 0 1</axis><initial>0.5</initial>")
    c, s = math.cos(0.5), math.sin(0.5)
    turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    shown = one.T_parent_joint.matrix @ turn @ np.linalg.inv(one.T_child_joint.matrix)
    np.testing.assert_allclose(shown[:3, 3], (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(shown[:3, :3], np.eye(3), atol=1e-15)


def test_dummy_joint_sits_in_the_child(only_body):
    one = joint(only_body, "<limits>0 0</limits>", "name='j' enable='false'")
    assert not one.active
    assert one.T_parent_joint.translation == (0, 0, 1)
    assert (one.axes[0].lower, one.axes[0].upper) == (0.0, 0.0)


def test_static_child_swaps_the_links(only_body):
    body = only_body(
        "<body name='r'/><body name='a'/><body name='s' type='static'/>"
        "<joint name='j'><body>a</body><body>s</body><axis>0 0 1</axis></joint>"
    )
    one = body.joints[0]
    assert (one.parent, one.child) == ("s", "a")
    assert one.axes[0].direction == (0, 0, -1)


@pytest.mark.parametrize(
    ("content", "attributes", "code"),
    [
        ("", "name='j' type='slider'", "zero-axis"),
        ("<axis>0 0 0</axis>", "name='j'", "zero-axis"),
        ("<axis>1 0 0</axis>", "name='j' type='hing'", "unknown-joint-type"),
        ("<axis>1 0 0</axis><maxvel>-1</maxvel>", "name='j'", "bad-size"),
        ("<axis>1 0 0</axis><limits>0 x</limits>", "name='j'", "bad-number"),
    ],
)
def test_joints_without_meaning_are_refused(refuse, content, attributes, code):
    problems = refuse(
        f"<kinbody name='k'>{LINKS}<joint {attributes}>{ENDS}{content}</joint>"
        "</kinbody>"
    )
    assert problems[0].code == code


def test_mimic_formulas_and_the_old_form(only_body, read):
    given = joint(
        only_body,
        "<axis>1 0 0</axis>",
        "name='j' mimic_pos='a/3+1' mimic_vel='|a 0.3' mimic_accel='|a 0'",
    )
    formula = given.axes[0].mimic
    assert (formula.position, formula.velocity) == ("a/3+1", "|a 0.3")
    assert not given.active
    scene = read(
        f"<kinbody name='k'>{LINKS}<joint name='j' mimic='a 2 0.5'>{ENDS}"
        "<axis>1 0 0</axis></joint></kinbody>"
    )
    formula = scene.bodies[0].joints[0].axes[0].mimic
    assert formula.position == "2.0*a+0.5"
    assert (formula.velocity, formula.acceleration) == ("|a 2.0", "|a 0")
    assert [p.code for p in scene.problems] == ["deprecated-attribute"]


def test_joint_values_that_do_not_fit_are_not_used(only_body, read, refuse):
    hinge = f"<joint name='j'>{ENDS}<axis>1 0 0</axis></joint>"
    body = only_body(LINKS + hinge + "<jointvalues>0.25</jointvalues>")
    assert body.dof_values == (0.25,)
    text = f"<kinbody name='k'>{LINKS}{hinge}<jointvalues>1 2</jointvalues></kinbody>"
    scene = read(text)
    assert scene.bodies[0].dof_values is None
    (problem,) = scene.problems
    assert "has 2 numbers, body 'k' has 1 degrees of freedom" in problem.message
    assert refuse(text, strict=True) == (problem,)


def test_joint_values_outside_of_limits_are_told(read, refuse):
    limits = "<limits>-1 1</limits>"
    hinge = f"<joint name='j'>{ENDS}<axis>1 0 0</axis>{limits}</joint>"
    text = f"<kinbody name='k'>{LINKS}{hinge}\n<jointvalues>1.5</jointvalues></kinbody>"
    (problem,) = read(text).problems
    assert "has 1.5 for joint 'j', whose limits are -1 and 1" in problem.message
    assert problem.line == 2
    assert refuse(text, strict=True) == (problem,)
    assert not read(text.replace("1.5", "1")).problems
    circular = text.replace("<joint ", "<joint circular='true' ")
    assert not read(circular).problems
