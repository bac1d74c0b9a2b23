"""Bodies: degrees of freedom, poses, Jacobians, states."""

import numpy as np
import pytest
from openravepy_bodies import new_body

import pyrave

TWO_AXES = """<KinBody name="arm">
  <Body name="base"><Geom type="box"><extents>0.1 0.1 0.1</extents></Geom></Body>
  <Body name="upper"><offsetfrom>base</offsetfrom>
    <Translation>0 0 0.1</Translation>
    <Geom type="box"><extents>0.5 0.05 0.05</extents>
      <translation>0.5 0 0</translation></Geom>
    <Mass type="custom"><total>2</total><com>0.5 0 0</com></Mass></Body>
  <Body name="lower"><offsetfrom>upper</offsetfrom>
    <Translation>1 0 0</Translation>
    <Geom type="sphere"><radius>0.1</radius></Geom></Body>
  <Joint name="shoulder" type="hinge"><Body>base</Body><Body>upper</Body>
    <offsetfrom>upper</offsetfrom><axis>0 0 1</axis>
    <limitsdeg>-90 90</limitsdeg></Joint>
  <Joint name="elbow" type="hinge"><Body>upper</Body><Body>lower</Body>
    <offsetfrom>lower</offsetfrom><axis>0 1 0</axis>
    <limitsdeg>-170 170</limitsdeg></Joint>
</KinBody>"""


@pytest.fixture
def body(openravepy):
    env = openravepy.Environment()
    env._native.load_string(TWO_AXES)
    return env.GetBodies()[0]


def test_values_are_set_in_three_forms(openravepy, body):
    body.SetDOFValues([0.1, 0.2])
    body.SetDOFValues([0.3], [1])
    np.testing.assert_array_equal(body.GetDOFValues(), (0.1, 0.3))
    np.testing.assert_array_equal(body.GetDOFValues([1, 0]), (0.3, 0.1))
    body.SetDOFValues([2.0, 0.0], [0, 1], openravepy.KinBody.CheckLimitsAction.Nothing)
    assert body.GetDOFValues()[0] == 2.0
    body.SetDOFValues([2.0, 0.0], None, 2)
    assert body.GetDOFValues()[0] == pytest.approx(np.pi / 2)
    body.SetJointValues([0.5, -0.5])
    np.testing.assert_array_equal(body.GetJointValues(), (0.5, -0.5))
    with pytest.raises(openravepy.openrave_exception):
        body.SetDOFValues([2.0, 0.0], [0, 1], 3)


def test_of_an_index_that_comes_twice_the_last_value_counts(body):
    body.SetDOFValues([0.1, 0.2, 0.3], [0, 1, 0])
    np.testing.assert_array_equal(body.GetDOFValues(), (0.3, 0.2))


def test_values_are_fresh_arrays(body):
    values = body.GetDOFValues()
    values[:] = 1.0
    pose = body.GetTransform()
    pose[:] = 1.0
    assert not body.GetDOFValues().any()
    np.testing.assert_array_equal(body.GetTransform(), np.eye(4))


def test_wrong_arguments_end_in_openrave_exception(openravepy, body):
    wrong = (
        lambda: body.SetDOFValues([1.0]),
        lambda: body.SetDOFValues([1.0], [7]),
        lambda: body.SetDOFValues("left"),
        lambda: body.GetDOFValues([2]),
        lambda: body.ComputeJacobianTranslation(9, [0, 0, 0]),
        lambda: body.ComputeJacobianTranslation(1, [0, 0]),
        lambda: body.SetDOFLimits([0], [1]),
        lambda: body.Init([], []),
        lambda: body.GetChain(0, 77),
        lambda: body.GetJointFromDOFIndex(5),
        lambda: body.Grab(3, None),
        lambda: body.InitFromBoxes([[1, 2, 3]]),
        lambda: body.SetLinkTransformations([np.eye(4)]),
        lambda: openravepy.KinBody.KinBodyStateSaver(3),
    )
    for call in wrong:
        with pytest.raises(openravepy.openrave_exception):
            call()


