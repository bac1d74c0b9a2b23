"""Links that overlap in the engine, and are apart to the collision checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave import Environment
    from pyrave.bodies.views.link import Link
    from pyrave_mujoco.scene import Scene

_DEEP = 1e-3
"""Overlap that is worth a word, metres."""


def false_overlaps(
    env: Environment, scene: Scene, inexact: Collection[str]
) -> list[tuple[Link, Link, float]]:
    """Return links that overlap in MuJoCo and are apart to the collision checker.

    Parameters
    ----------
    inexact
        Names of geoms that fill hollows of meshes, or stand out of them.

    Returns
    -------
    list
        Two links and by how much they overlap, metres, each pair once.
    """
    if not inexact:
        return []
    library, model, data = scene.library, scene.model, scene.data
    library.mj_kinematics(model, data)
    library.mj_comPos(model, data)
    library.mj_collision(model, data)
    kind = library.mjtObj.mjOBJ_GEOM
    numbers = [library.mj_name2id(model, kind, name) for name in inexact]
    contacts = data.contact
    deep = (contacts.dist < -_DEEP) & np.isin(contacts.geom, numbers).any(axis=1)
    depths: dict[tuple[int, int], float] = {}
    for k in np.flatnonzero(deep).tolist():
        one, other = sorted(model.geom_bodyid[contacts.geom[k]].tolist())
        depth = -float(contacts.dist[k])
        depths[one, other] = max(depth, depths.get((one, other), 0.0))
    found = []
    for numbered, depth in depths.items():
        ends = [scene.link_of_body[number] for number in numbered]
        first, second = (body.links[link] for body, link in ends)
        if not env.check_collision(first, second):
            found.append((first, second, depth))
    return found
