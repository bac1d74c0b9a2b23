"""Extras that are kept as data: parameters of links and joints, custom readables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.formats import run_custom_reader, to_xml_element
from pyrave.scene import XmlReadable
from pyrave_collada.document import child, children
from pyrave_collada.extras import openrave_part, openrave_technique

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyrave.errors import Problem
    from pyrave.scene import Readable
    from pyrave_collada.reading import Reading

__all__ = ["information", "interface_of", "read_custom", "unknown_extras"]

_KNOWN = frozenset({
    *("interface_type", "manipulator", "collision", "visible", "link_info"),
    *("joint_info", "attach_sensor", "attach_actuator", "library_sensors"),
    *("library_actuators", "geometry_info", "idsuffix"),
})  # fmt: skip


class _Place:
    """Where custom readers report to, for one element."""

    def __init__(self, element: Any, reading: Reading) -> None:
        self._reading = reading
        self._source = reading.library.document(element)
        self.document = self._source.xml

    def warn(
        self,
        element: Any,
        code: str,
        message: str,
        hint: str | None = None,
        traceback: str | None = None,
    ) -> None:
        self._reading.context.diagnostics.warning(
            code, message, self.document, element, hint, traceback
        )

    def error(
        self, element: Any, code: str, message: str, hint: str | None = None
    ) -> None:
        self._reading.context.diagnostics.error(
            code, message, self.document, element, hint
        )

    def take_problems(self, problems: Iterable[Problem]) -> None:
        self._reading.context.diagnostics.extend(problems)

    def resolve(self, uri: str) -> str:
        return self._reading.context.resolver.resolve(uri, self._source.folder)


def read_custom(
    interface_type: str, tag: str, element: Any, reading: Reading
) -> Readable | None:
    """Return what the custom reader of a tag or id makes of an element.

    None if there is no such reader; a reader that fails is reported, and the element
    kept as plain XML.
    """
    reader = reading.context.find_reader(interface_type, tag.lower())
    if reader is None:
        return None
    done, found = run_custom_reader(reader, element, _Place(element, reading))
    return found if done else XmlReadable(to_xml_element(element))


def interface_of(element: Any) -> tuple[str, str] | None:
    """Return (type, id) of an element's ``interface_type``, or None."""
    part = openrave_technique(element, "interface_type")
    if part is None:
        nested = child(element, "interface_type")
        if nested is None:
            return None
        own = openrave_part(nested)
        part = nested if own is None else own
    interface = child(part, "interface")
    if interface is None or not (interface.text or "").strip():
        return None
    return (interface.get("type") or "").strip().lower(), interface.text.strip()


def information(part: Any) -> XmlReadable:
    """Return the parameters of a link_info or joint_info as plain data."""
    return XmlReadable(to_xml_element(part))


def unknown_extras(
    holders: Iterable[Any], reading: Reading
) -> Iterator[tuple[str, Readable]]:
    """Yield what custom readers make of extras, or the extras as they stand."""
    for holder in holders:
        for extra in children(holder, "extra"):
            kind = (extra.get("type") or "").strip()
            if kind.lower() in _KNOWN:
                continue
            technique = openrave_part(extra)
            if technique is None:
                technique = child(extra, "technique")
            found = None
            if technique is not None and kind:
                found = read_custom("robot", kind, technique, reading)
            yield kind or "extra", found or XmlReadable(to_xml_element(extra))
