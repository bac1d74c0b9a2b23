"""Geometries as ``Drawable`` and ``CollisionModel``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import Error
from pyrave.formats.output.numbers import numbers, rounded
from pyrave.geometry import shape_mesh
from pyrave.scene import (
    Box,
    Cylinder,
    MeshData,
    MeshReference,
    NoShape,
    Sphere,
    TriMesh,
)
from pyrave_workcell.workcell.shapes import cone, plane, tessellated, tube
from pyrave_workcell.workcell.writing.bodies import OTHERWISE
from pyrave_workcell.workcell.writing.elements import add, add_pose

if TYPE_CHECKING:
    from pyrave.formats import Losses
    from pyrave.scene import GeometryDescription, Shape
    from pyrave_workcell.workcell.writing.meshes import SideFiles

_GREY = (0.6, 0.6, 0.6)
_LEVEL = 20
_MIN_SIDES = 3
_Geometry = tuple[str, dict[str, str]]


def is_model(geometry: GeometryDescription) -> bool:
    """Return True if a geometry is written: it is seen, or collides."""
    solid = not isinstance(geometry.shape, NoShape)
    shown = geometry.render is not None and geometry.visible
    return geometry.group == "self" and (solid or shown)


class ModelWriter:
    """Writes the geometries of frames."""

    def __init__(self, files: SideFiles, losses: Losses) -> None:
        self._files = files
        self._losses = losses

    def add(self, frame: Any, geometry: GeometryDescription, link: str) -> None:
        """Append a geometry that `is_model` to the element of its frame."""
        losses = self._losses
        if geometry.readables:
            losses.add("data of geometries are not written", link)
        if geometry.material.ambient is not None:
            losses.add("ambient colours are not written", link)
        if not geometry.modifiable:
            losses.add("that geometries cannot be changed is not written", link)
        shape, render = geometry.shape, geometry.render
        shown = None if render is None else render.mesh
        if isinstance(shape, NoShape) and shown is not None:
            made = recognised(shown) or self._mesh(shown, link)
            self._model(frame, geometry, made, link, colmodel="Disabled")
        elif not geometry.visible:
            self._model(frame, geometry, self._solid(shape, link), link, drawn=False)
        elif shown is None:
            self._model(frame, geometry, self._solid(shape, link), link)
        else:
            self._add_two(frame, geometry, shown, link)

    def _add_two(
        self,
        frame: Any,
        geometry: GeometryDescription,
        shown: MeshReference | MeshData,
        link: str,
    ) -> None:
        """Append a geometry that may look otherwise than it collides."""
        solid = geometry.shape.mesh if isinstance(geometry.shape, TriMesh) else None
        if isinstance(solid, MeshReference) and isinstance(shown, MeshReference):
            name = self._files.both(solid, shown)
            if name is not None:
                self._model(frame, geometry, ("Polytope", {"file": name}), link)
                return
        if solid == shown:  # a file of another format or size, written anew
            self._model(frame, geometry, self._solid(geometry.shape, link), link)
            return
        self._losses.add(
            "geometries that look otherwise than they collide are two models",
            link,
            kind=OTHERWISE,
        )
        made = recognised(shown) or self._mesh(shown, link)
        self._model(frame, geometry, made, link, colmodel="Disabled")
        solid_made = self._solid(geometry.shape, link)
        self._model(frame, geometry, solid_made, link, drawn=False, quiet=True)

    # -- one model ---------------------------------------------------------------------

    def _model(
        self,
        frame: Any,
        geometry: GeometryDescription,
        made: _Geometry | None,
        link: str,
        *,
        drawn: bool = True,
        colmodel: str = "",
        quiet: bool = False,
    ) -> None:
        if made is None:
            return
        tag, attributes = made
        name = geometry.name
        if not name:
            self._losses.add(
                "geometries without a name have that of their link",
                link,
                kind=OTHERWISE,
            )
        kind = "Drawable" if drawn else "CollisionModel"
        model = add(frame, kind, name=name or link, colmodel=colmodel)
        add_pose(model, geometry.pose)
        is_file = tag == "Polytope"
        if drawn:
            # triangles of another shape have no colours of their own
            meshed = geometry.render is not None or isinstance(geometry.shape, TriMesh)
            self._add_color(model, geometry, link, is_file=is_file and meshed)
        elif not quiet and not _is_plain(geometry, is_file=is_file):
            self._losses.add("colours of what is not shown are not written", link)
        add(model, tag, **attributes)

    def _add_color(
        self, model: Any, geometry: GeometryDescription, link: str, *, is_file: bool
    ) -> None:
        look = geometry.material
        if _is_plain(geometry, is_file=is_file):
            return
        if look.diffuse is None:
            if is_file:
                self._losses.add(
                    "transparency of meshes with colours of their own", link
                )
                return
            self._losses.add("shapes without a colour are grey", link, kind=OTHERWISE)
        values = list(look.diffuse or _GREY)
        if look.transparency:
            values.append(1.0 - look.transparency)
        bounded = [min(max(value, 0.0), 1.0) for value in values]
        if bounded != values:
            self._losses.add("colours beyond 0 to 1 are cut", link)
        add(model, "RGB").text = numbers(bounded)

    # -- shapes ------------------------------------------------------------------------

    def _solid(self, shape: Shape, link: str) -> _Geometry | None:
        """Return the element of what collides."""
        made = _primitive(shape)
        if made is not None:
            return made
        if isinstance(shape, TriMesh):
            if isinstance(shape.mesh, MeshData):
                known = _round_mesh(shape.mesh)
                if known is not None:
                    return known
            return self._mesh(shape.mesh, link)
        try:
            mesh = shape_mesh(shape)
        except Error as error:  # sizes that no shape has
            self._losses.add(f"a {shape.type} is not written: {error}", link)
            return None
        self._losses.add("shapes that RobWork has not are meshes", link, kind=OTHERWISE)
        data = MeshData(mesh.vertices, mesh.faces)
        name = self._files.mesh(data, link, told=True)
        return None if name is None else ("Polytope", {"file": name})

    def _mesh(self, mesh: MeshReference | MeshData, link: str) -> _Geometry | None:
        name = self._files.mesh(mesh, link)
        return None if name is None else ("Polytope", {"file": name})


def _is_plain(geometry: GeometryDescription, *, is_file: bool) -> bool:
    """Return True if a geometry has the colour that it has without an ``RGB``."""
    look = geometry.material
    return look.diffuse == (None if is_file else _GREY) and not look.transparency


def _primitive(shape: Shape) -> _Geometry | None:
    if isinstance(shape, Box):
        sizes = zip("xyz", shape.half_extents, strict=True)
        return "Box", {name: numbers((2.0 * half,)) for name, half in sizes}
    if isinstance(shape, Sphere):
        return "Sphere", {"radius": numbers((shape.radius,))}
    if isinstance(shape, Cylinder):
        size = {"radius": numbers((shape.radius,)), "z": numbers((shape.height,))}
        return "Cylinder", size
    return None


def recognised(mesh: MeshReference | MeshData) -> _Geometry | None:
    """Return the shape that triangles are shown for, None if it is none."""
    if not isinstance(mesh, MeshData) or not len(mesh.vertices):
        return None
    v = mesh.vertices
    x, y, z = (float(one) for one in v.max(axis=0))
    radius = float(v[0, 0])
    for shape in (Box((x, y, z)), Sphere(z), Cylinder(radius, 2.0 * z)):
        # a box begins with its lowest corner
        is_round = not isinstance(shape, Box)
        if min(x, y, z, radius if is_round else 0.0) < 0.0:
            continue
        if tessellated(shape) == mesh:
            return _primitive(shape)
    return _round_mesh(mesh)


def _round_mesh(mesh: MeshData) -> _Geometry | None:
    """Return the plane, cone or tube that RobWork's reader made triangles of."""
    v = mesh.vertices
    if mesh == plane():
        return "Plane", {}
    if len(v) < _MIN_SIDES + 2:
        return None
    radius, height = float(v[0, 0]), 2.0 * float(v[0, 2])
    if radius < 0.0 or height < 0.0:
        return None
    n = len(v) - 2
    is_cone = n >= _MIN_SIDES and len(mesh.faces) == 2 * n
    if is_cone and cone(radius, height, n) == mesh:
        return "Cone", _sized(n, radius=radius, z=height)
    n, rest = divmod(len(v), 4)
    if rest == 0 and n >= _MIN_SIDES and len(mesh.faces) == 8 * n:
        inner = float(v[2 * n, 0])
        thickness = rounded(radius - inner)
        if 0.0 <= inner <= radius and tube(inner, radius, height, n) == mesh:
            return "Tube", _sized(n, radius=inner, thickness=thickness, z=height)
    return None


def _sized(level: int, **sizes: float) -> dict[str, str]:
    made = {name: numbers((size,)) for name, size in sizes.items()}
    return made if level == _LEVEL else made | {"level": str(level)}
