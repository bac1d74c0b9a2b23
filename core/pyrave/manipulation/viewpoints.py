"""Poses of cameras around what they should see: sampled, cut to cones, thinned out.

Poses (n, 4, 4) are T_target_camera: of a camera that looks along its +z, in the frame
of the target.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.grasping.approach import as_count, roll_angles
from pyrave.spatial import as_array, as_number, as_numbers, as_poses, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.spatial import Array, Indices

_SHORTEST = 1e-9
_UPRIGHT = 0.001
"""Square of the part of the y axis across a direction from which on it is up."""
_MAX_POSES = 2_000_000


def camera_poses(
    directions: ArrayLike,
    distances: ArrayLike,
    rolls: int = 8,
    *,
    centre: ArrayLike = (0.0, 0.0, 0.0),
    axis: ArrayLike = (0.0, 0.0, 1.0),
) -> Array:
    """Return poses of cameras that look at a point from all sides.

    At roll 0 the y axis of the camera is that of the target as far as it can be, or its
    z axis where the camera looks along y.

    Parameters
    ----------
    directions
        (n, 3) from the point to the camera, of any length but 0, in the target's frame;
        `pyrave.grasping.sphere_points` spreads some.
    distances
        (m,) metres between camera and point, along the optical axis.
    rolls
        Poses about each line of sight, evenly over a turn.
    centre
        (3,) the point, in the target's frame, metres.
    axis
        (3,) direction in the camera's frame along which it sees the point; its z is
        positive. `Observer.axis` is the middle of an image.

    Returns
    -------
    ndarray
        (n * m * rolls, 4, 4) T_target_camera: all rolls of a distance, then all
        distances of a direction.

    Raises
    ------
    ArgumentError
        Numbers without a meaning, or more than two million poses.
    """
    ways = as_array(directions, (None, 3), "directions")
    far = as_array(np.atleast_1d(distances), (None,), "distances")
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    if (lengths < _SHORTEST).any():
        raise ArgumentError("directions have rows without a direction")
    if (far <= 0.0).any():
        raise ArgumentError(f"distances are {far.tolist()}, expected positive metres")
    turns = roll_angles(rolls)
    count = len(ways) * len(far) * len(turns)
    if count > _MAX_POSES:
        raise ArgumentError(
            f"these would be {count:,} poses, expected {_MAX_POSES:,} at most; give "
            "fewer directions, distances or rolls"
        )
    sight = as_vector(axis, 3, "axis")
    if not sight[2] > _SHORTEST:
        raise ArgumentError(
            f"axis is {sight.tolist()}, expected a direction in front of a camera: its "
            "third number is positive"
        )
    across = _rolled(-ways / lengths, turns)
    poses = np.tile(np.eye(4), (len(ways), len(far), len(turns), 1, 1))
    poses[..., :3, :3] = across[:, None]
    offsets = across @ (sight / sight[2])
    poses[..., :3, 3] = (
        as_vector(centre, 3, "centre") - far[None, :, None, None] * offsets[:, None]
    )
    return np.asarray(poses.reshape(-1, 4, 4), np.float64)


def _rolled(ways: Array, turns: Array) -> Array:
    """Return rotations (n, k, 3, 3) whose z axes are unit vectors (n, 3)."""
    up = np.array((0.0, 1.0, 0.0)) - ways * ways[:, 1:2]
    steep = (up * up).sum(axis=1) < _UPRIGHT
    up[steep] = np.array((0.0, 0.0, 1.0)) - ways[steep] * ways[steep, 2:]
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    right = np.cross(up, ways)
    c, s = np.cos(turns)[None, :, None], np.sin(turns)[None, :, None]
    x = right[:, None] * c + up[:, None] * s
    y = up[:, None] * c - right[:, None] * s
    z = np.broadcast_to(ways[:, None], x.shape)
    return np.stack((x, y, z), axis=3)


def are_in_cones(
    poses: ArrayLike, cones: ArrayLike, centre: ArrayLike = (0.0, 0.0, 0.0)
) -> NDArray[np.bool_]:
    """Return the mask of poses whose camera is in one of some cones.

    A cone says from which side something can be seen: the picture on a face of a box
    from in front of it.

    Parameters
    ----------
    poses
        (n, 4, 4) or (n, 7) T_target_camera.
    cones
        (k, 3) or (3,) axes in the target's frame, away from the target; their lengths
        are half of the opening, radians.
    centre
        (3,) tip of the cones, in the target's frame, metres.

    Returns
    -------
    (n,) bool
    """
    given = as_poses(poses, "poses")
    axes = as_array(np.atleast_2d(as_numbers(cones, "cones")), (None, 3), "cones")
    angles = np.linalg.norm(axes, axis=1)
    if ((angles < _SHORTEST) | (angles > math.pi)).any():
        raise ArgumentError(
            f"cones have axes of lengths {angles.tolist()}, expected half of the "
            "opening of each: more than 0, and pi radians at most"
        )
    out = given[:, :3, 3] - as_vector(centre, 3, "centre")
    along = out @ (axes / angles[:, None]).T
    reach = np.linalg.norm(out, axis=1, keepdims=True) * np.cos(angles)
    return np.asarray((along >= reach).any(axis=1))


def prune_poses(
    poses: ArrayLike,
    distance: float = 0.04,
    angle: float = 0.3,
    most: int | None = None,
) -> Indices:
    """Return indices of poses that are not near to one before them, in their order.

    Parameters
    ----------
    poses
        (n, 4, 4) or (n, 7).
    distance, angle
        Metres and radians: two poses are near where they differ by less of both.
    most
        Keep no more than so many; None: all.

    Returns
    -------
    (k,) int64
    """
    given = as_poses(poses, "poses")
    near = as_number(distance, "distance", 0.0)
    turn = as_number(angle, "angle", 0.0, math.pi)
    limit = len(given) if most is None else as_count(most, "most")
    # the trace of R_a' R_b is 1 + 2 cos of the angle between a and b
    trace = 1.0 + 2.0 * math.cos(turn)
    rows = given[:, :3, :3].reshape(-1, 9)
    places = given[:, :3, 3]
    left = np.arange(len(given))
    kept: list[int] = []
    while len(left) and len(kept) < limit:
        first = int(left[0])
        kept.append(first)
        rest = left[1:]
        apart = np.linalg.norm(places[rest] - places[first], axis=1) >= near
        apart |= rows[rest] @ rows[first] <= trace
        left = rest[apart]
    return np.array(kept, np.int64)
