"""Handles of callbacks and registrations, which end when they are dropped."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["VoidHandle"]


class VoidHandle(Guarded):
    """Keeps something registered until it is closed or dropped.

    Parameters
    ----------
    native
        What has a method ``close``; None of a handle of nothing.
    """

    def __init__(self, native: Any = None) -> None:
        if native is not None and not callable(getattr(native, "close", None)):
            raise TypeError(f"a handle is given {native!r:.80}, which has no close()")
        self._native = native

    def Close(self) -> None:
        native, self._native = self._native, None
        if native is not None:
            native.close()

    def close(self) -> None:
        self.Close()

    def __del__(self) -> None:
        if vars(self).get("_native") is not None:
            self.Close()
