"""Pictures of an environment without a display: where from, and what lies over it."""

from pyrave.pictures.drawing import draw
from pyrave.pictures.given import layers_of
from pyrave.pictures.layers import (
    Cloud,
    Frames,
    Layer,
    Regions,
    Skeleton,
    Way,
    cloud_of,
)
from pyrave.pictures.views import DEFAULT_SIZE, Viewpoint, size_of

__all__ = [
    "DEFAULT_SIZE",
    "Cloud",
    "Frames",
    "Layer",
    "Regions",
    "Skeleton",
    "Viewpoint",
    "Way",
    "cloud_of",
    "draw",
    "layers_of",
    "size_of",
]
