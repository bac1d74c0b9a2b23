"""Bodies of the module ``openravepy`` against what OpenRAVE said of its own files."""

import json

import corpus
import numpy as np
import pytest

import pyrave_openravepy

FOLDER = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the shared files are not there")
FILES = (
    "robots/barrettwam.robot.xml",
    "robots/barretthand.robot.xml",
    "robots/puma.robot.xml",
    "robots/schunk-lwa3.zae",
    "data/tridoftable.env.xml",
    "data/wamtest1.env.xml",
)
ALL = ("robots/pr2-beta-static.zae", "robots/man1.zae")
FORGOTTEN = ("wam0", "handbase")
"""Links whose mass OpenRAVE forgets, because another file appends to them."""
CLOSE = {"rtol": 1e-7, "atol": 1e-7}


@pytest.fixture
def env(monkeypatch):
    monkeypatch.setenv("OPENRAVE_DATA", str(corpus.openrave_root()))
    env = pyrave_openravepy.install().Environment()
    env.StopSimulation()
    yield env
    env.Destroy()


def check_link(link, known):
    assert link.GetName() == known["name"]
    assert link.GetIndex() == known["index"]
    assert link.IsStatic() == known["static"]
    assert [one.GetName() for one in link.GetParentLinks()] == known["parent_links"]
    rigid = {one.GetName() for one in link.GetRigidlyAttachedLinks()}
    assert rigid == set(known["rigidly_attached"])
    np.testing.assert_allclose(link.GetTransform(), known["transform"], **CLOSE)
    if link.GetName() not in FORGOTTEN:
        check_mass(link, known)
    for name, key in (("Float", "float_parameters"), ("Int", "int_parameters")):
        found = getattr(link, f"Get{name}Parameters")()
        assert {k: its.tolist() for k, its in found.items()} == known[key]
    assert link.GetStringParameters() == known["string_parameters"]
    for shape, its in zip(link.GetGeometries(), known["geometries"], strict=True):
        assert str(shape.GetType()) == its["type"].rpartition(".")[2]


def check_mass(link, known):
    assert link.GetMass() == pytest.approx(known["mass"])
    np.testing.assert_allclose(link.GetGlobalCOM(), known["global_com"], **CLOSE)
    np.testing.assert_allclose(link.GetLocalInertia(), known["local_inertia"], **CLOSE)
    moments = np.sort(link.GetPrincipalMomentsOfInertia())
    np.testing.assert_allclose(moments, np.sort(known["principal_moments"]), **CLOSE)


def check_joint(joint, known):
    assert joint.GetName() == known["name"]
    assert joint.GetJointIndex() == known["joint_index"]
    assert joint.GetDOFIndex() == known["dof_index"]
    assert joint.GetDOF() == known["dof"]
    assert str(joint.GetType()) == known["type"].rpartition(".")[2]
    assert joint.IsStatic() == known["static"]
    assert joint.GetFirstAttached().GetName() == known["first_attached"]
    assert joint.GetSecondAttached().GetName() == known["second_attached"]
    assert joint.GetHierarchyParentLink().GetName() == known["hierarchy_parent"]
    assert joint.GetHierarchyChildLink().GetName() == known["hierarchy_child"]
    if not joint.IsStatic():  # such a joint glues; its place has no meaning
        np.testing.assert_allclose(joint.GetAnchor(), known["anchor"], **CLOSE)
    np.testing.assert_allclose(joint.GetLimits(), known["limits"], **CLOSE)
    for name in ("Velocity", "Acceleration", "Torque"):
        limits = getattr(joint, f"Get{name}Limits")()
        np.testing.assert_allclose(limits, known[f"{name.lower()}_limits"], **CLOSE)
    for axis, its in enumerate(known["axes"]):
        np.testing.assert_allclose(joint.GetAxis(axis), its["axis"], **CLOSE)
        assert joint.IsCircular(axis) == its["circular"]
        assert joint.IsPrismatic(axis) == its["prismatic"]
    # the child is at left, motion, right in its parent
    left = joint.GetInternalHierarchyLeftTransform()
    right = joint.GetInternalHierarchyRightTransform()
    if len(known["axes"]) == 1:
        axis = joint.GetInternalHierarchyAxis()
        np.testing.assert_allclose(axis, known["axes"][0]["internal_axis"], **CLOSE)
        np.testing.assert_allclose(
            left[:3, 2], np.array(known["internal_left"])[:3, 2], **CLOSE
        )
    whole = np.array(known["internal_left"]) @ known["internal_right"]
    if not joint.IsMimic():
        np.testing.assert_allclose(left @ right, whole, **CLOSE)


