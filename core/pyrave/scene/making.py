"""Descriptions of bodies for scripts: boxes, spheres, a mesh, or any geometries.

The bodies have one link, ``base``. Give the result to `pyrave.Environment.create_body`
or to `pyrave.KinBody.init`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.scene.body import BodyDescription, Inertial, LinkDescription
from pyrave.scene.geometry import (
    MESH_LOOK,
    Box,
    GeometryDescription,
    MeshData,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave.scene.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_WEIGHTLESS = Inertial()


def body_from_geometries(
    name: str,
    geometries: Iterable[GeometryDescription],
    *,
    static: bool = True,
    inertial: Inertial = _WEIGHTLESS,
) -> BodyDescription:
    """Return a body of one link with geometries in its frame.

    Parameters
    ----------
    static
        Whether physics never moves it.
    inertial
        Mass, centre and inertia; a kilogram without shape unless given.

    Raises
    ------
    ArgumentError
        Something else than descriptions of geometries is given.
    """
    known = tuple(geometries)
    for geometry in known:
        if not isinstance(geometry, GeometryDescription):
            raise ArgumentError(
                f"{geometry!r} is no geometry; expected GeometryDescription(Box(...)) "
                "or similar"
            )
    link = LinkDescription("base", geometries=known, static=static, inertial=inertial)
    return BodyDescription(name, (link,))


def body_from_boxes(
    name: str,
    boxes: ArrayLike,
    *,
    visible: bool = True,
    static: bool = True,
    inertial: Inertial = _WEIGHTLESS,
) -> BodyDescription:
    """Return a body of boxes along its axes.

    Parameters
    ----------
    boxes
        (n, 6) centre x y z and half extents of each, metres.
    visible
        Whether viewers show them.
    static, inertial
        As for `body_from_geometries`.
    """
    rows = _rows(boxes, 6, "boxes", "centre and half extents")
    if (rows[:, 3:] < 0).any():
        raise ArgumentError(f"boxes have negative half extents: {rows[:, 3:].tolist()}")
    shapes = [
        _shown(Box((a, b, c)), Pose.from_translation(x, y, z), visible=visible)
        for x, y, z, a, b, c in rows.tolist()
    ]
    return body_from_geometries(name, shapes, static=static, inertial=inertial)


def body_from_spheres(
    name: str,
    spheres: ArrayLike,
    *,
    visible: bool = True,
    static: bool = True,
    inertial: Inertial = _WEIGHTLESS,
) -> BodyDescription:
    """Return a body of spheres.

    Parameters
    ----------
    spheres
        (n, 4) centre x y z and radius of each, metres.
    visible
        Whether viewers show them.
    static, inertial
        As for `body_from_geometries`.
    """
    rows = _rows(spheres, 4, "spheres", "centre and radius")
    if (rows[:, 3] < 0).any():
        raise ArgumentError(f"spheres have negative radii: {rows[:, 3].tolist()}")
    shapes = [
        _shown(Sphere(r), Pose.from_translation(x, y, z), visible=visible)
        for x, y, z, r in rows.tolist()
    ]
    return body_from_geometries(name, shapes, static=static, inertial=inertial)


def body_from_mesh(
    name: str,
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    visible: bool = True,
    static: bool = True,
    inertial: Inertial = _WEIGHTLESS,
) -> BodyDescription:
    """Return a body of one triangle mesh.

    Parameters
    ----------
    vertices
        (n, 3) metres, in the body's frame.
    faces
        (m, 3) indices of vertices.
    visible
        Whether viewers show it.
    static, inertial
        As for `body_from_geometries`.
    """
    points = _rows(vertices, 3, "vertices", "x y z")
    numbers = np.asarray(faces)
    if (
        numbers.ndim != 2
        or numbers.shape[1] != 3
        or not np.issubdtype(numbers.dtype, np.integer)
        or (numbers < 0).any()
        or (numbers >= len(points)).any()
    ):
        raise ArgumentError(
            f"faces have shape {numbers.shape} and type {numbers.dtype}, expected "
            f"(m, 3) whole numbers from 0 to {len(points) - 1}"
        )
    shape = TriMesh(MeshData(points, numbers.astype(np.int32)))
    return body_from_geometries(
        name, [_shown(shape, visible=visible)], static=static, inertial=inertial
    )


def _shown(
    shape: Shape, pose: Pose = IDENTITY, *, visible: bool
) -> GeometryDescription:
    return GeometryDescription(shape, pose=pose, visible=visible, material=MESH_LOOK)


def _rows(given: ArrayLike, size: int, name: str, meaning: str) -> NDArray[np.float64]:
    try:
        rows = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or rows.shape[1] != size or not np.isfinite(rows).all():
        raise ArgumentError(
            f"{name} are {given!r:.200}, expected finite (n, {size}) numbers: {meaning}"
        )
    return rows