def test_velocities_are_set_in_four_forms(body):
    body.SetDOFVelocities([0.1, 0.2])
    np.testing.assert_array_equal(body.GetDOFVelocities(), (0.1, 0.2))
    body.SetDOFVelocities([0.3], 1, [1])
    np.testing.assert_array_equal(body.GetDOFVelocities(), (0.1, 0.3))
    body.SetDOFVelocities([0.0, 0.0], [1, 2, 3], [0, 0, 0.5])
    np.testing.assert_allclose(body.GetLinkVelocities()[0], (1, 2, 3, 0, 0, 0.5))
    # the second link is 0.1 above the base, and turns with it
    np.testing.assert_allclose(body.GetLinkVelocities()[1], (1, 2, 3, 0, 0, 0.5))
    body.SetDOFVelocities([99.0, 0.0], [0, 0, 0], [0, 0, 0], 1)
    assert body.GetDOFVelocities()[0] == body.GetDOFVelocityLimits()[0]


def test_a_block_puts_back_transforms_and_keeps_grabs(body):
    other = new_body(body.GetEnv())
    other.InitFromBoxes([[0, 0, 0, 0.1, 0.1, 0.1]])
    other.SetName("box")
    body.GetEnv()._native.add(other._native)
    with body:
        body.SetDOFValues([0.3, 0.3])
        body.Enable(False)
        with body:
            body.SetTransform([1, 0, 0, 0, 5, 0, 0])
        body.Grab(other, body.GetLink("lower"))
        body.SetDOFLimits([-1, -1], [1, 1])
        np.testing.assert_array_equal(body.GetTransform(), np.eye(4))
    np.testing.assert_array_equal(body.GetDOFValues(), (0, 0))
    assert body.IsEnabled()
    assert body.GetGrabbed() == [other]
    assert body.GetDOFLimits()[1].tolist() == [1, 1]


def test_savers_have_masks(openravepy, body):
    bits = openravepy.KinBody.SaveParameters
    saver = openravepy.KinBody.KinBodyStateSaver(body, bits.JointLimits)
    body.SetDOFLimits([-1, -1], [1, 1])
    body.SetDOFValues([0.4, 0.4])
    saver.Restore()
    assert body.GetDOFLimits()[1][0] == pytest.approx(np.pi / 2)
    assert body.GetDOFValues()[0] == 0.4
    with openravepy.KinBody.KinBodyStateSaver(body) as state:
        body.SetTransform([1, 0, 0, 0, 7, 7, 7])
        assert state.GetBody() is body
    assert body.GetTransform()[0, 3] != 7
    with body.CreateKinBodyStateSaver() as state:
        body.SetDOFValues([0, 0])
        assert state.GetBody() is body
    assert body.GetDOFValues()[0] == 0.4
    with body.CreateKinBodyStateSaver() as state:
        body.SetDOFValues([0, 0])
        state.Release()
        assert state.GetBody() is None
    assert body.GetDOFValues()[0] == 0.0


def test_a_saver_restores_another_body(openravepy, body):
    other = new_body(body.GetEnv())
    other.Clone(body, 0)
    body.SetDOFValues([0.2, -0.2])
    openravepy.KinBody.KinBodyStateSaver(body).Restore(other)
    np.testing.assert_array_equal(other.GetDOFValues(), (0.2, -0.2))


