"""Rotations that cover SO(3) evenly, in Hopf coordinates.

A rotation is where it takes the z axis, a point of the sphere, and a turn about that
axis. Volumes are products of areas and angles then, so that a grid of the sphere of
equal areas times one of the circle parts SO(3) into equal cells (Yershova, Jain,
LaValle and Mitchell, "Generating uniform incremental grids on SO(3) using the Hopf
fibration", The International Journal of Robotics Research 29(7), 2010). Level l has
``72 8^l`` rotations: 12 4^l pixels of HEALPix, and ``6 2^l`` turns about each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.grids.sphere import (
    as_level,
    face_directions,
    healpix_directions,
    healpix_pixels,
    mirrored,
    sequence_numbers,
    spread_faces,
)
from pyrave.spatial import Array, Indices, as_array, as_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

HIGHEST_LEVEL = 6
"""Of grids that are made: 19 million rotations."""
_COARSEST = math.pi / 6.0
"""Radians between neighbouring unit quaternions of level 0, along a turn."""
_TURN_ORDER = np.array((0, 3, 1, 4, 2, 5))


def n_turns(level: int) -> int:
    """Return the number of turns about each direction of a level."""
    return 6 << as_level(level, most=HIGHEST_LEVEL)


def rotation_grid(level: int) -> Array:
    """Return the rotations of a level, (72 8^level, 4) unit quaternions w x y z.

    Rotation ``k n + j`` of n turns takes the z axis to pixel k of `healpix_directions`
    in the nested order, after a turn of ``(j + 1/2) 2 pi / n`` about z. The scalar part
    of the quaternions is not negative.

    Parameters
    ----------
    level
        0 to 6. Neighbours are some 60 degrees apart at level 0 and half as far at each
        further one: 60, 30, 15, 7.5 ...

    Raises
    ------
    ArgumentError
        Another level.
    """
    n = n_turns(level)
    turns = (np.arange(n) + 0.5) * (2.0 * math.pi / n)
    directions = healpix_directions(level)
    return hopf_quaternions(
        np.repeat(directions, n, axis=0), np.tile(turns, len(directions))
    )


def rotation_level(spacing: float) -> int:
    """Return the level whose neighbouring quaternions are about so far apart.

    Parameters
    ----------
    spacing
        Radians between unit quaternions: half the angle between rotations. OpenRAVE's
        ``quatdelta``; 0.5 gives level 0.

    Raises
    ------
    ArgumentError
        A spacing that is not above 0, or finer than any level.
    """
    wanted = as_number(spacing, "spacing", _COARSEST / 2.0 ** (HIGHEST_LEVEL + 0.5))
    return max(0, round(math.log2(_COARSEST / wanted)))


def hopf_quaternions(directions: Array, turns: Array) -> Array:
    """Return rotations (n, 4), w x y z: a turn about z, then z goes to a direction.

    Parameters
    ----------
    directions
        (n, 3) unit vectors; z goes there by the shortest way.
    turns
        (n,) radians.
    """
    x, y, z = directions.T
    # half angles of the shortest way: cosine and sine without loss at both poles
    radius = np.hypot(x, y)
    polar = 0.5 * np.arctan2(radius, z)
    longitude = np.arctan2(y, x)
    c, s, half = np.cos(polar), np.sin(polar), 0.5 * turns
    quats = np.stack(
        (
            c * np.cos(half),
            s * np.sin(half - longitude),
            s * np.cos(half - longitude),
            c * np.sin(half),
        ),
        axis=-1,
    )
    return np.asarray(np.where(quats[:, :1] < 0.0, -quats, quats))


def hopf_coordinates(rotations: Array) -> tuple[Array, Array]:
    """Return directions (n, 3) and turns (n,), 0..2 pi, of rotations (n, 3, 3)."""
    directions = rotations[:, :, 2]
    w, x, y, z = _quaternions(rotations).T
    # near the south pole the shortest way is about an axis in the plane
    upright = w * w + z * z > x * x + y * y
    turns = np.where(
        upright,
        2.0 * np.arctan2(z, w),
        2.0 * (np.arctan2(x, y) + np.arctan2(directions[:, 1], directions[:, 0])),
    )
    return directions, np.asarray(turns % (2.0 * math.pi))


def rotation_cells(rotations: ArrayLike, level: int) -> Indices:
    """Return in which cells of `rotation_grid` rotations lie, (n,).

    A cell is a pixel of the sphere times a range of turns. Its rotation is near, but at
    the edges another one may be nearer.

    Parameters
    ----------
    rotations
        (n, 3, 3).
    level
        Of the grid.

    Raises
    ------
    ArgumentError
        No matrices, or another level.
    """
    n = n_turns(level)
    given = as_array(rotations, (None, 3, 3), "rotations")
    directions, turns = hopf_coordinates(given)
    pixels = healpix_pixels(directions, level)
    steps = np.minimum((turns * (n / (2.0 * math.pi))).astype(np.int64), n - 1)
    return pixels * n + steps


def rotation_sequence(first: int, count: int) -> Array:
    """Return rotations `first` to ``first + count`` of an endless even sequence.

    Each of its first ``72 8^l`` unit quaternions (w x y z) is in a cell of level l of
    its own, for every l.

    Raises
    ------
    ArgumentError
        Numbers that are no whole ones from 0.
    """
    indices = sequence_numbers(first, count)
    base, rest = indices % 72, indices // 72
    face = spread_faces(base % 12)
    directions = face_directions(face, mirrored(rest, 3, 0), mirrored(rest, 3, 1))
    steps = _TURN_ORDER[(base // 12 + base % 12) % 6]
    turns = (steps + mirrored(rest, 3, 2)) * (math.pi / 3.0)
    return hopf_quaternions(directions, turns)


def _quaternions(rotations: Array) -> Array:
    """Return (n, 4) w x y z of matrices, by the largest of four (Shepperd, 1978)."""
    r = rotations
    trace = np.trace(r, axis1=1, axis2=2)
    squares = np.stack((trace, r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]), axis=1)
    # 4 q q^T
    products = np.empty((len(r), 4, 4))
    products[:, 0, 0] = 1.0 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        products[:, i + 1, i + 1] = 1.0 + 2.0 * r[:, i, i] - trace
        products[:, 0, i + 1] = products[:, i + 1, 0] = r[:, k, j] - r[:, j, k]
        products[:, i + 1, j + 1] = products[:, j + 1, i + 1] = r[:, j, i] + r[:, i, j]
    largest = np.argmax(squares, axis=1)
    rows = products[np.arange(len(r)), largest]
    return np.asarray(rows / np.linalg.norm(rows, axis=1)[:, None])
