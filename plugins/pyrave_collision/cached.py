"""Configurations that are known to be free, or to collide, with proof how far."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.primitives import NOTHING
from pyrave.world import COLLISION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave.world import PackedWorld

_TRIED = 8
"""Of so many entries nearest in joint values it is seen how far solids moved."""
_ROOT = math.sqrt(0.5)


class MovingSolids:
    """The solids that move with a body, as balls; where they are says how far it moved.

    Parameters
    ----------
    world
        The packed world.
    bodies
        Ids of the body and of all that it holds.
    """

    def __init__(self, world: PackedWorld, bodies: Iterable[int]) -> None:
        table = world.tables.geometries
        rows = [
            np.arange(len(table.id))[world.geometries_of(body)] for body in bodies
        ]  # fmt: skip
        found = np.concatenate(rows) if rows else np.zeros(0, np.intp)
        solid = (table.mask[found] & COLLISION > 0) & (table.kind[found] != NOTHING)
        self._rows = found[solid]
        self._centres = table.centre[self._rows]
        boxes = table.bounds[self._rows].reshape(-1, 2, 3)
        middle = self.places(table.poses[self._rows])
        # the box that the solid has now holds it, whatever solid it is
        off = np.linalg.norm(boxes.mean(axis=1) - middle, axis=1)
        self._radii = 0.5 * np.linalg.norm(boxes[:, 1] - boxes[:, 0], axis=1) + off

    def poses(self, world: PackedWorld) -> Array:
        """Return copies of the poses (m, 4, 4) of the solids."""
        found: Array = world.tables.geometries.poses[self._rows]
        return found

    def places(self, poses: Array) -> Array:
        """Return the centres (..., m, 3) of the balls."""
        turned = np.einsum("...ij,...j->...i", poses[..., :3, :3], self._centres)
        return np.asarray(turned + poses[..., :3, 3])

    def furthest(self, before: Array, now: Array) -> Array:
        """Return a bound (k,) of how far any point of any solid is from where it was.

        A point x of a ball around c moves by at most ``|c' - c| + |R' - R| |x - c|``;
        the spectral norm of a difference of rotations is sqrt(1/2) of its Frobenius
        norm.

        Parameters
        ----------
        before, now
            (k, m, 4, 4) and (m, 4, 4) poses.
        """
        moved = np.linalg.norm(self.places(before) - self.places(now), axis=-1)
        turned = before[..., :3, :3] - now[:, :3, :3]
        angle = _ROOT * np.sqrt(np.einsum("kmij,kmij->km", turned, turned))
        bound: Array = (moved + self._radii * angle).max(axis=1, initial=0.0)
        return bound


@dataclass(slots=True)
class CacheCounts:
    """Statistics of a cache."""

    checks: int = 0
    collision_hits: int = 0
    free_hits: int = 0


class ConfigurationCache:
    """Answers of one query about one body, while nothing else in the world changes.

    Of a free configuration the distance d to everything that counts is known: while no
    point of the body is further than d away from where it was then, it is free. (Of
    self collision: half of d, as both sides move.) A configuration that collides
    is known again if no solid moved at all.

    Parameters
    ----------
    size
        How many are kept; the oldest gives way.
    margin
        By how much distances may be wrong, metres.
    both_move
        Whether the distance is one between solids that both move.
    """

    def __init__(self, size: int, margin: float, *, both_move: bool) -> None:
        self.counts = CacheCounts()
        self._size = size
        self._margin = margin
        self._part = 0.5 if both_move else 1.0
        self.clear()

    def clear(self) -> None:
        """Forget all configurations; what was counted stays."""
        self._keys: Array = np.empty((0, 0))
        self._poses: Array = np.empty((0, 0, 4, 4))
        self._reach: Array = np.empty(0)
        self._collides: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, self._size)

    def find(self, solids: MovingSolids, key: Array, poses: Array) -> bool | None:
        """Return whether a configuration collides, None if that is not known.

        Parameters
        ----------
        key
            (k,) numbers that are near for near configurations.
        poses
            (m, 4, 4) of the moving solids.
        """
        self.counts.checks += 1
        known = len(self)
        if not known:
            return None
        far = np.abs(self._keys[:known] - key).sum(axis=1)
        tried = np.arange(known)
        if known > _TRIED:
            tried = np.argpartition(far, _TRIED)[:_TRIED]
        moved = solids.furthest(self._poses[tried], poses)
        sure = (moved == 0.0) | (moved < self._reach[tried])
        if not sure.any():
            return None
        hit = bool(self._collides[tried[np.argmax(sure)]])
        self.counts.collision_hits += hit
        self.counts.free_hits += not hit
        return hit

    def keep(self, key: Array, poses: Array, distance: float | None) -> None:
        """Keep a configuration with its distance; None: it collides."""
        if not self._size:
            return
        if not self._count:
            self._keys = np.empty((self._size, len(key)))
            self._poses = np.empty((self._size, *poses.shape))
            self._reach = np.zeros(self._size)
            self._collides = np.zeros(self._size, np.bool_)
        place = self._count % self._size
        self._keys[place], self._poses[place] = key, poses
        self._collides[place] = distance is None
        free = -math.inf if distance is None else self._part * (distance - self._margin)
        self._reach[place] = free
        self._count += 1

    def drop(self, *, colliding: bool) -> int:
        """Forget all that collide, or all that are free; returns how many."""
        known = len(self)
        kept = np.flatnonzero(self._collides[:known] != colliding)
        for array in (self._keys, self._poses, self._reach, self._collides):
            array[: len(kept)] = array[kept]
        self._count = len(kept)
        return known - len(kept)

    def entries(self) -> list[tuple[Array, Array, bool]]:
        """Return key, poses and answer of each configuration that is kept."""
        known = range(len(self))
        return [(self._keys[k], self._poses[k], bool(self._collides[k])) for k in known]