def test_jacobians_are_derivatives(body):
    q = np.array((0.3, -0.7))
    body.SetDOFValues(q)
    point = body.GetLinks()[2].GetTransform()[:3, 3] + (0.1, 0.2, 0.3)
    local = np.linalg.inv(body.GetLinks()[2].GetTransform()) @ (*point, 1)
    jacobian = body.ComputeJacobianTranslation(2, point)
    turning = body.ComputeJacobianAxisAngle(2)
    hessian = body.ComputeHessianTranslation(2, point)
    quat = body.GetLinks()[2].GetTransformPose()[:4]
    rotation = body.CalculateRotationJacobian(2, quat)
    assert jacobian.shape == (3, 2)
    assert rotation.shape == (4, 2)
    assert hessian.shape == (2, 3, 2)
    np.testing.assert_array_equal(body.CalculateJacobian(2, point), jacobian)
    np.testing.assert_array_equal(
        body.ComputeJacobianTranslation(2, point, [1]), jacobian[:, [1]]
    )
    step = 1e-6
    for k in range(2):
        with body:
            body.SetDOFValues(q + step * np.eye(2)[k])
            pose = body.GetLinks()[2].GetTransform()
            moved = (pose @ local)[:3]
            turned = body.GetLinks()[2].GetTransformPose()[:4]
            there = body.ComputeJacobianTranslation(2, moved)
        np.testing.assert_allclose((moved - point) / step, jacobian[:, k], atol=1e-5)
        np.testing.assert_allclose((turned - quat) / step, rotation[:, k], atol=1e-5)
        np.testing.assert_allclose((there - jacobian) / step, hessian[k], atol=1e-5)
    axes = [joint.GetAxis() for joint in body.GetJoints()]
    np.testing.assert_allclose(turning.T, axes, atol=1e-15)
    turns = body.ComputeHessianAxisAngle(2)
    np.testing.assert_allclose(turns[0, :, 1], np.cross(*axes), atol=1e-15)
    np.testing.assert_array_equal(turns, turns.transpose(2, 1, 0))


def test_inverse_dynamics_has_components(body):
    body.GetEnv()._native.gravity = (0, 0, -10)
    body.SetDOFVelocities([0.5, 0.2])
    whole = body.ComputeInverseDynamics([1.0, 2.0])
    parts = body.ComputeInverseDynamics([1.0, 2.0], None, True)
    assert len(parts) == 3
    np.testing.assert_allclose(sum(parts), whole, atol=1e-12)
    # what a link is to exert adds to what joints do
    com = body.GetLinks()[2].GetGlobalCOM()
    force = np.array((1.0, 2.0, 3.0))
    more = body.ComputeInverseDynamics([1.0, 2.0], {2: [*force, 0, 0, 0]})
    expected = body.ComputeJacobianTranslation(2, com).T @ force
    np.testing.assert_allclose(more - whole, expected, atol=1e-12)


def test_accelerations_of_links_have_gravity(body):
    body.GetEnv()._native.gravity = (0, 0, -10)
    still = body.GetLinkAccelerations([0, 0])
    np.testing.assert_allclose(still, [[0, 0, 10, 0, 0, 0]] * 3)
    own = body.GetLinkAccelerations([1, 0], {})
    np.testing.assert_allclose(own[2], (0, 1, 0, 0, 0, 1), atol=1e-12)


def test_links_and_joints_are_found(body):
    assert body.GetLink("upper").GetIndex() == 1
    assert body.GetLink("none") is None
    assert body.GetJoint("none") is None
    assert body.GetJointIndex("elbow") == 1
    assert body.GetJointIndex("none") == -1
    assert body.GetJointFromDOFIndex(1) is body.GetJoint("elbow")
    assert [one.GetName() for one in body.GetChain(0, 2)] == ["shoulder", "elbow"]
    links = body.GetChain(0, 2, returnjoints=False)
    assert [one.GetName() for one in links] == ["base", "upper", "lower"]
    assert body.IsDOFInChain(0, 1, 0)
    assert not body.IsDOFInChain(0, 1, 1)
    assert (body.DoesAffect(0, 2), body.DoesAffect(1, 1)) == (1, 0)
    assert body.GetAdjacentLinks() == [(0, 1), (1, 2)]
    assert body.GetNonAdjacentLinks() == [(0, 2)]
    body.SetAdjacentLinks(0, 2)
    assert body.GetNonAdjacentLinks() == []


def test_a_link_is_placed_alone(body):
    pose = np.eye(4)
    pose[:3, 3] = 5, 6, 7
    body.GetLink("lower").SetTransform(pose)
    np.testing.assert_array_equal(body.GetLink("lower").GetTransform(), pose)
    np.testing.assert_array_equal(body.GetLink("base").GetTransform(), np.eye(4))


