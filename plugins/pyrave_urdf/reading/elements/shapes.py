"""``<geometry>``: boxes, cylinders, spheres, capsules and meshes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean
from pyrave.scene import (
    Box,
    Capsule,
    Cylinder,
    MeshData,
    MeshReference,
    Sphere,
    TriMesh,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyrave.scene import Shape, XmlElement
    from pyrave.scene.contact import ContactShape
    from pyrave_urdf.reading.files import Files
    from pyrave_urdf.reading.load import UrdfReading

_KNOWN = ("box", "cylinder", "sphere", "capsule", "mesh")
_OF_CONTACTS = ("box", "cylinder", "sphere", "mesh")
_SIZE = frozenset({"size"})
_ROUND = frozenset({"radius", "length"})
_RADIUS = frozenset({"radius"})
_MESH = frozenset({"filename", "scale"})
_UNSCALED = (1.0, 1.0, 1.0)


class Shapes:
    """Reads ``<geometry>`` elements of one document."""

    def __init__(self, reading: UrdfReading, files: Files) -> None:
        self._reading = reading
        self._files = files
        self._readers: dict[str, Callable[[Any], Shape]] = {
            "box": self._box,
            "cylinder": self._cylinder,
            "sphere": self._sphere,
            "capsule": self._capsule,
            "mesh": self._mesh,
        }

    def read(self, owner: Any, geometries: list[Any] | None) -> Shape | None:
        """Return the shape in the ``<geometry>`` of an element, the last of some.

        None if there is none that is known, or its sizes are wrong, which is reported.
        """
        return self._read(owner, geometries, _KNOWN)

    def read_contact(
        self, owner: Any, geometries: list[Any] | None
    ) -> ContactShape | None:
        """Return the shape of a contact area as `read` does."""
        shape = self._read(owner, geometries, _OF_CONTACTS)
        if isinstance(shape, (Box, Cylinder, Sphere, TriMesh)):
            return shape
        return None

    def _read(
        self, owner: Any, geometries: list[Any] | None, known: Sequence[str]
    ) -> Shape | None:
        reading = self._reading
        geometry = reading.last(geometries)
        if geometry is None:
            reading.warn(
                owner,
                "missing-tag",
                f"<{owner.tag}> has no <geometry>; it is left out",
                "write <geometry><box size='1 1 1'/></geometry>, or remove it",
            )
            return None
        found = [one for one in geometry if one.tag in known]
        if not found:
            self._tell_unknown(owner, geometry, known)
            return None
        if len(found) > 1:
            reading.warn(
                found[1],
                "repeated-item",
                f"<geometry> has {len(found)} shapes; the first one counts",
                f"write one <{owner.tag}> for each",
            )
        return reading.spared(self._readers[found[0].tag], found[0])

    def _tell_unknown(self, owner: Any, geometry: Any, known: Sequence[str]) -> None:
        reading = self._reading
        if not len(geometry):
            reading.warn(
                geometry,
                "empty-geometry",
                f"<geometry> is empty: the <{owner.tag}> has no shape",
                f"put one of these in: {', '.join(known)}",
            )
        elif geometry[0].prefix != "xacro":  # which has a warning of its own
            named = geometry[0].tag.rpartition("}")[2]
            reading.warn(
                geometry,
                "unknown-geometry-type",
                f"the shape <{named}> is not known in <{owner.tag}>"
                f"{did_you_mean(named, known)}; it is kept as data",
                f"known: {', '.join(known)}",
            )

    def _box(self, element: Any) -> Shape:
        reading = self._reading
        reading.attributes(element, _SIZE)
        if element.get("size") is None:
            reading.number(element, "size", None)  # which reports it
        x, y, z = reading.vector(element, "size", (0.0, 0.0, 0.0))
        if min(x, y, z) < 0.0:
            text = element.get("size")
            reading.error(
                element, "bad-size", f"the box has size={text!r}, expected 0 or more"
            )
            return Box((0.0, 0.0, 0.0))
        return Box((0.5 * x, 0.5 * y, 0.5 * z))

    def _cylinder(self, element: Any) -> Shape:
        self._reading.attributes(element, _ROUND)
        size = self._reading.size
        return Cylinder(size(element, "radius"), size(element, "length"))

    def _sphere(self, element: Any) -> Shape:
        self._reading.attributes(element, _RADIUS)
        return Sphere(self._reading.size(element, "radius"))

    def _capsule(self, element: Any) -> Shape:
        self._reading.attributes(element, _ROUND)
        size = self._reading.size
        return Capsule(size(element, "radius"), size(element, "length"))

    def _mesh(self, element: Any) -> Shape:
        reading = self._reading
        given = reading.attributes(element, _MESH)
        scale = self._scale(element) if "scale" in given else _UNSCALED
        name = element.get("filename")
        if not name:
            reading.error(
                element,
                "missing-attribute",
                "<mesh> has no attribute 'filename'",
                'write <mesh filename="package://NAME/meshes/part.stl"/>',
            )
            name = ""
        uri, found = self._files.find(name, element, "mesh") if name else ("", False)
        return TriMesh(MeshReference(uri, scale, written=name, found=found))

    def _scale(self, element: Any) -> tuple[float, float, float]:
        reading = self._reading
        one = reading.numbers(element, "scale")
        if one is not None and len(one) == 1:
            return one * 3
        x, y, z = reading.vector(element, "scale", _UNSCALED)
        return x, y, z


@lru_cache(maxsize=1024)
def tessellated(shape: Shape) -> MeshData:
    """Return the triangles of a shape that is shown and collides with nothing."""
    from pyrave.geometry import shape_mesh

    mesh = shape_mesh(shape)
    return MeshData(mesh.vertices, mesh.faces)


def plain_shape(geometry: XmlElement) -> Shape | None:
    """Return the shape of a ``<geometry>`` that was kept as data.

    None if it is a mesh or is not known.
    """
    for child in geometry.children:
        if child.tag not in _SIZES:
            continue
        names, make = _SIZES[child.tag]
        text = " ".join(child.get(name) or "" for name in names)
        try:
            return make(*map(float, text.split()))
        except (TypeError, ValueError):
            return None
    return None


_SIZES: dict[str, tuple[tuple[str, ...], Callable[..., Shape]]] = {
    "box": (("size",), lambda x, y, z: Box((0.5 * x, 0.5 * y, 0.5 * z))),
    "cylinder": (("radius", "length"), Cylinder),
    "sphere": (("radius",), Sphere),
    "capsule": (("radius", "length"), Capsule),
}
