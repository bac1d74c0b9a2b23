"""Files that bodies were composed of are named again when a scene is saved."""

from dataclasses import dataclass

import pytest
from scene_files import scene_beside

import pyrave
from pyrave.formats import (
    ReadContext,
    Resolver,
    WriteContext,
    read_scene,
    read_scene_text,
    write_scene,
)
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.scene import ManipulatorDescription, Readable, XmlElement, XmlReadable

ARM = """<kinbody name="arm">
  <translation>0 0 0.25</translation>
  <body name="base"/>
  <body name="tip"><translation>0 0 1</translation>
    <geom type="trimesh"><data>../meshes/tip.obj</data></geom></body>
  <joint name="j"><body>base</body><body>tip</body><axis>0 0 1</axis></joint>
</kinbody>"""
ROBOT = """<robot name="armbot"><kinbody file="arm.xml"/>
  <manipulator name="m"><base>base</base><effector>tip</effector></manipulator>
</robot>"""
HAND = """<kinbody name="hand"><body name="palm"/><body name="finger"/>
  <joint name="f"><body>palm</body><body>finger</body><axis>1 0 0</axis></joint>
</kinbody>"""
SCENE = scene_beside(__file__, "composed.env.xml")


@pytest.fixture
def folder(tmp_path):
    parts, meshes = tmp_path / "from" / "parts", tmp_path / "from" / "meshes"
    parts.mkdir(parents=True)
    meshes.mkdir()
    (meshes / "tip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for name, text in (("arm", ARM), ("armbot", ROBOT), ("hand", HAND)):
        (parts / f"{name}.xml").write_text(text)
    (tmp_path / "from" / "scene.env.xml").write_text(SCENE)
    return tmp_path


@pytest.fixture
def scene(folder):
    return pyrave.read(folder / "from" / "scene.env.xml")


def saved(scene, folder, **options):
    """Write a scene to another folder; return its text and what it reads as."""
    target = folder / "to" / "saved.env.xml"
    target.parent.mkdir(exist_ok=True)
    reading = ReadContext(resolver=Resolver(data_roots=(), use_environment=False))
    context = WriteContext(relative_to=str(target.parent), reading=reading, **options)
    assert write_scene(scene, target, [OpenRAVEXmlFormat()], context) == []
    return target.read_text(), pyrave.read(target)


def test_the_reader_tells_the_parts(scene, folder):
    one, two, plain = scene.bodies
    (part,) = one.composition.parts
    assert (part.kind, part.file, part.name) == ("robot", "parts/armbot.xml", "one")
    assert part.uri == str(folder / "from" / "parts" / "armbot.xml")
    assert (part.links, part.joints, part.manipulators) == (
        ("base", "tip"),
        ("j",),
        ("m",),
    )
    arm, hand = two.composition.parts
    assert (arm.prefix, arm.links, arm.manipulators) == (
        "l_",
        ("l_base", "l_tip"),
        ("l_m",),
    )
    # turned by a quarter about x
    assert arm.pose.rotation == pytest.approx((1, 0, 0, 0, 0, -1, 0, 1, 0))
    assert (hand.prefix, hand.scale, hand.joints) == ("h_", (2.0, 2.0, 2.0), ("h_f",))
    assert plain.composition is None
    assert [path.rpartition("/")[2] for path in one.composition.files] == [
        "armbot.xml",
        "arm.xml",
        "tip.obj",
    ]


def test_composition_is_no_part_of_a_comparison(scene, folder):
    text, again = saved(scene, folder, expand=True)
    assert "file=" not in text
    assert all(body.composition is None for body in again.bodies)
    assert again == scene


def test_files_are_named_again(scene, folder):
    text, again = saved(scene, folder)
    assert again == scene
    assert '<Robot file="../from/parts/armbot.xml" name="one">' in text
    assert 'prefix="l_" file="../from/parts/armbot.xml"' in text
    assert text.count("file=") == 3
    assert "<pyrave>" not in text
    assert again.bodies[1].composition.parts[0].prefix == "l_"
    assert saved(again, folder)[0] == text


def test_what_was_moved_and_added_is_said_beside_the_file(folder):
    env = pyrave.load(folder / "from" / "scene.env.xml")
    robot = env.robots["one"]
    pose = robot.transform
    pose[:3, 3] = 0.1, 0.2, 0.3
    robot.transform = pose
    robot.dof_values = [-0.25]
    robot.add_manipulator(ManipulatorDescription("extra", "base", "tip"))
    env.robots["two"].grab("plain", "l_tip")
    target = folder / "moved.env.xml"
    assert env.save(target) == ("warning: grabs are for pyrave alone: 'plain'",)
    text = target.read_text()
    assert text.count("file=") == 3
    assert "<jointvalues>-0.25</jointvalues>" in text
    assert "1 0 0</translation>" not in text
    again = pyrave.load(target)
    assert again.describe() == env.describe()
    assert [m.name for m in again.robots["one"].manipulators] == ["m", "extra"]
    assert [body.name for body in again.robots["two"].grabbed] == ["plain"]


def test_a_body_that_is_a_file_is_named_by_it(folder):
    env = pyrave.load(folder / "from" / "parts" / "hand.xml")
    env.load(folder / "from" / "parts" / "hand.xml", rename=True)
    target = folder / "from" / "both.env.xml"
    env.save(target)
    text = target.read_text()
    assert '<kinbody file="parts/hand.xml" name="hand"/>' in text
    assert text.count('file="parts/hand.xml"') == 2
    assert pyrave.load(target).describe() == env.describe()


def test_a_file_of_one_object_does_not_name_itself(folder):
    source = folder / "from" / "parts" / "armbot.xml"
    assert pyrave.convert(source, folder / "copy.robot.xml") == ()
    text = (folder / "copy.robot.xml").read_text()
    assert 'file="from/parts/arm.xml"' in text
    assert "armbot.xml" not in text
    assert pyrave.read(folder / "copy.robot.xml") == pyrave.read(source)


@pytest.mark.parametrize("name", ["hand.xml", "arm.xml", "armbot.xml"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_file_that_is_replaced_is_not_named(folder, name, whole):
    target = folder / "from" / "parts" / name
    env = pyrave.load(target if whole else folder / "from" / "scene.env.xml")
    before = env.describe()
    env.save(target)
    assert name not in target.read_text()
    assert pyrave.load(target).describe() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.links[1].name and "enable_link",
        lambda _: "limits",
    ],
)
def test_what_files_do_not_give_is_written_out(folder, change):
    env = pyrave.load(folder / "from" / "scene.env.xml")
    robot = env.robots["one"]
    if change(robot) == "limits":
        robot.dof_velocity_limits = [3.0]
    else:
        robot.enable_link(1, False)
    target = folder / "from" / "changed.env.xml"
    assert env.save(target) == ()
    text = target.read_text()
    assert text.count("file=") == 2
    assert '<robot name="one">' in text
    assert pyrave.load(target).describe() == env.describe()


def test_a_readable_stands_beside_the_file(folder):
    env = pyrave.load(folder / "from" / "scene.env.xml")
    note = XmlReadable(XmlElement("note", text="mine"))
    env.robots["one"].set_readable("note", note)
    target = folder / "from" / "changed.env.xml"
    (lost,) = env.save(target)
    assert lost.endswith("that nothing reads are for pyrave alone: 'note of a robot'")
    assert '<robot name="one">' not in target.read_text()
    assert pyrave.load(target).describe() == env.describe()


@pytest.mark.parametrize("what", ["changed", "gone", "broken"])
def test_files_that_are_no_longer_so_are_written_out(scene, folder, what):
    path = folder / "from" / "parts" / "hand.xml"
    if what == "changed":
        path.write_text(HAND.replace("finger", "thumb"))
    elif what == "gone":
        path.unlink()
    else:
        path.write_text("<kinbody")
    text, again = saved(scene, folder)
    assert again == scene
    assert "hand.xml" not in text
    assert text.count("armbot.xml") == 1  # of the robot that has no hand


def test_reading_again_opens_only_files_of_the_scene(scene, folder):
    """A file that a part was made to include since is not opened."""
    secret = folder / "secret.xml"
    secret.write_text("<kinbody name='s'><body name='secret'/></kinbody>")
    path = folder / "from" / "parts" / "hand.xml"
    path.write_text(HAND.replace("<body", f"<kinbody file='{secret}'/><body", 1))
    text, again = saved(scene, folder)
    assert "secret" not in text
    assert again == scene


def test_controllers_of_files_are_not_said_twice(folder):
    path = folder / "from" / "driven.xml"
    path.write_text(ROBOT.replace("arm.xml", "parts/arm.xml").replace(
        "</robot>", "<controller type='NoController' args='x'/></robot>"
    ))  # fmt: skip
    scene = read_scene(
        write(folder, "<environment><module type='M'/><robot file='driven.xml'/>"
        "<module type='N'/></environment>"),
        [OpenRAVEXmlFormat()],
        ReadContext(),
    )  # fmt: skip
    assert [item.interface for item in scene.interfaces] == ["M", "NoController", "N"]
    text, again = saved(scene, folder)
    assert "driven.xml" in text
    assert "NoController" not in text
    assert again == scene


def write(folder, text):
    path = folder / "from" / "written.env.xml"
    path.write_text(text)
    return path


@dataclass(frozen=True)
class Note(Readable):
    """What the reader of ``<note>`` makes."""

    value: str

    def to_xml(self):
        return XmlElement("note", text=self.value)


def test_what_custom_readers_made_of_a_file_is_not_said_twice(folder):
    path = folder / "from" / "parts" / "hand.xml"
    path.write_text(HAND.replace("</kinbody>", "<note>of the file</note></kinbody>"))
    scene = folder / "from" / "note.env.xml"
    scene.write_text("<environment><kinbody file='parts/hand.xml'/></environment>")
    env = pyrave.Environment()
    env.registry.register_xml_reader(
        "kinbody", "note", lambda element, _context: Note(element.text)
    )
    env.load(scene)
    assert env.bodies[0].readables["note"] == Note("of the file")
    env.save(folder / "from" / "saved.env.xml")
    text = (folder / "from" / "saved.env.xml").read_text()
    assert 'file="parts/hand.xml"' in text
    assert "of the file" not in text
    env.bodies[0].set_readable("note", Note("changed"))
    env.save(folder / "from" / "saved.env.xml")
    text = (folder / "from" / "saved.env.xml").read_text()
    assert "hand.xml" not in text
    assert "<note>changed</note>" in text


def test_scenes_of_texts_have_no_file_to_name(folder):
    found = read_scene_text(
        SCENE, [OpenRAVEXmlFormat()], ReadContext(), folder=str(folder / "from")
    )
    text, again = saved(found, folder)
    assert text.count("file=") == 3
    assert again == found
    alone = read_scene_text(HAND, [OpenRAVEXmlFormat()], ReadContext())
    assert alone.bodies[0].composition is None


def test_confined_reading_confines_reading_again(folder):
    env = pyrave.Environment()
    env.load(
        folder / "from" / "scene.env.xml",
        resource_roots=[folder / "from"],
        confine=True,
    )
    env.save(folder / "from" / "again.env.xml")
    assert (folder / "from" / "again.env.xml").read_text().count("file=") == 3
