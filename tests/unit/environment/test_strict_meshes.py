"""Meshes are opened when they are used, and all of them by strict loads and checks."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.environment.files import shared_meshes

TETRAHEDRON = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 2 3
f 1 2 4
f 1 3 4
f 2 3 4
"""
DAMAGED = TETRAHEDRON.replace("f 1 2 4", "f 1 2 99")
PLAIN = "mtllib gone.mtl\nusemtl red\n" + TETRAHEDRON


@pytest.fixture
def scene(tmp_path):
    def write(shape: str, render: str = TETRAHEDRON, tag: str = "data"):
        (tmp_path / "shape.obj").write_text(shape)
        (tmp_path / "render.obj").write_text(render)
        file = tmp_path / "scene.xml"
        geom = f"<{tag}>shape.obj</{tag}>\n<render>render.obj</render>"
        file.write_text(
            f'<environment><kinbody name="b">\n<body>\n<geom type="trimesh">{geom}'
            "</geom></body></kinbody></environment>"
        )
        return file

    return write


@pytest.mark.parametrize("broken", ["shape", "render"])
def test_a_strict_load_refuses_damaged_meshes_with_their_places(scene, broken):
    texts = {"shape": TETRAHEDRON, "render": TETRAHEDRON, broken: DAMAGED}
    file = scene(**texts)
    for load in (pyrave.load, pyrave.read):
        with pytest.raises(pyrave.SceneError) as caught:
            load(file, strict=True)
        (problem,) = caught.value.problems
        assert problem.file == str(file.parent / f"{broken}.obj")
        assert problem.line == 6
        assert problem.named_at == (f"{file}:3",)
        assert f"(named at {file}:3)" in str(caught.value)


def test_other_loads_open_no_mesh(scene, monkeypatch):
    file = scene(DAMAGED)
    opened = []
    monkeypatch.setattr(
        shared_meshes, "load_shared", lambda reference, *_: opened.append(reference)
    )
    with pyrave.load(file) as env:
        assert not env.problems
    assert not opened


def test_a_strict_load_refuses_warnings_of_meshes_also_of_those_in_use(scene):
    file = scene(PLAIN)
    with pyrave.load(file) as env:
        # read before: its warning was told then
        assert env.bodies["b"].links[0].geometries[0].mesh is not None
        (warned,) = env.problems
        with pytest.raises(pyrave.SceneError) as caught:
            pyrave.load(file, strict=True)
    (problem,) = caught.value.problems
    assert problem.code == warned.code == "mesh-detail"
    assert (problem.file, problem.line) == (str(file.parent / "shape.obj"), 1)
    assert problem.named_at == (f"{file}:3",)


def test_a_mesh_that_many_name_is_told_once(scene):
    file = scene(DAMAGED)
    file.write_text(file.read_text().replace("render.obj", "shape.obj"))
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(file, strict=True)
    assert len(caught.value.problems) == 1


def test_sound_meshes_pass(scene):
    with pyrave.load(scene(TETRAHEDRON), strict=True) as env:
        assert not env.problems
