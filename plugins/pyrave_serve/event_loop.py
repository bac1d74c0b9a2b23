"""A thread with an event loop, in which servers wait for clients."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
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


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        running = asyncio.all_tasks(loop)
        for task in running:
            task.cancel()
        ends = asyncio.gather(*running, return_exceptions=True)
        loop.run_until_complete(ends)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
