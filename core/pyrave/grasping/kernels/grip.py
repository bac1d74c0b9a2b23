"""A hand that comes along a line until it touches, and closes its fingers.

The hand is a `pyrave.planning.search.kernels.joint_space` of its fingers, whose base
moves, too. Motions are divided in halves until no two solids come near each other in a
part, or the part is as short as the tolerance: nothing is jumped over.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit.addresses import returns_bool
from pyrave.jit.bundles import f64_2, f64_3, i64_2
from pyrave.planning.search.kernels.joint_space import (
    BASE,
    CARRIED,
    FAR,
    LINK_MOTIONS,
    LINK_POSES,
    SELECTION,
    WORLD,
    move,
    place,
    sifted,
    touches,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, I32, I32_1, I32_2, I64, I64_2

JIT_ENTRIES = ("grip",)

GRIPPED, COLLIDES = 0, 1
"""Ends: fingers are closed; the hand collides where it starts."""
BACK, STANDOFF, TOLERANCE, LOOSE, MARGIN = 0, 1, 2, 3, 4
"""Places of settings, metres: how far before its goal the hand starts, how far it goes
back from where it touched, how near is a touch, how far fingers open again for their
contacts to be seen, and how near these are then."""
_TILT, _AWAY = 1e-3, 5e-5
"""Radians by which a hand is tilted, and metres by which it is moved away then, to see
how far a contact spreads."""
_APART = 1e-3
"""Metres between the corners of a patch at least."""
_PAIRS = 64
_PARTS = 128


def reach_of(
    space: I64, at: F64, step: F64, origin: F64, way: F64, middle: float, half: float
) -> float:
    """Place the hand in the middle of a part, and write the motions to its ends.

    Returns how far any point moves.
    """
    base = f64_2(space, BASE)
    for r in range(3):
        base[r, 3] = origin[r] + middle * way[r]
    place(space, at)
    reach = move(space, at, step)
    far = half * math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
    if far > 0.0:
        motions = f64_2(space, LINK_MOTIONS)
        for n in range(motions.shape[0]):
            for r in range(3):
                motions[n, r] += half * way[r]
    return reach + far


def first_touch(
    space: I64, start: F64, rates: F64, origin: F64, way: F64, length: float,
    tolerance: float, left: I32,
) -> float:  # fmt: skip
    """Return how far a motion is free, and leave the pairs that touch then.

    Parameters
    ----------
    start, rates
        (k,) values of the fingers, and their change per unit of the way.
    origin, way
        (3,) place of the base, and its change.
    length
        Units of the way.
    left
        (1 + 2 m,) written: how many pairs touch, 0 if the motion is free, -1 for more
        than m; and their rows.
    """
    k = start.shape[0]
    at, step = np.empty(k), np.empty(k)
    parts = np.empty((_PARTS, 2))
    pairs = np.empty((_PARTS, left.shape[0]), np.int32)
    parts[0, 0], parts[0, 1], pairs[0, 0] = 0.0, length, -1
    count = 1
    while count > 0:
        count -= 1
        begin, end = parts[count, 0], parts[count, 1]
        middle, half = 0.5 * (begin + end), 0.5 * (end - begin)
        for j in range(k):
            at[j] = start[j] + middle * rates[j]
            step[j] = half * rates[j]
        reach = reach_of(space, at, step, origin, way, middle, half)
        for i in range(1 + 2 * max(pairs[count, 0], 0)):
            left[i] = pairs[count, i]
        if reach > FAR:
            hit = touches(space)
        else:
            hit = sifted(space, left)
            if not hit and left[0] == 0:
                continue
        is_short = reach <= 0.5 * tolerance or half <= 1e-15 * length
        if is_short and not hit:
            return float(begin)
        if hit:
            # what is behind does not matter any more
            count = 0
            if is_short:
                for j in range(k):
                    at[j] = start[j] + begin * rates[j]
                    step[j] = 2.0 * step[j]
                reach_of(space, at, step, origin, way, begin, 2.0 * half)
                left[0] = -1
                if sifted(space, left):
                    left[0] = -1
                return float(begin)
            parts[0, 0], parts[0, 1], pairs[0, 0] = begin, middle, -1
            count = 1
            continue
        for side in range(2):
            parts[count, 0] = middle if side == 0 else begin
            parts[count, 1] = end if side == 0 else middle
            for i in range(1 + 2 * max(left[0], 0)):
                pairs[count, i] = left[i]
            if reach > FAR:
                pairs[count, 0] = -1
            count += 1
    left[0] = 0
    return length


def grip(
    space: I64_2, pose: F64_2, way: F64_1, settings: F64_1, fingers: F64_2,
    affects: I32_2, row_links: I32_1, final: F64_1, stops: I32_1, near_points: int,
    found: F64_2,
) -> int:  # fmt: skip
    """Move a hand to a body, close its fingers, and find what touches.

    Parameters
    ----------
    space
        Of the fingers.
    pose
        (4, 4) T_world_base of the goal; written: where the hand ends.
    way
        (3,) unit direction in which it comes.
    settings
        See `BACK`.
    fingers
        (4, k) values at first, rates, and lower and upper limits.
    affects
        (k, n_links) 1 for links that a finger's joint moves.
    row_links
        (G,) link of the hand of each solid, -1 for others.
    final, stops
        (k,) and (k,) written: values at last, and 1 for joints that touch stopped.
    near_points, found
        Address of `pyrave.interfaces.CompiledCollisions.near_points`, and its rows.

    Returns
    -------
    How it ended.
    """
    base, k = f64_2(space, BASE), final.shape[0]
    left = np.empty(1 + 2 * _PAIRS, np.int32)
    origin, still, rates = np.empty(3), np.zeros(3), np.zeros(k)
    tolerance = settings[TOLERANCE]
    base[:] = pose
    found[0, 0] = -1.0
    for r in range(3):
        origin[r] = pose[r, 3] - settings[BACK] * way[r]
        base[r, 3] = origin[r]
    for j in range(k):
        final[j] = fingers[0, j]
        stops[j] = 0
    place(space, final)
    if touches(space):
        return COLLIDES
    if settings[BACK] > 0.0:
        free = first_touch(
            space, final, rates, origin, way, settings[BACK], tolerance, left
        )
        # from where it touched; or from the goal, if nothing did
        free = max(free - settings[STANDOFF], 0.0)
        for r in range(3):
            origin[r] += free * way[r]
            base[r, 3] = origin[r]
    pose[:] = base
    while True:
        length = math.inf
        for j in range(k):
            rates[j] = 0.0
            if stops[j] == 0 and fingers[1, j] != 0.0:
                limit = fingers[3, j] if fingers[1, j] > 0.0 else fingers[2, j]
                room = (limit - final[j]) / fingers[1, j]
                if room > 1e-12:
                    rates[j] = fingers[1, j]
                    length = min(length, room)
        if math.isinf(length):
            break
        free = first_touch(space, final, rates, origin, still, length, tolerance, left)
        for j in range(k):
            final[j] += free * rates[j]
            if rates[j] != 0.0:
                final[j] = min(max(final[j], fingers[2, j]), fingers[3, j])
        if left[0] == 0:
            continue
        stopped = False
        for p in range(max(left[0], 0)):
            for side in range(2):
                link = row_links[left[1 + 2 * p + side]]
                for j in range(k):
                    if link >= 0 and rates[j] != 0.0 and affects[j, link] != 0:
                        stops[j] = 1
                        stopped = True
        if not stopped:
            for j in range(k):
                if rates[j] != 0.0:
                    stops[j] = 1
    show(space, final, fingers, stops, settings, row_links, near_points, found)
    return GRIPPED


def show(
    space: I64, final: F64, fingers: F64, stops: I32, settings: F64, row_links: I32,
    near_points: int, found: F64,
) -> None:  # fmt: skip
    """Write what is near the fingers, a little open, so that normals are exact."""
    k = final.shape[0]
    at, step = final.copy(), np.zeros(k)
    for j in range(k):
        if stops[j] != 0:
            step[j] = fingers[1, j]
    place(space, at)
    reach = move(space, at, step)
    if reach > 0.0:
        for j in range(k):
            at[j] -= settings[LOOSE] / reach * step[j]
        place(space, at)
    returns_bool(
        near_points, i64_2(space, WORLD), i64_2(space, SELECTION),
        i64_2(space, CARRIED), f64_3(space, LINK_POSES), settings[MARGIN], found,
    )  # fmt: skip
    count = 0
    while count < found.shape[0] and found[count, 0] >= 0.0:
        count += 1
    more, end = np.empty((found.shape[0], 12)), count
    for i in range(count):
        first, second = row_links[int(found[i, 0])], row_links[int(found[i, 1])]
        if (first >= 0) != (second >= 0):
            end = spread(space, settings, near_points, found, i, first >= 0, end, more)
    if end < found.shape[0]:
        found[end, 0] = -1.0


def spread(
    space: I64, settings: F64, near_points: int, found: F64, i: int, is_first: bool,
    end: int, more: F64,
) -> int:  # fmt: skip
    """Add the corners of the patch in which a pair touches; return how many rows.

    The hand is tilted a little about the first point, four ways, and a bit away: what
    is nearest then is a corner, if surfaces fit each other, or else the same point.
    """
    poses = f64_3(space, LINK_POSES)
    kept = poses.copy()
    at = found[i, 3:6] if is_first else found[i, 6:9]
    out = found[i, 9:12].copy()
    if not is_first:
        out *= -1.0
    one, other = np.zeros(3), np.empty(3)
    least = 0
    for r in range(1, 3):
        if abs(out[r]) < abs(out[least]):
            least = r
    one[least] = 1.0
    along = out[least]
    for r in range(3):
        one[r] -= along * out[r]
    one /= math.sqrt((one * one).sum())
    for r in range(3):
        s, t = (r + 1) % 3, (r + 2) % 3
        other[r] = out[s] * one[t] - out[t] * one[s]
    turn, from_point, back = np.empty((3, 3)), np.empty(3), np.empty(3)
    for way in range(4):
        p = _TILT * (1.0 if way % 2 == 0 else -1.0)
        q = _TILT * (1.0 if way < 2 else -1.0)
        rotation(p * one[0] + q * other[0], p * one[1] + q * other[1],
                 p * one[2] + q * other[2], turn)  # fmt: skip
        for n in range(poses.shape[0]):
            for c in range(4):
                for r in range(3):
                    total = 0.0
                    for s in range(3):
                        part = kept[n, s, c] - (at[s] if c == 3 else 0.0)
                        total += turn[r, s] * part
                    poses[n, r, c] = total
                if c == 3:
                    for r in range(3):
                        poses[n, r, c] += at[r] - _AWAY * out[r]
        returns_bool(
            near_points, i64_2(space, WORLD), i64_2(space, SELECTION),
            i64_2(space, CARRIED), poses, settings[MARGIN] + 3.0 * _AWAY, more,
        )  # fmt: skip
        k = 0
        while k < more.shape[0] and more[k, 0] >= 0.0 and end < found.shape[0]:
            same = more[k, 0] == found[i, 0] and more[k, 1] == found[i, 1]
            hand = 3 if is_first else 6
            gap = 0.0
            for r in range(3):
                from_point[r] = more[k, hand + r] - at[r] + _AWAY * out[r]
            for r in range(3):
                back[r] = at[r]
                for s in range(3):
                    back[r] += turn[s, r] * from_point[s]
            for r in range(3):
                gap += (more[k, 9 - hand + r] - back[r]) * out[r]
            if same and abs(gap) <= settings[MARGIN]:
                for j in range(end):  # not where one is already
                    if found[j, 0] == found[i, 0] and found[j, 1] == found[i, 1]:
                        size = 0.0
                        for r in range(3):
                            size += (found[j, hand + r] - back[r]) ** 2
                        same = same and size > _APART * _APART
                if same:
                    for c in range(12):
                        found[end, c] = found[i, c]
                    for r in range(3):
                        found[end, hand + r] = back[r]
                        found[end, 9 - hand + r] = more[k, 9 - hand + r]
                    end += 1
            k += 1
    poses[:] = kept
    return end


def rotation(x: float, y: float, z: float, turn: F64) -> None:
    """Write the (3, 3) rotation by a rotation vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / angle, y / angle, z / angle
    # cos + sin [w] + (1 - cos) w w' (Rodrigues)
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    turn[0, 0], turn[0, 1], turn[0, 2] = (
        c + x * x * v,
        x * y * v - z * s,
        x * z * v + y * s,
    )
    turn[1, 0], turn[1, 1], turn[1, 2] = (
        y * x * v + z * s,
        c + y * y * v,
        y * z * v - x * s,
    )
    turn[2, 0], turn[2, 1], turn[2, 2] = (
        z * x * v - y * s,
        z * y * v + x * s,
        c + z * z * v,
    )
