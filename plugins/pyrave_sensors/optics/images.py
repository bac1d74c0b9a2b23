"""From light to an image's numbers: gain, noise, channels, format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pyrave_sensors.optics.camera_geometry import CameraGeometry
    from pyrave_sensors.optics.camera_options import CameraOptions

# luminance of red, green and blue (ITU-R BT.709)
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722), np.float32)


def is_plain(geometry: CameraGeometry, options: CameraOptions) -> bool:
    """Return True if an image is nothing but bytes of red, green and blue."""
    return (
        geometry.format == "uint8" and geometry.channels == 3 and not options.is_noisy
    )


def develop(
    light: NDArray[np.float32],
    geometry: CameraGeometry,
    options: CameraOptions,
    random: np.random.Generator,
) -> NDArray[Any]:
    """Return the image that light makes.

    The light is averaged to grey first if there is one channel; noise belongs to the
    light that falls in, before the gain, and is independent for each number.

    Parameters
    ----------
    light
        (h, w, 3), 1 is white.

    Returns
    -------
    ndarray
        (h, w, channels) of the geometry's format: whole numbers are rounded and kept
        within 0 and the largest, floating-point ones are not clipped.
    """
    amount = (light @ _LUMINANCE)[..., None] if geometry.channels == 1 else light
    if options.is_noisy:
        variance = options.noise_gaussian**2 + options.noise_shot**2 * np.maximum(
            amount, 0.0
        )
        wrong = random.standard_normal(amount.shape, np.float32)
        amount = amount + np.sqrt(variance, dtype=np.float32) * wrong
    amount = amount * np.float32(geometry.gain)
    kind = np.dtype(geometry.format)
    if kind.kind == "f":
        return np.ascontiguousarray(amount, dtype=kind)
    white = np.iinfo(kind).max
    # doubles hold every whole number of 32 bits
    scaled = np.rint(np.clip(amount.astype(np.float64), 0.0, 1.0) * white)
    return np.asarray(scaled.astype(kind))
