"""Robots without geometry say that they collide with nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.scene import body_from_boxes

ARM = scene_beside(__file__, "robots_without_geometry.robot.xml")
MASS = "<mass type='custom'><total>2</total><inertia>1 0 0 0 1 0 0 0 1</inertia></mass>"
SHAPE = "<geom type='sphere'><radius>0.1</radius></geom>"


def said(function, *arguments, **options):
    """Return what is warned of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*arguments, **options)
    return [str(one.message) for one in found]


def test_loading_checking_and_planning_say_it_once():
    (text,) = said(pyrave.load_string, ARM.format(""))
    assert text == (
        "loading 'bare', which has no geometry and no masses: it collides with "
        "nothing, and its dynamics are those of links of 1 kg each (`pyrave robots` "
        "lists robots with geometry)"
    )
    env = pyrave.load_string(ARM.format(""))
    robot = env.robots["bare"]
    block = env.create_body(body_from_boxes("block", [[0, 0, 0, 2, 2, 2]]))
    (text,) = said(env.check_collision, robot)
    assert text.startswith("checking 'bare', which has no geometry and no masses")
    assert said(env.check_collision, block, robot) == []
    env.create_body(body_from_boxes("other", [[9, 0, 0, 1, 1, 1]]))
    assert said(env.check_collision, robot) == []
    (text,) = said(robot.plan, [0.5])
    assert text.startswith("planning for 'bare', which has no geometry")


def test_planning_alone_says_it_once():
    env = pyrave.load_string(ARM.format(""))
    (text,) = said(env.robots["bare"].plan, [0.5])
    assert text.startswith("planning for 'bare'")
    assert said(env.robots["bare"].plan, [-0.5]) == []


def test_many_configurations_say_it():
    env = pyrave.load_string(ARM.format(""))
    robot = env.robots["bare"]
    rows = np.array([[0.0], [0.5]])
    (text,) = said(env.collision_checker.check_configurations, robot, rows)
    assert text.startswith("checking 'bare'")


def test_masses_that_are_given_are_not_invented():
    (text,) = said(pyrave.load_string, ARM.format(MASS))
    assert text == (
        "loading 'bare', which has no geometry: it collides with nothing "
        "(`pyrave robots` lists robots with geometry)"
    )


@pytest.mark.parametrize(
    "text", [ARM.format(SHAPE), "<kinbody name='frame'><body name='b'/></kinbody>"]
)
def test_others_say_nothing(text):
    env = pyrave.load_string(text)
    assert said(pyrave.load_string, text) == []
    for body in env.bodies:
        assert said(env.check_collision, body) == []
