"""Handles of registrations and callbacks: closing one undoes it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from pyrave.attributes import Closed, TellsNames
from pyrave.errors import (
    ArgumentError,
    PluginGuard,
    Problem,
    Severity,
    error_text,
    error_trace,
    shown,
)

T = TypeVar("T")


class Handle(Closed, TellsNames):
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


class Control(Handle):
    """A part of a viewer's panel, with a value; closing it takes it away.

    Parameters
    ----------
    undo
        Takes it away.
    get, put
        Read and set its value.
    """

    def __init__(
        self,
        undo: Callable[[], object],
        get: Callable[[], Any],
        put: Callable[[Any], object],
    ) -> None:
        super().__init__(undo)
        self._get, self._put = get, put

    @property
    def value(self) -> Any:
        """The value that people chose or see; setting it calls no callback."""
        return self._get()

    @value.setter
    def value(self, value: Any) -> None:
        if not self.closed:
            self._put(value)


class CallbackList(Generic[T]):
    """Callbacks in the order they were added; each removable by its handle.

    One that raises neither stops the caller nor the other callbacks; it is reported
    the first time that it does.

    Parameters
    ----------
    kind
        What they listen to, for messages, for example ``"body"``.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._callbacks: dict[int, Callable[[T], Any]] = {}
        self._failed: set[int] = set()
        self._next = 0

    def __len__(self) -> int:
        return len(self._callbacks)

    def add(self, callback: Callable[[T], Any]) -> Handle:
        """Add a callback; close the handle to remove it.

        Raises
        ------
        ArgumentError
            It cannot be called.
        """
        if not callable(callback):
            raise ArgumentError(
                f"the {self._kind} callback {callback!r} cannot be called"
            )
        key = self._next
        self._next += 1
        self._callbacks[key] = callback
        myself = weakref.ref(self)

        def remove() -> None:
            owner = myself()
            if owner is not None:
                owner._callbacks.pop(key, None)  # noqa: SLF001 - our own class
                owner._failed.discard(key)  # noqa: SLF001 - our own class

        return Handle(remove)

    def __call__(self, argument: T, report: Callable[[Problem], object]) -> list[Any]:
        """Call all and return the results of those that did not raise.

        Parameters
        ----------
        report
            Called with a problem when a callback raises for the first time.
        """
        results = []
        for key, callback in tuple(self._callbacks.items()):
            with PluginGuard() as guard:
                results.append(callback(argument))
            if guard.error is not None and key not in self._failed:
                self._failed.add(key)
                report(self._problem(callback, guard.error))
        return results

    def _problem(self, callback: Callable[[T], Any], error: BaseException) -> Problem:
        name = getattr(callback, "__qualname__", "") or shown(callback)
        module = getattr(callback, "__module__", None)
        return Problem(
            Severity.WARNING,
            f"the {self._kind} callback {module + '.' if module else ''}{name} raised "
            f"{error_text(error)}",
            hint="later failures of it are not reported; close its handle to remove it",
            traceback=error_trace(error),
            code="callback-failed",
        )
