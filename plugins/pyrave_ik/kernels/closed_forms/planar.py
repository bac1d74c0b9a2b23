"""Three joints that move a tool in the plane normal to z, in closed form.

Positions are complex numbers x + iy. With the sum of all angles known there is one
equation ``e^(i phi) a + ... = c``, at most quadratic in cosine or sliding length.
"""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.packed_arm import TOLERANCE
from pyrave_ik.kernels.six_joint_loop import end, keep

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

ROUNDING = 1e-9


def place(screw: F64) -> complex:
    """Return the point in which a turning axis pierces the plane."""
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


def three_turns(
    screws: F64, c: complex, theta: float, tolerance: float, out: F64
) -> int:
    """Write values of three turning joints whose first and last axis are `c` apart.

    Two links reach `c`. Equal ones that fold turn about the first axis: column 6 has
    the bits of the joints that move then.
    """
    a = place(screws[1]) - place(screws[0])
    b = place(screws[2]) - place(screws[1])
    far = abs(c)
    if far > abs(a) + abs(b) + tolerance or far < abs(abs(a) - abs(b)) - tolerance:
        return 0
    n = 2
    bend = 0.5 * math.pi
    out[0, 6] = 0.0
    out[1, 6] = 0.0
    if far <= tolerance:
        n = 1
        out[0, 6] = 0b101
    elif abs(a) > 0.0:
        cosine = (abs(a) ** 2 + far**2 - abs(b) ** 2) / (2.0 * abs(a) * far)
        bend = math.acos(min(1.0, max(-1.0, cosine)))
    for k in range(n):
        first = cmath.phase(c) - cmath.phase(a) + (bend if k == 0 else -bend)
        both = cmath.phase(c - cmath.exp(1j * first) * a) - cmath.phase(b)
        out[k, 0] = first
        out[k, 1] = both - first
        out[k, 2] = theta - both
    return n


def two_turns(
    screws: F64, joints: tuple[int, int, int], c: complex, theta: float, out: F64
) -> int:
    """Write values of two turning joints and a sliding one; `joints` names it last."""
    one, other, s = joints
    a = place(screws[other]) - place(screws[one])
    d = complex(screws[s, 0], screws[s, 1])
    if abs(abs(d) - 1.0) > ROUNDING:
        return 0
    between = one < s < other
    u = cmath.exp(1j * theta) * d if s > other else d
    roots = np.empty(2)
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
        out[k, s] = x
        out[k, one] = first
        out[k, other] = theta - first
        out[k, 6] = 0.0
    return n


def one_turn(
    screws: F64, joints: tuple[int, int, int], c: complex, theta: float, out: F64
) -> int:
    """Write values of one turning joint, named first, and two that slide.

    Parallel sliders shift each other's values: column 6 has their bits.
    """
    turn, one, other = joints
    u = complex(screws[one, 0], screws[one, 1])
    v = complex(screws[other, 0], screws[other, 1])
    whole = cmath.exp(1j * theta)
    if one > turn:
        u *= whole
    if other > turn:
        v *= whole
    size = (u.conjugate() * v).imag
    out[0, turn] = theta
    if abs(size) < ROUNDING:
        out[0, one] = (u.conjugate() * c).real
        out[0, other] = 0.0
        out[0, 6] = 1 << one | 1 << other
    else:
        out[0, one] = (c.conjugate() * v).imag / size
        out[0, other] = (u.conjugate() * c).imag / size
        out[0, 6] = 0.0
    return 1


def planar(screws: F64, target: F64, tolerance: float, out: F64) -> int:
    """Write all (k, 7) values of a planar loop; the virtual joints turn by nothing.

    Joints 0 to 2 turn about z or slide in the plane, joint 5 slides along z. Column 6
    has the bits of joints that move on a continuum.
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
    if n_t == 0:
        return 0
    theta = math.atan2(target[1, 0], target[0, 0])
    t = complex(target[0, 3], target[1, 3])
    last = cmath.exp(1j * theta) * place(screws[turning[n_t - 1]])
    c = t - place(screws[turning[0]]) + last
    guesses = np.zeros((2, 7))
    if n_t == 3:
        n = three_turns(screws, c, theta, tolerance, guesses)
    elif n_t == 2:
        n = two_turns(screws, (turning[0], turning[1], sliding[0]), c, theta, guesses)
    else:
        n = one_turn(screws, (turning[0], sliding[0], sliding[1]), c, theta, guesses)
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
            before = count
            count = keep(screws, guesses[k], out, count)
            if count > before:
                out[before, 6] = guesses[k, 6]
    return count


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k."""
    return planar(screws, goal, packed[TOLERANCE], out)
