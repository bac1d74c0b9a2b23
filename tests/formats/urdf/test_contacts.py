"""The contact extension of URDF, from the file to what stands."""

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
import pyrave_stability as stability
from pyrave_stability import Ground

# the element of the proposal: lengths are whole ones, the limit may be left out
FOOT = scene_beside(__file__, "contacts_foot.urdf")
TWICE = """<environment>
  <robot name="two">
    <kinbody file="walker.urdf"/>
    <kinbody file="heel.urdf"/>
  </robot>
</environment>
"""
HEEL = """<robot name="heel"><link name="foot">
  <contact><geometry><sphere radius="0.1"/></geometry></contact>
</link></robot>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "walker.urdf").write_text(FOOT)
    return tmp_path


def test_contacts_of_a_file_make_a_support_polygon(folder):
    env = pyrave.load(folder / "walker.urdf")
    (body,) = env.bodies
    sole, rod = body.links["foot"].contacts
    np.testing.assert_array_equal(sole.half_extents, (0.2, 0.1, 0.05))
    assert (sole.max_normal_force, rod.max_normal_force) == (500.0, np.inf)
    region = stability.support_polygon(body, Ground())
    found = {tuple(corner) for corner in np.round(region.corners, 9).tolist()}
    # the left edge of the sole and the left end of the rod are on one line
    assert found == {(-0.1, -0.1), (0.3, -0.1), (0.3, 0.1), (0.1, 0.5), (-0.1, 0.5)}


def test_contacts_survive_a_conversion(folder):
    source, target = folder / "walker.urdf", folder / "other.robot.xml"
    pyrave.convert(source, target)
    one, two = (pyrave.read(path).bodies[0].links[0] for path in (source, target))
    assert one.contacts == two.contacts
    assert len(two.contacts) == 2


def test_contacts_come_along_inside_openrave_xml(folder):
    text = '<environment><robot file="walker.urdf" prefix="a_"/></environment>'
    env = pyrave.load_string(text, resource_roots=[folder])
    assert len(env.robots[0].links["a_foot"].contacts) == 2


def test_links_that_join_have_the_contacts_of_both(folder):
    (folder / "heel.urdf").write_text(HEEL)
    env = pyrave.load_string(TWICE, resource_roots=[folder])
    kinds = [area.type for area in env.robots[0].links["foot"].contacts]
    assert sorted(kinds) == ["box", "cylinder", "sphere"]


@pytest.mark.parametrize("shape", ["capsule radius='0.1' length='1'", "plane"])
def test_shapes_that_areas_cannot_have_are_kept_as_data(tmp_path, shape):
    text = f"<contact><geometry><{shape}/></geometry></contact>"
    path = tmp_path / "foot.urdf"
    path.write_text(f'<robot name="walker"><link name="foot">{text}</link></robot>')
    env = pyrave.Environment()
    with pytest.raises(pyrave.SceneError) as refused:
        env.load(path, strict=True)
    assert refused.value.first.code == "unknown-geometry-type"
    assert "is not known in <contact>" in refused.value.first.message
    assert refused.value.first.hint == "known: box, cylinder, sphere, mesh"
    env.load(path)
    assert env.bodies[0].links[0].contacts == ()
    env.save(tmp_path / "again.urdf")
    assert pyrave.read(tmp_path / "again.urdf") == pyrave.read(path)
    assert shape.split()[0] in (tmp_path / "again.urdf").read_text()
