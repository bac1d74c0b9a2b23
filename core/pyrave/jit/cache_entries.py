"""Files of machine code: each appears whole or not at all, and is checked when read.

An entry is run by whoever reads it. So it is read only if nobody else can have written
it, its length is the one that it states, and its content has the digest that it states.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import struct
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pyrave.jit.cache import distrust_status, make_private

SUFFIX = ".code"
"""Ends the names of entries."""
PARTIAL = ".part"
"""Ends the names of entries that are being written."""
_WRITING = 600.0
"""Seconds after which nobody writes to a partial file any more."""
PATIENCE = 60.0
"""Seconds for which a process waits for another one that compiles the same."""
_PAUSE = 0.02
"""Seconds between two looks at whether it is done."""
_HEAD = struct.Struct(">16sQ32s")
_MAGIC = b"pyrave code 1\n\0\0"
_READ = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READ |= getattr(os, _flag, 0)
_LOCK = os.O_RDWR | os.O_CREAT | _READ


class DamagedError(Exception):
    """An entry is not what was written."""


def read_entry(path: Path, *, installed: bool = False) -> bytes:
    """Return the content of an entry.

    Parameters
    ----------
    path
        Its file.
    installed
        It came with a package, and is trusted as the package's code is.

    Raises
    ------
    DamagedError
        It is cut short, changed, or may have been written by others.
    OSError
        It cannot be read; FileNotFoundError if there is none.
    """
    with _opened(path, installed=installed) as file:
        digest = _read_head(file)
        content = file.read()
    if hashlib.sha256(content).digest() != digest:
        raise DamagedError("its content has changed since it was written")
    return content


def has_entry(path: Path, *, installed: bool = False) -> bool:
    """Return True if there is an entry of the length that it states."""
    try:
        with _opened(path, installed=installed) as file:
            _read_head(file)
    except (OSError, DamagedError):
        return False
    return True


def write_entry(path: Path, content: bytes) -> None:
    """Write an entry beside its place, and put it there when it is whole.

    Raises
    ------
    DamagedError
        Its folder is a link, or others can write to it.
    OSError
        It cannot be written; what was there before stays.
    """
    make_private(path.parent)
    _require_trust(path.parent.lstat())
    head = _HEAD.pack(_MAGIC, len(content), hashlib.sha256(content).digest())
    handle, name = tempfile.mkstemp(PARTIAL, f".{path.name}.", path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(head + content)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


@contextlib.contextmanager
def sole_writer(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Wait while another process makes an entry, or make it while others wait.

    The file system lets go of the lock of a process that has ended. A block that is
    entered without the lock, because it took too long or there can be none, makes the
    entry once more, which does no harm. Do not enter one within another.

    Parameters
    ----------
    patience
        Seconds to wait.
    """
    place = path.with_name(f".{path.name}.lock{PARTIAL}")
    handle = _locked(place, path, time.monotonic() + patience)
    try:
        yield
    finally:
        if handle is not None:
            _unlock(handle, place)


def _locked(place: Path, path: Path, end: float) -> int | None:
    """Return the open file of a lock, None without: there is the entry, or no lock."""
    if has_entry(path):
        return None
    try:
        import fcntl

        make_private(place.parent)
        handle = os.open(place, _LOCK, 0o600)
    except (ImportError, OSError):
        return None
    while not has_entry(path) and time.monotonic() < end:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        except OSError:  # as some network file systems have it
            break
        else:
            return handle
    os.close(handle)
    if has_entry(path):
        with contextlib.suppress(OSError):
            place.unlink()  # made anew behind its last owner
    return None


def _unlock(handle: int, place: Path) -> None:
    """Remove the file of a lock, and let go of it in forked children, too."""
    import fcntl

    with contextlib.suppress(OSError):
        place.unlink()
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


@contextlib.contextmanager
def _opened(path: Path, *, installed: bool = False) -> Iterator[BinaryIO]:
    """Open an entry that nobody else can have written, following no link."""
    if installed:
        with path.open("rb") as file:
            yield file
        return
    _require_trust(path.parent.parent.stat())
    _require_trust(path.parent.lstat())
    try:
        handle = os.open(path, _READ)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DamagedError("it is a link") from error
        raise
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise DamagedError("it is no file")
        _require_trust(found)
        yield file


def _require_trust(found: os.stat_result) -> None:
    reason = distrust_status(found)
    if stat.S_ISLNK(found.st_mode):
        reason = "is in a folder that is a link"
    if reason:
        raise DamagedError(f"it {reason}")


def _read_head(file: BinaryIO) -> bytes:
    """Return the digest that an entry says to have, after a look at its length."""
    head = file.read(_HEAD.size)
    size = os.fstat(file.fileno()).st_size
    if len(head) < _HEAD.size:
        raise DamagedError(f"it ends after {size} bytes")
    magic, length, digest = _HEAD.unpack(head)
    if magic != _MAGIC:
        raise DamagedError("it does not begin as an entry does")
    if size != _HEAD.size + length:
        raise DamagedError(f"it has {size} bytes of {_HEAD.size + length}")
    return bytes(digest)


@dataclass(frozen=True, slots=True)
class CacheState:
    """State of the files in a cache folder.

    Parameters
    ----------
    entries
        Number of entries of machine code.
    bytes
        Size of all files.
    damaged
        Entries that cannot be used, and why.
    partial
        Files of writers that ended before they were done.
    """

    entries: int
    bytes: int
    damaged: dict[Path, str]
    partial: tuple[Path, ...]


def inspect_cache(root: Path) -> CacheState:
    """Read every entry below a cache folder."""
    damaged, partial, entries, size = {}, [], 0, 0
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            with contextlib.suppress(FileNotFoundError):
                size += path.lstat().st_size
                if name.endswith(PARTIAL) and _age(path) > _WRITING:
                    partial.append(path)
                if not name.endswith(SUFFIX):
                    continue
                entries += 1
                try:
                    read_entry(path)
                except FileNotFoundError:
                    raise
                except (OSError, DamagedError) as error:
                    damaged[path] = str(error)
    return CacheState(entries, size, damaged, tuple(partial))


def repair_cache(root: Path, found: CacheState) -> list[str]:
    """Remove what is damaged or left over; return what was done, a line each.

    A folder that others could write to is emptied, for nobody knows what they wrote,
    and is this user's alone afterwards.

    Raises
    ------
    OSError
        Something cannot be removed.
    """
    reason = distrust_status(root.stat())
    if reason:
        for path in root.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        root.chmod(0o700)
        return [f"emptied {root}, which {reason}, and made it private"]
    for path in (*found.damaged, *found.partial):
        path.unlink(missing_ok=True)
    return [f"removed {path}: {why}" for path, why in found.damaged.items()] + [
        f"removed {path}: its writer ended" for path in found.partial
    ]


def _age(path: Path) -> float:
    return time.time() - path.lstat().st_mtime
