"""What readers of whole elements read is kept once, however often it is saved."""

from dataclasses import dataclass

import pytest

from pyrave.formats import WriteContext
from pyrave.formats.openrave_xml.write.writer import openrave_xml_text
from pyrave.scene import Readable, XmlElement, XmlReadable

KINDS = ("kinbody", "robot", "sensor", "attached", "controller")
LINK = "<body name='b'/>"
TEXTS = {
    "kinbody": f"<kinbody name='n' type='My' {{}}>{LINK}{{}}</kinbody>",
    "robot": f"<robot name='n' type='My' {{}}><kinbody>{LINK}</kinbody>{{}}</robot>",
    "sensor": "<sensor name='n' type='My' {}>{}</sensor>",
    "attached": (
        f"<robot name='n'><kinbody>{LINK}</kinbody><attachedsensor name='s'>"
        "<link>b</link><sensor type='My' {}>{}</sensor></attachedsensor></robot>"
    ),
    "controller": (
        f"<robot name='n'><kinbody>{LINK}</kinbody>"
        "<controller type='My' {}>{}</controller></robot>"
    ),
}
CONTENT = "<gain>2.5</gain><gain>3</gain>"


@dataclass(frozen=True)
class Data(Readable):
    tag: str
    level: str
    gains: tuple[float, ...]

    def to_xml(self):
        children = tuple(XmlElement("gain", (), repr(g)) for g in self.gains)
        return XmlElement(self.tag, (("level", self.level),), "", children)


def read_data(element, _context):
    gains = tuple(float(child.text) for child in element.findall("gain"))
    return Data(element.tag, element.get("level", ""), gains)


def fail(_element, _context):
    raise RuntimeError("no")


def scene_text(name, attributes="", content=""):
    return f"<environment>{TEXTS[name].format(attributes, content)}</environment>"


def kind_of(name):
    return "sensor" if name == "attached" else name


def readers(name, reader, key="my"):
    table = {(kind_of(name), key): reader}
    return lambda kind, tag: table.get((kind, tag))


def item_of(scene, name):
    if name in {"kinbody", "robot"}:
        return scene.bodies[0]
    if name == "attached":
        return scene.bodies[0].attached_sensors[0]
    return scene.interfaces[0]


def rounds(read, text, **context):
    """Yield the scene as read, and after each of three rounds."""
    scene = read(text, **context)
    yield scene
    for _ in range(3):
        text, losses = openrave_xml_text(scene, WriteContext())
        assert losses == []
        scene = read(text, **context)
        yield scene


@pytest.mark.parametrize("name", KINDS)
def test_three_rounds_keep_one_copy(read, name):
    text = scene_text(name, "LEVEL='7'", CONTENT)
    wanted = Data(kind_of(name), "7", (2.5, 3.0))
    for scene in rounds(read, text, find_reader=readers(name, read_data), strict=True):
        assert item_of(scene, name).readables == (("My", wanted),)
        assert scene.problems == ()


@pytest.mark.parametrize("name", KINDS)
def test_without_a_reader_the_same_is_reported_and_kept_once(read, name):
    text = scene_text(name, "level='7'", CONTENT)
    context = {"known_interfaces": lambda _: ["My"]}
    for scene in rounds(read, text, **context):
        (_, attributes), *rest = item_of(scene, name).readables
        assert attributes.element.get("level") == "7"
        assert [readable.element.text for _, readable in rest] == ["2.5", "3"]
        codes = sorted(problem.code for problem in scene.problems)
        assert codes == ["unknown-attribute", "unknown-tag", "unknown-tag"]


@pytest.mark.parametrize("name", KINDS)
def test_a_failing_reader_leaves_plain_xml_once(read, name):
    text = scene_text(name, "", CONTENT)
    for scene in rounds(read, text, find_reader=readers(name, fail)):
        kept = item_of(scene, name).readables
        assert [key for key, _ in kept] == ["gain", "gain"]
        assert all(isinstance(readable, XmlReadable) for _, readable in kept)
        assert [problem.code for problem in scene.problems] == ["reader-failed"]


@pytest.mark.parametrize("name", KINDS)
def test_readers_of_single_tags(read, name):
    text = scene_text(name, "", "<extra level='1'/>")
    found = readers(name, read_data, "extra")
    for scene in rounds(read, text, find_reader=found):
        assert item_of(scene, name).readables == (("extra", Data("extra", "1", ())),)


@pytest.mark.parametrize("name", ["kinbody", "robot", "sensor"])
def test_an_included_element_is_read_by_the_id_of_the_including_one(
    read, name, tmp_path
):
    inner = TEXTS[name].format("level='7'", CONTENT).replace("type='My'", "")
    (tmp_path / "inner.xml").write_text(inner)
    text = f"<environment><{name} file='inner.xml' type='My'/></environment>"
    scene = read(text, tmp_path, find_reader=readers(name, read_data), strict=True)
    assert item_of(scene, name).readables == (("My", Data(name, "7", (2.5, 3.0))),)
