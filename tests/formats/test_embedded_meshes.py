"""Meshes are named by file, or written as triangles."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.formats import ReadContext, WriteContext, write_scene
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.scene import MeshData

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"
SCENE = """<kinbody name="k"><body name="a">
  <geom type="trimesh"><data>meshes/a.obj 2</data><render>meshes/a.obj 2</render></geom>
  <geom type="box"><extents>1 1 1</extents><render>meshes/a.obj</render></geom>
  <geom type="trimesh"><data>meshes/none.obj</data></geom>
</body></kinbody>"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "from" / "meshes").mkdir(parents=True)
    (tmp_path / "from" / "meshes" / "a.obj").write_text(OBJ)
    path = tmp_path / "from" / "k.kinbody.xml"
    path.write_text(SCENE)
    return path


def test_meshes_are_named_relative_to_the_target(source, tmp_path):
    (tmp_path / "to").mkdir()
    target = tmp_path / "to" / "k.env.xml"
    (loss,) = pyrave.convert(source, target)
    assert loss.endswith("triangles of meshes that were not found: 'meshes/none.obj'")
    text = target.read_text()
    assert "<data>../from/meshes/a.obj 2 2 2</data>" in text
    assert str(tmp_path) not in text
    moved = tmp_path / "moved"
    moved.mkdir()
    (tmp_path / "from").rename(moved / "from")
    (tmp_path / "to").rename(moved / "to")
    (mesh, _, missing) = (
        pyrave.read(moved / "to" / "k.env.xml").bodies[0].links[0].geometries
    )
    assert mesh.shape.mesh.uri == str(moved / "from" / "meshes" / "a.obj")
    assert not missing.shape.mesh.found


def test_embedded_meshes_need_no_file(source, tmp_path):
    target = tmp_path / "alone.kinbody.xml"
    losses = pyrave.convert(source, target, embed_meshes=True)
    assert ["meshes/none.obj is not embedded" in loss for loss in losses] == [
        True, False
    ]  # fmt: skip
    text = target.read_text()
    assert "a.obj" not in text
    (tmp_path / "from").rename(tmp_path / "gone")
    first, second, _ = pyrave.read(target).bodies[0].links[0].geometries
    assert first.render is None
    assert isinstance(first.shape.mesh, MeshData)
    np.testing.assert_array_equal(first.shape.mesh.vertices[1], (2, 0, 0))
    assert len(first.shape.mesh.faces) == 2
    assert isinstance(second.render.mesh, MeshData)
    # the triangles of a shape are a tag's alone
    assert text.count("<vertices>") == 1
    assert '<set name="shape"' not in text


def test_what_a_file_gives_is_written_out_for_its_meshes(source, tmp_path):
    env = pyrave.load(source)
    named, alone = tmp_path / "named.env.xml", tmp_path / "alone.env.xml"
    env.save(named)
    assert 'file="from/k.kinbody.xml"' in named.read_text()
    env.save(alone, embed_meshes=True)
    assert "k.kinbody.xml" not in alone.read_text()
    env.save(alone, expand=True)
    assert "k.kinbody.xml" not in alone.read_text()
    assert pyrave.read(alone) == pyrave.read(named) == env.describe()


def test_embedding_needs_to_load(tmp_path):
    scene = pyrave.SceneDescription()
    for reading in (None, ReadContext()):
        context = WriteContext(embed_meshes=True, reading=reading)
        with pytest.raises(ArgumentError, match="load_mesh"):
            write_scene(scene, tmp_path / "x.xml", [OpenRAVEXmlFormat()], context)
