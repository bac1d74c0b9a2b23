"""``<material>``: colours and textures, by name from anywhere in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats import to_xml_element
from pyrave.scene import Material, XmlReadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyrave.scene import Readable
    from pyrave_urdf.reading.files import Files
    from pyrave_urdf.reading.load import UrdfReading

_NO_MATERIAL = Material()
_RGBA = 4
_NAME = frozenset({"name"})
_COLOR = frozenset({"rgba"})


@dataclass(frozen=True, slots=True)
class Look:
    """A material, and the element that defines it as data: its name and texture."""

    material: Material = _NO_MATERIAL
    readables: tuple[tuple[str, Readable], ...] = ()


_PLAIN = Look()


class Materials:
    """The named materials of one document.

    A name may be used before it is defined, and the definition may stand in any visual.
    """

    def __init__(
        self, defined: Iterable[Any], reading: UrdfReading, files: Files
    ) -> None:
        self._reading = reading
        self._files = files
        self._named: dict[str, Any] = {}
        self._looks: dict[Any, Look] = {}
        self._in_visuals: dict[str, Any] | None = None
        for element in defined:
            name = element.get("name") or ""
            if not name:
                reading.warn(
                    element, "bad-color", "a material without a name is never used"
                )
            elif name in self._named and not _same(self._named[name], element):
                reading.warn(
                    element,
                    "repeated-item",
                    f"duplicate material {name!r}; using the last one",
                )
            self._named[name] = element

    def _find(self, name: str) -> Any:
        """Return the element that defines a name, None if there is none."""
        found = self._named.get(name)
        if found is not None or not name:
            return found
        if self._in_visuals is None:
            self._in_visuals = {}
            for element in self._reading.document.root.iterfind("link/visual/material"):
                if len(element):
                    self._in_visuals.setdefault(element.get("name") or "", element)
        return self._in_visuals.get(name)

    def look_of(self, parts: Mapping[str, list[Any]]) -> Look:
        """Return the look of a visual.

        Parameters
        ----------
        parts
            Its children by tag.
        """
        element = self._reading.last(parts.get("material"))
        if element is None:
            # some exporters put it into the geometry
            for geometry in parts.get("geometry", ()):
                element = next(geometry.iterchildren("material"), None)
            if element is None:
                return _PLAIN
        if not len(element):
            name = element.get("name") or ""
            found = self._find(name)
            if found is None:
                if name:
                    self._reading.unknown(
                        element,
                        "material",
                        name,
                        {**self._named, **(self._in_visuals or {})},
                        "unresolved-reference",
                    )
                return _PLAIN
            element = found
        look = self._looks.get(element)
        if look is None:
            look = self._looks[element] = self._read(element)
        return look

    def _read(self, element: Any) -> Look:
        reading = self._reading
        reading.attributes(element, _NAME)
        parts = reading.parts(element, "material")
        kept = ((element.tag, XmlReadable(to_xml_element(element))),)
        texture = reading.last(parts.get("texture"))
        if texture is not None and texture.get("filename"):
            self._files.find(texture.get("filename"), texture, "texture")
        color = reading.last(parts.get("color"))
        if color is None:
            return Look(readables=kept)
        reading.attributes(color, _COLOR)
        rgba = reading.spared(
            reading.numbers, color, "rgba", cost="the material has no colour"
        )
        if rgba is None:
            return Look(readables=kept)
        if len(rgba) not in {_RGBA - 1, _RGBA} or not all(0 <= c <= 1 for c in rgba):
            reading.warn(
                color,
                "bad-color",
                f"rgba={color.get('rgba')!r}, expected 4 numbers from 0 to 1",
            )
            if len(rgba) not in {_RGBA - 1, _RGBA}:
                return Look(readables=kept)
            rgba = tuple(min(max(c, 0.0), 1.0) for c in rgba)
        red, green, blue, *alpha = rgba
        opacity = alpha[0] if alpha else 1.0
        material = Material(diffuse=(red, green, blue), transparency=1.0 - opacity)
        return Look(material, kept)


def _same(one: Any, other: Any) -> bool:
    return bool(to_xml_element(one) == to_xml_element(other))
