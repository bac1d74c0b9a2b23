"""Errors of measured ranges."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces.settings.declarations import settle
from pyrave.jit import KernelModule
from pyrave.records import Record
from pyrave_sensors.settings.fields import DEGREES, FAR, LONG, setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

kernels = KernelModule("pyrave_sensors.kernels.returns")


@dataclass(frozen=True, slots=True)
class Ranges(Record):
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
    of the three dropouts; the others are measured as r + bias + a normal number with
    the standard deviation sigma + sigma_relative * r, rounded to whole multiples of the
    quantisation, and lost if that is not between minimum and maximum range. Last, any
    ray, also one that met nothing, becomes an outlier with outlier_rate: its range is
    anything between minimum and maximum (the random part of the beam model in Thrun,
    Burgard, Fox: Probabilistic Robotics, 2005, section 6.3).

    Lengths are metres; `dropout_angle` is the incidence angle, radians from the
    surface's normal, beyond which returns are lost, with a probability that grows in
    proportion from 0 there to 1 at pi / 2; `dropout_reflectivity` is the reflectivity
    below which returns are lost, with a probability that grows in proportion from 0
    there to 1 for black.

    Raises
    ------
    ArgumentError
        A value is not a number, or out of range.
    """

    # fmt: off
    bias: float = setting(
        0.0, "noise_bias", example="0.005", least=-FAR, most=FAR, unit="metres",
        doc="added to each range")
    sigma: float = setting(
        0.0, "noise_sigma", example="0.01", least=0.0, most=FAR, unit="metres",
        doc="standard deviation")
    sigma_relative: float = setting(
        0.0, "noise_sigma_relative", example="0.001", least=0.0, most=LONG,
        unit="metres per metre of range", doc="standard deviation")
    quantisation: float = setting(
        0.0, "noise_quantisation", example="0.002", least=0.0, most=FAR, unit="metres",
        doc="step to which ranges are rounded")
    outlier_rate: float = setting(
        0.0, "outlier_rate", example="0.001", least=0.0, most=1.0,
        doc="probability that a ray reads anything between the bounds")
    dropout_rate: float = setting(
        0.0, "dropout_rate", example="0.01", least=0.0, most=1.0,
        doc="probability that a return is lost")
    dropout_angle: float = setting(
        math.pi / 2, "dropout_angle", example="75", least=0.0, most=90.0, form=DEGREES,
        unit="degrees from the surface's normal", doc="beyond it returns get lost")
    dropout_reflectivity: float = setting(
        0.0, "dropout_reflectivity", example="0.1", least=0.0, most=1.0,
        doc="reflectivity below which returns get lost")
    # fmt: on

    def __post_init__(self) -> None:
        settle(self)

    @property
    def off(self) -> bool:
        """True if nothing is changed."""
        return self is NO_NOISE or self == NO_NOISE

    @property
    def needs_surface(self) -> bool:
        """True if the reflectivity of surfaces matters."""
        return self.dropout_reflectivity > 0

    def apply(
        self,
        ranges: Ranges,
        cosines: Array,
        reflectivities: Array,
        limits: tuple[float, float],
        random: np.random.Generator,
    ) -> Ranges:
        """Return the measured ranges.

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
        """True if rays that hit something may be lost."""
        return (
            self.dropout_rate > 0
            or self.dropout_angle < math.pi / 2
            or self.dropout_reflectivity > 0
        )

    @property
    def _scatters(self) -> bool:
        return self.sigma > 0 or self.sigma_relative > 0


NO_NOISE = RangeNoise()
