"""``<geom>``: shapes with pose, colours and meshes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyrave.errors import nearest
from pyrave.formats.openrave_xml.exact import Overrides, read_overrides, with_overrides
from pyrave.formats.openrave_xml.schema import (
    ELEMENTS,
    FOREIGN_GEOMETRY_TYPES,
    GEOMETRY_TAGS,
    GEOMETRY_TYPES,
)
from pyrave.formats.openrave_xml.scope import lowered
from pyrave.formats.openrave_xml.transforms import EYE, ONE, Frame, multiply
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

    from pyrave.formats.openrave_xml.scope import Scope

# XML cylinders lie along y, described ones along z: a quarter turn about x,
# without rounding so that it can be undone exactly.
CYLINDER_TURN: Matrix3 = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)

TURNED = (".dae",)
"""Suffixes of files that say which axis points up, and are turned."""
COLORS: dict[str, Vec3] = {
    "diffusecolor": (1.0, 1.0, 1.0),
    "ambientcolor": (0.0, 0.0, 0.0),
}
"""What numbers that are missing in a colour are."""
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
    """What the tags of one geom said; the class has what most leave out."""

    data: tuple[str, Vec3, Any] | None = None
    render: tuple[str, Vec3, Any] | None = None
    diffuse: Vec3 | None = None
    ambient: Vec3 | None = None
    transparency: float = 0.0
    name: str | None = None
    vertices: tuple[float, ...] | None = None
    prism: tuple[float, ...] = ()

    def __init__(self) -> None:
        self.sizes: dict[str, tuple[float, ...]] = {}
        self.walls: list[tuple[Pose, Vec3]] = []


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
    found = _Geometry()
    frame = Frame()
    readables: list[tuple[str, Readable]] = []
    scope.keep_attributes(element, "geom", readables)
    overrides: Overrides | None = None
    for child in element:
        tag = lowered(child.tag, child)
        if tag in _SHAPE_TAGS and tag not in used:
            _unused(tag, child, scope, kind)
        elif tag in _SIZES:
            _read_size(tag, child, scope, found)
        elif frame.read(tag, child, scope):
            pass
        elif tag in COLORS:
            name = tag.removesuffix("color")
            known = getattr(found, name) or COLORS[tag]
            setattr(found, name, scope.color(child, known))
        elif tag == "transparency":
            found.transparency = scope.fraction(child, found.transparency) or 0.0
        elif tag in {"data", "collision"}:
            found.data = _mesh_name(child, scope) or found.data
        elif tag == "render":
            found.render = _mesh_name(child, scope) or found.render
        elif tag == "vertices":
            found.vertices = _vertices(child, scope) or found.vertices
        elif tag == "name":
            found.name = scope.word(child)
        elif tag == "crosssection":
            found.prism = scope.floats(child) or ()
        elif tag == "sidewall":
            _read_wall(child, scope, found)
        elif tag == "pyrave":
            overrides = read_overrides(child, scope, overrides)
        elif tag:
            readables += scope.part_tag(child, "geometry", ELEMENTS["geom"].tags)
    return _describe(
        element,
        scope,
        kind,
        attributes,
        found,
        frame,
        folders,
        scale,
        readables,
        overrides,
    )


def _describe(
    element: Any,
    scope: Scope,
    kind: str,
    attributes: dict[str, str],
    found: _Geometry,
    frame: Frame,
    folders: tuple[str, ...],
    scale: Vec3,
    readables: list[tuple[str, Readable]],
    overrides: Overrides | None,
) -> GeometryDescription:
    local = ONE
    if scale is not ONE and scale != ONE:
        local = _local_scale(element, scope, scale, frame.rotation)
        frame.translation = scaled_pose(frame.pose, scale).translation
    if kind == "cylinder":
        frame.rotation = multiply(frame.rotation, CYLINDER_TURN)
        local = (local[0], local[2], local[1])
    shape = _SHAPES[kind](element, scope, found, folders, local)
    render = None
    if found.render is not None and (kind != "trimesh" or found.data or found.vertices):
        render = RenderMesh(_reference(*found.render, scope, folders, local))
    visible = modifiable = True
    if "render" in attributes:
        text = attributes["render"]
        visible = scope.boolean(element, "render", text, default=True)
    if "modifiable" in attributes:
        text = attributes["modifiable"]
        modifiable = scope.boolean(element, "modifiable", text, default=True)
    material = _PLAIN
    if (
        found.diffuse is not None
        or found.ambient is not None
        or found.transparency != 0.0
    ):
        material = Material(found.diffuse, found.ambient, found.transparency)
    geometry = GeometryDescription(
        shape,
        attributes.get("name", "") if found.name is None else found.name,
        frame.pose,
        material,
        render,
        visible,
        modifiable,
        attributes.get("group", "self"),
        tuple(readables),
        scope.location(element),
    )
    return with_overrides(geometry, overrides)


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
        scope.error(element, "bad-size", f"<{tag}> is {values}, expected 0 or more")
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


def _size(element: Any, scope: Scope, found: _Geometry, name: str) -> tuple[float, ...]:
    value = found.sizes.get(name)
    if value is None:
        scope.warn(
            element, "missing-size", f"the geometry has no <{name}>; it is taken as 0"
        )
        return (0.0,) * _SIZES[name]
    return value


def _product(values: tuple[float, ...], scale: Vec3) -> Vec3:
    return (values[0] * scale[0], values[1] * scale[1], values[2] * scale[2])


def _box_extents(element: Any, scope: Scope, found: _Geometry, scale: Vec3) -> Vec3:
    extents = _size(element, scope, found, "extents")
    return extents if scale is ONE else _product(extents, scale)  # type: ignore[return-value]


def _box(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    return Box(_box_extents(element, scope, found, scale))


def _sphere(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    if not scale[0] == scale[1] == scale[2]:
        _refuse_scale(element, scope, scale)
    return Sphere(_size(element, scope, found, "radius")[0] * scale[0])


def _round(
    element: Any, scope: Scope, found: _Geometry, scale: Vec3
) -> tuple[float, float]:
    if scale[0] != scale[1]:
        _refuse_scale(element, scope, scale)
    radius = _size(element, scope, found, "radius")[0] * scale[0]
    return radius, _size(element, scope, found, "height")[0] * scale[2]


def _cylinder(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    return Cylinder(*_round(element, scope, found, scale))


def _capsule(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    if not scale[0] == scale[1] == scale[2]:
        _refuse_scale(element, scope, scale)
    return Capsule(*_round(element, scope, found, scale))


def _refuse_scale(element: Any, scope: Scope, scale: Vec3) -> None:
    scope.error(
        element,
        "skewing-scale",
        f"scalegeometry {scale} would make this round shape oval",
        "scale all axes alike",
    )


def _container(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    zero = (0.0, 0.0, 0.0)
    return Container(
        _product(_size(element, scope, found, "outer_extents"), scale),
        _product(_size(element, scope, found, "inner_extents"), scale),
        _product(found.sizes.get("bottom_cross", zero), scale),
        _product(found.sizes.get("bottom", zero), scale),
    )


def _cage(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    walls = tuple(
        (scaled_pose(pose, scale), _product(half, scale)) for pose, half in found.walls
    )
    return Cage(_box_extents(element, scope, found, scale), walls)


def _prism(
    element: Any, scope: Scope, found: _Geometry, _folders: tuple[str, ...], scale: Vec3
) -> Shape:
    flat = found.prism
    if len(flat) % 2 or len(flat) < 6:
        scope.error(
            element,
            "bad-prism",
            f"<crosssection> has {len(flat)} numbers, "
            "expected x y of 3 or more corners",
        )
        flat = ()
    corners = zip(flat[::2], flat[1::2], strict=True)
    section = tuple((x * scale[0], y * scale[1]) for x, y in corners)
    return Prism(section, _size(element, scope, found, "height")[0] * scale[2])


def _trimesh(
    element: Any, scope: Scope, found: _Geometry, folders: tuple[str, ...], scale: Vec3
) -> Shape:
    if found.vertices:
        import numpy as np

        vertices = np.array(found.vertices).reshape(-1, 3) * np.array(scale)
        return TriMesh(MeshData(vertices, np.arange(len(vertices), dtype=np.int32)))
    mesh = found.data or found.render
    if mesh is None:
        scope.warn(
            element, "missing-size", "the trimesh has neither <data> nor <vertices>"
        )
        return NoShape()
    return TriMesh(_reference(*mesh, scope, folders, scale))


def _none(
    _element: Any, _scope: Scope, _found: _Geometry, _folders: tuple[str, ...], _s: Vec3
) -> Shape:
    return NoShape()


_SHAPES: dict[str, Callable[[Any, Scope, _Geometry, tuple[str, ...], Vec3], Shape]] = {
    "none": _none,
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "container": _container,
    "cage": _cage,
    "prism": _prism,
    "trimesh": _trimesh,
}


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
