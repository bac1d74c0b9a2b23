"""``<material>``: named ones below the robot once, visuals refer to them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH118, PTH113, PTH120, PTH100

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.formats import add_xml
from pyrave.scene import Material, XmlElement
from pyrave_urdf.writing.kept import kept_as
from pyrave_urdf.writing.numbers import add, numbers

if TYPE_CHECKING:
    from pyrave.formats import FileNames
    from pyrave.scene import GeometryDescription

_PLAIN = Material()
_GREY = (0.8, 0.8, 0.8)


class MaterialWriter:
    """Writes the materials of one robot. Belongs to one save.

    Parameters
    ----------
    robot
        The ``<robot>``; definitions are put at its begin.
    source
        The file that the robot was read from, where its textures lie.
    """

    def __init__(self, robot: Any, names: FileNames, source: str) -> None:
        self._robot = robot
        self._names = names
        self._source = os.path.dirname(source) if source else ""
        self._defined: dict[str, XmlElement] = {}
        self._made: dict[Material, str] = {}
        self._taken: set[str] = set()
        self._inserted = 0

    def reserve(self, geometry: GeometryDescription) -> None:
        """Note the names of materials that a geometry has kept: no other has them."""
        kept = kept_as("material", geometry.readables)
        if kept is not None and kept.get("name"):
            self._taken.add(kept.get("name") or "")

    def add(
        self, visual: Any, geometry: GeometryDescription, of_mesh: Material | None
    ) -> None:
        """Append the material of a visual, none if it says nothing.

        Parameters
        ----------
        of_mesh
            What the mesh file says of it.
        """
        look, kept = geometry.material, kept_as("material", geometry.readables)
        if look.diffuse is None and of_mesh is not None:
            look = replace(
                of_mesh, transparency=look.transparency or of_mesh.transparency
            )
        if kept is not None:
            self._add_kept(visual, _coloured(kept, look))
        elif look.diffuse is not None or look.transparency:
            look = Material(look.diffuse or _GREY, transparency=look.transparency)
            if look not in self._made:
                self._made[look] = self._define(look)
            add(visual, "material", name=self._made[look])

    def _add_kept(self, visual: Any, kept: XmlElement) -> None:
        kept = self._with_texture(kept)
        name = kept.get("name") or ""
        if not name or self._defined.get(name, kept) != kept:
            add_xml(visual, kept)
            return
        if name not in self._defined:
            self._defined[name] = kept
            self._insert(kept)
        add(visual, "material", name=name)

    def _define(self, look: Material) -> str:
        number = len(self._made)
        while f"material_{number}" in self._taken:
            number += 1
        name = f"material_{number}"
        self._taken.add(name)
        color = XmlElement("color", (("rgba", _rgba(look)),))
        self._insert(XmlElement("material", (("name", name),), children=(color,)))
        return name

    def _insert(self, xml: XmlElement) -> None:
        made = add_xml(self._robot, xml)
        made.tail = None
        self._robot.insert(self._inserted, made)
        self._inserted += 1

    def _with_texture(self, kept: XmlElement) -> XmlElement:
        """Return a material whose texture is named from where the robot is written."""
        children = []
        for child in kept.children:
            name = child.get("filename") if child.tag == "texture" else None
            path = os.path.join(self._source, name) if name and self._source else ""
            written = name
            if name and "://" not in name and path and os.path.isfile(path):
                written = self._names.name_of(os.path.abspath(path))
            if written and name and os.path.normpath(written) != os.path.normpath(name):
                children.append(XmlElement("texture", (("filename", written),)))
            else:
                children.append(child)
        return replace(kept, children=tuple(children))


def _coloured(kept: XmlElement, look: Material) -> XmlElement:
    """Return a material with the colour that the geometry has now."""
    if _look_of(kept) == Material(look.diffuse, transparency=look.transparency):
        return kept
    others = tuple(child for child in kept.children if child.tag != "color")
    if look.diffuse is not None:
        others += (XmlElement("color", (("rgba", _rgba(look)),)),)
    return replace(kept, children=others)


def _look_of(kept: XmlElement) -> Material | None:
    """Return the colour that an element says, as the reader takes it."""
    found = _PLAIN
    for child in kept.children:
        if child.tag == "color":
            try:
                numbers_ = [float(word) for word in (child.get("rgba") or "").split()]
            except ValueError:
                return None
            if len(numbers_) not in {3, 4}:
                return _PLAIN
            red, green, blue, alpha = (
                min(max(one, 0.0), 1.0) for one in (*numbers_, 1.0)[:4]
            )
            found = Material((red, green, blue), transparency=1.0 - alpha)
    return found


def _rgba(look: Material) -> str:
    opacity = min(max(1.0 - look.transparency, 0.0), 1.0)
    return numbers(*(min(max(one, 0.0), 1.0) for one in look.diffuse or _GREY), opacity)
