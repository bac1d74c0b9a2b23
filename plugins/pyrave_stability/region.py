"""Regions for the centre of mass: convex polygons across the direction of gravity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.cards import counted
from pyrave.spatial import Array, as_vector

_STRAIGHT = 1e-12
"""Turn, as a part of the squared size, up to which corners lie on a line."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SupportRegion:
    """A convex polygon that the centre of mass is projected into along gravity.

    Parameters
    ----------
    corners
        (n, 2) counter-clockwise, seen against gravity, along `axes`; a region may also
        be a segment (2), a point (1) or empty (0).
    axes
        (2, 3) unit vectors in the world across gravity: x and y if gravity is along -z.
    points
        (n, 3) the corners in the world, for pictures: of touching areas, or else at the
        height of the lowest point that touches.
    gap
        How far the true region may reach beyond this one, metres.
    """

    corners: Array
    axes: Array
    points: Array
    gap: float = 0.0

    def __repr__(self) -> str:
        return (
            f"<SupportRegion: {counted(len(self.corners), 'corner')}, "
            f"{self.area:.4g} m2>"
        )

    @property
    def area(self) -> float:
        """Square metres."""
        x, y = self.corners.T
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))

    def margin(self, point: ArrayLike) -> float:
        """Return the signed distance of a world point (3,) to the nearest edge, metres.

        Positive inside. Outside it is the distance to the region, negative; of an empty
        region ``-inf``.
        """
        return self._nearest(point)[0]

    def contains(self, point: ArrayLike) -> bool:
        """Return True if a world point (3,) is projected into the region."""
        return self.margin(point) >= 0.0

    def gradient(self, point: ArrayLike) -> Array:
        """Return the derivative (3,) of `margin` by the world point.

        With `BodyDynamics.center_of_mass_jacobian` it says how joints change the margin
        of a body that stands still.
        """
        return np.asarray(self._nearest(point)[1] @ self.axes)

    def _nearest(self, point: ArrayLike) -> tuple[float, Array]:
        """Return the margin and its derivative along the axes."""
        place = self.axes @ as_vector(point, 3, "point")
        n = len(self.corners)
        if n == 0:
            return -np.inf, np.zeros(2)
        along = np.roll(self.corners, -1, axis=0) - self.corners
        to = place - self.corners
        lengths = np.linalg.norm(along, axis=1)
        if n > 2:
            inward = np.column_stack((-along[:, 1], along[:, 0])) / lengths[:, None]
            heights = np.einsum("ij,ij->i", inward, to)
            lowest = int(np.argmin(heights))
            if heights[lowest] >= 0.0:
                return float(heights[lowest]), inward[lowest]
        squared = np.maximum(lengths**2, np.finfo(np.float64).tiny)
        part = np.clip(np.einsum("ij,ij->i", along, to) / squared, 0.0, 1.0)
        away = to - part[:, None] * along
        distances = np.linalg.norm(away, axis=1)
        least = int(np.argmin(distances))
        distance = float(distances[least])
        if distance == 0.0:
            return 0.0, np.zeros(2)
        return -distance, -away[least] / distance


def hull_of(points: Array) -> NDArray[np.int64]:
    """Return the corners of the convex hull of (n, 2) points, counter-clockwise.

    A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions",
    1979. Corners on a straight line are left out.
    """
    order = np.lexsort((points[:, 1], points[:, 0]))
    lo, hi = points.min(axis=0), points.max(axis=0)
    flat = _STRAIGHT * float(((hi - lo) ** 2).sum())
    rows = points.tolist()

    def chain(indices: list[int]) -> list[int]:
        found: list[int] = []
        for index in indices:
            while len(found) > 1:
                (ax, ay), (bx, by) = rows[found[-2]], rows[found[-1]]
                cx, cy = rows[index]
                if (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > flat:
                    break
                found.pop()
            found.append(index)
        return found

    lower, upper = chain(order.tolist()), chain(order[::-1].tolist())
    ring = [*lower[:-1], *upper[:-1]] or lower[:1]
    if len(ring) == 2 and np.hypot(*(points[ring[0]] - points[ring[1]])) <= 1e-12:
        ring = ring[:1]
    return np.array(ring, np.int64)
