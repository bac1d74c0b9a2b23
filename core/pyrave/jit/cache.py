"""The folder of compiled kernels, and checks of its owner and permissions."""

from __future__ import annotations

import logging
import os
import stat
import sys
from pathlib import Path

_log = logging.getLogger("pyrave.jit")
_told: set[str] = set()


def cache_directory() -> Path | None:
    """Return the folder for compiled kernels, made if it was not there.

    `PYRAVE_CACHE_DIR` wins; otherwise the platform's user cache folder. What is kept
    there is run, so it is used only if it belongs to this user (or to root) and
    nobody else can write to it.

    Returns
    -------
    Path or None
        None if there is no such folder; why is logged once. Every process compiles for
        itself then.
    """
    folder = chosen_directory()
    reason = refusal(folder)
    if reason:
        tell_once(
            f"{folder} {reason}",
            f"{folder} {reason}; compiled kernels are not kept, and each process "
            f"compiles for itself: {advice(folder, reason)}",
        )
        return None
    return folder


def chosen_directory() -> Path:
    """Return the folder that would be the cache, usable or not."""
    chosen = os.environ.get("PYRAVE_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "pyrave"


def can_keep() -> bool:
    """Return True if other processes find what is compiled now."""
    folder = cache_directory()
    return folder is not None and os.access(folder, os.W_OK)


def refusal(folder: Path) -> str:
    """Make a folder; return why it cannot be the cache, empty if it can."""
    try:
        make_private(folder)
        return distrust_status(folder.stat())
    except OSError as error:
        return f"cannot be made ({error.filename}: {error.strerror})"


def distrust_status(found: os.stat_result) -> str:
    """Return the reason not to trust a folder or file, empty if it is safe."""
    if not hasattr(os, "getuid"):
        return ""
    if found.st_uid not in {0, os.getuid()}:
        return f"belongs to another user (uid {found.st_uid})"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by others (mode {stat.S_IMODE(found.st_mode):04o})"
    return ""


def advice(folder: Path, reason: str) -> str:
    """Return advice for users with a folder that may not be used."""
    if "by others" in reason:
        return (
            "`pyrave doctor --repair` empties the folder and makes it private; or set "
            "PYRAVE_CACHE_DIR to a folder that only you can write to"
        )
    if "another user" in reason:
        return f"`chown -R $USER {folder}` if it is yours, or set PYRAVE_CACHE_DIR"
    return "set PYRAVE_CACHE_DIR to a folder that you can write to"


def tell_once(matter: str, text: str) -> None:
    """Log a warning about a matter of the cache, once in a process."""
    if matter not in _told:
        _told.add(matter)
        _log.warning("%s", text)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it, for this user alone.

    Raises
    ------
    OSError
        It cannot be made, or is a file.
    """
    if not folder.is_dir():
        if folder.parent != folder:
            make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
