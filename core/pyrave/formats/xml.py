"""One safe way to parse XML, and documents that know where their elements are.

No network, no document type, no entities, no recovery, bounded size and depth.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from json import detect_encoding
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import numpy as np
from lxml import etree

from pyrave.errors import SceneError
from pyrave.scene import XmlElement
from pyrave.scene.location import Location

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DOCTYPE = "<!DOCTYPE"
_OTHER_END = re.compile(r"tag mismatch: (\S+) line \d+ and ([^\s,]+)")
_UNKNOWN_ENCODING = re.compile(r"[Uu]nsupported encoding:? *'?([^\s,']+)")
_MAX_SHOWN = 60
_FEW = 4
MAX_DEPTH = 256
"""How deep elements may be nested; libxml2 refuses what is deeper."""
TOO_DEEP = f"elements are nested too deep, at most {MAX_DEPTH} are read"
elements_too_deep = etree.XPath("/*" * (MAX_DEPTH + 1))
"""Finder of the elements of a document that are the first of too deep ones."""
_STRAY = etree.XPath("/descendant::*[*]/text()[normalize-space()]")
_COUNT_BEFORE = etree.XPath("count(preceding::*) + count(ancestor::*)")
_LESS, _BANG, _QUESTION, _SLASH, _NEW_LINE = b"<!?/\n"
_BEHIND_NAMES = frozenset({b" ", b"\t", b"\n", b"/", b">"})
_LAST_LINE = 65535
_LONG_LINE = 2000
# what may hold something that looks like a start tag: how it begins and ends
_OTHERS = ((b"<!--", b"-->"), (b"<!", b"]]>"), (b"<?", b"?>"))
# bytes below 128 are letters of ASCII in them, and in no other letter
_WITH_ASCII = frozenset({"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1"})


@dataclass(frozen=True, slots=True)
class XmlLimits:
    """Bounds on the cost of one XML file and its inclusions.

    Parameters
    ----------
    file_bytes
        Size of one file.
    elements
        Elements of one file, and of all inclusions of a load together.
    attributes
        Attributes of one element; libxml2 reads them in quadratic time.
    inclusions
        Inclusions of a load together.
    inclusion_depth
        How deep a file may include others.
    revisits
        How often elements may change what stood before them, such as the colours of
        all geometries.
    long_texts
        Whether one text may have more than 10 million bytes, as lists of numbers do.
    """

    file_bytes: int = 64 * 1024 * 1024
    elements: int = 500_000
    attributes: int = 1000
    inclusions: int = 10_000
    inclusion_depth: int = 32
    revisits: int = 500_000
    long_texts: bool = False


class Document:
    """A parsed XML file; immutable, but that positions are found on first use.

    Parameters
    ----------
    file
        Absolute path, or a name such as ``<string>``.
    data
        The bytes that were parsed.
    root
        The root element (lxml).
    encoding
        Encoding that overrides what the document declares, or None.
    """

    def __init__(
        self, file: str, data: bytes, root: Any, encoding: str | None = None
    ) -> None:
        self.file = file
        self.root = root
        self._data = data
        self._encoding = encoding
        self._tags: _StartTags | None = None
        self._numbers: dict[Any, int] | None = None
        self._n_counted = 0
        self._names: frozenset[tuple[str, str]] | None = None
        self._below: dict[Any, tuple[list[Any], dict[Any, str]]] = {}
        """Tags of the children, and their names without namespace, by parents."""
        self._texts: dict[Any, str] | None = None

    @property
    def n_elements(self) -> int:
        """Upper bound of its number of elements, for a quick check of limits."""
        return _tags_in(self._data)

    @cached_property
    def has_own_elements(self) -> bool:
        """True if there are ``<pyrave>`` elements in it."""
        return next(self.root.iter("pyrave"), None) is not None

    def declares(self, tag: str, name: str) -> bool:
        """Return True if there is an element of a tag and ``name`` anywhere in it."""
        if self._names is None:
            self._names = frozenset(
                (local_name(element), value.strip())
                for element in self.root.iter(etree.Element)
                for key, value in element.items()
                if key.lower() == "name"
            )
        return (tag, name) in self._names

    def stray_text(self, element: Any) -> str:
        """Return a text that stands between an element's children, or empty."""
        if not len(element):
            return (element.text or "").strip()
        if self._texts is None:
            # one pass in C over all elements is much less than one for each here
            found = _STRAY(self.root)
            self._texts = {}
            for text in found:
                node = text.getparent()
                above = node.getparent() if text.is_tail else node
                self._texts.setdefault(above, str(text).strip())
        return self._texts.get(element, "") if self._texts else ""

    def position(self, element: Any) -> tuple[int | None, int | None]:
        """Return (line, column) of an element's start tag, counted from 1.

        lxml knows only the lines that start tags end on: the bytes are looked at when
        the first problem is reported.
        """
        if element.getroottree().getroot() is not self.root:
            return (element.sourceline, None)
        if self._tags is None:
            encoding = self._encoding or self.root.getroottree().docinfo.encoding
            self._tags = _StartTags(self._data, encoding or "utf-8")
        found = self._tags.only_one(_written_name(element), element.sourceline)
        if found is None:
            number = self._number(element)
            found = None if number is None else self._tags.position(number)
        return found or (element.sourceline, None)

    def _number(self, element: Any) -> int | None:
        """Return the number of elements before one, None if it is of no document."""
        if self._numbers is None and self._n_counted < _FEW:
            # an object of lxml for each element costs more than a few counts in C
            self._n_counted += 1
            return int(_COUNT_BEFORE(element))
        if self._numbers is None:
            self._numbers = {
                one: i for i, one in enumerate(self.root.iter(etree.Element))
            }
        return self._numbers.get(element)

    def element_path(self, element: Any) -> str:
        """Return the path of lower-case tags from the root, with indices from 1."""
        parts = []
        node = element
        while node is not None:
            name = local_name(node)
            parent = node.getparent()
            if parent is not None:
                name += self._index(parent, node, name)
            parts.append(name if len(name) <= _MAX_SHOWN else name[:_MAX_SHOWN] + "…")
            node = parent
        return "/".join(reversed(parts))

    def _index(self, parent: Any, child: Any, name: str) -> str:
        """Return ``[i]`` of a child that is not the only one of its name."""
        if parent not in self._below:
            children = [*parent]
            tags = [one.tag for one in children]
            # most children have one of a few tags
            first = dict(zip(reversed(tags), reversed(children), strict=True))
            names = {tag: local_name(one) for tag, one in first.items()}
            self._below[parent] = tags, names
        tags, names = self._below[parent]
        alike = [tag for tag, other in names.items() if other == name]
        if sum(map(tags.count, alike)) < 2:
            return ""
        return f"[{sum(map(tags[: parent.index(child) + 1].count, alike))}]"


