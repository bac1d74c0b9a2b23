"""How a camera's lens maps directions to pixels: pinhole, with three distortions."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.geometry.distortion import MODELS, Distortion, distortion_of
from pyrave.spatial import Array, as_number, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Lens", "focal_length"]

_ALIASES = {
    "": "",
    "0": "",
    "none": "",
    "pinhole": "",
    "radtan": "plumb_bob",
    "fisheye": "equidistant",
}


@dataclass(frozen=True, slots=True)
class Lens:
    """Maps directions of the camera's frame to pixels; immutable.

    The frame has +z forward, +x to the right and +y down in the image. Pixel (0, 0) is
    the middle of the top left pixel, as OpenCV counts, so an image of width w sees
    columns -0.5 to w - 0.5.

    Parameters
    ----------
    fx, fy
        Focal lengths, pixels.
    cx, cy
        Where the optical axis meets the image, pixels.
    skew
        Pixels that a column moves per unit of y / z.
    model
        ``""`` (none), ``plumb_bob``, ``rational_polynomial`` or ``equidistant``.
    coefficients
        Of the model, in OpenCV's order; missing ones are 0.

    Raises
    ------
    ArgumentError
        What is no finite number, a focal length that is not positive, another model,
        too many coefficients.
    """

    fx: float
    fy: float
    cx: float
    cy: float
    skew: float = 0.0
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
        for name in ("fx", "fy", "cx", "cy", "skew"):
            number = as_number(getattr(self, name), f"{name} of a lens")
            object.__setattr__(self, name, number)
        if not (self.fx > 0 and self.fy > 0):
            raise ArgumentError(
                f"the focal lengths are {self.fx:g} and {self.fy:g} pixels, expected "
                "positive numbers"
            )
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "coefficients", tuple(given) if model else ())

    @classmethod
    def centred(cls, width: int, height: int, focal: float) -> Lens:
        """Return a lens whose axis meets the middle of an image, `focal` in pixels."""
        return cls(focal, focal, 0.5 * (width - 1), 0.5 * (height - 1))

    @property
    def matrix(self) -> Array:
        """(3, 3) intrinsic matrix: pixels = matrix @ (x, y, 1), without distortion."""
        return np.array(
            (
                (self.fx, self.skew, self.cx),
                (0.0, self.fy, self.cy),
                (0.0, 0.0, 1.0),
            )
        )

    @property
    def ideal(self) -> Lens:
        """The same lens without distortion."""
        return Lens(self.fx, self.fy, self.cx, self.cy, self.skew)

    @property
    def is_ideal(self) -> bool:
        """True if straight lines stay straight."""
        return self.model != "equidistant" and not any(self.coefficients)

    def project(self, points: ArrayLike) -> Array:
        """Return where points are seen, (..., 2) pixels.

        Parameters
        ----------
        points
            (..., 3) in the camera's frame, any unit.

        Returns
        -------
        ndarray
            Column and row; nan where the lens does not see (behind a camera, or so far
            aside that the distortion folds the image).
        """
        p = _vectors(points, 3, "points")
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y = _distortion(self).distorted(p)
            return np.stack(
                (self.fx * x + self.skew * y + self.cx, self.fy * y + self.cy), axis=-1
            )

    def unproject(self, pixels: ArrayLike) -> Array:
        """Return where pixels look, (..., 3) unit vectors in the camera's frame.

        The inverse of `project`, to some 1e-13 of a pixel: Newton's method on the
        distortion.

        Parameters
        ----------
        pixels
            (..., 2) column and row.

        Returns
        -------
        ndarray
            nan where no direction is seen at that pixel.
        """
        u = _vectors(pixels, 2, "pixels")
        y = (u[..., 1] - self.cy) / self.fy
        x = (u[..., 0] - self.cx - self.skew * y) / self.fx
        return _distortion(self).direction(x, y)


@functools.lru_cache(maxsize=64)
def _distortion(lens: Lens) -> Distortion:
    return distortion_of("" if lens.is_ideal else lens.model, lens.coefficients)


def focal_length(pixels: float, field_of_view: float) -> float:
    """Return the focal length, pixels, at which `pixels` span an angle, radians."""
    field_of_view = as_number(field_of_view, "field of view")
    if not 0.0 < field_of_view < math.pi:
        raise ArgumentError(
            f"field of view is {field_of_view}, expected between 0 and pi radians"
        )
    return 0.5 * pixels / math.tan(0.5 * field_of_view)


def _vectors(value: ArrayLike, size: int, name: str) -> Array:
    array = as_numbers(value, name)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ArgumentError(f"{name} have shape {array.shape}, expected (..., {size})")
    return array
