"""Directions and returns of n rays, and what is wrong with them.

Random numbers are drawn before, so that they are the same in the interpreter; an array
of them has no entries if they are not needed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.jit.arrays import F64, I32, I64

    Flags = NDArray[np.bool_]

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
# where it is true, plain scans are worked out in whole arrays
INTERPRETED = True
# nearer things are as bright as one at this distance, metres
NEAREST = 1e-9


def turn(pose: F64, vectors: F64, out: F64) -> None:
    """Turn vectors (n, 3) by the rotation of a pose (4, 4) into `out`."""
    if INTERPRETED:
        x, y, z = vectors[:, 0], vectors[:, 1], vectors[:, 2]
        for k in range(3):
            out[:, k] = pose[k, 0] * x + pose[k, 1] * y + pose[k, 2] * z
        return
    for i in range(vectors.shape[0]):
        x, y, z = vectors[i, 0], vectors[i, 1], vectors[i, 2]
        for k in range(3):
            out[i, k] = pose[k, 0] * x + pose[k, 1] * y + pose[k, 2] * z


def approach(
    origins: F64, directions: F64, center: F64, reach: float, out: Flags
) -> None:
    """Mark the rays (n, 3), unit, that pass a point (3,) nearer than `reach`."""
    for i in range(directions.shape[0]):
        along = 0.0
        for k in range(3):
            along += (center[k] - origins[i, k]) * directions[i, k]
        # the foot of the point on the ray first: a difference of squares cancels
        along = max(along, 0.0)
        square = 0.0
        for k in range(3):
            aside = center[k] - origins[i, k] - along * directions[i, k]
            square += aside * aside
        out[i] = square <= reach * reach


def take_back(
    directions: F64, distances: F64, returned: Flags, stray: Flags, ids: I64,
    far: float, ranges: F64, bodies: I64, intensity: F64,
) -> None:  # fmt: skip
    """Write vectors to what rays met, whose it is, and 1 where something came back.

    Rays without a return end at `far`; strays belong to nothing.
    """
    if INTERPRETED:
        ranges[:] = directions * np.where(returned, distances, far)[:, None]
        bodies[:] = np.where(returned & ~stray, ids, -1)
        intensity[:] = returned
        return
    for i in range(distances.shape[0]):
        back = returned[i]
        reach = distances[i] if back else far
        for k in range(3):
            ranges[i, k] = directions[i, k] * reach
        bodies[i] = ids[i] if back and not stray[i] else -1
        intensity[i] = 1.0 if back else 0.0


def incidence(
    directions: F64, normals: F64, instances: I32, table: F64,
    cosines: F64, surface: F64,
) -> None:  # fmt: skip
    """Write cosines of incidence angles and the reflectivity of what rays met.

    Parameters
    ----------
    table
        Reflectivity of each instance of the scene; 0 in the last row, for nothing.
    """
    for i in range(directions.shape[0]):
        along = 0.0
        for k in range(3):
            along -= normals[i, k] * directions[i, k]
        cosines[i] = min(max(along, 0.0), 1.0)
        surface[i] = table[instances[i]]


def disturb(
    distances: F64, met: Flags, cosines: F64, surface: F64, least: float, most: float,
    bias: float, sigma: float, sigma_relative: float, quantisation: float,
    outlier_rate: float, dropout_rate: float, dropout_angle: float,
    dropout_reflectivity: float,
    lost: F64, normal: F64, astray: F64, anywhere: F64,
    measured: F64, returned: Flags, stray: Flags,
) -> None:  # fmt: skip
    """Write disturbed measurements: `pyrave_sensors.ranges.noise.RangeNoise`.

    Parameters
    ----------
    lost, normal, astray, anywhere
        (n,) uniform, normal, uniform and uniform numbers; or of length 0.
    """
    beyond = math.pi / 2 - dropout_angle
    for i in range(distances.shape[0]):
        back = met[i]
        # where nothing is there is no number to count with
        truth = distances[i] if back else 0.0
        value = truth + bias
        if lost.shape[0] > 0:
            chance = 1.0 - dropout_rate
            if beyond > 0.0:
                part = (
                    math.acos(min(max(cosines[i], 0.0), 1.0)) - dropout_angle
                ) / beyond
                chance *= 1.0 - min(max(part, 0.0), 1.0)
            if dropout_reflectivity > 0.0:
                chance *= min(surface[i] / dropout_reflectivity, 1.0)
            back = back and lost[i] < chance
        if normal.shape[0] > 0:
            value += (sigma + sigma_relative * truth) * normal[i]
        if quantisation > 0.0:
            value = np.rint(value / quantisation) * quantisation
        back = back and value >= least and value <= most
        wrong = False
        if astray.shape[0] > 0 and astray[i] < outlier_rate:
            wrong = True
            value = least + (most - least) * anywhere[i]
        measured[i] = value
        returned[i] = back or wrong
        stray[i] = wrong


def strengths(
    distances: F64, cosines: F64, surface: F64, returned: Flags, stray: Flags,
    white: float, anything: F64, intensity: F64,
) -> None:  # fmt: skip
    """Write the strength of returns, 1 for a white surface met squarely at `white`.

    Parameters
    ----------
    anything
        (n,) strength of strays; or of length 0.
    """
    for i in range(distances.shape[0]):
        ratio = white / max(distances[i], NEAREST)
        strength = min(surface[i] * cosines[i] * ratio * ratio, 1.0)
        if not returned[i]:
            strength = 0.0
        if stray[i] and anything.shape[0] > 0:
            strength = anything[i]
        intensity[i] = strength
