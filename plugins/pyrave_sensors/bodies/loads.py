"""Forces that moving masses exert through the joints that carry them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyrave_sensors.bodies.motion import FrameMotion, cross

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array
    from pyrave_sensors.bodies.motion import BodyMotion


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
    """Return each link's load on its support: weight minus inertia.

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
    frames = FrameMotion.of_twists(*motion.of_links(body))
    loads, centers = _loads(body, frames, gravity)
    origins = body.transforms_view[:, :3, 3]
    for held, link in _held_by(body):
        holding = FrameMotion(
            frames.velocity[link],
            frames.angular_velocity[link],
            frames.acceleration[link],
            frames.angular_acceleration[link],
        )
        arms = held.transforms_view[:, :3, 3] - origins[link]
        parts, places = _loads(held, holding.at(arms), gravity)
        loads[link, :3] += parts[:, :3].sum(axis=0)
        moments = parts[:, 3:] + cross(places - centers[link], parts[:, :3])
        loads[link, 3:] += moments.sum(axis=0)
    return loads


def load_at(
    body: KinBody, loads: Array, links: NDArray[np.bool_], point: Array
) -> Array:
    """Return force and torque (6,) about a world point of the loads of some links."""
    which = np.flatnonzero(links).tolist()
    arms = np.array([body.links[i].global_com for i in which]).reshape(-1, 3) - point
    torques = loads[which, 3:] + cross(arms, loads[which, :3])
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


def _held_by(body: KinBody) -> Iterator[tuple[KinBody, int]]:
    """Yield (held body, link) of all that a body holds, and what those hold in turn."""
    for held in body.grabbed:
        link = body.grabs.link_of(held)
        if link is not None:
            yield held, link.index
            yield from ((further, link.index) for further, _ in _held_by(held))


def _loads(body: KinBody, frames: FrameMotion, gravity: Array) -> tuple[Array, Array]:
    """Return the loads (n, 6) of a body's own links, and their centres of mass (n, 3).

    Parameters
    ----------
    frames
        Motion of the links' origins; all of them have one rotation or each its own.
    """
    model, poses = body.model, body.transforms_view
    turns = poses[:, :3, :3]
    arms = (turns @ model.coms[:, :, None])[:, :, 0]
    inertias = turns @ model.inertias.reshape(-1, 3, 3) @ turns.transpose(0, 2, 1)
    w, alpha = (
        np.broadcast_to(one, arms.shape)
        for one in (frames.angular_velocity, frames.angular_acceleration)
    )
    spin = (inertias @ w[:, :, None])[:, :, 0]
    loads = np.empty((len(poses), 6))
    loads[:, :3] = model.masses[:, None] * (gravity - frames.at(arms).acceleration)
    loads[:, 3:] = -(inertias @ alpha[:, :, None])[:, :, 0] - cross(w, spin)
    return loads, poses[:, :3, 3] + arms
