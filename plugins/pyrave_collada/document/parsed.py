"""COLLADA documents: elements by id, units, and the habits of their writers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import SceneError
from pyrave.formats import XmlLimits, parse_document
from pyrave.formats.xml_slips import parse_with_slips
from pyrave_collada.document.outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.errors import Problem
    from pyrave.formats import Document as XmlDocument

LIMITS = XmlLimits(file_bytes=128 * 1024 * 1024, long_texts=True)

_MAX_METRES = 1e30
EXACT_NAMESPACE = "urn:pyrave:exact"
"""Namespace of what only pyrave reads."""
_OWN_NAMESPACE = re.compile(
    r"\{(?:http://www\.(?:collada\.org/\d{4}/\d{2}/COLLADASchema"
    rf"|w3\.org/1998/Math/MathML)|{EXACT_NAMESPACE})\}}"
)
_PREFIXED = re.compile(rb"</?([A-Za-z_][\w.-]*):")
_DECLARED = re.compile(rb"xmlns:([A-Za-z_][\w.-]*)\s*=")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?COLLADA\b")
# writers that gave joint values and speeds in radians, everyone else in degrees
_RADIANS = {
    "OpenRAVE Collada Writer",
    "URDF Collada Writer",
    "OpenHRP3 Collada Writer",
}


class ColladaDocument:
    """One parsed COLLADA file. Immutable.

    Tags of COLLADA's own namespaces and MathML's stand without a namespace.

    Parameters
    ----------
    data
        Bytes or text of the file.
    file
        Absolute path, or a name for messages.
    folder
        Where relative names start, or None.
    """

    def __init__(self, data: bytes | str, file: str, folder: str | None) -> None:
        self.file = file
        self.folder = folder
        self.slips: list[Problem] = []
        """Warnings of what XML does not allow in the file."""
        self.xml = parse_with_slips(
            data,
            file,
            lambda content: _parsed(content, file),
            self.slips.append,
            root=rb"(?:[\w.-]+:)?COLLADA",
            hint="parsers that keep to XML, as OpenRAVE's, refuse the file",
        )
        self.root = self.xml.root
        self.by_id: dict[str, Any] = {}
        self.outline = Outline()
        self.size = 0
        """Number of elements."""
        short_tags: dict[str, str] = {}
        for element in self.root.iter("*"):
            tag = element.tag
            short = short_tags.get(tag)
            if short is None:
                short = short_tags[tag] = _OWN_NAMESPACE.sub("", tag)
            if short != tag:
                element.tag = short
            self.size += 1
            key = element.get("id")
            if key is not None:
                self.by_id.setdefault(key, element)
            self.outline.add(element)
        asset = child(self.root, "asset")
        tools = asset.iter("authoring_tool") if asset is not None else ()
        self.authoring_tool = next(((tool.text or "").strip() for tool in tools), "")
        self.has_radians = self.authoring_tool in _RADIANS
        """True if joint values, speeds and accelerations are in radians."""
        self.has_radian_sensors = self.authoring_tool.startswith("OpenHRP3")
        """True if the angles of ``base_laser1d`` are in radians."""
        self._units: dict[Any, float] = {}
        units = list(self.root.iter("unit"))
        own = self.root.find("asset/unit")
        self._one_unit = (_metres(own) or 1.0) if units in ([], [own]) else None
        self.bad_units = [
            one
            for one in self.root.iter("unit")
            if one.getparent().tag == "asset" and _metres(one) is None
        ]
        """Units that make no sense; they are passed over."""

    def unit(self, element: Any) -> float:
        """Return the metres of one unit of length at an element."""
        if self._one_unit is not None:
            return self._one_unit
        known = self._units.get(element)
        if known is not None:
            return known
        found: float | None = None
        node = element
        while node is not None and found is None:
            for asset in _assets(node):
                found = _metres(child(asset, "unit"))
            node = node.getparent()
        self._units[element] = unit = 1.0 if found is None else found
        return unit


def _assets(node: Any) -> Iterator[Any]:
    """Yield the assets of an element: its own, or those in its extra."""
    yield from node.iterchildren("asset")
    for extra in node.iterchildren("extra"):
        yield from extra.iterchildren("asset")


def _metres(unit: Any) -> float | None:
    if unit is None:
        return None
    try:
        metres = float(unit.get("meter", "1"))
    except ValueError:
        return None
    return metres if 0.0 < metres <= _MAX_METRES else None


def _parsed(data: bytes | str, file: str) -> XmlDocument:
    """Return a parsed document, its prefixes declared if that is what it lacks.

    Several writers use ``mathml:`` without saying what it is.
    """
    try:
        return parse_document(data, file, LIMITS)
    except SceneError as error:
        if not lacks_prefix(error.__cause__):
            raise
    return parse_document(with_prefixes(data), file, LIMITS)


def lacks_prefix(error: BaseException | None) -> bool:
    """Return True if the first thing wrong in a document is an undeclared prefix."""
    unknown = etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE
    return isinstance(error, etree.XMLSyntaxError) and error.code == unknown


def with_prefixes(data: bytes | str) -> bytes | str:
    """Return a document in which the prefixes of all tags are declared.

    The same object if they are already.
    """
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    used = set(_PREFIXED.findall(raw))
    missing = sorted(used - set(_DECLARED.findall(raw)) - {b"xml"})
    root = _ROOT.search(raw) if missing else None
    if root is None:
        return data
    uri = b"http://www.w3.org/1998/Math/MathML"
    declared = b"".join(
        b' xmlns:%s="%s"' % (name, uri if b"math" in name.lower() else b"urn:" + name)
        for name in missing
    )
    mended = raw[: root.end()] + declared + raw[root.end() :]
    return (
        mended if isinstance(data, bytes) else mended.decode("utf-8", "surrogatepass")
    )


def child(element: Any, tag: str) -> Any:
    """Return the first child of a tag, or None."""
    return next(element.iterchildren(tag), None)


def children(element: Any, *tags: str) -> Iterator[Any]:
    """Yield the children of given tags (all elements if none are given) in order."""
    yield from element.iterchildren(*(tags or ("*",)))


def local_tag(element: Any) -> str:
    """Return an element's tag without a namespace."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def one_word(name: str) -> str:
    """Return a name that people gave, without blanks."""
    return "_".join(name.split())
