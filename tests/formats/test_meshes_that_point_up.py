"""COLLADA files that OpenRAVE XML names: turned until y points up, as OpenRAVE does."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.scene import (
    Box,
    GeometryDescription,
    MeshReference,
    RenderMesh,
    SceneDescription,
    TriMesh,
    body_from_geometries,
)

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
# where the axes of a file point: what assimp does with COLLADA
TURNED = {
    "X_UP": lambda p: np.stack((-p[:, 1], p[:, 0], p[:, 2]), axis=1),
    "Y_UP": lambda p: p,
    "Z_UP": lambda p: np.stack((p[:, 0], p[:, 2], -p[:, 1]), axis=1),
}


def collada(up):
    axis = f"<up_axis>{up}</up_axis>" if up else ""
    numbers = " ".join(map(str, POINTS.reshape(-1)))
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
version="1.4.1"><asset><created>2026-01-01T00:00:00</created>
<modified>2026-01-01T00:00:00</modified>{axis}</asset>
<library_geometries><geometry id="g"><mesh><source id="s">
<float_array id="a" count="12">{numbers}</float_array><technique_common>
<accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles></mesh></geometry></library_geometries>
</COLLADA>"""


def body(geom):
    return f"<kinbody name='k'><body name='b'>{geom}</body></kinbody>"


def corners(env):
    """Return the vertices of the one geometry where they are in the world."""
    (geometry,) = env.bodies[0].links[0].geometries
    mesh = geometry.mesh if geometry.type == "trimesh" else geometry.render_mesh
    pose = geometry.transform
    return ordered(mesh.vertices @ pose[:3, :3].T + pose[:3, 3])


def ordered(points):
    return points[np.lexsort(points.round(9).T)]


@pytest.fixture(params=["X_UP", "Y_UP", "Z_UP", ""])
def up(request, tmp_path):
    (tmp_path / "part.dae").write_text(collada(request.param))
    return request.param


def named_by_xml(folder, scale=""):
    path = folder / "k.kinbody.xml"
    path.write_text(body(f"<geom type='trimesh'><data>part.dae {scale}</data></geom>"))
    return path


def urdf(folder, scale="1 1 1", tag="collision"):
    path = folder / "k.urdf"
    path.write_text(
        f"<robot name='k'><link name='b'><{tag}>"
        "<origin xyz='0.5 0 0' rpy='0.1 0.2 0.3'/>"
        f"<geometry><mesh filename='part.dae' scale='{scale}'/></geometry></{tag}>"
        "</link></robot>"
    )
    return path


def test_xml_names_a_file_and_y_points_up(tmp_path, up):
    env = pyrave.load(named_by_xml(tmp_path), strict=True)
    assert (corners(env) == ordered(TURNED[up or "Y_UP"](POINTS))).all()


def test_it_is_scaled_when_it_is_turned(tmp_path, up):
    env = pyrave.load(named_by_xml(tmp_path, "2 3 4"), strict=True)
    expected = TURNED[up or "Y_UP"](POINTS) * (2.0, 3.0, 4.0)
    assert (corners(env) == ordered(expected)).all()


def test_urdf_takes_it_as_it_is(tmp_path, up):
    path = urdf(tmp_path)
    path.write_text(path.read_text().replace("rpy='0.1 0.2 0.3'", "rpy='0 0 0'"))
    moved = corners(pyrave.load(path)) - (0.5, 0.0, 0.0)
    assert (moved == ordered(POINTS)).all(), up


@pytest.mark.parametrize("tag", ["collision", "visual"])
def test_xml_of_a_urdf_stands_as_the_urdf_does(tmp_path, up, tag):
    """It stood at 90 degrees in OpenRAVE, which turns the file that XML names."""
    source = urdf(tmp_path, "2 3 4", tag)
    expected = corners(pyrave.load(source))
    target = tmp_path / "k.robot.xml"
    losses = pyrave.convert(source, target)
    assert any("turned back" in loss for loss in losses) == (up in {"Z_UP", "X_UP"})
    assert "part.dae" in target.read_text()
    assert pyrave.read(target) == pyrave.read(source)
    # without what only pyrave reads, as OpenRAVE sees it
    text = target.read_text()
    start, end = text.index("<pyrave>"), text.index("</pyrave>") + len("</pyrave>")
    target.write_text(text[:start] + text[end:])
    assert corners(pyrave.load(target)) == pytest.approx(expected, abs=1e-12)


def test_urdf_of_xml_stands_as_the_xml_does(tmp_path, up):
    source = named_by_xml(tmp_path, "2 3 4")
    expected = corners(pyrave.load(source))
    target = tmp_path / "out.urdf"
    pyrave.convert(source, target)
    assert ("part.dae" in target.read_text()) == (up in {"", "Y_UP"})
    assert (corners(pyrave.load(target)) == expected).all()


def test_collada_of_xml_stands_as_the_xml_does(tmp_path, up):
    source = named_by_xml(tmp_path)
    expected = corners(pyrave.load(source))
    target = tmp_path / "out.dae"
    pyrave.convert(source, target)
    assert pyrave.read(target) == pyrave.read(source)
    (tmp_path / "part.dae").unlink()  # the triangles of the written file stand for it
    assert (corners(pyrave.load(target)) == expected).all()


def test_a_turn_that_xml_has_no_words_for_is_told(tmp_path):
    (tmp_path / "part.dae").write_text(collada("Z_UP"))
    shown = RenderMesh(MeshReference(str(tmp_path / "part.dae")))
    env = pyrave.Environment()
    box = GeometryDescription(Box((1.0, 1.0, 1.0)), render=shown)
    env.add_scene(SceneDescription((body_from_geometries("k", [box]),)))
    losses = env.save(tmp_path / "k.kinbody.xml")
    assert any("OpenRAVE turns" in loss and "part.dae" in loss for loss in losses)


def test_references_of_other_turns_are_others():
    path = "/part.dae"
    assert TriMesh(MeshReference(path)) != TriMesh(MeshReference(path, y_up=True))
