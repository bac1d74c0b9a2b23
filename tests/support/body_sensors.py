"""Scenes and motions for sensors that feel the bodies that carry them."""

import numpy as np
from scene_files import scene_beside

import pyrave

GRAVITY = np.array((0.0, 0.0, -9.797930195020351))

PENDULUM = scene_beside(__file__, "body_sensors_pendulum.robot.xml")


def pendulum(sensor, tags="", link="arm", pose="", joint="", more="", strict=True):
    """Return (environment, robot, sensor): an arm that turns about y, with a sensor."""
    text = PENDULUM.format(sensor=sensor, tags=tags, link=link, pose=pose, joint=joint)
    env = pyrave.Environment()
    env.load_string(f"<environment>{text}{more}</environment>", strict=strict)
    robot = env.robots["pendulum"]
    return env, robot, robot.attached_sensors["one"].sensor


def drive(env, robot, path, n, dt, velocity=None):
    """Make n steps; after the k-th one the robot is at path(k dt)."""
    for k in range(1, n + 1):
        robot.dof_values = np.atleast_1d(path(k * dt))
        if velocity is not None:
            robot.dof_velocities = np.atleast_1d(velocity(k * dt))
        env.step(dt)
    assert not [p for p in env.problems if p.code == "plugin-failure"], env.problems
    return n * dt


def about_y(angle):
    """Return the (3, 3) rotation about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
