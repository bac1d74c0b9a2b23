"""Links of a body whose hulls or pieces overlap when all joints are at zero.

Queries of self collision leave out what overlaps there, by the exact shapes. Of some
meshes MuJoCo has the hull, or pieces that stand out a little, and these may overlap
where the meshes do not: they would push each other apart in all poses.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import kinematics
from pyrave.collision import solid_of_row
from pyrave.geometry import Mesh
from pyrave.spatial import quat_from_matrix
from pyrave.world import COLLISION
from pyrave_mujoco.geoms.solids import Shapes
from pyrave_mujoco.library import mujoco

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.geometry import Solid
    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices
    from pyrave.world import PackedWorld
    from pyrave_mujoco.settings import Concave

# of a model: how and from what the pairs were found, and the pairs
_known: weakref.WeakKeyDictionary[
    Model, tuple[tuple[Concave, int], tuple[Any, ...], Indices]
] = weakref.WeakKeyDictionary()


def apart_at_zero(
    world: PackedWorld, body: KinBody, pairs: Indices, concave: Concave, most: int
) -> Indices:
    """Return those of pairs of links whose geoms do not touch at zero.

    Parameters
    ----------
    pairs
        (k, 2) links.
    concave, most
        How concave meshes collide, and with how many parts at most.
    """
    shapes = (link.geometries for link in body.description.links)
    origin, how = (pairs, *shapes), (concave, most)
    known = _known.get(body.model)
    if known is not None and known[0] == how and _same(known[1], origin):
        return known[2]
    found, solids = pairs, _solids(world, body, set(pairs.ravel().tolist()))
    if any(isinstance(one, Mesh) and not one.is_convex for _, one, _ in solids):
        touching = _touching(body, solids, concave, most)
        keep = [(i, j) not in touching for i, j in pairs.tolist()]
        found = pairs[np.array(keep, bool)]
    _known[body.model] = how, origin, found
    return found


def _solids(
    world: PackedWorld, body: KinBody, links: set[int]
) -> list[tuple[int, Solid, Array]]:
    """Return links with their solids, and the poses (4, 4) of these in them."""
    table, row = world.tables.geometries, world.row_of(body.id)
    bodies = world.tables.bodies
    start, count = int(bodies.first_geometry[row]), int(bodies.n_geometries[row])
    first, found = int(bodies.first_link[row]), []
    for k in range(start, start + count):
        link = int(table.link[k]) - first
        if link in links and table.mask[k] & COLLISION:
            solid = solid_of_row(world, k)
            if solid is not None:
                found.append((link, solid, table.T_link_geometry[k]))
    return found


def _touching(
    body: KinBody,
    solids: list[tuple[int, Solid, Array]],
    concave: Concave,
    most: int,
) -> set[tuple[int, int]]:
    """Return the pairs of links, the lower first, that MuJoCo has contacts of."""
    library = mujoco()
    spec = library.MjSpec()
    shapes = Shapes(spec, concave)
    zero = kinematics.link_transforms(
        body.model, np.eye(4), np.zeros(body.dof), passive=None
    )
    bodies: dict[int, Any] = {}
    for link, solid, place in solids:
        made = bodies.get(link)
        if made is None:
            made = bodies[link] = spec.worldbody.add_body(name=str(link))
            made.pos, made.quat = (
                zero[link, :3, 3],
                quat_from_matrix(zero[link, :3, :3]),
            )
            made.add_freejoint()  # what cannot move touches nothing
            made.mass, made.inertia, made.explicitinertial = 1.0, np.ones(3), True
        shapes.add(made, solid, place, most)
    model = spec.compile()
    data = library.MjData(model)
    library.mj_kinematics(model, data)
    library.mj_comPos(model, data)
    library.mj_collision(model, data)
    names = [model.body(k).name for k in range(model.nbody)]
    found = set()
    for one, other in model.geom_bodyid[data.contact.geom].tolist():
        i, j = sorted((int(names[one]), int(names[other])))
        found.add((i, j))
    return found


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b for a, b in zip(one, other, strict=True)
    )
