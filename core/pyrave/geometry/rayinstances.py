"""Instances that rays can hit: primitives and meshes at poses."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry.kernels import primitives as kinds
from pyrave.geometry.mesh import COORDINATE_LIMIT, Mesh
from pyrave.geometry.primitives import prism_mesh, shape_boxes, shape_mesh
from pyrave.scene.geometry import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    NoShape,
    Prism,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave.spatial import Array, as_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Cone:
    """A cone along z, centred, its tip up; cut off if it has a radius there, metres."""

    radius: float
    height: float
    top_radius: float = 0.0
    type: ClassVar[str] = "cone"


@dataclass(frozen=True, slots=True)
class Plane:
    """The endless plane z = 0; both sides can be hit."""

    type: ClassVar[str] = "plane"


Solid = Box | Sphere | Cylinder | Capsule | Cone | Plane | Mesh


@dataclass(frozen=True, slots=True, eq=False)
class RayInstance:
    """One thing that rays can hit.

    Parameters
    ----------
    solid
        A primitive of the scene description, a `Cone`, a `Plane`, or a mesh; instances
        of one `Mesh` object share its search tree.
    T_world
        (4, 4) pose T_world_geometry, or anything `pyrave.spatial.as_pose` takes.
    id
        Number that hits report, not negative; several instances may share it.
    offset
        (4, 4) T_geometry_solid, fixed; for geometries that consist of several solids.
    """

    solid: Solid
    T_world: ArrayLike = field(default_factory=lambda: np.eye(4))
    id: int = 0
    offset: ArrayLike | None = None


def ray_instances(
    shape: Shape,
    T_world: ArrayLike,  # noqa: N803
    id: int,  # noqa: A002
    mesh: Mesh | None = None,
) -> list[RayInstance]:
    """Return the instances that stand for a shape of a scene description.

    Containers and cages become boxes, prisms meshes, shapes without extent nothing.

    Parameters
    ----------
    T_world
        (4, 4) T_world_geometry.
    id
        Number that hits report.
    mesh
        The loaded mesh of a `TriMesh`; needed if it refers to a file.
    """
    match shape:
        case NoShape():
            return []
        case Box() | Sphere() | Cylinder() | Capsule():
            return [RayInstance(shape, T_world, id)]
        case Container() | Cage():
            return [
                RayInstance(Box(tuple(half.tolist())), T_world, id, offset)
                for offset, half in shape_boxes(shape)
            ]
        case Prism():
            return [RayInstance(_shared_prism(shape), T_world, id)]
        case TriMesh():
            return [RayInstance(mesh or shape_mesh(shape), T_world, id)]


@functools.lru_cache(maxsize=256)
def _shared_prism(shape: Prism) -> Mesh:
    return prism_mesh(shape.cross_section, shape.height)


def poses_of(values: Sequence[ArrayLike], name: str) -> Array:
    """Return n poses as (n, 4, 4); those that are rigid matrices are checked at once.

    Raises
    ------
    ArgumentError
        One is no pose, named by its number.
    """
    n = len(values)
    poses = np.empty((n, 4, 4))
    plain = np.zeros(n, np.bool_)
    for k, value in enumerate(values):
        if (
            type(value) is np.ndarray
            and value.shape == (4, 4)
            and value.dtype.kind in "fiu"
        ):
            poses[k] = value
            plain[k] = True
    turn = poses[:, :3, :3]
    with np.errstate(all="ignore"):
        square = turn @ turn.transpose(0, 2, 1)
        exact = (
            plain
            & (np.abs(square - np.eye(3)).max(axis=(1, 2), initial=0.0) < 1e-12)
            & (poses[:, 3] == (0.0, 0.0, 0.0, 1.0)).all(axis=1)
            & np.isfinite(poses).all(axis=(1, 2))
            & (np.linalg.det(np.where(plain[:, None, None], turn, 0.0)) > 0.0)
        )
    for k in np.flatnonzero(~exact).tolist():
        poses[k] = as_pose(values[k], f"{name} of instance {k}")
    return poses


def kind_and_sizes(solid: Solid, k: int) -> tuple[int, tuple[float, float, float]]:
    """Return the kernels' kind and sizes; nothing for what has no surface.

    Raises
    ------
    ArgumentError
        Sizes that are negative or not finite, or something else than a solid.
    """
    match solid:
        case Mesh():
            x, y, z = solid.aabb[1].tolist()
            return (kinds.MESH if len(solid.faces) else kinds.NOTHING), (x, y, z)
        case Box():
            kind, sizes = kinds.BOX, tuple(solid.half_extents)
        case Sphere():
            kind, sizes = kinds.SPHERE, (solid.radius, 0.0, 0.0)
        case Cylinder():
            kind, sizes = kinds.CYLINDER, (solid.radius, 0.5 * solid.height, 0.0)
        case Capsule():
            kind, sizes = kinds.CAPSULE, (solid.radius, 0.5 * solid.height, 0.0)
        case Cone():
            kind = kinds.CONE
            sizes = (solid.radius, solid.top_radius, 0.5 * solid.height)
        case Plane():
            return kinds.PLANE, (0.0, 0.0, 0.0)
        case _:
            raise ArgumentError(
                f"instance {k} is a {type(solid).__name__}; expected a box, sphere, "
                "cylinder, capsule, cone, plane or Mesh (ray_instances takes every "
                "shape)"
            )
    numbers = tuple(map(float, sizes))
    if len(numbers) != 3 or not all(0.0 <= x <= COORDINATE_LIMIT for x in numbers):
        raise ArgumentError(
            f"instance {k}, a {solid.type}, has the sizes {list(numbers)}; expected 0 "
            f"to {COORDINATE_LIMIT:g} metres"
        )
    return _with_surface(kind, *numbers), numbers


def _with_surface(kind: int, a: float, b: float, c: float) -> int:
    """Return the kind, or nothing for a line or a point; a plate is something."""
    if kind == kinds.BOX:
        there = (a > 0.0) + (b > 0.0) + (c > 0.0) >= 2
    elif kind == kinds.CONE:
        there = c > 0.0 and (a > 0.0 or b > 0.0)
    else:
        there = a > 0.0
    return kind if there else kinds.NOTHING


def half_boxes(kind: NDArray[np.int32], sizes: Array, rotation: Array) -> Array:
    """Return the half extents (n, 3) of the boxes of turned solids, exact.

    Parameters
    ----------
    kind, sizes, rotation
        (n,), (n, 3) and (n, 3, 3) R_world_solid; for a mesh sizes are half extents.
    """
    half: Array = np.einsum("kij,kj->ki", np.abs(rotation), sizes)
    rounded = np.isin(kind, (kinds.SPHERE, kinds.CYLINDER, kinds.CAPSULE, kinds.CONE))
    if rounded.any():
        axis = np.abs(rotation[rounded, :, 2])
        which = kind[rounded, None]
        a, b, c = np.split(sizes[rounded], 3, axis=1)
        cone = which == kinds.CONE
        radius = np.where(cone, np.maximum(a, b), a)
        length = np.where(cone, c, b)
        disk = np.sqrt(np.maximum(1.0 - axis * axis, 0.0))
        flat = cone | (which == kinds.CYLINDER)
        half[rounded] = axis * length + radius * np.where(flat, disk, 1.0)
    return half
