"""Shorter steps for what is fast and comes near something, so that it is stopped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array

_DEEPEST = 0.9
"""Share of half the least extent of a body that may be in what it hits."""


class Speeding:
    """Divides steps in which a free body would pass through an obstacle.

    Contacts become harder in proportion: their time constants are those of the steps.

    Parameters
    ----------
    library, model, data
        MuJoCo's.
    places, rates
        Of each body that moves freely its first row in `qpos` and in `qvel`.
    step
        Longest step, seconds.
    depth
        How deep what hits something comes, in steps times its speed.
    most
        Parts that a step is divided into at most.
    """

    def __init__(
        self,
        library: Any,
        model: Any,
        data: Any,
        places: Sequence[int],
        rates: Sequence[int],
        step: float,
        depth: float,
        most: int,
    ) -> None:
        self._library, self._model, self._data = library, model, data
        rows = np.array((places, rates) if most > 1 else ((), ()), np.int64)
        half, reach = _extents(model, model.dof_bodyid[rows[1]])
        solid = half > 0.0
        self._places, first = rows[:, solid]
        self._rates = first[:, None] + np.arange(3)
        self._limits = _DEEPEST / (depth * step) * half[solid]
        self._reach = reach[solid]
        self._most, self._parts = most, 1
        self._qvel = data.qvel
        self._slowest = min(self._limits.tolist(), default=math.inf)
        self._given = [
            (items, items.copy()) for items in (model.geom_solref, model.pair_solref)
        ]

    def divide(self, dt: float) -> int:
        """Return into how many parts each step of the next `dt` seconds is divided."""
        parts = 1
        if self._places.size:
            squares = self._qvel * self._qvel
            # of three components one has a third of the square at least
            if 3.0 * squares[squares.argmax()] > self._slowest**2:
                parts = self._needed(dt)
        if parts != self._parts:
            self._parts = parts
            for items, given in self._given:
                # a time constant and a damping ratio, or -stiffness and -damping
                timed = given[:, 0] > 0.0
                items[timed, 0] = given[timed, 0] / parts
                items[~timed] = given[~timed] * (parts * parts, parts)
        return parts

    def _needed(self, dt: float) -> int:
        velocities = self._qvel[self._rates]
        excess = np.linalg.norm(velocities, axis=1) / self._limits
        fast = np.flatnonzero(excess > 1.0)
        if not len(fast):
            return 1
        self._library.mj_kinematics(self._model, self._data)
        low, high = self._bounds()
        places = self._data.qpos[self._places[fast, None] + np.arange(3)]
        ends = places + dt * velocities[fast]
        reach = self._reach[fast, None]
        least, most = np.minimum(places, ends) - reach, np.maximum(places, ends) + reach
        own = self._model.dof_bodyid[self._rates[fast, 0]]
        owner = self._model.body_rootid[self._model.geom_bodyid]
        # fast ones may meet each other on their ways
        low, high = np.concatenate((low, least)), np.concatenate((high, most))
        owner = np.concatenate((owner, own))
        low, high = np.ascontiguousarray(low.T), np.ascontiguousarray(high.T)
        order, count = (
            np.argsort(-excess[fast], kind="stable"),
            100_000 // len(owner) + 1,
        )
        for begin in range(0, len(order), count):
            some = order[begin : begin + count]
            meets = own[some, None] != owner
            for axis in range(3):
                meets &= low[axis] <= most[some, axis, None]
                meets &= high[axis] >= least[some, axis, None]
            found = np.flatnonzero(meets.any(axis=1))
            if len(found):
                return min(self._most, math.ceil(float(excess[fast[some[found[0]]]])))
        return 1

    def _bounds(self) -> tuple[Array, Array]:
        """Return the least and largest coordinates (n, 3) of all geoms."""
        boxes = self._model.geom_aabb
        turns = self._data.geom_xmat.reshape(-1, 3, 3)
        centres = self._data.geom_xpos + np.einsum("nij,nj->ni", turns, boxes[:, :3])
        half = np.einsum("nij,nj->ni", np.abs(turns), boxes[:, 3:])
        return centres - half, centres + half


def _extents(model: Any, bodies: Array) -> tuple[Array, Array]:
    """Return half the least extents (n,), 0 for nothing, and the reaches of bodies."""
    low = np.full((model.nbody, 3), np.inf)
    high, reach = -low, np.zeros(model.nbody)
    places, owner = model.geom_pos, model.geom_bodyid
    turns = _rotations(model.geom_quat)
    boxes = model.geom_aabb
    centres = places + np.einsum("nij,nj->ni", turns, boxes[:, :3])
    half = np.einsum("nij,nj->ni", np.abs(turns), boxes[:, 3:])
    np.minimum.at(low, owner, centres - half)
    np.maximum.at(high, owner, centres + half)
    far = np.linalg.norm(np.abs(centres) + half, axis=1)
    np.maximum.at(reach, owner, far)
    least = 0.5 * (high - low).min(axis=1)
    return np.where(np.isfinite(least), least, 0.0)[bodies], reach[bodies]


def _rotations(quats: Array) -> Array:
    """Return (n, 3, 3) matrices of quaternions (n, 4), w first."""
    w, vector = quats[:, :1, None], quats[:, 1:]
    x, y, z = vector.T
    none = np.zeros(len(quats))
    cross = np.array(((none, -z, y), (z, none, -x), (-y, x, none))).transpose(2, 0, 1)
    outer = vector[:, :, None] * vector[:, None, :]
    share = w * w - np.einsum("ni,ni->n", vector, vector)[:, None, None]
    return np.asarray(share * np.eye(3) + 2.0 * (outer + w * cross))