def test_a_name_can_change_in_the_environment(openravepy, body):
    other = new_body(body.GetEnv())
    other.InitFromSpheres([[3, 0, 0, 0.1]])
    other.SetName("ball")
    body.GetEnv()._native.add(other._native)
    body.Grab(other, body.GetLinks()[1])
    other.SetName("globe")
    body.SetName("limb")
    assert {one.GetName() for one in body.GetEnv().GetBodies()} == {"globe", "limb"}
    assert body.IsGrabbing(other) is body.GetLinks()[1]
    assert body.GetGrabbedInfo("globe")._robotlinkname == "upper"
    with pytest.raises(openravepy.openrave_exception, match="another body"):
        other.SetName("limb")


def test_grabs_as_in_openrave(openravepy, body):
    other = new_body(body.GetEnv())
    other.InitFromSpheres([[3, 0, 0, 0.1]])
    other.SetName("ball")
    body.GetEnv()._native.add(other._native)
    body.Release(other)  # of what is not held nothing is said
    assert body.Grab(other, body.GetLink("upper"), [0]) is True
    result = openravepy.KinBody.GrabbedInfoCheckResult
    assert body.CheckGrabbedInfo(other, body.GetLink("upper")) == result.Identical
    assert (
        body.CheckGrabbedInfo(other, body.GetLink("lower"))
        == result.GrabbingLinkNotMatch
    )
    before = other.GetTransform()
    body.SetDOFValues([np.pi / 2, 0])
    np.testing.assert_allclose(other.GetTransform()[:3, 3], (0, 0, 0), atol=1e-12)
    assert not np.allclose(before, other.GetTransform())
    (info,) = body.GetGrabbedInfo()
    assert info._setIgnoreRobotLinkNames == ["base", "upper"]
    body.ReleaseAllGrabbed()
    assert body.CheckGrabbedInfo(other, 1) == result.BodyNotGrabbed
    body.ResetGrabbed([info])
    assert body.GetNumGrabbed() == 1
    assert other.IsAttached(body)
    body.ReleaseAllGrabbedWithLink(body.GetLink("upper"))
    assert body.GetGrabbed() == []


def test_two_hands_do_not_hold_one_body(openravepy, body, caplog):
    other, ball = new_body(body.GetEnv()), new_body(body.GetEnv())
    other.InitFromSpheres([[9, 0, 0, 0.1]])
    other.SetName("other")
    ball.InitFromSpheres([[3, 0, 0, 0.1]])
    ball.SetName("ball")
    for one in (other, ball):
        body.GetEnv()._native.add(one._native)
    body.Grab(ball, 1)
    other.Grab(ball, 0)
    assert body.GetGrabbed() == []
    assert other.GetGrabbed() == [ball]
    assert "ball is held by arm" in caplog.text


def test_configurations(body):
    spec = body.GetConfigurationSpecification()
    assert spec.GetDOF() == 9
    body.SetConfigurationValues([0.1, 0.2, 1, 2, 3, 1, 0, 0, 0])
    np.testing.assert_array_equal(body.GetTransform()[:3, 3], (1, 2, 3))
    np.testing.assert_array_equal(
        body.GetConfigurationValues(), (0.1, 0.2, 1, 2, 3, 1, 0, 0, 0)
    )
    assert body.GetConfigurationSpecificationIndices([1]).GetDOF() == 1


def test_parameters_of_files_and_scripts(openravepy):
    env = openravepy.Environment()
    env._native.load_string(
        '<KinBody name="b"><Body name="l"><float_parameters id="x">1 2.5'
        '</float_parameters><string_parameters id="s">hello</string_parameters>'
        "</Body></KinBody>"
    )
    link = env.GetBodies()[0].GetLinks()[0]
    assert link.GetFloatParameters("x").tolist() == [1, 2.5]
    assert link.GetFloatParameters("x", 1) == 2.5
    assert link.GetFloatParameters("y") is None
    assert link.GetStringParameters() == {"s": "hello"}
    link.SetIntParameters("k", [3, 4])
    link.SetFloatParameters("x", [])
    assert link.GetIntParameters("k").tolist() == [3, 4]
    assert link.GetFloatParameters() == {}
    with pytest.raises(openravepy.openrave_exception, match="expected numbers"):
        link.SetIntParameters("k", "many")


