"""Robots that controllers push, and trajectories for them."""

from __future__ import annotations

import numpy as np
from physics_scenes import chain as links
from physics_scenes import world

from pyrave.scene import RobotDescription


def robot_of(description):
    """Return a body's description as that of a robot."""
    fields = {
        name: getattr(description, name) for name in ("name", "links", "joints", "pose")
    }
    return RobotDescription(**fields)


def arm(axes=((0, 1, 0),), *, gravity=(0.0, 0.0, -9.81), **chain):
    chain.setdefault("inertia", (0.1, 0.1, 0.1))
    env = world(robot_of(links(kinds=("hinge",) * len(axes), axes=axes, **chain)))
    env.gravity = gravity
    robot = env.robots["chain"]
    robot.dof_velocity_limits = np.full(robot.dof, 50.0)
    return env, robot


def path(env, robot, rows, duration, interpolation="cubic"):
    """Return a trajectory through values at equal times, at rest at its ends."""
    spec = robot.configuration_specification(interpolation)
    spec = spec.add_derivative_groups(1, add_delta_time=True)
    made = env.create("trajectory", "")
    made.init(spec)
    times = np.linspace(0.0, duration, len(rows))
    out = np.zeros((len(rows), spec.dof))
    for k, (row, values) in enumerate(zip(out, rows, strict=True)):
        spec.insert_joint_values(row, values, robot, range(robot.dof))
        spec.insert_delta_time(row, times[k] - times[k - 1] if k else 0.0)
    made.insert(0, out)
    return made
