"""Handles of registrations and callbacks: closing one undoes it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

__all__ = ["CallbackList", "Handle"]

T = TypeVar("T")


class Handle:
    """Undoes a registration when closed; also a context manager.

    Parameters
    ----------
    undo
        Called once. The handle does not undo when it is merely dropped.
    """

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo: Callable[[], object] | None = undo

    def close(self) -> None:
        """Undo the registration; a second call does nothing."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    @property
    def closed(self) -> bool:
        """True once it was undone."""
        return self._undo is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


class CallbackList(Generic[T]):
    """Callbacks in the order they were added; each removable by its handle."""

    def __init__(self) -> None:
        self._callbacks: dict[int, Callable[[T], Any]] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._callbacks)

    def add(self, callback: Callable[[T], Any]) -> Handle:
        """Add a callback; close the handle to remove it."""
        key = self._next
        self._next += 1
        self._callbacks[key] = callback
        myself = weakref.ref(self)

        def remove() -> None:
            owner = myself()
            if owner is not None:
                owner._callbacks.pop(key, None)  # noqa: SLF001 - our own class

        return Handle(remove)

    def __call__(self, argument: T) -> list[Any]:
        """Call all and return their results."""
        return [callback(argument) for callback in tuple(self._callbacks.values())]
