"""Supports of robots: planes with friction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from pyrave.spatial import Array, as_array, as_direction, as_number, as_vector
from pyrave_stability.arguments import several

_MAX_FRICTION = 1e6
"""Beyond it linear programs lose so many digits that regions lack corners."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A plane that pushes along its normal, and rubs.

    Parameters
    ----------
    point, normal
        (3,) a point of it, metres, and the direction away from it, any length; both in
        the world. The floor is the default.
    friction
        Coefficient mu of Coulomb's law, at most a million.
    distance
        How far points that touch may be from the plane, on either side, metres.
    angle
        By how much the normal of an area that touches may differ from the opposite of
        the plane's, radians.

    Raises
    ------
    ArgumentError
        The normal has no direction, or a number is negative, not finite or too large.
    """

    point: Array = field(default_factory=lambda: np.zeros(3))
    normal: Array = field(default_factory=lambda: np.array((0.0, 0.0, 1.0)))
    friction: float = 0.5
    distance: float = 1e-3
    angle: float = math.radians(1.0)

    def __post_init__(self) -> None:
        point = as_vector(self.point, 3, "point of a ground").copy()
        normal = as_direction(self.normal, "normal of a ground")
        for vector in (point, normal):
            vector.setflags(write=False)
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "normal", normal)
        for name, most in (
            ("friction", _MAX_FRICTION),
            ("distance", math.inf),
            ("angle", math.inf),
        ):
            value = as_number(getattr(self, name), f"{name} of a ground", 0.0, most)
            object.__setattr__(self, name, value)

    def height(self, points: Array) -> Array:
        """Return the heights of points (n, 3) above the plane, metres."""
        return np.asarray(
            (as_array(points, (None, 3), "points") - self.point) @ self.normal
        )


def grounds_of(grounds: Ground | Iterable[Ground]) -> tuple[Ground, ...]:
    """Return one or several grounds as a tuple."""
    return several(grounds, Ground)


def frame_along(normal: Array) -> Array:
    """Return (2, 3) unit vectors that are right-handed with a unit normal.

    Along z they are x and y. T. Duff et al., "Building an orthonormal basis,
    revisited", 2017.
    """
    x, y, z = normal.tolist()
    sign = math.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array(((1.0 + sign * x * x * a, sign * b, -sign * x),
                     (b, sign + y * y * a, -y)))  # fmt: skip
