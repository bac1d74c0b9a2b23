"""Infos of bodies, and bodies made of infos, boxes, spheres and meshes."""

import copy
import json

import numpy as np
import pytest
from openravepy_bodies import new_body

from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
)
from pyrave_openravepy.api.foundation.objects import as_native


@pytest.fixture
def env(openravepy):
    return openravepy.Environment()


def geometry(openravepy, kind, *sizes):
    info = openravepy.KinBody.GeometryInfo()
    info._type = getattr(openravepy.GeometryType, kind)
    info._vGeomData = [*sizes, 0, 0, 0][:3]
    return info


def two_links(openravepy, value=0.0):
    """Return infos of a box and a sphere that a hinge connects."""
    base, tip = openravepy.KinBody.LinkInfo(), openravepy.KinBody.LinkInfo()
    base._name, tip._name = "base", "tip"
    base._t[:3, 3] = 1, 0, 0
    tip._t[:3, 3] = 1, 0, 1
    tip._tMassFrame[0, 3] = 0.5
    tip._mass, tip._vinertiamoments = 2.0, [1, 2, 3]
    base._vgeometryinfos = [geometry(openravepy, "Box", 0.1, 0.2, 0.3)]
    tip._vgeometryinfos = [geometry(openravepy, "Sphere", 0.4)]
    joint = openravepy.KinBody.JointInfo()
    joint._name, joint._linkname0, joint._linkname1 = "j", "base", "tip"
    joint._type = openravepy.KinBody.JointType.Hinge
    joint._vanchor = [0, 0, 0.5]
    joint._vaxes = [[1, 0, 0]]
    joint._vcurrentvalues = [value]
    joint._vlowerlimit, joint._vupperlimit = [-2], [2]
    joint._vmaxvel = [3]
    return [base, tip], [joint]


def test_a_body_of_links_and_joints(openravepy, env):
    body = new_body(env)
    assert body.Init(*two_links(openravepy))
    np.testing.assert_array_equal(body.GetTransform()[:3, 3], (1, 0, 0))
    body.SetDOFValues([np.pi / 2])
    # half a metre above the base is the axis, half a metre from it the tip
    np.testing.assert_allclose(
        body.GetLink("tip").GetTransform()[:3, 3], (1, -0.5, 0.5), atol=1e-12
    )
    joint = body.GetJoints()[0]
    np.testing.assert_array_equal(joint.GetAnchor(), (1, 0, 0.5))
    assert [one.tolist() for one in joint.GetLimits()] == [[-2], [2]]
    assert joint.GetMaxVel() == 3
    assert body.GetLink("tip").GetMass() == 2
    np.testing.assert_array_equal(body.GetLink("tip").GetLocalCOM(), (0.5, 0, 0))
    assert body.GetMass() == pytest.approx(2, abs=1e-6)


def test_current_values_are_those_of_the_links_as_given(openravepy, env):
    body = new_body(env)
    body.Init(*two_links(openravepy, 0.5))
    assert body.GetDOFValues() == pytest.approx([0.5])
    np.testing.assert_allclose(
        body.GetLink("tip").GetTransform()[:3, 3], (1, 0, 1), atol=1e-12
    )


def test_infos_make_the_body_again(openravepy, env):
    body, again = new_body(env), new_body(env)
    body.Init(*two_links(openravepy))
    body.SetDOFValues([0.7])
    links = [one.UpdateAndGetInfo() for one in body.GetLinks()]
    joints = [one.UpdateAndGetInfo() for one in body.GetJoints()]
    again.Init(links, joints)
    np.testing.assert_allclose(
        again.GetLinkTransformations(), body.GetLinkTransformations(), atol=1e-12
    )
    assert again.GetDOFValues() == pytest.approx([0.7])
    assert again.GetKinematicsGeometryHash() == body.GetKinematicsGeometryHash()


def test_a_body_of_infos_has_the_hash_of_what_they_say(openravepy, env):
    """Frames of joints are not unique: infos write them in their own way."""
    native = as_native(env)
    near = Pose.from_axis_angle((1, 2, 3), 0.5, (0.1, 0.2, 0.3))
    far = Pose.from_axis_angle((3, 1, 2), 0.8, (0.3, 0.1, 0.2))
    links = tuple(LinkDescription(name) for name in "ABC")
    hashes = set()
    for way, place in (((0, 1, 0), near), ((0, 1, 0), far), ((0, 0, 1), near)):
        axis, slide = JointAxis(way), JointAxis((1, 0, 0), prismatic=True)
        joints = (
            JointDescription("j", "hinge", "A", "B", place, far, (axis,)),
            JointDescription(
                "k",
                "slider",
                "B",
                "C",
                far,
                near,
                (slide,),
            ),
        )
        made = native.create_body(BodyDescription(f"body{len(hashes)}", links, joints))
        body, again = env.GetKinBody(made.name), new_body(env)
        again.InitFromKinBodyInfo(body.ExtractInfo())
        found = again.GetKinematicsGeometryHash()
        assert found == body.GetKinematicsGeometryHash()
        assert again._native.structure.kinematics_hash != made.structure.kinematics_hash
        hashes.add(found)
    assert len(hashes) == 3


