"""A robot, and the module whose commands move it."""

from __future__ import annotations

import pytest
from command_texts import START

import pyrave


@pytest.fixture(scope="module")
def scene():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    robot.active_manipulator.arm_dof_values = START
    module = env.create("module", "BaseManipulation", robot="heron7")
    env.add(module)
    return env, robot, robot.active_manipulator, module


@pytest.fixture
def base(scene):
    """The module; the robot and all bodies are put back behind each test."""
    env, robot, arm, module = scene
    module.reset()
    with env.preserve_state():
        bodies = set(env.bodies)
        robot.set_active_dofs(arm.arm_indices)
        yield module
        robot.release_all()
        for body in set(env.bodies) - bodies:
            env.remove(body)
