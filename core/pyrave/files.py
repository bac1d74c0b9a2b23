"""Reading of files as they were checked, and atomic writing."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path

_NO_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MIN_READ = 16384
PARTIAL = ".part"
"""Part of the names of files that are being written, before their suffix."""


class OutsideError(PermissionError):
    """A file lies where nothing may be read."""


def read_file(
    path: str | os.PathLike[str],
    most: int,
    allows: Callable[[str], bool] | None = None,
) -> bytes:
    """Return the first bytes of a file, which is checked once it is open.

    So it does not matter what takes its place, or what it grows to, between a look at
    it and its reading. Nothing but a file is waited for.

    Parameters
    ----------
    most
        One byte more is returned where there are more.
    allows
        Whether a path without links may be read.

    Raises
    ------
    OSError
        It is not there, is no file, or may not be read; an `OutsideError` if that is
        not allowed.
    """
    number = os.open(path, _NO_WAITING)
    opened = os.fstat(number)
    if not stat.S_ISREG(opened.st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no file", os.fspath(path))
    with os.fdopen(number, "rb", buffering=0) as file:
        if allows is not None:
            real = os.path.realpath(path)
            # a link that came and went again leads to another file
            if not (allows(real) and os.path.samestat(opened, os.lstat(real))):
                reason = "it lies outside the resource roots"
                raise OutsideError(errno.EACCES, reason, os.fspath(path))
        return _first_bytes(file, opened.st_size, most + 1)


def _first_bytes(file: FileIO, expected: int, most: int) -> bytes:
    """Return at most so many bytes of a file, in one piece if it has its size."""
    parts = []
    # memory for the most that may come costs more than a small file
    piece = max(expected, _MIN_READ) + 1
    while most > 0 and (part := file.read(min(most, piece))):
        parts.append(part)
        most -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write_file(target: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a whole file; text is encoded as UTF-8.

    Raises
    ------
    OSError
        It cannot be written; what was there before stays.
    """
    content = data.encode("utf-8") if isinstance(data, str) else data
    with replaced_file(target) as partial:
        partial.write_bytes(content)


def write_new_file(target: str | os.PathLike[str], data: bytes) -> bool:
    """Write a whole file where nothing is; return False if something is there.

    Of two processes that write one at the same time, one gets False.

    Raises
    ------
    OSError
        It cannot be written; nothing is there then.
    """
    try:
        with replaced_file(target, new=True) as partial:
            partial.write_bytes(data)
    except FileExistsError:
        return False
    return True


@contextlib.contextmanager
def replaced_file(
    target: str | os.PathLike[str], *, new: bool = False
) -> Iterator[Path]:
    """Give a path beside a file to write to, which takes the file's place at the end.

    It does so once the block has ended without an error and its content has reached
    the disk. It has the file's suffix, and its permissions if there was one. A link
    stays a link, and what is no file (a pipe, a terminal) is written to itself.

    Parameters
    ----------
    new
        Replace nothing: FileExistsError if something is there by then.

    Raises
    ------
    OSError
        Nothing can be written there; what was there before stays.
    """
    path = Path(os.path.realpath(target))
    if new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    if path.exists() and not path.is_file():
        yield path
        return
    token = os.urandom(8).hex()
    partial = path.with_name(f".{path.stem[:100]}.{token}{PARTIAL}{path.suffix}")
    partial.touch(exist_ok=False)
    try:
        yield partial
        with contextlib.suppress(FileNotFoundError):
            partial.chmod(stat.S_IMODE(path.stat().st_mode))
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        if new:
            _place_new(partial, path)
        else:
            partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _place_new(partial: Path, path: Path) -> None:
    """Give a file its name, which nothing has."""
    try:
        path.hardlink_to(partial)
    except FileExistsError:
        raise
    except OSError:
        # a disk without links, on which two that come at the same time may meet
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        partial.replace(path)
    else:
        partial.unlink()
