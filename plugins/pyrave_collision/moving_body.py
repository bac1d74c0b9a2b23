"""A body that moves, and the pairs that count, as compiled loops take them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.interfaces import CompiledCollisions
from pyrave.jit import Kernel
from pyrave.jit.bundles import ArrayBundle
from pyrave_collision.kernels.moving_body import BEND
from pyrave_collision.kernels.shapes import CENTRE, HALF, RADIUS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import KinBody
    from pyrave.spatial import Array
    from pyrave_collision.configurations import Movers
    from pyrave_collision.prepared import PreparedWorld

_WIDEST = 1e9
"""Metres: planes are as wide."""


class MovingBody:
    """Arguments of `pyrave_collision.kernels.moving_body` about a body.

    Parameters
    ----------
    body, movers
        The body, and the solids that move with it.
    shapes
        (G, SHAPE) of all solids.
    chosen
        Which pairs count, see `pyrave_collision.kernels.layout.Selection`.
    """

    def __init__(
        self, body: KinBody, movers: Movers, shapes: Array, chosen: ArrayBundle
    ) -> None:
        model = body.state_model
        order = np.argsort(movers.links, kind="stable")
        links, rows, local = (
            movers.links[order],
            movers.rows[order],
            movers.local[order],
        )
        numbers = np.full(len(shapes), -1, np.int32)
        numbers[rows] = np.arange(len(rows))
        starts = np.searchsorted(links, np.arange(model.n_links + 1)).astype(np.int32)
        first, wanted, pairs, _, *touching = chosen.arrays
        meets = np.isin(rows, first).astype(np.int32)
        meeting = np.zeros(model.n_links, np.int32)
        meeting[links[meets > 0]] = 1
        moved = model.joint_affects[~model.joint_static].astype(np.int32)
        chains = (moved.T @ (1 - moved) == 0).astype(np.int32)
        extents, self._spheres = _around(model.n_links, links, local, shapes[rows])
        grouped = _grouped(pairs, links, numbers)
        self._selection = ArrayBundle((first, wanted, *grouped, *touching))
        known = links, rows, local, starts, numbers, meets, meeting, chains
        self._known = *known, extents
        self._prepared: ArrayBundle | None = None
        self._idle: list[tuple[ArrayBundle, ArrayBundle, ArrayBundle]] = []

    def collisions(
        self,
        prepared: PreparedWorld,
        collides: Kernel,
        sift: Kernel,
        near_points: Kernel,
    ) -> CompiledCollisions:
        """Return the collisions of the body, all others where they are now.

        Arrays of those that nobody uses any more are used again.
        """
        if self._prepared is not prepared.bundle:
            self._prepared, self._idle = prepared.bundle, []
        if self._idle:
            arrays = self._idle.pop()
            prepared.renew(arrays[0])
        else:
            arrays = prepared.copy(), self._selection, self._carried()
        world, selection, carried = arrays
        plain = collides.written
        sifting = None if plain is None else sift.written
        found = CompiledCollisions(
            lambda: (collides.now(), sift.now()),
            (world.table, selection.table, carried.table),
            self._spheres,
            arrays,
            near_points.now,
            None if plain is None or sifting is None else (plain, sifting),
        )
        weakref.finalize(found, self._idle.append, arrays).atexit = False
        return found

    def _carried(self) -> ArrayBundle:
        """Return a new `pyrave_collision.kernels.layout.Carried`."""
        n = len(self._spheres)
        written = np.empty((n, 6)), np.empty(n), np.empty(n, np.int32)
        still, none = np.zeros((n, BEND + 1)), np.empty(1, np.int32)
        return ArrayBundle((*self._known, *written, still, none))


def _around(
    n_links: int, links: NDArray[np.int32], local: Array, shapes: Array
) -> tuple[Array, Array]:
    """Return boxes (n_links, 6) and spheres (n_links, 4) around what links carry.

    In the frames of the links: middle and half sizes, centre and radius; no sizes and
    radius -1 for nothing.
    """
    poses, half = local.reshape(-1, 4, 4), shapes[:, HALF : HALF + 3]
    centres = poses[:, :3, :3] @ shapes[:, CENTRE : CENTRE + 3, None]
    centres = centres[:, :, 0] + poses[:, :3, 3]
    wide = np.minimum(half, _WIDEST)[:, :, None]
    sizes = (np.abs(poses[:, :3, :3]) @ wide)[:, :, 0]
    own = shapes[:, RADIUS]  # 0 of meshes that are not convex
    radii = np.where(own > 0.0, own, np.linalg.norm(half, axis=1))
    boxes, spheres = np.zeros((n_links, 6)), np.full((n_links, 4), -1.0)
    # `np.unique` imports `numpy.ma`, of which a first call would wait
    for link in set(links.tolist()):
        some = links == link
        low = (centres[some] - sizes[some]).min(axis=0)
        high = (centres[some] + sizes[some]).max(axis=0)
        middle = 0.5 * (low + high)
        away = np.linalg.norm(centres[some] - middle, axis=1)
        boxes[link] = *middle, *(0.5 * (high - low))
        spheres[link] = *middle, (away + radii[some]).max()
    return boxes, spheres


def _grouped(
    pairs: NDArray[np.int32], links: NDArray[np.int32], numbers: NDArray[np.int32]
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return pairs in the order of their links, and groups of the same two links.

    Parameters
    ----------
    links, numbers
        As `pyrave_collision.kernels.layout.Carried` has them.
    """
    both = np.append(links, np.int32(-1))[numbers][pairs]
    order = np.lexsort(both.T)
    both = both[order]
    others = (both[1:] != both[:-1]).any(axis=1)
    starts = np.flatnonzero(np.append(len(both) > 0, others))
    ends = np.append(starts[1:], len(both))[: len(starts)]
    return pairs[order], np.column_stack((both[starts], starts, ends)).astype(np.int32)
