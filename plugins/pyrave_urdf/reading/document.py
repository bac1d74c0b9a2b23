"""The XML of a URDF file, with the defects that real files have mended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyrave.errors import SceneError
from pyrave.formats import parse_document
from pyrave.formats.xml_slips import parse_with_slips

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.errors import Problem
    from pyrave.formats import XmlLimits
    from pyrave.formats.xml import Document

_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_VERSION = re.compile(rb"(version\s*=\s*[\"'])([^\"']*)([\"'])")
_HEAD = 4096
_PREFIX = re.compile(r"Namespace prefix ([\w.-]+) (?:on|for) ")
_MAX_PREFIXES = 8
_SURROGATES = "utf-8", "surrogatepass"
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
    are taken as if the root declared them, in `UNDECLARED`. What XML does not allow and
    parsers of ROS pass over is mended. Lines stay what they are, and so do columns but
    behind ``<robot`` on its line.

    Parameters
    ----------
    note
        Told of what XML does not allow.

    Raises
    ------
    SceneError
        It is not well-formed, too large, or has a document type.
    """
    if isinstance(data, bytes):
        data = _mended(data)
    else:
        data = _mended(data.encode(*_SURROGATES)).decode(*_SURROGATES)
    return parse_with_slips(
        data,
        file,
        lambda content: _with_prefixes(content, file, limits),
        note,
        root=b"robot",
        hint="parsers of XML other than those of ROS refuse the file",
    )


def _with_prefixes(data: bytes | str, file: str, limits: XmlLimits | None) -> Document:
    """Parse a file, with the prefixes declared that it does not declare."""
    for _ in range(_MAX_PREFIXES):
        try:
            return parse_document(data, file, limits)
        except SceneError as error:
            found = _PREFIX.search(error.first.message)
            if found is None:
                raise
            data = _with_prefix(data, found[1])
    return parse_document(data, file, limits)


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
