"""Geometries and materials of written files, each once however often it is shown.

As OpenRAVE's writer has it: vertices are in the frame of the link, `geometry_info` says
where the geometry's own frame is, and a geometry has one list of triangles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from pyrave.errors import Error
from pyrave.formats.meshes.json_values import is_unshared, shared_vertices
from pyrave.geometry import Mesh, shape_mesh
from pyrave.scene import (
    MESH_LOOK,
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    Material,
    MeshData,
    MeshReference,
    NoShape,
    RenderMesh,
    Sphere,
    TriMesh,
)
from pyrave_collada.writing.tags import (
    add,
    add_exact,
    add_extra,
    add_pose,
    add_truth,
    numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pyrave.scene import GeometryDescription, Pose, Shape
    from pyrave.spatial import Array

SHOWN_GROUP = "self"
"""Group of the geometries that are there; others are sets to choose from."""

_MIN_SHARE = 1e-6
"""Least opacity that is written: OpenRAVE makes invisible things opaque."""
_PLAIN = Material()
_SYMBOL = "mat0"


@dataclass(frozen=True, slots=True)
class Shown:
    """A geometry in the library, and the material that an instance binds.

    Parameters
    ----------
    collides
        False if the geometry is only shown.
    group
        Which geometries of the link it belongs to; `SHOWN_GROUP`: those of the node.
    """

    key: str
    material: Material
    collides: bool
    group: str


@dataclass(slots=True)
class _Entry:
    """A ``<geometry>`` and its id."""

    key: str
    element: Any


class GeometryLibrary:
    """The geometries, effects and materials of a file. Belongs to one save.

    Parameters
    ----------
    load
        Loads a mesh that is named, or None.
    lose
        Receives what other programs do not find in the file.
    """

    def __init__(
        self,
        load: Callable[[MeshReference], Mesh] | None,
        lose: Callable[[str], None],
    ) -> None:
        self._load = load
        self._lose = lose
        self._loaded: dict[MeshReference, Mesh | None] = {}
        self._entries: dict[Hashable, _Entry] = {}
        self._materials: dict[Material, str] = {}

    def shown(
        self, geometry: GeometryDescription, key: str, *, visible: bool
    ) -> Shown | None:
        """Return a geometry for the library; None if there is nothing to show.

        Parameters
        ----------
        key
            Its id, if no equal one is there yet.
        visible
            Whether other programs shall show it.
        """
        shape: Shape | RenderMesh = geometry.shape
        collides = not isinstance(shape, NoShape)
        if not collides and geometry.render is not None:
            shape = geometry.render
        mesh = self._mesh(shape, geometry.pose)
        own = getattr(shape, "mesh", None)
        if mesh is None or (own is not None and not len(mesh.faces)):
            return None
        if collides and geometry.render is not None:
            self._lose("meshes that are shown in place of shapes are for pyrave alone")
        wanted: Hashable = (
            repr(shape) if own is None else own,
            collides,
            geometry.pose,
            geometry.name,
            visible,
            None if geometry.group == SHOWN_GROUP else key,
        )
        if wanted not in self._entries:
            said = replace(geometry, visible=visible)
            self._entries[wanted] = _entry(said, mesh, own, key)
        material = geometry.material
        if isinstance(own, MeshReference):
            material = _looks(material, mesh.material, collides=collides)
        if material != _PLAIN:
            self._materials.setdefault(material, f"material{len(self._materials)}")
        return Shown(self._entries[wanted].key, material, collides, geometry.group)

    def bind_material(self, instance: Any, shown: Shown) -> None:
        """Append the material of a geometry to what instantiates it."""
        if shown.material == _PLAIN:
            return
        common = add(add(instance, "bind_material"), "technique_common")
        name = self._materials[shown.material]
        add(common, "instance_material", symbol=_SYMBOL, target=f"#{name}")

    def fill(self, geometries: Any, effects: Any, materials: Any) -> None:
        """Append everything to its library."""
        for entry in self._entries.values():
            geometries.append(entry.element)
        for material, name in self._materials.items():
            _add_effect(effects, material, f"{name}_effect")
            one = add(materials, "material", id=name)
            add(one, "instance_effect", url=f"#{name}_effect")

    def _mesh(self, shape: Shape | RenderMesh, pose: Pose) -> Mesh | None:
        """Return the triangles of a shape, None if they cannot be written."""
        try:
            mesh = None if isinstance(shape, NoShape) else self._triangles(shape)
            if mesh is not None:
                mesh.transformed(pose.matrix)  # numbers may be too large for a mesh
        except (Error, OverflowError) as error:
            kind = getattr(shape, "type", "mesh")
            self._lose(f"a {kind} is written for pyrave alone: {error}")
            return None
        return mesh

    def _triangles(self, shape: Shape | RenderMesh) -> Mesh | None:
        if not isinstance(shape, (RenderMesh, TriMesh)):
            return shape_mesh(shape)
        mesh = shape.mesh
        if isinstance(mesh, MeshData):
            return Mesh(mesh.vertices, mesh.faces)
        if mesh not in self._loaded:
            self._loaded[mesh] = None
            if mesh.found and self._load is not None:
                self._loaded[mesh] = found = self._load(mesh)
                count = len(found.materials)
                if count > 1:
                    self._lose(
                        f"{mesh.uri} has {count} materials; other programs see the "
                        "first one"
                    )
                if found.is_textured:
                    self._lose(
                        f"{mesh.uri} has images on it; other programs see it without"
                    )
            else:
                self._lose(f"{mesh.uri} is named for pyrave alone: it is not found")
        return self._loaded[mesh]


def _entry(
    geometry: GeometryDescription,
    mesh: Mesh,
    own: MeshReference | MeshData | None,
    key: str,
) -> _Entry:
    """Return the ``<geometry>`` of a mesh."""
    flags = ["shown"] if isinstance(geometry.shape, NoShape) else []
    vertices, faces = mesh.vertices + 0.0, mesh.faces
    if isinstance(own, MeshReference):
        vertices, faces, _ = shared_vertices(vertices, faces)
    elif own is not None and is_unshared(own):
        vertices, faces, _ = shared_vertices(vertices, faces)
        flags.append("unshared")
    elif own is not None:
        flags.append("indexed")
    element = add(etree.Element("holder"), "geometry", id=key, name=geometry.name)
    pose = geometry.pose.matrix
    placed = Mesh(vertices, faces).transformed(pose).vertices
    _add_triangles(add(element, "mesh"), placed, faces, key)
    technique = add_extra(element, "geometry_info")
    add_pose(technique, geometry.pose)
    _add_shape(technique, geometry.shape)
    add_truth(add(technique, "visible"), geometry.visible)
    exact = add_exact(element) if flags else None
    for flag in flags:
        add(exact, flag)
    return _Entry(key, element)


def _looks(own: Material, file: Material, *, collides: bool) -> Material:
    """Return the look of a mesh file with the colours of its geometry."""
    if not collides:
        return Material(
            own.diffuse or file.diffuse,
            own.ambient or file.ambient,
            own.transparency or file.transparency,
        )
    return Material(
        own.diffuse or file.diffuse or MESH_LOOK.diffuse,
        own.ambient or file.ambient or MESH_LOOK.ambient,
        own.transparency,
    )


def _add_triangles(mesh: Any, vertices: Array, faces: Any, key: str) -> None:
    """Append a source of positions and one list of triangles to a ``<mesh>``."""
    source = add(mesh, "source", id=f"{key}_positions")
    text = " ".join(map(repr, (vertices + 0.0).reshape(-1).tolist()))
    add(
        source,
        "float_array",
        text.replace(".0 ", " "),
        id=f"{key}_positions-array",
        count=str(vertices.size),
    )
    accessor = add(
        add(source, "technique_common"),
        "accessor",
        count=str(len(vertices)),
        source=f"#{key}_positions-array",
        stride="3",
    )
    for axis in "XYZ":
        add(accessor, "param", name=axis, type="float")
    inner = add(mesh, "vertices", id=f"{key}_vertices")
    add(inner, "input", semantic="POSITION", source=f"#{key}_positions")
    triangles = add(mesh, "triangles", count=str(len(faces)), material=_SYMBOL)
    add(
        triangles,
        "input",
        offset="0",
        semantic="VERTEX",
        source=f"#{key}_vertices",
        set="0",
    )
    add(triangles, "p", " ".join(map(str, faces.reshape(-1).tolist())))


def _add_shape(technique: Any, shape: Shape) -> None:
    match shape:
        case Box():
            add(add(technique, "box"), "half_extents", numbers(shape.half_extents))
        case Sphere():
            add(add(technique, "sphere"), "radius", numbers((shape.radius,)))
        case Cylinder():
            one = add(technique, "cylinderz")
            add(one, "radius", numbers((shape.radius, shape.radius)))
            add(one, "height", numbers((shape.height,)))
        case Capsule():
            one = add(technique, "capsule")
            add(one, "radius", numbers((shape.radius, shape.radius)))
            add(one, "height", numbers((shape.height,)))
        case Container():
            one = add(technique, "container")
            for name in ("outer_extents", "inner_extents", "bottom_cross", "bottom"):
                add(one, name, numbers(getattr(shape, name)))
        case Cage():
            one = add(technique, "cage")
            add(one, "half_extents", numbers(shape.half_extents))
            for pose, half in shape.walls:
                wall = add(one, "sidewall")
                add_pose(wall, pose)
                add(wall, "half_extents", numbers(half))


def _add_effect(library: Any, material: Material, key: str) -> None:
    effect = add(library, "effect", id=key)
    technique = add(add(effect, "profile_COMMON"), "technique", sid="common")
    phong = add(technique, "phong")
    for name in ("ambient", "diffuse"):
        colour = getattr(material, name)
        if colour is not None:
            add(add(phong, name), "color", numbers((*colour, 1.0)))
    share = float(np.clip(1.0 - material.transparency, _MIN_SHARE, 1.0))
    add(add(phong, "transparency"), "float", numbers((share,)))
