"""What bodies, joints, links and arms are given are real numbers, as many as fit."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_inputs import no_numbers, no_poses, no_vectors, refuses

import pyrave
from pyrave import Affine, ArgumentError


@pytest.fixture(scope="module")
def env():
    return pyrave.load("robots/arms/puma560.robot.xml")


@pytest.fixture
def robot(env):
    robot = env.robots[0]
    with robot.preserve_state():
        yield robot


POSES = {
    "transform": lambda r, pose: setattr(r, "transform", pose),
    "transform of a link": lambda r, pose: setattr(r.links[2], "transform", pose),
    "local_tool_transform": lambda r, pose: setattr(
        r.manipulators[0], "local_tool_transform", pose
    ),
}


@pytest.mark.parametrize("name", POSES)
def test_poses(robot, name):
    refuses(lambda pose: POSES[name](robot, pose), name.split()[0], no_poses())


VECTORS = {
    "dof_values": (6, lambda r, v: setattr(r, "dof_values", v)),
    "dof_values by a call": (6, lambda r, v: r.set_dof_values(v)),
    "dof_values of some": (2, lambda r, v: r.set_dof_values(v, [0, 1])),
    "dof_values of an arm": (
        6,
        lambda r, v: setattr(r.manipulators[0], "arm_dof_values", v),
    ),
    "dof_values of a joint": (1, lambda r, v: setattr(r.joints[0], "values", v)),
    "dof_velocities": (6, lambda r, v: setattr(r, "dof_velocities", v)),
    "dof_velocities by a call": (6, lambda r, v: r.set_dof_velocities(v)),
    "active.values": (6, lambda r, v: setattr(r.active, "values", v)),
    "active.velocities": (6, lambda r, v: setattr(r.active, "velocities", v)),
    "a": (6, lambda r, v: r.subtract_dof_values(v, np.zeros(6))),
    "b": (6, lambda r, v: r.subtract_dof_values(np.zeros(6), v)),
    "a of some": (2, lambda r, v: r.subtract_dof_values(v, [0, 0], [0, 1])),
    "a of a joint": (1, lambda r, v: r.joints[0].subtract_values(v, [0.0])),
    "base_velocity": (6, lambda r, v: setattr(r, "base_velocity", v)),
    "velocity": (6, lambda r, v: setattr(r.links[0], "velocity", v)),
    "local_com": (3, lambda r, v: setattr(r.links[1], "local_com", v)),
    "direction": (3, lambda r, v: setattr(r.manipulators[0], "direction", v)),
    "configuration_values": (13, lambda r, v: setattr(r, "configuration_values", v)),
    "torques": (6, lambda r, v: r.dynamics.set_dof_torques(v)),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(robot, name):
    n, call = VECTORS[name]
    refuses(lambda v: call(robot, v), name.split()[0], no_vectors(n))


OPTIONAL = {
    "point": lambda r, v: r.jacobian(3, v),
    "point of a hessian": lambda r, v: r.hessian(3, v),
    "rotation_axis": lambda r, v: r.set_active_dofs([0], Affine.ROTATION_AXIS, v),
}


@pytest.mark.parametrize("name", OPTIONAL)
def test_vectors_that_may_be_left_out(robot, name):
    wrong = no_vectors(3)
    wrong.pop("none")
    refuses(lambda v: OPTIONAL[name](robot, v), name.split()[0], wrong)


LIMITS = {
    "lower limits": (6, lambda r, v: setattr(r, "dof_limits", (v, np.ones(6)))),
    "upper limits": (6, lambda r, v: setattr(r, "dof_limits", (-np.ones(6), v))),
    "velocity_limits": (6, lambda r, v: setattr(r, "dof_velocity_limits", v)),
    "lower limits of a joint": (
        1,
        lambda r, v: setattr(r.joints[0], "limits", (v, [2.0])),
    ),
    "upper limits of a joint": (
        1,
        lambda r, v: setattr(r.joints[0], "limits", ([-2.0], v)),
    ),
    "velocity_limits of a joint": (
        1,
        lambda r, v: setattr(r.joints[0], "velocity_limits", v),
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_may_be_infinite_and_nothing_else(robot, name):
    n, call = LIMITS[name]
    wrong = no_vectors(n)
    wrong.pop("infinite")
    if n == 1:
        wrong.pop("a number")  # of all axes
        wrong.pop("short")
    word = name.split(" of")[0]
    refuses(lambda v: call(robot, v), word, wrong)


@pytest.mark.parametrize("limits", [None, 3, "ab c", [[0.0]]])
def test_limits_of_a_joint_are_two(robot, limits):
    with pytest.raises(ArgumentError, match=r"limits of .* are .*, expected two"):
        robot.joints[0].limits = limits


def test_masses(robot):
    wrong = no_numbers() | {"negative": -1.0}
    refuses(lambda m: setattr(robot.links[1], "mass", m), "mass", wrong)
