"""Forces that moving masses exert through the joints that carry them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyrave_sensors.motion import FrameMotion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.interfaces.kinbody import KinBody
    from pyrave.spatial import Array
    from pyrave_sensors.motion import BodyMotion

__all__ = ["carried_links", "joint_loads", "link_loads", "load_at"]


def carried_links(body: KinBody, link: int) -> NDArray[np.bool_]:
    """Return (n_links,) bool: a link and all that hang on it in the spanning tree."""
    parents = body.model.parent_link
    carried = np.zeros(len(body.links), dtype=np.bool_)
    carried[link] = True
    for index in body.model.link_order:
        parent = parents[index]
        if index != link and parent >= 0:
            carried[index] = carried[parent]
    return carried


def link_loads(body: KinBody, motion: BodyMotion, gravity: Array) -> Array:
    """Return what each link loads its support with: weight minus inertia.

    By d'Alembert's principle: the force m (g - a) at the centre of mass and the torque
    -(I alpha + w x I w). What the body holds (and what that holds) moves with the
    holding link as one rigid body, as it is now, and counts as part of it.

    Parameters
    ----------
    gravity
        (3,) m/s2.

    Returns
    -------
    (n_links, 6) float64
        Force (N) at the link's centre of mass and torque (N m) about it, world axes.
    """
    velocities, accelerations = motion.of_links(body)
    poses = body.transforms_view
    loads = np.empty((len(poses), 6))
    for i, pose in enumerate(poses):
        frame = FrameMotion.of_twists(velocities[i], accelerations[i])
        center = body.model.coms[i]
        place = pose[:3, :3] @ center + pose[:3, 3]
        load = _load(body, i, frame.at(place - pose[:3, 3]), gravity)
        for held, k in _held_by(body, i):
            there = held.links[k].global_com
            part = _load(held, k, frame.at(there - pose[:3, 3]), gravity)
            part[3:] += np.cross(there - place, part[:3])
            load += part
        loads[i] = load
    return loads


def load_at(
    body: KinBody, loads: Array, links: NDArray[np.bool_], point: Array
) -> Array:
    """Return force and torque (6,) about a world point of the loads of some links."""
    which = np.flatnonzero(links).tolist()
    arms = np.array([body.links[i].global_com for i in which]).reshape(-1, 3) - point
    torques = loads[which, 3:] + np.cross(arms, loads[which, :3])
    return np.concatenate((loads[which, :3].sum(axis=0), torques.sum(axis=0)))


def joint_loads(body: KinBody, loads: Array) -> Array:
    """Return the (dof,) efforts that the joints need against the loads of all links.

    By virtual work: what inverse dynamics gives, with what is held and with a base that
    accelerates; joints that follow others load those.
    """
    efforts = np.zeros(body.dof)
    for i in np.flatnonzero(loads.any(axis=1)).tolist():
        link = body.links[i]
        efforts -= body.jacobian(link, link.global_com).T @ loads[i]
    return efforts


def _held_by(body: KinBody, link: int) -> Iterator[tuple[KinBody, int]]:
    """Yield (body, link) of all that a link holds, and what those hold in turn."""
    for held in body.grabbed:
        holding = body.grabbing_link(held)
        if holding is not None and holding.index == link:
            for k in range(len(held.links)):
                yield held, k
                yield from _held_by(held, k)


def _load(body: KinBody, link: int, motion: FrameMotion, gravity: Array) -> Array:
    mass = body.model.masses[link]
    turn = body.transforms_view[link, :3, :3]
    inertia = turn @ body.model.inertias[link].reshape(3, 3) @ turn.T
    w = motion.angular_velocity
    torque = inertia @ motion.angular_acceleration + np.cross(w, inertia @ w)
    return np.concatenate((mass * (gravity - motion.acceleration), -torque))
