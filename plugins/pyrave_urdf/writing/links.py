"""``<link>``: mass, what is shown, what collides, contact areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.formats import add_xml
from pyrave.formats.output.numbers import FAR
from pyrave.geometry import shape_mesh
from pyrave.scene import (
    Box,
    Capsule,
    Cylinder,
    Inertial,
    Material,
    MeshData,
    NoShape,
    Pose,
    Sphere,
    TriMesh,
)
from pyrave_urdf.reading.capsules import ends_of
from pyrave_urdf.reading.elements.shapes import plain_shape, tessellated
from pyrave_urdf.reading.load import pose_of
from pyrave_urdf.writing.kept import kept_as
from pyrave_urdf.writing.meshes import MeshFile
from pyrave_urdf.writing.numbers import add, add_origin, numbers, rpy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats import Losses
    from pyrave.scene import (
        ContactDescription,
        GeometryDescription,
        LinkDescription,
        MeshReference,
        Shape,
        XmlElement,
    )
    from pyrave_urdf.writing.kept import Kept
    from pyrave_urdf.writing.materials import MaterialWriter
    from pyrave_urdf.writing.meshes import MeshFiles

_MASSLESS = Inertial(0.0, (0.0, 0.0, 0.0), (0.0,) * 9)
_LINK_TAGS = frozenset({"inertial", "visual", "collision"})
_PART_TAGS = frozenset({"origin", "geometry", "material"})
_ONE = (1.0, 1.0, 1.0)
_NOTHING = MeshData(np.empty((0, 3)), np.empty((0, 3), dtype=np.int32))


class LinkWriter:
    """Writes the links of one robot below its element."""

    def __init__(
        self,
        robot: Any,
        meshes: MeshFiles,
        materials: MaterialWriter,
        kept: Kept,
        losses: Losses,
    ) -> None:
        self._robot = robot
        self._meshes = meshes
        self._materials = materials
        self._kept = kept
        self._losses = losses

    def add(self, link: LinkDescription) -> None:
        """Append a ``<link>``."""
        element = add(self._robot, "link", name=link.name)
        _add_inertial(element, link.inertial)
        solid: list[GeometryDescription] = []
        for geometry in link.geometries:
            self._tell_of(geometry, link.name)
            if geometry.group != "self":
                continue
            if geometry.visible and self._is_shown(geometry):
                self._add_visual(element, geometry, link.name)
            if not (isinstance(geometry.shape, NoShape) and geometry.visible):
                solid.append(geometry)
        for geometry in solid:
            self._add_collision(element, geometry, link.name)
        for contact in link.contacts:
            self._add_contact(element, contact, link.name)
        self._kept.add(element, link.name, link.readables, _LINK_TAGS)
        if not link.enabled:
            self._losses.add("nothing says that links are disabled", link.name)

    def add_between(self, name: str) -> None:
        """Append a link without mass or shape."""
        add(self._robot, "link", name=name)

    def _tell_of(self, geometry: GeometryDescription, link: str) -> None:
        lose = self._losses.add
        if geometry.group != "self":
            lose(f"geometries of the group {geometry.group!r} are not written", link)
        elif geometry.render is not None and not geometry.visible:
            lose("meshes that are not shown are not written", link)
        if not geometry.modifiable:
            lose("nothing says that geometries may not be changed", link)
        if geometry.material.ambient not in {None, (0.0, 0.0, 0.0)}:
            lose("ambient colours are not written", link)

    @staticmethod
    def _is_shown(geometry: GeometryDescription) -> bool:
        return (
            geometry.render is not None
            or not isinstance(geometry.shape, NoShape)
            or kept_as("geometry", geometry.readables) is not None
        )

    # -- visuals and collisions ------------------------------------------------------

    def _add_visual(self, link: Any, geometry: GeometryDescription, name: str) -> None:
        own = kept_as("geometry", geometry.readables)
        shown = geometry.shape if geometry.render is None else None
        if isinstance(shown, NoShape):
            shown = None  # what it is was kept as data
        if geometry.render is not None:
            shown = TriMesh(geometry.render.mesh)
            plain = None if own is None else plain_shape(own)
            if plain is not None and _is_of(plain, geometry.render.mesh):
                shown = plain if isinstance(plain, Capsule) else None
        is_first = True
        for made, material in self._shapes("visual", link, geometry, shown, own, name):
            self._materials.add(made, geometry, material)
            if is_first:
                own_tags = {"material", "geometry"}
                readables = [
                    pair for pair in geometry.readables if pair[0] not in own_tags
                ]
                self._kept.add(made, name, readables, _PART_TAGS)
            is_first = False

    def _add_collision(
        self, link: Any, geometry: GeometryDescription, name: str
    ) -> None:
        own = kept_as("geometry", geometry.readables)
        shape = None if isinstance(geometry.shape, NoShape) else geometry.shape
        if shape is None and own is None:
            return
        is_first = not geometry.visible
        for made, _ in self._shapes("collision", link, geometry, shape, own, name):
            if is_first:
                readables = [
                    pair for pair in geometry.readables if pair[0] != "geometry"
                ]
                self._kept.add(made, name, readables, _PART_TAGS)
            is_first = False

    def _shapes(
        self,
        tag: str,
        link: Any,
        geometry: GeometryDescription,
        shape: Shape | None,
        own: XmlElement | None,
        name: str,
    ) -> Iterator[tuple[Any, Material | None]]:
        """Append the elements of a shape, several if URDF has none for it."""
        parts: list[
            tuple[Box | Cylinder | Sphere | MeshFile | None, Pose, Material | None]
        ] = []
        pose = geometry.pose
        if shape is None:
            parts = [(None, pose, None)]
        elif isinstance(shape, Capsule):
            parts = [(part, place, None) for part, place in _capsule(shape, pose)]
        elif isinstance(shape, (Box, Cylinder, Sphere)):
            parts = [(shape, pose, None)]
        elif tag == "collision":
            whole = self._meshes.whole(self._triangles(shape, name), name)
            parts = [] if whole is None else [(whole, pose, None)]
        else:
            for part in self._meshes.parts(self._triangles(shape, name), name):
                parts.append((part, pose, part.material))
        for found, place, material in parts:
            element = add(link, tag, name=geometry.name)
            add_origin(element, place)
            if found is None and own is not None:
                add_xml(element, own)
            elif found is not None:
                _add_shape(add(element, "geometry"), found)
            yield element, material

    def _triangles(self, shape: Shape, link: str) -> MeshReference | MeshData:
        if isinstance(shape, TriMesh):
            return shape.mesh
        try:
            mesh = shape_mesh(shape)
        except Error as error:
            self._losses.add(f"a {shape.type} is not written: {error}", link)
            return _NOTHING
        self._losses.add(
            f"each {shape.type} is written as triangles", link, kind="written-otherwise"
        )
        return MeshData(mesh.vertices, mesh.faces)

    # -- contacts --------------------------------------------------------------------

    def _add_contact(self, link: Any, contact: ContactDescription, name: str) -> None:
        shape: Box | Cylinder | Sphere | MeshFile | None
        if isinstance(contact.shape, TriMesh):
            shape = self._meshes.whole(contact.shape.mesh, name)
        else:
            shape = contact.shape
        if shape is None:
            return
        element = add(link, "contact", name=contact.name)
        add_origin(element, contact.pose)
        _add_shape(add(element, "geometry"), shape)
        if contact.max_normal_force < FAR:
            add(element, "limit", normal_force=numbers(contact.max_normal_force))


def _add_inertial(link: Any, inertial: Inertial) -> None:
    if inertial == _MASSLESS:
        return
    element = add(link, "inertial")
    add_origin(element, Pose(translation=inertial.com))
    add(element, "mass", value=numbers(inertial.mass))
    i = inertial.inertia
    moments = {"ixx": i[0], "ixy": i[1], "ixz": i[2], "iyy": i[4], "iyz": i[5]}
    moments["izz"] = i[8]
    for name, row, column in (("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2)):
        if i[3 * row + column] != i[3 * column + row]:
            moments[name] = 0.5 * (i[3 * row + column] + i[3 * column + row])
    add(element, "inertia", **{name: numbers(one) for name, one in moments.items()})


def _add_shape(geometry: Any, shape: Box | Cylinder | Sphere | MeshFile) -> None:
    match shape:
        case Box():
            x, y, z = shape.half_extents
            add(geometry, "box", size=numbers(2.0 * x, 2.0 * y, 2.0 * z))
        case Cylinder():
            radius, length = numbers(shape.radius), numbers(shape.height)
            add(geometry, "cylinder", radius=radius, length=length)
        case Sphere():
            add(geometry, "sphere", radius=numbers(shape.radius))
        case MeshFile():
            scale = "" if shape.scale == _ONE else numbers(*shape.scale)
            add(geometry, "mesh", filename=shape.name, scale=scale)


def _capsule(shape: Capsule, pose: Pose) -> Iterator[tuple[Cylinder | Sphere, Pose]]:
    """Yield a cylinder and the spheres at its ends.

    Many programs refuse files with ``<capsule>``; the reader joins the three again.
    """
    yield Cylinder(shape.radius, shape.height), pose
    # seen from the cylinder as it reads back
    for end in ends_of(shape, pose_of(*rpy(pose.rotation), pose.translation)):
        yield Sphere(shape.radius), Pose(pose.rotation, end.translation)


def _is_of(shape: Shape, mesh: MeshReference | MeshData) -> bool:
    """Return True if a mesh is the triangles of a shape."""
    return isinstance(mesh, MeshData) and tessellated(shape) == mesh
