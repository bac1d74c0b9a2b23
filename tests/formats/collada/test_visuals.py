"""What URDF only shows, in COLLADA: for other programs, and away from its files."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from lxml import etree

import pyrave

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
URDF = """<robot name="r"><link name="a">
<visual><geometry><mesh filename="a.obj" scale="0.5 0.5 0.5"/></geometry></visual>
<visual><origin xyz="2 0 0"/><geometry><box size="1 1 1"/></geometry></visual>
{0}
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
VISUAL = '<visual><geometry><mesh filename="{0}"/></geometry></visual>'
C = "{http://www.collada.org/2008/03/COLLADASchema}"


@pytest.fixture
def saved(tmp_path):
    """Return a function that converts a URDF and moves the result elsewhere."""

    def made(more="", **options):
        folder = tmp_path / "here"
        folder.mkdir()
        (folder / "a.obj").write_text(OBJ)
        (folder / "broken.obj").write_text("no mesh\n")
        (folder / "r.urdf").write_text(URDF.format(more))
        losses = pyrave.convert(folder / "r.urdf", folder / "r.dae", **options)
        (tmp_path / "there").mkdir()
        return losses, shutil.copy(folder / "r.dae", tmp_path / "there")

    return made


def shown_points(path, tag):
    """Return the points of all triangles that tags instantiate, found by hand."""
    root = etree.parse(path).getroot()
    by_id = {one.get("id"): one for one in root.iter(f"{C}geometry")}
    points = []
    for instance in root.iter(f"{C}{tag}"):
        geometry = by_id[instance.get("url").removeprefix("#")]
        assert all(int(t.get("count")) > 0 for t in geometry.iter(f"{C}triangles"))
        numbers = geometry.find(f".//{C}float_array").text.split()
        points.append(np.array(numbers, dtype=float).reshape(-1, 3))
    return points


@pytest.mark.parametrize("embed", [False, True])
def test_what_is_shown_is_a_group_of_geometries(saved, embed):
    _, path = saved(embed_meshes=embed)
    shapes = shown_points(path, "bind_instance_geometry")
    sizes = sorted(np.ptp(points, axis=0).round(9).tolist() for points in shapes)
    # the mesh, at its scale, and the box
    assert sizes == [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]
    # nodes have what collides: OpenRAVE lets all of it collide
    for points in shown_points(path, "instance_geometry"):
        assert np.abs(points).max() == pytest.approx(0.1)


@pytest.mark.parametrize("embed", [False, True])
def test_away_from_its_files_it_is_drawn_all_the_same(saved, embed):
    _, path = saved(embed_meshes=embed)
    env = pyrave.load(path)
    assert len(env.problems) == (not embed)  # the triangles stand for the mesh
    links = env.bodies["r"].links
    shown = [one.description.render for one in links[0].geometries]
    assert sum(len(one.mesh.faces) == 4 for one in shown if one is not None) == 1
    image = env.picture(size=(60, 40), eye=(3, -3, 2), target=(0.2, 0.2, 0.2), zoom=3)
    assert (image != image[0, 0]).any()


@pytest.mark.parametrize("embed", [False, True])
@pytest.mark.parametrize("name", ["gone.obj", "broken.obj"])
def test_each_mesh_without_triangles_is_told(saved, name, embed):
    losses, path = saved(VISUAL.format(name), embed_meshes=embed)
    assert any(name in loss for loss in losses)
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path, strict=True)
    found = [one for one in caught.value.problems if name in one.message]
    assert [one.code for one in found] == ["missing-mesh"]
    assert found[0].line
