"""Drawings of scripts as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.spatial import Array, as_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLORS = {
    "black": (0.0, 0.0, 0.0),
    "white": (1.0, 1.0, 1.0),
    "grey": (0.5, 0.5, 0.5),
    "red": (0.86, 0.15, 0.13),
    "green": (0.13, 0.62, 0.22),
    "blue": (0.11, 0.36, 0.93),
    "yellow": (0.95, 0.80, 0.10),
    "orange": (0.98, 0.55, 0.05),
    "cyan": (0.10, 0.72, 0.80),
    "magenta": (0.80, 0.20, 0.70),
}
"""Colours that have a name, red green blue 0..1."""


@dataclass(frozen=True, eq=False)
class DrawnPoints:
    """Points.

    Parameters
    ----------
    points
        (n, 3) world, metres.
    colors
        (n, 4) red, green, blue, opacity 0..1.
    size
        Diameter, metres.
    """

    points: Array
    colors: Array
    size: float


@dataclass(frozen=True, eq=False)
class DrawnLines:
    """Straight lines.

    Parameters
    ----------
    segments
        (n, 2, 3) both ends, world, metres.
    colors
        (n, 4) red, green, blue, opacity 0..1.
    width
        Pixels.
    """

    segments: Array
    colors: Array
    width: float


@dataclass(frozen=True, eq=False)
class DrawnArrow:
    """An arrow.

    Parameters
    ----------
    start, end
        (3,) world, metres.
    color
        (4,) red, green, blue, opacity 0..1.
    radius
        Of the shaft, metres.
    """

    start: Array
    end: Array
    color: Array
    radius: float


@dataclass(frozen=True, eq=False)
class DrawnBoxes:
    """Boxes.

    Parameters
    ----------
    poses
        (n, 4, 4) T_world_box, of their centres.
    half_extents
        (n, 3) metres.
    colors
        (n, 4) red, green, blue, opacity 0..1.
    """

    poses: Array
    half_extents: Array
    colors: Array


@dataclass(frozen=True, eq=False)
class DrawnMesh:
    """Triangles, seen from both sides.

    Parameters
    ----------
    vertices
        (n, 3) metres.
    faces
        (m, 3) int32.
    pose
        (4, 4) T_world_mesh.
    color
        (4,) red, green, blue, opacity 0..1.
    """

    vertices: Array
    faces: NDArray[np.int32]
    pose: Array
    color: Array


@dataclass(frozen=True, eq=False)
class DrawnPlane:
    """A rectangle in the x-y plane of its frame, seen from both sides.

    Parameters
    ----------
    pose
        (4, 4) T_world_plane.
    half_extents
        (2,) along x and y, metres.
    color
        (4,) red, green, blue, opacity 0..1.
    texture
        (height, width, 3) uint8 whose columns go along x and whose rows go against y,
        or None.
    """

    pose: Array
    half_extents: Array
    color: Array
    texture: NDArray[np.uint8] | None = None


@dataclass(frozen=True, eq=False)
class DrawnText:
    """A line of text that faces who looks at it.

    Parameters
    ----------
    text
        What it says.
    position
        (3,) of its left end, world, metres.
    color
        (4,) red, green, blue, opacity 0..1.
    height
        Metres.
    """

    text: str
    position: Array
    color: Array
    height: float


@dataclass(frozen=True, eq=False)
class DrawnFrames:
    """Axes of frames: x red, y green, z blue.

    Parameters
    ----------
    poses
        (n, 4, 4) T_world_frame.
    length
        Of an axis, metres.
    """

    poses: Array
    length: float


Drawn = (
    DrawnPoints
    | DrawnLines
    | DrawnArrow
    | DrawnBoxes
    | DrawnMesh
    | DrawnPlane
    | DrawnText
    | DrawnFrames
)


def as_colors(color: Any, n: int, name: str = "color") -> Array:
    """Return red, green, blue and opacity of n things, (n, 4).

    Parameters
    ----------
    color
        A name of `COLORS`, or 3 or 4 numbers 0..1, or as many rows of these as there
        are things.

    Raises
    ------
    ArgumentError
        It is something else.
    """
    if isinstance(color, str):
        if color not in COLORS:
            raise ArgumentError(
                f"{name} is {shown(color)}, expected one of {', '.join(COLORS)} or "
                f"numbers{did_you_mean(color, list(COLORS))}"
            )
        color = COLORS[color]
    given = as_numbers(color, name)
    if given.shape not in {(3,), (4,), (n, 3), (n, 4)}:
        raise ArgumentError(
            f"{name} has shape {given.shape}, expected (3,), (4,), ({n}, 3) or ({n}, 4)"
        )
    if not ((given >= 0.0) & (given <= 1.0)).all():
        raise ArgumentError(f"{name} has numbers that are not from 0 to 1")
    colors = np.ones((n, 4))
    colors[:, : given.shape[-1]] = given
    return colors
