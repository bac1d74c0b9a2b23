"""The layout of a packed arm: all that kernels know of an arm, in one array.

`pyrave_ik.methods.packed_arm.pack` writes it. A kernel that closes the loop for
other values of held joints or for virtual joints of a goal does so in a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.six_joint_loop import carried, displacement, inverted, times

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

KIND = 0
FIRST = 1
BACKWARD = 2
TOLERANCE = 3
"""Greatest deviation of an entry of the displacement."""
THRESHOLD = 4
"""The same for goals that are not reached; 0: they have no solutions."""
TURNS = 5
SURE = 8
"""1 for kernels that say whether a loop without rows has no solution."""
N_AXES = 9
N_JOINTS = 10
N_FREE = 11
DH_FRAMES = 12
"""1 for the kernels of the common loops, which do without roots of polynomials."""
TILT = 13
"""Deviation of axes from the geometry of the decomposition: radians and parts of the
loop's size. 0: they have it exactly."""
MODE = 14
SHIFT = 15
SCREWS = 16
"""(6, 7) the loop."""
LEFT = 58
"""(3, 4): the loop in the frames of its axes is ``left goal right``."""
RIGHT = 70
SIGN = 82
ZERO = 88
LINKS = 94
"""(5, 4): length, offset along the axis, cosine and sine of the twist."""
HOME = 114
"""(3, 4) T_base_tool with every axis at zero."""
BACK = 126
"""(3, 4) its inverse."""
LOOP = 138
"""Address of the compiled kernel `one_loop.loop` of the arm's method, for kernels that
serve any method; a call of these sets it."""
ARM = 139
"""(n, 12): screw (7), factor and constant of ``value = f q + c``, joint, 1 if held, and
``1 / f``."""
AXIS = 12
LIMITS = 7
"""(d, 7) behind the axes: lower, upper, mode, reference, period of one turn; and the
range of values that are inside the limits and have no others a turn apart."""

WITHIN = 0
"""Turns inside of the limits: one or all, see `turns_at`."""
ONE_TURN = 1
"""The one nearest to the reference; there are no limits."""
AS_IT_IS = 2
"""The value that was given."""

FRONT = 1
POSITIVE = 2
WHOLE = 3
"""Sides of virtual joints: a positive cosine, more than zero, a whole turn or
none."""

JIT_NO_ARRAYS = ("bounds_at", "turns_at", "is_fixed", "target", "relative", "rigid")


def bounds_at(packed: F64) -> int:
    """Return the offset of the joints' limits."""
    return ARM + AXIS * int(packed[N_AXES])


def turns_at(packed: F64) -> int:
    """Return the offset of the joints' listed turns in a packed arm.

    1: all that are inside of the limits. 0: the one nearest to joint values, which are
    the (d,) numbers that follow where a call gives none.
    """
    return bounds_at(packed) + LIMITS * int(packed[N_JOINTS])


def reference(packed: F64, near: F64) -> F64:
    """Return joint values (d,) as given, or the packed arm's own if none are given."""
    if near.shape[0] > 0:
        return near
    first = turns_at(packed) + 1
    return packed[first : first + int(packed[N_JOINTS])]


def is_fixed(packed: F64, virtual: F64) -> bool:
    """Return True if the loop is the packed arm's own for all goals."""
    return bool(packed[N_FREE] == 0.0 and virtual.shape[0] == 0)


def target(packed: F64, goal: F64, out: F64) -> None:
    """Write the (3, 4) that the packed arm's own loop closes to, ``goal inv(home)``."""
    for i in range(3):
        for j in range(4):
            out[i, j] = (
                goal[i, 0] * packed[BACK + j]
                + goal[i, 1] * packed[BACK + 4 + j]
                + goal[i, 2] * packed[BACK + 8 + j]
            )
        out[i, 3] += goal[i, 3]


