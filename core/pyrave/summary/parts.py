"""Small pieces that the parts of a scene summary share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from pyrave.errors import Error, PluginError, Problem, Severity
from pyrave.scene.kept_readables import xml_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.views.geometry import Geometry
    from pyrave.bodies.views.shape import ShapeView
    from pyrave.scene import XmlElement
    from pyrave.scene.readable import Readables
    from pyrave.spatial import Array


class MeshProblems:
    """Asks for values that may need a mesh; remembers which meshes are missing."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Problem] = {}
        self._broken: set[int] = set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """One warning for each mesh that could not be read."""
        return tuple(self._found.values())

    def usable(self, geometry: ShapeView) -> bool:
        """Return True if the shape is known; report its mesh otherwise."""
        if not geometry.needs_mesh:
            return True
        if id(geometry) in self._broken:
            return False
        try:
            geometry.mesh  # noqa: B018 - loads it
        except Error as error:
            self._broken.add(id(geometry))
            self._report(geometry, error)
            return False
        return True

    def box(
        self,
        geometries: tuple[Geometry, ...],
        ask: Callable[[], tuple[Array, Array] | None],
    ) -> dict[str, Any] | None:
        """Return a bounding box, None if a mesh that it depends on is missing."""
        # every mesh that is missing is reported, not only the first
        missing = [g for g in geometries if not self.usable(g)]
        return None if missing else box_summary(ask())

    def _report(self, geometry: ShapeView, error: Error) -> None:
        message = str(error).partition("\n")[0]
        place = geometry.description.location
        key = (message, place.file if place else "")
        if key not in self._found:
            self._found[key] = Problem(
                Severity.WARNING,
                f"values that come from the mesh of {geometry.link!r} are not known: "
                f"{message}",
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
                code="missing-mesh",
            )


def box_summary(box: tuple[Array, Array] | None) -> dict[str, Any] | None:
    """Return a box as its centre ``pos`` and half ``extents``."""
    return None if box is None else {"pos": box[0], "extents": box[1]}


def readables_summary(readables: Readables) -> list[dict[str, Any]]:
    """Return the readables of an object, as the XML it writes back to."""
    result: list[dict[str, Any]] = []
    for key, readable in readables.items():
        try:
            element = xml_of(readable)
            xml = None if element is None else _xml(element)
        except PluginError as error:
            xml = f"none: {error}"
        result.append({"key": key, "type": type(readable).__name__, "xml": xml})
    return result


def _xml(element: XmlElement) -> str:
    attributes = "".join(f" {key}={quoteattr(v)}" for key, v in element.attributes)
    inside = escape(element.text) + "".join(
        _xml(child) + escape(child.tail) for child in element.children
    )
    head = f"<{element.tag}{attributes}"
    return f"{head}>{inside}</{element.tag}>" if inside else f"{head}/>"
