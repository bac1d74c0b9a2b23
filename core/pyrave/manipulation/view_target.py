"""Parts of bodies that cameras should see: visible geometries of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotFoundError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.bodies.views.geometry import Geometry
    from pyrave.spatial import Array


def target_link(target: Any) -> Link:
    """Return the link that is meant by a link, or by a body that has only one."""
    if isinstance(target, KinBody):
        if len(target.links) != 1:
            names = ", ".join(repr(link.name) for link in target.links)
            raise ArgumentError(
                f"target is {target!r}, which has "
                f"{counted(len(target.links), 'link')}; expected one of its links: "
                f"{names}"
            )
        return target.links[0]
    if not isinstance(target, Link):
        raise ArgumentError(f"target is {shown(target)}, expected a link or a body")
    return target


def visible_geometries(target: Link, name: str = "") -> list[Geometry]:
    """Return the visible geometries of a link, or the one of a name.

    Raises
    ------
    NotFoundError
        No geometry of that name.
    ArgumentError
        None of them is visible.
    """
    known = target.geometries
    some = [one for one in known if not name or one.name == name]
    if not some and name:
        raise NotFoundError("geometry", name, [one.name for one in known])
    found = [one for one in some if one.visible and one.aabb_in(np.eye(4)) is not None]
    if not found:
        what = f"geometry {name!r} of {target!r}" if name else repr(target)
        raise ArgumentError(
            f"{what} has nothing that is visible; set `visible` of a geometry, or "
            "choose another target"
        )
    return found


def box_corners(geometries: Iterable[Geometry]) -> Array:
    """Return the corners (8 k, 3) of the boxes of geometries, in their link's frame.

    A box is along the axes of its geometry.
    """
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    found = [np.empty((0, 3))]
    for one in geometries:
        box, pose = one.aabb_in(np.eye(4)), one.transform
        if box is not None:
            found.append((box[0] + signs * box[1]) @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(found)
