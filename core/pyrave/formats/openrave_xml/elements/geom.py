"""``<geom>``: shapes with pose, colours and meshes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyrave.errors import nearest
from pyrave.formats.openrave_xml.elements.overrides import (
    Overrides,
    read_overrides,
    with_overrides,
)
from pyrave.formats.openrave_xml.read.scope import lowered
from pyrave.formats.openrave_xml.schema import (
    ELEMENTS,
    FOREIGN_GEOMETRY_TYPES,
    GEOMETRY_TAGS,
    GEOMETRY_TYPES,
)
from pyrave.formats.openrave_xml.transforms import EYE, ONE, ZERO, Frame, multiply
from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    Material,
    MeshData,
    MeshReference,
    NoShape,
    Pose,
    Prism,
    RenderMesh,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave.scene.pose import Matrix3, Vec3
from pyrave.scene.readable import Readable, XmlElement

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.formats.openrave_xml.read.scope import Scope

# XML cylinders lie along y, described ones along z: a quarter turn about x,
# without rounding so that it can be undone exactly.
CYLINDER_TURN: Matrix3 = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)

TURNED = (".dae",)
"""Suffixes of files that say which axis points up, and are turned."""
COLORS: dict[str, Vec3] = {
    "diffusecolor": (1.0, 1.0, 1.0),
    "ambientcolor": (0.0, 0.0, 0.0),
}
"""Default colours by tag, for numbers that are missing."""
_PLAIN = Material()
_SIZES = {
    "extents": 3,
    "halfextents": 3,
    "fullextents": 3,
    "radius": 1,
    "height": 1,
    "outer_extents": 3,
    "inner_extents": 3,
    "bottom_cross": 3,
    "bottom": 3,
}
_EXTENTS = frozenset({"extents", "halfextents", "fullextents"})
_NUMBER = re.compile(r"[-+]?\.?\d[-+.,\deE]*")
# a name with a suffix, and what stands behind it without one: no name goes on so
_AFTER_SUFFIX = re.compile(r"(\S*\.[A-Za-z]\w*)(\s+[^./\\]+)")
_MAX_FACTORS = 3
_SHAPE_TAGS: frozenset[str] = frozenset().union(*GEOMETRY_TAGS.values())
_PERMUTATION = 1e-9
MESH_TAGS = frozenset({"data", "render", "collision"})
"""Tags that name a mesh file."""


class _Geometry:
    """Contents of the tags of one geom; the class has the defaults.

    Parameters
    ----------
    folders
        Are searched for meshes.
    """

    data: tuple[str, Vec3, Any] | None = None
    render: tuple[str, Vec3, Any] | None = None
    diffuse: Vec3 | None = None
    ambient: Vec3 | None = None
    transparency: float = 0.0
    name: str | None = None
    vertices: tuple[float, ...] | None = None
    prism: tuple[float, ...] = ()
    overrides: Overrides | None = None

    def __init__(self, element: Any, scope: Scope, folders: tuple[str, ...]) -> None:
        self.element = element
        self.scope = scope
        self.folders = folders
        self.frame = Frame()
        self.sizes: dict[str, tuple[float, ...]] = {}
        self.walls: list[tuple[Pose, Vec3]] = []
        self.readables: list[tuple[str, Readable]] = []

    def read(self, kind: str, used: frozenset[str]) -> None:
        """Read the tags; those of sizes that a shape of this kind has not are left."""
        scope = self.scope
        for child in self.element:
            tag = lowered(child.tag, child)
            if tag in _SHAPE_TAGS and tag not in used:
                _unused(tag, child, scope, kind)
            elif tag in _SIZES:
                _read_size(tag, child, scope, self)
            elif self.frame.read(tag, child, scope):
                pass
            elif tag in COLORS:
                name = tag.removesuffix("color")
                known = getattr(self, name) or COLORS[tag]
                setattr(self, name, scope.color(child, known))
            elif tag == "transparency":
                self.transparency = scope.fraction(child, self.transparency) or 0.0
            elif tag in {"data", "collision"}:
                self.data = _mesh_name(child, scope) or self.data
            elif tag == "render":
                self.render = _mesh_name(child, scope) or self.render
            elif tag == "vertices":
                self.vertices = _vertices(child, scope) or self.vertices
            elif tag == "name":
                self.name = scope.word(child)
            elif tag == "crosssection":
                self.prism = scope.floats(child) or ()
            elif tag == "sidewall":
                _read_wall(child, scope, self)
            elif tag == "pyrave":
                self.overrides = read_overrides(child, scope, self.overrides)
            elif tag:
                tags = ELEMENTS["geom"].tags
                self.readables += scope.part_tag(child, "geometry", tags)

    def describe(
        self, kind: str, attributes: dict[str, str], scale: Vec3
    ) -> GeometryDescription:
        """Return the finished geometry of a kind, scaled along the outer axes."""
        frame, scope, local = self.frame, self.scope, ONE
        if scale is not ONE and scale != ONE:
            local = _local_scale(self.element, scope, scale, frame.rotation)
            frame.translation = scaled_pose(frame.pose, scale).translation
        if kind == "cylinder":
            frame.rotation = multiply(frame.rotation, CYLINDER_TURN)
            local = (local[0], local[2], local[1])
        shape = _SHAPES[kind](self, local)
        render = None
        if self.render is not None and (
            kind != "trimesh" or self.data or self.vertices
        ):
            render = RenderMesh(self.mesh(self.render, local))
        material = _PLAIN
        if (
            self.diffuse is not None
            or self.ambient is not None
            or self.transparency != 0.0
        ):
            material = Material(self.diffuse, self.ambient, self.transparency)
        geometry = GeometryDescription(
            shape,
            attributes.get("name", "") if self.name is None else self.name,
            frame.pose,
            material,
            render,
            "render" not in attributes or self._switch(attributes, "render"),
            "modifiable" not in attributes or self._switch(attributes, "modifiable"),
            attributes.get("group", "self"),
            tuple(self.readables),
            scope.location(self.element),
        )
        return with_overrides(geometry, self.overrides)

    def _switch(self, attributes: dict[str, str], name: str) -> bool:
        return self.scope.boolean(self.element, name, attributes[name], default=True)

    # -- shapes, with the factors along their own axes -------------------------------

    def box(self, scale: Vec3) -> Shape:
        return Box(self._extents(scale))

    def sphere(self, scale: Vec3) -> Shape:
        self._check_round(scale, 3)
        return Sphere(self._size("radius")[0] * scale[0])

    def cylinder(self, scale: Vec3) -> Shape:
        return Cylinder(*self._radius_and_height(scale, 2))

    def capsule(self, scale: Vec3) -> Shape:
        return Capsule(*self._radius_and_height(scale, 3))

    def container(self, scale: Vec3) -> Shape:
        return Container(
            _product(self._size("outer_extents"), scale),
            _product(self._size("inner_extents"), scale),
            _product(self.sizes.get("bottom_cross", ZERO), scale),
            _product(self.sizes.get("bottom", ZERO), scale),
        )

    def cage(self, scale: Vec3) -> Shape:
        walls = tuple(
            (scaled_pose(pose, scale), _product(half, scale))
            for pose, half in self.walls
        )
        return Cage(self._extents(scale), walls)

    def prismatic(self, scale: Vec3) -> Shape:
        flat = self.prism
        if len(flat) % 2 or len(flat) < 6:
            self.scope.error(
                self.element,
                "bad-prism",
                f"<crosssection> has {len(flat)} numbers, "
                "expected x y of 3 or more corners",
            )
            flat = ()
        corners = zip(flat[::2], flat[1::2], strict=True)
        section = tuple((x * scale[0], y * scale[1]) for x, y in corners)
        return Prism(section, self._size("height")[0] * scale[2])

    def trimesh(self, scale: Vec3) -> Shape:
        if self.vertices:
            import numpy as np

            vertices = np.array(self.vertices).reshape(-1, 3) * np.array(scale)
            return TriMesh(MeshData(vertices, np.arange(len(vertices), dtype=np.int32)))
        mesh = self.data or self.render
        if mesh is None:
            self.scope.warn(
                self.element,
                "missing-size",
                "the trimesh has neither <data> nor <vertices>",
            )
            return NoShape()
        return TriMesh(self.mesh(mesh, scale))

    def mesh(self, mesh: tuple[str, Vec3, Any], scale: Vec3) -> MeshReference:
        """Return a mesh file that a tag names, scaled once more."""
        return _reference(*mesh, self.scope, self.folders, scale)

    def _radius_and_height(self, scale: Vec3, alike: int) -> tuple[float, float]:
        self._check_round(scale, alike)
        radius = self._size("radius")[0] * scale[0]
        return radius, self._size("height")[0] * scale[2]

    def _extents(self, scale: Vec3) -> Vec3:
        extents = self._size("extents")
        return extents if scale is ONE else _product(extents, scale)  # type: ignore[return-value]

    def _size(self, name: str) -> tuple[float, ...]:
        value = self.sizes.get(name)
        if value is None:
            self.scope.warn(
                self.element,
                "missing-size",
                f"the geometry has no <{name}>; it is taken as 0",
            )
            return (0.0,) * _SIZES[name]
        return value

    def _check_round(self, scale: Vec3, alike: int) -> None:
        """Report a scale whose first factors are not alike, as round shapes need."""
        if len(set(scale[:alike])) > 1:
            self.scope.error(
                self.element,
                "skewing-scale",
                f"scalegeometry {scale} would make this round shape oval",
                "scale all axes alike",
            )


_SHAPES: dict[str, Callable[[_Geometry, Vec3], Shape]] = {
    "none": lambda _geometry, _scale: NoShape(),
    "box": _Geometry.box,
    "sphere": _Geometry.sphere,
    "cylinder": _Geometry.cylinder,
    "capsule": _Geometry.capsule,
    "container": _Geometry.container,
    "cage": _Geometry.cage,
    "prism": _Geometry.prismatic,
    "trimesh": _Geometry.trimesh,
}


def read_geom(
    element: Any, scope: Scope, folders: tuple[str, ...], scale: Vec3
) -> GeometryDescription | None:
    """Read a ``<geom>``; `folders` are searched for meshes, `scale` applies."""
    attributes = scope.attributes(element, "geom")
    kind = attributes.get("type", "box").strip().lower()
    used = GEOMETRY_TAGS.get(kind)
    if used is None:
        _unknown_type(element, scope, kind)
        kind, used = "none", _SHAPE_TAGS
    found = _Geometry(element, scope, folders)
    scope.keep_attributes(element, "geom", found.readables)
    found.read(kind, used)
    return found.describe(kind, attributes, scale)


def scaled_pose(pose: Pose, scale: Vec3) -> Pose:
    """Return a pose whose translation is scaled along the outer axes."""
    x, y, z = pose.translation
    return Pose(pose.rotation, (x * scale[0], y * scale[1], z * scale[2]))


def _local_scale(element: Any, scope: Scope, scale: Vec3, r: Matrix3) -> Vec3:
    """Return the factors along a rotated geometry's own axes."""
    if scale[0] == scale[1] == scale[2] or r is EYE:
        return scale
    local = [0.0, 0.0, 0.0]
    for row in range(3):
        for column in range(3):
            size = abs(r[3 * row + column])
            if abs(size - 1.0) < _PERMUTATION:
                local[column] = scale[row]
            elif size > _PERMUTATION:
                scope.error(
                    element,
                    "skewing-scale",
                    f"scalegeometry {scale} skews this rotated geometry",
                    "scale all axes alike, or turn the geometry by quarter turns only",
                )
                return ONE
    return (local[0], local[1], local[2])


