"""Colours as viser takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array

_GAMMA = 2.2


def linear(colors: Any) -> Array:
    """Return colours 0..1 for lines and for rows of one node, where light adds up.

    Other nodes take colours as they are, as people mix them.
    """
    return np.asarray(colors, np.float64) ** _GAMMA
