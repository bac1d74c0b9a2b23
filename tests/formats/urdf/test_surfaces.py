"""Friction and restitution in URDF: Bullet's and Gazebo's extensions."""

from __future__ import annotations

import dataclasses
import math

import pytest

import pyrave
from pyrave.scene import (
    ContactMaterial,
    ContactProperties,
    Friction,
    Restitution,
    body_from_boxes,
)

SIDE = '<contact><lateral_friction value="{}"/>{}</contact>'


def robot(a="", b="", c="", others=""):
    """Return a robot with three links."""
    links = "".join(
        f'<link name="{name}">{content}</link>'
        for name, content in zip("abc", (a, b, c), strict=True)
    )
    joints = "".join(
        f'<joint name="to_{name}" type="fixed"><parent link="a"/>'
        f'<child link="{name}"/></joint>'
        for name in "bc"
    )
    return f'<robot name="r">{links}{joints}{others}</robot>'


def gazebo(link, content):
    return f'<gazebo reference="{link}">{content}</gazebo>'


def loaded(text, **options):
    env = pyrave.Environment()
    env.load_string(text, **options)
    return env


def pairs(env):
    """Return the friction of each pair of links."""
    links = env.bodies["r"].links
    table = {
        frozenset((one.first, one.second)): one.coefficient
        for one in env.contact_properties.friction
    }
    return {
        a.name + b.name: table[frozenset((a.material, b.material))]
        for i, a in enumerate(links)
        for b in links[i:]
        if frozenset((a.material, b.material)) in table
    }


def test_bullet_multiplies():
    restitution = '<restitution value="0.5"/>'
    text = robot(SIDE.format(0.5, restitution), SIDE.format(0.8, ""))
    env = loaded(text, strict=True)
    assert pairs(env) == {"aa": 0.25, "ab": 0.5 * 0.8, "bb": 0.8 * 0.8}
    (bounce,) = env.contact_properties.restitution
    assert bounce.coefficient == 0.25
    links = env.bodies["r"].links
    assert [link.object_type for link in links] == ["restitution 0.5", "", ""]


def test_gazebo_takes_the_smaller():
    others = gazebo("a", "<mu1>0.3</mu1><mu2>0.9</mu2><kp>1e6</kp>")
    others += gazebo("b", '<mu1 value="0.5"/>') + gazebo("nothing", "<mu1>7</mu1>")
    env = loaded(robot(others=others))
    assert {problem.code for problem in env.problems} == {"acts-nowhere"}
    assert pairs(env) == {"aa": 0.3, "ab": 0.3, "bb": 0.5}


def test_what_shall_stick_has_the_friction_that_a_file_says():
    env = loaded(robot(others=gazebo("a", "<mu1>1e14</mu1>")))
    assert not env.problems
    assert [one.coefficient for one in env.contact_properties.friction] == [1e14]


def test_bullet_counts_before_gazebo():
    others = gazebo("a", "<mu1>0.01</mu1>") + gazebo("b", "<mu1>0.25</mu1>")
    env = loaded(robot(SIDE.format(0.5, ""), others=others), strict=True)
    # between both: the mean of what each has with itself
    assert pairs(env) == {"aa": 0.25, "ab": 0.25, "bb": 0.25}


def test_links_with_the_same_values_have_one_material():
    env = loaded(robot(SIDE.format(0.5, ""), SIDE.format("5e-1", "")), strict=True)
    assert [one.name for one in env.contact_properties.materials] == [
        "lateral_friction 0.5"
    ]


def test_contact_zones_are_no_friction():
    zone = '<contact><geometry><sphere radius="1"/></geometry></contact>'
    env = loaded(robot(zone))
    assert env.contact_properties == ContactProperties()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            robot(others=gazebo("a", "<mu2>-1</mu2>")),
            "<mu2> is '-1', expected a number from 0 to 1e+20; it is ignored",
        ),
        (
            robot(others=gazebo("a", "<mu1>nan</mu1>")),
            "<mu1> is 'nan', expected a number from 0 to 1e+20; it is ignored",
        ),
        (
            robot('<contact><restitution value="2"/></contact>'),
            "<restitution> is '2', expected a number from 0 to 1; it is ignored",
        ),
        (
            robot("<contact><restitution/></contact>"),
            "<restitution> is '', expected a number from 0 to 1; it is ignored",
        ),
        (
            robot(SIDE.format("x", "")),
            (
                "<lateral_friction> is 'x', expected a number from 0 to 1e+20; "
                "it is ignored"
            ),
        ),
    ],
)
def test_wrong_values_are_ignored(text, message):
    env = loaded(text)
    (problem,) = env.problems
    assert (problem.code, problem.message) == ("bad-number", message)
    assert problem.line == 1
    assert env.contact_properties == ContactProperties()
    assert env.bodies["r"].links[0].material == ""


def test_tables_have_an_end():
    links = "".join(
        f'<link name="l{n}">{SIDE.format(n / 1000, "")}</link>' for n in range(300)
    )
    joints = "".join(
        f'<joint name="j{n}" type="fixed"><parent link="l0"/><child link="l{n}"/>'
        "</joint>"
        for n in range(1, 300)
    )
    env = loaded(f'<robot name="r">{links}{joints}</robot>')
    assert [one.code for one in env.problems] == ["too-many-materials"]
    assert len(env.contact_properties.materials) == 256