def _read_size(tag: str, element: Any, scope: Scope, found: _Geometry) -> None:
    """Read a size; of a box only the half extents are known, from the last tag."""
    count = _SIZES[tag]
    name = "extents" if tag in _EXTENTS else tag
    values = scope.floats(element, count, found.sizes.get(name, ()))
    if values is not None and min(values) < 0.0:
        given = " ".join(f"{value:g}" for value in values)
        scope.error(element, "bad-size", f"<{tag}> is {given}, expected 0 or more")
    if values is not None and tag == "fullextents":
        values = tuple(0.5 * value for value in values)
    found.sizes[name] = values or (0.0,) * count


def _vertices(element: Any, scope: Scope) -> tuple[float, ...]:
    """Return the corners of triangles, nothing after reporting."""
    values = scope.floats(element) or ()
    if len(values) % 9 == 0:
        return values
    scope.warn(
        element,
        "bad-vertices",
        f"<vertices> has {len(values)} numbers, expected 9 for each triangle; none is "
        "taken",
    )
    return ()


def _product(values: tuple[float, ...], scale: Vec3) -> Vec3:
    return (values[0] * scale[0], values[1] * scale[1], values[2] * scale[2])


def mesh_file_and_scale(text: str) -> tuple[str, str]:
    """Return the file name and the numbers of a mesh tag's ``file [s]``.

    The name may have blanks. One number more than a scale may have belongs to it as
    well, so that it is found out.
    """
    name = text
    for _ in range(_MAX_FACTORS + 1):
        words = name.rsplit(maxsplit=1)
        if len(words) < 2 or not _NUMBER.fullmatch(words[1]):
            break
        name = words[0]
    return name, text[len(name) :]


