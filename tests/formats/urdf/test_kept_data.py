"""What URDF leaves as data is known in OpenRAVE XML, too: it comes back untold."""

from __future__ import annotations

import pytest
from scene_files import scene_beside

import pyrave
from pyrave_urdf.extras import safety_controller

ROBOT = scene_beside(__file__, "kept_data.urdf")
SRDF = """<robot name="r">
  <group name="arm"><chain base_link="a" tip_link="b"/></group>
  <group_state name="home" group="arm"><joint name="j" value="1"/></group_state>
</robot>"""


def test_it_comes_back_without_a_warning(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    (tmp_path / "r.srdf").write_text(SRDF)
    env = pyrave.load(tmp_path / "r.urdf")
    assert {problem.code for problem in env.problems} == {"acts-nowhere"}
    env.save(tmp_path / "r.env.xml")
    again = pyrave.load(tmp_path / "r.env.xml", strict=True)
    assert again.robots[0].describe().links == env.robots[0].describe().links
    assert again.robots[0].describe().joints == env.robots[0].describe().joints
    kept, read = (one.robots[0].describe().readables for one in (env, again))
    assert [key for key, _ in kept] == [
        *("transmission", "gazebo", "ros2_control", "srdf"),
    ]
    assert kept == read
    shown = repr(env.robots[0].readables)
    assert shown == "<readables: transmission, gazebo, ros2_control, srdf>"


def test_data_that_is_no_number_is_told_with_its_place(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    pyrave.convert(tmp_path / "r.urdf", tmp_path / "r.env.xml")
    path = tmp_path / "wrong.env.xml"
    text = (
        (tmp_path / "r.env.xml")
        .read_text()
        .replace('k_velocity="1"', 'k_velocity="so"')
    )
    path.write_text(text)
    joint = pyrave.load(path).robots[0].joints["j"]
    with pytest.raises(pyrave.SceneError) as caught:
        safety_controller(joint)
    problem = caught.value.first
    assert (problem.code, problem.file) == ("bad-number", str(path))
    assert 'k_velocity="so"' in text.splitlines()[problem.line - 1]
    assert "k_velocity='so', expected numbers" in problem.message


@pytest.mark.parametrize(
    ("robot", "told"),
    [
        ("<kinbody><body name='a'/></kinbody><gazebo/>", 0),
        ("<kinbody><body name='a'><gazebo/></body></kinbody>", 0),
        ("<kinbody><body name='a'/></kinbody><dynamics/>", 1),
        ("<kinbody><body name='a'><dynamics/></body></kinbody>", 1),
        ("<kinbody><body><geom type='none'><gazebo/></geom></body></kinbody>", 1),
    ],
)
def test_they_are_known_only_where_urdf_has_them(robot, told):
    report = pyrave.Environment().load_string(f"<robot name='r'>{robot}</robot>")
    assert [problem.code for problem in report.problems] == ["unknown-tag"] * told


def test_plugins_read_tags_in_parts_of_bodies():
    env = pyrave.Environment()

    def read(element, context):
        assert element.tag == "paint"
        return pyrave.XmlReadable(context.as_written(element))

    text = (
        "<kinbody name='k'><body name='a'><Paint Shade='Red'/>"
        "<geom type='none'><paint/></geom></body></kinbody>"
    )
    with env.registry.register_xml_reader("link", "paint", read):
        report = env.load_string(text)
    assert [problem.code for problem in report.problems] == ["unknown-tag"]
    (link,) = env.bodies[0].describe().links
    ((key, readable),) = link.readables
    assert key == "paint"
    assert readable.element.tag == "Paint"
    assert readable.element.attributes == (("Shade", "Red"),)


VENDOR = """<robot name="r">
  <link name="a"><weird>1</weird>
    <collision><geometry><box size="1 1 1"/></geometry><foo/></collision></link>
  <link name="b"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
    <axis xyz="0 0 1"/><oops/><dynamics damping="1"/></joint>
  <gazebo reference="a"><kp>1</kp></gazebo>
  <strange/>
</robot>"""


@pytest.mark.parametrize("is_file", [True, False])
def test_what_nobody_reads_is_no_tag_and_keeps_its_order(tmp_path, is_file):
    env = pyrave.Environment()
    if is_file:
        (tmp_path / "r.urdf").write_text(VENDOR)
        env.load(tmp_path / "r.urdf")
    else:
        env.load_string(VENDOR)
    (loss,) = env.save(tmp_path / "r.robot.xml")
    assert loss == (
        "warning: data that nothing reads are for pyrave alone: 'foo of a geom', "
        "'weird of a body', 'oops of a joint', 'strange of a robot'"
    )
    again = pyrave.read(tmp_path / "r.robot.xml", strict=True)
    assert again.bodies == env.describe().bodies
    assert [key for key, _ in again.bodies[0].links[0].readables] == ["weird", "gazebo"]
