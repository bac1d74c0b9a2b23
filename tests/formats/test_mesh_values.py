"""Triangles of descriptions in `<pyrave>`: each vertex once, and nothing twice."""

from __future__ import annotations

import json

import numpy as np
import pytest

import pyrave
from pyrave.formats.meshes.json_values import (
    decode_mesh,
    encode_mesh,
    faces_alone,
    is_unshared,
    shared_vertices,
    with_corners,
)
from pyrave.scene import (
    GeometryDescription,
    MeshData,
    NoShape,
    RenderMesh,
    SceneDescription,
    TriMesh,
    body_from_geometries,
)


def grid(n, *, shared):
    """Return n x n squares of two triangles each."""
    side = np.linspace(0.0, 1.0, n + 1)
    points = np.array([(x, y, x * y / 3.0) for x in side for y in side])
    corner = np.array([i * (n + 1) + j for i in range(n) for j in range(n)])
    one = np.stack((corner, corner + 1, corner + n + 1), axis=1)
    two = np.stack((corner + 1, corner + n + 2, corner + n + 1), axis=1)
    faces = np.concatenate((one, two))
    if shared:
        return MeshData(points, faces)
    corners = points[faces.reshape(-1)]
    return MeshData(corners, np.arange(len(corners)))


def body(geometry):
    return SceneDescription((body_from_geometries("k", [geometry]),))


@pytest.mark.parametrize("shared", [True, False])
def test_data_is_decoded_as_it_was(shared):
    mesh = grid(5, shared=shared)
    data = json.loads(json.dumps(encode_mesh(mesh)))
    assert len(data["vertices"]) == 36
    assert decode_mesh(data) == mesh
    assert is_unshared(mesh) is not shared
    empty = MeshData(np.zeros((0, 3)), np.zeros((0, 3)))
    assert decode_mesh(encode_mesh(empty)) == empty


def test_shared_vertices_keep_their_order():
    mesh = grid(2, shared=False)
    vertices, faces, first = shared_vertices(mesh.vertices, mesh.faces)
    assert (vertices[faces] == mesh.vertices[mesh.faces]).all()
    assert first.tolist() == sorted(first.tolist())
    assert (mesh.vertices[first] == vertices).all()


@pytest.mark.parametrize(
    "data",
    [
        {"faces": [[0, 1, 2]], "vertices": [[0, 0, 0]], "unshared": True},
        {"faces": [[0, 0, -1]], "vertices": [[0, 0, 0]], "unshared": True},
        {"faces": [[0, 0, 0]], "vertices": [[0, 0, 0]], "colour": "red"},
        {"faces": "abc", "vertices": [[0, 0, 0]]},
    ],
)
def test_what_is_no_mesh_is_refused(data):
    with pytest.raises((ValueError, TypeError)):
        decode_mesh({"type": "MeshData"} | data)


def test_faces_that_do_not_fit_the_tags_are_refused():
    mesh = grid(2, shared=True)
    read = TriMesh(grid(2, shared=False))
    data = faces_alone(TriMesh(mesh), read)
    assert "vertices" not in data["mesh"]
    whole = with_corners(data, read)
    assert decode_mesh(whole["mesh"]) == mesh
    for faces in ([[0, 1, 2]], [[0, 1, -2]] * 8, [[0, 1, 10**9]] * 8):
        wrong = {"type": "TriMesh", "mesh": {"type": "MeshData", "faces": faces}}
        with pytest.raises(ValueError, match=r"fit|no"):
            with_corners(wrong, read)
    loose = MeshData(np.vstack((mesh.vertices, (5.0, 5.0, 5.0))), mesh.faces)
    assert faces_alone(TriMesh(loose), read) is None  # a vertex that no face has
    assert faces_alone(TriMesh(grid(3, shared=True)), read) is None


@pytest.mark.parametrize("suffix", ["kinbody.xml", "dae"])
@pytest.mark.parametrize("place", ["shape", "render"])
@pytest.mark.parametrize("shared", [True, False])
def test_files_hold_triangles_once(tmp_path, suffix, place, shared):
    mesh = grid(40, shared=shared)
    shape = TriMesh(mesh) if place == "shape" else NoShape()
    render = RenderMesh(mesh) if place == "render" else None
    scene = body(GeometryDescription(shape, render=render))
    path = tmp_path / f"k.{suffix}"
    env = pyrave.Environment()
    env.add_scene(scene)
    env.save(path)
    again = pyrave.load(path, strict=True)
    found, wanted = again.describe(), env.describe()
    assert pyrave.scene.same(found, wanted)  # COLLADA has principal moments of inertia
    (mine,), (theirs,) = (one.bodies[0].links[0].geometries for one in (found, wanted))
    assert mine == theirs
    text = path.read_text()
    if place == "shape":
        assert '"vertices"' not in text
    elif suffix == "kinbody.xml":
        assert len(text) < len(json.dumps(encode_mesh(mesh))) + 1000


@pytest.mark.slow
def test_a_robot_with_many_triangles_is_read(tmp_path):
    """64 MB were too few for one that holds its triangles itself."""
    head = "<kinbody name='k'><body name='b'><geom type='trimesh'><vertices>"
    triangle = "0.12345678901234567 0 0 0 1.1234567890123456 0 0 0 1.12345678901234567 "
    count = 68 * 2**20 // len(triangle)
    path = tmp_path / "k.kinbody.xml"
    tail = "</vertices></geom></body></kinbody>"
    path.write_text(head + triangle * count + tail)
    (shape,) = (g.shape for g in pyrave.read(path).bodies[0].links[0].geometries)
    assert len(shape.mesh.faces) == count
