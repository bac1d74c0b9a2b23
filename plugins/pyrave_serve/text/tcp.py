"""The text protocol on a port: lines of clients, answers behind their length."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.errors import CommandError, Error, PluginGuard, error_trace
from pyrave_serve.client_slots import Slot, Slots
from pyrave_serve.event_loop import close_listener
from pyrave_serve.served import Served
from pyrave_serve.text.table import find, run
from pyrave_serve.text.wait_command import Wait, answer_to
from pyrave_serve.worker import Worker

if TYPE_CHECKING:
    from pyrave_serve.call_objects import Desk

_log = logging.getLogger("pyrave.serve")
_FAILED = "error\n"
_LENGTH = struct.Struct("<i")
_SHOWN = 200
_HTTP = re.compile(r"\S+ .* HTTP/\d|(host|origin):", re.IGNORECASE)
"""Start of requests from browsers, whose pages may be anybody's."""


class _Reader(asyncio.StreamReader):
    """Reader that detects a client's leaving while lines are still to be read."""

    def __init__(self, *, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=limit, loop=loop)
        self._has_left = False

    def feed_eof(self) -> None:
        self._has_left = True
        super().feed_eof()

    def is_over(self) -> bool:
        """Return True if nothing comes any more."""
        return self._has_left or self.exception() is not None


class TextTcpServer:
    """Answers clients until it is closed; lives in the thread of an event loop.

    Parameters
    ----------
    served
        The environment.
    worker
        Does what clients ask for.
    """

    def __init__(self, served: Served, worker: Worker) -> None:
        self._served, self._worker = served, worker
        self._clients: set[asyncio.Task[Any]] = set()
        self._slots = Slots(served.limits)
        self._server: asyncio.Server | None = None

    async def start(self, listening: socket.socket) -> None:
        """Answer who connects to a socket."""
        loop = asyncio.get_running_loop()
        limit = self._served.limits.line_bytes

        def connected() -> asyncio.StreamReaderProtocol:
            reader = _Reader(limit=limit, loop=loop)
            return asyncio.StreamReaderProtocol(reader, self._client, loop=loop)

        self._server = await loop.create_server(connected, sock=listening)

    async def close(self) -> None:
        """Let go of all clients."""
        self._slots.is_open = False
        if self._server is not None:
            await close_listener(self._server)
        for task in tuple(self._clients):
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    async def _client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve a client until it leaves."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type checker
        peer = writer.get_extra_info("peername") or ("",)
        slot = Slot(str(peer[0]), writer.transport.abort)
        if not self._slots.admit(slot):
            if self._slots.is_open:
                _log.warning("a client is refused: %d are there", len(self._clients))
            writer.close()
            return
        self._clients.add(task)
        try:
            await self._talk(reader, writer, slot)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError):
            _log.debug("a client left, or does not read its answers")
        except asyncio.CancelledError:
            _log.debug("a client is sent away, as the server ends")
        except asyncio.LimitOverrunError:
            _log.warning(
                "a client is sent away: a line is longer than %d bytes",
                self._served.limits.line_bytes,
            )
        finally:
            self._clients.discard(task)
            self._slots.leave(slot)
            writer.close()

    async def _talk(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        slot: Slot,
    ) -> None:
        assert isinstance(reader, _Reader)  # noqa: S101 - `start` made it
        limits = self._served.limits
        while True:
            patience = (
                limits.text_idle_seconds if slot.is_known else limits.silent_seconds
            )
            async with asyncio.timeout(patience):
                line = await reader.readuntil(b"\n")
            slot.is_known = True
            # either ends a command
            for text in line.decode("utf-8", "replace").replace("\r", "\n").split("\n"):
                if not text.strip():
                    continue
                if _HTTP.match(text):
                    _log.warning("a client is sent away: it speaks HTTP")
                    return
                said = await self._said(text, reader.is_over)
                if said is None:
                    continue
                data = said.encode()
                writer.write(_LENGTH.pack(len(data)) + data)
                async with asyncio.timeout(self._served.limits.idle_seconds):
                    await writer.drain()

    async def _said(self, line: str, is_gone: Callable[[], bool]) -> str | None:
        """Return the answer to a line; None if there is none."""
        answers = True
        try:
            command, words = find(line)
            answers = command.answers
            found = await self._at_desk(partial(run, command, words))
            if isinstance(found, Wait):
                found = await answer_to(found, self._at_desk, is_gone)
        except Error as error:
            _log.warning("%r is answered with an error: %s", line[:_SHOWN], error)
            found = _FAILED
        return found if answers else None

    async def _at_desk(self, act: Callable[[Desk], Any]) -> Any:
        """Return the result of a function, called with the environment locked."""

        def call() -> Any:
            with (
                PluginGuard(passes=Error) as guard,
                self._served.desk(self._served.deadline()) as desk,
            ):
                return act(desk)
            assert guard.error is not None  # noqa: S101 - for the type checker
            _log.error("a command failed:\n%s", error_trace(guard.error))
            raise CommandError("it failed by a fault of the server or of a plugin")

        return await self._worker.run(call)
