"""The text of a script as its file has it."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from pyrave.errors import ResourceError
from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError

__all__ = ["decode_script", "read_script"]


def read_script(path: str | Path) -> str:
    """Return the text of a script, decoded as its coding line says.

    Raises
    ------
    ResourceError
        There is no such file, or it is a folder.
    ScriptSyntaxError
        It is no text.
    """
    file = Path(path)
    if not file.exists():
        raise ResourceError(str(path), hint="name a script or a scene file")
    if file.is_dir():
        raise ResourceError(str(path), hint="it is a folder: name a file in it")
    return decode_script(file.read_bytes(), str(path))


def decode_script(data: bytes, path: str) -> str:
    """Return bytes of a script as text with plain ends of lines."""
    if (at := data.find(b"\0")) >= 0:
        line, column = _place(data, at)
        raise ScriptSyntaxError("a NUL byte, this is no text", path, line, column)
    try:
        coding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if (wrong := _wrong_utf8(data, path)) is not None:
            raise wrong from error
        raise ScriptSyntaxError(str(error.msg), path, 1, 1) from error
    try:
        text = data.decode(coding)
    except UnicodeDecodeError as error:
        line, column = _place(data, error.start)
        text = (
            f"byte {data[error.start]:#04x} is no {coding.upper()}: say what it is in "
            "the first line, as in # -*- coding: latin-1 -*-"
        )
        raise ScriptSyntaxError(text, path, line, column) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _wrong_utf8(data: bytes, path: str) -> ScriptSyntaxError | None:
    """Return the first place of a file without a coding line that is no UTF-8."""
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        head = data.splitlines()[:2]
        if any(b"coding" in line for line in head):
            return None
        line, column = _place(data, error.start)
        text = (
            f"byte {data[error.start]:#04x} is no UTF-8: say what it is in the first "
            "line, as in # -*- coding: latin-1 -*-"
        )
        return ScriptSyntaxError(text, path, line, column)
    return None


def _place(data: bytes, at: int) -> tuple[int, int]:
    before = data[:at]
    return before.count(b"\n") + 1, at - (before.rfind(b"\n") + 1) + 1
