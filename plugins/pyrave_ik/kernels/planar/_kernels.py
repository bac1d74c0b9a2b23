"""Three joints that move a tool in the plane normal to z, in closed form.

Positions are complex numbers x + iy. With the sum of all angles known there is one
equation ``e^(i phi) a + ... = c``, at most quadratic in cosine or sliding length.
"""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.loops._kernels import end, keep
from pyrave_ik.kernels.plan._kernels import TOLERANCE

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

ROUNDING = 1e-9


def place(screw: F64) -> complex:
    """Return where a turning axis pierces the plane."""
    return complex(screw[3], screw[4])


def quadratic(half: float, rest: float, out: F64) -> int:
    """Write the real roots of ``x^2 + 2 half x + rest``; return how many."""
    d = half * half - rest
    if d < -ROUNDING * max(1.0, half * half):
        return 0
    root = math.sqrt(max(0.0, d))
    out[0] = -half + root
    out[1] = -half - root
    return 2 if root > 0.0 else 1


def planar(screws: F64, target: F64, tolerance: float, out: F64) -> int:
    """Write all (k, 6) values of a planar loop; the virtual joints turn by nothing.

    Joints 0 to 2 turn about z or slide in the plane, joint 5 slides along z.
    """
    turning = np.empty(3, np.int64)
    sliding = np.empty(3, np.int64)
    n_t = 0
    n_s = 0
    for k in range(3):
        if screws[k, 6] != 0.0:
            sliding[n_s] = k
            n_s += 1
        else:
            turning[n_t] = k
            n_t += 1
    theta = math.atan2(target[1, 0], target[0, 0])
    whole = cmath.exp(1j * theta)
    t = complex(target[0, 3], target[1, 3])
    guesses = np.zeros((2, 6))
    roots = np.empty(2)
    n = 0
    if n_t == 0:
        return 0
    c = t - place(screws[turning[0]]) + whole * place(screws[turning[n_t - 1]])
    if n_t == 3:
        a = place(screws[1]) - place(screws[0])
        b = place(screws[2]) - place(screws[1])
        size = 2.0 * abs(a) * abs(c)
        if size == 0.0:
            return 0
        cosine = (abs(a) ** 2 + abs(c) ** 2 - abs(b) ** 2) / size
        if abs(cosine) > 1.0 + ROUNDING:
            return 0
        bend = math.acos(min(1.0, max(-1.0, cosine)))
        n = 2 if bend > 0.0 else 1
        for k in range(n):
            first = cmath.phase(c) - cmath.phase(a) + (bend if k == 0 else -bend)
            both = cmath.phase(c - cmath.exp(1j * first) * a) - cmath.phase(b)
            guesses[k, 0] = first
            guesses[k, 1] = both - first
            guesses[k, 2] = theta - both
    elif n_t == 2:
        a = place(screws[turning[1]]) - place(screws[turning[0]])
        s = sliding[0]
        d = complex(screws[s, 0], screws[s, 1])
        if abs(abs(d) - 1.0) > ROUNDING:
            return 0
        between = turning[0] < s < turning[1]
        u = whole * d if s > turning[1] else d
        if between:
            n = quadratic((a * d.conjugate()).real, abs(a) ** 2 - abs(c) ** 2, roots)
        else:
            n = quadratic(-(c * u.conjugate()).real, abs(c) ** 2 - abs(a) ** 2, roots)
        for k in range(n):
            x = roots[k]
            if between:
                first = cmath.phase(c) - cmath.phase(a + x * d)
            else:
                first = cmath.phase(c - x * u) - cmath.phase(a)
            guesses[k, s] = x
            guesses[k, turning[0]] = first
            guesses[k, turning[1]] = theta - first
    else:
        u = complex(screws[sliding[0], 0], screws[sliding[0], 1])
        v = complex(screws[sliding[1], 0], screws[sliding[1], 1])
        if sliding[0] > turning[0]:
            u *= whole
        if sliding[1] > turning[0]:
            v *= whole
        size = (u.conjugate() * v).imag
        if abs(size) < ROUNDING:
            return 0
        guesses[0, sliding[0]] = (c.conjugate() * v).imag / size
        guesses[0, sliding[1]] = (u.conjugate() * c).imag / size
        guesses[0, turning[0]] = theta
        n = 1
    reached = np.empty((3, 4))
    count = 0
    for k in range(n):
        for i in range(n_t):
            if screws[turning[i], 2] < 0.0:
                guesses[k, turning[i]] = -guesses[k, turning[i]]
        guesses[k, 5] = 0.0
        end(screws, guesses[k], reached)
        guesses[k, 5] = (target[2, 3] - reached[2, 3]) * screws[5, 2]
        end(screws, guesses[k], reached)
        off = 0.0
        for i in range(3):
            for j in range(4):
                off = max(off, abs(reached[i, j] - target[i, j]))
        if off <= tolerance:
            count = keep(screws, guesses[k], out, count)
    return count


def prepare(_plan: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(plan: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k."""
    n = planar(screws, goal, plan[TOLERANCE], out)
    for r in range(n):
        out[r, 6] = 0.0
    return n
