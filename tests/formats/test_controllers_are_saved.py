"""Robots with several controllers are saved, whatever files these come from."""

from __future__ import annotations

import pytest

import pyrave

ROBOT = (
    "<robot name='r'><kinbody><body name='a'/><body name='b'/><joint name='j'><body>a"
    "</body><body>b</body><axis>0 0 1</axis></joint></kinbody>{}</robot>"
)
IDEAL = "<controller type='IdealController'/>"
SPEED = "<controller type='IdealVelocityController'/>"
OWN = "<controller type='IdealController' joints='j'/>"


@pytest.mark.parametrize("inner", ["", IDEAL, IDEAL + SPEED])
@pytest.mark.parametrize("outer", [IDEAL, SPEED, OWN])
@pytest.mark.parametrize("suffix", [".robot.xml", ".env.xml"])
@pytest.mark.parametrize("expand", [True, None])
def test_of_a_file_and_of_what_includes_it(tmp_path, inner, outer, suffix, expand):
    (tmp_path / "inner.xml").write_text(ROBOT.format(inner))
    root = f"<robot file='inner.xml' name='z'>{outer}</robot>"
    (tmp_path / "root.xml").write_text(root)
    scene = pyrave.read(tmp_path / "root.xml")
    assert len(scene.interfaces) == inner.count("<") + 1
    out = tmp_path / f"out{suffix}"
    assert pyrave.convert(tmp_path / "root.xml", out, expand=expand) == ()
    again = pyrave.read(out)
    assert again.interfaces == scene.interfaces
    assert again.bodies == scene.bodies


@pytest.mark.parametrize("inner", ["", IDEAL, IDEAL + SPEED])
def test_of_an_environment(tmp_path, inner):
    (tmp_path / "inner.xml").write_text(ROBOT.format(inner))
    (tmp_path / "scene.xml").write_text(
        f"<environment><robot file='inner.xml'>{SPEED}</robot></environment>"
    )
    scene = pyrave.read(tmp_path / "scene.xml")
    pyrave.convert(tmp_path / "scene.xml", tmp_path / "out.xml")
    assert pyrave.read(tmp_path / "out.xml").interfaces == scene.interfaces
