"""Extras that are kept as data, and what registered readers make of them."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats import run_custom_reader, to_xml_element
from pyrave.scene import XmlElement, XmlReadable
from pyrave_collada.document.extras import exact_part, extras, openrave_part
from pyrave_collada.document.parsed import child, children
from pyrave_collada.vocabulary import KNOWN_EXTRAS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave.scene import Readable
    from pyrave_collada.reading.load import ColladaReading

_TAG = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Interface:
    """Contents of an ``interface_type``: type (lower case), id and plugin."""

    type: str
    id: str
    plugin: str = ""


def read_custom(
    interface_type: str,
    tag: str,
    element: Any,
    reading: ColladaReading,
    originals: Mapping[Any, Any] | None = None,
) -> Readable | None:
    """Return the result of the custom reader of a tag or id for an element.

    None if there is no such reader; a reader that fails is reported, and the element
    kept as plain XML.

    Parameters
    ----------
    originals
        Where `element` is a changed copy: the elements of the document by their copies.
    """
    reader = reading.context.find_reader(interface_type, tag.lower())
    if reader is None:
        return None
    known = originals or {}

    def original(one: Any) -> Any:
        return known.get(one, one)

    done, found = run_custom_reader(reader, element, reading, original)
    return found if done else XmlReadable(to_xml_element(element))


def interface_of(element: Any) -> Interface | None:
    """Return the interface in an element's ``<extra type="interface_type">``."""
    for _, part in extras(element, "interface_type"):
        return _interface(part)
    return interface_in(element)


def interface_in(element: Any) -> Interface | None:
    """Return the interface in the ``<interface_type>`` of an element, or None."""
    nested = child(element, "interface_type")
    if nested is None:
        return None
    own = openrave_part(nested)
    return _interface(nested if own is None else own)


def _interface(part: Any) -> Interface | None:
    interface, plugin = child(part, "interface"), child(part, "plugin")
    if interface is None:
        return None
    return Interface(
        (interface.get("type") or "").strip().lower(),
        (interface.text or "").strip(),
        "" if plugin is None else (plugin.text or "").strip(),
    )


_ARRAYS = {"float_array": float, "int_array": int}


def information(kind: str, part: Any, reading: ColladaReading) -> XmlReadable:
    """Return the parameters of a link_info or joint_info as plain data.

    Arrays without numbers are reported and left out; attributes that repeat the extra
    are left out, too.
    """
    kept = []
    for one in children(part):
        number = _ARRAYS.get(one.tag)
        words = (one.text or "").split()
        if number is not None:
            try:
                for word in words:
                    number(word)
            except ValueError:
                whole = "whole " if number is int else ""
                reading.warn(
                    one,
                    "bad-number",
                    f"<{one.tag}> {one.get('name')!r} holds {' '.join(words)[:60]!r}, "
                    f"expected {whole}numbers; it is left out",
                )
                continue
            name = (("name", one.get("name") or ""),)
            kept.append(XmlElement(one.tag, name, " ".join(words)))
        else:
            kept.append(to_xml_element(one))
    return XmlReadable(XmlElement(kind, children=tuple(kept)))


def unknown_extras(
    holders: Iterable[Any], reading: ColladaReading
) -> Iterator[tuple[str, Readable]]:
    """Yield the results of custom readers for extras, or the extras themselves.

    Readers are those of robots, then those of bodies; they are called with an element
    of the extra's type that holds what the technique of profile OpenRAVE does, else the
    first one. None is called for what pyrave's own part says whole.
    """
    for holder in holders:
        whole = _said_by_pyrave(holder)
        for extra in children(holder, "extra"):
            kind = (extra.get("type") or "").strip()
            if kind.lower() in KNOWN_EXTRAS:
                continue
            technique = openrave_part(extra)
            if technique is None:
                technique = child(extra, "technique")
            found = None
            if (
                technique is not None
                and _TAG.fullmatch(kind)
                and kind.lower() not in whole
            ):
                copy, originals = _as_tag(technique, kind)
                for owner in ("robot", "kinbody"):
                    found = found or read_custom(owner, kind, copy, reading, originals)
            yield kind or "extra", found or XmlReadable(to_xml_element(extra))


def _said_by_pyrave(holder: Any) -> frozenset[str]:
    """Return the keys, in lower case, of the readables of pyrave's own part."""
    exact = exact_part(holder)
    named = () if exact is None else children(exact, "readable")
    return frozenset((one.get("key") or "").lower() for one in named)


def _as_tag(technique: Any, tag: str) -> tuple[Any, dict[Any, Any]]:
    """Return a technique's content as an element; originals by copies."""
    copy = deepcopy(technique)
    originals = dict(zip(copy.iter("*"), technique.iter("*"), strict=True))
    copy.tag, copy.tail = tag, None
    copy.attrib.pop("profile", None)
    return copy, originals
