"""The XML of a URDF file, with the defects that real files have mended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyrave.formats import parse_document

if TYPE_CHECKING:
    from pyrave.formats import XmlLimits
    from pyrave.formats.xml import Document

__all__ = ["open_document"]

_DECLARATION = re.compile(rb"<\?xml\b[^>]*\?>")
_VERSION = re.compile(rb"(version\s*=\s*[\"'])([^\"']*)([\"'])")
_HEAD = 4096


def open_document(
    data: bytes | str, file: str, limits: XmlLimits | None = None
) -> Document:
    """Return the document of a file.

    An XML declaration of version 0.0, or one that stands behind a comment, is what
    many exporters wrote; both are read. Lines and columns stay what they are.

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
    return parse_document(data, file, limits)


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
