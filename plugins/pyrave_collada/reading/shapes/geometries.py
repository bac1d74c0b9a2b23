"""Geometries of links: analytic shapes of OpenRAVE, or triangles by material."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import (
    IDENTITY,
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    Material,
    MeshData,
    NoShape,
    Pose,
    RenderMesh,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave_collada.document.extras import exact_part, openrave_technique
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.parsed import child, children, one_word
from pyrave_collada.reading.rigid import rigid_and_deformed
from pyrave_collada.reading.shapes.materials import Materials
from pyrave_collada.reading.shapes.nodes import shown_geometry
from pyrave_collada.reading.shapes.polygons import MeshPart, read_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pyrave.scene.pose import Vec3
    from pyrave.spatial import Array
    from pyrave_collada.reading.load import ColladaReading

_MAX_TRIANGLES = 50_000_000
# OpenRAVE's cylinders stand along z, COLLADA's along y
_Y_TO_Z = Pose((1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0))


class Geometries:
    """Turns instances of geometries into descriptions; each mesh is read once."""

    def __init__(self, reading: ColladaReading) -> None:
        self._reading = reading
        self._materials = Materials(reading.library.target, self._note)
        self._parts: dict[Any, list[MeshPart]] = {}
        self._meshes: dict[tuple[Any, int, bytes], MeshData] = {}
        self._triangles_left = _MAX_TRIANGLES

    def _note(self, message: str, element: Any) -> None:
        self._reading.warn(element, "mesh-detail", message)

    def read(self, instance: Any, matrix: Array) -> Iterator[GeometryDescription]:
        """Yield the geometries of an ``<instance_geometry>`` on a link.

        Parameters
        ----------
        matrix
            (4, 4) T_link_node, perhaps with scaling.
        """
        reading = self._reading
        geometry, place = shown_geometry(
            instance, reading.library.target, reading.unit, self._note
        )
        if geometry is None:
            reading.dangling(instance, "the geometry", instance.get("url") or "")
            return
        pose, deform = rigid_and_deformed(matrix @ place)
        materials = self._materials.bound(instance)
        info = openrave_technique(geometry, "geometry_info")
        local, visible = IDENTITY, True
        analytic: Shape | None = None
        if info is not None:
            local = self._reading.values.pose(info)
            shown = child(info, "visible")
            if shown is not None:
                inner = child(shown, "bool")
                truth = self._reading.values.truth(shown if inner is None else inner)
                visible = truth is not False
            analytic = self._shape(info, deform)
        common: dict[str, Any] = {
            "visible": visible,
            "name": _name(geometry),
            "location": self._reading.location(instance),
        }
        if analytic is not None:
            turned = _Y_TO_Z if _stands_along_y(info) else IDENTITY
            moved = Pose(local.rotation, _deformed(deform, local.translation))
            looks = next(iter(materials.values()), Material())
            yield GeometryDescription(
                analytic, pose=pose @ moved @ turned, material=looks, **common
            )
            return
        exact = exact_part(geometry)
        only_shown = exact is not None and child(exact, "shown") is not None
        for number, part in enumerate(self._read(geometry)):
            material = materials.get(part.symbol)
            if material is None and len(materials) == 1 and not part.symbol:
                (material,) = materials.values()
            mesh = self._mesh(geometry, number, part, deform, local)
            yield GeometryDescription(
                NoShape() if only_shown else TriMesh(mesh),
                render=RenderMesh(mesh) if only_shown else None,
                pose=pose @ local,
                material=material or Material(),
                **common,
            )

    # -- meshes ------------------------------------------------------------------

    def _read(self, geometry: Any) -> list[MeshPart]:
        if geometry not in self._parts:
            parts: list[MeshPart] = []
            try:
                parts = read_parts(geometry, self._reading.library.target, self._note)
            except ElementError as error:
                self._reading.warn(
                    error.element,
                    "bad-mesh",
                    f"geometry {geometry.get('id')!r} is left out: {error}",
                )
            self._triangles_left -= sum(len(part.faces) for part in parts)
            if self._triangles_left < 0:
                self._reading.error(
                    geometry,
                    "file-too-large",
                    f"the scene has more than {_MAX_TRIANGLES} triangles",
                )
                parts = []
            self._parts[geometry] = parts
        return self._parts[geometry]

    def _mesh(
        self, geometry: Any, number: int, part: MeshPart, deform: Array, local: Pose
    ) -> MeshData:
        """Return a part in the frame of its geometry, metres."""
        key = geometry, number, deform.tobytes()
        if key not in self._meshes:
            vertices = part.vertices * self._reading.unit(geometry)
            linear, place = deform, np.zeros(3)
            if local is not IDENTITY and local != IDENTITY:
                inverse = local.inverse().matrix
                linear, place = inverse[:3, :3] @ deform, inverse[:3, 3]
            faces = part.faces
            if np.linalg.det(deform) < 0.0:
                faces = faces[:, ::-1]
            vertices = _moved(vertices, linear, place)
            self._meshes[key] = self._exactly(geometry, vertices, faces)
        return self._meshes[key]

    def _exactly(
        self, geometry: Any, vertices: Array, faces: NDArray[np.int32]
    ) -> MeshData:
        """Return a mesh with what the geometry's ``<exact>`` says of its vertices."""
        exact = exact_part(geometry)
        if exact is None:
            return MeshData(vertices, faces)
        if child(exact, "unshared") is not None:
            vertices = vertices[faces.reshape(-1)]
            faces = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
        return MeshData(vertices, faces)

    # -- shapes --------------------------------------------------------------------

    def _shape(self, info: Any, deform: Array) -> Shape | None:
        """Return the analytic shape of a geometry_info, or None."""
        for element in children(info):
            unit = self._reading.unit(element)
            scale = np.linalg.norm(deform, axis=0)
            match element.tag:
                case "box":
                    half = self._numbers(element, "half_extents", 3)
                    if half is not None:
                        return Box(_vec(np.array(half) * unit * scale))
                case "sphere":
                    radius = self._numbers(element, "radius", 1)
                    if radius is not None:
                        return Sphere(next(iter(radius)) * unit * float(scale.max()))
                case "cylinder" | "cylinderz" | "capsule":
                    return self._round(element, unit, scale)
                case "container":
                    return self._container(element, unit * scale)
                case "cage":
                    return self._cage(element, unit)
                case "plane":
                    self._note("<plane> has no end; the mesh stands for it", element)
        return None

    def _round(self, element: Any, unit: float, scale: Array) -> Shape | None:
        radius = self._first(element, "radius")
        height = self._first(element, "height")
        if radius is None or height is None:
            return None
        along = 2 if element.tag == "cylinderz" else 1
        across = [s for i, s in enumerate(scale) if i != along]
        radius *= unit * float(max(across))
        height *= unit * float(scale[along])
        if element.tag == "capsule":
            return Capsule(radius, height)
        return Cylinder(radius, height)

    def _container(self, element: Any, factor: Array) -> Shape | None:
        sizes = {}
        for name in ("outer_extents", "inner_extents", "bottom_cross", "bottom"):
            if child(element, name) is not None:
                found = self._numbers(element, name, 3)
                if found is not None:
                    sizes[name] = _vec(np.array(found) * factor)
        if not {"outer_extents", "inner_extents"} <= set(sizes):
            return None
        return Container(**sizes)

    def _cage(self, element: Any, unit: float) -> Shape | None:
        base = child(element, "half_extents")
        if base is None:
            base = child(element, "base_half_extents")
        half = None if base is None else self._reading.values.numbers(base, 3)
        if half is None:
            return None
        walls = []
        for wall in children(element, "sidewall"):
            extents = self._numbers(wall, "half_extents", 3)
            if extents is not None:
                pose = self._reading.values.pose(wall)
                walls.append((pose, _vec(np.array(extents) * unit)))
        return Cage(_vec(np.array(half) * unit), tuple(walls))

    def _numbers(self, element: Any, tag: str, count: int) -> tuple[float, ...] | None:
        one = child(element, tag)
        if one is None:
            self._note(
                f"<{element.tag}> has no <{tag}>; the mesh stands for it", element
            )
            return None
        return self._reading.values.numbers(one, count)

    def _first(self, element: Any, tag: str) -> float | None:
        """Return the first number of a child: radii may be given twice."""
        one = child(element, tag)
        words: list[str] = [] if one is None else (one.text or "").split()
        try:
            value = float(words[0])
        except (IndexError, ValueError):
            value = math.nan
        if math.isfinite(value) and value >= 0.0:
            return value
        self._note(f"<{element.tag}> has no usable <{tag}>", element)
        return None


def _moved(points: Array, linear: Array, place: Array) -> Array:
    """Return (n, 3) points mapped by a matrix (3, 3) and moved.

    Coordinate by coordinate: libraries of linear algebra round differently from one
    machine to another.
    """
    if (linear == np.eye(3)).all() and not place.any():
        return points
    x, y, z = points.T
    return np.stack(
        [x * a + y * b + z * c + t for (a, b, c), t in zip(linear, place, strict=True)],
        axis=1,
    )


def _stands_along_y(info: Any) -> bool:
    """Return True if a shape is one of those that COLLADA's physics has along y."""
    shapes = ("box", "sphere", "cylinder", "cylinderz", "capsule", "container", "cage")
    first = next(children(info, *shapes), None)
    return first is not None and first.tag in {"cylinder", "capsule"}


def _name(geometry: Any) -> str:
    return one_word(geometry.get("name") or "")


def _vec(values: Array) -> Vec3:
    x, y, z = map(float, np.abs(values))
    return x, y, z


def _deformed(deform: Array, point: Vec3) -> Vec3:
    x, y, z = map(float, deform @ np.array(point))
    return x, y, z
