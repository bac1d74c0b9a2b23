"""Scenes of planners of which the free space is known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    RobotDescription,
    Sphere,
)

RADIUS = 0.05


def wall(name, half_extents, place):
    geometry = GeometryDescription(shape=Box(half_extents))
    link = LinkDescription("base", geometries=(geometry,))
    pose = Pose(translation=tuple(map(float, place)))
    return BodyDescription(name, links=(link,), pose=pose)


def ball_robot(*, low=-1.0, high=1.0, radius=RADIUS):
    """Return a ball that two slides move along x and y."""
    links = [LinkDescription("base"), LinkDescription("slide")]
    ball = GeometryDescription(shape=Sphere(radius))
    links.append(LinkDescription("ball", geometries=(ball,)))
    directions = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0)}
    ways = {
        name: JointAxis(axis, prismatic=True, lower=low, upper=high, resolution=0.01)
        for name, axis in directions.items()
    }
    joints = [
        JointDescription("x", "slider", "base", "slide", axes=(ways["x"],)),
        JointDescription("y", "slider", "slide", "ball", axes=(ways["y"],)),
    ]
    return RobotDescription("ball", links=tuple(links), joints=tuple(joints))


def plane_of(*walls, **options):
    """Return an environment with the ball and walls, and the ball."""
    env = pyrave.Environment()
    env.create_body(ball_robot(**options))
    for one in walls:
        env.create_body(one)
    return env, env.robots["ball"]


def gap(width):
    """Return two walls along y at x = 0 that leave a gap around y = 0."""
    half = 0.25 * (4.0 - width)
    place = 0.5 * width + half
    return [
        wall("upper", (0.02, half, 0.2), (0.0, place, 0.0)),
        wall("lower", (0.02, half, 0.2), (0.0, -place, 0.0)),
    ]


def box_around(x, y, half):
    """Return four walls that close a square in."""
    thin = 0.01
    return [
        wall("east", (thin, half, 0.2), (x + half, y, 0.0)),
        wall("west", (thin, half, 0.2), (x - half, y, 0.0)),
        wall("north", (half, thin, 0.2), (x, y + half, 0.0)),
        wall("south", (half, thin, 0.2), (x, y - half, 0.0)),
    ]


def problem(robot, start, goal, **fields):
    """Return parameters for a robot's active joints."""
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.initial_configuration = np.ravel(start).astype(float)
    parameters.goal_configuration = np.ravel(goal).astype(float)
    parameters.max_planning_time = 20.0
    for name, value in fields.items():
        setattr(parameters, name, value)
    return parameters


def plan(env, robot, parameters, planner="BiRRT"):
    """Return the status, the waypoints (n, d) or None, and the planner."""
    made = env.create("planner", planner)
    status = made.init_plan(robot, parameters)
    if not status:
        return status, None, made
    trajectory = env.create("trajectory", "")
    status = made.plan_path(trajectory)
    return status, trajectory.get_waypoints() if status else None, made


def dense(path, step=1e-3):
    """Return configurations along straight pieces of a path."""
    rows = [path[:1]]
    for one, other in pairwise(path):
        steps = max(1, int(np.ceil(np.abs(other - one).max() / step)))
        rows.append(one + np.arange(1, steps + 1)[:, None] / steps * (other - one))
    return np.vstack(rows)


def clearance(path, walls):
    """Return the least distance (m) of the ball and boxes along a path, closed form."""
    places = dense(path)
    least = np.inf
    for one in walls:
        half = np.array(one.links[0].geometries[0].shape.half_extents)[:2]
        centre = np.array(one.pose.translation)[:2]
        beyond = np.maximum(np.abs(places - centre) - half, 0.0)
        least = min(least, np.linalg.norm(beyond, axis=1).min() - RADIUS)
    return least
