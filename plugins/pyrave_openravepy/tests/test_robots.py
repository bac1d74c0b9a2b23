"""Robots: manipulators, active degrees of freedom, states, sensors, controllers."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def api(openravepy):
    return openravepy


@pytest.fixture
def robot(api):
    env = api.Environment()
    env.StopSimulation()
    assert env.Load("scenes/demo.env.xml")
    yield env.GetRobots()[0]
    env.Destroy()


@pytest.fixture
def arm(robot):
    return robot.SetActiveManipulator("arm")


def box(env, place=(0, 0, 5), name="box"):
    from pyrave.scene import body_from_boxes

    body = env._native.create_body(body_from_boxes(name, [(*place, 0.02, 0.02, 0.02)]))
    if body not in env._native.bodies:
        env._native.add(body)
    return next(one for one in env.GetBodies() if one.GetName() == name)


# -- manipulators ------------------------------------------------------------------


def test_manipulators_are_found_by_name_and_index(api, robot):
    first = robot.GetManipulators()[0]
    assert robot.GetManipulator(first.GetName()) is first
    assert robot.GetManipulators(first.GetName()) == [first]
    assert robot.GetManipulator("nobody") is None
    assert robot.SetActiveManipulator(first.GetName()) is first
    assert robot.SetActiveManipulator(first) is first
    assert robot.SetActiveManipulator(0) is robot.GetActiveManipulator()
    assert robot.GetActiveManipulatorIndex() == 0
    assert first.GetRobot() is robot
    with pytest.raises(api.openrave_exception, match="nobody"):
        robot.SetActiveManipulator("nobody")


def test_a_manipulator_says_what_it_is(robot, arm):
    native = arm._native
    assert arm.GetName() == arm.GetId() == "arm"
    assert arm.GetBase().GetName() == native.base.name
    assert arm.GetEndEffector() is robot.GetLinks()[native.end_effector.index]
    assert arm.GetArmDOF() == 7
    assert arm.GetArmIndices().tolist() == native.arm_indices.tolist()
    assert arm.GetArmJoints().tolist() == arm.GetArmIndices().tolist()
    np.testing.assert_allclose(
        arm.GetArmDOFValues(), robot.GetDOFValues(arm.GetArmIndices())
    )
    assert arm.GetGripperDOF() == len(arm.GetGripperIndices())
    assert arm.GetGripperJoints().tolist() == arm.GetGripperIndices().tolist()
    np.testing.assert_allclose(
        arm.GetGripperDOFValues(), robot.GetDOFValues(arm.GetGripperIndices())
    )
    children = arm.GetChildLinks()
    assert arm.GetEndEffector() in children
    assert all(arm.IsChildLink(link) for link in children)
    assert not arm.IsChildLink(arm.GetBase())
    assert arm.GetBase() in arm.GetIndependentLinks()
    assert len(arm.GetChildDOFIndices()) == len(arm.GetChildJoints())
    assert arm.GetArmConfigurationSpecification("linear").GetDOF() == 7
    assert "arm" in str(arm)


def test_the_tool_is_where_its_link_has_it(arm):
    end = arm.GetEndEffector().GetTransform()
    place = end @ arm.GetLocalToolTransform()
    np.testing.assert_allclose(arm.GetTransform(), place, atol=1e-12)
    np.testing.assert_allclose(arm.GetEndEffectorTransform(), place, atol=1e-12)
    np.testing.assert_allclose(arm.GetTransformPose()[4:], place[:3, 3], atol=1e-12)
    assert arm.GetGraspTransform().tolist() == arm.GetLocalToolTransform().tolist()
    shifted = np.eye(4)
    shifted[2, 3] = 0.3
    arm.SetLocalToolTransform(shifted)
    np.testing.assert_allclose(arm.GetTransform(), end @ shifted, atol=1e-12)
    np.testing.assert_allclose(arm.GetLocalToolTransformPose(), (1, 0, 0, 0, 0, 0, 0.3))
    arm.SetLocalToolDirection([0, 2, 0])
    assert arm.GetLocalToolDirection().tolist() == [0, 1, 0]
    assert arm.GetDirection().tolist() == [0, 1, 0]


def test_jacobians_are_derivatives(robot, arm):
    indices, step = arm.GetArmIndices(), 1e-6
    robot.SetDOFValues([0.3, 0.4, -0.2, 1.1, 0.1, 0.5, 0.2], indices)
    values, before = arm.GetArmDOFValues(), arm.GetTransformPose()
    linear, quats = [], []
    for k in range(7):
        moved = values.copy()
        moved[k] += step
        robot.SetDOFValues(moved, indices)
        change = (arm.GetTransformPose() - before) / step
        linear.append(change[4:])
        quats.append(change[:4])
    robot.SetDOFValues(values, indices)
    np.testing.assert_allclose(arm.CalculateJacobian(), np.transpose(linear), atol=1e-5)
    np.testing.assert_allclose(
        arm.CalculateRotationJacobian(), np.transpose(quats), atol=1e-5
    )
    w, x, y, z = before[:4]
    rates = 0.5 * np.array(((-x, -y, -z), (w, z, -y), (-z, w, x), (y, -x, w)))
    np.testing.assert_allclose(
        rates @ arm.CalculateAngularVelocityJacobian(), np.transpose(quats), atol=1e-5
    )


def test_signs_that_close_the_gripper_are_set(arm):
    signs = arm.GetChuckingDirection()
    arm.SetChuckingDirection(-signs)
    assert arm.GetClosingDirection().tolist() == (-signs).tolist()


def test_manipulators_are_added_and_removed(api, robot, arm):
    info = arm.GetInfo()
    info._name = "other"
    info._grippername = "fingers"
    with pytest.raises(api.openrave_exception, match="already"):
        robot.AddManipulator(arm.GetInfo())
    made = robot.AddManipulator(info)
    assert made is robot.GetManipulator("other")
    assert made.GetGripperName() == "fingers"
    assert made.GetInfo()._grippername == "fingers"
    np.testing.assert_allclose(made.GetTransform(), arm.GetTransform())
    assert made.GetKinematicsStructureHash() == arm.GetKinematicsStructureHash()
    again = robot.AddManipulator(info, True)
    assert again is robot.GetManipulator("other")
    assert robot.RemoveManipulator(again) is True
    assert robot.RemoveManipulator(again) is False
    assert robot.GetManipulator("other") is None
    info._sBaseLinkName = "nothing"
    with pytest.raises(api.openrave_exception, match="nothing"):
        robot.AddManipulator(info)


def test_digests_tell_arms_apart(api, robot, arm):
    kinds = api.IkParameterizationType
    before = arm.GetStructureHash()
    assert len(before) == len(arm.GetKinematicsStructureHash()) == 32
    assert arm.GetInverseKinematicsStructureHash(kinds.Transform6D) != (
        arm.GetInverseKinematicsStructureHash(kinds.Translation3D)
    )
    whole = robot.GetRobotStructureHash()
    tool = np.eye(4)
    tool[2, 3] = 0.5
    arm.SetLocalToolTransform(tool)
    assert arm.GetStructureHash() != before
    assert robot.GetRobotStructureHash() != whole


# -- active degrees of freedom -----------------------------------------------------


def test_active_degrees_of_freedom_are_joints_then_the_base(api, robot, arm):
    affine = api.DOFAffine
    robot.SetActiveDOFs([2, 0])
    assert robot.GetActiveDOF() == 2
    assert robot.GetActiveDOFIndices().tolist() == [2, 0]
    assert robot.GetActiveJointIndices().tolist() == [2, 0]
    assert robot.GetAffineDOF() == 0
    robot.SetActiveDOFs(arm.GetArmIndices(), affine.X | affine.Y | affine.RotationAxis)
    assert robot.GetActiveDOF() == 10
    assert robot.GetAffineDOF() == 0xB
    assert robot.GetAffineDOFIndex(affine.Y) == 8
    assert robot.GetAffineDOFIndex(affine.RotationAxis) == 9
    robot.SetActiveDOFs([0], int(affine.RotationAxis), [0, 0, 2])
    assert robot.GetAffineRotationAxis().tolist() == [0, 0, 1]
    robot.SetActiveDOFs([], affine.X | affine.RotationAxis, [0, 0, 1])
    robot.SetTransform(np.eye(4))
    robot.SetActiveDOFValues([1.5, 0.25])
    np.testing.assert_allclose(robot.GetActiveDOFValues(), [1.5, 0.25], atol=1e-12)
    place = robot.GetTransform()
    assert place[0, 3] == pytest.approx(1.5)
    assert np.arctan2(place[1, 0], place[0, 0]) == pytest.approx(0.25)
    assert robot.SubtractActiveDOFValues([1, 1], [0.25, 0.5]).tolist() == [0.75, 0.5]
    spec = robot.GetActiveConfigurationSpecification("linear")
    assert spec.GetDOF() == 2
    for wrong in (
        lambda: robot.SetActiveDOFs([0, 99]),
        lambda: robot.SetActiveDOFs([0.5]),
        lambda: robot.SetActiveDOFs([0], 0x18),
        lambda: robot.GetAffineDOFIndex(affine.Z),
        lambda: robot.SetActiveDOFValues([1]),
        lambda: robot.SetActiveDOFValues([1, 2], 9),
    ):
        with pytest.raises(api.openrave_exception):
            wrong()


def test_limits_of_active_degrees_of_freedom(robot, arm):
    indices = arm.GetArmIndices()
    robot.SetActiveDOFs(indices, 1)
    lower, upper = robot.GetActiveDOFLimits()
    native = robot._native
    np.testing.assert_allclose(lower[:7], native.dof_limits[0][indices])
    assert (lower[7], upper[7]) == (-100, 100)
    for method, values, base in (
        ("GetActiveDOFMaxVel", native.dof_velocity_limits, 1.0),
        ("GetActiveDOFMaxAccel", native.dof_acceleration_limits, 1.0),
        ("GetActiveDOFMaxJerk", native.limits.jerk, 1.0),
        ("GetActiveDOFWeights", native.dof_weights, 2.0),
        ("GetActiveDOFResolutions", native.dof_resolutions, 0.001),
        ("GetActiveDOFHardMaxVel", native.model.hard_velocity_limits, 1.0),
        ("GetActiveDOFHardMaxAccel", native.model.hard_acceleration_limits, 1.0),
        ("GetActiveDOFHardMaxJerk", native.model.hard_jerk_limits, 1.0),
    ):
        found = getattr(robot, method)()
        np.testing.assert_allclose(found[:7], values[indices], err_msg=method)
        assert found[7] == base, method


def test_values_beyond_limits_are_treated_as_asked(api, robot, arm):
    robot.SetActiveDOFs(arm.GetArmIndices())
    _, upper = robot.GetActiveDOFLimits()
    check = api.KinBody.CheckLimitsAction
    robot.SetActiveDOFValues(upper + 0.1, check.CheckLimitsSilent)
    np.testing.assert_allclose(robot.GetActiveDOFValues(), upper)
    robot.SetActiveDOFValues(upper + 0.1, check.Nothing)
    np.testing.assert_allclose(robot.GetActiveDOFValues(), upper + 0.1)
    with pytest.raises(api.openrave_exception):
        robot.SetActiveDOFValues(upper + 0.1, check.CheckLimitsThrow)
    robot.SetActiveDOFValues(upper)
    robot.SetActiveDOFVelocities(np.full(7, 0.1))
    np.testing.assert_allclose(robot.GetActiveDOFVelocities(), 0.1)


def test_active_jacobians(robot, arm):
    robot.SetActiveDOFs(arm.GetArmIndices(), 7)
    link = arm.GetEndEffector()
    place = arm.GetTransform()[:3, 3]
    found = robot.CalculateActiveJacobian(link.GetIndex(), place)
    np.testing.assert_allclose(found[:, :7], arm.CalculateJacobian(), atol=1e-12)
    np.testing.assert_allclose(found[:, 7:], np.eye(3))
    angular = robot.CalculateActiveAngularVelocityJacobian(link.GetIndex())
    np.testing.assert_allclose(
        angular[:, :7], arm.CalculateAngularVelocityJacobian(), atol=1e-12
    )
    quat = arm.GetTransformPose()[:4]
    turned = robot.CalculateActiveRotationJacobian(link.GetIndex(), quat)
    np.testing.assert_allclose(
        turned[:, :7], arm.CalculateRotationJacobian(), atol=1e-12
    )


def test_limits_of_the_base_are_set_and_got(api, robot):
    robot.SetAffineTranslationLimits([-1, -2, -3], [1, 2, 3])
    lower, upper = robot.GetAffineTranslationLimits()
    assert (lower.tolist(), upper.tolist()) == ([-1, -2, -3], [1, 2, 3])
    robot.SetAffineRotationAxisLimits([-1, 0, 0, 0], [2, 0, 0, 0])
    lower, upper = robot.GetAffineRotationAxisLimits()
    assert (lower.tolist(), upper.tolist()) == ([-1, 0, 0, 0], [2, 0, 0, 0])
    robot.SetAffineRotation3DLimits([-1, -1, -1], [2, 2, 2])
    assert robot.GetAffineRotation3DLimits()[1].tolist() == [2, 2, 2]
    assert robot.GetAffineRotationQuatLimits().tolist() == [np.pi, 0, 0, 0]
    robot.SetAffineRotationQuatLimits([0.5, 0, 0, 0])
    assert robot.GetAffineRotationQuatLimits().tolist() == [0.5, 0, 0, 0]
    for what in ("MaxVels", "Resolution", "Weights"):
        getattr(robot, f"SetAffineTranslation{what}")([1, 2, 3])
        getattr(robot, f"SetAffineRotationAxis{what}")([4, 5, 6, 7])
        getattr(robot, f"SetAffineRotation3D{what}")([7, 8, 9])
        getattr(robot, f"SetAffineRotationQuat{what}")(0.25)
        assert getattr(robot, f"GetAffineTranslation{what}")().tolist() == [1, 2, 3]
        assert getattr(robot, f"GetAffineRotationAxis{what}")().tolist() == [4, 5, 6, 7]
        assert getattr(robot, f"GetAffineRotation3D{what}")().tolist() == [7, 8, 9]
        assert getattr(robot, f"GetAffineRotationQuat{what}")() == 0.25
    robot.SetActiveDOFs([], 0xF, [0, 0, 1])
    assert robot.GetActiveDOFMaxVel().tolist() == [1, 2, 3, 4]
    assert robot.GetActiveDOFLimits()[0].tolist() == [-1, -2, -3, -1]
    for wrong in (
        lambda: robot.SetAffineTranslationLimits([1, 1], [2, 2]),
        lambda: robot.SetAffineTranslationLimits([2, 2, 2], [1, 1, 1]),
        lambda: robot.SetAffineTranslationWeights([-1, 1, 1]),
        lambda: robot.SetAffineRotationQuatLimits([1, 2]),
    ):
        with pytest.raises(api.openrave_exception):
            wrong()


# -- states ------------------------------------------------------------------------


def test_with_restores_what_openrave_restores(robot, arm):
    env = robot.GetEnv()
    values, pose = robot.GetDOFValues(), robot.GetTransform()
    moved = values + 0.05 * (np.arange(8) < 7)
    robot.SetActiveDOFs([0, 1])
    body = box(env)
    weights = robot._native.dof_weights + 1
    with robot:
        with robot:  # nests
            robot.SetDOFValues(moved)
        np.testing.assert_allclose(robot.GetDOFValues(), values)
        robot.SetDOFValues(moved)
        robot.SetTransform(np.diag((1.0, -1.0, -1.0, 1.0)))
        robot.SetActiveDOFs([2], 7)
        robot._native.dof_weights = weights
        robot.GetLinks()[1]._native.enabled = False
        robot.Grab(body)
        other = arm.GetInfo()
        other._name = "other"
        robot.AddManipulator(other)
        robot.SetActiveManipulator("other")
    np.testing.assert_allclose(robot.GetDOFValues(), values)
    np.testing.assert_allclose(robot.GetTransform(), pose)
    assert robot.GetActiveDOFIndices().tolist() == [0, 1]
    assert robot.GetAffineDOF() == 0
    assert robot.GetActiveManipulator() is arm
    assert robot.GetLinks()[1]._native.enabled
    # these stay
    assert robot.IsGrabbing(body) is not None
    assert robot.GetManipulator("other") is not None
    np.testing.assert_allclose(robot._native.dof_weights, weights)


def test_with_locks_the_environment(robot):
    import threading

    import pyrave

    env, refused = robot.GetEnv()._native, []

    def ask():
        try:
            with env.lock(0.01):
                pass
        except pyrave.LockTimeoutError:
            refused.append(True)

    with robot:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert refused == [True]
    ask()
    assert refused == [True]


def test_savers_keep_what_masks_say(api, robot):
    parts = api.KinBody.SaveParameters
    values = robot.GetDOFValues()
    moved = values + 0.05 * (np.arange(8) < 7)
    saver = robot.CreateRobotStateSaver()
    assert saver.GetBody() is robot
    robot.SetDOFValues(moved)
    saver.Restore()
    np.testing.assert_allclose(robot.GetDOFValues(), values)
    body = box(robot.GetEnv())
    with robot.CreateRobotStateSaver(parts.GrabbedBodies):
        robot.Grab(body)
        robot.SetDOFValues(moved)
    assert robot.IsGrabbing(body) is None
    np.testing.assert_allclose(robot.GetDOFValues(), moved)
    saver.Release()
    assert saver.GetBody() is None
    with api.Robot.RobotStateSaver(robot, parts.LinkTransformation):
        robot.SetDOFValues(values)
        robot.SetActiveDOFs([1])
    np.testing.assert_allclose(robot.GetDOFValues(), moved)
    assert robot.GetActiveDOFIndices().tolist() == [1]
    with pytest.raises(api.openrave_exception):
        api.Robot.RobotStateSaver(3)


# -- what it holds -----------------------------------------------------------------


def test_the_active_manipulator_grabs(robot, arm):
    body = box(robot.GetEnv())
    robot.Grab(body)
    assert arm.IsGrabbing(body)
    assert robot.IsGrabbing(body) is arm.GetEndEffector()
    arm.ReleaseAllGrabbed()
    assert not arm.IsGrabbing(body)
    robot.Grab(body, arm.GetBase())
    assert not arm.IsGrabbing(body)
    arm.ReleaseAllGrabbed()
    assert robot.IsGrabbing(body) is arm.GetBase()


# -- sensors -----------------------------------------------------------------------


def test_attached_sensors(api, robot):
    mounted = robot.GetAttachedSensors()[0]
    assert robot.GetAttachedSensor(mounted.GetName()) is mounted
    assert robot.GetSensor(mounted.GetName()) is robot.GetSensors()[0]
    assert robot.GetAttachedSensor("nothing") is None
    assert mounted.GetRobot() is robot
    link = mounted.GetAttachingLink()
    place = link.GetTransform() @ mounted.GetRelativeTransform()
    np.testing.assert_allclose(mounted.GetTransform(), place, atol=1e-12)
    np.testing.assert_allclose(mounted.GetTransformPose()[4:], place[:3, 3], atol=1e-12)
    assert mounted.GetSensor()._native is mounted._native.sensor
    before = mounted.GetStructureHash()
    shifted = np.eye(4)
    shifted[0, 3] = 0.1
    mounted.SetRelativeTransform(shifted)
    np.testing.assert_allclose(
        mounted.GetTransform(), link.GetTransform() @ shifted, atol=1e-12
    )
    assert mounted.GetStructureHash() != before


def test_sensors_are_added_and_removed(api, robot):
    info = api.Robot.AttachedSensorInfo()
    info._name, info._linkname = "eye", robot.GetLinks()[0].GetName()
    info._sensorname = "BaseLaser2D"
    info._trelative[2, 3] = 0.4
    made = robot.AddAttachedSensor(info)
    assert made is robot.GetAttachedSensor("eye")
    assert made.GetSensor().GetXMLId() == "BaseLaser2D"
    np.testing.assert_allclose(made.GetRelativeTransform(), info._trelative)
    with pytest.raises(api.openrave_exception, match="already"):
        robot.AddAttachedSensor(info)
    assert robot.AddAttachedSensor(info, True) is robot.GetAttachedSensor("eye")
    assert robot.RemoveAttachedSensor(robot.GetAttachedSensor("eye"))
    assert robot.GetAttachedSensor("eye") is None
    assert not robot.RemoveAttachedSensor(made)
    info._sensorname = "NoSuchSensor"
    assert robot.AddAttachedSensor(info).GetSensor() is None


# -- controllers -------------------------------------------------------------------


def test_waiting_steps_where_nobody_does(robot, arm):
    import pyrave

    native = robot._native
    plan = arm._native.plan(values=arm.GetArmDOFValues() + 0.2, seed=0)
    native.controller.set_path(plan.trajectory)
    assert robot.WaitForController(0.01) is False
    assert robot.WaitForController(0) is True
    np.testing.assert_allclose(
        arm.GetArmDOFValues(), plan.trajectory.waypoints[-1][:7], atol=1e-6
    )
    native.controller.set_path(plan.trajectory)
    with robot.GetEnv()._native as env:  # the lock is held, the thread waits for it
        assert isinstance(env, pyrave.Environment)
        env.start(realtime=False)
        try:
            assert robot.WaitForController(0) is True
        finally:
            env.stop()


def test_controllers_are_set(robot):
    native = robot._native
    made = native.env.create("controller", "IdealController")
    assert robot.SetController(made) is True
    assert native.controller is made
    assert made.is_control_transformation()
    other = native.env.create("controller", "IdealController")
    robot.SetController(other, [0, 1], 0)
    assert other.get_control_dof_indices().tolist() == [0, 1]
    assert not other.is_control_transformation()
    robot.SetController(None)
    assert native.controller is not other


# -- infos -------------------------------------------------------------------------


def test_a_robot_is_made_of_its_info(api, robot, arm):
    info = robot.ExtractInfo()
    assert [one._name for one in info._vManipulatorInfos] == [
        one.GetName() for one in robot.GetManipulators()
    ]
    gripper = api.Robot.GripperInfo()
    gripper._name, gripper._grippertype = "fingers", "parallel"
    robot.AddGripperInfo(gripper)
    assert robot.GetGripperInfo("fingers")._grippertype == "parallel"
    assert robot.GetGripperInfo("none") is None
    with pytest.raises(api.openrave_exception):
        robot.AddGripperInfo(gripper)
    info = robot.ExtractInfo()
    data = info.SerializeJSON()
    read = api.Robot.RobotBaseInfo()
    read.DeserializeJSON(data)
    env = robot.GetEnv()._native
    from pyrave_openravepy.api.foundation.objects import wrap

    other = wrap(env.create("robot", ""))
    assert other.InitFromRobotInfo(read)
    assert other.GetDOF() == robot.GetDOF()
    twin = other.GetManipulator("arm")
    np.testing.assert_allclose(twin.GetTransform(), arm.GetTransform(), atol=1e-9)
    assert len(other.GetAttachedSensors()) == len(robot.GetAttachedSensors())
    assert other.GetGripperInfos()[0]._name == "fingers"
    assert robot.RemoveGripperInfo("fingers")
    assert robot.GetGripperInfos() == []
    parts = (info._vLinkInfos, info._vJointInfos, info._vManipulatorInfos)
    assert other.Init(*parts, [])
    np.testing.assert_allclose(
        other.GetManipulator("arm").GetLocalToolTransform(), arm.GetLocalToolTransform()
    )


def test_a_connected_body_comes_and_goes(api, robot, arm):
    env = robot.GetEnv()._native
    env.remove(robot._native)
    source = box(robot.GetEnv(), (0, 0, 0))
    info = api.Robot.ConnectedBodyInfo()
    info._name = "tool"
    info._linkname = arm.GetEndEffector().GetName()
    info._linkInfos = source.ExtractInfo()._vLinkInfos
    info._linkInfos[0]._name = "body"
    info._trelative[2, 3] = 0.1
    hand = arm.GetInfo()
    hand._name = "tip"
    hand._sEffectorLinkName = info._linkInfos[0]._name
    hand._vGripperJointNames = []
    hand._vChuckingDirection = []
    info._manipulatorInfos = [hand]
    connected = robot.AddConnectedBody(info)
    assert connected is robot.GetConnectedBody("tool")
    assert connected.IsActive() == -1
    links, values = len(robot.GetLinks()), robot.GetDOFValues()
    assert connected.CanProvideManipulator("tool_tip")
    assert connected.SetActive(True)
    assert not connected.SetActive(True)
    assert robot.GetConnectedBodyActiveStates().tolist() == [1]
    assert len(robot.GetLinks()) == links + 1
    np.testing.assert_allclose(robot.GetDOFValues(), values)
    (link,) = connected.GetResolvedLinks()
    np.testing.assert_allclose(
        link.GetTransform(), connected.GetTransform(), atol=1e-12
    )
    np.testing.assert_allclose(
        connected.GetTransform(),
        arm.GetEndEffector().GetTransform() @ info._trelative,
        atol=1e-12,
    )
    poses = [connected.GetTransformPose(), connected.GetRelativeTransformPose()]
    api.options.returnTransformQuaternion = True
    try:
        again = [connected.GetTransformPose(), connected.GetRelativeTransformPose()]
        np.testing.assert_array_equal(again, poses)
        np.testing.assert_array_equal(connected.GetRelativeTransform(), poses[1])
    finally:
        api.options.returnTransformQuaternion = False
    (tip,) = connected.GetResolvedManipulators()
    assert tip is robot.GetManipulator("tool_tip")
    assert tip.GetArmDOF() == 7
    connected.SetLinkEnable(False)
    assert not link._native.enabled
    env.add(robot._native)
    with pytest.raises(api.openrave_exception, match="remove it before"):
        connected.SetActive(False)
    env.remove(robot._native)
    robot.SetConnectedBodyActiveStates([0])
    assert len(robot.GetLinks()) == links
    assert robot.GetManipulator("tool_tip") is None
    assert connected.GetResolvedLinks() == []
    assert robot.RemoveConnectedBody(connected)
    assert robot.GetConnectedBodies() == []
