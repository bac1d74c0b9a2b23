"""Lenses with distortion."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.geometry import Lens
from pyrave.spatial import Array, as_vector
from pyrave_sensors.optics.distortion import MODELS, Distortion, distortion_of

_ALIASES = {
    "": "",
    "0": "",
    "none": "",
    "pinhole": "",
    "radtan": "plumb_bob",
    "fisheye": "equidistant",
}


@dataclass(frozen=True)
class DistortedLens(Lens):
    """A lens with one of three distortions; immutable.

    Pixels are inverted to some 1e-13 of a pixel, by Newton's method.

    Parameters
    ----------
    model
        ``""`` (none), ``plumb_bob``, ``rational_polynomial`` or ``equidistant``.
    coefficients
        Of the model, in OpenCV's order; missing ones are 0.

    Raises
    ------
    ArgumentError
        A value is not a finite number, a focal length is not positive, the model is
        unknown, or it has fewer coefficients.
    """

    model: str = ""
    coefficients: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        name = self.model if isinstance(self.model, str) else shown(self.model)
        model = name.strip().lower()
        model = _ALIASES.get(model, model)
        if model not in MODELS and model:
            known = [*MODELS, *_ALIASES]
            raise ArgumentError(
                f"the distortion model is {shown(self.model)}, expected one of "
                f"{', '.join(MODELS)}, or none{did_you_mean(model, known)}"
            )
        given = as_vector(self.coefficients, None, "coefficients of a lens").tolist()
        count = MODELS.get(model, 0)
        if model and len(given) > count:
            raise ArgumentError(
                f"the distortion model {model} has {count} coefficients, got "
                f"{len(given)}"
            )
        super().__post_init__()
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "coefficients", tuple(given) if model else ())

    @property
    def is_ideal(self) -> bool:
        """True if straight lines stay straight."""
        return self.model != "equidistant" and not any(self.coefficients)

    def distorted(self, points: Array) -> tuple[Array, Array]:
        """Return the distorted places of points (..., 3) at z = 1; nan: not seen."""
        if self.is_ideal:
            return super().distorted(points)
        return _distortion(self).distorted(points)

    def direction(self, x: Array, y: Array) -> Array:
        """Return unit vectors (..., 3) that appear at x and y; nan where none does."""
        if self.is_ideal:
            return super().direction(x, y)
        return _distortion(self).direction(x, y)


@functools.lru_cache(maxsize=64)
def _distortion(lens: DistortedLens) -> Distortion:
    return distortion_of(lens.model, lens.coefficients)
