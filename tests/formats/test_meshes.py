"""Loading meshes: STL in both forms, OBJ, scale, and clear refusals."""

import struct

import numpy as np
import pytest

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import load_mesh
from pyrave.scene import MeshData, MeshReference
from pyrave_meshes.hooks import pyrave_mesh_formats

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def binary_stl(header=b"made by a test"):
    facets = b"".join(
        struct.pack("<12fH", 0, 0, 0, *CORNERS[face].ravel(), 0) for face in FACES
    )
    return header.ljust(80) + struct.pack("<I", len(FACES)) + facets


def ascii_stl():
    lines = ["solid t"]
    for face in FACES:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*CORNERS[i]) for i in face]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid t"]).encode()


def obj():
    lines = ["# a test", *("v {} {} {}".format(*v) for v in CORNERS)]
    lines += ["f " + " ".join(f"{i + 1}/1/1" for i in face) for face in FACES[:3]]
    return "\n".join([*lines, "f -3 -2 -1"]).encode()


def load(tmp_path, name, data, scale=(1.0, 1.0, 1.0)):
    path = tmp_path / name
    path.write_bytes(data)
    return load_mesh(MeshReference(str(path), scale), pyrave_mesh_formats())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.stl", binary_stl()),
        ("b.STL", binary_stl(b"solid but binary")),
        ("c.stl", ascii_stl()),
        ("d.obj", obj()),
    ],
)
def test_formats_give_the_same_tetrahedron(tmp_path, name, data):
    mesh = load(tmp_path, name, data, (2.0, 3.0, 4.0))
    assert len(mesh.vertices) == 4
    triangles = mesh.vertices[mesh.faces]
    volume = np.linalg.det(triangles).sum() / 6
    assert volume == pytest.approx(2 * 3 * 4 / 6)


def test_polygons_are_cut_into_triangles(tmp_path):
    square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
    assert len(load(tmp_path, "a.obj", square).faces) == 2


def test_embedded_meshes_are_used_as_they_are():
    mesh = load_mesh(MeshData(CORNERS, FACES), ())
    np.testing.assert_array_equal(mesh.vertices, CORNERS)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.stl", binary_stl()[:-10], "4 facets, but the file ends after 3"),
        ("a.stl", b"hello", "neither a whole binary nor an ASCII"),
        ("a.obj", b"", "no triangles"),
        ("a.iv", b"#Inventor V2.1 ascii\n", "Inventor mesh has no reader yet"),
        (
            "a.xyz",
            b"hello",
            "a .xyz file has no reader yet; installed mesh readers: STL",
        ),
    ],
)
def test_broken_and_foreign_meshes_are_refused(tmp_path, name, data, words):
    with pytest.raises(SceneError, match=words) as caught:
        load(tmp_path, name, data)
    assert caught.value.file == str(tmp_path / name)


@pytest.mark.parametrize("name", ["a.stl", "a.dae", "a.obj", "a.unknown"])
def test_files_that_git_did_not_fetch_say_so(tmp_path, name):
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (tmp_path / name).write_text(text)
    with pytest.raises(SceneError, match="a pointer of Git LFS") as caught:
        load_mesh(MeshReference(str(tmp_path / name)), pyrave_mesh_formats())
    assert caught.value.first.hint == "fetch it: git lfs pull"


def test_missing_files():
    with pytest.raises(ResourceError):
        load_mesh(MeshReference("/nowhere/a.stl", written="a.stl"), ())
