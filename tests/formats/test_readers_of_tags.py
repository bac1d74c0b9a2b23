"""Readers of single tags are called in every interface, also beside those of ids."""

from __future__ import annotations

import dataclasses

import pytest

import pyrave
from pyrave.interfaces import INTERFACE_TYPES
from pyrave.plugins import default_registry
from pyrave.scene import Readable, XmlElement, XmlReadable

BODY = "<body name='base'><geom type='box'><extents>1 1 1</extents></geom></body>"
OWN = {
    "planner": "BiRRT",
    "robot": "GenericRobot",
    "controller": "IdealController",
    "module": "textserver",
    "iksolver": "Numerical",
    "kinbody": "GenericKinBody",
    "physicsengine": "mujoco",
    "sensor": "BaseLaser2D",
    "collisionchecker": "Native",
    "trajectory": "GenericTrajectory",
    "spacesampler": "Halton",
}


class Base(pyrave.SensorSystemBase):
    """A type of which pyrave has no class of its own."""

    contract = 1


def scene(kind, interface, inside):
    """Return a scene with an object of a type, and what stands in it."""
    inside += BODY if kind == "kinbody" else ""
    inside += f"<kinbody>{BODY}</kinbody>" if kind == "robot" else ""
    of = 'robot="r"' if kind == "controller" else ""
    return (
        f"<environment><robot name='r'><kinbody>{BODY}</kinbody></robot>"
        f'<{kind} type="{interface}" name="x" {of}>{inside}</{kind}></environment>'
    )


def reading(env, kind, tag):
    """Register a reader of a tag; return what it was called with."""
    seen = []

    def reader(element, _context):
        seen.append((element.tag, dict(element.attrib)))
        return XmlReadable(element)

    env.registry.register_xml_reader(kind, tag, reader)
    return seen


def made(env, kind):
    """Return the object of `scene`."""
    if kind in {"kinbody", "robot"}:
        return env.bodies["x"]
    found = {
        "sensor": lambda: env.sensors[0],
        "module": lambda: env.modules[0],
        "controller": lambda: env.robots["r"].controller,
        "physicsengine": lambda: env.physics_engine,
        "collisionchecker": lambda: env.collision_checker,
    }
    return found[kind]() if kind in found else None


@pytest.mark.parametrize("kind", sorted(OWN.keys() & set(INTERFACE_TYPES)))
def test_tags_are_read_in_our_own_interfaces_of_every_type(kind):
    env = pyrave.Environment()
    known = {name.lower() for name in env.registry.ids(kind)}
    interface = OWN[kind] if OWN[kind].lower() in known else min(known)
    seen = reading(env, kind, "serial")
    text = scene(kind, interface, '<serial no="A7"/>')
    report = env.load_string(text, strict=True)
    assert seen == [("serial", {"no": "A7"})]
    item = made(env, kind) or next(
        one for one in report.interfaces if one.interface_type == kind
    )
    assert item.readables.get("serial").element.get("no") == "A7"


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_tags_named_like_the_class_are_tags(kind):
    env = pyrave.Environment()
    seen = reading(env, kind, "special")
    text = scene(kind, "Special", '<special gain="2"/>')
    env.load_string(text)
    assert seen == [("special", {"gain": "2"})]
    assert {problem.code for problem in env.problems} <= {"unknown-interface"}


def test_readers_of_ids_get_whole_elements_without_such_tags():
    env = pyrave.Environment()
    whole = []

    def reader(element, _context):
        whole.append([(one.tag, one.get("Size", one.get("size"))) for one in element])
        return XmlReadable(element)

    env.registry.register_xml_reader("module", "TextServer", reader)
    seen = reading(env, "module", "serial")
    inside = '<a size="1"/><!-- c --><serial no="A7"/><b Size="2"/>'
    env.load_string(scene("module", "textserver", inside), strict=True)
    assert whole == [[("a", "1"), ("b", "2")]]
    assert seen == [("serial", {"no": "A7"})]
    keys = [key for key, _ in env.modules[0].readables.items()]
    assert keys == ["textserver", "serial"]


