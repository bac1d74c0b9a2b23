"""Mesh files as scenes of one body, and scenes as mesh files."""

import io

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.errors import ArgumentError, SceneError
from pyrave.formats import ReadContext, SceneSource, WriteContext
from pyrave.formats.meshes.scene import MeshScene
from pyrave.geometry import Mesh, box_mesh
from pyrave.scene import Material
from pyrave_meshes.obj import ObjFormat
from pyrave_meshes.off import OffFormat
from pyrave_meshes.ply import PlyFormat
from pyrave_meshes.stl import StlFormat

BOX = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SCENE = scene_beside(__file__, "mesh_scenes.env.xml")


@pytest.fixture
def part(tmp_path):
    path = tmp_path / "my part.obj"
    path.write_text(BOX)
    return path


def only_mesh(path):
    with pyrave.load(path) as env:
        return env.bodies[0].links[0].geometries[0].mesh


def test_a_mesh_file_is_a_body_with_the_name_of_the_file(part):
    env = pyrave.load(part)
    (body,) = env.bodies
    assert (body.name, body.uri) == ("my_part", str(part))
    assert [link.name for link in body.links] == ["base"]
    assert body.links[0].static
    centre, half = body.aabb
    np.testing.assert_allclose((centre, half), ((0.5, 1, 1.5), (0.5, 1, 1.5)))
    assert env.problems == ()


def test_names_of_mesh_files_give_way(part):
    env = pyrave.load(part)
    env.load(part)
    assert list(env.bodies.names) == ["my_part", "my_part1"]


def test_a_scale_can_be_given(part):
    context = ReadContext(scale=(2.0, 1.0, 1.0))
    source = SceneSource(part.read_bytes(), str(part), str(part.parent))
    scene = MeshScene(ObjFormat()).read(source, context)
    env = pyrave.Environment()
    env.add_scene(scene)
    np.testing.assert_allclose(env.bodies[0].aabb[1], (1, 1, 1.5))
    context.skip_geometry = True
    assert (
        MeshScene(ObjFormat()).read(source, context).bodies[0].links[0].geometries == ()
    )


