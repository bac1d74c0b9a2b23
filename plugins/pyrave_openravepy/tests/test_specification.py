"""`ConfigurationSpecification`, and motions of a base as numbers."""

import copy
import math
import pickle

import numpy as np
import pytest


@pytest.fixture(scope="module")
def robot(openravepy):
    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    return env.GetRobots()[0]


@pytest.fixture
def spec(openravepy, robot):
    spec = openravepy.ConfigurationSpecification()
    name = robot.GetName()
    assert spec.AddGroup(f"joint_values {name} 2 0 1", 3, "linear") == 0
    assert spec.AddGroup(f"affine_transform {name} 7", 3, "linear") == 3
    return spec


def test_groups_are_added_in_place(spec):
    spec.AddVelocityGroups(True)
    names = [group.name.split()[0] for group in spec.GetGroups()]
    assert names == [
        "joint_values",
        "affine_transform",
        "joint_velocities",
        "affine_velocities",
        "deltatime",
    ]
    assert spec.GetDOF() == 13
    assert spec.IsValid()
    assert spec.AddDeltaTimeGroup() == 12
    group = spec.GetGroupFromName("joint_velocities")
    assert (group.offset, group.dof, group.interpolation) == (6, 3, "next")
    assert spec.RemoveGroups("affine", False) == 2
    assert spec.GetDOF() == 7
    assert spec.GetTimeDerivativeSpecification(1).GetDOF() == 3
    assert spec.ConvertToVelocitySpecification().GetDOF() == 7


def test_a_group_that_is_not_there(openravepy, spec):
    with pytest.raises(openravepy.openrave_exception, match="no group 'grab'; known"):
        spec.GetGroupFromName("grab")
    assert spec.FindCompatibleGroup("grab", False) is None
    assert spec.FindTimeDerivativeGroup("joint_values x 0", False) is None


def test_specifications_are_made_of_groups_texts_and_others(openravepy, spec):
    one = openravepy.ConfigurationSpecification(spec)
    assert one == spec
    assert one != openravepy.ConfigurationSpecification()
    group = openravepy.ConfigurationSpecification.Group()
    group.name, group.dof, group.interpolation = "deltatime", 1, ""
    both = one + openravepy.ConfigurationSpecification(group)
    assert both.GetDOF() == 7
    assert one.GetDOF() == 6
    same = one
    one += openravepy.ConfigurationSpecification(group)
    assert same is one
    assert same.GetDOF() == 7
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    again = copy.deepcopy(one)
    again.AddGroup("iswaypoint", 1, "next")
    assert (again.GetDOF(), one.GetDOF()) == (8, 7)
    read = openravepy.ConfigurationSpecification()
    read.DeserializeJSON(one.SerializeJSON())
    assert read == one


def test_values_of_joints_are_written_in_place(spec, robot):
    data = np.zeros(6)
    assert spec.InsertJointValues(data, [5.0, 7.0], robot, [0, 2], 0)
    assert data.tolist() == [7, 5, 0, 0, 0, 0]
    assert spec.ExtractJointValues(data, robot, [0, 1, 2]).tolist() == [5, 0, 7]
    # joints that are not there are 0, as long as one is there
    assert spec.ExtractJointValues(data, robot, [5, 2]).tolist() == [0, 7]
    assert spec.ExtractJointValues(data, robot, [5]) is None
    assert spec.ExtractJointValues(data, robot, [0], 1) is None
    listed = [0.0] * 6
    assert spec.InsertJointValues(listed, [5.0], robot, [0], 0)
    assert listed[1] == 5


def test_times_are_written_in_place(spec):
    data = [0.0] * 7
    assert spec.InsertDeltaTime(data, 2.5) is False
    assert spec.ExtractDeltaTime(data) is None
    spec.AddDeltaTimeGroup()
    assert spec.InsertDeltaTime(data, 2.5) is True
    assert data[6] == spec.ExtractDeltaTime(np.array(data)) == 2.5


