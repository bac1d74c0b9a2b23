"""Mistakes in calls end in an error of pyrave that names the argument."""

from pathlib import Path

import pytest

import pyrave
from pyrave import ArgumentError, Environment, NotFoundError, ResourceError

MISTAKES = [
    (lambda e: e.save("/nonexistent/a.env.xml"), ResourceError, "/nonexistent"),
    (lambda e: e.save(None), ArgumentError, "target is None"),
    (lambda e: e.load(None), ArgumentError, "source is None"),
    (lambda e: e.load(""), ArgumentError, "source is ''"),
    (lambda e: e.read(3), ArgumentError, "source is 3"),
    (lambda e: e.load_string(123), ArgumentError, "int"),
    (lambda e: e.load_string(None), ArgumentError, "NoneType"),
    (lambda _: pyrave.load(None), ArgumentError, "source is None"),
    (lambda _: pyrave.load_string(123), ArgumentError, "int"),
    (lambda _: pyrave.read(None), ArgumentError, "source is None"),
    (lambda _: pyrave.convert(None, "a.env.xml"), ArgumentError, "source is None"),
    (lambda e: e.load("x", resource_roots=3), ArgumentError, "resource_roots is 3"),
    (lambda e: e.load("x", resource_roots=None), ArgumentError, "resource_roots"),
    (lambda e: e.load("x", resource_roots=b"x"), ArgumentError, "resource_roots"),
    (lambda e: e.load("x", resource_roots=[3]), ArgumentError, "resource_roots"),
    (lambda e: e.load("x", plugin_paths=[None]), ArgumentError, "plugin_paths"),
    (
        lambda e: e.load("x", rename_=1),
        ArgumentError,
        "'rename_', did you mean 'rename'",
    ),
    (lambda e: e.load_string("", roots=1), ArgumentError, "unknown option 'roots'"),
    (lambda e: e.read("x", rename=True), ArgumentError, "unknown option 'rename'"),
    (lambda e: e.read("x", allow_code="no"), ArgumentError, "allow_code is 'no'"),
    (lambda e: e.save("x.dae", srdf=1), ArgumentError, "srdf is 1, expected True"),
    (lambda e: e.save("x", expanded=True), ArgumentError, "did you mean 'expand'"),
    (lambda _: pyrave.convert("a", "b", bod=""), ArgumentError, "did you mean 'body'"),
    (lambda e: e.robots[0].grab("mug"), NotFoundError, "mug"),
    (lambda e: e.robots[0].grab(None), ArgumentError, "None"),
    (lambda e: e.robots[0].grab(3), ArgumentError, "3"),
    (lambda e: e.robots[0].release("mug"), NotFoundError, "mug"),
    (lambda e: e.robots[0].release(3), ArgumentError, "3"),
    (lambda e: e.add(None), ArgumentError, "None cannot be added"),
    (lambda e: e.add("x"), ArgumentError, "'x' cannot be added"),
    (lambda e: e.remove(None), ArgumentError, "None cannot be removed"),
    (lambda e: e.remove("x"), NotFoundError, "'x'"),
    (lambda e: e.create(None, "x"), ArgumentError, "interface type is None"),
    (lambda e: e.create("sensor", 3), ArgumentError, "3"),
    (lambda e: e.create("sensor", None), ArgumentError, "None"),
    (lambda e: e.register("sensor", 3, pyrave.SensorBase), ArgumentError, "3"),
    (lambda e: e.step("a"), ArgumentError, "dt is 'a'"),
    (lambda e: e.step(None), ArgumentError, "dt is None"),
    (lambda e: e.step(float("nan")), ArgumentError, "dt is nan"),
    (lambda e: e.start("1"), ArgumentError, "dt is '1'"),
    (lambda e: e.check_collision("x"), NotFoundError, "no body 'x'"),
    (lambda e: e.check_collision(None), ArgumentError, "first is None"),
    (lambda e: e.check_collision(e.bodies[0], 3), ArgumentError, "second is 3"),
    (
        lambda e: e.check_collision(e.bodies[0], excluded_bodies=[3]),
        ArgumentError,
        "excluded_bodies",
    ),
    (
        lambda e: e.check_collision(e.bodies[0], excluded_links=e.bodies),
        ArgumentError,
        "excluded_links",
    ),
    (lambda e: e.on_body(None), ArgumentError, "body callback None"),
    (lambda e: e.on_collision(3), ArgumentError, "collision callback 3"),
    (
        lambda e: e.create("sensor", "BaseLaser2D").configure("PowerOff"),
        ArgumentError,
        "ConfigureCommand",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), MISTAKES)
def test_a_mistake_is_named(crowded, call, error, text):
    with pytest.raises(error) as caught:
        call(crowded)
    assert text in str(caught.value)
    assert caught.value.__class__.__module__ == "pyrave.errors"


def test_a_body_is_grabbed_by_name(crowded):
    arm, block = crowded.robots["arm"], crowded.bodies["block"]
    arm.grab("block")
    assert arm.grabbed == (block,)
    arm.release("block")
    assert arm.grabbed == ()


@pytest.mark.parametrize("form", [str, Path, lambda p: [str(p)], lambda p: iter([p])])
def test_one_path_is_one_folder(tmp_path, xml, form):
    """A text is iterable, and its letters include the root of the file system."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "part.kinbody.xml").write_text(xml.body("part"))
    scene = "<environment><kinbody file={!r}/></environment>"
    good, bad = (
        scene.format("part.kinbody.xml"),
        scene.format(str(outside / "part.kinbody.xml")),
    )
    file = inside / "scene.env.xml"
    file.write_text(bad)

    def options():
        return {"resource_roots": form(inside), "confine": True}

    assert pyrave.load_string(good, **options()).bodies.names == ("part",)
    for refused in (
        lambda: Environment().load_string(bad, **options()),
        lambda: Environment().load(file, **options()),
        lambda: Environment().read(file, **options()),
        lambda: pyrave.load(file, **options()),
        lambda: pyrave.read(file, **options()),
        lambda: pyrave.convert(file, inside / "b.env.xml", **options()),
    ):
        with pytest.raises(pyrave.Error, match="confine=True allows only"):
            refused()
    assert not (inside / "b.env.xml").exists()


@pytest.mark.parametrize("kind", ["link", "joint", "geometry", "manipulator", "sensor"])
def test_a_part_of_a_body_has_no_other_attributes(crowded, kind):
    robot = crowded.robots[0]
    parts = {
        "link": robot.links[0],
        "joint": robot.joints[0],
        "geometry": robot.links[0].geometries[0],
        "manipulator": robot.manipulators[0],
        "sensor": robot.attached_sensors[0],
    }
    with pytest.raises(AttributeError, match="transfrom"):
        parts[kind].transfrom = 0