def test_content_without_a_file_is_embedded():
    context = ReadContext(scale=(2.0, 2.0, 2.0))
    source = SceneSource("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "<string>")
    scene = MeshScene(OffFormat()).read(source, context)
    data = scene.bodies[0].links[0].geometries[0].shape.mesh
    assert data.vertices.max() == 2.0
    assert scene.bodies[0].name == "string"


def test_a_text_that_no_file_can_hold_is_read_or_refused():
    corners = "\n".join(f"vertex {x} {y} 0" for x, y in ((0, 0), (1, 0), (0, 1)))
    facet = f"facet normal 0 0 1\nouter loop\n{corners}\nendloop\nendfacet"
    (body,) = pyrave.load_string(f"solid \ud800\n{facet}\nendsolid").bodies
    assert len(body.links[0].geometries[0].mesh.faces) == 1
    with pytest.raises(SceneError, match=r"<string>:2: .* a facet has 0 vertices"):
        pyrave.load_string("solid \ud800\nfacet")


def test_a_broken_mesh_is_refused_at_once(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text(BOX + "f 1 2 9\n")
    with pytest.raises(SceneError, match="vertex 9 of 4") as caught:
        pyrave.load(path)
    assert (caught.value.file, caught.value.line) == (str(path), 9)


def test_a_collada_file_is_no_mesh_scene(tmp_path):
    path = tmp_path / "robot.dae"
    path.write_text('<COLLADA version="1.4.1"><asset/></COLLADA>')
    env = pyrave.load(path)
    assert len(env.bodies) == 0
    assert [problem.code for problem in env.problems] == ["empty-scene"]


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply"])
def test_conversion_keeps_the_triangles(part, suffix):
    target = part.with_suffix(suffix) if suffix != ".obj" else part.with_name("b.obj")
    assert pyrave.convert(part, target) == ()
    before, after = (only_mesh(path) for path in (part, target))
    np.testing.assert_array_equal(before.triangles(), after.triangles())


def test_a_scene_is_written_where_its_bodies_stand_and_losses_are_told(tmp_path):
    (tmp_path / "part.obj").write_text(BOX)
    path = tmp_path / "s.env.xml"
    path.write_text(SCENE)
    losses = pyrave.convert(path, tmp_path / "all.ply")
    told = "\n".join(losses)
    for words in (
        "bodies: 2 become one mesh",
        "links: 3",
        "joints: 1 are lost",
        "masses",
    ):
        assert words in told
    mesh = only_mesh(tmp_path / "all.ply")
    np.testing.assert_allclose(
        [part.aabb for part in mesh.components()],
        [
            [(1, 0, 0), (0.5, 0.5, 0.1)],
            [(1, 0, -0.6), (0.1, 0.5, 0.1)],
            [(1, 2, 3), (1, 2, 3)],
        ],
        atol=1e-12,
    )
    assert mesh.by_material()[-1].material.diffuse == (1.0, 1.0, 1.0)
    assert (1.0, 0.0, 0.0) in {m.diffuse for m in mesh.materials}


@pytest.mark.parametrize("suffix", [".off", ".ac"])
def test_formats_that_are_only_read_say_so(part, suffix):
    with pytest.raises(ArgumentError, match="does not write it"):
        pyrave.convert(part, part.with_suffix(suffix))


def test_an_empty_scene_is_not_written(tmp_path):
    env = pyrave.Environment()
    with pytest.raises(ArgumentError, match="no geometry"):
        env.save(tmp_path / "a.stl")


RED = Material((1.0, 0.0, 0.0), (0.5, 0.25, 0.0), 0.25)
BLUE = Material((0.0, 0.0, 1.0))


def two_colours():
    red, blue = box_mesh((1, 2, 3)), box_mesh((3, 1, 1))
    return Mesh.merge(
        [
            Mesh(red.vertices, red.faces, (RED,)),
            Mesh(blue.vertices, blue.faces, (BLUE,)),
        ]
    )


def written(mesh_format, mesh, path):
    losses = mesh_format.write(mesh, path, WriteContext())
    source = pyrave.formats.MeshSource.open(str(path))
    return mesh_format.read(source), losses


def test_obj_keeps_all_colours_in_a_file_beside(tmp_path):
    again, losses = written(ObjFormat(), two_colours(), tmp_path / "a.obj")
    assert losses == []
    assert [one.material for one in again.by_material()] == [RED, BLUE]
    np.testing.assert_array_equal(again.triangles(), two_colours().triangles())


def test_ply_keeps_diffuse_colours_and_tells_of_the_others(tmp_path):
    again, losses = written(PlyFormat(), two_colours(), tmp_path / "a.ply")
    assert {m.diffuse for m in again.materials} == {RED.diffuse, BLUE.diffuse}
    assert "ambient" in losses[0].message
    np.testing.assert_array_equal(again.triangles(), two_colours().triangles())


def test_stl_tells_that_colours_and_precision_are_lost(tmp_path):
    mesh = two_colours().scaled(0.1)
    again, losses = written(StlFormat(), mesh, tmp_path / "a.stl")
    assert "2 are lost" in losses[0].message
    assert "single precision" in losses[1].message
    np.testing.assert_allclose(again.triangles(), mesh.triangles(), rtol=1e-7)


@pytest.mark.parametrize("mesh_format", [StlFormat(), PlyFormat(), ObjFormat()])
def test_meshes_are_written_to_file_objects(mesh_format):
    target = io.BytesIO()
    mesh_format.write(box_mesh((1, 1, 1)), target, WriteContext())
    again = mesh_format.read(pyrave.formats.MeshSource(target.getvalue()))
    np.testing.assert_array_equal(again.triangles(), box_mesh((1, 1, 1)).triangles())
    with pytest.raises(ArgumentError, match="expected a path or a binary file"):
        mesh_format.write(box_mesh((1, 1, 1)), io.StringIO(), WriteContext())
    with pytest.raises(SceneError, match="cannot be written"):
        mesh_format.write(box_mesh((1, 1, 1)), "/nowhere/a.b", WriteContext())
