"""``Drawable`` and ``CollisionModel``: what frames look like and collide as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.scene import Box, Cylinder, Sphere, TriMesh
from pyrave_workcell.workcell.document import Model, Solid
from pyrave_workcell.workcell.shapes import cone, mirrored, plane, tube

if TYPE_CHECKING:
    from pyrave.scene import Shape
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.files import Files
    from pyrave_workcell.workcell.load import WorkcellReading

_LEVEL = 20
_MAX_LEVEL = 10_000
_MAX_TRIANGLES = 400_000
"""Triangles of all shapes of a load that become meshes."""
_TRIANGLES = {"Box": 12, "Sphere": 1000, "Cylinder": 128, "Plane": 2}
"""Rough numbers of triangles of shapes that are shown and collide with nothing."""
_GEOMETRIES = {
    "Polytope": ("file",),
    "Box": ("x", "y", "z"),
    "Sphere": ("radius", "level"),
    "Cylinder": ("radius", "z", "level"),
    "Cone": ("radius", "z", "level"),
    "Tube": ("radius", "thickness", "z", "level"),
    "Plane": (),
    "Custom": ("type", "param"),
}
_NEEDED = {
    tag: tuple(name for name in names if name not in {"level", "param"})
    for tag, names in _GEOMETRIES.items()
}
_POSES = frozenset({"Pos", "RPY", "Transform"})
_SIZES = ("x", "y", "z")
_TAGS = (*_POSES, "RGB", *_GEOMETRIES)
_DRAWABLE = ("name", "refframe", "colmodel")
_COLLISION = ("name", "refframe")


class Models:
    """Reads the models of one load."""

    def __init__(self, reading: WorkcellReading, files: Files) -> None:
        self._reading = reading
        self._files = files
        self._triangles = 0

    def read(self, node: CellNode, frame: str) -> Model:
        """Return a model of a frame."""
        reading = self._reading
        drawn = node.tag == "Drawable"
        reading.attributes(node, _DRAWABLE if drawn else _COLLISION, ("name",))
        enabled = node.get("colmodel", "Enabled")
        if enabled not in {"Enabled", "Disabled"}:
            reading.error(
                node,
                "bad-value",
                f"colmodel is {enabled!r}, expected 'Enabled' or 'Disabled'",
            )
        collides = not drawn or enabled == "Enabled"
        colors: list[CellNode] = []
        n_geometries = 0
        misplaced = False
        solids: list[Solid] = []
        for child in node:
            tag = child.tag
            if tag in _GEOMETRIES:
                n_geometries += 1
                if not reading.context.skip_geometry:
                    solids += self._solids(child, drawn=drawn, collides=collides)
            elif tag == "RGB" and drawn:
                colors.append(child)
                misplaced = n_geometries > 0
            elif tag in _POSES:
                misplaced = misplaced or bool(colors)
            else:
                reading.unknown(child, _TAGS)
        if misplaced:
            reading.warn(
                colors[-1],
                "not-robwork",
                "RobWork reads <RGB> only behind the transform and before geometries",
            )
        if len(colors) > 1:
            reading.last_counts(node, ("RGB",))
        if not n_geometries:
            reading.warn(
                node,
                "empty-model",
                f"the model {node.get('name')!r} has no geometry; it is left out",
                f"write one of {', '.join(_GEOMETRIES)}",
            )
        pose, signs = reading.model_pose(node)
        return Model(
            node.get("name") or "",
            frame,
            pose,
            tuple(mirrored(solid, signs) for solid in solids),
            visible=drawn,
            collides=collides,
            color=self._color(colors[-1]) if colors else None,
            node=node,
        )

    def _color(self, node: CellNode) -> tuple[float, ...] | None:
        found = self._reading.numbers(node)
        if len(found) not in {3, 4} or min(found) < 0.0 or max(found) > 1.0:
            self._reading.error(
                node,
                "bad-number",
                f"<RGB> has {node.text.strip()!r}, expected 3 or 4 numbers of 0 to 1",
            )
            return None
        return found

    def _solids(self, node: CellNode, *, drawn: bool, collides: bool) -> list[Solid]:
        reading = self._reading
        known = _GEOMETRIES[node.tag]
        needed = _NEEDED[node.tag]
        before = reading.reports
        reading.attributes(node, known, needed)
        if reading.reports > before and not node.attributes.keys() >= set(needed):
            return []
        if node.tag == "Polytope" and not (node.get("file") or "").strip():
            reading.warn(node, "bad-uri", "the name of the mesh is empty")
            return []
        if node.tag == "Polytope":
            return [self._mesh(node, drawn=drawn, collides=collides)]
        if node.tag == "Custom":
            reading.warn(
                node,
                "not-read-yet",
                f"not read yet: the geometry <Custom type={node.get('type')!r}> of a "
                "plugin of RobWork; the model is left out",
            )
            return []
        if not collides:
            self._spend(node, _TRIANGLES.get(node.tag, 0))
        shape = self._shape(node)
        return [Solid(shape)] if reading.reports == before or shape else []

    def _mesh(self, node: CellNode, *, drawn: bool, collides: bool) -> Solid:
        name = node.get("file") or ""
        if not collides:
            return Solid(TriMesh(self._files.mesh(node, name, shown=True)))
        solid = self._files.mesh(node, name, shown=False)
        shown = self._files.mesh(node, name, shown=True) if drawn else None
        return Solid(TriMesh(solid), None if shown == solid else shown)

    def _shape(self, node: CellNode) -> Shape:
        size = self._reading.size
        if node.tag == "Box":
            x, y, z = [0.5 * size(node, name) for name in _SIZES]
            return Box((x, y, z))
        if node.tag == "Plane":
            return TriMesh(plane())
        radius, level = size(node, "radius"), self._level(node)
        if node.tag == "Sphere":
            return Sphere(radius)
        height = size(node, "z")
        if node.tag == "Cylinder":
            return Cylinder(radius, height)
        if node.tag == "Cone":
            self._spend(node, 2 * level)
            return TriMesh(cone(radius, height, level))
        self._spend(node, 8 * level)
        outer = radius + size(node, "thickness")
        return TriMesh(tube(radius, outer, height, level))

    def _spend(self, node: CellNode, triangles: int) -> None:
        """Count triangles before they are made."""
        self._triangles += triangles
        if self._triangles > _MAX_TRIANGLES:
            node.refuse(
                "too-complex",
                f"cones, tubes and shapes that collide with nothing have more than "
                f"{_MAX_TRIANGLES} triangles",
            )

    def _level(self, node: CellNode) -> int:
        level = self._reading.number(node, "level", _LEVEL)
        if not 3 <= level <= _MAX_LEVEL or level != int(level):
            if "level" in node.attributes and node.tag != "Sphere":
                self._reading.error(
                    node,
                    "bad-number",
                    f"level is {node.get('level')!r}, expected a whole number of 3 to "
                    f"{_MAX_LEVEL}",
                )
            return _LEVEL
        return int(level)
