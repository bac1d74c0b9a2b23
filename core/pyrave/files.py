"""Files that users get: each appears whole in its place, or what was there stays."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

PARTIAL = ".part"
"""In the names of files that are being written, before their suffix."""


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
    if path.exists() and not path.is_file():
        yield path
        return
    token = secrets.token_hex(8)
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