def parse_document(
    data: bytes | str, file: str, limits: XmlLimits | None = None
) -> Document:
    """Parse one XML file.

    Parameters
    ----------
    data
        Its bytes, or text (then an encoding that the document declares is ignored).
    file
        Its name, for messages.

    Raises
    ------
    SceneError
        If it is not well-formed, too large, too deep, or has a document type.
    """
    limits = limits or XmlLimits()
    encoding = None
    if isinstance(data, str):
        encoding = "utf-8"
        data = data.encode("utf-8", "surrogatepass")
    if len(data) > limits.file_bytes:
        message = (
            f"the file has {len(data)} bytes, at most {limits.file_bytes} are read"
        )
        raise SceneError.refusal("file-too-large", message, file=file)
    count = data.count(b"<")
    if count > limits.elements + 1:
        count = _tags_in(data)
    if count > limits.elements + 1:
        message = f"the file has {count} tags, at most {limits.elements} are read"
        hint = "load what belongs together from files of its own, one after the other"
        raise SceneError.refusal("file-too-large", message, file=file, hint=hint)
    _refuse_doctype(data, file, encoding)
    parser = etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        remove_comments=True,
        remove_pis=True,
        recover=False,
        huge_tree=limits.long_texts,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        words = error.msg or ""
        message = f"not well-formed XML: {_own_words(words)}"
        place = {"file": file, "line": line, "column": column}
        raise SceneError.refusal(
            "malformed-xml", message, hint=_syntax_hint(words), **place
        ) from error
    except (LookupError, ValueError) as error:
        raise SceneError.refusal(
            "malformed-xml", f"not readable as XML: {error}", file=file
        ) from error
    if root is None:
        raise SceneError.refusal("malformed-xml", "the file has no element", file=file)
    info = root.getroottree().docinfo
    is_known = (info.encoding or "utf-8").lower() in _WITH_ASCII
    # the parser of long texts ends at no depth
    may_be_deep = limits.long_texts and (count > MAX_DEPTH or not is_known)
    if may_be_deep and (deep := elements_too_deep(root)):
        message = f"not well-formed XML: {TOO_DEEP}"
        raise SceneError.refusal(
            "malformed-xml", message, file=file, line=deep[0].sourceline
        )
    beyond = ()
    # a blank, a name, an equal sign and two quotation marks each
    if not is_known or _has_gap(data, 5 * limits.attributes):
        beyond = _attributes_beyond(limits.attributes)(root)
    if beyond:
        crowded = beyond[0].getparent()
        message = (
            f"<{local_name(crowded)}> has more than {limits.attributes} attributes"
        )
        raise SceneError.refusal(
            "too-complex", message, file=file, line=crowded.sourceline
        )
    if info.internalDTD is not None:
        raise _doctype_refusal(file, None, None)
    return Document(file, data, root, encoding)


