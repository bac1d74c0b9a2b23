"""How far points of a robot are from its joints, for bounds of their motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.primitives import NOTHING

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array


def link_spheres(robot: Robot) -> Array:
    """Return a sphere around what each link carries, (n_links, 4).

    Centre in the link's frame and radius, metres; -1 where there is nothing.
    """
    world = robot.env.world
    table, first = world.tables.geometries, world.links_of(robot.id).start
    low = np.full((robot.model.n_links, 3), np.inf)
    high = np.full((robot.model.n_links, 3), -np.inf)
    for body in (robot, *robot.attached):
        if body is robot or body.id in world:
            rows = np.arange(len(table.id))[world.geometries_of(body.id)]
            rows = rows[(table.id[rows] >= 0) & (table.kind[rows] != NOTHING)]
            links = table.link[rows] - first
            if body is not robot:
                links = np.full(len(rows), _carrier(robot, body))
            np.minimum.at(low, links, table.bounds[rows, :3])
            np.maximum.at(high, links, table.bounds[rows, 3:])
    found = np.full((robot.model.n_links, 4), -1.0)
    there = np.isfinite(high).all(axis=1) & np.isfinite(low).all(axis=1)
    poses = robot.transforms_view[there]
    low, high = low[there], high[there]
    away = 0.5 * (low + high) - poses[:, :3, 3]
    found[there, :3] = np.einsum("kji,kj->ki", poses[:, :3, :3], away)
    found[there, 3] = 0.5 * np.linalg.norm(high - low, axis=1)
    return found


def farthest_reach(robot: Robot, spheres: Array) -> float:
    """Return how far any point is from any axis of the robot, at most, metres.

    Parameters
    ----------
    spheres
        (n_links, 4) what the links carry.
    """
    model = robot.model
    joints = sum(
        float(np.linalg.norm(poses[:, :3, 3], axis=1).sum())
        for poses in (model.T_parent_joint, model.T_child_joint)
    )
    sliding = model.prismatic[: model.n_dof]
    lower, upper = robot.dof_limits
    slides = float(np.maximum(np.abs(lower), np.abs(upper))[sliding].sum())
    own = np.linalg.norm(spheres[:, :3], axis=1) + spheres[:, 3]
    return joints + slides + float(own.max(initial=0.0))


def _carrier(robot: Robot, body: KinBody) -> int:
    """Return which link carries what the robot holds, directly or not."""
    while body.holder is not None and body.holder is not robot:
        body = body.holder
    link = robot.grabbing_link(body)
    return 0 if link is None else link.index
