"""The folder in which machine code is kept."""

from __future__ import annotations

import logging
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

_log = logging.getLogger("pyrave.jit")


def cache_directory() -> Path:
    """Return the folder for compiled kernels, made if it was not there.

    `PYRAVE_CACHE_DIR` wins; otherwise the platform's user cache folder. If that
    cannot be written (a read-only home, say), a private folder of this user under the
    temporary directory.
    """
    chosen = os.environ.get("PYRAVE_CACHE_DIR")
    if chosen:
        folder = Path(chosen).expanduser().absolute()
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
        folder = base / "pyrave"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "pyrave"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        folder = base / "pyrave"
    if _is_writable(folder):
        return folder
    fallback = _private_temporary_folder()
    _log.log(
        logging.WARNING if chosen else logging.INFO,
        "the cache folder %s cannot be written; compiled kernels go to %s",
        folder,
        fallback,
    )
    return fallback


def has_machine_code(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    """Return whether machine code of a function is kept that runs on this processor.

    The index of a function has code of all processors that have shared the folder.
    numba is asked for its key, which has no public form.

    Parameters
    ----------
    dispatcher
        numba's, of a function that is kept.
    signature
        numba's types of the arguments.
    """
    cache, context = dispatcher._cache, dispatcher.targetctx
    context.refresh()
    key = cache._index_key(signature, context.codegen())
    name = cache._cache_file._load_index().get(key)
    return name is not None and Path(cache.cache_path, name).exists()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _private_temporary_folder() -> Path:
    """Return a folder that nobody else can write to: a cache holds machine code."""
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"pyrave-cache-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="pyrave-cache-"))
    mine = not hasattr(os, "getuid") or (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not found.st_mode & 0o022
    )
    return folder if mine else Path(tempfile.mkdtemp(prefix="pyrave-cache-"))
