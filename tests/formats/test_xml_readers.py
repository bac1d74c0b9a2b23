"""Custom XML readers: by interface id and by tag, on every interface type."""

from dataclasses import dataclass

import pytest

from pyrave.interfaces.types import INTERFACE_TYPES
from pyrave.scene import Readable, XmlElement, XmlReadable


@dataclass(frozen=True)
class Gains(Readable):
    tag: str
    values: tuple[float, ...]
    note: str = ""

    def to_xml(self):
        text = " ".join(map(repr, self.values))
        child = XmlElement("pgains", (), text)
        return XmlElement(self.tag, (("note", self.note),), "", (child,))


def read_gains(element, context):
    found = element.find("pgains")
    values = tuple(map(float, found.text.split()))
    return Gains(element.tag, values, element.get("note", ""))


def readers(table):
    return lambda kind, tag: table.get((kind, tag))


def robot(kind):
    return "robot='r'" if kind == "controller" else ""


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_child_tag_of_every_type(read, kind):
    text = (
        f"<environment><{kind} name='n' type='X' {robot(kind)}><PidData NOTE='hi'>"
        f"<PGains>1 2</PGains></PidData></{kind}></environment>"
    )
    table = {(kind, "piddata"): read_gains}
    scene = read(text, find_reader=readers(table), known_bodies=frozenset("r"))
    item = (*scene.bodies, *scene.interfaces)[0]
    assert item.readables == (("piddata", Gains("piddata", (1.0, 2.0), "hi")),)
    assert scene.problems == ()


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_whole_element_of_every_type(read, kind):
    text = (
        f"<environment><{kind} name='n' type='MyThing arg' {robot(kind)}>"
        "<pgains>3</pgains>"
        f"</{kind}></environment>"
    )
    table = {(kind, "mything"): read_gains}
    scene = read(text, find_reader=readers(table), known_bodies=frozenset("r"))
    item = (*scene.bodies, *scene.interfaces)[0]
    assert dict(item.readables)["MyThing"] == Gains(kind, (3.0,))
    assert item.interface == "MyThing arg"
    assert scene.problems == ()


def test_a_reader_wins_over_a_built_in_tag(read):
    table = {("kinbody", "adjacent"): lambda element, _: Gains(element.tag, ())}
    scene = read(
        "<kinbody name='k'><adjacent>whatever</adjacent></kinbody>",
        find_reader=readers(table),
    )
    assert scene.bodies[0].readables[0][1] == Gains("adjacent", ())


def test_sensors_read_by_id_keep_their_generic_tags(read):
    text = (
        "<robot name='r'><kinbody><body name='b'/></kinbody><attachedsensor name='s'>"
        "<sensor type='Laser' name='x'>"
        "<translation>1 0 0</translation><pgains>1</pgains>"
        "</sensor></attachedsensor></robot>"
    )
    scene = read(text, find_reader=readers({("sensor", "laser"): read_gains}))
    sensor = scene.bodies[0].attached_sensors[0]
    assert sensor.pose.translation == (1, 0, 0)
    assert sensor.readables == (("Laser", Gains("sensor", (1.0,))),)


def test_a_failing_reader_is_a_warning_with_traceback(read, refuse):
    def broken(_element, _context):
        raise KeyError("oops")

    table = {("controller", "piddata"): broken}
    text = "<controller type='C'>\n  <piddata a='1'/></controller>"
    scene = read(text, find_reader=readers(table))
    (problem,) = scene.problems
    assert (problem.code, problem.line, problem.column) == ("reader-failed", 2, 3)
    assert "KeyError" in problem.message
    assert 'raise KeyError("oops")' in problem.traceback
    assert isinstance(scene.interfaces[0].readables[0][1], XmlReadable)
    assert refuse(text, find_reader=readers(table), strict=True)


def test_the_context_tells_places_and_finds_files(read, refuse, tmp_path):
    (tmp_path / "map.txt").write_text("x")
    seen = []

    def reader(element, context):
        child = element.find("inner")
        seen.extend([context.location(child), context.resolve("map.txt")])
        context.warn("odd", child, hint="even")
        if child.get("bad"):
            context.error("wrong", child)
        return Gains("x", ())

    table = readers({("module", "map"): reader})
    text = "<module type='M'><map>\n <Inner {}/></map></module>"
    scene = read(text.format(""), tmp_path, find_reader=table)
    assert (seen[0].line, seen[0].column) == (2, 2)
    assert seen[1] == str(tmp_path / "map.txt")
    assert str(scene.problems[0]).startswith("<string>:2:2: warning: odd")
    problems = refuse(text.format("bad='1'"), tmp_path, find_reader=table)
    assert problems[-1].message == "wrong"


def test_unknown_interface_ids_are_warned_of_once(read):
    scene = read(
        "<environment><sensor type='BaseLazer2D'><minangle>3</minangle></sensor>"
        "</environment>",
        known_interfaces=lambda _: ["BaseLaser2D", "BaseCamera"],
    )
    (problem,) = scene.problems
    assert problem.code == "unknown-interface"
    assert "did you mean 'BaseLaser2D'?" in problem.hint
    assert scene.interfaces[0].readables[0][0] == "minangle"
