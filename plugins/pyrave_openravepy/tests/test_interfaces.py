"""Commands of manipulation as methods, which return what OpenRAVE's return."""

import numpy as np
import pytest


@pytest.fixture
def env(openravepy):
    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    env.StopSimulation()
    yield env
    env.Destroy()


@pytest.fixture
def robot(env):
    return env.GetRobots()[0]


@pytest.fixture
def arm(robot):
    return robot._native.active_manipulator


def test_the_arm_moves_to_values(openravepy, robot, arm):
    base = openravepy.interfaces.BaseManipulation(robot, maxvelmult=0.8)
    goal = arm.arm_dof_values + 0.2
    timed = base.MoveManipulator(goal=goal, execute=False, outputtrajobj=True)
    assert timed.GetNumWaypoints() >= 2
    assert timed.GetEnv() is robot.GetEnv()
    assert abs(arm.arm_dof_values - goal).max() > 0.1
    text = base.MoveManipulator(goal=goal, execute=False, outputtraj=True)
    assert text.startswith("<trajectory")
    assert base.TrajFromData(text) == ""
    np.testing.assert_allclose(arm.arm_dof_values, goal, atol=1e-6)
    base.VerifyTrajectory(text, resettrans=True)


def test_no_way_is_a_planning_error(openravepy, robot):
    base = openravepy.interfaces.BaseManipulation(robot)
    with pytest.raises(openravepy.planning_error, match=r"MoveHandStraight: .+"):
        base.MoveHandStraight([0, 0, 1], minsteps=500, stepsize=0.01)
    with pytest.raises(openravepy.openrave_exception, match="expected length 7"):
        base.MoveManipulator(goal=[0.1, 0.2])
    with pytest.raises(openravepy.openrave_exception):
        base.MoveManipulator(nothing=1)


def test_the_hand_goes_to_a_pose_and_along_a_line(openravepy, robot, arm):
    base = openravepy.interfaces.BaseManipulation(robot)
    base.MoveManipulator(goal=[0.1, 0.4, 0, 1.2, 0, 0.9, 0])
    before = arm.transform
    found = base.FindIKWithFilters(arm.ik_parameterization("Transform6D"))
    assert len(found) == len(arm.arm_indices)
    base.MoveHandStraight([0, 0, 1], minsteps=1, maxsteps=5, stepsize=0.01)
    assert arm.transform[2, 3] == pytest.approx(before[2, 3] + 0.05, abs=1e-4)
    base.MoveToHandPosition(matrices=[before])
    np.testing.assert_allclose(arm.transform, before, atol=1e-4)


def test_fingers_close_and_open(openravepy, robot, arm):
    task = openravepy.interfaces.TaskManipulation(robot)
    closed, timed = task.CloseFingers(outputfinal=True, outputtrajobj=True)
    assert timed.GetDuration() > 0
    np.testing.assert_allclose(arm.gripper_dof_values, closed, atol=1e-9)
    opened, none = task.ReleaseFingers(outputfinal=True)
    assert none is None
    assert (opened != closed).any()
    assert task.ChuckFingers() == (None, None)


def test_a_module_goes_with_its_object_and_clones(openravepy, env, robot):
    count = len(env.GetModules())
    base = openravepy.interfaces.BaseManipulation(robot)
    assert base.prob in env.GetModules()
    other = env.CloneSelf(openravepy.CloningOptions.Bodies)
    copy = base.clone(other)
    assert copy.robot.GetEnv() is other
    assert copy.prob is not base.prob
    del base
    assert len(env.GetModules()) == count
    del copy
    other.Destroy()


def test_classes_are_found_by_either_name(openravepy):
    interfaces = openravepy.interfaces
    assert interfaces.Grasper.Grasper is interfaces.Grasper
    from openravepy.interfaces.Grasper import Grasper

    assert Grasper is interfaces.Grasper


def test_a_hull_of_points(openravepy, robot):
    grasper = openravepy.interfaces.Grasper(robot, friction=0.4)
    corners = openravepy.misc.ComputeBoxMesh([1, 1, 1])[0]
    planes, faces, triangles = grasper.ConvexHull(corners)
    assert (planes.shape, len(faces), triangles.shape) == ((6, 4), 6, (12, 3))
    assert grasper.ConvexHull(corners, returnplanes=False)[0] is None


def test_counts_may_be_computed_and_ids_are_of_any_case(openravepy, robot, arm):
    base = openravepy.interfaces.BaseManipulation(robot, plannername="birrt")
    goal = arm.arm_dof_values + 0.1
    base.MoveManipulator(goal=goal, maxiter=5e3, maxtries=1.0)
    np.testing.assert_allclose(arm.arm_dof_values, goal, atol=1e-6)
    for wrong in ("many", float("inf")):
        with pytest.raises(openravepy.openrave_exception, match="max_iterations"):
            base.MoveManipulator(goal=goal, maxiter=wrong)
    openravepy.interfaces.TaskManipulation(robot, graspername="grasper")
