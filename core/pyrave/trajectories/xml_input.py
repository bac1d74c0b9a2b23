"""Parsing of untrusted XML text into lxml elements, and escapes for writing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyrave.errors import NotSupportedError, SceneError, shortened
from pyrave.scene.readable import XmlElement

if TYPE_CHECKING:
    from lxml.etree import _Element

_NAME = re.compile(r"[^\W\d][\w.\-]*(:[^\W\d][\w.\-]*)?")
# The standard library's own escapes live in a module that loads an HTTP client.
_ATTRIBUTE_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "\n": "&#10;",
        "\r": "&#13;",
        "\t": "&#9;",
    }
)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def problem(message: str, element: Any = None, hint: str | None = None) -> SceneError:
    """Return a SceneError that names the place of `element`, if there is one."""
    line = path = None
    if element is not None:
        line = element.sourceline
        path = element.getroottree().getpath(element).lstrip("/")
    return SceneError.refusal(
        "trajectory", shortened(message), line=line, element=path, hint=hint
    )


def parse(source: str | bytes | XmlElement | _Element) -> _Element:
    """Return the root element of text, UTF-8 bytes, plain data or an element as it is.

    No network, no external files, no document type (so no entities).
    """
    if isinstance(source, XmlElement):
        return _from_plain(source)
    if not isinstance(source, (str, bytes)):
        return source
    from lxml import etree

    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
        data = text.encode()
    except UnicodeError as error:
        raise problem("the XML text is not valid UTF-8") from error
    if "<!DOCTYPE" in text.upper():
        raise problem("document types are refused", hint="remove the <!DOCTYPE ...>")
    # The declared encoding must not decide how the checked bytes are read; without
    # a document type huge_tree only lifts the limit on the length of one text.
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise SceneError.refusal(
            "xml-syntax",
            f"not well-formed XML: {error.msg}",
            line=error.lineno or None,
            column=error.offset,
        ) from error


def _from_plain(xml: XmlElement) -> _Element:
    """Return plain data as an element that knows its line."""
    from lxml import etree

    element = etree.Element(xml.tag)
    for name, value in xml.attributes:
        element.set(name, value)
    element.text, element.tail = xml.text or None, xml.tail or None
    if xml.location is not None:
        element.sourceline = xml.location.line
    element.extend([_from_plain(child) for child in xml.children])
    return element


def tag_of(element: Any) -> str:
    """Return the local tag in lower case, ``""`` of anything but an element."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1].lower() if isinstance(tag, str) else ""


def child_elements(element: Any) -> list[Any]:
    """Return the children that are elements."""
    return [child for child in element if isinstance(child.tag, str)]


def attribute(element: Any, name: str) -> str | None:
    """Return an attribute, its name matched without case."""
    for key, value in element.attrib.items():
        if key.lower() == name:
            return str(value)
    return None


def cdata(text: str) -> str:
    """Return text as character data sections, as OpenRAVE writes free text."""
    inside = _legal(text).replace("]]>", "]]]]><![CDATA[>")
    # A bare carriage return would be read back as a newline.
    return "<![CDATA[" + inside.replace("\r", "]]>&#13;<![CDATA[") + "]]>"


def tag_text(name: str) -> str:
    """Return a name that can be a tag or attribute, or refuse it."""
    if not _NAME.fullmatch(name):
        raise NotSupportedError(
            f"{name!r} cannot be written as an XML tag or attribute; use another key"
        )
    return name


def _legal(text: str) -> str:
    found = _ILLEGAL.search(text)
    if found:
        raise NotSupportedError(
            f"character {found.group()!r} cannot be written as XML; remove it or use "
            "the binary form"
        )
    return text


def quoted(text: str) -> str:
    """Return text as a double-quoted attribute value."""
    return '"' + _legal(text).translate(_ATTRIBUTE_ESCAPES) + '"'
