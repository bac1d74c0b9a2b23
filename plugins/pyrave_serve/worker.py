"""The worker thread, which does clients' calls one after the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from pyrave.errors import StateError

Result = TypeVar("Result")


_Calls = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]


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
        self._calls: _Calls = SimpleQueue()
        # daemon: a call that does not end must not keep the process alive
        threading.Thread(
            target=_work, args=(self._calls,), name="pyrave-serve", daemon=True
        ).start()
        self._most, self.seconds = most_waiting, seconds
        self._waiting = 0
        self._stopped = False
        self._guard = threading.Lock()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call.

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
            future: Future[Result] = Future()
            self._calls.put((future, call))
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
        with suppress(Empty):
            while (item := self._calls.get_nowait()) is not None:
                item[0].cancel()
        self._calls.put(None)

    def _count_down(self, _future: Future[Any]) -> None:
        with self._guard:
            self._waiting -= 1


def _work(calls: _Calls) -> None:
    """Do calls until None comes."""
    while (item := calls.get()) is not None:
        future, call = item
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited
            future.set_exception(error)
        # what a call held must not live until the next one
        del item, future, call
