"""Control of the tool: closed forms with and without physics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arm_scenes import arm, path
from physics_scenes import box, run

import pyrave
from pyrave import ArgumentError
from pyrave.scene import GeometryDescription, Sphere
from pyrave.spatial import rotation_vector
from pyrave_base.tool import Tool

pytest.importorskip("mujoco")

SIX = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
BENT = np.array((0.2, 0.7, -1.1, 0.3, 0.9, 0.1))
PHYSICS = pytest.mark.parametrize("physics", [True, False], ids=["pushed", "placed"])


def ready(physics, axes=SIX, values=BENT):
    env, robot = arm(axes, inertia=(0.02, 0.02, 0.02), length=0.4)
    if not physics:
        env.physics_engine = ""
    robot.dof_values = values
    return env, robot


@PHYSICS
def test_the_tool_is_a_free_mass_on_a_spring(physics):
    """Its error decays as (1 + w t) exp(-w t), on a straight line."""
    env, robot = ready(physics)
    controller = robot.set_controller("OperationalSpaceController", kp=64, kd=16)
    link = robot.links[-1]
    start, goal = link.transform, link.transform
    goal[:3, 3] += 0.1, -0.05, 0.12
    controller.set_pose(goal)
    assert not controller.is_done()
    for k in range(1, 801):
        env.step(0.001)
        left = (1.0 + 0.008 * k) * math.exp(-0.008 * k)
        error = link.transform[:3, 3] - goal[:3, 3]
        np.testing.assert_allclose(error, left * (start - goal)[:3, 3], atol=2e-3)
        turn = rotation_vector(link.transform[:3, :3] @ goal[:3, :3].T)
        assert np.abs(turn).max() < 5e-3
    run(env, 1.0)
    assert controller.is_done()
    np.testing.assert_allclose(link.transform, goal, atol=1e-3)


def test_the_tool_is_that_of_the_active_manipulator():
    """Of several arms with as many of the joints it is the one that counts."""
    robot = pyrave.load("robots/planar3r.robot.xml").robots[0]
    ends = {"first": 1, "second": 2}
    for name, index in ends.items():
        robot.add_manipulator(name, base=robot.links[0], tip=robot.links[index])
    for name, index in ends.items():
        robot.active_manipulator = name
        assert Tool(robot, np.arange(1)).link.index == index


def test_posture_moves_the_joints_but_not_the_tool():
    """A redundant arm in a plane: the tool stays while the joints go elsewhere."""
    env, robot = ready(True, axes=((0, 1, 0),) * 4, values=(0.4, -0.9, 0.8, 0.5))
    controller = robot.set_controller("OperationalSpaceController")
    tool = robot.links[-1].transform
    before = robot.dof_values
    controller.set_pose(tool, posture=before + np.array((0.3, 0.0, 0.0, 0.0)))
    run(env, 1.0)
    assert np.abs(robot.dof_values - before).max() > 0.03
    np.testing.assert_allclose(robot.links[-1].transform, tool, atol=2e-3)


def test_a_trajectory_is_the_same_with_and_without_physics():
    states = []
    for physics in (True, False):
        env, robot = ready(physics)
        controller = robot.set_controller("OperationalSpaceController")
        rows = [BENT, BENT + 0.2, BENT + np.array((0.4, 0.1, -0.3, 0.2, 0, 0.3))]
        assert controller.set_path(path(env, robot, rows, 2.0))
        run(env, 0.7)
        states.append(robot.dof_values)
        run(env, 2.5)
        assert controller.is_done()
        np.testing.assert_allclose(robot.dof_values, rows[-1], atol=5e-3)
    np.testing.assert_allclose(states[0], states[1], atol=2e-3)


def test_it_pushes_in_one_direction_and_keeps_to_its_goal_in_the_others():
    """20 N on a table without friction, at rest and while it slides along."""
    env, robot = ready(True)
    engine = env.physics_engine
    engine.change_settings(friction=0.0)
    link = robot.links[-1]
    link.set_geometries((GeometryDescription(Sphere(0.03)),))
    pose = link.transform
    (x, y, z), half = link.aabb
    size = (0.5, 0.5, 0.05)
    low = z - half[2] - size[2] - 0.01
    table = env.create_body(box("table", (x, y, low), size, static=True))
    controller = robot.set_controller("OperationalSpaceController", hold=0)
    controller.set_wrench((0, 0, -20.0, 0, 0, 0))

    def force():
        sums = np.zeros(3)
        for one in env.physics_engine.contacts():
            assert {one.first.body, one.second.body} == {robot, table}
            sums += one.force if one.second.body is table else -one.force
        return sums

    run(env, 2.0)
    assert force()[2] == pytest.approx(-20.0, rel=0.02)
    np.testing.assert_allclose(link.transform[:2, 3], pose[:2, 3], atol=5e-3)
    for k in range(1, 201):
        goal = pose.copy()
        goal[0, 3] += 0.0005 * k
        controller.set_pose(goal, (0.05, 0, 0, 0, 0, 0))
        env.step(0.01)
        if k > 50:
            assert force()[2] == pytest.approx(-20.0, rel=0.1)
    assert link.transform[0, 3] == pytest.approx(pose[0, 3] + 0.1, abs=0.01)
    copy = env.clone()
    for one in (env, copy):
        run(one, 0.3)
    np.testing.assert_allclose(copy.robots[0].dof_values, robot.dof_values, atol=1e-9)
    controller.reset()
    run(env, 0.01)
    assert not controller.get_torque().any()


@pytest.mark.parametrize(
    ("wrench", "directions", "says"),
    [
        ((1, 2, 3), None, "wrench has shape"),
        ((0, 0, math.nan, 0, 0, 0), None, "wrench"),
        (np.zeros(6), (0, 0, 2, 0, 0, 0), "expected six of 0 and 1"),
        (np.zeros(6), (1, 0), "directions has shape"),
        (np.zeros(6), "xyz", "directions"),
    ],
)
def test_wrong_wrenches(wrench, directions, says):
    _, robot = ready(True)
    controller = robot.set_controller("OperationalSpaceController")
    with pytest.raises(ArgumentError, match=says):
        controller.set_wrench(wrench, directions)


def test_singular_poses_push_with_finite_efforts():
    env, robot = ready(True, values=np.zeros(6))
    controller = robot.set_controller("OperationalSpaceController")
    goal = robot.links[-1].transform
    goal[2, 3] += 0.2
    controller.set_pose(goal)
    run(env, 1.0)
    assert np.isfinite(controller.get_torque()).all()
    assert np.abs(robot.dof_velocities).max() < 20.0


def test_wrong_inputs():
    _, robot = ready(True)
    controller = robot.set_controller("OperationalSpaceController")
    with pytest.raises(ArgumentError, match="twist"):
        controller.set_pose(np.eye(4), [1, 2])
    with pytest.raises(ArgumentError, match="pose"):
        controller.set_pose([1, 2])
    assert controller.is_done()
