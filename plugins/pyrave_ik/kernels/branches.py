"""Branches: signs of the factors of the loop's Jacobian determinant.

A sign changes only where the loop is singular, so along a path that stays away from
singularities a solution keeps its branch. Where the determinant of a decomposition has
factors (shoulder, elbow, wrist) each gives a bit; otherwise there is one bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.linear import dot
from pyrave_ik.kernels.packed_arm import (
    BACKWARD,
    FIRST,
    KIND,
    N_JOINTS,
    SCREWS,
    close,
    is_fixed,
    relative,
    target,
)
from pyrave_ik.kernels.six_joint_loop import (
    arranged,
    carried,
    closest,
    displacement,
    times,
    twists,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2

WRIST = 0
PARALLEL = 1

TOUCH = 1e-9
"""Axes that are nearer than this meet."""
ALONG = 1e-12
"""Square of the sine below which directions are parallel."""


def sign(value: float) -> int:
    """Return 1 for what is positive, else 0."""
    return 1 if value > 0.0 else 0


def triple(a: F64, b: F64, c: F64) -> float:
    """Return the scalar triple product."""
    return float(
        a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def determinant(matrix: F64) -> float:
    """Return the determinant of a (6, 6) matrix, by elimination in a copy."""
    a = matrix.copy()
    n = a.shape[0]
    result = 1.0
    for c in range(n):
        pivot = c
        for r in range(c + 1, n):
            if abs(a[r, c]) > abs(a[pivot, c]):
                pivot = r
        if a[pivot, c] == 0.0:
            return 0.0
        if pivot != c:
            result = -result
            for j in range(n):
                t = a[c, j]
                a[c, j] = a[pivot, j]
                a[pivot, j] = t
        result *= a[c, c]
        for r in range(c + 1, n):
            f = a[r, c] / a[c, c]
            for j in range(c, n):
                a[r, j] -= f * a[c, j]
    return result


def moved_screws(screws: F64, x: F64, out: F64) -> None:
    """Write the screws where the joints before them have carried them."""
    now = np.zeros((3, 4))
    for i in range(3):
        now[i, i] = 1.0
    step = np.empty((3, 4))
    new = np.empty((3, 4))
    for k in range(6):
        carried(now, screws[k], out[k])
        displacement(screws[k], x[k], step)
        times(now, step, new)
        for i in range(3):
            for j in range(4):
                now[i, j] = new[i, j]


def velocity(screw: F64, at: F64, out: F64) -> None:
    """Write the velocity of a point that a joint moves."""
    if screw[6] != 0.0:
        for i in range(3):
            out[i] = screw[i]
        return
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        out[i] = screw[j] * (at[k] - screw[3 + k]) - screw[k] * (at[j] - screw[3 + j])


def are_parallel(a: F64, b: F64) -> bool:
    """Return True if two axes have the same or opposite directions."""
    d = dot(a, b)
    return bool(1.0 - d * d < ALONG)


def place_bits(s: F64, center: F64) -> int:
    """Return the bits of joints 0, 1, 2, which place the wrist's centre."""
    v = np.empty((3, 3))
    for i in range(3):
        velocity(s[i], center, v[i])
    o = np.empty(3)
    r = np.empty(3)
    if s[0, 6] == 0.0 and s[1, 6] == 0.0 and s[2, 6] == 0.0:
        for a, b, c in ((1, 2, 0), (0, 1, 2)):
            if are_parallel(s[a], s[b]):
                bits = sign(triple(s[a, :3], v[a], v[b]))
                return bits + 2 * sign(dot(s[a], v[c]))
        for a, b, c in ((1, 2, 0), (0, 1, 2)):
            if closest(s[a], s[b], o) < TOUCH:
                for i in range(3):
                    r[i] = center[i] - o[i]
                return sign(triple(r, s[a, :3], s[b, :3])) + 2 * sign(dot(r, v[c]))
    return sign(triple(v[0], v[1], v[2]))


def parallel_bits(s: F64) -> int:
    """Return the bits of a loop whose joints 1, 2, 3 are parallel."""
    h = s[1, :3]
    a = np.empty(3)
    b = np.empty(3)
    for i in range(3):
        a[i] = s[2, 3 + i] - s[1, 3 + i]
        b[i] = s[3, 3 + i] - s[2, 3 + i]
    bits = sign(triple(h, a, b))
    o = np.empty(3)
    if s[4, 6] == 0.0 and s[5, 6] == 0.0 and closest(s[5], s[4], o) < TOUCH:
        velocity(s[0], o, a)
        return bits + 2 * sign(triple(h, s[4, :3], s[5, :3])) + 4 * sign(dot(h, a))
    return bits


def branch(
    kind: int, first: int, backward: bool, screws: F64, goal: F64, x: F64
) -> int:
    """Return the number of the branch of a solution (6,)."""
    jacobian = np.empty((6, 6))
    reached = np.empty((3, 4))
    if kind not in (WRIST, PARALLEL):
        twists(screws, x, reached, jacobian)
        return sign(determinant(jacobian))
    mine = np.empty((6, 7))
    target = np.empty((3, 4))
    arranged(screws, goal, first, backward, mine, target)
    y = np.empty(6)
    for i in range(6):
        y[5 - i if backward else i] = x[(first + i) % 6]
    s = np.empty((6, 7))
    moved_screws(mine, y, s)
    if kind == WRIST:
        center = np.empty(3)
        closest(s[3], s[4], center)
        bits = sign(triple(s[3, :3], s[4, :3], s[5, :3]))
        return bits + 2 * place_bits(s, center)
    twists(mine, y, reached, jacobian)
    return parallel_bits(s) + 8 * sign(determinant(jacobian))


def branches(
    packed: F64_1,
    base: F64_2,
    pose: F64_2,
    virtual: F64_2,
    samples: F64_2,
    rows: F64_2,
    out: F64_1,
) -> int:
    """Write the number of the branch of each row (m, d + 9) that `solve` wrote."""
    goal = np.empty((3, 4))
    closing = np.empty((3, 4))
    relative(base, pose, goal)
    work = packed.copy()
    screws = work[SCREWS : SCREWS + 42].reshape(6, 7)
    fixed = is_fixed(packed, virtual)
    if fixed:
        target(packed, goal, closing)
    kind, first, backward = (
        int(packed[KIND]),
        int(packed[FIRST]),
        packed[BACKWARD] != 0.0,
    )
    d = int(packed[N_JOINTS])
    for r in range(rows.shape[0]):
        if not fixed:
            close(work, samples[int(rows[r, d + 1])], virtual, goal, closing)
        x = rows[r, d + 2 : d + 8]
        out[r] = branch(kind, first, backward, screws, closing, x)
    return int(rows.shape[0])
