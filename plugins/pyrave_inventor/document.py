"""Kinds of files, and places of problems in them."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from pyrave.formats import read_texture

if TYPE_CHECKING:
    from pyrave.errors import SceneError
    from pyrave.formats import MeshSource
    from pyrave.scene import Texture

Dialect = Literal["inventor", "vrml1", "vrml97"]

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
_MAX_INFLATED = 256 * 1024 * 1024
_HEADER = re.compile(
    rb"(?:\xef\xbb\xbf)?#(?:Inventor V(?P<version>\d\.\d) +(?P<encoding>ascii|binary)"
    rb"|VRML V(?P<vrml>1\.0 +ascii|2\.0 +utf8))[^\r\n]*(?:\r\n?|\n|\Z)",
    re.IGNORECASE,
)
_LINE_END = re.compile(rb"\r\n?|\n")


class _Place(TypedDict, total=False):
    line: int
    column: int
    offset: int


@dataclass(frozen=True, slots=True)
class Document:
    """The inflated bytes of a file and what its first line says about them.

    Parameters
    ----------
    data
        All bytes; places are counted in them.
    start
        Where the content begins, behind the first line.
    version
        Of Inventor, times ten: 10, 20 or 21; 0 for VRML.
    """

    source: MeshSource
    data: bytes
    start: int
    dialect: Dialect
    binary: bool = False
    version: int = 0

    def error(
        self, message: str, at: int, hint: str | None = None, code: str = "bad-mesh"
    ) -> SceneError:
        """Return an error at a byte, which is reported as line and column of a text."""
        return self.source.error(message, hint=hint, code=code, **self._place(at))

    def warn(self, message: str, at: int, hint: str | None = None) -> None:
        """Report something that is passed over."""
        self.source.warn(message, hint=hint, **self._place(at))

    def texture(self, name: str, at: int) -> Texture | None:
        """Return an image that is named at a byte; None with a warning without it."""
        return read_texture(self.source, name, **self._place(at))

    def _place(self, at: int) -> _Place:
        if self.binary:
            return {"offset": at}
        line, begin = 1, 0
        for end in _LINE_END.finditer(self.data, 0, at):
            line, begin = line + 1, end.end()
        return {"line": line, "column": at - begin + 1}


def family_of(head: bytes) -> str | None:
    """Return ``"Inventor"`` or ``"VRML"`` for the first bytes of such a file."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(_GZIP_WINDOW).decompress(head, 256)
        except zlib.error:
            return None
    match = _HEADER.match(head)
    if match is None:
        return None
    return "VRML" if match["vrml"] else "Inventor"


def open_document(source: MeshSource) -> Document:
    """Return the content of a file.

    Raises
    ------
    SceneError
        The first line is not one of Inventor or VRML, or the file inflates without
        measure.
    """
    data = _inflated(source) if source.data.startswith(_GZIP) else source.data
    match = _HEADER.match(data)
    if match is None:
        found = data[:40].split(b"\n")[0]
        raise source.error(
            f"the first line is {found!r}, expected '#Inventor V2.1 ascii', "
            "'#Inventor V2.1 binary', '#VRML V1.0 ascii' or '#VRML V2.0 utf8'",
            line=1,
        )
    if match["vrml"]:
        dialect: Dialect = "vrml1" if match["vrml"].startswith(b"1") else "vrml97"
        return Document(source, data, match.end(), dialect)
    version = int(match["version"].replace(b".", b""))
    binary = match["encoding"].lower() == b"binary"
    if not 10 <= version <= 21 or (binary and version < 20):
        kind = "binary" if binary else "ASCII"
        raise source.error(
            f"Inventor {version / 10} {kind} has no reader; versions 1.0 to 2.1 have "
            "one in ASCII, 2.0 and 2.1 in binary",
            line=1,
            hint="convert it to '#Inventor V2.1 ascii'",
        )
    return Document(source, data, match.end(), "inventor", binary, version)


def _inflated(source: MeshSource) -> bytes:
    machine = zlib.decompressobj(_GZIP_WINDOW)
    try:
        data = machine.decompress(source.data, _MAX_INFLATED)
        if machine.unconsumed_tail and machine.decompress(machine.unconsumed_tail, 1):
            raise source.error(
                f"the file inflates to more than {_MAX_INFLATED} bytes",
                code="file-too-large",
            )
    except zlib.error as error:
        raise source.error(f"the gzip stream is damaged: {error}") from error
    if not machine.eof:
        raise source.error("the gzip stream is cut off")
    return data
