"""Paths of a tool along straight lines whose corners are rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik.path import poses_between
from pyrave.spatial import as_number, as_poses, rotation_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

_MAX_POSES = 1_000_000


def blended_poses(
    poses: ArrayLike,
    radius: float,
    *,
    step: float = 0.005,
    angle_step: float = 0.05,
) -> Array:
    """Return poses along straight lines through waypoints, with rounded corners.

    From `radius` before a waypoint to as far behind it the origin follows a parabola,
    whose tangents are those of the lines, and the orientation a spherical curve of the
    same kind (de Casteljau's construction with slerp: Shoemake, "Animating rotation
    with quaternion curves", SIGGRAPH 1985). So a motion along it need not stop there.
    It passes a waypoint at half the radius at most. `Manipulator.follow` gives joint
    values along it, `retime` their times.

    Parameters
    ----------
    poses
        (n, 4, 4) or (n, 7) T_world_tool of the waypoints.
    radius
        Metres; at most half of a line is rounded at each of its ends. Where the tool
        turns on the spot nothing is rounded.
    step, angle_step
        Metres and radians between two poses at most.

    Returns
    -------
    (m, 4, 4), the first and the last pose as they were given.

    Raises
    ------
    ArgumentError
        Fewer than two poses, something that is no pose, or too many steps.
    """
    given = as_poses(poses, "poses")
    if len(given) < 2:
        raise ArgumentError(f"a path has {len(given)} poses, expected two at least")
    size = as_number(radius, "radius", 0.0)
    steps = as_number(step, "step", 1e-6), as_number(angle_step, "angle_step", 1e-6)
    lengths = np.linalg.norm(np.diff(given[:, :3, 3], axis=0), axis=1)
    cuts = np.divide(size, lengths, out=np.zeros(len(lengths)), where=lengths > 0.0)
    cuts = np.minimum(cuts, 0.5)
    found, at = [given[:1]], given[0]
    for k in range(1, len(given) - 1):
        corner = given[k]
        if not (cuts[k - 1] > 0.0 and cuts[k] > 0.0):
            found.append(_line(at, corner, steps))
            at = corner
            continue
        begin = _between(given[k - 1], corner, 1.0 - cuts[k - 1])
        end = _between(corner, given[k + 1], cuts[k])
        found += [_line(at, begin, steps), _corner(begin, corner, end, steps)]
        at = end
    found.append(_line(at, given[-1], steps))
    path = np.concatenate(found)
    path[-1] = given[-1]
    return path


def _count(first: Array, last: Array, steps: tuple[float, float]) -> int:
    way = np.linalg.norm(last[:3, 3] - first[:3, 3])
    turn = np.linalg.norm(rotation_vector(first[:3, :3].T @ last[:3, :3]))
    count = int(np.ceil(max(way / steps[0], turn / steps[1]) - 1e-9))
    if count > _MAX_POSES:
        raise ArgumentError(
            f"a line of {way:g} m and {turn:g} rad has {count} steps, expected "
            f"{_MAX_POSES} at most; give a longer step"
        )
    return count


def _between(first: Array, last: Array, part: float) -> Array:
    """Return the pose (4, 4) at a part of a straight line with an even turn."""
    return np.asarray(poses_between(first, last, np.array((part,)))[0])


def _line(first: Array, last: Array, steps: tuple[float, float]) -> Array:
    """Return poses (k, 4, 4) behind the first one up to the last one."""
    count = _count(first, last, steps)
    return poses_between(first, last, np.arange(1, count + 1) / max(count, 1))


def _corner(
    begin: Array, corner: Array, end: Array, steps: tuple[float, float]
) -> Array:
    """Return poses (k, 4, 4) of a curve from one line to the next."""
    count = max(1, _count(begin, corner, steps) + _count(corner, end, steps))
    parts = np.arange(1, count + 1) / count
    ahead = poses_between(begin, corner, parts)
    behind = poses_between(corner, end, parts)
    return np.array([
        _between(one, other, part)
        for one, other, part in zip(ahead, behind, parts, strict=True)
    ])  # fmt: skip
