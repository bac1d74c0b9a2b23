"""What robots stand on, lean on and hold on to: planes with friction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, as_vector

__all__ = ["Ground", "frame_along", "grounds_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A plane that pushes along its normal, and rubs.

    Parameters
    ----------
    point, normal
        (3,) a point of it, metres, and the direction away from it, any length; both in
        the world. The floor is the default.
    friction
        Coefficient mu of Coulomb's law.
    distance
        How far points that touch may be from the plane, on either side, metres.
    angle
        By how much the normal of an area that touches may differ from the opposite of
        the plane's, radians.

    Raises
    ------
    ArgumentError
        The normal has no direction, or a number is negative or not finite.
    """

    point: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    friction: float = 0.5
    distance: float = 1e-3
    angle: float = math.radians(1.0)

    def __post_init__(self) -> None:
        point = as_vector(self.point, 3, "point of a ground").copy()
        normal = as_vector(self.normal, 3, "normal of a ground")
        length = float(np.linalg.norm(normal))
        if not length > 0.0:
            raise ArgumentError("the normal of a ground is (0, 0, 0): no direction")
        normal = normal / length
        for vector in (point, normal):
            vector.setflags(write=False)
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "normal", normal)
        for name in ("friction", "distance", "angle"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise ArgumentError(
                    f"{name} of a ground is {value!r}, expected a finite number >= 0"
                )

    def height(self, points: Array) -> Array:
        """Return how far points (n, 3) are above the plane, metres."""
        return np.asarray((points - self.point) @ self.normal)


def grounds_of(grounds: Ground | Iterable[Ground]) -> tuple[Ground, ...]:
    """Return one or several grounds as a tuple."""
    if isinstance(grounds, Ground):
        return (grounds,)
    known = tuple(grounds)
    for one in known:
        if not isinstance(one, Ground):
            raise ArgumentError(f"{one!r} is no ground; expected pyrave.stance.Ground")
    return known


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