def test_poses_take_what_is_left_out_from_the_given_one(openravepy, spec, robot):
    base = np.eye(4)
    base[:2, :2] = [[0, -1], [1, 0]]
    pose = spec.ExtractTransform(base, [0, 0, 0, 1, 2, 3], robot)
    np.testing.assert_allclose(pose[:3, :3], base[:3, :3], atol=1e-15)
    assert pose[:3, 3].tolist() == [1, 2, 3]
    values = spec.ExtractAffineValues([0, 0, 0, 1, 2, 3], robot, 1 | 4)
    assert values.tolist() == [1, 3]
    bare = openravepy.ConfigurationSpecification()
    assert bare.ExtractTransform(None, [], robot) is None


def test_goals_come_out_of_configurations(openravepy):
    spec = openravepy.ConfigurationSpecification()
    pose = openravepy.IkParameterizationType.Transform6D
    spec.AddGroup(f"ikparam_values {int(pose)} arm tool", 7, "linear")
    data = [0.6, 0, 0, 0.8, 1, 2, 3]
    goal = spec.ExtractIkParameterization(data, 0, "arm", "tool")
    assert isinstance(goal, openravepy.IkParameterization)
    assert goal.GetType() == pose
    np.testing.assert_allclose(goal.GetTransform6D()[:3, 3], [1, 2, 3])
    assert spec.ExtractIkParameterization(data, robotname="other") is None
    assert openravepy.ConfigurationSpecification().ExtractIkParameterization([]) is None


def test_data_are_converted(openravepy, spec, robot):
    target = openravepy.ConfigurationSpecification()
    target.AddGroup(f"joint_values {robot.GetName()} 0 3", 2, "linear")
    rows = np.arange(12.0)
    env = robot.GetEnv()
    present = robot.GetDOFValues()[3]
    found = spec.ConvertData(target, rows, 2, env)
    assert found.tolist() == [1, present, 7, present]
    kept = spec.ConvertDataFromPrevious([9, 9, 9, 9], target, rows, 2, env)
    assert kept.tolist() == [1, 9, 7, 9]
    assert spec.ExtractUsedBodies(env) == [robot]
    assert spec.ExtractUsedIndices(robot) == ([2, 0, 1], [0, 1, 2])


def test_a_wrong_argument_is_an_openrave_exception(openravepy, spec, robot):
    for wrong in (
        lambda: spec.AddGroup("joint_values x 0 1", 3, "linear"),
        lambda: spec.AddGroup("deltatime", 1, "wavy"),
        lambda: spec + 3,
        lambda: spec.ExtractJointValues([1, 2], robot, [0]),
        lambda: openravepy.ConfigurationSpecification(7),
        lambda: openravepy.RaveGetAffineDOF(256),
    ):
        with pytest.raises(openravepy.openrave_exception):
            wrong()


def test_masks_count_their_values(openravepy):
    dof = openravepy.DOFAffine
    mask = dof.X | dof.Y | dof.RotationAxis
    assert openravepy.RaveGetAffineDOF(mask) == 3
    assert openravepy.RaveGetAffineDOF(dof.Transform) == 7
    assert openravepy.RaveGetIndexFromAffineDOF(mask, dof.RotationAxis) == 2
    assert openravepy.RaveGetAffineDOFFromIndex(mask, 2) == dof.RotationAxis
    assert openravepy.RaveGetAffineDOFFromIndex(dof.Transform, 5) == dof.RotationQuat
    with pytest.raises(openravepy.openrave_exception, match="no Z"):
        openravepy.RaveGetIndexFromAffineDOF(mask, dof.Z)
    with pytest.raises(openravepy.openrave_exception, match="index 3"):
        openravepy.RaveGetAffineDOFFromIndex(mask, 3)


def test_values_of_a_pose(openravepy):
    angle = 0.5
    pose = np.eye(4)
    pose[:2, :2] = [
        [math.cos(angle), -math.sin(angle)],
        [math.sin(angle), math.cos(angle)],
    ]
    pose[:3, 3] = [1, 2, 3]
    dof = openravepy.DOFAffine
    get = openravepy.RaveGetAffineDOFValuesFromTransform
    found = get(pose, dof.X | dof.Z | dof.RotationAxis, [0, 0, -1])
    np.testing.assert_allclose(found, [1, 3, -0.5])
    np.testing.assert_allclose(get(pose, dof.Rotation3D), [0, 0, 0.5], atol=1e-15)
    spec = openravepy.RaveGetAffineConfigurationSpecification(7, None, "linear")
    assert spec.GetGroups()[0].name == "affine_transform __dummy__ 7"