@cache
def _attributes_beyond(limit: int) -> etree.XPath:
    """Return a finder of the attributes of elements with more than so many.

    A number that is written into the path lets libxml2 count no further.
    """
    return etree.XPath(f"/descendant::*/@*[{limit + 1}]")


def _tags_in(data: bytes) -> int:
    """Return at most how many elements bytes of XML hold, before they are parsed."""
    return data.count(b"<") - data.count(b"</")


def _has_gap(data: bytes, size: int) -> bool:
    """Return True if a ``<`` is further than so many bytes from the one before."""
    at = 0
    while at + size < len(data):
        at = data.rfind(b"<", at + 1, at + size + 1)
        if at < 0:
            return True
    return False


def _marks_in(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Return the bytes as numbers, and where ``<`` is with another behind it."""
    letters = np.frombuffer(data, np.uint8)
    return letters, np.flatnonzero(letters[:-1] == _LESS)


def _syntax_hint(message: str) -> str | None:
    """Return a hint if an end tag has other capitals, or an encoding another name."""
    unknown = _UNKNOWN_ENCODING.search(message)
    if unknown is not None:
        with suppress(LookupError, ValueError):
            known = codecs.lookup(unknown[1]).name.upper().replace("_", "-")
            if known != unknown[1].upper():
                return f'write encoding="{known.replace("ISO8859", "ISO-8859")}"'
        return "save the file as UTF-8, and declare no other encoding"
    ends = _OTHER_END.search(message)
    if ends is None or ends[1].lower() != ends[2].lower():
        return None
    return f"end tags have the capitals of their start tags: write </{ends[1]}>"


def _own_words(message: str) -> str:
    """Return the words of libxml2; its limits as what they mean for a file."""
    if "XML_PARSE_HUGE" not in message and "huge" not in message.lower():
        return message
    if "depth" in message.lower():
        return TOO_DEEP
    return "one text or name is too long, at most 10 million characters are read"


def local_name(element: Any) -> str:
    """Return an element's tag in lower case, without a default namespace."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    if tag[0] == "{":
        tag = tag.rpartition("}")[2]
        if element.prefix:
            tag = f"{element.prefix}:{tag}"
    return tag.lower()


def _written_name(element: Any) -> str:
    """Return an element's tag as its file has it."""
    name = str(element.tag).rpartition("}")[2]
    return f"{element.prefix}:{name}" if element.prefix else name


def to_xml_element(element: Any, file: str | None = None) -> XmlElement:
    """Return an lxml element as plain data; tags and attributes as written.

    Blanks between elements have no meaning and are left out.
    """
    return _plain(element, file, "")


def from_xml_element(xml: XmlElement, namespace: str | None = None) -> Any:
    """Return plain data as an lxml element.

    Parameters
    ----------
    namespace
        Of the elements that have none.

    Raises
    ------
    ValueError
        If it holds a name or a character that XML has not.
    """
    is_plain = namespace is None or xml.tag.startswith("{")
    element = etree.Element(xml.tag if is_plain else f"{{{namespace}}}{xml.tag}")
    for name, value in xml.attributes:
        element.set(name, value)
    element.text = xml.text or None
    for child in xml.children:
        element.append(from_xml_element(child, namespace))
    element.tail = xml.tail or None
    return element


def add_xml(parent: Any, xml: XmlElement) -> Any:
    """Append plain data in the namespace of an element, and return what was appended.

    Raises
    ------
    ValueError
        If it holds a name or a character that XML has not; nothing is appended.
    """
    made = from_xml_element(xml, etree.QName(parent).namespace)
    made.tail = None
    parent.append(made)
    return made


def _plain(element: Any, file: str | None, tail: str) -> XmlElement:
    # files keep thousands of elements: what lxml need not be asked for, is not
    children: tuple[XmlElement, ...] = ()
    text = element.text or ""
    if len(element):
        children = tuple([
            _plain(
                child, file, "" if (end := child.tail) is None or end.isspace() else end
            )
            for child in element
            if isinstance(child.tag, str)
        ])  # fmt: skip
        if children and text.isspace():
            text = ""
    return XmlElement(
        element.tag,
        tuple(element.items()),
        text,
        children,
        tail,
        None if file is None else Location(file, element.sourceline),
    )


class _StartTags:
    """Positions of the start tags of a well-formed document.

    Such a document has no ``<`` in texts and attributes, so that looking for this one
    letter is enough; nothing else of a file is parsed.
    """

    def __init__(self, data: bytes, encoding: str) -> None:
        if b"\0" in data[:4]:  # lxml tells of such an encoding only if it is declared
            encoding = detect_encoding(data)
        if encoding.lower() not in _WITH_ASCII:
            try:
                data = data.decode(encoding).encode()
            except (LookupError, ValueError):
                data = b""  # libxml2 knows it, Python does not
            encoding = "utf-8"
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        # libxml2 counts no line at a lone one
        self._has_lines = b"\r" not in data
        if not self._has_lines:
            data = data.replace(b"\r", b"\n")
        self._data = data.removeprefix(codecs.BOM_UTF8)
        self._encoding = encoding

    @cached_property
    def _offsets(self) -> list[int]:
        return _tag_offsets(self._data)

    @cached_property
    def _line_ends(self) -> NDArray[np.intp]:
        letters = np.frombuffer(self._data, np.uint8)
        return np.append(np.flatnonzero(letters == _NEW_LINE), len(letters))

    def only_one(self, name: str, last: int | None) -> tuple[int, int] | None:
        """Return (line, column) of the start tag of a name that ends on a line.

        None if there may be several.
        """
        if not self._has_lines or last is None or not last <= len(self._line_ends):
            return None
        begin = int(self._line_ends[last - 2]) + 1 if last > 1 else 0
        end = int(self._line_ends[last - 1])
        # where libxml2 counts lines no further, several tags are on the last one
        if last >= _LAST_LINE or end - begin > _LONG_LINE:
            return None
        # the tag may have begun before its last line
        at = max(self._data.rfind(b"<", 0, begin), 0)
        start = b"<" + name.encode(self._encoding)
        found = -1
        while (at := self._data.find(start, at, end)) >= 0:
            if self._data[at + len(start) : at + len(start) + 1] in _BEHIND_NAMES:
                if found >= 0:
                    return None
                found = at
            at += 1
        return None if found < 0 else self._place(found)

    def position(self, number: int) -> tuple[int, int] | None:
        """Return (line, column) of a start tag, counted from 1; None if unknown."""
        if number >= len(self._offsets):
            return None
        return self._place(self._offsets[number])

    def _place(self, start: int) -> tuple[int, int]:
        before = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
        column = len(before if before.isascii() else before.decode(self._encoding))
        line = int(np.searchsorted(self._line_ends, start)) + 1
        return line, column + 1


def _tag_offsets(data: bytes) -> list[int]:
    """Return the offsets of the start tags."""
    letters, at = _marks_in(data)
    marks = letters[at + 1]
    is_other = (marks == _BANG) | (marks == _QUESTION)
    is_tag = ~is_other & (marks != _SLASH)
    end = 0
    for begin in at[is_other].tolist():
        if begin < end:
            continue
        first, last = next(one for one in _OTHERS if data.startswith(one[0], begin))
        # <!--> ends no comment
        end = data.find(last, begin + len(first)) + len(last)
        within = slice(*np.searchsorted(at, (begin, end)))
        is_tag[within] = False
    found: list[int] = at[is_tag].tolist()
    return found


def _refuse_doctype(data: bytes, file: str, encoding: str | None) -> None:
    if b"!" not in data:
        return
    suspects = [_DOCTYPE.encode()]
    if b"\0" in data:
        suspects += [_DOCTYPE.encode("utf-16-le"), _DOCTYPE.encode("utf-16-be")]
    if not any(suspect in data for suspect in suspects):
        return
    parser = expat.ParserCreate(encoding)

    def refuse(*_: object) -> None:
        raise _doctype_refusal(
            file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        )

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError):
        return  # the real parser words the complaint


def _doctype_refusal(file: str, line: int | None, column: int | None) -> SceneError:
    return SceneError.refusal(
        "doctype",
        "a document type (<!DOCTYPE ...>) is refused, as are entities",
        file=file,
        line=line,
        column=column,
        hint="remove it; scene files need none",
    )
