"""Bytes to characters, and characters that are written as entities."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, AnyStr

from pyrave.errors import Problem, SceneError, Severity
from pyrave.formats import XmlLimits

if TYPE_CHECKING:
    from pyrave.formats import ReadContext

_DECLARED = re.compile(rb"""<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.-]+)["']""")
_HEAD = 256
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_NO_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_CODE = 0x10FFFF
# Python has them among its encodings of texts; they are none of files
_NO_ENCODINGS = frozenset({
    *("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"),
})  # fmt: skip


def decoded(data: bytes | str, file: str, context: ReadContext) -> str:
    """Return the characters of a file: as declared, else UTF-8, else Latin-1.

    Raises
    ------
    SceneError
        The file is too large, or of no encoding that is known.
    """
    most = (context.limits or XmlLimits()).file_bytes
    if len(data) > most:
        message = f"the file has {len(data)} bytes, at most {most} are read"
        raise SceneError.refusal("file-too-large", message, file=file)
    if isinstance(data, str):
        characters = data
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        characters = data.decode("utf-16", "replace")
    else:
        characters = _decoded(data, file, context)
    characters = characters.removeprefix("\ufeff")
    if "\0" in characters:
        line, column = _where(characters, characters.index("\0"), "\n")
        message = "the file holds a character of code 0"
        raise SceneError.refusal(
            "malformed-xml", message, file=file, line=line, column=column
        )
    if not characters.isascii() and (found := _SURROGATE.search(characters)):
        message = f"the file holds {found[0]!r}, half of a character"
        line, column = _where(characters, found.start(), "\n")
        raise SceneError.refusal(
            "malformed-xml", message, file=file, line=line, column=column
        )
    if "\r" in characters:
        characters = characters.replace("\r\n", "\n").replace("\r", "\n")
    return characters


def _decoded(data: bytes, file: str, context: ReadContext) -> str:
    declared = _DECLARED.search(data, 0, _HEAD)
    encoding = "utf-8" if declared is None else declared[1].decode("ascii")
    try:
        if codecs.lookup(encoding).name not in _NO_ENCODINGS:
            return data.decode(encoding)
        reason = "is not one of files"
    except LookupError:
        reason = "is not known"
    except ValueError as error:
        place = error.start if isinstance(error, UnicodeDecodeError) else 0
        line, column = _where(data, place, b"\n")
        context.diagnostics.add(
            Problem(
                Severity.WARNING,
                f"the file is not in {encoding}; it is read as Latin-1",
                file=file,
                line=line,
                column=column,
                hint="save it as UTF-8",
                code="bad-encoding",
            )
        )
        return data.decode("latin-1")
    message = f"the encoding {encoding!r} {reason}"
    raise SceneError.refusal("malformed-xml", message, file=file)


def without_entities(text: str) -> str:
    """Return a text with XML's own entities as what they mean.

    Others stay, and so do those of characters that XML has not.
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    name, decimal, hexadecimal = found.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    character = chr(code) if code <= _MAX_CODE else "\0"
    return found.group() if _NO_CHARACTER.match(character) else character


def _where(text: AnyStr, place: int, end: AnyStr) -> tuple[int, int]:
    """Return the line and column of a place; `end` is that of lines."""
    return text.count(end, 0, place) + 1, place - text.rfind(end, 0, place)
