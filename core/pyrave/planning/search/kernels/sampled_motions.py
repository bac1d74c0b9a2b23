"""Motions given by samples that follow each other closely: the first that collides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.jit.bundles import f64_2, i32_2, i64_1
from pyrave.planning.search.kernels.joint_space import (
    ACTIVE,
    CHECK,
    CONFIGURATIONS,
    COUNT,
    FAR,
    FUNCTION,
    PAIRS,
    PARTS,
    RATES,
    copy_pairs,
    move,
    place,
    sifted,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

JIT_ENTRIES = {"first_hit": ("collisions of trajectories", 4)}


def first_hit(space: I64, rows: F64) -> int:
    """Return the first of configurations (n, d) that collides, -1 if none does.

    Those between two of them are looked at together, as the straight motion between
    the two and how far they are off it; if pairs of solids may touch there, each half
    of them, down to single ones.
    """
    check, room = i64_1(space, CHECK), f64_2(space, CONFIGURATIONS)
    if check[FUNCTION] == 0:
        return -1
    parts, pairs = f64_2(space, PARTS), i32_2(space, PAIRS)
    rates, active = f64_2(space, RATES), i64_1(space, ACTIVE)
    left, at, step = pairs[parts.shape[0] - 1], room[0], room[1]
    parts[0, 0], parts[0, 1] = 0.0, rows.shape[0] - 1.0
    pairs[0, 0] = -1
    count, found = 1, -1
    while count > 0 and found < 0:
        count -= 1
        first, last = int(parts[count, 0]), int(parts[count, 1])
        copy_pairs(pairs[count], left)
        for j in range(at.shape[0]):
            at[j] = 0.5 * (rows[first, j] + rows[last, j])
            step[j] = 0.5 * (rows[last, j] - rows[first, j])
            rates[1, active[j]] = 0.0
        place(space, at)
        reach = move(space, at, step)
        if reach <= FAR and last > first + 1:
            _write_off(rows, first, last, at, step, rates[1], active)
            reach = move(space, at, step)
        if reach > FAR:
            left[0] = -1
        else:
            check[COUNT] += 1
            touches = sifted(space, left)
            if first == last:
                found = first if touches else -1
                continue
            if touches:
                left[0] = -1
            elif left[0] == 0:
                continue
        middle = (first + last) // 2
        for begin, end in ((middle + 1, last), (first, middle)):
            parts[count, 0], parts[count, 1] = begin, end
            copy_pairs(left, pairs[count])
            count += 1
    for j in range(at.shape[0]):
        rates[1, active[j]] = 0.0
    return found


def _write_off(
    rows: F64, first: int, last: int, at: F64, step: F64, off: F64, active: I64
) -> None:
    """Write how far samples are off the straight motion between two of them."""
    longest = 0
    for j in range(1, at.shape[0]):
        if abs(step[j]) > abs(step[longest]):
            longest = j
    for k in range(first + 1, last):
        part = 0.0
        if step[longest] != 0.0:
            part = (rows[k, longest] - at[longest]) / step[longest]
            part = min(max(part, -1.0), 1.0)
        for j in range(at.shape[0]):
            away = abs(rows[k, j] - at[j] - part * step[j])
            off[active[j]] = max(off[active[j]], away)
