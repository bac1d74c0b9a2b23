"""Mapping of directions to pixels by a camera's lens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, as_number, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Lens:
    """A pinhole: maps directions of the camera's frame to pixels; immutable.

    The frame has +z forward, +x to the right and +y down in the image. Pixel (0, 0) is
    the middle of the top left pixel, as OpenCV counts, so an image of width w sees
    columns -0.5 to w - 0.5. Lenses with distortion override `distorted`, `direction`
    and `is_ideal`.

    Parameters
    ----------
    fx, fy
        Focal lengths, pixels.
    cx, cy
        Where the optical axis meets the image, pixels.
    skew
        Pixels that a column moves per unit of y / z.

    Raises
    ------
    ArgumentError
        A value is not a finite number, or a focal length is not positive.
    """

    fx: float
    fy: float
    cx: float
    cy: float
    skew: float = 0.0

    def __post_init__(self) -> None:
        for name in ("fx", "fy", "cx", "cy", "skew"):
            number = as_number(getattr(self, name), f"{name} of a lens")
            object.__setattr__(self, name, number)
        if not (self.fx > 0 and self.fy > 0):
            raise ArgumentError(
                f"the focal lengths are {self.fx:g} and {self.fy:g} pixels, expected "
                "positive numbers"
            )

    @staticmethod
    def centred(width: int, height: int, focal: float) -> Lens:
        """Return a pinhole whose axis meets the middle of an image, `focal` pixels."""
        return Lens(focal, focal, 0.5 * (width - 1), 0.5 * (height - 1))

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
        return True

    def distorted(self, points: Array) -> tuple[Array, Array]:
        """Return the distorted places of points (..., 3) at z = 1; nan: not seen.

        Returns
        -------
        tuple of ndarray
            x and y, (...).
        """
        z = np.where(points[..., 2] > 0.0, points[..., 2], np.nan)
        return points[..., 0] / z, points[..., 1] / z

    def direction(self, x: Array, y: Array) -> Array:
        """Return unit vectors (..., 3) that appear at x and y; nan where none does."""
        z = 1.0 / np.sqrt(1.0 + x * x + y * y)
        return np.stack((x * z, y * z, z), axis=-1)

    def project(self, points: ArrayLike) -> Array:
        """Return the pixels (..., 2) of points.

        Parameters
        ----------
        points
            (..., 3) in the camera's frame, any unit.

        Returns
        -------
        ndarray
            Column and row; nan where the lens does not see (behind a camera, or so far
            aside that a distortion folds the image).
        """
        p = _vectors(points, 3, "points")
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y = self.distorted(p)
            return np.stack(
                (self.fx * x + self.skew * y + self.cx, self.fy * y + self.cy), axis=-1
            )

    def unproject(self, pixels: ArrayLike) -> Array:
        """Return the inverse of `project`: (..., 3) unit vectors, the camera's frame.

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
        return self.direction(x, y)


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
