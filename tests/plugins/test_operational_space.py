"""Control of the tool: closed forms with and without physics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arm_scenes import arm, path
from physics_scenes import run

from pyrave import ArgumentError
from pyrave.spatial import rotation_vector

pytest.importorskip("mujoco")

SIX = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
BENT = np.array((0.2, 0.7, -1.1, 0.3, 0.9, 0.1))
PHYSICS = pytest.mark.parametrize("physics", [True, False], ids=["pushed", "placed"])


def ready(physics, axes=SIX, values=BENT):
    env, robot = arm(axes, inertia=(0.02, 0.02, 0.02), length=0.4)
    if not physics:
        env.physics_engine = env.create("physicsengine", "")
    robot.dof_values = values
    return env, robot


@PHYSICS
def test_the_tool_is_a_free_mass_on_a_spring(physics):
    """Its error decays as (1 + w t) exp(-w t), on a straight line."""
    env, robot = ready(physics)
    controller = robot.set_controller("OperationalSpaceController kp=64 kd=16")
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
