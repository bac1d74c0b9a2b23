"""Nested and included elements: orders, scales, prefixes.

OpenRAVE reads a ``<robot>`` of a file into a robot of its own and appends it; at the
end of each ``<robot>`` the manipulators and sensors that it added go before those that
were there, the last one first.
"""

from __future__ import annotations

import pytest

import pyrave
from pyrave.scene import Box

LINK = "<kinbody><body name='l'/></kinbody>"


def arms(names: str) -> str:
    return "".join(
        f"<manipulator name='{n}'><base>l</base><effector>l</effector></manipulator>"
        f"<attachedsensor name='{n}'><link>l</link></attachedsensor>"
        for n in names
    )


@pytest.fixture
def mounted(read, tmp_path):
    """Read the content of a robot; return the names of its manipulators."""
    (tmp_path / "xyz.xml").write_text(f"<robot>{LINK}{arms('xyz')}</robot>")
    (tmp_path / "uvw.xml").write_text(f"<robot>{LINK}{arms('uvw')}</robot>")
    (tmp_path / "mid.xml").write_text("<robot><robot file='uvw.xml'/></robot>")
    (tmp_path / "more.xml").write_text(f"<robot file='xyz.xml'>{arms('ab')}</robot>")

    def names(text: str) -> list[str]:
        (robot,) = read(text, tmp_path).robots
        arms = [arm.name for arm in robot.manipulators]
        sensors = [sensor.name for sensor in robot.attached_sensors]
        assert sensors == arms
        return arms

    return names


@pytest.mark.parametrize(
    ("content", "order"),
    [
        (" file='xyz.xml'>", "x y z"),
        ("><robot file='xyz.xml'/>", "x y z"),
        ("><robot file='mid.xml'/>", "u v w"),
        (f"><robot file='xyz.xml'/>{arms('ab')}", "x y z a b"),
        (f" file='xyz.xml'>{arms('ab')}", "b a x y z"),
        (" file='more.xml'>", "b a x y z"),
        ("><robot file='xyz.xml'/>@p_' file='uvw.xml'/>", "p_u p_v p_w x y z"),
        ("><robot file='xyz.xml'/>@p_' file='mid.xml'/>", "p_u p_v p_w x y z"),
        (
            "><robot file='xyz.xml'/>@p_'><robot file='uvw.xml'/></robot>",
            "p_w p_v p_u x y z",
        ),
        (f">{LINK}{arms('a')}<robot>{arms('bc')}</robot>", "c b a"),
        (f">@p_' file='xyz.xml'/>{LINK}{arms('xyz')}", "p_x p_y p_z x y z"),
    ],
)
def test_manipulators_and_sensors(mounted, content, order):
    text = f"<robot name='r'{content}</robot>".replace("@", "<robot prefix='")
    assert mounted(text) == order.split()


BOX = "<geom type='box'><extents>1 1 1</extents></geom>"


def sizes(scene) -> list[tuple[float, ...] | None]:
    return [
        one.geometries[0].shape.half_extents if one.geometries else None
        for one in scene.bodies[0].links
    ]


def test_scales_multiply(read, tmp_path):
    (tmp_path / "part.xml").write_text(
        f"<kinbody scalegeometry='5'><body name='p'>{BOX}</body></kinbody>"
    )
    scene = read(
        f"<kinbody name='k' scalegeometry='2'><body name='a'>{BOX}</body>"
        f"<body name='b' scalegeometry='1 2 3'>{BOX}</body>"
        f"<kinbody scalegeometry='3'><body name='c'>{BOX}</body></kinbody>"
        "<kinbody file='part.xml' scalegeometry='7'/></kinbody>",
        tmp_path,
    )
    assert sizes(scene) == [(2,) * 3, (2, 4, 6), (6,) * 3, (70,) * 3]


def test_scales_of_a_call_and_of_a_root_multiply():
    text = f"<kinbody name='k' scalegeometry='2'><body name='a'>{BOX}</body></kinbody>"
    env = pyrave.load_string(text, attributes={"scalegeometry": "1 2 3"})
    shape = env.bodies[0].describe().links[0].geometries[0].shape
    assert shape == Box((2, 4, 6))


