"""A file that many bodies include is read once; each body is as if it were alone."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import pytest
from scene_files import scene_beside

from pyrave.formats import ReadContext, Resolver, XmlLimits, read_scene_text
from pyrave.formats.openrave_xml.elements import joint as joint_module
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.scene import Readable, SceneDescription, body_from_boxes

HAND = scene_beside(__file__, "reuse_hand.kinbody.xml")
ROBOT = """<robot>
  <kinbody file="hand.xml"/>
  <manipulator name="m"><base>palm</base><effector>tip</effector>
    <direction>1 0 0</direction>
    <iksolver>Solver free f</iksolver></manipulator>
  <attachedsensor name="s"><link>tip</link><sensor type="L"><tag/></sensor>
  </attachedsensor>
  <controller type="C"/><jointvalues>1.5</jointvalues><note/>
</robot>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hand.xml").write_text(HAND)
    (tmp_path / "robot.xml").write_text(ROBOT)
    return tmp_path


def element(index: int, attributes: str = "prefix='p{0}_'") -> str:
    return (
        f"<robot file='robot.xml' name='r{index}' {attributes.format(index)}>"
        f"<translation>{index} 0 0</translation></robot>"
    )


def located(robot):
    """Return a robot and what takes no part in comparisons."""
    composition = robot.composition
    parts = [*robot.links, *robot.joints, *robot.manipulators, *robot.attached_sensors]
    return (
        robot,
        dataclasses.replace(composition, source=None),
        [part.location for part in parts],
    )


@pytest.mark.parametrize(
    "attributes", ["", "prefix='p{0}_'", "scalegeometry='2'", "skipgeometry='1'"]
)
def test_each_is_as_if_it_were_alone(read, folder, attributes):
    elements = [element(i, attributes) for i in range(4)]
    together = read(f"<environment>{''.join(elements)}</environment>", folder)
    for one, found in zip(elements, together.robots, strict=True):
        alone = read(f"<environment>{one}</environment>", folder)
        assert located(found) == located(alone.robots[0])
    assert len(together.interfaces) == 4
    codes = [problem.code for problem in together.problems]
    assert codes == [problem.code for problem in alone.problems]


def test_attributes_that_matter_are_told_apart(read, folder):
    robots = read(
        "<environment>"
        + element(0, "scalegeometry='1'")
        + element(1, "scalegeometry='2'")
        + element(2, "skipgeometry='1'")
        + element(3, "type='Mine'")
        + "<kinbody file='hand.xml' name='r4'/>"
        + "<robot file='hand.xml' name='r5'/>"
        + "</environment>",
        folder,
    ).bodies
    shapes = [body.links[0].geometries for body in robots]
    sizes = [one[0].shape.half_extents[0] if one else None for one in shapes]
    assert sizes == [1, 2, None, 1, 1, 1]
    assert [body.interface for body in robots] == ["", "", "", "Mine", "", ""]
    assert [hasattr(b, "manipulators") for b in robots] == [True] * 4 + [False, True]


def test_files_are_read_once(read, folder, monkeypatch):
    names = []
    read_joint = joint_module.read_joint

    def counted(element, *rest):
        names.append(element.get("name"))
        return read_joint(element, *rest)

    monkeypatch.setattr("pyrave.formats.openrave_xml.elements.body.read_joint", counted)
    text = "".join(map(element, range(60)))
    scene = read(f"<environment>{text}</environment>", folder)
    assert len(scene.robots) == 60
    assert names == ["f", "g"]


def test_files_of_other_formats_are_read_once(folder):
    (folder / "cup.stl").write_text("solid a\nendsolid a")
    read = []

    def read_other(path, scale, skip):
        read.append((path, scale, skip))
        body = body_from_boxes("cup", [[0, 0, 0, *scale]])
        return SceneDescription((body,), uri=path)

    context = ReadContext(resolver=Resolver((folder,)), read_other=read_other)
    text = "".join(f"<kinbody name='c{i}' file='cup.stl'/>" for i in range(9))
    text += "<kinbody name='large' file='cup.stl' scalegeometry='2'/>"
    scene = read_scene_text(
        f"<environment>{text}</environment>", [OpenRAVEXmlFormat()], context
    )
    assert len(scene.bodies) == 10
    assert [scale for _, scale, _ in read] == [(1, 1, 1), (2, 2, 2)]


@dataclass
class Changing(Readable):
    """What a custom reader should not return: data that can change."""

    calls: int


@dataclass(frozen=True)
class Lasting(Readable):
    """What a custom reader should return."""

    calls: int


@pytest.mark.parametrize(("kind", "calls"), [(Changing, 3), (Lasting, 1)])
def test_readables_that_can_change_are_not_shared(read, folder, kind, calls):
    made = []

    def reader(_element, _context):
        made.append(kind(len(made)))
        return made[-1]

    def find(interface_type, tag):
        return reader if (interface_type, tag) == ("robot", "note") else None

    text = "".join(map(element, range(3)))
    scene = read(f"<environment>{text}</environment>", folder, find_reader=find)
    assert len(made) == calls
    found = [dict(robot.readables)["note"].calls for robot in scene.robots]
    assert found == (list(range(3)) if calls == 3 else [0, 0, 0])


def test_what_is_reused_counts_as_if_it_were_read(read, folder, refuse):
    text = f"<environment>{''.join(map(element, range(6)))}</environment>"
    for limits in (XmlLimits(inclusions=9), XmlLimits(elements=200)):
        problems = refuse(text, folder, limits=limits)
        assert "too-many-inclusions" in {problem.code for problem in problems}
    assert len(read(text, folder, limits=XmlLimits(inclusions=12)).bodies) == 6


def test_files_with_errors_are_refused_once(folder, refuse):
    (folder / "hand.xml").write_text(HAND.replace(">1 2<", ">x 2<"))
    problems = refuse(
        f"<environment>{''.join(map(element, range(3)))}</environment>", folder
    )
    assert [p.code for p in problems if p.severity.name == "ERROR"] == ["bad-number"]


def test_a_file_inside_of_different_files(read, folder):
    parts = [
        f"<robot><kinbody file='hand.xml'/><note{i}/><kinbody><body name='own{i}'/>"
        "</kinbody></robot>"
        for i in range(3)
    ]
    for i, part in enumerate(parts):
        (folder / f"part{i}.xml").write_text(part)
    text = "".join(f"<robot name='r{i}' file='part{i}.xml'/>" for i in range(3))
    scene = read(f"<environment>{text}</environment>", folder)
    for i, robot in enumerate(scene.robots):
        assert [key for key, _ in robot.readables] == [f"note{i}"]
        names = [link.name for link in robot.links]
        assert names == ["palm", "finger", "tip", f"own{i}"]