def test_an_info_of_a_body_through_json(openravepy, env):
    body, again = new_body(env), new_body(env)
    body.Init(*two_links(openravepy))
    body.SetDOFValues([0.7])
    info = body.ExtractInfo()
    # at the origin with the joint at zero
    np.testing.assert_allclose(info._vLinkInfos[1]._t[:3, 3], (0, 0, 1), atol=1e-12)
    data = json.loads(json.dumps(info.SerializeJSON()))
    assert data["links"][0]["geometries"][0]["halfExtents"] == [0.1, 0.2, 0.3]
    assert data["joints"][0]["parentLinkName"] == "base"
    assert data["dofValues"] == [{"jointName": "j", "jointAxis": 0, "value": 0.7}]
    read = openravepy.KinBody.KinBodyInfo()
    read.DeserializeJSON(data)
    assert read == info
    again.InitFromKinBodyInfo(read)
    assert again.ExtractInfo() == info
    np.testing.assert_allclose(
        again.GetLinkTransformations(), body.GetLinkTransformations(), atol=1e-12
    )
    read._vLinkInfos[0]._mass = 7.0
    assert read != info
    result = body.UpdateFromKinBodyInfo(read)
    assert result == openravepy.UpdateFromInfoResult.Success
    assert body.GetLinks()[0].GetMass() == 7.0
    assert body.UpdateFromKinBodyInfo(read) == openravepy.UpdateFromInfoResult.NoChange


@pytest.mark.parametrize(
    ("kind", "sizes", "half"),
    [
        ("Box", (1, 2, 3), (1, 2, 3)),
        ("Sphere", (2,), (2, 2, 2)),
        ("Cylinder", (1, 4), (1, 1, 2)),
        ("Capsule", (1, 4), (1, 1, 3)),
        ("ConicalFrustum", (1, 2, 3), (2, 2, 1.5)),
    ],
)
def test_shapes(openravepy, env, kind, sizes, half):
    info = geometry(openravepy, kind, *sizes)
    info._name = "shape"
    info._vDiffuseColor = [1, 0, 0.5]
    info._fTransparency = 0.25
    info._t[:3, 3] = 1, 1, 1
    body = new_body(env)
    assert body.InitFromGeometries([info])
    (made,) = body.GetLinks()[0].GetGeometries()
    assert made.GetType() == info._type
    assert made.GetName() == "shape"
    assert made.GetDiffuseColor().tolist() == [1, 0, 0.5]
    assert made.GetTransparency() == 0.25
    box = body.ComputeAABB()
    np.testing.assert_allclose(box.pos(), (1, 1, 1), atol=1e-12)
    np.testing.assert_allclose(box.extents(), half, atol=1e-12)
    np.testing.assert_allclose(info.ComputeAABB(np.eye(4)).extents(), half, atol=1e-12)
    assert made.GetInfo() == copy.deepcopy(made.GetInfo())
    np.testing.assert_allclose(made.GetInfo()._vGeomData, info._vGeomData)
    again = openravepy.KinBody.GeometryInfo()
    again.DeserializeJSON(json.dumps(info.SerializeJSON()))
    assert again == info
    points = made.GetCollisionMesh().vertices
    np.testing.assert_allclose(np.abs(points).max(axis=0), half, atol=1e-2)


def test_containers_have_a_hollow(openravepy):
    info = geometry(openravepy, "Container", 1, 2, 3)
    info._vGeomData2 = [0.8, 1.8, 2.5]
    pose, half = info.ComputeInnerEmptyVolume()
    np.testing.assert_allclose(half, (0.4, 0.9, 1.25))
    # its origin is the centre of the bottom, its top is open
    assert pose[2, 3] == pytest.approx(3 - 1.25)


def test_boxes_spheres_and_meshes(openravepy, env):
    body = new_body(env)
    assert body.InitFromBoxes(np.array([[0, 0, 1, 0.1, 0.2, 0.3]]), draw=False, uri="u")
    assert body.GetURI() == "u"
    assert not body.IsVisible()
    shape = body.GetLinks()[0].GetGeometries()[0]
    assert shape.GetBoxExtents().tolist() == [0.1, 0.2, 0.3]
    with pytest.raises(openravepy.openrave_exception, match="is a box, expected"):
        shape.GetSphereRadius()
    assert body.InitFromBoxes([openravepy.AABB([1, 0, 0], [1, 1, 1])])
    assert body.ComputeAABB().pos().tolist() == [1, 0, 0]
    turned = openravepy.OrientedBox([0.5**0.5, 0, 0, 0.5**0.5, 0, 0, 0], [1, 2, 3])
    assert body.InitFromBoxes([turned])
    np.testing.assert_allclose(body.ComputeAABB().extents(), (2, 1, 3))
    assert body.InitFromSpheres(np.array([[1, 2, 3, 0.5]]))
    assert body.GetLinks()[0].GetGeometries()[0].GetSphereRadius() == 0.5
    mesh = openravepy.TriMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert body.InitFromTrimesh(mesh)
    assert body.GetLinks()[0].GetCollisionData().indices.tolist() == [[0, 1, 2]]
    (info,) = body.GetLinks()[0].GetInfo()._vgeometryinfos
    assert info._meshcollision.vertices.tolist() == mesh.vertices.tolist()


