"""The environment's re-entrant lock."""

from __future__ import annotations

import threading
from types import TracebackType

from pyrave.errors import ArgumentError, LockTimeoutError, StateError


class EnvironmentLock:
    """A re-entrant lock; `hold` waits at most for a given time."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def acquire(self, timeout: float | None = None) -> None:
        """Take the lock.

        Parameters
        ----------
        timeout
            Seconds to wait at most; None waits for ever.

        Raises
        ------
        LockTimeoutError
            Another thread held it all the time.
        """
        if timeout is not None and not timeout >= 0:
            raise ArgumentError(f"timeout is {timeout}, expected seconds >= 0 or None")
        if not self._lock.acquire(timeout=-1 if timeout is None else timeout):
            raise LockTimeoutError(
                f"another thread held the environment for more than {timeout:.3g} s"
            )

    def release(self) -> None:
        """Give the lock back, once per `acquire`."""
        try:
            self._lock.release()
        except RuntimeError as error:
            raise StateError(
                "this thread does not hold the environment: leave it once for each "
                "time that it was entered, or write `with env:`"
            ) from error

    def hold(self, timeout: float | None = None) -> _Held:
        """Return a context manager that holds the lock for its block."""
        return _Held(self, timeout)


class _Held:
    """Holds an environment lock while its block runs."""

    __slots__ = ("_lock", "_timeout")

    def __init__(self, lock: EnvironmentLock, timeout: float | None) -> None:
        self._lock = lock
        self._timeout = timeout

    def __enter__(self) -> None:
        self._lock.acquire(self._timeout)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()
