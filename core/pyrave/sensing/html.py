"""What notebooks show of measurements."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry import encode_png
from pyrave.sensing.data import CameraData, LaserData
from pyrave.sensing.image_export import pixels_of
from pyrave.sensing.scan_export import seen_from_above
from pyrave.showing import card, picture, table

if TYPE_CHECKING:
    from pyrave.sensing.data import SensorData

_WIDEST = 480


def data_card(data: SensorData) -> str:
    """Return a measurement as HTML: an image, a scan from above, or its numbers."""
    title = type(data).__name__
    if isinstance(data, (LaserData, CameraData)):
        said = repr(data).removeprefix(f"<{title} ").removesuffix(">")
        png = data_png(data)
        parts = [] if png is None else [picture(png, repr(data))]
        return card(title, {"measured": said}, *parts)
    rows = [
        [item.name, _text(getattr(data, item.name))]
        for item in fields(data)
        if not item.name.endswith("covariance") and item.name != "pose"
    ]
    return card(title, {}, table(["field", "value"], rows))


def data_png(data: SensorData) -> bytes | None:
    """Return an image, or a scan from above, as a PNG file; None of other sensors."""
    if isinstance(data, LaserData):
        return encode_png(seen_from_above(data))
    image = _image(data) if isinstance(data, CameraData) else None
    return None if image is None else encode_png(image)


def _image(data: CameraData) -> Any:
    """Return the first part of a measurement as an image of moderate size, or None."""
    shown = pixels_of(data)
    if shown is None or shown.ndim > 3:
        return None
    step = -(-shown.shape[1] // _WIDEST)
    small = shown[::step, ::step]
    return small if small.dtype == np.uint8 else (small >> 8).astype(np.uint8)


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    shown = np.array2string(value, precision=4, suppress_small=True, threshold=12)
    return " ".join(shown.split())