def file_name(element: XmlElement) -> str:
    """Return the name of the file that an element includes or shows, or ``""``."""
    name = (element.get("file") or "").strip()
    if not name and element.tag.lower() in MESH_TAGS:
        name = mesh_file_and_scale(element.text.strip())[0]
    return name


def _unknown_type(element: Any, scope: Scope, kind: str) -> None:
    near = nearest(kind, GEOMETRY_TYPES)
    hint = f"did you mean {near!r}?" if near else f"known: {', '.join(GEOMETRY_TYPES)}"
    scope.warn(
        element,
        "unknown-geometry-type",
        f"geometry type {kind!r} is not known, the geometry has no shape",
        FOREIGN_GEOMETRY_TYPES.get(kind, hint),
    )


def _unused(tag: str, element: Any, scope: Scope, kind: str) -> None:
    names = ", ".join(f"<{name}>" for name in sorted(GEOMETRY_TAGS[kind]))
    scope.warn(
        element,
        "unused-tag",
        f"<{tag}> is not used by a geometry of type {kind!r}",
        f"this type has {names or 'no sizes'}",
    )


def _mesh_name(element: Any, scope: Scope) -> tuple[str, Vec3, Any] | None:
    """Return (file name, scale, element) of ``file [s]`` or of the attributes."""
    scope.leaf(element, ("file", "scale"))
    attributes = {key.lower(): value for key, value in element.items()}
    text, numbers = mesh_file_and_scale((element.text or "").strip())
    name = attributes.get("file", "").strip() or text
    numbers = attributes.get("scale", numbers)
    if not name:
        return None
    misplaced = "file" not in attributes and _AFTER_SUFFIX.fullmatch(name)
    if misplaced:
        name, numbers = misplaced[1], misplaced[2] + numbers
    scale: Vec3 = ONE
    if numbers.strip():
        scale = scope.factors(element, "the scale", numbers, of_mesh=True) or ONE
    if 0.0 in scale:
        message = f"the scale is {numbers.strip()}, which leaves nothing of the mesh"
        scope.error(element, "bad-size", message)
        scale = ONE
    return name, scale, element


