"""The collisionchecker KeptCollisionchecker."""

from __future__ import annotations

import numpy as np

from pyrave import PairwiseChecker
from pyrave.bodies import Link


class KeptCollisionchecker(PairwiseChecker):
    """Compares axis-aligned boxes around links.

    It never misses a collision, but boxes of rotated links are too large: bodies that
    are close may be found in collision.
    """

    contract = 2

    def check_pair(self, first: Link, second: Link) -> bool:
        """Return True if two enabled links collide where they are.

        Both have geometries that collide; they may be of one body.
        """
        one, other = first.aabb, second.aabb
        if one is None or other is None:
            return False
        return bool(np.all(np.abs(one[0] - other[0]) <= one[1] + other[1]))
