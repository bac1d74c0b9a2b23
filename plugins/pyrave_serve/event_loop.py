"""A thread with an event loop, in which servers wait for clients."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")
_PATIENCE = 10.0
"""Seconds that starting and stopping a server may take."""


class LoopThread:
    """Runs coroutines in a thread of its own until it is stopped."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # daemon: a server that nobody closes must not keep the process alive
        self._thread = threading.Thread(
            target=_run, args=(self._loop,), name=name, daemon=True
        )
        self._thread.start()

    def wait_for(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine and return its result; called from another thread."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(_PATIENCE)

    def stop(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a last coroutine, end all others and the thread."""

        async def end() -> None:
            try:
                await last()
            finally:
                self._loop.stop()

        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(end(), self._loop)
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)


async def close_listener(listener: asyncio.Server) -> None:
    """Stop listening when all are connected who are accepted: asyncio forgets these."""
    loop = asyncio.get_running_loop()
    for one in listener.sockets:
        with suppress(NotImplementedError):  # loops of Windows have no readers
            loop.remove_reader(one)
    await asyncio.sleep(0.0)
    listener.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(_cancel_others())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _cancel_others() -> None:
    """Cancel all other tasks of the loop, and those that begin meanwhile.

    Each makes its first step before: until then nobody would close its connection.
    """
    this = asyncio.current_task()
    await asyncio.sleep(0.0)
    while running := asyncio.all_tasks() - {this}:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.sleep(0.0)
