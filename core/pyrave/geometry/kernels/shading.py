"""The light that rays bring back, and images made of it.

Light is in float64 while it adds up along a ray and in float32 per ray afterwards. Rows
of arrays are rays; colours are red, green and blue, 1 is what an image shows as white.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F32_1,
        F32_2,
        F32_3,
        F64,
        F64_1,
        F64_2,
        F64_3,
        I32,
        I32_1,
        U8_1,
        U8_2,
        ReadOnlyF64_3,
    )

    Triple = tuple[float, float, float]

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
# where it is true, what is easily said of whole arrays is: few pictures are worth more
INTERPRETED = True
# light is split into bytes of this many parts, a power of two: no rounding surprises
GONE = 1.0 / 512.0
NO_SURFACE = -2


def aim(local: ReadOnlyF64_3, pose: F64_2, out: F64_3) -> None:
    """Turn directions (h, w, 3) by a pose's rotation into `out`; nan looks ahead."""
    if INTERPRETED:
        blind = np.isnan(local[..., 2])
        if blind.any():
            local = local.copy()
            local[blind] = 0.0, 0.0, 1.0
        for k in range(3):
            out[..., k] = (
                pose[k, 0] * local[..., 0]
                + pose[k, 1] * local[..., 1]
                + pose[k, 2] * local[..., 2]
            )
        return
    for i in range(local.shape[0]):
        for j in range(local.shape[1]):
            x, y, z = local[i, j, 0], local[i, j, 1], local[i, j, 2]
            if math.isnan(z):
                x, y, z = 0.0, 0.0, 1.0
            for k in range(3):
                out[i, j, k] = pose[k, 0] * x + pose[k, 1] * y + pose[k, 2] * z


def colour_row(
    instance: int, triangle: int, base: I32, face_begin: I32, face_rows: I32
) -> int:
    """Return the row of the colour table for a hit."""
    row: int = base[instance]
    begin = face_begin[instance]
    if begin >= 0 and triangle >= 0:
        row += face_rows[begin + triangle]
    return row


def sky(background: F64, z: float) -> Triple:
    """Return the light of a direction that meets nothing; z is its world's height.

    The rows of `background` are the colours at the horizon, overhead and below.
    """
    up = math.sqrt(z) if z > 0.0 else 0.0
    # numba would have to compile min and max
    down = 0.0 if z > 0.0 else (1.0 if z < -0.25 else -4.0 * z)
    r = background[0, 0] + up * (background[1, 0] - background[0, 0])
    g = background[0, 1] + up * (background[1, 1] - background[0, 1])
    b = background[0, 2] + up * (background[1, 2] - background[0, 2])
    return (
        r + down * (background[2, 0] - background[0, 0]),
        g + down * (background[2, 1] - background[0, 1]),
        b + down * (background[2, 2] - background[0, 2]),
    )


def shadow_rays(
    eye: F64_1, directions: F64_2, distance: F64_1, instance: I32_1, normal: F64_2,
    lamp: F64_1, lift: float, numbers: I32_1, origins: F64_2, towards: F64_2,
    reach: F64_1,
) -> int:  # fmt: skip
    """Collect rays from surfaces to a lamp, of those that face it; return how many.

    Parameters
    ----------
    lamp
        (7,) place or direction, 1 or 0 for which, colour.
    numbers, origins, towards, reach
        Output: the ray that each came from, where it starts, its direction, its end.
    """
    count = 0
    for i in range(distance.shape[0]):
        if instance[i] < 0:
            continue
        t = distance[i]
        px = eye[0] + t * directions[i, 0]
        py = eye[1] + t * directions[i, 1]
        pz = eye[2] + t * directions[i, 2]
        lx, ly, lz, length = towards_lamp(lamp, px, py, pz)
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        if nx * lx + ny * ly + nz * lz <= 0.0:
            continue
        off = lift * (1.0 + t)
        numbers[count] = i
        origins[count, 0] = px + off * nx
        origins[count, 1] = py + off * ny
        origins[count, 2] = pz + off * nz
        towards[count, 0] = lx
        towards[count, 1] = ly
        towards[count, 2] = lz
        reach[count] = length
        count += 1
    return count