def close(packed: F64, held: F64, virtual: F64, goal: F64, out: F64) -> None:
    """Write the loop into the packed arm, and what it must close to (3, 4).

    Parameters
    ----------
    held
        (f,) values of the held axes.
    virtual
        (k, 8) virtual joints behind the tool, in its frame, and their sides.
    """
    screws = packed[SCREWS : SCREWS + 42].reshape(6, 7)
    chained(packed, held, -1, virtual, goal, screws, out)


def chained(
    packed: F64, held: F64, line: int, virtual: F64, goal: F64, screws: F64, out: F64
) -> None:
    """Write the screws of the axes that are not held, and what they must close to.

    Parameters
    ----------
    held, virtual
        As for `close`.
    line
        The number of a held axis that moves all the same; -1: none does.
    """
    home = packed[HOME : HOME + 12].reshape(3, 4)
    frames = np.zeros((3, 3, 4))
    before, step, now = frames[0], frames[1], frames[2]
    for i in range(3):
        before[i, i] = 1.0
    row = np.empty(7)
    kept = 0
    used = 0
    moved = False
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        axis = packed[at : at + 7]
        if moved:
            carried(before, axis, row)
        else:
            for j in range(7):
                row[j] = axis[j]
        holds = packed[at + 10] != 0.0
        if holds and used != line:
            displacement(row, held[used], step)
            times(step, before, now)
            for j in range(3):
                for k in range(4):
                    before[j, k] = now[j, k]
            moved = True
        else:
            for j in range(7):
                screws[kept, j] = row[j]
            kept += 1
        if holds:
            used += 1
    times(before, home, now)
    for j in range(virtual.shape[0]):
        carried(now, virtual[j], screws[kept + j])
    inverted(now, step)
    times(goal, step, out)


def relative(base: F64, pose: F64, out: F64) -> None:
    """Write (3, 4) T_base_tool of T_world_base and T_world_tool.

    Its rotation is made orthonormal: targets are taken as they come, say from texts.
    """
    for i in range(3):
        for j in range(4):
            total = 0.0
            for k in range(3):
                v = pose[k, j]
                if j == 3:
                    v -= base[k, 3]
                total += base[k, i] * v
            out[i, j] = total
    rigid(out)


def rigid(out: F64) -> None:
    """Make the rotation of a displacement exact if it is nearly one."""
    a = out[0, 0] * out[0, 0] + out[1, 0] * out[1, 0] + out[2, 0] * out[2, 0]
    b = out[0, 1] * out[0, 1] + out[1, 1] * out[1, 1] + out[2, 1] * out[2, 1]
    c = out[0, 2] * out[0, 2] + out[1, 2] * out[1, 2] + out[2, 2] * out[2, 2]
    d = out[0, 0] * out[0, 1] + out[1, 0] * out[1, 1] + out[2, 0] * out[2, 1]
    e = out[0, 1] * out[0, 2] + out[1, 1] * out[1, 2] + out[2, 1] * out[2, 2]
    f = out[0, 2] * out[0, 0] + out[1, 2] * out[1, 0] + out[2, 2] * out[2, 0]
    off = max(abs(a - 1.0), abs(b - 1.0), abs(c - 1.0), abs(d), abs(e), abs(f))
    if not off < 1e-14:
        straightened(out)


def straightened(out: F64) -> None:
    """Make the rotation of a displacement that is nearly one exact."""
    off = np.empty((3, 3))
    new = np.empty((3, 3))
    for _ in range(3):
        # Newton's iteration for the nearest rotation (Higham 1986)
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    total += out[k, i] * out[k, j]
                off[i, j] = (1.0 if i == j else 0.0) - total
        for i in range(3):
            for j in range(3):
                total = out[i, j]
                for k in range(3):
                    total += 0.5 * out[i, k] * off[k, j]
                new[i, j] = total
        for i in range(3):
            for j in range(3):
                out[i, j] = new[i, j]