@pytest.mark.parametrize(
    ("text", "skipped", "ignored"),
    [
        ("<kinbody name='k' skipgeometry='1'>@</kinbody>", True, 0),
        ("<kinbody name='k' skipgeometry='1' file='part.xml'/>", True, 0),
        ("<kinbody name='k'><kinbody skipgeometry='1'>@</kinbody></kinbody>", False, 1),
        ("<robot name='k'><kinbody skipgeometry='1'>@</kinbody></robot>", False, 1),
        # the root of a file counts where that file is loaded itself
        ("<kinbody name='k' file='skipping.xml'/>", False, 1),
    ],
)
def test_the_outermost_element_skips_geometry(read, tmp_path, text, skipped, ignored):
    body = f"<body name='a'>{BOX}</body>"
    (tmp_path / "part.xml").write_text(f"<kinbody>{body}</kinbody>")
    alone = f"<kinbody name='k' skipgeometry='1'>{body}</kinbody>"
    (tmp_path / "skipping.xml").write_text(alone)
    scene = read(f"<environment>{text.replace('@', body)}</environment>", tmp_path)
    assert sizes(scene) == [None if skipped else (1, 1, 1)]
    assert [p.code for p in scene.problems] == ["unused-attribute"] * ignored
    assert sizes(read(alone)) == [None]


def test_a_link_skips_no_geometry(read):
    scene = read(
        f"<kinbody name='k'><body name='a' skipgeometry='true'>{BOX}</body></kinbody>"
    )
    assert sizes(scene) == [(1, 1, 1)]
    (problem,) = scene.problems
    assert "that of the outermost element" in problem.message


def test_the_prefix_of_a_file_stands_behind_that_of_what_includes_it(read, tmp_path):
    (tmp_path / "part.xml").write_text(
        f"<robot prefix='own_'>{LINK}{arms('x')}</robot>"
    )
    scene = read(
        "<environment><robot name='r' prefix='left_' file='part.xml'/></environment>",
        tmp_path,
    )
    (robot,) = scene.robots
    assert robot.links[0].name == "left_own_l"
    assert robot.manipulators[0].name == "left_own_x"


def test_what_belongs_into_a_kinbody_is_not_read_in_a_robot(read):
    inside = (
        "<body name='b'/><joint name='j'><body>a</body><body>a</body></joint>"
        "<adjacent>a b</adjacent><mass/><modelsdir>x</modelsdir>"
        "<transparency>0.5</transparency><diffusecolor>1 0 0</diffusecolor>"
    )
    text = f"<robot name='r'><kinbody><body name='a'/></kinbody>{inside}</robot>"
    (robot,) = read(text).robots
    assert [link.name for link in robot.links] == ["a"]
    problems = read(text).problems
    assert [p.code for p in problems] == ["unused-tag"] * 7
    assert problems[0].hint == "put it into a <kinbody> of the robot"
    # and is kept
    kept = [key for key, _ in robot.readables]
    assert kept[:2] == ["body", "joint"]


def test_a_robot_without_a_kinbody_has_no_link():
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string("<robot name='r'><body name='a'/></robot>")
    assert "no-link" in {problem.code for problem in caught.value.problems}


def test_what_a_scaled_file_gives_is_saved_at_its_place(tmp_path):
    (tmp_path / "part.xml").write_text(
        f"<kinbody><body name='p'>{BOX}</body></kinbody>"
    )
    (tmp_path / "scene.xml").write_text(
        "<environment><kinbody name='k' file='part.xml' scalegeometry='2 5'>"
        "<translation>1 0 0</translation></kinbody></environment>"
    )
    env = pyrave.load(tmp_path / "scene.xml")
    env.bodies[0].transform = [1, 0, 0, 0, 1, 2, 3]
    env.save(tmp_path / "again.xml")
    again = pyrave.load(tmp_path / "again.xml")
    assert again.describe().bodies == env.describe().bodies
