"""Circular joints repeat when all that they move is back in its place."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave
from pyrave import LimitCheck

TURN = 2.0 * math.pi


def leader(*followers, kind="hinge", limits="-180 180"):
    """Return a robot with the circular joint ``a`` and joints that follow formulas."""
    xml = (
        '<robot name="r"><kinbody><body name="l0"/><body name="l1"/>'
        f'<joint name="a" type="{kind}" circular="true"><body>l0</body>'
        f"<body>l1</body><axis>0 0 1</axis><limitsdeg>{limits}</limitsdeg></joint>"
    )
    for i, (formula, moves) in enumerate(followers, 2):
        xml += (
            f'<body name="l{i}"><translation>0.3 0.1 0</translation></body>'
            f'<joint name="f{i}" type="{moves}" enable="false" mimic_pos="{formula}">'
            f"<body>l{i - 1}</body><body>l{i}</body><offsetfrom>l{i}</offsetfrom>"
            "<axis>0 1 0</axis><limits>-9999 9999</limits></joint>"
        )
    env = pyrave.Environment()
    env.load_string(f"<environment>{xml}</kinbody></robot></environment>")
    return env, env.robots[0]


RATES = {
    "1": 1,
    "-1": 1,
    "2": 1,
    "0.5": 2,
    "-0.25": 4,
    "1.5": 2,
    "0.3333333333333": 3,
    "0.7": 10,
    "0": 1,
}


@pytest.mark.parametrize("rate", RATES)
def test_a_leader_is_back_with_its_follower(rate):
    env, robot = leader((f"{rate}*a+0.3", "hinge"))
    assert robot.model.circular_periods == pytest.approx([RATES[rate] * TURN])
    assert env.robots[0] is robot


def test_several_followers_are_back_together():
    _env, robot = leader(("0.5*a", "hinge"), ("a/3", "hinge"), ("-2*f2", "hinge"))
    assert robot.model.circular_periods == pytest.approx([6 * TURN])


FORMULAS = {
    "sin(a)": TURN,
    "0.4*sin(a)+0.5*a": 2 * TURN,
    "cos(0.5*a)": 2 * TURN,
    "a*a": math.inf,
    "0.7182818*a": math.inf,
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_repeat_or_not(formula):
    _env, robot = leader((formula, "hinge"))
    assert robot.model.circular_periods == pytest.approx([FORMULAS[formula]])


@pytest.mark.parametrize(("formula", "period"), [("a", math.inf), ("sin(a)", TURN)])
def test_what_slides_along_is_not_back(formula, period):
    _env, robot = leader((formula, "slider"))
    assert robot.model.circular_periods == pytest.approx([period])


def test_joints_that_are_not_circular_do_not_repeat():
    env = pyrave.load("robots/arms/puma560.robot.xml")
    model = env.robots[0].model
    assert np.isinf(model.circular_periods).all()
    assert np.isinf(model.wrap_ranges).all()


@pytest.mark.parametrize("rate", ["0.5", "0.7182818", "sin", "2"])
def test_no_value_that_is_set_is_moved_elsewhere(rate):
    formula = "sin(a)" if rate == "sin" else f"{rate}*a"
    _env, robot = leader((formula, "hinge"))
    rng = np.random.default_rng(8)
    for value in rng.uniform(-40.0, 40.0, 50):
        robot.set_dof_values([value], limits=LimitCheck.NONE)
        exact = robot.link_transforms
        robot.dof_values = [value]
        np.testing.assert_allclose(robot.link_transforms, exact, atol=1e-12)
        if np.isfinite(robot.model.circular_periods[0]):
            low, high = robot.model.wrap_ranges[:, 0]
            assert low <= robot.dof_values[0] <= high


def test_the_range_of_the_file_is_kept_where_it_is_one_period():
    for limits, ends in (("-180 180", (-math.pi, math.pi)), ("0 360", (0.0, TURN))):
        _env, robot = leader(limits=limits)
        assert robot.model.wrap_ranges[:, 0] == pytest.approx(ends, abs=0)
    _env, robot = leader(limits="-90 90")
    assert robot.model.wrap_ranges[:, 0] == pytest.approx([-math.pi, math.pi])
    _env, robot = leader(("0.5*a", "hinge"), limits="0 360")
    assert robot.model.wrap_ranges[:, 0] == pytest.approx([-math.pi, 3 * math.pi])


def test_differences_take_the_short_way_round_the_whole_period():
    _env, robot = leader(("0.5*a", "hinge"))
    assert robot.subtract_dof_values([6.0], [0.0]) == pytest.approx([6.0])
    assert robot.subtract_dof_values([7.0], [0.0]) == pytest.approx([7.0 - 2 * TURN])
    assert robot.subtract_dof_values([7.0], [0.0], [0]) == pytest.approx(
        [7.0 - 2 * TURN]
    )
    joint = robot.joints["a"]
    assert joint.subtract_values([7.0], [0.0]) == pytest.approx([7.0 - 2 * TURN])
    _env, robot = leader()
    assert robot.joints["a"].subtract_values([6.0], [0.0]) == pytest.approx([6 - TURN])
    _env, robot = leader(("0.7182818*a", "hinge"))
    assert robot.subtract_dof_values([700.0], [0.0]).tolist() == [700.0]


def test_a_slider_is_never_back():
    _env, robot = leader(kind="slider", limits="-1 1")
    assert np.isinf(robot.model.circular_periods).all()
    robot.dof_values = [2.5]
    assert robot.dof_values.tolist() == [2.5]


def test_samples_are_of_one_period():
    env, _robot = leader(("0.5*a", "hinge"))
    sampler = env.create("spacesampler", "BodyConfiguration r")
    values = sampler.sample_sequence(400)[:, 0]
    assert values.min() < -6.0
    assert values.max() > 6.0
    assert np.abs(values).max() <= TURN
