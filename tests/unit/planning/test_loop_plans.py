"""Plans of robots with closed loops: independent joints move, passive ones follow."""

from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave.ik import IkParameterization
from pyrave.planning import PlanFailureCode, PlanningSpace, TaskSpaceRegion, verify
from pyrave.scene import (
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
    body_from_boxes,
)

UPPER, BASE = 0.4, 0.15


def bar(name, length, z):
    shape = Box((0.5 * length - 0.05, 0.02, 0.02))
    pose = Pose.from_translation(0.5 * length, 0.0, z)
    return LinkDescription(name, geometries=(GeometryDescription(shape, pose=pose),))


def hinge(name, parent, child, x, y=0.0, initial=0.0, x_child=0.0, **more):
    return JointDescription(
        name,
        "hinge",
        parent,
        child,
        Pose.from_translation(x, y, 0.0),
        Pose.from_translation(x_child, 0.0, 0.0),
        (JointAxis((0.0, 0.0, 1.0), lower=-3.0, upper=3.0, initial=initial),),
        **more,
    )


def five_bar(fore):
    """Return two drives that move a pen, elbows outwards."""
    links = (
        LinkDescription("base"),
        bar("upper1", UPPER, 0.0),
        bar("fore1", fore, 0.05),
        bar("upper2", UPPER, 0.0),
        bar("fore2", fore, 0.1),
    )
    joints = (
        hinge("drive1", "base", "upper1", 0.0, BASE),
        hinge("elbow1", "upper1", "fore1", UPPER, active=False, initial=-1.2),
        hinge("drive2", "base", "upper2", 0.0, -BASE),
        hinge("elbow2", "upper2", "fore2", UPPER, active=False, initial=1.2),
        hinge("pen", "fore1", "fore2", fore, x_child=fore, active=False,
              closes_loop=True),
    )  # fmt: skip
    pen = Pose.from_translation(fore, 0.0, 0.0)
    arm = ManipulatorDescription("pen", "base", "fore1", tool=pen)
    return RobotDescription("plotter", links, joints, manipulators=(arm,))


@pytest.fixture(params=[0.6])
def robot(request):
    env = pyrave.Environment()
    made = env.create_body(five_bar(request.param))
    made.dof_values = [0.6, -0.6]
    return made


short = pytest.mark.parametrize("robot", [0.45], indirect=True)


def pen_of(values, fore):
    """Return where the pen is with both elbows outwards, in closed form."""
    ends = [
        np.array((UPPER * np.cos(q), side * BASE + UPPER * np.sin(q)))
        for q, side in zip(values, (1.0, -1.0), strict=True)
    ]
    way = ends[0] - ends[1]
    half = 0.5 * np.linalg.norm(way)
    across = np.array((way[1], -way[0])) / (2.0 * half)
    return 0.5 * (ends[0] + ends[1]) + np.sqrt(fore**2 - half**2) * across


def post(env, x, y):
    body = env.create_body(body_from_boxes("post", [(0, 0, 0, 0.03, 0.03, 0.3)]))
    body.transform = [1, 0, 0, 0, x, y, 0.0]
    return body


def test_a_way_around_a_post_keeps_the_loop_closed(robot):
    start, goal = np.array((1.2, 0.2)), np.array((-0.2, -1.2))
    robot.dof_values = start
    post(robot.env, 0.75, 0.0)
    before = robot.joint_values
    result = robot.plan(goal, timeout=60.0)
    assert result, result.cause
    assert (robot.joint_values == before).all()
    assert result.statistics.detour > 1.0
    assert verify(robot, result.trajectory) == ()
    tool, touched = robot.active_manipulator, 0
    for time in np.arange(0.0, result.trajectory.duration, 0.002):
        robot.dof_values = result.trajectory.sample(time)[:2]
        assert np.allclose(tool.transform[:2, 3], pen_of(robot.dof_values, 0.6))
        touched += robot.env.check_collision(robot)
    assert not touched


