"""``name=`` and ``prefix=``: a file of any format under other names."""

from __future__ import annotations

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.formats.new_names import renamed

ROBOT = scene_beside(__file__, "names_of_callers.robot.xml")
SUFFIXES = (".robot.xml", ".dae", ".zae", ".urdf", ".wc.xml")


@pytest.fixture(params=SUFFIXES)
def file(request, tmp_path):
    source = tmp_path / "source.xml"
    source.write_text(ROBOT)
    path = tmp_path / f"crane{request.param}"
    pyrave.convert(source, path)
    return path


def named(body):
    """Return the names of all that a body consists of."""
    return {
        "links": [link.name for link in body.links],
        "joints": [joint.name for joint in body.joints],
        "manipulators": [one.name for one in body.manipulators],
        "frames": [frame.name for frame in body.frames],
        "ends": [(one.base, one.end_effector) for one in body.manipulators],
        "adjacent": sorted(body.adjacent),
    }


def prefixed(value):
    if isinstance(value, str):
        return f"left_{value}" if value else value
    return type(value)(map(prefixed, value))


def test_a_file_of_each_format_takes_a_name_and_a_prefix(file):
    plain, other = pyrave.read(file), pyrave.read(file, name="left", prefix="left_")
    (before,), (after,) = plain.bodies, other.bodies
    assert after.name == "left"
    wanted = {key: prefixed(value) for key, value in named(before).items()}
    wanted["adjacent"].sort()
    assert named(after) == wanted
    assert pyrave.read(file, prefix="left_").bodies[0].name == before.name
    assert pyrave.read(file, name="left").bodies[0].links == before.links
    both = pyrave.load(file)
    both.load(file, name="left", prefix="left_")
    first, second = both.robots
    for robot in (first, second):
        robot.dof_values = [0.3]
    np.testing.assert_allclose(
        second.link_transforms, first.link_transforms, atol=1e-12
    )
    assert abs(second.links["left_hook"].transform[1, 0]) > 0.5  # it follows


def test_attributes_mean_the_same(file):
    given = {"name": "left", "prefix": "left_"}
    one, other = pyrave.read(file, **given), pyrave.read(file, attributes=given)
    assert one.bodies == other.bodies


def test_what_was_renamed_is_saved_and_read_again(file, tmp_path):
    env = pyrave.load(file, name="left", prefix="left_")
    env.save(tmp_path / "again.robot.xml")
    again = pyrave.read(tmp_path / "again.robot.xml")
    assert pyrave.scene.same(again.bodies[0], env.describe().bodies[0])


SCENE = f"""<environment>{ROBOT}
<kinbody name="box"><body name="b"><geom type="box"><extents>1 1 1</extents></geom>
</body></kinbody></environment>"""


def test_several_bodies_have_the_prefix_and_what_holds_them_follows():
    env = pyrave.load_string(SCENE)
    env.robots[0].grab(env.bodies["box"], "hook")
    scene = env.describe()
    found = renamed(scene, prefix="b_")
    assert [body.name for body in found.bodies] == ["b_crane", "b_box"]
    (grab,) = found.grabs
    assert (grab.holder, grab.link, grab.body) == ("b_crane", "b_hook", "b_box")
    env.add_scene(found)
    assert env.bodies.names == ("crane", "box", "b_crane", "b_box")
    assert env.bodies["b_box"].holder is env.bodies["b_crane"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "x"}, r"holds 2 bodies \(crane, box\), expected one; prefix= goes"),
        ({"prefix": "a b"}, "prefix is 'a b', which has blanks"),
        ({"name": 3}, "name is 3, expected a text"),
        ({"prefix": None}, "prefix is None, expected a text"),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    env = pyrave.Environment()
    with pytest.raises(pyrave.ArgumentError, match=message):
        env.load_string(SCENE, **given)
    assert not env.bodies


def test_nothing_can_be_named_without_a_body():
    with pytest.raises(pyrave.ArgumentError, match="holds no body"):
        pyrave.load_string("<environment/>", name="x")