def stopped(body):
    """Return True if a joint that follows others is at one of its limits."""
    following = [one for one in body.GetPassiveJoints() if one.IsMimic()]
    return any(
        (one.GetValues() <= low).any() or (one.GetValues() >= high).any()
        for one in following
        for low, high in (one.GetLimits(),)
    )


def check_configuration(body, known):
    body.SetDOFValues(known["q"])
    np.testing.assert_allclose(body.GetDOFValues(), known["q_after"], **CLOSE)
    np.testing.assert_allclose(
        body.GetLinkTransformations(), known["link_transforms"], **CLOSE
    )
    if not any(body.GetLink(name) for name in FORGOTTEN):
        com = body.GetCenterOfMass()
        np.testing.assert_allclose(com, known["center_of_mass"], **CLOSE)
    body.SetDOFVelocities(known["qd"])
    if stopped(body):
        return  # such a joint stands still here, and goes on there
    if "error" not in known["link_velocities"]:
        found = body.GetLinkVelocities()
        np.testing.assert_allclose(found, known["link_velocities"], **CLOSE)
    last = len(body.GetLinks()) - 1
    where = body.GetLinks()[last].GetTransform()[:3, 3]
    found = body.ComputeJacobianTranslation(last, where)
    np.testing.assert_allclose(found, known["jacobian_last_link_origin"], **CLOSE)


@pytest.mark.parametrize("name", [*FILES, *(ALL if corpus.LONG else ())])
def test_bodies_say_what_openrave_says(env, name):
    assert env.Load(name)
    content = json.loads((FOLDER / f"{name}.json").read_text())
    env.GetPhysicsEngine().SetGravity(content["environment"]["gravity"])
    assert len(env.GetBodies()) == len(content["bodies"])
    for known in content["bodies"]:
        body = env.GetKinBody(known["name"])
        assert body.IsRobot() == known["is_robot"]
        assert body.GetXMLId() == known["xml_id"]
        assert body.GetDOF() == known["dof"]
        np.testing.assert_allclose(body.GetTransform(), known["transform"], **CLOSE)
        np.testing.assert_allclose(body.GetDOFValues(), known["dof_values"], **CLOSE)
        np.testing.assert_allclose(body.GetDOFLimits(), known["dof_limits"], **CLOSE)
        for method, key in (
            ("GetDOFWeights", "dof_weights"),
            ("GetDOFResolutions", "dof_resolutions"),
            ("GetDOFMaxTorque", "dof_max_torque"),
            ("GetDOFVelocityLimits", "dof_velocity_limits"),
        ):
            np.testing.assert_allclose(getattr(body, method)(), known[key], **CLOSE)
        pairs = [tuple(pair) for pair in known["adjacent_links"]]
        assert sorted(body.GetAdjacentLinks()) == sorted(pairs)
        ordered = [one.GetName() for one in body.GetDependencyOrderedJoints()]
        assert set(ordered) == set(known["dependency_ordered_joints"])
        for link, its in zip(body.GetLinks(), known["links"], strict=True):
            check_link(link, its)
        for joint, its in zip(body.GetJoints(), known["joints"], strict=True):
            check_joint(joint, its)
        passive = zip(body.GetPassiveJoints(), known["passive_joints"], strict=True)
        for joint, its in passive:
            check_joint(joint, its)
        for its in known.get("random_configurations") or ():
            check_configuration(body, its)
