"""Rays, boxes and meshes as data, and whether boxes overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded, guarded
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = [
    "AABB",
    "AABBFromOrientedBox",
    "CheckAABBAndOBBCollision",
    "CheckAABBCollision",
    "CheckBoxAtOriginAndOBBCollision",
    "CheckOBBCollision",
    "OrientedBox",
    "OrientedBoxFromAABB",
    "Ray",
    "TriMesh",
    "box_of",
    "pose_of",
    "vector_of",
]

Array = NDArray[np.float64]


def vector_of(given: ArrayLike, size: int, what: str) -> Array:
    """Return numbers (size,) as a new array."""
    array = np.array(given, dtype=np.float64)
    if array.shape != (size,):
        raise openrave_exception(
            f"{what} has shape {array.shape}, expected {size} numbers",
            ErrorCode.InvalidArguments,
        )
    return array


def pose_of(matrix: Any) -> Array:
    """Return a matrix (4, 4) as a quaternion w x y z and a position (7,)."""
    from pyrave.spatial import wxyz_xyz_from_pose

    return np.array(wxyz_xyz_from_pose(matrix))


class Ray(Guarded):
    """A ray; its length is that of its direction.

    Parameters
    ----------
    pos
        (3,) where it begins, metres.
    dir
        (3,) to its end, metres.
    """

    def __init__(self, pos: Any = (0, 0, 0), dir: Any = (0, 0, 0)) -> None:
        self._pos = vector_of(pos, 3, "pos")
        self._dir = vector_of(dir, 3, "dir")

    def pos(self) -> Array:
        return self._pos.copy()

    def dir(self) -> Array:
        return self._dir.copy()

    def __repr__(self) -> str:
        return f"Ray({self._pos.tolist()},{self._dir.tolist()})"


class AABB(Guarded):
    """A box along the axes.

    Parameters
    ----------
    pos
        (3,) its centre, metres.
    extents
        (3,) half of its size, metres.
    """

    def __init__(self, pos: Any = (0, 0, 0), extents: Any = (0, 0, 0)) -> None:
        self._pos = vector_of(pos, 3, "pos")
        self._extents = vector_of(extents, 3, "extents")

    def pos(self) -> Array:
        return self._pos.copy()

    def extents(self) -> Array:
        return self._extents.copy()

    def toDict(self) -> dict[str, Any]:
        return {"pos": self._pos.tolist(), "extents": self._extents.tolist()}

    def GetCombined(self, aabb: AABB) -> AABB:
        """Return the box around both."""
        lower = np.minimum(self._pos - self._extents, aabb._pos - aabb._extents)
        upper = np.maximum(self._pos + self._extents, aabb._pos + aabb._extents)
        return AABB((lower + upper) / 2, (upper - lower) / 2)

    def GetTransformed(self, pose: Any) -> AABB:
        """Return the box along the axes around this one at a pose."""
        matrix = matrix_of(pose)
        turn = matrix[:3, :3]
        return AABB(turn @ self._pos + matrix[:3, 3], np.abs(turn) @ self._extents)

    def __repr__(self) -> str:
        return f"AABB({self._pos.tolist()},{self._extents.tolist()})"


class OrientedBox(Guarded):
    """A box in any direction.

    Parameters
    ----------
    pose
        Of its centre.
    extents
        (3,) half of its size, metres.
    """

    def __init__(self, pose: Any = None, extents: Any = (0, 0, 0)) -> None:
        self._matrix = np.eye(4) if pose is None else matrix_of(pose)
        self._extents = vector_of(extents, 3, "extents")

    def extents(self) -> Array:
        return self._extents.copy()

    def transform(self) -> Array:
        return self._matrix.copy()

    def pose(self) -> Array:
        return pose_of(self._matrix)

    def toDict(self) -> dict[str, Any]:
        return {"pose": self.pose().tolist(), "extents": self._extents.tolist()}

    def __repr__(self) -> str:
        return f"OrientedBox({self.pose().tolist()},{self._extents.tolist()})"


class TriMesh(Guarded):
    """Triangles: ``vertices`` (n, 3), metres, and ``indices`` (m, 3) of them."""

    vertices: Any
    indices: Any

    def __init__(self, vertices: Any = None, indices: Any = None) -> None:
        self.vertices = _rows(vertices, np.float64)
        self.indices = _rows(indices, np.int32)

    def __repr__(self) -> str:
        return f"<trimesh: verts {len(self.vertices)}, tris={len(self.indices)}>"


def _rows(given: Any, dtype: Any) -> Any:
    rows = np.zeros((0, 3), dtype) if given is None else np.array(given, dtype)
    return rows.reshape(-1, 3)


def box_of(found: tuple[Array, Array] | None, where: Any = (0, 0, 0)) -> AABB:
    """Return a box of pyrave's, a point where there is none."""
    return AABB(where) if found is None else AABB(*found)


@guarded
def AABBFromOrientedBox(obb: OrientedBox) -> AABB:
    """Return the box along the axes around another one."""
    return AABB(obb._matrix[:3, 3], np.abs(obb._matrix[:3, :3]) @ obb._extents)


@guarded
def OrientedBoxFromAABB(aabb: AABB, transform: Any) -> OrientedBox:
    """Return the box that a box along axes is in another frame."""
    matrix = matrix_of(transform)
    matrix[:3, 3] += matrix[:3, :3] @ aabb._pos
    return OrientedBox(matrix, aabb._extents)


@guarded
def CheckAABBCollision(aabb1: AABB, aabb2: AABB) -> bool:
    """Return True if two boxes along the axes overlap."""
    distance = np.abs(aabb1._pos - aabb2._pos)
    return bool((distance <= aabb1._extents + aabb2._extents).all())


@guarded
def CheckAABBAndOBBCollision(aabb: AABB, obb: OrientedBox) -> bool:
    """Return True if a box along the axes and another one overlap."""
    return _overlap(np.eye(3), aabb._pos, aabb._extents, obb)


@guarded
def CheckBoxAtOriginAndOBBCollision(extents: Any, obb: OrientedBox) -> bool:
    """Return True if a box of half sizes (3,) at the origin and another overlap."""
    return _overlap(np.eye(3), np.zeros(3), vector_of(extents, 3, "extents"), obb)


@guarded
def CheckOBBCollision(obb1: OrientedBox, obb2: OrientedBox) -> bool:
    """Return True if two boxes overlap."""
    matrix = obb1._matrix
    return _overlap(matrix[:3, :3], matrix[:3, 3], obb1._extents, obb2)


def _overlap(turn: Array, centre: Array, extents: Array, other: OrientedBox) -> bool:
    """Return True unless one of the 15 axes of two boxes separates them."""
    ours = turn.T
    theirs = other._matrix[:3, :3].T
    between = np.cross(ours[:, None], theirs[None]).reshape(-1, 3)
    axes = np.concatenate((ours, theirs, between))
    reach = np.abs(axes @ turn) @ extents
    reach += np.abs(axes @ other._matrix[:3, :3]) @ other._extents
    apart = np.abs(axes @ (other._matrix[:3, 3] - centre))
    # parallel edges make an axis of rounding errors, which separates nothing
    return not bool((apart > reach + 1e-12).any())
