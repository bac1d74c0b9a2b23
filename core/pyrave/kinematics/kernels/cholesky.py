"""Kernels that solve symmetric positive systems by Cholesky's decomposition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def factorise(matrix: F64, least: float) -> bool:
    """Overwrite the lower triangle of a matrix (n, n) by its factor L: L L' = A.

    Row by row (Golub and Van Loan, Matrix Computations, section 4.2).

    Returns
    -------
    bool
        False if a pivot is not above `least` times the diagonal element: there is no
        factor then, or none of any use.
    """
    n = matrix.shape[0]
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= matrix[i, k] * matrix[j, k]
            if i != j:
                matrix[i, j] = rest / matrix[j, j]
            elif rest > least * matrix[i, i]:
                matrix[i, i] = math.sqrt(rest)
            else:
                return False
    return True


def solve(factor: F64, right: F64) -> None:
    """Overwrite a vector (n,) by the solution of the equations of a factor."""
    n = factor.shape[0]
    # L y = b, then L' x = y
    for i in range(n):
        rest = right[i]
        for k in range(i):
            rest -= factor[i, k] * right[k]
        right[i] = rest / factor[i, i]
    for i in range(n - 1, -1, -1):
        rest = right[i]
        for k in range(i + 1, n):
            rest -= factor[k, i] * right[k]
        right[i] = rest / factor[i, i]
