"""State of a traversal: the frame, the coordinates, the material."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.records import Record
from pyrave.scene import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave_inventor.tree import InventorNode

UNITS = {
    "METERS": 1.0, "CENTIMETERS": 1e-2, "MILLIMETERS": 1e-3, "MICROMETERS": 1e-6,
    "MICRONS": 1e-6, "NANOMETERS": 1e-9, "ANGSTROMS": 1e-10, "KILOMETERS": 1e3,
    "FEET": 0.3048, "INCHES": 0.0254, "POINTS": 0.0254 / 72.0, "YARDS": 0.9144,
    "MILES": 1609.344, "NAUTICAL_MILES": 1852.0,
}  # fmt: skip
"""Metres in each unit that a ``Units`` node may name."""

_NO_TURN = (0.0, 0.0, 1.0, 0.0)
_NO_SCALE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The materials that a shape's faces choose from.

    Parameters
    ----------
    diffuse
        (n, 3) colours, or (n,) packed ``0xRRGGBBAA``, which hold the opacity too.
    ambient
        (n, 3) colours, or None for `ambient_part` of the diffuse ones.
    transparency
        (n,) 0 opaque to 1 invisible.
    """

    diffuse: NDArray[Any] = field(default_factory=lambda: np.array([[0.8, 0.8, 0.8]]))
    ambient: Array | None = field(default_factory=lambda: np.array([[0.2, 0.2, 0.2]]))
    transparency: Array = field(default_factory=lambda: np.zeros(1))
    ambient_part: float = 0.0

    def __len__(self) -> int:
        return len(self.diffuse)

    def material(self, index: int) -> Material:
        """Return one material; what has fewer values than that uses its last one."""
        transparency = float(_entry(self.transparency, index))
        if self.diffuse.ndim == 1:
            packed = int(_entry(self.diffuse, index))
            parts = [(packed >> shift & 0xFF) / 255.0 for shift in (24, 16, 8, 0)]
            diffuse, transparency = np.array(parts[:3]), 1.0 - parts[3]
        else:
            diffuse = _entry(self.diffuse, index)
        ambient = (
            diffuse * self.ambient_part
            if self.ambient is None
            else _entry(self.ambient, index)
        )
        return Material(
            _colour(diffuse), _colour(ambient), min(max(transparency, 0.0), 1.0)
        )


def _entry(values: NDArray[Any], index: int) -> Any:
    return values[min(index, len(values) - 1)]


def _colour(values: Array) -> tuple[float, float, float]:
    red, green, blue = np.clip(values, 0.0, 1.0).tolist()
    return red, green, blue


@dataclass(frozen=True, slots=True, eq=False)
class Image:
    """An image that a node names; it is read for the first shape that shows it.

    Parameters
    ----------
    names
        Of files, of which the first one that is there counts.
    """

    node: InventorNode
    names: tuple[str, ...]


@dataclass(slots=True)
class State(Record):
    """The state that nodes to the left leave for those to the right.

    Values are replaced, never changed, so that a shallow copy keeps a state.

    Parameters
    ----------
    matrix
        (4, 4) frame of the nodes in the mesh.
    units
        Metres in the unit in force.
    points
        (n, 3) coordinates, or (n, 4) homogeneous ones.
    clockwise
        Whether faces turn clockwise seen from outside.
    which
        The child that the last switch chose.
    image
        The image in force, or None.
    places
        (n, 2) places in images, for indices of corners.
    """

    matrix: Array = field(default_factory=lambda: np.eye(4))
    units: float = 1.0
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))
    look: Look = field(default_factory=Look)
    binding: str = "OVERALL"
    clockwise: bool = False
    which: int = -1
    image: Image | None = None
    places: Array = field(default_factory=lambda: np.zeros((0, 2)))

    def saved(self) -> State:
        """Return a copy, which is what a separator keeps."""
        return State(
            self.matrix,
            self.units,
            self.points,
            self.look,
            self.binding,
            self.clockwise,
            self.which,
            self.image,
            self.places,
        )


_IDENTITY = np.eye(4)


def affine(turn: Array | None = None, shift: Any = None) -> Array:
    """Return a (4, 4) matrix of a (3, 3) one and a translation."""
    matrix = _IDENTITY.copy()
    if turn is not None:
        matrix[:3, :3] = turn
    if shift is not None:
        matrix[:3, 3] = shift
    return matrix


def rotation(axis_angle: Any) -> Array:
    """Return the (3, 3) rotation about an axis x y z by an angle, radians."""
    x, y, z, angle = (float(value) for value in axis_angle)
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return np.eye(3)
    x, y, z = x / length, y / length, z / length
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    return np.array(
        (
            (d * x * x + c, d * x * y - s * z, d * x * z + s * y),
            (d * x * y + s * z, d * y * y + c, d * y * z - s * x),
            (d * x * z - s * y, d * y * z + s * x, d * z * z + c),
        )
    )


def scale_rotate_translate(
    translation: Any = (0.0, 0.0, 0.0),
    turn: Any = _NO_TURN,
    scale: Any = _NO_SCALE,
    scale_turn: Any = _NO_TURN,
    center: Any = (0.0, 0.0, 0.0),
) -> Array:
    """Return the (4, 4) matrix of a ``Transform``.

    It scales along axes that `scale_turn` turns, then rotates, both about `center`,
    then translates.
    """
    if turn is _NO_TURN and scale is _NO_SCALE:
        return affine(shift=translation)
    axes = rotation(scale_turn)
    linear = rotation(turn) @ (axes * np.asarray(scale)) @ axes.T
    middle = np.asarray(center, dtype=np.float64)
    return affine(linear, np.asarray(translation) + middle - linear @ middle)