# -- written ---------------------------------------------------------------------------


def test_what_is_read_is_written(tmp_path):
    others = gazebo("b", "<mu1>0.25</mu1>")
    env = loaded(robot(SIDE.format(0.5, '<restitution value="0.1"/>'), others=others))
    path = tmp_path / "out.urdf"
    assert env.save(path) == ()
    again = pyrave.load(path, strict=True)
    assert again.contact_properties == env.contact_properties
    assert pairs(again) == pairs(env)


def crate(**properties):
    env = pyrave.Environment()
    body = body_from_boxes("r", [(0, 0, 0, 1, 1, 1)], static=False)
    link = dataclasses.replace(body.links[0], material="ice", object_type="hard")
    env.create_body(dataclasses.replace(body, links=(link,)))
    env.contact_properties = ContactProperties(
        (ContactMaterial("ice"),), (ContactMaterial("hard"),), **properties
    )
    return env


def test_materials_of_other_formats_become_bullets(tmp_path):
    env = crate(
        friction=(Friction("ice", "ice", 0.04),),
        restitution=(Restitution("hard", "hard", 0.25),),
    )
    losses = env.save(tmp_path / "out.urdf")
    assert [one for one in losses if "material" in one or "coeff" in one] == [
        "warning: names of materials are not written: 'ice', 'hard'"
    ]
    text = (tmp_path / "out.urdf").read_text()
    assert '<lateral_friction value="0.2"/>' in text
    assert '<restitution value="0.5"/>' in text
    again = pyrave.load(tmp_path / "out.urdf", strict=True).contact_properties
    assert again.friction[0].coefficient == pytest.approx(0.04)
    assert again.restitution[0].coefficient == 0.25


@pytest.mark.parametrize(
    "law",
    [
        Friction("ice", "wood", 0.5),
        Friction("ice", "ice", 0.5, "Stribeck"),
        Friction("ice", "ice", 0.5, parameters=(("Mud", (0.1,)),)),
    ],
)
def test_other_laws_are_lost(tmp_path, law):
    env = crate(friction=(law,))
    losses = env.save(tmp_path / "out.urdf")
    what = f"'{law.first} on {law.second}'"
    assert f"warning: friction coefficients are not written: {what}" in losses


def test_urdf_goes_through_collada_and_into_engines(tmp_path):
    env = loaded(robot(SIDE.format(0.5, ""), SIDE.format(0.8, "")))
    assert not [one for one in env.save(tmp_path / "out.dae") if "riction" in one]
    assert pairs(pyrave.load(tmp_path / "out.dae")) == pairs(env)


def test_robots_of_two_files_have_friction_together():
    env = loaded(robot(others=gazebo("a", "<mu1>0.25</mu1>")))
    floor = robot(SIDE.format(0.5, "")).replace('name="r"', 'name="floor"')
    env.load_string(floor)
    last = env.contact_properties.friction[-1]
    assert last == Friction("mu 0.25", "lateral_friction 0.5", 0.25)


@pytest.mark.parametrize(
    ("block", "ground", "friction"),
    [
        (SIDE.format(0.5, ""), SIDE.format(0.4, ""), 0.2),
        ("<mu1>0.1</mu1>", "<mu1>0.4</mu1>", 0.2),  # of two files: the mean
        ("", "", 0.4),  # the engine's own
    ],
)
def test_engines_take_friction_of_two_files(block, ground, friction):
    pytest.importorskip("mujoco")
    env = pyrave.Environment()
    for name, size, content in (("floor", 20.0, ground), ("block", 0.2, block)):
        solid = (
            f'<collision><geometry><box size="{size} {size} 0.2"/></geometry>'
            '</collision><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" '
            'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
        )
        own, others = (content, "") if "<contact>" in content else ("", content)
        env.load_string(
            f'<robot name="{name}"><link name="a">{solid}{own}</link>'
            f"{gazebo('a', others) if others else ''}</robot>"
        )
    env.bodies["floor"].links[0].static = True
    body = env.bodies["block"]
    body.transform = [1, 0, 0, 0, 0, 0, 0.2]
    slope = 0.5
    env.gravity = (9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    env.physics_engine = "mujoco"
    for _ in range(100):
        env.step(0.005)
    expected = 9.81 * (math.sin(slope) - friction * math.cos(slope)) * 0.5
    assert body.base_velocity[0] == pytest.approx(expected, rel=0.03)


def test_the_order_of_blocks_means_nothing():
    """A written file has them by link, and was another scene."""
    blocks = gazebo("c", "<mu1>0.1</mu1>"), gazebo("a", "<mu1>0.9</mu1>")
    one, other = (
        loaded(robot(others="".join(several))).describe()
        for several in (blocks, blocks[::-1])
    )
    assert one.contact_properties == other.contact_properties
    names = [material.name for material in one.contact_properties.materials]
    assert names == ["mu 0.9", "mu 0.1"]
