"""The XML of a URDF file, with the defects that real files have mended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyrave.errors import Problem, SceneError, Severity
from pyrave.formats import parse_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.formats import XmlLimits
    from pyrave.formats.xml import Document

_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_VERSION = re.compile(rb"(version\s*=\s*[\"'])([^\"']*)([\"'])")
_HEAD = 4096
_PREFIX = re.compile(r"Namespace prefix ([\w.-]+) (?:on|for) ")
_MOST_PREFIXES = 8
_ENCODING = re.compile(rb"<\?xml\b[^>]*\bencoding\s*=\s*[\"']([\w.-]+)[\"']")
_OPEN, _CLOSE = b"<!--", b"-->"
_MOST_SLIPS = 100
_WITH_ZEROS = (b"\xff\xfe", b"\xfe\xff")
_ROOT = re.compile(r"<!--.*?-->|<robot(?=[\s>])", re.DOTALL)
XACRO = "http://www.ros.org/wiki/xacro"
UNDECLARED = "urn:undeclared:"
"""Start of the namespace of a prefix that no element declares."""


def open_document(
    data: bytes | str,
    file: str,
    limits: XmlLimits | None = None,
    note: Callable[[Problem], None] = lambda _: None,
) -> Document:
    """Return the document of a file.

    An XML declaration of version 0.0, or one that stands behind a comment, is what
    many exporters wrote; both are read. Prefixes of namespaces that are not declared
    are taken as if the root declared them, in `UNDECLARED`. Comments with two hyphens,
    zeros or bytes of another encoding, and zeros behind the root, which parsers of ROS
    pass over, are left out. Lines stay what they are, and so do columns but behind
    ``<robot`` on its line.

    Parameters
    ----------
    note
        Told of comments and zeros that are left out.

    Raises
    ------
    SceneError
        It is not well-formed, too large, or has a document type.
    """
    if isinstance(data, bytes):
        data = _mended(data)
    else:
        data = _mended(data.encode("utf-8", "surrogatepass")).decode(
            "utf-8", "surrogatepass"
        )
    try:
        return _with_prefixes(data, file, limits)
    except SceneError:
        plain = _without_comments(data)
        if plain == data:
            raise
        document = _parsed_or_none(plain, file, limits)
        if document is None:
            raise  # what is wrong stands elsewhere
    for problem in _slips(data, file):
        note(problem)
    return document


def _parsed_or_none(
    data: bytes | str, file: str, limits: XmlLimits | None
) -> Document | None:
    try:
        return _with_prefixes(data, file, limits)
    except SceneError:
        return None


def _with_prefixes(data: bytes | str, file: str, limits: XmlLimits | None) -> Document:
    """Parse a file, with the prefixes declared that it does not declare."""
    for _ in range(_MOST_PREFIXES):
        try:
            return parse_document(data, file, limits)
        except SceneError as error:
            found = _PREFIX.search(error.first.message)
            if found is None:
                raise
            data = _with_prefix(data, found[1])
    return parse_document(data, file, limits)


def _without_comments(data: bytes | str) -> bytes | str:
    """Return a file with blanks for comments, and for zeros behind the root."""
    if isinstance(data, str):
        plain = _without_comments(data.encode("utf-8", "surrogatepass"))
        assert isinstance(plain, bytes)  # noqa: S101 - as it was given
        return plain.decode("utf-8", "surrogatepass")
    if data.startswith(_WITH_ZEROS):
        return data
    parts, last = [], 0
    for start, end in _comments(data):
        parts += [data[last:start], re.sub(rb"[^\r\n]", b" ", data[start:end])]
        last = end
    return b"".join([*parts, data[last:]]).rstrip(b"\0 \t\r\n")


def _comments(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where comments begin and end."""
    end = 0
    while (start := data.find(_OPEN, end)) >= 0:
        end = data.find(_CLOSE, start + len(_OPEN)) + len(_CLOSE)
        if end < len(_CLOSE):
            return
        yield start, end


def _slips(data: bytes | str, file: str) -> Iterator[Problem]:
    """Yield a warning for each comment, and for zeros, that no XML file may have."""
    content = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    declared = _ENCODING.search(content, 0, _HEAD)
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    told = 0
    for start, end in _comments(content):
        what = _slip_in(content[start + len(_OPEN) : end - len(_CLOSE)], encoding)
        if what and told < _MOST_SLIPS:
            told += 1
            yield _slip(f"a comment has {what}", content, start, file)
    end = len(content.rstrip(b"\0 \t\r\n"))
    if b"\0" in content[end:]:
        yield _slip("zeros are behind the end", content, end, file)


def _slip(what: str, content: bytes, start: int, file: str) -> Problem:
    line = content.count(b"\n", 0, start) + 1
    column = start - content.rfind(b"\n", 0, start)
    return Problem(
        Severity.WARNING,
        f"{what}, which XML does not allow; it is passed over",
        file=file,
        line=line,
        column=column,
        hint="parsers of XML other than those of ROS refuse the file",
        code="not-xml",
    )


def _slip_in(comment: bytes, encoding: str) -> str:
    if b"--" in comment or comment.endswith(b"-"):
        return "two hyphens"
    if b"\0" in comment:
        return "zeros"
    try:
        comment.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return f"bytes that are no {encoding.upper()}"
    return ""


def _with_prefix(data: bytes | str, prefix: str) -> bytes | str:
    """Return a file whose root declares a prefix."""
    if isinstance(data, bytes):
        # each byte is one letter, so that all others stay
        text = _with_prefix(data.decode("latin-1"), prefix)
        assert isinstance(text, str)  # noqa: S101 - as it was given
        return text.encode("latin-1")
    uri = XACRO if prefix == "xacro" else UNDECLARED + prefix
    for found in _ROOT.finditer(data):
        if not found.group().startswith("<!"):
            end = found.end()
            return f'{data[:end]} xmlns:{prefix}="{uri}"{data[end:]}'
    return data


def _mended(data: bytes) -> bytes:
    found = _DECLARATION.search(data, 0, _HEAD)
    if found is None:
        return data
    before, text, after = data[: found.start()], found.group(), data[found.end() :]
    if before.strip(b"\xef\xbb\xbf"):
        # not at the start it would be refused; blanks keep the columns
        return before + re.sub(rb"[^\r\n]", b" ", text) + after
    return before + _VERSION.sub(_plain_version, text, count=1) + after


def _plain_version(found: re.Match[bytes]) -> bytes:
    opening, version, closing = found.groups()
    plain = version if version in {b"1.0", b"1.1"} else b"1.0"
    return opening + plain + closing + b" " * (len(version) - len(plain))