def test_groups_of_geometries(openravepy, env):
    body = new_body(env)
    body.InitFromSpheres([[0, 0, 0, 1]])
    link = body.GetLinks()[0]
    assert link.GetGroupNumGeometries("big") == -1
    link.SetGroupGeometries("big", [geometry(openravepy, "Box", 2, 2, 2)])
    assert link.GetGroupNumGeometries("big") == 1
    assert body.ComputeAABB().extents().tolist() == [1, 1, 1]
    big = body.ComputeAABBForGeometryGroup("big")
    assert big.extents().tolist() == [2, 2, 2]
    body.SetLinkGeometriesFromGroup("big")
    assert body.ComputeAABB().extents().tolist() == [2, 2, 2]
    link.AddGeometry(geometry(openravepy, "Sphere", 3), True)
    assert len(link.GetGeometries()) == 2
    assert link.GetGroupNumGeometries("big") == 2
    with pytest.raises(openravepy.openrave_exception):
        body.SetLinkGeometriesFromGroup("none")


def test_boxes_at_other_poses(openravepy, env):
    body = new_body(env)
    body.InitFromBoxes([[1, 0, 0, 1, 2, 3]])
    quarter = [[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    body.SetTransform(quarter)
    there = body.ComputeAABB()
    np.testing.assert_allclose(there.pos(), (5, 1, 0), atol=1e-12)
    np.testing.assert_allclose(there.extents(), (2, 1, 3), atol=1e-12)
    local = body.ComputeLocalAABB()
    np.testing.assert_allclose(local.extents(), (1, 2, 3), atol=1e-12)
    again = body.ComputeAABBFromTransform(quarter)
    np.testing.assert_allclose(again.pos(), there.pos(), atol=1e-12)
    box = body.ComputeOBBOnAxes(quarter)
    np.testing.assert_allclose(box.extents(), (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(box.transform()[:3, 3], (5, 1, 0), atol=1e-12)


def test_boxes_overlap(openravepy):
    op = openravepy
    eighth, c = np.eye(4), 0.5**0.5
    eighth[:2, :2] = ((c, -c), (c, c))
    unit = op.AABB([0, 0, 0], [1, 1, 1])
    assert op.CheckAABBCollision(unit, op.AABB([1.9, 0, 0], [1, 1, 1]))
    assert not op.CheckAABBCollision(unit, op.AABB([2.1, 0, 0], [1, 1, 1]))
    # the corner of a turned box reaches the square root of two
    eighth[0, 3] = 2.4
    assert op.CheckAABBAndOBBCollision(unit, op.OrientedBox(eighth, [1, 1, 1]))
    eighth[0, 3] = 2.45
    far = op.OrientedBox(eighth, [1, 1, 1])
    assert not op.CheckBoxAtOriginAndOBBCollision([1, 1, 1], far)
    assert not op.CheckOBBCollision(op.OrientedBox(np.eye(4), [1, 1, 1]), far)
    assert op.AABBFromOrientedBox(far).extents() == pytest.approx([2**0.5, 2**0.5, 1])
    moved = op.OrientedBoxFromAABB(op.AABB([1, 0, 0], [1, 1, 1]), eighth)
    assert moved.transform()[:2, 3] == pytest.approx([2.45 + c, c])
    both = unit.GetCombined(op.AABB([3, 0, 0], [1, 1, 1]))
    assert both.toDict() == {"pos": [1.5, 0, 0], "extents": [2.5, 1, 1]}


def test_wrong_infos_end_in_openrave_exception(openravepy, env):
    body = new_body(env)
    links, joints = two_links(openravepy)
    joints[0]._linkname1 = "hand"
    with pytest.raises(openravepy.openrave_exception, match="'hand', the body has"):
        body.Init(links, joints)
    joints[0]._linkname1 = "tip"
    joints[0]._vaxes = [[0, 0, 0]]
    with pytest.raises(openravepy.openrave_exception, match="no direction"):
        body.Init(links, joints)
    with pytest.raises(openravepy.openrave_exception, match="expected a KinBody"):
        body.Init([3], [])
    with pytest.raises(openravepy.openrave_exception, match="expected one of"):
        openravepy.KinBody.GeometryInfo().DeserializeJSON({"type": "blob"})
