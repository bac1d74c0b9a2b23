"""Motions given by samples that follow each other closely: the first that collides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.jit import give_way
from pyrave.jit.bundles import f64_1, f64_2, i32_2, i64_1
from pyrave.planning.search.kernels.joint_space import (
    ACTIVE,
    CHECK,
    CONFIGURATIONS,
    COUNT,
    FAR,
    FUNCTION,
    LEAST,
    PAIRS,
    PARTS,
    RATES,
    collides,
    copy_pairs,
    move,
    place,
    sifted,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_2, I64, I64_2

JIT_ENTRIES = ("first_hit",)
INTERPRETED = True
"""False where this is compiled."""


def first_hit(space: I64_2, rows: F64_2) -> int:
    """Return the first of configurations (n, d) at or behind which something collides.

    -1 if nothing does. Those between two of them are looked at together, as the
    straight motion between the two and how far they are off it; if pairs of solids may
    touch there, each half of them, down to neighbours. These are checked as they are,
    and the motion between them as that of a path: parts in which nothing moves further
    than `LEAST` are free if their middles are.
    """
    check, room = i64_1(space, CHECK), f64_2(space, CONFIGURATIONS)
    if check[FUNCTION] == 0:
        return -1
    parts, pairs = f64_2(space, PARTS), i32_2(space, PAIRS)
    rates, active = f64_2(space, RATES), i64_1(space, ACTIVE)
    least = f64_1(space, LEAST)[0]
    left, at, step = pairs[parts.shape[0] - 1], room[0], room[1]
    parts[0, 0], parts[0, 1] = 0.0, rows.shape[0] - 1.0
    pairs[0, 0] = -1
    count, found = 1, -1
    while count > 0 and found < 0:
        if INTERPRETED:
            give_way()
        count -= 1
        begin, end = parts[count, 0], parts[count, 1]
        copy_pairs(pairs[count], left)
        first = min(int(begin), max(rows.shape[0] - 2, 0))
        last = max(math.ceil(end), first)
        low, high = begin - first, end - first
        for j in range(at.shape[0]):
            if last > first + 1:
                at[j] = 0.5 * (rows[first, j] + rows[last, j])
                step[j] = 0.5 * (rows[last, j] - rows[first, j])
            else:
                way = rows[last, j] - rows[first, j]
                at[j] = rows[first, j] + 0.5 * (low + high) * way
                step[j] = 0.5 * (high - low) * way
            rates[1, active[j]] = 0.0
        place(space, at)
        reach = move(space, at, step)
        if reach <= FAR and last > first + 1:
            _write_off(rows, first, last, at, step, rates[1], active)
            reach = move(space, at, step)
        touching = False
        if reach > FAR:
            left[0] = -1
        else:
            check[COUNT] += 1
            touching = sifted(space, left)
            if touching:
                left[0] = -1
            elif left[0] == 0:
                continue
        if last > first + 1:
            middle = float((first + last) // 2)
        else:
            if high - low == 1.0 or last == first:
                for k in range(first, last + 1):
                    if found < 0 and collides(space, rows[k]):
                        found = k
            if found < 0 and touching:
                found = first
            if found >= 0 or reach <= least:
                continue
            middle = 0.5 * (begin + end)
        parts[count, 0], parts[count, 1] = middle, end
        parts[count + 1, 0], parts[count + 1, 1] = begin, middle
        copy_pairs(left, pairs[count])
        copy_pairs(left, pairs[count + 1])
        count += 2
    for j in range(at.shape[0]):
        rates[1, active[j]] = 0.0
    return found


def _write_off(
    rows: F64, first: int, last: int, at: F64, step: F64, off: F64, active: I64
) -> None:
    """Write the deviation of samples from the straight motion between two of them."""
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
