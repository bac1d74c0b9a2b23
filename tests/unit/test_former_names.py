"""Former names work for a while, and warn at the line that uses them."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
import types
from pathlib import Path

import pytest
from packaging.version import Version

import pyrave
from pyrave._lazy import exports
from pyrave.attributes import Closed
from pyrave.errors import ArgumentError, AttributeNameError
from pyrave.former_names import (
    NewName,
    former_arguments,
    former_attributes,
    warn_of_end,
)

ROOT = Path(__file__).parents[2]
GONE = "pyrave 9.9"


@former_arguments(fov=NewName("field_of_view", GONE))
@dataclasses.dataclass(frozen=True)
class Lens(Closed):
    """A record with a field that had another name."""

    field_of_view: float
    fov = NewName("field_of_view", GONE)


class Camera(Closed):
    """An object with an attribute and a method that had other names."""

    def __init__(self) -> None:
        self.gain = 1.0

    def take(self, count=1):
        return [self.gain] * count

    amplification = NewName("gain", GONE)
    grab = NewName("take", GONE)


def ends(text):
    """Expect exactly this warning, at a line of this file."""
    return pytest.warns(DeprecationWarning, match=f"^{text}$")


def test_attributes_and_methods_are_those_of_the_new_name():
    camera = Camera()
    with ends("Camera.amplification goes in pyrave 9.9: it is 'gain' now") as told:
        camera.amplification = 2.0
    assert told[0].filename == __file__
    with ends("Camera.amplification goes .*"):
        assert camera.amplification == camera.gain == 2.0
    with ends("Camera.grab goes in pyrave 9.9: it is 'take' now"):
        assert camera.grab(count=2) == [2.0, 2.0]
    with ends("Camera.grab goes .*"):
        assert Camera.grab is Camera.take
    assert "take" in dir(camera)
    assert "grab" not in dir(camera), "who looks for names finds the new ones"


def test_records_and_arguments_take_former_names():
    with ends(r"Lens\(fov=\) goes in pyrave 9.9: it is 'field_of_view' now"):
        lens = Lens(fov=0.5)
    assert lens == Lens(0.5)
    with ends(r"Lens\(fov=\) goes .*") as told:
        assert dataclasses.replace(lens, fov=0.6).field_of_view == 0.6
    assert told[0].filename == __file__
    with ends("Lens.fov goes .*"):
        assert lens.fov == 0.5
    both = r"Lens\(\) got both 'fov' and 'field_of_view'.*give 'field_of_view'"
    with pytest.raises(ArgumentError, match=both):
        Lens(fov=1.0, field_of_view=1.0)


def test_python_is_suggested_no_name_for_a_submodule(monkeypatch, tmp_path):
    # its import system asks whether a package has one before it imports it
    (tmp_path / "camra.py").touch()
    package = types.ModuleType("acme")
    package.__all__, package.__path__ = ["Camera"], [str(tmp_path)]
    package.__getattr__, package.__dir__ = exports("acme", {})
    monkeypatch.setitem(sys.modules, "acme", package)
    with pytest.raises(AttributeError) as told:
        _ = package.camra
    assert type(told.value) is AttributeError


def test_names_of_packages(monkeypatch):
    package = types.ModuleType("acme")
    package.__all__ = ["Camera"]
    package.__getattr__, package.__dir__ = exports(
        "acme", {}, former={"Cam": NewName("Camera", GONE)}
    )
    package.Camera = Camera
    monkeypatch.setitem(sys.modules, "acme", package)
    with ends("acme.Cam goes in pyrave 9.9: it is 'Camera' now"):
        assert package.Cam is Camera
    assert dir(package) == ["Camera"]
    with pytest.raises(AttributeNameError, match="did you mean 'Camera'"):
        _ = package.Camra


def test_ends_without_a_new_name_say_what_to_do():
    with ends("Camera.warm goes in pyrave 9.9: leave it out, it has no effect"):
        warn_of_end("Camera.warm", GONE, "leave it out, it has no effect")


def test_a_program_sees_each_line_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from pyrave.former_names import NewName\n"
        "class Camera:\n"
        "    gain = 1\n"
        "    amplification = NewName('gain', 'pyrave 9.9')\n"
        "for _ in range(3):\n"
        "    Camera().amplification\n"
        "Camera().amplification\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True
    )
    lines = [one for one in done.stderr.splitlines() if "DeprecationWarning" in one]
    assert [one.split(":")[1] for one in lines] == ["6", "7"]


def overdue(source, version):
    """Return what a source still has that was to be gone in a version of pyrave."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    texts = [
        text.value
        for call in calls
        if getattr(call.func, "id", "") in {"NewName", "warn_of_end"}
        for text in ast.walk(call)
        if isinstance(text, ast.Constant) and str(text.value).startswith("pyrave ")
    ]
    return [one for one in texts if Version(one.split()[1]) <= Version(version)]


def test_nothing_is_kept_longer_than_it_said():
    old = 'a = NewName("b", "pyrave 0.4")\nwarn_of_end("c", "pyrave 0.5", "do d")'
    assert overdue(old, "0.3.1") == []
    assert overdue(old, "0.4.0") == ["pyrave 0.4"]
    assert overdue(old, "1.0") == ["pyrave 0.4", "pyrave 0.5"]
    for path in (*ROOT.glob("core/**/*.py"), *ROOT.glob("plugins/**/*.py")):
        source = path.read_text("utf-8")
        if "NewName(" in source or "warn_of_end(" in source:
            assert not overdue(source, pyrave.__version__), f"remove it from {path}"


def test_a_module_of_others_answers_its_former_names(monkeypatch):
    shapes = types.ModuleType("acme_shapes")
    shapes.ConvexHull = list
    new = NewName("ConvexHull", "acme 3.0")
    shapes.__getattr__ = former_attributes("acme_shapes", Hull=new)
    monkeypatch.setitem(sys.modules, "acme_shapes", shapes)
    with pytest.warns(DeprecationWarning, match=r"acme_shapes\.Hull goes in") as told:
        assert shapes.Hull is list
    assert told[0].filename == __file__
    with pytest.raises(AttributeError, match="'acme_shapes' has no attribute 'Hul'"):
        _ = shapes.Hul
