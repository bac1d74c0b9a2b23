"""Boxes, spheres, cylinders and cones as triangles, along the y axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pyrave.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

SEGMENTS = 20
"""Corners of the circles of cylinders and cones, as in Coin, which OpenRAVE uses."""

_MERIDIANS, _PARALLELS = 32, 15
# scenes repeat few sizes many times; nobody changes the arrays
_KEPT = 64


@dataclass(frozen=True, slots=True)
class Solid(Record):
    """Triangles of a solid, turning counter-clockwise seen from outside.

    Parameters
    ----------
    points
        (n, 3).
    triangles
        (m, 3) indices of points.
    parts
        (m,) the part that each belongs to, in the formats' order.
    """

    points: Array
    triangles: NDArray[np.int64]
    parts: NDArray[np.int64]


# front, back, left, right, top and bottom, counter-clockwise seen from outside
_SIDES = np.array(
    (
        (1, 5, 7, 3), (4, 0, 2, 6), (0, 1, 3, 2),
        (5, 4, 6, 7), (3, 7, 6, 2), (0, 4, 5, 1),
    )
)  # fmt: skip


@lru_cache(_KEPT)
def box(x_size: float, y_size: float, z_size: float) -> Solid:
    """Return a box of these full sizes about the origin."""
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    points = 0.5 * np.array(signs, np.float64) * np.array((x_size, y_size, z_size))
    triangles = _SIDES[:, ((0, 1, 2), (0, 2, 3))].reshape(-1, 3)
    return Solid(points, triangles, np.repeat(np.arange(6), 2))


@lru_cache(_KEPT)
def _circle(n: int) -> Array:
    """Return (n, 3) points of the unit circle about y, from -z towards -x."""
    angles = 2.0 * math.pi * np.arange(n) / n
    ring = -np.stack((np.sin(angles), np.zeros(n), np.cos(angles)), axis=1)
    # the quarters are exact, so that bounding boxes are
    ring[np.abs(ring) < 1e-12] = 0.0
    ring.setflags(write=False)
    return ring


def _disc(start: int, *, up: bool) -> NDArray[np.int64]:
    """Return a circle's polygon as a fan."""
    second = start + np.arange(1, SEGMENTS - 1)
    pair = (second, second + 1) if up else (second + 1, second)
    return np.stack((np.full(SEGMENTS - 2, start), *pair), axis=1)


def _joined(
    points: Array, pieces: Sequence[NDArray[np.int64]], wanted: Sequence[bool]
) -> Solid:
    triangles, parts = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    for part, (piece, keep) in enumerate(zip(pieces, wanted, strict=True)):
        if keep:
            triangles.append(piece)
            parts.append(np.full(len(piece), part))
    return Solid(points, np.concatenate(triangles), np.concatenate(parts))


@lru_cache(_KEPT)
def cylinder(radius: float, height: float, parts: tuple[bool, ...]) -> Solid:
    """Return a cylinder about the origin; `parts`: side, top, bottom."""
    half = np.array((0.0, 0.5 * height, 0.0))
    ring = radius * _circle(SEGMENTS)
    top = np.arange(SEGMENTS)
    following = (top + 1) % SEGMENTS
    low, after = top + SEGMENTS, following + SEGMENTS
    side = np.stack((top, low, after, top, after, following), axis=1).reshape(-1, 3)
    pieces = (side, _disc(0, up=True), _disc(SEGMENTS, up=False))
    return _joined(np.concatenate((ring + half, ring - half)), pieces, parts)


@lru_cache(_KEPT)
def cone(radius: float, height: float, parts: tuple[bool, ...]) -> Solid:
    """Return a cone whose tip is up, about the origin; `parts`: side, bottom."""
    half = np.array((0.0, 0.5 * height, 0.0))
    low = np.arange(SEGMENTS)
    tip = np.full(SEGMENTS, SEGMENTS)
    side = np.stack((tip, low, (low + 1) % SEGMENTS), axis=1)
    points = np.concatenate((radius * _circle(SEGMENTS) - half, half[None]))
    return _joined(points, (side, _disc(0, up=False)), parts)


@lru_cache(_KEPT)
def sphere(radius: float) -> Solid:
    """Return a sphere about the origin, cut by meridians and parallels."""
    n = _MERIDIANS
    latitudes = math.pi * (np.arange(1, _PARALLELS + 1) / (_PARALLELS + 1) - 0.5)
    rings = np.cos(latitudes)[:, None, None] * _circle(n)
    rings[..., 1] = np.sin(latitudes)[:, None]
    poles = np.array(((0.0, -1.0, 0.0), (0.0, 1.0, 0.0)))
    south = len(latitudes) * n
    lower = np.arange(len(latitudes) - 1)[:, None] * n
    ring, following = np.arange(n), (np.arange(n) + 1) % n
    low, after = (lower + ring).reshape(-1), (lower + following).reshape(-1)
    quads = np.stack((low, after, after + n, low, after + n, low + n), axis=1)
    first, last = np.full(n, south), np.full(n, south + 1)
    top = south - n
    triangles = (
        np.stack((first, following, ring), axis=1),
        quads.reshape(-1, 3),
        np.stack((last, top + ring, top + following), axis=1),
    )
    points = radius * np.concatenate((rings.reshape(-1, 3), poles))
    return _joined(points, [np.concatenate(triangles)], [True])
