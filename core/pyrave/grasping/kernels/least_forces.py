"""Least forces that make up a wrench: a simplex method that finds its own columns.

Minimize the sum of x for ``sum(x_k * point_k) == wrench`` and ``x >= 0``, over all
points of ellipses (`pyrave.grasping.kernels.rounds`). Of the columns only a basis is
kept; the best one to enter is the farthest in the direction of the prices, which is
known in closed form for round cones, too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.grasping.kernels.rounds import farthest, point_of

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3

JIT_ENTRIES = ("least_forces",)

_PRICE = 1e-10
_ZERO = 1e-13
"""Prices of directions in which nothing pushes."""
_PIVOT = 1e-9
_NEARLY = 1e-10
_TURNS = 600
_SHIFT = 1e-11
"""Shifts of the wrench, which keep ratios apart."""


def invert(matrix: F64, inverse: F64) -> bool:
    """Write the inverse of a square matrix, which is overwritten; False if it has none.

    Gauss and Jordan with partial pivoting.
    """
    d = matrix.shape[0]
    for i in range(d):
        for j in range(d):
            inverse[i, j] = 1.0 if i == j else 0.0
    for k in range(d):
        row = k
        for i in range(k + 1, d):
            if abs(matrix[i, k]) > abs(matrix[row, k]):
                row = i
        if row != k:
            for j in range(d):
                matrix[k, j], matrix[row, j] = matrix[row, j], matrix[k, j]
                inverse[k, j], inverse[row, j] = inverse[row, j], inverse[k, j]
        if matrix[k, k] == 0.0:
            return False
        scale = 1.0 / matrix[k, k]
        for j in range(d):
            matrix[k, j] *= scale
            inverse[k, j] *= scale
        for i in range(d):
            part = matrix[i, k]
            if i != k and part != 0.0:
                for j in range(d):
                    matrix[i, j] -= part * matrix[k, j]
                    inverse[i, j] -= part * inverse[k, j]
    return True


def least_forces(
    normals: F64_2, tangents: F64_3, wrench: F64_1, load: F64_1,
    choices: F64_2, sizes: F64_1, bounds: F64_1,
) -> int:  # fmt: skip
    """Find the least sum of sizes with which points of ellipses make up a wrench.

    Parameters
    ----------
    normals, tangents
        (n, d) and (n, 2, d), of full rank d.
    wrench
        (d,) of about unit length.
    load
        (d,) that the first bound is about.
    choices, sizes
        (d, 3) and (d,) written: points that are used, and how much of each; choices
        of -1 are none, and their sizes what is missing.
    bounds
        (2,) written: the least sum for the load is no less; that for the wrench is
        no more, infinite if none was found.

    Returns
    -------
    Number of steps.
    """
    d = normals.shape[1]
    basis, work, inverse = np.zeros((d, d)), np.empty((d, d)), np.empty((d, d))
    prices, into, shifted = np.empty(d), np.empty(d), np.empty(d)
    have, off = np.empty(d), np.empty(d)
    choice, point = np.empty(3), np.empty(d)
    for k in range(d):
        sign = 1.0 if wrench[k] >= 0.0 else -1.0
        basis[k, k] = sign
        choices[k, 0], choices[k, 1], choices[k, 2] = -1.0, 0.0, 0.0
        shifted[k] = wrench[k] + sign * _SHIFT * (1.0 + 0.618 * k)
    bounds[0], bounds[1] = 0.0, math.inf
    turn, missing = 0, d
    while True:
        work[:] = basis
        if not invert(work, inverse):
            return turn
        # first what is missing costs 1, and when nothing is, all else does
        for j in range(d):
            prices[j] = 0.0
        size = 0.0
        for k in range(d):
            if missing == 0 or choices[k, 0] < 0.0:
                for j in range(d):
                    prices[j] += inverse[k, j]
        value = 0.0
        for j in range(d):
            size = max(size, abs(prices[j]))
            value += prices[j] * load[j]
        reach = farthest(normals, tangents, prices, choice)
        if value > 0.0:
            bounds[0] = max(bounds[0], value / max(reach, _ZERO * size))
        turn += 1
        least = 1.0 + _PRICE * size if missing == 0 else _ZERO * size
        if reach <= least or turn == _TURNS:
            break
        point_of(normals, tangents, choice, point)
        # what leaves: of those that are used up first or nearly so, the largest pivot
        # (P. Harris, "Pivot selection methods of the Devex LP code", 1973)
        least = math.inf
        for k in range(d):
            into[k] = have[k] = 0.0
            for j in range(d):
                into[k] += inverse[k, j] * point[j]
                have[k] += inverse[k, j] * shifted[j]
            if into[k] > _PIVOT:
                least = min(least, (max(have[k], 0.0) + _NEARLY) / into[k])
        leaves, pivot = -1, 0.0
        for k in range(d):
            if into[k] > max(_PIVOT, pivot) and have[k] <= least * into[k]:
                leaves, pivot = k, into[k]
        if leaves < 0:
            break
        for j in range(d):
            basis[j, leaves] = point[j]
        if choices[leaves, 0] < 0.0:
            missing -= 1
        for j in range(3):
            choices[leaves, j] = choice[j]
    for k in range(d):
        sizes[k] = 0.0
    for _ in range(3):  # and what rounding left
        for j in range(d):
            off[j] = wrench[j]
            for k in range(d):
                off[j] -= basis[j, k] * sizes[k]
        for k in range(d):
            for j in range(d):
                sizes[k] += inverse[k, j] * off[j]
    total = 0.0
    for k in range(d):
        total += max(sizes[k], 0.0)
    if missing == 0:
        bounds[1] = total
    return turn
