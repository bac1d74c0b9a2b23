"""Disabled joints glue links together; formats without passive joints fix them."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.scene import with_glue_fixed

_SCENE = scene_beside(__file__, "glue.env.xml")
_GEOM = '<geom type="sphere"><radius>0.1</radius></geom>'
_D = """<joint name="k" type="hinge" enable="false"{}><body>c</body><body>d</body>
<axis>1 0 0</axis></joint>"""


def _scene(**parts):
    return _SCENE.format(geom=_GEOM, **parts)


def _poses(env):
    robot = env.robots[0]
    robot.dof_values = np.full(robot.dof, 0.3)
    return {link.name: link.transform for link in robot.links}


@pytest.mark.parametrize("suffix", [".urdf", ".wc.xml"])
@pytest.mark.parametrize("value", [0.0, 0.4])
@pytest.mark.parametrize("kind", ["hinge", "slider"])
def test_glue_is_fixed_where_it_is(tmp_path, kind, value, suffix):
    limits = f"<limits>{value} {value}</limits>"
    text = _scene(type=kind, limits=limits, initial=value, more=_D.format(""))
    (tmp_path / "a.env.xml").write_text(text)
    losses = pyrave.convert(tmp_path / "a.env.xml", tmp_path / f"b{suffix}")
    assert any("fixed" in one and "'glue'" in one for one in losses)
    before = pyrave.load(tmp_path / "a.env.xml")
    after = pyrave.load(tmp_path / f"b{suffix}")
    assert after.robots[0].dof == before.robots[0].dof == 1
    joints = {one.name: one.type for one in after.robots[0].passive_joints}
    assert joints.get("glue", "fixed") == "fixed"
    expected, found = _poses(before), _poses(after)
    assert {"a", "c"} <= found.keys()
    for name in found.keys() & expected.keys():
        assert np.allclose(found[name], expected[name], atol=1e-9), name


def test_passive_joints_are_fixed_in_urdf_without_an_srdf(tmp_path):
    text = _scene(type="hinge", limits="", initial=0, more=_D.format(""))
    (tmp_path / "a.env.xml").write_text(text)
    pyrave.convert(tmp_path / "a.env.xml", tmp_path / "b.urdf")
    assert '<joint name="glue" type="fixed">' in (tmp_path / "b.urdf").read_text()
    pyrave.convert(tmp_path / "a.env.xml", tmp_path / "c.urdf", srdf=True)
    srdf = (tmp_path / "c.srdf").read_text()
    assert '<passive_joint name="glue"/>' in srdf
    assert '<joint name="glue" type="fixed">' not in (tmp_path / "c.urdf").read_text()


_SEVERAL = {
    "universal": "<axis1>1 0 0</axis1><axis2>0 0.6 0.8</axis2>",
    "hinge2": "<axis1>0 0 1</axis1><axis2>0 1 0</axis2>",
    "spherical": "",
}


@pytest.mark.parametrize("kind", _SEVERAL)
def test_passive_joints_of_several_axes_are_fixed_in_urdf(tmp_path, kind):
    text = _scene(type="hinge", limits="", initial=0, more=_D.format(""))
    joint = (
        f'<joint name="glue" type="{kind}" enable="false"><body>a</body><body>b</body>'
        f"<anchor>0.1 0.2 0.3</anchor>{_SEVERAL[kind]}</joint>"
    )
    text = re.sub(r"<joint name=.glue.*?</joint>", joint, text, flags=re.DOTALL)
    env = pyrave.Environment()
    env.load_string(text)
    values = [0.4, -0.3, 0.2] if kind == "spherical" else [0.4, -0.3]
    body = env.robots[0]
    described = env.describe().bodies[0]
    joints = tuple(
        dataclasses.replace(
            one,
            axes=tuple(
                dataclasses.replace(axis, initial=value)
                for axis, value in zip(one.axes, values, strict=True)
            ),
        )
        if one.name == "glue"
        else one
        for one in described.joints
    )
    env.remove(body)
    env.create_body(dataclasses.replace(described, joints=joints))
    losses = env.save(tmp_path / "b.urdf")
    assert any("are fixed" in one and "'glue'" in one for one in losses)
    after = pyrave.load(tmp_path / "b.urdf")
    assert after.robots[0].dof == env.robots[0].dof == 1
    expected, found = _poses(env), _poses(after)
    for name, pose in expected.items():
        assert np.allclose(found[name], pose, atol=1e-9), name
    assert not np.allclose(expected["b"], np.eye(4))


@pytest.mark.parametrize("formula", ["glue", "0.5-glue", "2*glue_0"])
def test_joints_that_lead_or_follow_stay(formula):
    more = _D.format(f' mimic_pos="{formula}"') + _D.format("").replace('"k"', '"l"')
    text = _scene(type="hinge", limits="<limits>0 0</limits>", initial=0, more=more)
    env = pyrave.Environment()
    env.load_string(text)
    body = env.describe().bodies[0]
    assert with_glue_fixed(body) == (body, ())
    assert with_glue_fixed(body, passive=True)[1] == ("l",)
