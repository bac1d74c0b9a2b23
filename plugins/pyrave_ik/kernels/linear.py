"""Small dense linear algebra: products, null spaces, systems, eigenvalues."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

JIT_NO_ARRAYS = ("cross", "dot", "factored", "substituted")
SINGULAR = 1e-9
"""Greatest entry below which a column has no pivot."""


def dot(a: F64, b: F64) -> float:
    """Return a . b of three components."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cross(a: F64, b: F64, out: F64) -> None:
    """Write a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


def null_rows(a: F64, out: F64) -> float:
    """Write the left null space of (14, 8) as six orthonormal rows.

    Returns the least pivot over the first, 0 where the rank is less than eight.
    Householder's QR with column exchange; `a` is overwritten.
    """
    n, m = a.shape
    v = np.zeros((m, n))
    beta = np.zeros(m)
    rank = m
    first = 0.0
    least = 0.0
    for k in range(m):
        pivot = k
        best = -1.0
        for j in range(k, m):
            total = 0.0
            for i in range(k, n):
                total += a[i, j] * a[i, j]
            if total > best:
                best = total
                pivot = j
        if pivot != k:
            for i in range(n):
                t = a[i, k]
                a[i, k] = a[i, pivot]
                a[i, pivot] = t
        norm = math.sqrt(best)
        if k == 0:
            first = norm
        if norm <= 1e-13 * first:
            rank = k
            break
        least = norm / first
        alpha = -norm if a[k, k] > 0.0 else norm
        for i in range(k, n):
            v[k, i] = a[i, k]
        v[k, k] -= alpha
        total = 0.0
        for i in range(k, n):
            total += v[k, i] * v[k, i]
        beta[k] = 2.0 / total
        for j in range(k, m):
            total = 0.0
            for i in range(k, n):
                total += v[k, i] * a[i, j]
            total *= beta[k]
            for i in range(k, n):
                a[i, j] -= total * v[k, i]
    for r in range(6):
        # more than six: six mixtures that are in no special position
        for i in range(n):
            out[r, i] = 0.0 if i < rank else math.cos(1.7 + 2.3 * r * i + i * i)
            if rank == n - 6:
                out[r, i] = 1.0 if i == n - 6 + r else 0.0
        for k in range(rank - 1, -1, -1):
            total = 0.0
            for i in range(k, n):
                total += v[k, i] * out[r, i]
            total *= beta[k]
            for i in range(k, n):
                out[r, i] -= total * v[k, i]
    return least if rank == m else 0.0


def solve_many(a: F64, b: F64) -> float:
    """Solve ``a x = b`` in place for (n, m) `b`; return the least pivot over the first.

    Elimination with row exchange; both are overwritten.
    """
    n = a.shape[0]
    m = b.shape[1]
    least = math.inf
    most = 0.0
    for c in range(n):
        pivot = c
        for r in range(c + 1, n):
            if abs(a[r, c]) > abs(a[pivot, c]):
                pivot = r
        size = abs(a[pivot, c])
        least = min(least, size)
        most = max(most, size)
        if size == 0.0:
            return 0.0
        if pivot != c:
            for j in range(n):
                t = a[c, j]
                a[c, j] = a[pivot, j]
                a[pivot, j] = t
            for j in range(m):
                t = b[c, j]
                b[c, j] = b[pivot, j]
                b[pivot, j] = t
        inv = 1.0 / a[c, c]
        for r in range(c + 1, n):
            f = a[r, c] * inv
            if f != 0.0:
                for j in range(c + 1, n):
                    a[r, j] -= f * a[c, j]
                for j in range(m):
                    b[r, j] -= f * b[c, j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            f = a[i, k]
            for j in range(m):
                b[i, j] -= f * b[k, j]
        inv = 1.0 / a[i, i]
        for j in range(m):
            b[i, j] *= inv
    return least / most


def null_vector(m: F64, out: F64) -> float:
    """Write a unit vector with ``m v`` least, two steps of inverse iteration."""
    n = m.shape[0]
    a = m.copy()
    size = 0.0
    for i in range(n):
        for j in range(n):
            size = max(size, abs(a[i, j]))
    tiny = 1e-17 * size + 1e-300
    order = np.empty(n, np.int64)
    for c in range(n):
        pivot = c
        for r in range(c + 1, n):
            if abs(a[r, c]) > abs(a[pivot, c]):
                pivot = r
        order[c] = pivot
        if pivot != c:
            for j in range(n):
                t = a[c, j]
                a[c, j] = a[pivot, j]
                a[pivot, j] = t
        if abs(a[c, c]) < tiny:
            a[c, c] = tiny
        inv = 1.0 / a[c, c]
        for r in range(c + 1, n):
            f = a[r, c] * inv
            a[r, c] = f
            for j in range(c + 1, n):
                a[r, j] -= f * a[c, j]
    for i in range(n):
        out[i] = 1.0
    growth = 0.0
    for step in range(3):
        if step > 0:
            for i in range(n):
                j = order[i]
                t = out[i]
                out[i] = out[j]
                out[j] = t
                for k in range(i):
                    out[i] -= a[i, k] * out[k]
        for i in range(n - 1, -1, -1):
            total = out[i]
            for k in range(i + 1, n):
                total -= a[i, k] * out[k]
            out[i] = total / a[i, i]
        growth = 0.0
        for i in range(n):
            growth = max(growth, abs(out[i]))
        for i in range(n):
            out[i] /= growth
    return 1.0 / (growth * size) if growth > 0.0 else 1.0


def hessenberg(a: F64) -> None:
    """Reduce to Hessenberg form by eliminations (Golub & Van Loan, 7.4; elmhes)."""
    n = a.shape[0]
    for m in range(1, n - 1):
        x = 0.0
        i = m
        for j in range(m, n):
            if abs(a[j, m - 1]) > abs(x):
                x = a[j, m - 1]
                i = j
        if x == 0.0:
            continue
        if i != m:
            for j in range(m - 1, n):
                t = a[i, j]
                a[i, j] = a[m, j]
                a[m, j] = t
            for j in range(n):
                t = a[j, i]
                a[j, i] = a[j, m]
                a[j, m] = t
        for i2 in range(m + 1, n):
            y = a[i2, m - 1]
            if y != 0.0:
                y /= x
                a[i2, m - 1] = 0.0
                for j in range(m, n):
                    a[i2, j] -= y * a[m, j]
                for j in range(n):
                    a[j, m] += y * a[j, i2]


def eigenvalues(h: F64, re: F64, im: F64) -> bool:
    """Write all eigenvalues of a Hessenberg matrix, which is overwritten.

    Francis' implicit double shift (Golub & Van Loan, 7.5).
    """
    n = h.shape[0]
    norm = 0.0
    for i in range(n):
        for j in range(max(i - 1, 0), n):
            norm += abs(h[i, j])
    if not norm > 0.0 or not norm < math.inf:
        return False
    eps = 2.3e-16
    top = n - 1
    shift = 0.0
    rounds = 0
    while top >= 0:
        low = top
        while low > 0:
            s = abs(h[low - 1, low - 1]) + abs(h[low, low])
            if s == 0.0:
                s = norm
            if abs(h[low, low - 1]) <= eps * s:
                h[low, low - 1] = 0.0
                break
            low -= 1
        x = h[top, top]
        if low == top:
            re[top] = x + shift
            im[top] = 0.0
            top -= 1
            rounds = 0
            continue
        y = h[top - 1, top - 1]
        w = h[top, top - 1] * h[top - 1, top]
        if low == top - 1:
            p = 0.5 * (y - x)
            q = p * p + w
            z = math.sqrt(abs(q))
            x += shift
            if q >= 0.0:
                z = p + (z if p >= 0.0 else -z)
                re[top - 1] = x + z
                re[top] = x - w / z if z != 0.0 else x + z
                im[top - 1] = 0.0
                im[top] = 0.0
            else:
                re[top - 1] = x + p
                re[top] = x + p
                im[top - 1] = z
                im[top] = -z
            top -= 2
            rounds = 0
            continue
        if rounds >= 60:
            return False
        if rounds % 10 == 9:
            shift += x
            for i in range(top + 1):
                h[i, i] -= x
            s = abs(h[top, top - 1]) + abs(h[top - 1, top - 2])
            x = 0.75 * s
            y = x
            w = -0.4375 * s * s
        rounds += 1
        m = top - 2
        p, q, r = 0.0, 0.0, 0.0
        while m >= low:
            z = h[m, m]
            r = x - z
            s = y - z
            p = (r * s - w) / h[m + 1, m] + h[m, m + 1]
            q = h[m + 1, m + 1] - z - r - s
            r = h[m + 2, m + 1]
            s = abs(p) + abs(q) + abs(r)
            p /= s
            q /= s
            r /= s
            if m == low:
                break
            u = abs(h[m, m - 1]) * (abs(q) + abs(r))
            v = abs(p) * (abs(h[m - 1, m - 1]) + abs(z) + abs(h[m + 1, m + 1]))
            if u <= eps * v:
                break
            m -= 1
        for i in range(m + 2, top + 1):
            h[i, i - 2] = 0.0
            if i > m + 2:
                h[i, i - 3] = 0.0
        for k in range(m, top):
            if k != m:
                p = h[k, k - 1]
                q = h[k + 1, k - 1]
                r = h[k + 2, k - 1] if k != top - 1 else 0.0
                x = abs(p) + abs(q) + abs(r)
                if x != 0.0:
                    p /= x
                    q /= x
                    r /= x
            s = math.sqrt(p * p + q * q + r * r)
            if p < 0.0:
                s = -s
            if s == 0.0:
                continue
            if k == m:
                if low != m:
                    h[k, k - 1] = -h[k, k - 1]
            else:
                h[k, k - 1] = -s * x
            p += s
            x = p / s
            y = q / s
            z = r / s
            q /= p
            r /= p
            if k != top - 1:
                for j in range(k, top + 1):
                    p = h[k, j] + q * h[k + 1, j] + r * h[k + 2, j]
                    h[k + 2, j] -= p * z
                    h[k + 1, j] -= p * y
                    h[k, j] -= p * x
                for i in range(low, min(top, k + 3) + 1):
                    p = x * h[i, k] + y * h[i, k + 1] + z * h[i, k + 2]
                    h[i, k + 2] -= p * r
                    h[i, k + 1] -= p * q
                    h[i, k] -= p
            else:
                for j in range(k, top + 1):
                    p = h[k, j] + q * h[k + 1, j]
                    h[k + 1, j] -= p * y
                    h[k, j] -= p * x
                for i in range(low, min(top, k + 3) + 1):
                    p = x * h[i, k] + y * h[i, k + 1]
                    h[i, k + 1] -= p * q
                    h[i, k] -= p
    return True


def factored(a: F64, exchanged: I64) -> bool:
    """Write the factors L and U of a square matrix over it; False if it is singular.

    Rows are exchanged (Golub and Van Loan, Matrix Computations, algorithm 3.4.1): row k
    with row ``exchanged[k]``.
    """
    n = a.shape[0]
    for c in range(n):
        pivot = c
        for r in range(c + 1, n):
            if abs(a[r, c]) > abs(a[pivot, c]):
                pivot = r
        exchanged[c] = pivot
        if abs(a[pivot, c]) < SINGULAR:
            return False
        if pivot != c:
            for j in range(n):
                t = a[c, j]
                a[c, j] = a[pivot, j]
                a[pivot, j] = t
        for r in range(c + 1, n):
            a[r, c] /= a[c, c]
            for j in range(c + 1, n):
                a[r, j] -= a[r, c] * a[c, j]
    return True


def substituted(factors: F64, exchanged: I64, b: F64) -> None:
    """Write the solution over a right-hand side, from what `factored` wrote."""
    n = b.shape[0]
    for i in range(n):
        t = b[i]
        b[i] = b[exchanged[i]]
        b[exchanged[i]] = t
    for i in range(n):
        for j in range(i):
            b[i] -= factors[i, j] * b[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= factors[i, j] * b[j]
        b[i] /= factors[i, i]
