"""Rotations as quaternions, many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array


def quaternions_of(rotations: Array) -> Array:
    """Return unit quaternions w x y z (n, 4) of rotations (n, 3, 3).

    Of the four formulas the one with the largest divisor is taken for each.
    """
    r = rotations
    x, y, z = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    a, b, c = r[:, 2, 1], r[:, 0, 2], r[:, 1, 0]
    d, e, f = r[:, 1, 2], r[:, 2, 0], r[:, 0, 1]
    ways = np.empty((len(r), 4, 4))
    ways[:, 0] = np.stack((1 + x + y + z, a - d, b - e, c - f), axis=1)
    ways[:, 1] = np.stack((a - d, 1 + x - y - z, c + f, b + e), axis=1)
    ways[:, 2] = np.stack((b - e, c + f, 1 - x + y - z, a + d), axis=1)
    ways[:, 3] = np.stack((c - f, b + e, a + d, 1 - x - y + z), axis=1)
    best = np.argmax(np.diagonal(ways, axis1=1, axis2=2), axis=1)
    found = ways[np.arange(len(r)), best]
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))
