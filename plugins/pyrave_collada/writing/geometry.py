"""Geometries and materials of written files, each once however often it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.geometry import Mesh, shape_mesh
from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    Material,
    MeshReference,
    NoShape,
    Sphere,
    TriMesh,
)
from pyrave_collada.writing.tags import (
    PYRAVE,
    add,
    add_extra,
    add_pose,
    add_truth,
    numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pyrave.scene import GeometryDescription, Shape

__all__ = ["SHOWN_GROUP", "GeometryLibrary", "Shown"]

SHOWN_GROUP = "self"
"""Group of the geometries that are there; others are sets to choose from."""

_PLAIN = Material()
_SYMBOL = "mat"


@dataclass(frozen=True, slots=True)
class Shown:
    """A geometry in the library, and the materials that an instance binds.

    Parameters
    ----------
    parts
        How many geometries a reader makes of it.
    """

    key: str
    materials: tuple[Material, ...]
    parts: int


class GeometryLibrary:
    """The geometries, effects and materials of a file. Belongs to one save.

    Parameters
    ----------
    load
        Loads a mesh that is named, or None.
    lose
        Told of what is not written.
    """

    def __init__(
        self,
        load: Callable[[MeshReference], Mesh] | None,
        lose: Callable[[str], None],
    ) -> None:
        self._load = load
        self._lose = lose
        self._loaded: dict[MeshReference, Mesh | None] = {}
        self._geometries: dict[Hashable, tuple[str, Any]] = {}
        self._materials: dict[Material, str] = {}

    def shown(self, geometry: GeometryDescription, key: str) -> Shown | None:
        """Return a geometry for the library; None if there is nothing to show.

        Parameters
        ----------
        key
            Its id, if no equal one is there yet.
        """
        shape = geometry.shape
        mesh = self._mesh(shape, geometry)
        if mesh is None or (isinstance(shape, TriMesh) and not len(mesh.faces)):
            return None
        own = geometry.material
        looks = mesh.materials or (_PLAIN,)
        from_file = isinstance(getattr(shape, "mesh", None), MeshReference)
        if own.diffuse is not None or not from_file:
            mesh = Mesh(mesh.vertices, mesh.faces)
            looks = (own,)
        else:
            looks = tuple(_over(one, own) for one in looks)
        used = list(dict.fromkeys(mesh.material_of_faces.tolist())) or [0]
        materials = tuple(looks[index] for index in used)
        wanted: Hashable = (
            _key(shape),
            geometry.name,
            geometry.visible,
            len(materials),
            None if geometry.group == SHOWN_GROUP else key,
        )
        if wanted not in self._geometries:
            element = _geometry_element(geometry, mesh, used, key)
            self._geometries[wanted] = key, element
        for material in materials:
            if material != _PLAIN:
                self._materials.setdefault(material, f"material{len(self._materials)}")
        parts = len(materials) if isinstance(shape, TriMesh) else 1
        return Shown(self._geometries[wanted][0], materials, parts)

    def add_instance(self, node: Any, shown: Shown) -> None:
        """Append an ``<instance_geometry>`` with its materials."""
        instance = add(node, "instance_geometry", url=f"#{shown.key}")
        if all(material == _PLAIN for material in shown.materials):
            return
        common = add(add(instance, "bind_material"), "technique_common")
        for index, material in enumerate(shown.materials):
            if material != _PLAIN:
                name = self._materials[material]
                symbol = f"{_SYMBOL}{index}"
                add(common, "instance_material", symbol=symbol, target=f"#{name}")

    def fill(self, geometries: Any, effects: Any, materials: Any) -> None:
        """Append everything to its library."""
        for _, element in self._geometries.values():
            geometries.append(element)
        for material, name in self._materials.items():
            _add_effect(effects, material, f"{name}_effect")
            one = add(materials, "material", id=name)
            add(one, "instance_effect", url=f"#{name}_effect")

    def _mesh(self, shape: Shape, geometry: GeometryDescription) -> Mesh | None:
        """Return triangles as they are written, None if there are none to be had."""
        try:
            mesh = None if isinstance(shape, NoShape) else self._triangles(shape)
            if mesh is None or geometry.group == SHOWN_GROUP:
                return mesh
            # no node places it: it is in the frame of the link
            return mesh.transformed(geometry.pose.matrix)
        except (Error, OverflowError) as error:
            self._lose(f"a {shape.type} is written for pyrave alone: {error}")
            return None

    def _triangles(self, shape: Shape) -> Mesh | None:
        mesh = getattr(shape, "mesh", None)
        if not isinstance(mesh, MeshReference):
            return shape_mesh(shape)
        if mesh not in self._loaded:
            self._loaded[mesh] = None
            if mesh.found and self._load is not None:
                self._loaded[mesh] = self._load(mesh)
            else:
                self._lose(f"{mesh.uri} is named for pyrave alone: it is not found")
        return self._loaded[mesh]


def _over(look: Material, own: Material) -> Material:
    """Return the material of a mesh file with what the description says of it."""
    return Material(
        look.diffuse,
        look.ambient if own.ambient is None else own.ambient,
        own.transparency or look.transparency,
    )


def _key(shape: Shape) -> Hashable:
    """Return what equal shapes have in common; -0.0 is not 0.0."""
    return repr(shape) if not isinstance(shape, TriMesh) else shape.mesh


def _geometry_element(
    geometry: GeometryDescription, mesh: Mesh, used: list[int], key: str
) -> Any:
    from lxml import etree

    holder = etree.Element("holder")
    element = add(holder, "geometry", id=key, name=geometry.name)
    inner = add(element, "mesh")
    source = add(inner, "source", id=f"{key}_positions")
    text = " ".join(map(repr, (mesh.vertices + 0.0).reshape(-1).tolist()))
    add(
        source,
        "float_array",
        text.replace(".0 ", " "),
        id=f"{key}_positions-array",
        count=str(mesh.vertices.size),
    )
    accessor = add(
        add(source, "technique_common"),
        "accessor",
        count=str(len(mesh.vertices)),
        source=f"#{key}_positions-array",
        stride="3",
    )
    for axis in "XYZ":
        add(accessor, "param", name=axis, type="float")
    vertices = add(inner, "vertices", id=f"{key}_vertices")
    add(vertices, "input", semantic="POSITION", source=f"#{key}_positions")
    chosen = mesh.material_of_faces
    for number, index in enumerate(used):
        faces = mesh.faces[chosen == index]
        triangles = add(
            inner, "triangles", count=str(len(faces)), material=f"{_SYMBOL}{number}"
        )
        add(
            triangles,
            "input",
            offset="0",
            semantic="VERTEX",
            source=f"#{key}_vertices",
            set="0",
        )
        add(triangles, "p", " ".join(map(str, faces.reshape(-1).tolist())))
    technique = add_extra(element, "geometry_info")
    if geometry.group != SHOWN_GROUP:
        add_pose(technique, geometry.pose)
    _add_shape(technique, geometry.shape)
    add_truth(add(technique, "visible"), geometry.visible)
    if isinstance(geometry.shape, TriMesh):
        # vertices as they are: equal ones stay apart
        add(add_extra(element, PYRAVE, profile=PYRAVE), "indexed")
    return element


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
    share = float(np.clip(1.0 - material.transparency, 0.0, 1.0))
    add(add(phong, "transparency"), "float", numbers((share,)))
