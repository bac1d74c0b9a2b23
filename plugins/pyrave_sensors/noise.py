"""What is wrong with measured ranges."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave_sensors.angles import degrees
from pyrave_sensors.tables_laser import FAR
from pyrave_sensors.typed import settle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pyrave.spatial import Array

__all__ = ["RangeNoise", "Ranges", "kernels"]

kernels = KernelModule("pyrave_sensors.kernels.returns")


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
        settle(self)
        for item in fields(self):
            value = getattr(self, item.name)
            low, high = _BOUNDS.get(item.name, (0.0, FAR))
            if not low <= value <= high:
                raise ArgumentError(
                    f"{item.name} of the noise is {value!r}, expected {low:g} to "
                    f"{high:g}"
                )

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> RangeNoise:
        """Return what a file says."""
        tags = {item.name: _tag(item.name) for item in fields(cls)}
        found = {name: values[tag] for name, tag in tags.items() if tag in values}
        if "dropout_angle" in found:
            found["dropout_angle"] = math.radians(found["dropout_angle"])
        return cls(**found)

    def values(self) -> dict[str, Any]:
        """Return the noise as values of a file; None where it is the default."""
        values: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value == item.default:
                value = None
            elif item.name == "dropout_angle":
                value = degrees(value)
            values[_tag(item.name)] = value
        return values

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
        none = np.empty(0)
        outliers = self.outlier_rate > 0
        measured = np.empty(n)
        returned, stray = np.empty(n, np.bool_), np.empty(n, np.bool_)
        kernels.jit.disturb(
            ranges.distances, ranges.returned, cosines, reflectivities,
            *map(float, limits), *map(float, astuple(self)),
            random.random(n) if self._loses else none,
            random.standard_normal(n) if self._scatters else none,
            random.random(n) if outliers else none,
            random.random(n) if outliers else none,
            measured, returned, stray,
        )  # fmt: skip
        return Ranges(measured, returned, stray)

    @property
    def _loses(self) -> bool:
        """Whether rays that met something may not come back."""
        return (
            self.dropout_rate > 0
            or self.dropout_angle < math.pi / 2
            or self.dropout_reflectivity > 0
        )

    @property
    def _scatters(self) -> bool:
        return self.sigma > 0 or self.sigma_relative > 0


def _tag(field: str) -> str:
    """Return what files call a field."""
    plain = field.startswith(("outlier", "dropout"))
    return field if plain else f"noise_{field}"


_BOUNDS = {
    "bias": (-FAR, FAR),
    "outlier_rate": (0.0, 1.0),
    "dropout_rate": (0.0, 1.0),
    "dropout_angle": (0.0, math.pi / 2),
    "dropout_reflectivity": (0.0, 1.0),
}
_NONE = RangeNoise()
