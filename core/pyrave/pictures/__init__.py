"""Pictures of an environment without a display: viewpoints and layers."""

from pyrave.pictures.arguments import layers_of
from pyrave.pictures.drawing_items import (
    COLORS,
    Drawn,
    DrawnArrow,
    DrawnBoxes,
    DrawnFrames,
    DrawnLines,
    DrawnMesh,
    DrawnPlane,
    DrawnPoints,
    DrawnText,
    as_colors,
)
from pyrave.pictures.drawings import Drawing, Drawings, Entry
from pyrave.pictures.drawn_layer import DrawnLayer, arrow_mesh, plane_mesh
from pyrave.pictures.layers import (
    Cloud,
    Frames,
    Layer,
    Regions,
    Skeleton,
    Watermark,
    Way,
    cloud_of,
)
from pyrave.pictures.renderer import draw
from pyrave.pictures.views import DEFAULT_SIZE, Viewpoint, size_of

__all__ = [
    "COLORS",
    "DEFAULT_SIZE",
    "Cloud",
    "Drawing",
    "Drawings",
    "Drawn",
    "DrawnArrow",
    "DrawnBoxes",
    "DrawnFrames",
    "DrawnLayer",
    "DrawnLines",
    "DrawnMesh",
    "DrawnPlane",
    "DrawnPoints",
    "DrawnText",
    "Entry",
    "Frames",
    "Layer",
    "Regions",
    "Skeleton",
    "Viewpoint",
    "Watermark",
    "Way",
    "arrow_mesh",
    "as_colors",
    "cloud_of",
    "draw",
    "layers_of",
    "plane_mesh",
    "size_of",
]


def __dir__() -> list[str]:
    return sorted(__all__)
