"""Arrays of measurements as pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave.geometry import label_colors
from pyrave.spatial import Array

# millimetres in 16 bits, 0 where there is nothing, as depth cameras have it
_DEPTH_UNIT = 1e-3
_WIDEST = 480
_RED, _BLACK = (214, 39, 40), (20, 20, 20)


def as_pixels(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return a part of a camera's measurement as an image that a PNG file can hold.

    Parameters
    ----------
    name
        Its field in `CameraData`.
    """
    if name in {"depth", "distance"}:
        return _grey(array, 1.0 / _DEPTH_UNIT)
    if name == "disparity":
        return _grey(array, 16.0)
    if name == "normals":
        shown = np.rint((array + 1.0) * 127.5).astype(np.uint8)
        shown[(array == 0.0).all(axis=-1)] = 0
        return shown
    if name.endswith("_ids"):
        return label_colors(array)
    if array.dtype == np.bool_:
        return np.asarray(array * np.uint8(255), np.uint8)
    if array.dtype in (np.uint8, np.uint16):
        return array
    white = 1.0 if array.dtype.kind == "f" else float(np.iinfo(array.dtype).max)
    scaled = np.clip(array.astype(np.float64) / white, 0.0, 1.0)
    return np.rint(scaled * 255.0).astype(np.uint8)


def _grey(array: NDArray[Any], scale: float) -> NDArray[np.uint16]:
    known = np.where(np.isfinite(array), array, 0.0) * scale
    return np.rint(np.clip(known, 0.0, 65535.0)).astype(np.uint16)


def thumbnail(name: str, array: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return an image of 8 bits and moderate size, None of several images.

    Parameters
    ----------
    name
        As for `as_pixels`.
    """
    shown = as_pixels(name, array)
    if shown.ndim > 3:
        return None
    step = -(-shown.shape[1] // _WIDEST)
    small = shown[::step, ::step]
    return small if small.dtype == np.uint8 else (small >> 8).astype(np.uint8)


def seen_from_above(ends: Array, size: int = 300) -> NDArray[np.uint8]:
    """Return a picture (size, size, 3) of what a scan met, in its sensor's x and y.

    The sensor is black, x to the right; what came back is red.

    Parameters
    ----------
    ends
        (n, 3) in the sensor's frame, metres.
    """
    image = np.full((size, size, 3), 255, np.uint8)
    places = np.concatenate((np.zeros((1, 2)), ends[:, :2]))
    lower, upper = places.min(axis=0), places.max(axis=0)
    scale = 0.9 * size / max(float((upper - lower).max()), 1e-6)
    at = (places - 0.5 * (lower + upper)) * scale * (1.0, -1.0) + 0.5 * size
    cells = np.clip(np.rint(at), 2, size - 3).astype(np.int64)
    for colour, some, reach in ((_RED, cells[1:], 1), (_BLACK, cells[:1], 2)):
        steps = np.arange(-reach, reach + 1)
        for dx in steps:
            for dy in steps:
                image[some[:, 1] + dy, some[:, 0] + dx] = colour
    return image
