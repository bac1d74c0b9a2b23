"""`SpaceSamplerExtra`: even samples of directions, rotations and places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["SpaceSamplerExtra"]

Array = NDArray[np.float64]
_FACE = 1.0233
"""Radians between neighbouring pixels of a sphere at level 0."""
_MOST = 5_000_000


class SpaceSamplerExtra(Guarded):
    """Even samples of directions, rotations and places; the same each time."""

    def __init__(self) -> None:
        pass

    @staticmethod
    def computeSepration(qarray: Any) -> Array:
        """Return (n,) distances of quaternions to their nearest other one."""
        quats = spatial.as_array(qarray, (None, 4), "qarray")
        nearest = np.empty(len(quats))
        for row, quat in enumerate(quats):
            cosines = np.abs(quats @ quat)
            cosines[row] = 0.0
            nearest[row] = np.arccos(min(1.0, float(cosines.max(initial=0.0))))
        return nearest

    @staticmethod
    def computeFaceIndices(N: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the columns and rows of the 4^N parts of a face of the sphere."""
        depth = int(N)
        if not 0 <= depth <= 10:
            raise ValueError(f"N is {N}, expected 0 to 10")
        numbers = np.arange(4**depth)
        columns, rows = np.zeros_like(numbers), np.zeros_like(numbers)
        for bit in range(depth):
            columns |= (numbers >> 2 * bit & 1) << bit
            rows |= (numbers >> 2 * bit + 1 & 1) << bit
        return columns, rows

    def sampleS2(self, level: int = 0, angledelta: float | None = None) -> Array:
        """Return directions (n, 2): angles from z, and about z."""
        from pyrave.geometry import healpix_directions

        if angledelta is not None:
            step = spatial.as_number(angledelta, "angledelta", 1e-3)
            level = max(0, round(float(np.log2(_FACE / step))))
        x, y, z = healpix_directions(int(level)).T
        return np.stack((np.arccos(np.clip(z, -1.0, 1.0)), np.arctan2(y, x)), axis=1)

    @staticmethod
    def hopf2quat(hopfarray: Any) -> Array:
        """Return quaternions (n, 4) of Hopf's coordinates (n, 3).

        Yershova et al., Generating uniform incremental grids on SO(3) (2010).
        """
        theta, phi, psi = spatial.as_array(hopfarray, (None, 3), "hopfarray").T
        return np.stack(
            (
                np.cos(0.5 * theta) * np.cos(0.5 * psi),
                np.cos(0.5 * theta) * np.sin(0.5 * psi),
                np.sin(0.5 * theta) * np.cos(phi + 0.5 * psi),
                np.sin(0.5 * theta) * np.sin(phi + 0.5 * psi),
            ),
            axis=1,
        )

    def sampleSO3(self, level: int = 0, quatdelta: float | None = None) -> Array:
        """Return rotations (n, 4), quaternions."""
        from pyrave.geometry import rotation_grid, rotation_level

        if quatdelta is not None:
            level = rotation_level(quatdelta)
        return np.array(rotation_grid(int(level)))

    def sampleR3lattice(self, averagedist: float, boxdims: Any) -> Array:
        """Return places (n, 3) in a box from 0, of the lattice of a cubic field.

        Its basis are the powers of the roots of x^3 - 3 x + 1 = 0, whose lattice has 9
        as the volume of a cell.
        """
        spacing, box = _box(averagedist, boxdims)
        roots = 2.0 * np.cos(2.0 * np.pi * np.array((1.0, 2.0, 4.0)) / 9.0)
        basis = np.stack([roots**power for power in range(3)], axis=1)
        basis *= spacing / np.cbrt(9.0)
        corners = (
            np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * box
        )
        numbers = np.linalg.solve(basis, corners.T)
        low = np.floor(numbers.min(axis=1)).astype(int)
        high = np.ceil(numbers.max(axis=1)).astype(int) + 1
        if float(np.prod((high - low).astype(float))) > _MOST:
            raise ValueError("the box has too many places; make averagedist larger")
        some = [np.arange(*ends) for ends in zip(low, high, strict=True)]
        grid = np.stack(np.meshgrid(*some, indexing="ij"), axis=-1).reshape(-1, 3)
        places = grid @ basis.T
        return np.asarray(places[((places >= 0.0) & (places <= box)).all(axis=1)])

    def sampleR3(self, averagedist: float, boxdims: Any) -> Array:
        """Return places (n, 3) in a box from 0, of Halton's sequence."""
        spacing, box = _box(averagedist, boxdims)
        count = max(1, int(np.prod(box) / spacing**3))
        numbers = np.arange(1, count + 1)
        columns = [_radical_inverse(numbers, base) for base in (2, 3, 5)]
        return np.stack(columns, axis=1) * box


def _box(averagedist: Any, boxdims: Any) -> tuple[float, Array]:
    spacing = spatial.as_number(averagedist, "averagedist")
    box = spatial.as_vector(boxdims, 3, "boxdims")
    if not (spacing > 0.0 and (box > 0.0).all()):
        raise ValueError(
            f"averagedist is {averagedist}, boxdims {boxdims}: not above 0"
        )
    if float(np.prod(box)) / spacing**3 > _MOST:
        raise ValueError("the box has too many places; make averagedist larger")
    return spacing, box


def _radical_inverse(numbers: NDArray[np.int64], base: int) -> Array:
    found, rest, digit = np.zeros(len(numbers)), numbers.copy(), 1.0 / base
    while rest.any():
        found += digit * (rest % base)
        rest //= base
        digit /= base
    return found