def test_the_motion_is_executed(robot):
    result = robot.plan([1.0, 0.3], timeout=60.0)
    done = robot.execute(result.trajectory)
    assert done, done.cause
    assert np.allclose(
        robot.active_manipulator.transform[:2, 3], pen_of([1.0, 0.3], 0.6)
    )


def test_poses_and_points_are_led_to(robot):
    arm = robot.active_manipulator
    with robot.preserve_state():
        robot.dof_values = [1.0, 0.3]
        pose = arm.transform
    for goal in (pose, IkParameterization.translation_3d(pose[:3, 3])):
        result = arm.plan(goal, timeout=60.0)
        assert result, result.cause
        with robot.preserve_state():
            robot.dof_values = result.path[-1]
            assert np.allclose(arm.transform[:3, 3], pose[:3, 3], atol=2e-6)
    far = pose.copy()
    far[0, 3] += 3.0
    cause = arm.plan(far, timeout=2.0).failure
    assert cause.code is PlanFailureCode.GOAL_OUT_OF_REACH
    assert "was reached from none of" in cause.text


def test_goal_functions_and_constraints_are_asked_where_loops_close(robot):
    arm = robot.active_manipulator
    target = pen_of([1.0, 0.3], 0.6)
    bounds = np.array([(-2, 2), (-2, 0.5), (-1, 1), (-7, 7), (-7, 7), (-7, 7)], float)
    result = robot.plan(
        lambda values: float(np.linalg.norm(arm.transform[:2, 3] - target)),
        constraints=TaskSpaceRegion(np.eye(4), bounds),
        timeout=60.0,
    )
    assert result, result.cause
    assert np.allclose(pen_of(result.path[-1], 0.6), target, atol=2e-6)


@short
def test_where_loops_do_not_close_is_not_free(robot):
    space = PlanningSpace(robot)
    # elbows further apart than two bars are long
    apart = np.array((1.6, -1.6))
    assert np.linalg.norm(np.subtract(*elbows(apart))) > 0.9
    before = robot.joint_values
    assert not space.placed(apart)
    assert (robot.joint_values == before).all()
    with pytest.raises(pyrave.errors.ArgumentError, match="do not close at"):
        space.place(apart)
    assert space.hits(np.array((apart, (0.5, -0.5)))).tolist() == [True, False]
    cause = robot.plan(apart, timeout=5.0).failure
    assert cause.code is PlanFailureCode.GOAL_LOOPS
    assert cause.status & pyrave.PlannerStatusCode.KINEMATICS
    cause = robot.plan([0.5, -0.5], start=apart, timeout=5.0).failure
    assert cause.code is PlanFailureCode.START_LOOPS
    assert "do not close" in cause.text


def elbows(values):
    return [
        np.array((UPPER * np.cos(q), side * BASE + UPPER * np.sin(q)))
        for q, side in zip(values, (1.0, -1.0), strict=True)
    ]


@short
def test_a_mechanism_stays_assembled_as_it_is(robot):
    rng = np.random.default_rng(4)
    space = PlanningSpace(robot)
    placed = 0
    for values in rng.uniform(-0.9, 0.9, (60, 2)):
        apart = np.subtract(*elbows(values))
        # far from where bars are in line, or elbows pass each other
        if apart[1] > 0.3 and np.linalg.norm(apart) < 0.85 and space.placed(values):
            placed += 1
            tool = robot.active_manipulator.transform[:2, 3]
            assert np.allclose(tool, pen_of(values, 0.45), atol=1e-6)
    assert placed > 15


def test_a_loop_and_a_chain_move_together(robot):
    env = robot.env
    arm = pyrave.load("robots/heron7.robot.xml").robots[0].description
    chain = env.create_body(replace(arm, name="chain"))
    chain.transform = [1, 0, 0, 0, 0.0, 1.2, 0.0]
    values = {robot: [1.0, 0.3], chain.active_manipulator: [0.3] * 7}
    result = env.plan(values=values, timeout=60.0)
    assert result, result.cause
    assert env.execute(result.trajectory)
    assert np.allclose(
        robot.active_manipulator.transform[:2, 3], pen_of([1.0, 0.3], 0.6)
    )
