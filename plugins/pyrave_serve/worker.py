"""The thread in which calls of clients are done, one after the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from pyrave.errors import StateError

Result = TypeVar("Result")


class BusyError(StateError):
    """The server is busy with other calls, or with this one for too long."""


class Worker:
    """Does calls in their order, some of which may wait.

    Parameters
    ----------
    most_waiting
        More are refused.
    seconds
        How long a client waits for its call, the time in the queue included. A call
        that is being done cannot be broken off: it goes on, and others wait.
    """

    def __init__(self, most_waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="pyrave-serve")
        self._most, self.seconds = most_waiting, seconds
        self._waiting = 0
        self._stopped = False
        self._guard = threading.Lock()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return what a call returns.

        Raises
        ------
        BusyError
            Too many calls wait, or it took too long.
        """
        with self._guard:
            if self._waiting >= self._most:
                raise BusyError(
                    f"the server is busy: {self._waiting} calls wait; call again later"
                )
            if self._stopped:
                raise BusyError("the server ends")
            self._waiting += 1
            future = self._pool.submit(call)
        future.add_done_callback(self._count_down)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.seconds)
        except TimeoutError:
            if future.cancelled():
                text = f"the server was busy with other calls for {self.seconds:g} s"
            else:
                text = (
                    f"the call takes longer than {self.seconds:g} s; it goes on, and "
                    "others wait for it"
                )
            raise BusyError(text) from None

    def stop(self) -> None:
        """Drop what waits; what is being done ends by itself."""
        with self._guard:
            self._stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _count_down(self, _future: Future[Any]) -> None:
        with self._guard:
            self._waiting -= 1
