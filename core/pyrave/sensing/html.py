"""Cards of measurements for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cards import card, picture, table
from pyrave.geometry import encode_png

if TYPE_CHECKING:
    from numpy.typing import NDArray


def picture_card(line: str, image: NDArray[np.uint8] | None) -> str:
    """Return a measurement as HTML, given a line about it and a picture, if any."""
    title, _, said = line.strip("<>").partition(" ")
    parts = [] if image is None else [picture(encode_png(image), line)]
    return card(title, {"measured": said}, *parts)


def fields_card(title: str, values: Mapping[str, Any]) -> str:
    """Return a measurement as HTML: a table of its fields."""
    rows = [[name, _text(value)] for name, value in values.items()]
    return card(title, {}, table(["field", "value"], rows))


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    shown = np.array2string(value, precision=4, suppress_small=True, threshold=12)
    return " ".join(shown.split())
