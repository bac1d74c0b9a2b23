"""The memory that this process can still have."""

from __future__ import annotations

import os
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return bytes that can be had without swapping, None where nobody knows."""
    found = [one for one in (_of_machine(), _of_group()) if one is not None]
    return min(found, default=None)


def _of_machine() -> int | None:
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            if name == "MemAvailable":
                return int(value.split()[0]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _of_group() -> int | None:
    """Return the bytes that the container's limit leaves."""
    try:
        most = (_GROUP / "memory.max").read_text(encoding="ascii").strip()
        used = (_GROUP / "memory.current").read_text(encoding="ascii").strip()
        return max(int(most) - int(used), 0)
    except (OSError, ValueError):
        return None
