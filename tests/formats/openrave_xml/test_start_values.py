"""Bodies start as modelled, but inside the limits, as in OpenRAVE."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave

LINKS = "<body name='a'/><body name='b'/><body name='c'/>"
TURN = "<axis>0 0 1</axis>"


def load(joint: str, more: str = ""):
    env = pyrave.load_string(
        f"<kinbody name='k'>{LINKS}<joint name='j' {joint}</joint>{more}</kinbody>"
    )
    return env, env.bodies[0]


@pytest.mark.parametrize(
    ("tags", "start"),
    [
        ("<limitsdeg>10 90</limitsdeg>", math.radians(10)),
        ("<limits>-2 -1</limits>", -1),
        ("<limits>-2 1</limits>", 0),
        ("<limits>1 2</limits><initial>3</initial>", 2),
        ("<limits>1 2</limits><initial>1.5</initial>", 1.5),
        # the limits count as a mark where the axis turns without end
        ("<limits>0 0</limits>", 0),
    ],
)
def test_degrees_of_freedom(tags, start):
    env, body = load(f"><body>a</body><body>b</body>{TURN}{tags}")
    np.testing.assert_array_equal(body.dof_values, [start])
    assert env.bodies[0] is body


def test_circular_axes_start_as_modelled():
    env, body = load(
        f"circular='true'><body>a</body><body>b</body>{TURN}<limits>1 2</limits>"
    )
    np.testing.assert_array_equal(body.dof_values, [0])
    assert len(env.bodies) == 1


def test_followers_follow():
    follower = (
        f"<joint name='m' mimic_pos='2*j'><body>b</body><body>c</body>{TURN}</joint>"
    )
    env, body = load(
        f"><body>a</body><body>b</body>{TURN}<limits>1 2</limits>", follower
    )
    assert body.passive_joints["m"].values == [2]
    turn = math.cos(3)
    assert body.links["c"].transform[0, 0] == pytest.approx(turn)
    assert len(env.bodies) == 1


def test_passive_joints_and_what_hangs_on_them():
    more = (
        f"<joint name='i'><body>b</body><body>c</body>{TURN}<limits>-1 1</limits>"
        "</joint>"
    )
    env, body = load(
        f"enable='false'><body>a</body><body>b</body>{TURN}<limits>1 2</limits>", more
    )
    assert body.passive_joints["j"].values == [1]
    for name in "bc":
        turn = body.links[name].transform[:2, 0]
        np.testing.assert_allclose(turn, (math.cos(1), math.sin(1)), atol=1e-15)
    again = pyrave.Environment()
    again.add_scene(env.describe())
    np.testing.assert_array_equal(again.bodies[0].link_transforms, body.link_transforms)


def test_given_values_win():
    env, body = load(
        f"><body>a</body><body>b</body>{TURN}<limits>1 2</limits>",
        "<jointvalues>1.25</jointvalues>",
    )
    np.testing.assert_array_equal(body.dof_values, [1.25])
    assert env.bodies[0] is body


def test_they_are_saved(tmp_path):
    env, body = load(f"><body>a</body><body>b</body>{TURN}<limits>1 2</limits>")
    env.save(tmp_path / "k.xml")
    text = (tmp_path / "k.xml").read_text()
    assert "<jointvalues>1</jointvalues>" in text
    assert "<pyrave>" not in text
    assert pyrave.load(tmp_path / "k.xml").describe().bodies == (body.describe(),)


@pytest.mark.parametrize(
    ("value", "said"), [("-5e-17", []), ("-1e-9", ["joint-values"])]
)
def test_rounding_errors_beyond_limits_are_no_mistakes(value, said):
    joint = f"<joint name='j'><body>a</body><body>b</body>{TURN}<limits>0 1</limits>"
    report = pyrave.Environment().load_string(
        f"<kinbody name='k'>{LINKS}{joint}</joint><jointvalues>{value}</jointvalues>"
        "</kinbody>"
    )
    codes = [one.code for one in report.problems]
    assert [code for code in codes if code == "joint-values"] == said


def test_joints_of_other_types_start_outside_limits_as_described(tmp_path):
    from pyrave.formats import WriteContext
    from pyrave.formats.openrave_xml.write.writer import openrave_xml_text
    from pyrave.scene import (
        BodyDescription,
        JointAxis,
        JointDescription,
        LinkDescription,
        SceneDescription,
    )

    z = (0.0, 0.0, 1.0)
    axes = JointAxis(z), JointAxis(z, True, 0.0, 0.5, initial=1.0)
    joint = JointDescription("j", "rp", "a", "b", axes=axes)
    links = LinkDescription("a"), LinkDescription("b")
    scene = SceneDescription((BodyDescription("k", links, (joint,)),))
    text, _ = openrave_xml_text(scene, WriteContext())
    path = tmp_path / "k.env.xml"
    path.write_text(text, encoding="utf-8")
    (body,) = pyrave.read(path).bodies
    assert body.joints[0].axes == axes
    assert body.dof_values is None