def _reference(
    name: str,
    own: Vec3,
    element: Any,
    scope: Scope,
    folders: tuple[str, ...],
    scale: Vec3,
) -> MeshReference:
    path = scope.resource(element, name, folders)
    factors = own if scale is ONE else _product(own, scale)
    y_up = name.lower().endswith(TURNED)
    if path is None:
        return MeshReference(name, factors, name, found=False, y_up=y_up)
    return MeshReference(path, factors, name, y_up=y_up)


def _read_wall(element: Any, scope: Scope, found: _Geometry) -> None:
    frame = Frame()
    half: tuple[float, ...] | None = None
    for child in element:
        tag = lowered(child.tag, child)
        if frame.read(tag, child, scope):
            continue
        if tag == "vextents":
            half = scope.floats(child, 3)
        elif tag == "transf":
            values = scope.floats(child, 7, (1.0,))
            if values is not None and any(values[:4]):
                offset: Vec3 = values[4:]  # type: ignore[assignment]
                frame = Frame(Pose.from_quaternion(values[:4], offset))
        elif tag and tag != "type":
            scope.unknown_tag(child, ("transf", "vextents", "type", "translation"))
    if half is None:
        scope.warn(element, "missing-size", "the side wall has no <vextents>")
        return
    found.walls.append((frame.pose, half))  # type: ignore[arg-type]
