"""Robots without support: no static base, no feet or wheels on the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array
    from pyrave_mujoco.bodies.part import StatePart
    from pyrave_mujoco.scene import Scene

_NEAR = 0.05
"""Depth below a foot in which ground is searched, metres."""
_LEVEL = 0.01
"""Permitted height of a robot's feet above its base, metres."""


def unheld(scene: Scene, gravity: Array) -> Iterator[KinBody]:
    """Yield the robots with joints that gravity (3,) pulls from where they are.

    A robot is held by a static link, by what has grabbed it and by ties; and it stands
    if links that move against its base, feet or wheels, are its lowest ones and have
    ground below them. A base on the ground is no stand: arms tip over.
    """
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0:
        return
    down = gravity / strength
    tied = {
        end.body
        for one in scene.ties
        for end in (one.tie.first, one.tie.second)
        if end.body is not None
    }
    bodies = [part.body for part in scene.parts]
    for part in scene.parts:
        if _is_free(part) and part.body not in tied:
            others = (body for body in bodies if body is not part.body)
            if not _stands(part.body, others, down):
                yield part.body


def _is_free(part: StatePart) -> bool:
    body = part.body
    base_moves = any(link == 0 for link, _, _ in part.roots)
    falls = body.is_robot and body.dof > 0 and base_moves and not part.held
    return falls and bool(body.model.link_weighs.any())


def _stands(body: KinBody, others: Iterable[KinBody], down: Array) -> bool:
    """Return True if links that move against the base stand on other bodies."""
    group = body.model.rigid_group
    base = [link for link in body.links if group[link.index] == group[0]]
    feet = _lowest([link for link in body.links if link not in base], down)
    sole = _lowest(base, down)
    if feet is None or (sole is not None and feet[0] < sole[0] - _LEVEL):
        return False
    center = feet[1] + 0.5 * _NEAR * down
    half = feet[2] + 0.5 * _NEAR * np.abs(down)
    for other in others:
        for link in other.links:
            box = link.aabb
            if box is not None and (np.abs(box[0] - center) <= box[1] + half).all():
                return True
    return False


def _lowest(links: Iterable[Link], down: Array) -> tuple[float, Array, Array] | None:
    """Return the depth of links, and the box (centre, half extents) of the lowest."""
    found = None
    for link in links:
        box = link.aabb
        if box is None:
            continue
        depth = float(box[0] @ down + box[1] @ np.abs(down))
        if found is None or depth > found[0]:
            found = depth, *box
    return found
