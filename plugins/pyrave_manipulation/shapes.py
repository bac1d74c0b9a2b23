"""Convex hulls of points, and distances of bodies, as commands answer them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry.convexhull import hull_faces
from pyrave.interfaces import CommandResult
from pyrave.spatial import as_numbers, invert_pose, transform_points
from pyrave_manipulation.answers import number_text
from pyrave_manipulation.arguments import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import KinBody
    from pyrave.spatial import Array

_SAME = 1e-9
"""Difference of two planes, of unit normals and of parts of the size, that are one."""


@dataclass(frozen=True, slots=True, eq=False)
class HullAnswer(CommandResult):
    """A convex hull; what was not asked for is None.

    Parameters
    ----------
    planes
        (n, 4) a x + b y + c z + d = 0, normals outwards.
    faces
        Of each plane the indices of its corners, counter-clockwise from outside.
    triangles
        (m, 3) indices of points, counter-clockwise from outside.
    """

    planes: Array | None
    faces: tuple[tuple[int, ...], ...] | None
    triangles: NDArray[np.int64] | None

    def command_text(self) -> str:
        """Return planes, faces and triangles, each with their number."""
        words: list[str] = []
        if self.planes is not None:
            words += [str(len(self.planes)), number_text(self.planes)]
        if self.faces is not None:
            words.append(str(len(self.faces)))
            for face in self.faces:
                words += [str(len(face)), *map(str, face)]
        if self.triangles is not None:
            words.append(str(len(self.triangles)))
            words += [str(one) for one in self.triangles.ravel().tolist()]
        return " ".join(words)


def hull_of(points: Array, *, planes: bool, faces: bool, triangles: bool) -> HullAnswer:
    """Return the convex hull of points (n, 3).

    Raises
    ------
    ArgumentError
        They lie in a plane, or there are fewer than four.
    """
    try:
        corners = hull_faces(points)
    except ArgumentError as error:
        raise ArgumentError(f"points have no convex hull: {error}") from error
    normals = np.cross(
        points[corners[:, 1]] - points[corners[:, 0]],
        points[corners[:, 2]] - points[corners[:, 0]],
    )
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    away = -np.einsum("ij,ij->i", normals, points[corners[:, 0]])
    size = float(np.abs(points - points.mean(axis=0)).max())
    rows = np.column_stack((normals, away))
    scaled = rows / (1.0, 1.0, 1.0, size)
    groups: list[NDArray[np.int64]] = []
    left = np.arange(len(rows))
    while len(left):
        same = np.abs(scaled[left] - scaled[left[0]]).max(axis=1) <= _SAME
        groups.append(left[same])
        left = left[~same]
    return HullAnswer(
        rows[[group[0] for group in groups]] if planes else None,
        tuple(_ring(points, corners[group], rows[group[0], :3]) for group in groups)
        if faces
        else None,
        corners if triangles else None,
    )


def _ring(points: Array, corners: NDArray[np.int64], normal: Array) -> tuple[int, ...]:
    """Return the corners of a face in their order about its normal."""
    indices = np.unique(corners)
    middle = points[indices].mean(axis=0)
    first = points[indices[0]] - middle
    first -= (first @ normal) * normal
    second = np.cross(normal, first)
    away = points[indices] - middle
    angles = np.arctan2(away @ second, away @ first)
    return tuple(indices[np.argsort(angles)].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class DistanceMap(CommandResult):
    """Distances by direction.

    Parameters
    ----------
    directions
        (n, 3) unit vectors in the frame of the target.
    distances
        (n,) metres from the middle of its box.
    """

    directions: Array
    distances: Array

    def command_text(self) -> str:
        """Return each direction and its distance."""
        return number_text(np.column_stack((self.directions, self.distances)))


def box_middle(body: KinBody) -> Array:
    """Return the middle of a body's box, in its frame."""
    box = body.local_aabb
    if box is None:
        raise ArgumentError(f"{body!r} has no geometry to take hold of")
    return np.asarray(box[0])


def surface_points(body: KinBody) -> Array:
    """Return points (n, 3) of all geometries of a body, in its frame."""
    to_body = invert_pose(body.transform)
    found = [
        transform_points(to_body @ link.transform @ geometry.transform, mesh.vertices)
        for link in body.links
        for geometry in link.geometries
        if (mesh := geometry.mesh) is not None
    ]
    if not found:
        raise ArgumentError(f"{body!r} has no geometry whose distance could be told")
    return np.concatenate(found)


def reach_of(body: KinBody, ways: Array, width: float) -> Array:
    """Return the reach of a body from the middle of its box, by direction.

    Parameters
    ----------
    ways
        (n, 3) unit vectors in its frame.
    width
        Radians about each within which the farthest point counts; the nearest
        direction where there is none.
    """
    points = surface_points(body) - box_middle(body)
    lengths = np.linalg.norm(points, axis=1)
    some = lengths > 0.0
    units, lengths = points[some] / lengths[some, None], lengths[some]
    reach = np.empty(len(ways))
    for k, way in enumerate(ways):
        along = units @ way
        inside = along >= np.cos(width)
        reach[k] = lengths[inside].max() if inside.any() else lengths[along.argmax()]
    return reach


def points_of(given: Any) -> Array:
    """Return points (n, 3); a text has their number and dimension first."""
    numbers = as_numbers(given, "points")
    if numbers.ndim == 1 and len(numbers) > 2:
        count, width = numbers[:2].tolist()
        if count > 0.0 and width in range(1, 10) and len(numbers) == 2 + count * width:
            numbers = numbers[2:].reshape(-1, int(width))
    if numbers.ndim == 2 and numbers.shape[1] != 3:
        raise NotSupportedError(
            f"points have {numbers.shape[1]} dimensions, expected 3; what "
            "wrenches span is told by pyrave.grasping.Closure"
        )
    return rows_of(numbers, 3, "points")
