"""Errors of plugins, notebooks and cards."""

from __future__ import annotations

import pytest

import pyrave
from pyrave import LimitCheck
from pyrave.scene import body_from_boxes
from pyrave.texts import degrees_hint


@pytest.fixture
def robot():
    return pyrave.load("robots/heron7.robot.xml").robots[0]


def test_errors_of_plugins_end_with_their_last_lines(robot):
    class Broken(pyrave.KinBody):
        def after_init(self):
            raise ZeroDivisionError("mine")

    env = robot.env
    with env.register("kinbody", "Broken", Broken):
        body = env.create("kinbody", "Broken")
        with pytest.raises(pyrave.PluginError) as caught:
            body.clone()
    said = str(caught.value)
    assert "raised ZeroDivisionError: mine" in said
    assert "in after_init: raise ZeroDivisionError" in said
    assert "ZeroDivisionError: mine" in caught.value.traceback
    assert "The above exception was the direct cause" in caught.value.traceback


def test_notebooks_show_five_lines_with_that_of_the_user(robot):
    with pytest.raises(pyrave.ArgumentError) as caught:
        robot.dof_values = [1.0]
    lines = caught.value._render_traceback_()
    assert len(lines) <= 5
    assert lines[0].startswith("ArgumentError: ")
    assert any("robot.dof_values = [1.0]" in line for line in lines)
    assert "robot.dof_values = [1.0]" in caught.value.traceback


@pytest.mark.parametrize("value", [90.0, -45.0, 180.0])
def test_degrees_are_asked_about(robot, value):
    values = robot.dof_values
    values[1] = value
    with pytest.raises(pyrave.ArgumentError, match=r"radians\? .* degrees are"):
        robot.set_dof_values(values, limits=LimitCheck.RAISE)
    cause = robot.active_manipulator.plan({"joint2": value}).cause
    assert "radians?" in cause


@pytest.mark.parametrize("value", [3.5, 5.0, 7.3, 1000.0, 0.0])
def test_angles_that_are_no_degrees(value):
    assert degrees_hint(value) == ""


def test_cards(robot):
    arm = robot.active_manipulator
    shown = arm._repr_html_()
    assert "joint7" in shown
    assert arm.end_effector.name in shown
    path = arm.straight_line(arm.transform, 2)
    assert "joint7" in path._repr_html_()
    far = arm.transform
    far[0, 3] += 9.0
    assert "IkPath" in arm.straight_line(far, 2)._repr_html_()
    report = robot.env.check_collision(robot, report=True)
    assert "no collision" in report._repr_html_()
    block = robot.env.create_body(body_from_boxes("block", [(0, 0, 0, 0.1, 0.1, 0.1)]))
    block.transform = arm.transform
    report = robot.env.check_collision(robot, report=True)
    assert str(report.pairs[0].second) in report._repr_html_()
