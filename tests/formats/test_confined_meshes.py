"""With `confine`, no way leads to a mesh outside the resource roots."""

import json
import os
import re

import pytest

import pyrave
from pyrave.errors import ResourceError, SceneError
from pyrave.formats import load_mesh
from pyrave.scene import MeshReference
from pyrave_meshes.hooks import pyrave_mesh_formats

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
BODY = (
    "<environment><kinbody name='k'><body name='b'>"
    "<geom type='trimesh'>{}</geom></body></kinbody></environment>"
)


@pytest.fixture
def roots(tmp_path):
    """Return a resource root beside a secret that nothing may read."""
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    for path in (root / "own.obj", root / "deep" / "own.obj", tmp_path / "secret.obj"):
        path.write_text(TRIANGLE)
    (root / "link.obj").symlink_to(tmp_path / "secret.obj")
    (root / "folder").symlink_to(tmp_path)
    # a link and `..` after it: the file system and plain text differ about these
    (root / "away").symlink_to(root / "deep")
    return root


def names(root):
    outside = root.parent
    return {
        "absolute": str(outside / "secret.obj"),
        "absolute, missing": str(outside / "none.obj"),
        "uri": (outside / "secret.obj").as_uri(),
        "dots": "../secret.obj",
        "deep dots": "deep/../../secret.obj",
        "link": "link.obj",
        "linked folder": "folder/secret.obj",
        "dots after a link": "away/../../secret.obj",
    }


WAYS = list(names(__import__("pathlib").Path("/x/y")))
TAGS = {
    "data": "<data>{}</data>",
    "render": "<data>own.obj</data><render>{}</render>",
    "collision": "<collision file='{}'/>",
    "exact shape": None,
}


def geometry(tag, name):
    if TAGS[tag] is not None:
        return TAGS[tag].format(name)
    mesh = {"type": "MeshReference", "uri": name, "found": True}
    shape = json.dumps({"type": "TriMesh", "mesh": mesh})
    return f"<data>own.obj</data><pyrave><set name='shape'>{shape}</set></pyrave>"


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_out(read, roots, way, tag):
    text = BODY.format(geometry(tag, names(roots)[way]))
    with pytest.raises(SceneError, match="outside the resource roots") as caught:
        read(text, roots, roots=[roots], confine=True)
    assert {p.code for p in caught.value.problems} == {"outside-roots"}


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("name", ["own.obj", "deep/../own.obj", "away/own.obj"])
def test_what_is_inside_is_found(read, roots, name, tag):
    scene = read(BODY.format(geometry(tag, name)), roots, roots=[roots], confine=True)
    assert scene.problems == ()
    shape = scene.bodies[0].links[0].geometries[0].shape
    assert os.path.realpath(shape.mesh.uri).startswith(str(roots))


@pytest.mark.parametrize("way", WAYS)
def test_files_that_are_loaded_or_read_and_added(roots, way):
    path = roots / "s.env.xml"
    path.write_text(BODY.format(geometry("data", names(roots)[way])))
    with pytest.raises(SceneError, match="outside"):
        pyrave.read(path, confine=True, resource_roots=[roots])
    with pyrave.Environment() as env:
        with pytest.raises(SceneError, match="outside"):
            env.load(path, confine=True, resource_roots=[roots])
        assert len(env.bodies) == 0


def test_a_missing_mesh_is_a_warning_and_never_opened(roots, monkeypatch):
    path = roots / "s.env.xml"
    path.write_text(BODY.format("<data>later.obj</data>"))
    scene = pyrave.read(path, confine=True, resource_roots=[roots])
    assert [p.code for p in scene.problems] == ["missing-mesh"]
    elsewhere = roots.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "later.obj").write_text(TRIANGLE)
    monkeypatch.chdir(elsewhere)
    with pyrave.Environment() as env:
        env.add_scene(scene)
        geometry = env.bodies[0].links[0].geometries[0]
        with pytest.raises(ResourceError, match="when the scene was read"):
            _ = geometry.mesh
    reference = MeshReference("later.obj", found=False)
    with pytest.raises(ResourceError, match=re.escape("'later.obj'")):
        load_mesh(reference, pyrave_mesh_formats())
