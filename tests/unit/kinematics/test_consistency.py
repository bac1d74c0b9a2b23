"""Lists of derivatives that contradict their formulas."""

import dataclasses
import math

import numpy as np
import pytest

import pyrave
from pyrave.kinematics import (
    compile_body,
    inconsistent_partials,
    link_transforms,
    undefined_partials,
)
from pyrave.scene import MimicFormula


def changed(bodies, **formulas):
    described = bodies.mimic_chain()
    joints = tuple(
        dataclasses.replace(
            joint,
            axes=(dataclasses.replace(joint.axes[0], mimic=formulas[joint.name]),),
        )
        if joint.name in formulas
        else joint
        for joint in described.joints
    )
    return dataclasses.replace(described, joints=joints)


def test_derived_and_right_lists_are_consistent(bodies):
    assert inconsistent_partials(compile_body(bodies.mimic_chain())) == ()
    right = MimicFormula("sin(J0) + J2^2", "|J0 cos(J0) |J2 2*J2", "|J0 0")
    assert inconsistent_partials(compile_body(changed(bodies, J1=right))) == ()


@pytest.mark.parametrize(
    ("list_", "follows"),
    [
        ("|J0 cos(J0) |J2 J2", ["J2"]),
        ("|J0 cos(J0)", ["J2"]),
        ("|J0 -cos(J0) |J2 1", ["J0", "J2"]),
    ],
)
def test_wrong_and_missing_entries_are_named(bodies, list_, follows):
    described = changed(bodies, J1=MimicFormula("sin(J0) + J2^2", list_))
    found = inconsistent_partials(compile_body(described))
    assert [(one.joint, one.follows) for one in found] == [("J1", f) for f in follows]


def test_what_follows_a_wrong_one_is_not_named(bodies):
    described = changed(bodies, J0a=MimicFormula("2*J0", "|J0 3"))
    (found,) = inconsistent_partials(compile_body(described))
    assert found.joint == "J0a"
    assert (found.given, found.actual) == (3.0, pytest.approx(2.0))


def test_kinks_and_limits_are_no_contradictions(bodies):
    steps = MimicFormula("max(J0, -J0) + floor(3*J2)", "|J0 if(J0 < 0, -1, 1) |J2 0")
    assert inconsistent_partials(compile_body(changed(bodies, J1=steps))) == ()


def test_a_formula_may_start_where_it_has_no_derivative(bodies):
    """A connecting rod whose angle is a norm: no slope at 0, a pose all the same."""
    rod = MimicFormula("acos(1 - J0^2/2)")
    model = compile_body(changed(bodies, J1=rod))
    at_zero = np.zeros(model.n_dof)
    (one,) = undefined_partials(model, at_zero)
    assert (one.joint, one.follows) == ("J1", "J0")
    assert not math.isfinite(one.value)
    assert np.isfinite(link_transforms(model, np.eye(4), at_zero)).all()
    assert undefined_partials(model, at_zero + 0.25) == ()


SCENE = """<Environment><KinBody name="hand">
  <Body name="a"/><Body name="b"/><Body name="c"/>
  <Joint name="J0" type="hinge"><Body>a</Body><Body>b</Body><axis>0 0 1</axis></Joint>
  <Joint name="J1" type="hinge" mimic_pos="2*J0" mimic_vel="|J0 {slope}">
    <Body>b</Body><Body>c</Body><axis>0 0 1</axis></Joint>
</KinBody></Environment>"""


def test_loading_warns_of_them():
    env = pyrave.Environment()
    env.load_string(SCENE.format(slope=1))
    (problem,) = env.problems
    assert problem.code == "inconsistent-partial"
    assert problem.line == 4
    assert "joint 'J1' of 'hand' moves 1 times as fast as 'J0'" in problem.message
    assert "its formula '2*J0' says 2" in problem.message
    with pytest.raises(pyrave.SceneError, match="its formula"):
        pyrave.Environment().load_string(SCENE.format(slope=1), strict=True)
    env = pyrave.Environment()
    env.load_string(SCENE.format(slope=2))
    assert not env.problems


def test_loading_warns_of_derivatives_that_are_not_finite():
    env = pyrave.Environment()
    text = SCENE.format(slope=2).replace(' mimic_vel="|J0 2"', "")
    env.load_string(text.replace("2*J0", "acos(1-J0^2/2)"))
    (problem,) = env.problems
    assert problem.code == "derivative-not-finite"
    assert problem.line == 4
    assert "joint 'J1' of 'hand': the formula 'acos(1-J0^2/2)'" in problem.message
    assert "by 'J0' where the body starts" in problem.message
    (body,) = env.bodies
    body.dof_values = [0.5]
    assert math.isclose(body.passive_joints["J1"].values[0], math.acos(0.875))
