"""Descriptions of bodies for scripts: boxes, spheres, a mesh, or any geometries.

The bodies have one link, ``base``. Give the result to `pyrave.Environment.create_body`
or to `pyrave.KinBody.init`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.scene.body import BodyDescription, Inertial, LinkDescription
from pyrave.scene.geometry import (
    MESH_LOOK,
    Box,
    GeometryDescription,
    Material,
    MeshData,
    Sphere,
    TriMesh,
)
from pyrave.scene.inertia import union_of
from pyrave.scene.pose import Pose
from pyrave.spatial import as_ndarray, as_number, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def body_from_geometries(
    name: str,
    geometries: Iterable[GeometryDescription],
    *,
    static: bool = True,
    mass: float | None = None,
    density: float | None = None,
    inertial: Inertial | None = None,
) -> BodyDescription:
    """Return a body of one link with geometries in its frame.

    Parameters
    ----------
    static
        Whether physics never moves it.
    mass
        Of all geometries together, kg: centre and inertia are those of a material of
        one density. Where geometries overlap, each counts. Default: 1; a body whose
        geometries enclose no volume, and a static one, then has the inertia of a
        ball of 1 m.
    density
        Of that material instead, kg/m3; water has 1000.
    inertial
        Mass, centre and inertia instead, as measured.

    Raises
    ------
    ArgumentError
        Something else than descriptions of geometries is given, more than one of
        `mass`, `density` and `inertial`, or a mass for geometries without volume:
        meshes that are not closed or that files have, other groups than ``"self"``.
    """
    known = tuple(geometries)
    for geometry in known:
        if not isinstance(geometry, GeometryDescription):
            raise ArgumentError(
                f"{geometry!r} is no geometry; expected GeometryDescription(Box(...)) "
                "or similar"
            )
    inertial = _inertial(name, known, mass, density, inertial, static=static)
    link = LinkDescription("base", geometries=known, static=static, inertial=inertial)
    return BodyDescription(name, (link,))


def body_from_boxes(
    name: str,
    boxes: ArrayLike,
    *,
    visible: bool = True,
    color: ArrayLike | None = None,
    static: bool = True,
    mass: float | None = None,
    density: float | None = None,
    inertial: Inertial | None = None,
) -> BodyDescription:
    """Return a body of boxes along its axes.

    Parameters
    ----------
    boxes
        (n, 6) centre x y z and half extents of each, metres.
    visible
        Whether viewers show them.
    color
        Red, green, blue, and opacity if there is a fourth number, 0 to 1.
    static, mass, density, inertial
        As for `body_from_geometries`.
    """
    rows = _rows(boxes, 6, "boxes", "centre and half extents")
    if (rows[:, 3:] < 0).any():
        raise ArgumentError(f"boxes have negative half extents: {rows[:, 3:].tolist()}")
    look = _look(color)
    shapes = [
        GeometryDescription(
            Box((a, b, c)),
            pose=Pose.from_translation(x, y, z),
            visible=visible,
            material=look,
        )
        for x, y, z, a, b, c in rows.tolist()
    ]
    return body_from_geometries(
        name, shapes, static=static, mass=mass, density=density, inertial=inertial
    )


def body_from_spheres(
    name: str,
    spheres: ArrayLike,
    *,
    visible: bool = True,
    color: ArrayLike | None = None,
    static: bool = True,
    mass: float | None = None,
    density: float | None = None,
    inertial: Inertial | None = None,
) -> BodyDescription:
    """Return a body of spheres.

    Parameters
    ----------
    spheres
        (n, 4) centre x y z and radius of each, metres.
    visible
        Whether viewers show them.
    color
        Red, green, blue, and opacity if there is a fourth number, 0 to 1.
    static, mass, density, inertial
        As for `body_from_geometries`.
    """
    rows = _rows(spheres, 4, "spheres", "centre and radius")
    if (rows[:, 3] < 0).any():
        raise ArgumentError(f"spheres have negative radii: {rows[:, 3].tolist()}")
    look = _look(color)
    shapes = [
        GeometryDescription(
            Sphere(r),
            pose=Pose.from_translation(x, y, z),
            visible=visible,
            material=look,
        )
        for x, y, z, r in rows.tolist()
    ]
    return body_from_geometries(
        name, shapes, static=static, mass=mass, density=density, inertial=inertial
    )


def body_from_mesh(
    name: str,
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    visible: bool = True,
    color: ArrayLike | None = None,
    static: bool = True,
    mass: float | None = None,
    density: float | None = None,
    inertial: Inertial | None = None,
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
    color
        Red, green, blue, and opacity if there is a fourth number, 0 to 1.
    static, mass, density, inertial
        As for `body_from_geometries`.
    """
    points = _rows(vertices, 3, "vertices", "x y z")
    numbers = as_ndarray(faces, "faces")
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
    look = _look(color)
    shape = TriMesh(MeshData(points, numbers.astype(np.int32)))
    return body_from_geometries(
        name,
        [GeometryDescription(shape, visible=visible, material=look)],
        static=static,
        mass=mass,
        density=density,
        inertial=inertial,
    )


def _look(color: ArrayLike | None) -> Material:
    if color is None:
        return MESH_LOOK
    numbers = as_numbers(color, "color")
    if numbers.shape not in {(3,), (4,)} or not ((numbers >= 0) & (numbers <= 1)).all():
        raise ArgumentError(
            f"color is {color!r:.200}, expected 3 or 4 numbers from 0 to 1: red, "
            "green, blue, opacity"
        )
    red, green, blue, opacity = (*numbers.tolist(), 1.0)[:4]
    ambient = (0.1 * red, 0.1 * green, 0.1 * blue)
    return Material((red, green, blue), ambient, 1.0 - opacity)


def _inertial(
    name: str,
    geometries: Sequence[GeometryDescription],
    mass: float | None,
    density: float | None,
    inertial: Inertial | None,
    *,
    static: bool,
) -> Inertial:
    given = {"mass": mass, "density": density, "inertial": inertial}
    said = [key for key, value in given.items() if value is not None]
    if len(said) > 1:
        raise ArgumentError(
            f"body {name!r} is given {' and '.join(said)}; expected one of them"
        )
    if inertial is not None:
        return inertial
    if static and not said:
        return Inertial()  # which counts nowhere
    solid = union_of(geometries)
    if not said:
        return solid.with_mass(1.0) if solid.volume > 0.0 else Inertial()
    amount = as_number(given[said[0]], f"{said[0]} of body {name!r}", least=0.0)
    if not solid.volume > 0.0:
        raise ArgumentError(
            f"the geometries of body {name!r} enclose no volume, so {said[0]} "
            f"{amount:g} gives no inertia; give inertial=Inertial(mass, com, inertia)"
        )
    return solid.with_density(amount) if mass is None else solid.with_mass(amount)


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
