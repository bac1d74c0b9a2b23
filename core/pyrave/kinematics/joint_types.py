"""Joint types: their motions, and the paths of trajectory joints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pyrave.records import Record
from pyrave.spatial import rotation_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import JointDescription, JointPath
    from pyrave.spatial import Array

TURN, SLIDE, BALL = "turn", "slide", "ball"
MAX_AXES = 6
_LETTERS = {
    "hinge": "r",
    "slider": "p",
    "universal": "rr",
    "rr": "rr",
    "rp": "rp",
    "pr": "pr",
    "pp": "pp",
}
_COUNTS = {"hinge2": (2, 2), "compound": (1, MAX_AXES), "trajectory": (1, 1)}


@dataclass(frozen=True, slots=True)
class Step(Record):
    """One elementary motion of a joint; the motions are applied in order.

    Parameters
    ----------
    kind
        ``turn``, ``slide`` or ``ball`` (three values, a rotation vector).
    value
        Index of its (first) value.
    axis
        (3,) unit direction in the joint frame; of no meaning for a ball.
    """

    kind: str
    value: int
    axis: Array


@dataclass(frozen=True, slots=True)
class PathColumn(Record):
    """One value of a trajectory joint's path, linear within each segment.

    Parameters
    ----------
    kind
        ``slide``, or ``ball`` for each of three columns in a row.
    axis
        (3,) direction.
    start, slope
        (n - 1,): value at the start of each segment, and its change with time.
    """

    kind: str
    axis: Array
    start: Array
    slope: Array


def joint_faults(joint: JointDescription) -> Iterator[str]:
    """Yield the contradictions in a joint, beginning with its name."""
    what = f"joint {joint.name!r}"
    axes = "".join("p" if axis.prismatic else "r" for axis in joint.axes)
    letters = _LETTERS.get(joint.type)
    if joint.closes_loop and joint.type == "trajectory":
        yield f"{what} closes a loop, which a joint with a path cannot"
    elif joint.closes_loop and joint.active and joint.axes:
        yield f"{what} closes a loop and is active, expected a passive joint"
    if letters is not None and axes != letters:
        yield (
            f"{what} of type {joint.type!r} has the axes {axes!r}, expected "
            f"{letters!r} (r turns, p slides)"
        )
    lowest, highest = _COUNTS.get(joint.type, (0, len(axes)))
    if not lowest <= len(axes) <= highest:
        yield (
            f"{what} of type {joint.type!r} has {len(axes)} axes, expected "
            + (f"{lowest}" if lowest == highest else f"{lowest} to {highest}")
        )
    if joint.type == "spherical" and not _is_frame(joint):
        yield f"the spherical {what} needs three perpendicular right-handed axes"
    if joint.type == "trajectory":
        yield from _path_faults(what, joint.path)
    elif joint.path is not None:
        yield f"{what} has a path, but is of type {joint.type!r}, not 'trajectory'"


def _path_faults(what: str, path: JointPath | None) -> Iterator[str]:
    if path is None or len(path.times) < 2:
        yield f"the trajectory {what} needs a path of two or more poses"
    elif len(path.times) != len(path.poses):
        n_times, n_poses = len(path.times), len(path.poses)
        yield f"the path of {what} has {n_times} times and {n_poses} poses"
    elif not all(a < b for a, b in pairwise(path.times)):
        yield f"the times of the path of {what} do not increase"
    elif not np.isfinite(path.times).all():
        yield f"the path of {what} has times that are not finite"


def _is_frame(joint: JointDescription) -> bool:
    if len(joint.axes) != 3 or any(axis.prismatic for axis in joint.axes):
        return False
    directions = np.array([axis.direction for axis in joint.axes])
    if not np.allclose(directions @ directions.T, np.eye(3), atol=1e-9):
        return False
    return bool(np.linalg.det(directions) > 0)


def path_columns(path: JointPath) -> list[PathColumn]:
    """Return the columns of a trajectory joint's path.

    Slides along x, y and z, then a ball that stays at the rotation with which a
    segment starts, then a ball that turns about one axis at constant speed to its end
    (Shoemake, Animating rotation with quaternion curves, 1985: the shortest turn).
    Slides and balls that never leave zero are left out.
    """
    poses = np.array([pose.matrix for pose in path.poses])
    spans = np.diff(np.asarray(path.times))
    points, rotations = poses[:, :3, 3], poses[:, :3, :3]
    columns = [
        PathColumn(SLIDE, axis, points[:-1, i], np.diff(points[:, i]) / spans)
        for i, axis in enumerate(np.eye(3))
        if points[:, i].any()
    ]
    still = np.zeros(len(spans))
    starts = np.array([rotation_vector(rotation) for rotation in rotations[:-1]])
    if starts.any():
        columns += [
            PathColumn(BALL, axis, starts[:, i], still)
            for i, axis in enumerate(np.eye(3))
        ]
    turns = np.array(
        [
            np.zeros(3) if np.array_equal(a, b) else rotation_vector(a.T @ b)
            for a, b in pairwise(rotations)
        ]
    )
    if turns.any():
        columns += [
            PathColumn(BALL, axis, still, turns[:, i] / spans)
            for i, axis in enumerate(np.eye(3))
        ]
    return columns
