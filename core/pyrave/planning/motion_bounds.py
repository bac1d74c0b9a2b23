"""How far points of a robot are from its joints, for bounds of their motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array, Indices


def link_spheres(robot: Robot, active: Indices) -> Array:
    """Return a sphere around what each link carries, (n_links, 4).

    Centre in the link's frame and radius, metres; the radius is -1 where there is
    nothing, or no active degree of freedom moves the link.
    """
    found = np.full((robot.model.n_links, 4), -1.0)
    moving = robot.model.dof_affects[active].any(axis=0)
    carried: dict[int, list[KinBody]] = {}
    for body in robot.attached:
        if body is not robot:
            carried.setdefault(_carrier(robot, body), []).append(body)
    for link in robot.links:
        if not moving[link.index]:
            continue
        boxes = [link.local_aabb]
        boxes += [one.aabb_in(link.pose_view) for one in carried.get(link.index, ())]
        ends = [(c - half, c + half) for c, half in filter(None, boxes)]
        if ends:
            low = np.min([one for one, _ in ends], axis=0)
            high = np.max([one for _, one in ends], axis=0)
            found[link.index, :3] = 0.5 * (low + high)
            found[link.index, 3] = 0.5 * np.linalg.norm(high - low)
    return found


def farthest_reach(robot: Robot) -> float:
    """Return how far any point is from any axis of the robot, at most, metres."""
    model = robot.model
    joints = sum(
        float(np.linalg.norm(poses[:, :3, 3], axis=1).sum())
        for poses in (model.T_parent_joint, model.T_child_joint)
    )
    sliding = model.prismatic[: model.n_dof]
    lower, upper = robot.dof_limits
    slides = float(np.maximum(np.abs(lower), np.abs(upper))[sliding].sum())
    spheres = link_spheres(robot, np.arange(model.n_dof))
    own = np.linalg.norm(spheres[:, :3], axis=1) + spheres[:, 3]
    return joints + slides + float(own.max(initial=0.0))


def _carrier(robot: Robot, body: KinBody) -> int:
    """Return which link carries what the robot holds, directly or not; -1 for none."""
    while body.holder is not None and body.holder is not robot:
        body = body.holder
    link = robot.grabbing_link(body)
    return -1 if link is None else link.index
