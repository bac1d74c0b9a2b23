"""Directions that cover the sphere evenly: HEALPix pixels and geodesic spheres.

HEALPix parts the sphere into 12 pixels, and each of them again and again into four, all
of equal area (Górski and others, "HEALPix: a framework for high-resolution
discretization and fast analysis of data distributed on the sphere", The Astrophysical
Journal 622, 2005). Level l has ``12 4^l`` pixels; in the nested order the four parts of
pixel p are ``4 p`` to ``4 p + 3`` of the next level.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.spatial import Array, Indices, as_number, as_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

HIGHEST_LEVEL = 10
"""Of grids that are made: 12 million pixels."""
_BITS = 26
"""Binary digits of a place in a pixel, for sequences."""
_LAST = 1 << 52
_MOST_AT_ONCE = 100_000_000
# rings and longitudes of the southern corners of the 12 faces, in units of faces
_RINGS = np.array((2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4))
_LONGITUDES = np.array((1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7))
_FACE_ORDER = np.array((0, 10, 5, 7, 2, 8, 4, 6, 1, 11, 3, 9))
"""Faces in an order in which the first ones are far apart."""


def as_level(level: int, name: str = "level", most: int = HIGHEST_LEVEL) -> int:
    """Return the level of a grid, or raise an ArgumentError."""
    if isinstance(level, bool) or not isinstance(level, (int, np.integer)):
        raise ArgumentError(f"{name} is {shown(level)}, expected a whole number")
    if not 0 <= level <= most:
        raise ArgumentError(f"{name} is {level}, expected 0 to {most}")
    return int(level)


def healpix_directions(
    level: int, order: Literal["nested", "ring"] = "nested"
) -> Array:
    """Return the centres of the pixels of a level, (12 4^level, 3) unit vectors.

    Parameters
    ----------
    level
        0 to 10. Neighbours are some ``1.02 / 2^level`` radians apart.
    order
        ``"nested"``: the four parts of a pixel follow each other. ``"ring"``: from the
        north pole to the south pole, and eastwards on each ring.

    Raises
    ------
    ArgumentError
        Another level or order.
    """
    sides = 1 << as_level(level)
    if not isinstance(order, str) or order not in {"nested", "ring"}:
        raise ArgumentError(f"order is {shown(order)}, expected 'nested' or 'ring'")
    pixels = np.arange(12 * sides * sides)
    face, x, y = pixel_places(pixels, level)
    directions = face_directions(face, (x + 0.5) / sides, (y + 0.5) / sides)
    if order == "ring":
        ring = _RINGS[face] * sides - x - y - 1
        turn = np.arctan2(directions[:, 1], directions[:, 0]) % (2.0 * math.pi)
        # centres lie half a step east of the meridian or on it, never just west
        turn[turn > 2.0 * math.pi - 1e-9] = 0.0
        return np.asarray(directions[np.lexsort((turn, ring))])
    return directions


def pixel_places(pixels: Indices, level: int) -> tuple[Indices, Indices, Indices]:
    """Return face, and column and row in the face, of pixels in the nested order."""
    inside = pixels & ((1 << 2 * level) - 1)
    x, y = np.zeros_like(pixels), np.zeros_like(pixels)
    for bit in range(level):
        x |= (inside >> 2 * bit & 1) << bit
        y |= (inside >> 2 * bit + 1 & 1) << bit
    return pixels >> 2 * level, x, y


def face_directions(face: Indices, x: Array, y: Array) -> Array:
    """Return unit vectors (n, 3) of places 0..1 along two sides of the 12 faces.

    The inverse of the HEALPix projection (Calabretta and Roukema, "Mapping on the
    HEALPix grid", 2007): areas keep their ratios. Place (0, 0) is a face's south.
    """
    ring = _RINGS[face] - x - y
    """0 at the north pole, 1 and 3 where the caps begin, 4 at the south pole."""
    cap = np.minimum(np.minimum(ring, 4.0 - ring), 1.0)
    is_north, is_cap = ring < 2.0, cap < 1.0
    height = np.where(is_cap, 1.0 - cap * cap / 3.0, (2.0 - ring) * 2.0 / 3.0)
    height = np.where(is_cap & ~is_north, -height, height)
    # sin of the polar angle without the loss of digits near the poles
    radius = np.sqrt(
        np.where(is_cap, cap * cap / 3.0 * (2.0 - cap * cap / 3.0), 1.0 - height**2)
    )
    along = np.divide(x - y, cap, out=np.zeros_like(cap), where=cap > 0.0)
    longitude = 0.25 * math.pi * (_LONGITUDES[face] + along)
    return np.stack(
        (radius * np.cos(longitude), radius * np.sin(longitude), height), axis=-1
    )


def healpix_pixels(directions: ArrayLike, level: int) -> Indices:
    """Return the pixels (n,) in which directions lie, in the nested order.

    Parameters
    ----------
    directions
        (n, 3) of any length but 0.
    level
        0 to 10.

    Raises
    ------
    ArgumentError
        No directions, or another level.
    """
    sides = 1 << as_level(level)
    given = as_rows(directions, (3,), "directions")
    lengths = np.linalg.norm(given, axis=1)
    if (lengths == 0.0).any():
        raise ArgumentError(
            f"directions has a zero vector in row {int(np.argmin(lengths))}, expected "
            "directions"
        )
    z = given[:, 2] / lengths
    turn = np.arctan2(given[:, 1], given[:, 0]) * (2.0 / math.pi) % 4.0
    turn[turn >= 4.0] = 0.0
    quarter = np.minimum(turn.astype(np.int64), 3)
    # between the caps pixels are squares of the plane (longitude, height)
    rising = sides * (0.5 + turn - 0.75 * z)
    falling = sides * (0.5 + turn + 0.75 * z)
    up, down = rising.astype(np.int64), falling.astype(np.int64)
    a, b = up // sides, down // sides
    face = np.where(a == b, (a & 3) + 4, np.where(a < b, a & 3, (b & 3) + 8))
    x, y = down & (sides - 1), sides - 1 - (up & (sides - 1))
    # in the caps, of the triangles between two meridians; the radius has all digits
    flat = np.hypot(given[:, 0], given[:, 1]) / lengths
    reach = sides * flat * np.sqrt(3.0 / (1.0 + np.abs(z)))
    part = turn - quarter
    east = np.minimum((part * reach).astype(np.int64), sides - 1)
    west = np.minimum(((1.0 - part) * reach).astype(np.int64), sides - 1)
    is_cap, north = np.abs(z) > 2.0 / 3.0, z > 0.0
    face = np.where(is_cap, np.where(north, quarter, quarter + 8), face)
    x = np.where(is_cap, np.where(north, sides - 1 - west, east), x)
    y = np.where(is_cap, np.where(north, sides - 1 - east, west), y)
    found = np.zeros_like(face)
    for bit in range(int(level)):
        found |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1
    return (face << 2 * int(level)) + found


def geodesic_sphere(frequency: int) -> Array:
    """Return the vertices of a geodesic sphere, (10 f^2 + 2, 3) unit vectors.

    The faces of an icosahedron are parted into f^2 triangles each, and the corners of
    these moved to the sphere. The first 12 are the corners of the icosahedron.

    Parameters
    ----------
    frequency
        f, 1 to 1000.

    Raises
    ------
    ArgumentError
        Another frequency.
    """
    if isinstance(frequency, bool) or not isinstance(frequency, (int, np.integer)):
        raise ArgumentError(f"frequency is {shown(frequency)}, expected a whole number")
    f = int(as_number(frequency, "frequency", 1, 1000))
    corners = _icosahedron()
    near = corners @ corners.T > 0.4
    ends = [(a, b) for a in range(12) for b in range(a + 1, 12) if near[a, b]]
    faces = [
        (a, b, c)
        for a, b in ends
        for c in range(b + 1, 12)
        if near[c, a] and near[c, b]
    ]
    inner = np.array(
        [(i, j, f - i - j) for i in range(1, f) for j in range(1, f - i)]
    ).reshape(-1, 3)
    steps = np.arange(1, f)[:, None]
    parts = [
        corners * f,
        *(corners[a] * (f - steps) + corners[b] * steps for a, b in ends),
        *(inner @ corners[list(face)] for face in faces),
    ]
    points = np.concatenate(parts)
    return np.asarray(points / np.linalg.norm(points, axis=1)[:, None])


def _icosahedron() -> Array:
    """Return the 12 corners of an icosahedron, unit vectors; two are the poles."""
    turns = np.arange(5) * (0.4 * math.pi)
    height, radius = 1.0 / math.sqrt(5.0), 2.0 / math.sqrt(5.0)
    upper = np.stack(
        (radius * np.cos(turns), radius * np.sin(turns), np.full(5, height)), axis=1
    )
    return np.concatenate(([[0.0, 0.0, 1.0]], upper, -upper, [[0.0, 0.0, -1.0]]))


def sphere_sequence(first: int, count: int) -> Array:
    """Return directions `first` to ``first + count`` of an endless even sequence.

    Each of its first ``12 4^l`` directions is in a pixel of level l of its own, for
    every l. It is the sequence of van der Corput on HEALPix faces.

    Raises
    ------
    ArgumentError
        Numbers that are no whole ones from 0.
    """
    indices = sequence_numbers(first, count)
    face, rest = spread_faces(indices % 12), indices // 12
    return face_directions(face, mirrored(rest, 2, 0), mirrored(rest, 2, 1))


def sequence_numbers(first: int, count: int) -> Indices:
    """Return the numbers `first` to ``first + count`` of a sequence, or refuse them."""
    given = (("first", first, _LAST), ("count", count, _MOST_AT_ONCE))
    for name, value, most in given:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, np.integer))
            or not 0 <= value <= most
        ):
            raise ArgumentError(
                f"{name} is {shown(value)}, expected a whole number from 0 to {most}"
            )
    return np.arange(first, first + count)


def spread_faces(numbers: Indices) -> Indices:
    """Return faces of numbers 0 to 11, of which the first ones are far apart."""
    return np.asarray(_FACE_ORDER[numbers])


def mirrored(indices: Indices, n: int, which: int) -> Array:
    """Return every n-th binary digit of indices, mirrored at the point, in 0..1.

    The digits are shifted by those of 1/3 (exclusive or), so that all places are in
    the inside of the cells of any level.
    """
    found = np.full(indices.shape, 1.0 / 3.0 / 2.0**_BITS)
    for k in range(_BITS):
        bit = (indices >> n * k + which & 1) ^ (k & 1)
        found += bit * 0.5 ** (k + 1)
    return found
