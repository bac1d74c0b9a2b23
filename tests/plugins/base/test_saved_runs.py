"""Runs from one saved state are equal to the last bit, with every controller."""

from __future__ import annotations

import numpy as np
import pytest
from arm_scenes import path, robot_of
from physics_scenes import ball, box, chain, floor, world

import pyrave

pytest.importorskip("mujoco")

AXES = ((0, 1, 0),) * 3
SENSORS = ("BaseIMU", "BaseEncoder", "BaseForce6D", "BaseOdometry", "BaseLaser2D")
CONTROLLERS = (
    "ComputedTorqueController",
    "IdealController",
    "IdealVelocityController",
    "JointPIDController",
    "JointVelocityController",
    "OperationalSpaceController",
    "PDDeviceController",
    "PoseDeviceController",
    "SerialDeviceController",
    "SpringJointController",
    "TorqueController",
)


def scene(controller):
    """Return an arm over things that fall and touch each other."""
    env = world(
        floor(),
        robot_of(chain("arm", kinds=("hinge",) * 3, axes=AXES, at=(0, 0, 2))),
        box("crate", (0.6, 0, 0.3)),
        ball("ball", (0.65, 0.1, 0.6)),
    )
    robot = env.robots[0]
    robot.dof_velocity_limits = np.full(3, 50.0)
    robot.dof_torque_limits = np.full(3, 200.0)
    for k, kind in enumerate(SENSORS):
        settings = {"noise_sigma": 0.01} if kind == "BaseLaser2D" else {}
        mounted = robot.add_sensor(f"s{k}", kind, link=robot.links[-1], **settings)
        mounted.sensor.power = True
    robot.set_controller(controller)
    return env


def run(env, n=12):
    """Step; return all that moves and all that is measured."""
    found = []
    for _ in range(n):
        env.step(0.01)
        for body in env.bodies:
            found += [body.transform, body.dof_values]
            found += [body.base_velocity, body.dof_velocities]
        for sensor in env.sensors:
            data = sensor.last_data()
            if data is not None:
                found += [
                    value
                    for name in data.__dataclass_fields__
                    if isinstance(value := getattr(data, name), np.ndarray)
                ]
        found.append(np.array(env.simulation_time))
    return found


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def command(env, name):
    robot = env.robots[0]
    rows = [robot.dof_values, robot.dof_values + np.array((0.4, -0.3, 0.2))]
    if not robot.controller.set_path(path(env, robot, rows, 0.5)):
        robot.controller.set_desired([0.3, -0.2, 0.1])


@pytest.mark.parametrize("name", CONTROLLERS)
def test_runs_are_repeated(name):
    """On the way along a path, and as a clone goes on."""
    env = scene(name)
    try:
        command(env, name)
    except pyrave.Error:
        env.robots[0].controller.set_desired(np.full(3, 0.2))
    run(env)
    saved, twin = env.preserve_state(), env.clone()
    first = run(env)
    for _ in range(2):
        saved.restore()
        assert_same(run(env), first)
    assert_same(run(twin), first)
    # a state outlives what was done about the controller, too
    env.robots[0].set_controller("IdealController", [1])
    run(env, 3)
    saved.restore()
    assert env.robots[0].controller.interface_id == name
    assert_same(run(env), first)


def test_every_controller_is_tried():
    """But those that need parts or wheels: their parts are among these."""
    env = pyrave.Environment()
    known = {name for name in env.registry.ids("controller") if name != name.lower()}
    others = {"GenericMultiController", "RedirectController", "DifferentialDrive"}
    assert known >= {*CONTROLLERS, *others}