def test_elements_as_they_are_given_are_kept_as_plain_data():
    env = pyrave.Environment()
    reading(env, "sensor", "serial")
    env.load_string(scene("sensor", "BaseLaser2D", '<Serial No="A7"><X/></Serial>'))
    kept = env.sensors[0].readables["serial"].element
    assert (kept.tag, kept.attributes) == ("Serial", (("No", "A7"),))
    assert [child.tag for child in kept.children] == ["X"]

    def wrong(_element, _context):
        return XmlReadable("A7")

    env.registry.register_xml_reader("sensor", "serial", wrong)
    env.reset()
    env.load_string(scene("sensor", "BaseLaser2D", "<serial/>"), rename=True)
    assert "XmlReadable of a str, expected an element" in str(env.problems[-1])


def test_problems_of_the_rest_are_told_where_they_are():
    env = pyrave.Environment()
    reading(env, "sensor", "serial")
    text = "<serial/>\n<serial/>\n<maxrnge>3</maxrnge>"
    env.load_string(scene("sensor", "BaseLaser2D", text))
    (problem,) = env.problems
    assert (problem.code, problem.line) == ("custom-reader", 3)
    assert "<maxrange>" in str(problem)


SENSORS = sorted(
    name for name in default_registry().xml_reader_tags("sensor") if name[:4] == "Base"
)


@dataclasses.dataclass(frozen=True)
class Serial(Readable):
    """What the tag of these tests says."""

    number: str

    def to_xml(self):
        return XmlElement("serial", (("no", self.number),))


def with_serials():
    """Return an environment in which sensors have serial numbers."""
    env = pyrave.Environment()
    env.registry.register_xml_reader(
        "sensor", "serial", lambda element, _: Serial(element.get("no"))
    )
    return env


@pytest.mark.parametrize("interface", SENSORS)
@pytest.mark.parametrize("suffix", ["env.xml", "dae"])
def test_tags_of_all_our_sensors_are_read_and_written(tmp_path, interface, suffix):
    env = with_serials()
    inside = f'<sensor type="{interface}"><serial no="A7"/><power>3</power></sensor>'
    env.load_string(
        f"<robot name='r'><kinbody>{BODY}</kinbody><attachedsensor name='s'>"
        f"<link>base</link>{inside}</attachedsensor></robot>"
    )
    env.save(tmp_path / f"again.{suffix}")
    again = with_serials()
    again.load(tmp_path / f"again.{suffix}")
    for one in (env, again):
        (mounted,) = one.robots[0].attached_sensors
        assert mounted.sensor.interface_id == interface
        assert mounted.sensor.readables.all("serial") == (Serial("A7"),)


def test_tags_within_a_sensor_of_collada_are_read(tmp_path):
    env = pyrave.Environment()
    env.load_string(
        f"<robot name='r'><kinbody>{BODY}</kinbody><attachedsensor name='s'>"
        "<link>base</link><sensor type='BaseLaser2D'><maxrange>3</maxrange></sensor>"
        "</attachedsensor></robot>"
    )
    env.save(tmp_path / "a.dae")
    text = (tmp_path / "a.dae").read_text()
    text = text.replace("<maxrange>", "<serial no='A7'/><maxrange>")
    (tmp_path / "b.dae").write_text(text)
    env = with_serials()
    env.load(tmp_path / "b.dae")
    (mounted,) = env.robots[0].attached_sensors
    assert mounted.sensor.readables.all("serial") == (Serial("A7"),)


def test_tags_of_a_scene_are_read_and_written(tmp_path):
    env = pyrave.Environment()

    def read(element, context):
        return XmlReadable(context.as_written(element))

    with env.registry.register_xml_reader("environment", "weather", read):
        env.load_string("<environment><Weather sky='grey'/><rain/></environment>")
        (problem,) = env.problems
        assert "unknown tag <rain>" in problem.message
        ((key, weather), _) = env.describe().readables
        assert (key, weather.element) == (
            "weather",
            XmlElement("Weather", (("sky", "grey"),)),
        )
        env.save(tmp_path / "again.env.xml")
        again = env.read(tmp_path / "again.env.xml")
    assert again.readables == env.describe().readables
