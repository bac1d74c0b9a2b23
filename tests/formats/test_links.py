"""Scenes that are read through symbolic links: what they name lies beside the files."""

from __future__ import annotations

import pytest

import pyrave

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
URDF = """<robot name="r"><link name="a"/><link name="b"><collision><geometry>
<mesh filename="{0}"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<axis xyz="1 0 0"/></joint></robot>"""
SRDF = """<robot name="r"><group name="arm"><joint name="j"/></group></robot>"""
ROBOT = """<robot name="r"><kinbody><body name="b"><geom type="trimesh">
<data>{0}</data></geom></body></kinbody></robot>"""


@pytest.fixture
def package(tmp_path):
    """Return the folder of a package with a mesh, and a folder for links."""
    folder = tmp_path / "opt" / "crane_pkg"
    for name in ("urdf", "meshes"):
        (folder / name).mkdir(parents=True)
    (folder / "meshes" / "a.obj").write_text(OBJ)
    (folder / "package.xml").write_text("<package><name>crane</name></package>")
    (folder / "urdf" / "r.srdf").write_text(SRDF)
    (tmp_path / "work").mkdir()
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "../meshes/a.obj",
        "package://crane_pkg/meshes/a.obj",
        "package://crane/meshes/a.obj",
    ],
)
@pytest.mark.parametrize("linked", ["file", "folder", "twice"])
def test_urdf_behind_a_link(package, tmp_path, name, linked):
    (package / "urdf" / "r.urdf").write_text(URDF.format(name))
    link = tmp_path / "work" / "mine.urdf"
    if linked == "folder":
        (tmp_path / "work" / "urdf").symlink_to(package / "urdf")
        link = tmp_path / "work" / "urdf" / "r.urdf"
    else:
        target = package / "urdf" / "r.urdf"
        if linked == "twice":
            middle = tmp_path / "middle.urdf"
            middle.symlink_to(target)
            target = middle
        link.symlink_to(target)
    env = pyrave.load(link, strict=True)
    assert env.robots["r"].links["b"].geometries[0].mesh.faces.shape == (1, 3)
    assert env.robots["r"].manipulators.names == ("arm",)


def test_what_lies_beside_the_link_goes_first(package, tmp_path):
    (package / "urdf" / "r.urdf").write_text(URDF.format("../meshes/a.obj"))
    (tmp_path / "work" / "mine.urdf").symlink_to(package / "urdf" / "r.urdf")
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.obj").write_text(OBJ + "f 1 3 2\n")
    env = pyrave.load(tmp_path / "work" / "mine.urdf", strict=True)
    assert env.robots["r"].links["b"].geometries[0].mesh.faces.shape == (2, 3)


def test_an_included_file_behind_a_link(package, tmp_path):
    (package / "urdf" / "r.robot.xml").write_text(ROBOT.format("../meshes/a.obj"))
    (tmp_path / "work" / "r.robot.xml").symlink_to(package / "urdf" / "r.robot.xml")
    scene = tmp_path / "work" / "s.env.xml"
    scene.write_text('<environment><robot file="r.robot.xml"/></environment>')
    for path in (scene, tmp_path / "work" / "r.robot.xml"):
        env = pyrave.load(path, strict=True)
        assert env.robots["r"].links[0].geometries[0].mesh.faces.shape == (1, 3)


def test_a_link_out_of_the_roots_stays_refused(package, tmp_path):
    (package / "urdf" / "r.urdf").write_text(URDF.format("../meshes/a.obj"))
    work = tmp_path / "work"
    (work / "mine.urdf").write_text(URDF.format("../meshes/a.obj"))
    (work / "inside.urdf").symlink_to(package / "urdf" / "r.urdf")
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(work / "inside.urdf", confine=True, resource_roots=work)
    assert caught.value.first.code == "outside-roots"
    env = pyrave.load(
        work / "inside.urdf", confine=True, strict=True, resource_roots=[work, package]
    )
    assert env.robots["r"].links["b"].geometries[0].mesh.faces.shape == (1, 3)
