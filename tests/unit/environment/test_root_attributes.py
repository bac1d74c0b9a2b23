"""``attributes=``: what a caller adds to the root element of OpenRAVE XML."""

from __future__ import annotations

import pytest

import pyrave

ROBOT = """<robot name="r" prefix="own_"><kinbody>
<body name="l"><geom type="box"><extents>1 1 1</extents></geom></body><body name="m"/>
<joint name="j"><body>l</body><body>m</body><axis>0 0 1</axis></joint></kinbody>
<manipulator name="arm"><base>l</base><effector>m</effector></manipulator>
</robot>"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(ROBOT)
    return path


def test_one_file_gives_several_robots(file, tmp_path):
    env = pyrave.Environment()
    env.load(file)
    env.load(file, attributes={"name": "left", "Prefix": "left_", "scalegeometry": 0.5})
    env.load_string(ROBOT, attributes={"name": "wide", "scalegeometry": [1, 2, 3]})
    assert env.bodies.names == ("r", "left", "wide")
    left = env.robots["left"]
    assert [link.name for link in left.links] == ["left_l", "left_m"]
    assert [arm.name for arm in left.manipulators] == ["left_arm"]
    assert left.joints[0].name == "left_j"
    sizes = [b.links[0].geometries[0].half_extents.tolist() for b in env.bodies]
    assert sizes == [[1, 1, 1], [0.5, 0.5, 0.5], [1, 2, 3]]
    env.save(tmp_path / "all.xml")
    again = pyrave.load(tmp_path / "all.xml")
    assert again.describe().bodies == env.describe().bodies


def test_all_ways_to_read_take_them(file):
    given = {"name": "q", "skipgeometry": True}
    env = pyrave.Environment()
    found = (
        pyrave.read(file, attributes=given),
        env.read(file, attributes=given),
        pyrave.load(file, attributes=given).describe(),
        pyrave.load_string(ROBOT, attributes=given).describe(),
    )
    for scene in found:
        assert scene.bodies[0].name == "q"
        assert not scene.bodies[0].links[0].geometries


def test_an_environment_takes_its_name_and_tells_of_others():
    text = f'<environment name="e">{ROBOT}</environment>'
    env = pyrave.load_string(text, attributes={"name": "f", "prefix": "x_"})
    assert env.describe().name == "f"
    (problem,) = env.problems
    assert "unknown attribute 'prefix' of <environment>" in problem.message
    assert env.bodies[0].links[0].name == "own_l"


def test_unknown_ones_are_told(file):
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(file, strict=True, attributes={"nam": "x"})
    (problem,) = caught.value.problems
    assert problem.code == "unknown-attribute"
    assert problem.hint == "did you mean 'name'?"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1], r"attributes is \[1\], expected a dict"),
        ({1: "a"}, "expected a dict of names"),
        ({"name": None}, "attribute 'name' is None, expected a text"),
        ({"name": ["a"]}, "attribute 'name' is .*, expected a text"),
    ],
)
def test_what_is_no_attribute_is_refused(file, given, message):
    with pytest.raises(pyrave.ArgumentError, match=message):
        pyrave.load(file, attributes=given)


def test_formats_without_such_attributes_refuse_them(tmp_path):
    mesh = tmp_path / "m.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    message = r"\(name, scalegeometry\), but .*m.obj is of .* a name and a prefix alone"
    with pytest.raises(pyrave.ArgumentError, match=message):
        pyrave.load(mesh, attributes={"name": "q", "scalegeometry": 2})
    env = pyrave.load(mesh, attributes={"Name": "q"})
    assert env.bodies.names == ("q",)


def test_they_are_those_of_the_root_alone(file, tmp_path):
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    main = tmp_path / "main.xml"
    main.write_text('<kinbody name="k"><kinbody file="m.obj"/></kinbody>')
    assert pyrave.load(main, attributes={"name": "n"}).bodies.names == ("n",)
