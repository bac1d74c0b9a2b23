"""Contacts and forces between links, as they are after a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import PhysicsContact

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array
    from pyrave_mujoco.scene import Scene


@contextmanager
def evaluated(scene: Scene) -> Iterator[None]:
    """Let MuJoCo compute all about the present state; what it starts with is kept."""
    data = scene.data
    warm = data.qacc_warmstart.copy()
    try:
        scene.evaluate()
        yield
    finally:
        data.qacc_warmstart[:] = warm


def contacts_of(scene: Scene) -> tuple[PhysicsContact, ...]:
    """Return the contacts of the present state."""
    library, model, data = scene.library, scene.model, scene.data
    found = []
    wrench = np.zeros(6)
    with evaluated(scene):
        for k in range(data.ncon):
            contact = data.contact[k]
            if contact.exclude:
                continue  # within a margin, or without forces for another reason
            library.mj_contactForce(model, data, k, wrench)
            frame = np.array(contact.frame).reshape(3, 3)
            first, second = (
                _link(scene, int(model.geom_bodyid[geom]))
                for geom in (contact.geom1, contact.geom2)
            )
            found.append(
                PhysicsContact(
                    first,
                    second,
                    np.array(contact.pos),
                    frame[0].copy(),
                    wrench[:3] @ frame,
                    -float(contact.dist),
                )
            )
    return tuple(found)


def transmitted(scene: Scene, number: int, anchor: Array) -> Array:
    """Return the wrench of a parent on one of MuJoCo's bodies, (6,).

    Parameters
    ----------
    anchor
        (3,) the point that the torque is about.

    Returns
    -------
    (6,) float64
        Force (N), then torque (N m); world axes.
    """
    _evaluate_forces(scene)
    return _wrench(scene, number, scene.data.cfrc_int[number], anchor)


def received(scene: Scene, number: int, origin: Array) -> Array:
    """Return the wrench of contacts and constraints on one of MuJoCo's bodies, (6,).

    Parameters
    ----------
    origin
        (3,) the point that the torque is about.

    Returns
    -------
    (6,) float64
        Force (N), then torque (N m); world axes.
    """
    _evaluate_forces(scene)
    model, data = scene.model, scene.data
    spatial, pushed = data.cfrc_ext[number].copy(), data.xfrc_applied[number]
    for tie in scene.ties:
        # what hangs on the link for a tie is in MuJoCo's tree
        if tie.carrier >= 0 and model.body_parentid[tie.carrier] == number:
            spatial -= data.cfrc_int[tie.carrier]
    found = _wrench(scene, number, spatial, origin)
    found[:3] -= pushed[:3]
    found[3:] -= pushed[3:] + np.cross(data.xipos[number] - origin, pushed[:3])
    return found


def _evaluate_forces(scene: Scene) -> None:
    with evaluated(scene):
        scene.library.mj_rnePostConstraint(scene.model, scene.data)


def _wrench(scene: Scene, number: int, spatial: Array, point: Array) -> Array:
    """Return MuJoCo's torque and force on a body as force and torque about a point."""
    torque, force = spatial[:3], spatial[3:]
    origin = scene.data.subtree_com[scene.model.body_rootid[number]]
    return np.concatenate((force, torque + np.cross(origin - point, force)))


def _link(scene: Scene, number: int) -> Link:
    body, index = scene.link_of_body[number]
    return body.links[index]
