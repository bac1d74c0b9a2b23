"""Ways towards a body: rays that meet it, and the poses of hands that come along them.

Rays are rows (n, 6) in the frame of the body: a point of its surface, and a unit
direction into it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, StateError, shown
from pyrave.grasping.friction_cones import across
from pyrave.planning.query.arguments import as_seed
from pyrave.spatial import (
    Array,
    as_array,
    as_direction,
    as_number,
    as_poses,
    as_vector,
    matrix_from_axis_angle,
    transform_points,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody

_MAX_RAYS = 5_000_000
_SHORTEST = 1e-9
_BESIDE = 1e-3
"""Metres from which rays start outside of a box around the body."""


def box_rays(
    body: KinBody, spacing: float = 0.02, *, tilt: float = 0.0, tilt_step: float = 0.4
) -> Array:
    """Return rays (n, 6) from all sides of a box around a body, where they meet it.

    Rays start on grids and go straight inwards. The direction is that against the
    surface where one hits.

    Parameters
    ----------
    body
        In an environment; what is around it does not count.
    spacing
        Metres between rays.
    tilt
        Radians: further directions of each ray are up to as far from the surface
        normal.
    tilt_step
        Radians between these.

    Raises
    ------
    ArgumentError
        Numbers without a meaning, too many rays, or a body without geometry.
    StateError
        The body is in no environment.
    """
    low, high = _box(body)
    step = as_number(spacing, "spacing", _SHORTEST)
    found = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        grid = _grid(low[[u, v]], high[[u, v]], step)
        for sign in (-1.0, 1.0):
            starts = np.zeros((len(grid), 3))
            starts[:, [u, v]] = grid
            starts[:, axis] = (low if sign > 0.0 else high)[axis] - sign * _BESIDE
            ways = np.zeros_like(starts)
            ways[:, axis] = sign
            found.append(_hits(body, starts, ways))
    return tilted(np.concatenate(found), tilt, tilt_step)


def sphere_rays(
    body: KinBody, spacing: float = 0.1, *, tilt: float = 0.0, tilt_step: float = 0.4
) -> Array:
    """Return rays (n, 6) from a sphere around a body to its middle, where they meet it.

    Parameters
    ----------
    spacing
        Radians between rays, on a spiral of Fibonacci.
    tilt, tilt_step
        Radians, as in `box_rays`.
    """
    low, high = _box(body)
    step = as_number(spacing, "spacing", 1e-3, math.pi)
    count = max(round(4.0 * math.pi / step**2), 2)
    out = sphere_points(count)
    radius = 0.5 * float(np.linalg.norm(high - low)) + _BESIDE
    found = _hits(body, 0.5 * (low + high) + radius * out, -out)
    return tilted(found, tilt, tilt_step)


def plane_rays(
    body: KinBody,
    center: ArrayLike,
    side_x: ArrayLike,
    side_y: ArrayLike,
    spacing: float = 0.02,
    *,
    tilt: float = 0.0,
    tilt_step: float = 0.4,
) -> Array:
    """Return rays (n, 6) from a rectangle, along ``side_x x side_y``, that meet a body.

    Parameters
    ----------
    center, side_x, side_y
        (3,) middle of the rectangle and half of each side, in the frame of the body,
        metres.
    spacing
        Metres between rays.
    tilt, tilt_step
        Radians, as in `box_rays`.
    """
    _box(body)
    middle = as_vector(center, 3, "center")
    sides = np.stack((as_vector(side_x, 3, "side_x"), as_vector(side_y, 3, "side_y")))
    way = np.cross(*sides)
    size = float(np.linalg.norm(way))
    if size < _SHORTEST**2:
        raise ArgumentError(
            f"side_x and side_y are {sides.tolist()}, expected two directions apart"
        )
    lengths = np.linalg.norm(sides, axis=1)
    step = as_number(spacing, "spacing", _SHORTEST)
    starts = middle + _grid(-lengths, lengths, step) @ (sides / lengths[:, None])
    found = _hits(body, starts, np.broadcast_to(way / size, starts.shape))
    return tilted(found, tilt, tilt_step)


def circle_rays(
    body: KinBody,
    center: ArrayLike,
    normal: ArrayLike,
    spacing: float = 0.1,
    *,
    tilt: float = 0.0,
    tilt_step: float = 0.4,
) -> Array:
    """Return rays (n, 6) from a circle around a body to its centre, where they meet it.

    Parameters
    ----------
    center, normal
        (3,) centre, metres, and axis of the circle, in the frame of the body.
    spacing
        Radians between rays.
    tilt, tilt_step
        Radians, as in `box_rays`.
    """
    low, high = _box(body)
    middle, axis = as_vector(center, 3, "center"), as_direction(normal, "normal")
    step = as_number(spacing, "spacing", 1e-4, math.pi)
    u, v = across(axis[None])
    turns = np.arange(0.0, 2.0 * math.pi - 1e-9, step)[:, None]
    out = np.cos(turns) * u + np.sin(turns) * v
    corners = np.maximum(np.abs(low - middle), np.abs(high - middle))
    radius = float(np.linalg.norm(corners)) + _BESIDE
    return tilted(_hits(body, middle + radius * out, -out), tilt, tilt_step)


def tilted(rays: ArrayLike, tilt: float, tilt_step: float = 0.4) -> Array:
    """Return rays (n * k, 6) with further directions around each, itself first.

    Parameters
    ----------
    rays
        (n, 6) points and directions.
    tilt
        Radians: directions are up to as far away.
    tilt_step
        Radians between the rings that they are on.

    Raises
    ------
    ArgumentError
        No rays, angles without a meaning, or more than five million rays.
    """
    given = as_array(rays, (None, 6), "rays")
    most = as_number(tilt, "tilt", 0.0, 0.5 * math.pi)
    step = as_number(tilt_step, "tilt_step", 1e-3)
    if most == 0.0 or not len(given):
        return given
    angles = [ring * step for ring in range(1, int(most / step + 1e-9) + 1)]
    counts = [max(round(2.0 * math.pi * math.sin(one) / step), 3) for one in angles]
    total = len(given) * (1 + sum(counts))
    if total > _MAX_RAYS:
        raise ArgumentError(
            f"tilt_step is {step:g} and tilt {most:g}, which makes {total:,} rays of "
            f"{len(given):,}; expected {_MAX_RAYS:,} at most"
        )
    u, v = across(given[:, 3:])
    found = [given]
    for angle, count in zip(angles, counts, strict=True):
        for turn in 2.0 * math.pi * np.arange(count) / count:
            side = math.cos(turn) * u + math.sin(turn) * v
            way = math.cos(angle) * given[:, 3:] + math.sin(angle) * side
            found.append(np.concatenate((given[:, :3], way), axis=1))
    return np.asarray(np.stack(found, axis=1).reshape(-1, 6), np.float64)


def roll_angles(count: int) -> Array:
    """Return angles (`count`,) about a direction, evenly spread over a turn."""
    n = as_count(count, "count")
    return np.asarray(np.arange(n) * (2.0 * math.pi / n), np.float64)


def sphere_points(count: int) -> Array:
    """Return unit vectors (`count`, 3), evenly spread: a spiral of Fibonacci."""
    n = as_count(count, "count")
    height = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    turn = np.arange(n) * (math.pi * (3.0 - math.sqrt(5.0)))
    radius = np.sqrt(1.0 - height**2)
    found = np.stack((radius * np.cos(turn), radius * np.sin(turn), height), axis=1)
    return np.asarray(found, np.float64)


def hand_poses(rays: ArrayLike, directions: ArrayLike, rolls: ArrayLike) -> Array:
    """Return T_target_hand of hands that come along rays, with their tools at the hit.

    Parameters
    ----------
    rays
        (n, 6), see `box_rays`.
    directions
        (n, 3) or (3,) in the hand: what goes along a ray.
    rolls
        (n,) or one number: radians about the ray.

    Returns
    -------
    (n, 4, 4) poses.
    """
    given = as_array(rays, (None, 6), "rays")
    n = len(given)
    if n and (np.linalg.norm(given[:, 3:], axis=1) < _SHORTEST).any():
        raise ArgumentError("rays have rows without a direction")
    turns = np.broadcast_to(as_array(np.atleast_1d(rolls), (None,), "rolls"), (n,))
    ways = np.broadcast_to(np.asarray(directions, np.float64), (n, 3))
    ways = as_array(ways, (n, 3), "directions")
    if n and (np.linalg.norm(ways, axis=1) < _SHORTEST).any():
        raise ArgumentError("directions have rows without a direction")
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, :3] = _frames(given[:, 3:], turns) @ _frames(
        ways, np.zeros(n)
    ).transpose(0, 2, 1)
    poses[:, :3, 3] = given[:, :3]
    return poses


def noisy(
    poses: ArrayLike, translation: float = 0.0, rotation: float = 0.0, *, seed: int = 0
) -> Array:
    """Return poses (n, 4, 4) that are off by chance, each time the same for a seed.

    Parameters
    ----------
    poses
        (n, 4, 4) or (n, 7).
    translation, rotation
        Metres and radians at most, evenly spread in a ball and about any axis.
    seed
        A whole number from 0; the same one gives the same poses.
    """
    given = as_poses(poses, "poses")
    far = as_number(translation, "translation", 0.0)
    turn = as_number(rotation, "rotation", 0.0)
    rng = np.random.default_rng(as_seed(seed))
    n = len(given)
    shifts, axes = rng.normal(size=(2, n, 3))
    shifts /= np.linalg.norm(shifts, axis=1, keepdims=True)
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    given[:, :3, 3] += far * np.cbrt(rng.uniform(size=(n, 1))) * shifts
    for k, angle in enumerate(turn * rng.uniform(-1.0, 1.0, n)):
        given[k, :3, :3] = matrix_from_axis_angle(axes[k] * angle) @ given[k, :3, :3]
    return given


def as_count(value: Any, name: str) -> int:
    """Return a number of things, a whole one above 0."""
    number = as_number(value, name, 1, _MAX_RAYS)
    if not number.is_integer():
        raise ArgumentError(f"{name} is {shown(value)}, expected a whole number")
    return int(number)


def _frames(ways: Array, turns: Array) -> Array:
    """Return rotations (n, 3, 3) whose z axes are along ways, rolled about them."""
    z = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    u, v = across(z)
    c, s = np.cos(turns)[:, None], np.sin(turns)[:, None]
    return np.stack((c * u + s * v, c * v - s * u, z), axis=2)


def _grid(low: Array, high: Array, step: float) -> Array:
    """Return points (n, 2) of a grid in a rectangle, in its middle."""
    counts = [max(int((b - a) / step), 0) + 1 for a, b in zip(low, high, strict=True)]
    if math.prod(counts) > _MAX_RAYS:
        raise ArgumentError(
            f"spacing is {step:g}, which makes {math.prod(counts):,} rays of a side; "
            f"expected {_MAX_RAYS:,} at most"
        )
    middle = 0.5 * (low + high)
    u, v = (
        middle[k] + step * (np.arange(counts[k]) - 0.5 * (counts[k] - 1))
        for k in range(2)
    )
    return np.stack(np.meshgrid(u, v, indexing="ij"), axis=2).reshape(-1, 2)


def _box(body: KinBody) -> tuple[Array, Array]:
    """Return the corners of a body's box in its frame."""
    found = getattr(body, "local_aabb", None)
    if getattr(body, "id", None) is None:
        raise ArgumentError(f"body is {shown(body)}, expected a body")
    if body.id < 0:
        raise StateError(f"{body!r} is in no environment; env.add(body) adds it")
    if found is None:
        raise ArgumentError(f"{body!r} has no geometry, so that no ray meets it")
    center, half = found
    return center - half, center + half


def _hits(body: KinBody, starts: Array, ways: Array) -> Array:
    """Return rows (k, 6) of the first hits of rays in the frame of a body."""
    pose = body.transform
    turn = pose[:3, :3]
    hits = body.env.raycast(
        transform_points(pose, starts),
        ways @ turn.T,
        bodies=body,
        fields=("position", "normal"),
    )
    met = hits.hit
    points = (hits.position[met] - pose[:3, 3]) @ turn
    return np.concatenate((points, -hits.normal[met] @ turn), axis=1)
