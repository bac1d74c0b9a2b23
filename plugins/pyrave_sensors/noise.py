"""What is wrong with measured ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave_sensors.tables_laser import FAR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

__all__ = ["RangeNoise", "Ranges"]


@dataclass(frozen=True, slots=True)
class Ranges:
    """Distances of n rays.

    Parameters
    ----------
    distances
        (n,) metres; anything where nothing returned.
    returned
        (n,) whether the ray came back.
    stray
        (n,) whether the range has nothing to do with a surface.
    """

    distances: Array
    returned: NDArray[np.bool_]
    stray: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RangeNoise:
    """Errors of a range finder, each off unless it is asked for.

    In this order: a ray that met a surface at distance r is lost with the probabilities
    of the three dropouts; what is left is measured as r + bias + a normal number with
    the standard deviation sigma + sigma_relative * r, rounded to whole multiples of the
    quantisation, and lost if that is not between minimum and maximum range. Last, any
    ray, also one that met nothing, becomes an outlier with outlier_rate: its range is
    anything between minimum and maximum (the random part of the beam model in Thrun,
    Burgard, Fox: Probabilistic Robotics, 2005, section 6.3).

    Parameters
    ----------
    bias, sigma, quantisation
        Metres.
    sigma_relative
        Metres per metre.
    outlier_rate, dropout_rate
        Probabilities.
    dropout_angle
        Incidence angle, radians from the surface's normal, from which on returns are
        lost: with a probability that grows in proportion from 0 there to 1 at pi / 2.
    dropout_reflectivity
        Reflectivity below which returns are lost: with a probability that grows in
        proportion from 0 there to 1 for black.
    """

    bias: float = 0.0
    sigma: float = 0.0
    sigma_relative: float = 0.0
    quantisation: float = 0.0
    outlier_rate: float = 0.0
    dropout_rate: float = 0.0
    dropout_angle: float = math.pi / 2
    dropout_reflectivity: float = 0.0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            low, high = _BOUNDS.get(item.name, (0.0, FAR))
            if not low <= value <= high:
                raise ArgumentError(
                    f"{item.name} of the noise is {value!r}, expected {low:g} to "
                    f"{high:g}"
                )

    @property
    def off(self) -> bool:
        """Whether nothing is changed."""
        return self == _NONE

    @property
    def needs_surface(self) -> bool:
        """Whether the reflectivity of surfaces matters."""
        return self.dropout_reflectivity > 0

    def apply(
        self,
        ranges: Ranges,
        cosines: Array,
        reflectivities: Array,
        limits: tuple[float, float],
        random: np.random.Generator,
    ) -> Ranges:
        """Return what is measured instead of the truth.

        Parameters
        ----------
        cosines
            (n,) of the incidence angle, 1 when the ray meets the surface squarely.
        reflectivities
            (n,) 0 to 1.
        limits
            Minimum and maximum range, metres.
        random
            Gives the same numbers of random numbers for the same settings and n.
        """
        n = len(ranges.distances)
        kept = self._kept(cosines, reflectivities, random)
        returned = ranges.returned if kept is None else ranges.returned & kept
        measured = ranges.distances + self.bias
        if self.sigma > 0 or self.sigma_relative > 0:
            deviation = self.sigma + self.sigma_relative * ranges.distances
            measured = measured + deviation * random.standard_normal(n)
        if self.quantisation > 0:
            measured = np.round(measured / self.quantisation) * self.quantisation
        returned = returned & (measured >= limits[0]) & (measured <= limits[1])
        stray = ranges.stray
        if self.outlier_rate > 0:
            stray = random.random(n) < self.outlier_rate
            anything = limits[0] + (limits[1] - limits[0]) * random.random(n)
            measured = np.where(stray, anything, measured)
            returned = returned | stray
        return Ranges(measured, returned, stray)

    def _kept(
        self, cosines: Array, reflectivities: Array, random: np.random.Generator
    ) -> NDArray[np.bool_] | None:
        """Return which rays come back; None: all of them."""
        chance: Array | float = 1.0 - self.dropout_rate
        if self.dropout_angle < math.pi / 2:
            angles = np.arccos(np.clip(cosines, 0.0, 1.0))
            beyond = (angles - self.dropout_angle) / (math.pi / 2 - self.dropout_angle)
            chance = chance * (1.0 - np.clip(beyond, 0.0, 1.0))
        if self.dropout_reflectivity > 0:
            chance = chance * np.minimum(reflectivities / self.dropout_reflectivity, 1)
        if isinstance(chance, float) and chance == 1.0:
            return None
        return np.asarray(random.random(len(cosines)) < chance)


_BOUNDS = {
    "bias": (-FAR, FAR),
    "outlier_rate": (0.0, 1.0),
    "dropout_rate": (0.0, 1.0),
    "dropout_angle": (0.0, math.pi / 2),
    "dropout_reflectivity": (0.0, 1.0),
}
_NONE = RangeNoise()