def test_hard_limits_are_set(body):
    body.SetDOFHardVelocityLimits([3, 4])
    assert body.GetDOFHardVelocityLimits().tolist() == [3, 4]
    body.GetJoint("elbow").SetHardVelocityLimits([5])
    assert body.GetDOFHardVelocityLimits([1]).tolist() == [5]


def test_formulas_are_set(body):
    joint = body.GetJoint("elbow")
    joint.SetMimicEquations(0, "2*shoulder", "|shoulder 2", "")
    assert body.GetDOF() == 1
    body.SetDOFValues([0.25])
    joint = body.GetJoint("elbow")
    assert joint.IsMimic()
    assert joint.GetMimicEquation() == "2*shoulder"
    assert joint.GetMimicDOFIndices() == [0]
    assert joint.GetValue() == pytest.approx(0.5)


def test_texts(openravepy, monkeypatch, body):
    monkeypatch.setattr(openravepy.Environment, "GetId", lambda _: 7, raising=False)
    assert repr(body) == "RaveGetEnvironment(7).GetKinBody('arm')"
    assert str(body).startswith("<kinbody: - arm (")
    assert repr(body.GetLinks()[1]).endswith(".GetKinBody('arm').GetLink('upper')")
    assert str(body.GetLinks()[1]) == "<link:upper (1), parent=arm>"
    assert str(body.GetJoints()[1]) == "<joint:elbow (1), dof=1, parent=arm>"


def test_user_data_and_readables(openravepy, body):
    body.SetUserData(3)
    body.SetUserData("key", [4])
    assert (body.GetUserData(), body.GetUserData("key")) == (3, [4])
    assert body.RemoveUserData("key")
    assert body.GetUserData("key") is None
    made = openravepy.xmlreaders.CreateStringXMLReadable("tag", "<tag a='1'/>")
    body.SetReadableInterface("tag", made)
    assert body.GetReadableInterface("TAG") == made
    assert body.GetReadableInterface("tag").SerializeXML() == "<tag a='1'/>"
    body.GetLinks()[0].SetReadableInterface("tag", made)
    assert list(body.GetLinks()[0].GetReadableInterfaces()) == ["tag"]
    body.SetReadableInterface("tag", None)
    assert body.GetReadableInterface("tag") is None
    assert isinstance(body.GetLinks()[0]._native.description.readables, tuple)
    assert isinstance(made._native, pyrave.Readable)


def test_a_sensor_system_holds_a_body(body):
    env = body.GetEnv()._native
    assert body.GetManageData() is None
    system = env.create("sensorsystem", "SimpleSensorSystem")
    env.add(system)
    system.add_kinbody(body._native)
    data = body.GetManageData()
    assert data.GetSystem()._native is system
    assert (data.IsEnabled(), data.IsPresent(), data.IsLocked()) == (True, False, False)
    assert data.GetOffsetLink() is body.GetLinks()[0]
    assert data.Lock(True)
    assert data.IsLocked()


def test_a_body_has_a_checker_of_its_own(openravepy, body):
    from openravepy.foundation.objects import wrap

    env = body.GetEnv()._native
    assert body.GetSelfCollisionChecker()._native is env.collision_checker
    own = wrap(env.create("collisionchecker", "native"))
    body.SetSelfCollisionChecker(own)
    assert body.GetSelfCollisionChecker() is own
    report = openravepy.CollisionReport()
    assert not body.CheckSelfCollision(report)
    assert not body.CheckSelfCollision(None, own)
    body.SetSelfCollisionChecker(None)
    assert body.GetSelfCollisionChecker()._native is env.collision_checker
