"""Locks in processes that fork."""

from __future__ import annotations

import os
import threading


class ForkSafeLock:
    """A re-entrant lock that is free in a forked child, whichever thread had it."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_error: object) -> None:
        self._lock.release()