def towards_lamp(
    lamp: F64, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """Return the unit direction from a point to a lamp, and how far it is."""
    if lamp[3] == 0.0:
        return lamp[0], lamp[1], lamp[2], np.inf
    dx, dy, dz = lamp[0] - x, lamp[1] - y, lamp[2] - z
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return dx / length, dy / length, dz / length, length


def shade(
    eye: F64_1, directions: F64_2, distance: F64_1, instance: I32_1, triangle: I32_1,
    normal: F64_2,
    table: F64_2, base: I32_1, face_begin: I32_1, face_rows: I32_1, groups: I32_1,
    terms: F64_1, lamps: F64_2, dark: U8_2, background: F64_2,
    through: F64_1, inside: I32_1, light: F32_2,
) -> int:  # fmt: skip
    """Add the light of what rays met; return how many go on behind it.

    Parameters
    ----------
    eye, directions
        (3,), (n, 3) unit, world.
    distance, instance, triangle, normal
        (n,), (n,), (n,), (n, 3): what was met, see `RayHits`.
    table, base, face_begin, face_rows
        (m, 4) colour and opacity; (k,) first row of an instance; (k,) where its faces
        begin in `face_rows`, or -1; rows of faces, counted from `base`.
    groups
        (k,) number of the geometry that an instance belongs to.
    terms
        (4,) strengths: everywhere, from the sky, its part from the ground, from the
        camera.
    lamps, dark
        (l, 7) place (direction if the fourth is 0) and colour; (l, n) 1 in shadow.
    background
        (3, 3), see `sky`.
    through, inside
        (n,) part of the light that still comes through, and the geometry in which the
        ray is, NO_SURFACE for none; both are brought up to date.
    light
        (n, 3) to add to.
    """
    going = 0
    for i in range(distance.shape[0]):
        weight = through[i]
        if weight == 0.0:
            continue
        k = instance[i]
        dx, dy, dz = directions[i, 0], directions[i, 1], directions[i, 2]
        if k < 0:
            r, g, b = sky(background, dz)
            light[i, 0] += weight * r
            light[i, 1] += weight * g
            light[i, 2] += weight * b
            through[i] = 0.0
            continue
        if inside[i] == groups[k]:
            # the way out of what was entered: its colour has counted
            inside[i] = NO_SURFACE
            going += 1
            continue
        row = colour_row(k, triangle[i], base, face_begin, face_rows)
        opacity = table[row, 3]
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        head = abs(nx * dx + ny * dy + nz * dz)
        strength = (
            terms[0]
            + terms[1] * (terms[2] + (1.0 - terms[2]) * 0.5 * (1.0 + nz))
            + terms[3] * head
        )
        r = g = b = strength
        for j in range(lamps.shape[0]):
            if dark.shape[1] > 0 and dark[j, i] != 0:
                continue
            t = distance[i]
            lx, ly, lz, _ = towards_lamp(
                lamps[j], eye[0] + t * dx, eye[1] + t * dy, eye[2] + t * dz
            )
            facing = nx * lx + ny * ly + nz * lz
            if facing > 0.0:
                r += facing * lamps[j, 4]
                g += facing * lamps[j, 5]
                b += facing * lamps[j, 6]
        part = weight * opacity
        light[i, 0] += part * r * table[row, 0]
        light[i, 1] += part * g * table[row, 1]
        light[i, 2] += part * b * table[row, 2]
        weight *= 1.0 - opacity
        if weight < GONE:
            through[i] = 0.0
            continue
        through[i] = weight
        inside[i] = groups[k]
        going += 1
    return going


def to_bytes(light: F32_1, gain: float, image: U8_1) -> None:
    """Make bytes (n,) of light (n,), rounded."""
    scale = np.float32(255.0 * gain)
    if INTERPRETED:
        image[:] = (light * scale + np.float32(0.5)).clip(0.0, 255.0)
        return
    for i in range(light.shape[0]):
        scaled = light[i] * scale + np.float32(0.5)
        image[i] = np.uint8(min(max(scaled, np.float32(0.0)), np.float32(255.0)))


def average(light: F32_3, samples: int, image: F32_3) -> None:
    """Make mean light (h, w, 3) of light (h * samples, w * samples, 3)."""
    scale = 1.0 / (samples * samples)
    if INTERPRETED:
        sums = np.zeros(image.shape)
        for a in range(samples):
            for b in range(samples):
                sums += light[a::samples, b::samples]
        image[:] = sums * scale
        return
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            for c in range(3):
                total = 0.0
                for a in range(samples):
                    for b in range(samples):
                        total += light[i * samples + a, j * samples + b, c]
                image[i, j, c] = total * scale
