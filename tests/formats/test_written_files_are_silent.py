"""Files that pyrave wrote are read without a warning, of whatever format they came."""

from __future__ import annotations

import pytest
from scene_files import scene_beside

import pyrave
from pyrave.scene import (
    GeometryDescription,
    LinkDescription,
    MeshReference,
    RobotDescription,
    TriMesh,
)

SUFFIXES = (".env.xml", ".dae", ".zae", ".urdf", ".wc.xml", ".dwc.xml")
WORKCELL = scene_beside(__file__, "written_files_are_silent_workcell.wc.xml")
RULES = """<ProximitySetup UseIncludeAll="true" UseExcludeStaticPairs="true">
<Exclude PatternA="arm.*" PatternB="WORLD" /></ProximitySetup>"""
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
NAMES = (
    *("${side}_arm", "$(find arm)", "$HOME", "a#b", "a 2", "50%20", "a&b", "a:b"),
    *("x;y", "a'b", 'q"r', "{b}", "+c", "<d>", "é"),
)


def saved_and_read(env, path):
    """Return the problems of a file that an environment is saved as."""
    env.save(path)
    allowed = path.suffix == ".xacro"
    return pyrave.read(path, allow_code=allowed).problems


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_work_cells(suffix, tmp_path):
    (tmp_path / "cell.wc.xml").write_text(WORKCELL)
    (tmp_path / "rules.prox.xml").write_text(RULES)
    env = pyrave.load(tmp_path / "cell.wc.xml")
    assert not env.problems
    if suffix == ".urdf":  # which holds one robot
        for body in env.bodies:
            if not body.is_robot:
                env.remove(body)
    assert not saved_and_read(env, tmp_path / f"out{suffix}")


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".urdf.xacro"])
def test_meshes_of_any_name(suffix, tmp_path):
    """Also of names that other files would expand, or cut."""
    if suffix.endswith(".xacro"):
        pytest.importorskip("xacrodoc")
    (tmp_path / "in").mkdir()
    for name in NAMES:
        file = tmp_path / "in" / f"{name}.obj"
        file.write_text(MESH)
        mesh = TriMesh(MeshReference(str(file), written=file.name))
        link = LinkDescription("l", geometries=(GeometryDescription(mesh),))
        env = pyrave.Environment()
        env.create_body(RobotDescription("r", links=(link,)))
        assert not saved_and_read(env, tmp_path / f"out{suffix}"), name
        again = pyrave.load(tmp_path / f"out{suffix}", allow_code=True)
        (geometry,) = again.bodies[0].links[0].geometries
        assert len(geometry.mesh.faces) == 4, name


@pytest.mark.parametrize("scene", ["demo", "shelf", "stances"])
@pytest.mark.parametrize("suffix", [".env.xml", ".dae", ".wc.xml", ".dwc.xml"])
def test_scenes_that_ship(scene, suffix, tmp_path):
    env = pyrave.load(f"scenes/{scene}.env.xml")
    assert not env.problems
    assert not saved_and_read(env, tmp_path / f"out{suffix}")


SPHERICAL = """<kinbody name="k"><body name="a"/><body name="b"/>
<joint name="j" type="spherical"><body>a</body><body>b</body></joint></kinbody>"""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_joints_of_any_orientation(suffix, tmp_path):
    """Their range, 100 rad, looks like degrees in files."""
    env = pyrave.load_string(SPHERICAL)
    assert not env.problems
    assert not saved_and_read(env, tmp_path / f"out{suffix}")
    again = pyrave.load(tmp_path / f"out{suffix}")
    assert again.bodies[0].dof == 3


def test_a_mesh_that_an_expression_names_costs_the_mesh_alone(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(
        "<robot name='r'><link name='a'><collision><geometry>"
        "<mesh filename='${x}.stl'/></geometry></collision></link></robot>"
    )
    (problem,) = pyrave.read(path).problems
    assert problem.code == "missing-mesh"
    assert "expression of xacro" in problem.hint
