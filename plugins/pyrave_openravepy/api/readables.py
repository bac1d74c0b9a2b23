"""Data that is kept at objects: readables of XML files, and data of scripts."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from pyrave.scene import Readable as NativeReadable
from pyrave.scene import XmlElement, XmlReadable
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.handles import VoidHandle

__all__ = [
    "Readable",
    "SerializableData",
    "UserData",
    "native_readable",
    "text_readable",
]


@dataclass(frozen=True)
class TextReadable(NativeReadable):
    """A readable that is a text, as scripts make them.

    Parameters
    ----------
    key
        Its id.
    text
        What it says; XML where `is_xml`.
    is_xml
        The text is the element itself, not what stands in it.
    """

    key: str
    text: str
    is_xml: bool = False

    def to_xml(self) -> XmlElement | None:
        """Return the element that files have for it."""
        if not self.is_xml:
            return XmlElement(self.key, text=self.text)
        try:
            return _element(ET.fromstring(self.text))  # noqa: S314
        except ET.ParseError:
            return XmlElement(self.key, text=self.text)


def _element(node: ET.Element) -> XmlElement:
    return XmlElement(
        node.tag,
        tuple(node.attrib.items()),
        node.text or "",
        tuple(_element(child) for child in node),
        node.tail or "",
    )


class Readable(Guarded):
    """Data that a custom XML reader left on an object.

    Parameters
    ----------
    xmlid
        Its id.
    native
        pyrave's readable.
    """

    def __init__(self, xmlid: str, native: NativeReadable) -> None:
        self._id = str(xmlid)
        self._native = native

    def GetXMLId(self) -> str:
        return self._id

    def SerializeXML(self, options: int = 0) -> str:
        if isinstance(self._native, TextReadable) and self._native.is_xml:
            return self._native.text
        found = self._native.to_xml()
        return "" if found is None else _text_of(found)

    def SerializeJSON(self, unitScale: float = 1.0, options: int = 0) -> Any:
        if isinstance(self._native, TextReadable):
            return self._native.text
        return self.SerializeXML(options)

    def DeserializeJSON(self, obj: Any, unitScale: float = 1.0) -> bool:
        self._native = TextReadable(self._id, str(obj))
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Readable):
            return NotImplemented
        return self._id == other._id and self._native == other._native

    def __hash__(self) -> int:
        return hash(self._id)

    def __repr__(self) -> str:
        return f"<readable {self._id!r}>"


def _text_of(element: XmlElement) -> str:
    # late: it imports what opens addresses
    from xml.sax.saxutils import escape, quoteattr

    attributes = "".join(f" {k}={quoteattr(v)}" for k, v in element.attributes)
    inner = escape(element.text) + "".join(_text_of(one) for one in element.children)
    tail = escape(element.tail)
    if not inner:
        return f"<{element.tag}{attributes}/>{tail}"
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>{tail}"


def text_readable(xmlid: str, data: str, *, is_xml: bool) -> Readable:
    """Return a readable with a text of a script."""
    return Readable(xmlid, TextReadable(str(xmlid), str(data), is_xml))


def native_readable(given: Any) -> NativeReadable:
    """Return pyrave's readable of one of the API, or of pyrave itself."""
    if isinstance(given, Readable):
        return given._native
    if isinstance(given, NativeReadable):
        return given
    raise openrave_exception(
        f"a readable is {given!r}, expected one of "
        "openravepy.xmlreaders.CreateStringXMLReadable(id, text)",
        ErrorCode.InvalidArguments,
    )


def xml_readable(element: XmlElement) -> XmlReadable:
    """Return pyrave's readable of an element."""
    return XmlReadable(element)


class UserData(VoidHandle):
    """Data of a script at an object; a base for its own classes."""


class SerializableData(UserData):
    """Data of a script as bytes or text, which JSON can hold.

    Parameters
    ----------
    data
        What is kept.
    """

    def __init__(self, data: Any = b"") -> None:
        super().__init__()
        self._data = data

    def Close(self) -> None:
        self._data = b""
        super().Close()

    def Serialize(self, options: int = 0) -> Any:
        return self._data

    def Deserialize(self, data: Any) -> None:
        self._data = data

    def SerializeJSON(self, unitScale: float = 1.0, options: Any = None) -> str:
        data = self._data
        if isinstance(data, str):
            return data
        return base64.b64encode(bytes(data)).decode("ascii")
