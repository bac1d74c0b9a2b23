"""Mesh files that are written beside URDF."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest
from urdf_written import TRIANGLES, link_of

import pyrave
from pyrave.formats import WriteContext
from pyrave.scene import (
    BodyDescription,
    Box,
    Cage,
    GeometryDescription,
    LinkDescription,
    MeshData,
    MeshReference,
    RobotDescription,
    SceneDescription,
    TriMesh,
)
from pyrave_urdf.writing.document import write_urdf


def test_triangles_are_written_beside_the_file_with_all_digits(tmp_path, saved):
    two = GeometryDescription(TriMesh(TRIANGLES), visible=False)
    three = GeometryDescription(Cage((0.1, 0.1, 0.1)), visible=False)
    body = link_of(GeometryDescription(TriMesh(TRIANGLES)), two, three)
    losses, robot, _ = saved(body, tmp_path / "r.urdf")
    assert any("each cage is written as triangles: 'l/1'" in x for x in losses)
    names = [g.shape.mesh.uri for g in robot.links[0].description.geometries]
    assert names == [str(tmp_path / f"r.l_1{n}.obj") for n in ("", "", "_1")]
    mesh = robot.links[0].geometries[0].mesh
    corners = TRIANGLES.vertices[TRIANGLES.faces]
    assert np.array_equal(mesh.vertices[mesh.faces], corners)


def test_files_that_a_robot_names_are_not_overwritten(tmp_path, saved):
    own = tmp_path / "r.l_1.obj"
    own.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    named = GeometryDescription(TriMesh(MeshReference(str(own))))
    body = link_of(named, GeometryDescription(TriMesh(TRIANGLES)))
    before = own.read_text()
    _, robot, _ = saved(body, tmp_path / "r.urdf")
    assert own.read_text() == before
    assert (tmp_path / "r.l_1_1.obj").exists()
    assert len(robot.links[0].geometries) == 2


def test_files_that_no_save_of_the_robot_wrote_are_not_overwritten(tmp_path, saved):
    scanned = tmp_path / "r.l_1.obj"
    scanned.write_text("# a scan that took a day\nv 0 0 0\n")
    (tmp_path / "r.l_1_1.obj").mkdir()
    body = link_of(GeometryDescription(TriMesh(TRIANGLES)))
    _, robot, _ = saved(body, tmp_path / "r.urdf")
    assert scanned.read_text() == "# a scan that took a day\nv 0 0 0\n"
    mesh = robot.links[0].geometries[0].description.shape.mesh
    assert mesh.uri == str(tmp_path / "r.l_1_2.obj")


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    (link,) = link_of(GeometryDescription(TriMesh(TRIANGLES))).links
    body = BodyDescription("r", (dataclasses.replace(link, name="l" * 300),))
    with pytest.raises(pyrave.SceneError, match=r"too long|cannot be written"):
        write_urdf(SceneDescription((body,)), tmp_path / "r.urdf", WriteContext())
    assert not list(tmp_path.iterdir())


def test_files_of_another_robot_are_not_overwritten(tmp_path, saved):
    """The link b.c of a.urdf and the link c of a.b.urdf make one name."""
    (link,) = link_of(GeometryDescription(TriMesh(TRIANGLES))).links
    for file, name in (("a.urdf", "b.c"), ("a.b.urdf", "c")):
        body = RobotDescription("r", (dataclasses.replace(link, name=name),))
        saved(body, tmp_path / file)
    first, second = (tmp_path / f"a.b.c{tail}.obj" for tail in ("", "_1"))
    assert first.read_text().startswith("# written by pyrave for a.urdf\n")
    assert second.read_text().startswith("# written by pyrave for a.b.urdf\n")


def test_files_of_an_earlier_save_are_replaced(tmp_path, saved):
    saved(link_of(GeometryDescription(TriMesh(TRIANGLES))), tmp_path / "r.urdf")
    moved = MeshData(TRIANGLES.vertices + 1.0, TRIANGLES.faces)
    body = link_of(GeometryDescription(TriMesh(moved)))
    _, robot, _ = saved(body, tmp_path / "r.urdf")
    # under another name: whoever reads the old URDF file just now finds its mesh
    names = sorted(path.name for path in tmp_path.glob("*.obj"))
    assert names == ["r.l_1.obj", "r.l_1_1.obj"]
    assert robot.links[0].geometries[0].description.shape.mesh.uri.endswith(names[1])
    mesh = robot.links[0].geometries[0].mesh
    assert np.array_equal(mesh.vertices[mesh.faces], moved.vertices[moved.faces])


def test_mesh_files_differ_on_disks_that_know_no_case(tmp_path, saved):
    shown = (GeometryDescription(TriMesh(TRIANGLES)),)
    other = MeshData(TRIANGLES.vertices + 1.0, TRIANGLES.faces)
    links = (
        LinkDescription("A", geometries=shown),
        LinkDescription("a", geometries=(GeometryDescription(TriMesh(other)),)),
    )
    saved(RobotDescription("r", links), tmp_path / "r.urdf")
    names = sorted(path.name for path in tmp_path.glob("*.obj"))
    assert names == ["r.A.obj", "r.a_1.obj"]


def test_meshes_that_others_do_not_read_are_written_with_their_colours(tmp_path, saved):
    (tmp_path / "a.wrl").write_text(
        "#VRML V1.0 ascii\nSeparator { Material { diffuseColor 1 0 0 } Cube {} "
        "Translation { translation 5 0 0 } Material { diffuseColor 0 0 1 } Cube {} }"
    )
    geometry = GeometryDescription(TriMesh(MeshReference(str(tmp_path / "a.wrl"))))
    _, robot, _ = saved(link_of(geometry), tmp_path / "r.urdf")
    shown = [g for g in robot.links[0].description.geometries if g.render]
    colours = [g.material.diffuse for g in shown]
    assert colours == [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    (solid,) = (g for g in robot.links[0].geometries if g.type == "trimesh")
    assert len(solid.mesh.faces) == 24


def test_a_file_object_has_no_place_for_meshes():
    box = GeometryDescription(Box((1.0, 0.0, 0.0)))
    body = link_of(GeometryDescription(TriMesh(TRIANGLES)), box)
    target = io.BytesIO()
    losses = write_urdf(SceneDescription((body,)), target, WriteContext())
    assert any("save to a path" in loss.message for loss in losses)
    robot = pyrave.load_string(target.getvalue()).robots[0]
    assert [g.type for g in robot.links[0].geometries] == ["box"]
