"""HTTP and WebSocket on one port."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from pyrave_serve.call_objects import Follower
from pyrave_serve.client_slots import Slot, Slots
from pyrave_serve.event_loop import close_listener
from pyrave_serve.rpc.access import Access, RefusedError
from pyrave_serve.rpc.dispatch import answer
from pyrave_serve.rpc.messages import (
    CallError,
    Code,
    answer_of,
    encode,
    read_message,
)
from pyrave_serve.rpc.pose_stream import PoseFollower
from pyrave_serve.served import Served
from pyrave_serve.worker import BusyError, Worker

_log = logging.getLogger("pyrave.serve")
_http_log = logging.getLogger("pyrave.serve.http")
"""Log of aiohttp; see `_is_ours`."""
_JSON = "application/json"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
    "Server": "pyrave",
    "X-Content-Type-Options": "nosniff",
}
_HELLO = (
    "This is pyrave serve. It answers JSON-RPC 2.0: calls that are posted here as "
    "application/json, or sent over a WebSocket. rpc.discover lists the methods.\n"
)
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
_OF_CLIENTS = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
_HEARTBEAT = 30.0
_END = 1.0
"""Seconds that clients have to go when the server ends."""


class HttpServer:
    """Answers clients until it is closed; lives in the thread of an event loop.

    Parameters
    ----------
    served
        The environment.
    access
        Who may call.
    worker
        Does their calls.
    """

    def __init__(self, served: Served, access: Access, worker: Worker) -> None:
        self._served, self._access, self._worker = served, access, worker
        self._limits = served.limits
        self._runner: web.AppRunner | None = None
        self._listener: asyncio.Server | None = None
        self._sockets: set[web.WebSocketResponse] = set()
        self._slots = Slots(served.limits)
        self._slot_of: dict[asyncio.BaseProtocol, Slot] = {}

    async def start(self, listening: socket.socket) -> None:
        """Answer who connects to a socket."""
        app = web.Application(
            client_max_size=self._limits.message_bytes, middlewares=[self._guarded]
        )
        app.router.add_get("/", self._get, allow_head=False)
        app.router.add_post("/", self._post)
        app.on_response_prepare.append(_add_headers)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            logger=_http_log,
            auto_decompress=False,
            handle_signals=False,
            keepalive_timeout=self._limits.idle_seconds,
            lingering_time=_END,
            shutdown_timeout=_END,
        )
        await self._runner.setup()
        make = self._runner.server
        assert make is not None  # noqa: S101 - it is set up
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            lambda: _Door(make, self._slots, self._slot_of), sock=listening
        )

    async def close(self) -> None:
        """Let go of all clients."""
        self._slots.is_open = False
        if self._listener is not None:
            await close_listener(self._listener)
        for one in tuple(self._sockets):
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    one.close(code=1001, message=b"the server ends"), _END
                )
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guarded(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Let requests pass that may call."""
        try:
            self._access.check(
                request.headers.get("Host"),
                request.headers.get("Origin"),
                request.headers.get("Authorization"),
                request.query.get("token", ""),
            )
        except RefusedError as refused:
            response = _refusal(refused.status, refused.reason)
            response.force_close()  # whoever guesses connects anew for each try
            return response
        slot = self._slot_of.get(request.protocol)
        if slot is not None:
            slot.is_known = True
        return await handler(request)

    async def _get(self, request: web.Request) -> web.StreamResponse:
        """Talk over a WebSocket, or say hello."""
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return web.Response(text=_HELLO)
        talk = web.WebSocketResponse(
            heartbeat=_HEARTBEAT,
            max_msg_size=self._limits.message_bytes,
            compress=False,
        )
        await talk.prepare(request)
        self._sockets.add(talk)
        follower = PoseFollower(lambda: self._served.env.published, talk.send_str)
        following = asyncio.create_task(follower.run())
        try:
            async for message in talk:
                if message.type is not WSMsgType.TEXT:
                    await talk.close(code=1003, message=b"calls are text")
                    break
                said, _ = await self._answered(message.data, follower)
                if said is not None:
                    await talk.send_str(said)
                follower.settle()
        except ConnectionError:
            _log.debug("a client left without its answer")
        finally:
            following.cancel()
            self._sockets.discard(talk)
        return talk

    async def _post(self, request: web.Request) -> web.StreamResponse:
        """Answer the calls in a request."""
        if request.content_type != _JSON or "Content-Encoding" in request.headers:
            return _refusal(415, f"calls are {_JSON}, in plain UTF-8")
        try:
            async with asyncio.timeout(self._limits.idle_seconds):
                body = await request.read()
        except TimeoutError:
            return _refusal(408, "the message did not come to its end")
        except web.HTTPRequestEntityTooLarge:
            most = self._limits.message_bytes
            return _refusal(413, f"the message is too long, at most {most} bytes")
        said, busy = await self._answered(body, None)
        if said is None:
            return web.Response(status=204)
        status = 503 if busy else 200
        return web.Response(text=said, content_type=_JSON, status=status)

    async def _answered(
        self, text: str | bytes, follower: Follower | None
    ) -> tuple[str | None, bool]:
        """Return the answer to a message, and whether that is that we are busy."""
        try:
            job = partial(_answer, self._served, text, follower)
            return await self._worker.run(job), False
        except BusyError as busy:
            return encode(answer_of(CallError.from_error(busy, Code.BUSY))), True


def _is_ours(record: logging.LogRecord) -> bool:
    """Return True if the log says more than that a client sends nonsense or left."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, _OF_CLIENTS)


_http_log.addFilter(_is_ours)


class _Door(asyncio.Protocol):
    """Lets a client in to aiohttp if there is a slot, and knows when it has left.

    Parameters
    ----------
    make
        Makes aiohttp's part of a connection.
    slots
        Who is there.
    slot_of
        Their slots by aiohttp's parts.
    """

    def __init__(
        self,
        make: Callable[[], asyncio.Protocol],
        slots: Slots,
        slot_of: dict[asyncio.BaseProtocol, Slot],
    ) -> None:
        self._make, self._slots, self._slot_of = make, slots, slot_of
        self._inner: asyncio.Protocol | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - TCP's
        peer = transport.get_extra_info("peername") or ("",)
        slot = Slot(str(peer[0]), transport.abort)
        if not self._slots.admit(slot):
            transport.write(_FULL)
            transport.close()
            return
        self._inner = self._make()
        self._slot_of[self._inner] = slot
        self._inner.connection_made(transport)
        loop = asyncio.get_running_loop()
        patience = self._slots.limits.silent_seconds
        self._timer = loop.call_later(patience, self._slots.expire, slot)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._inner is not None:
            self._slots.leave(self._slot_of.pop(self._inner))
            self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._inner is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return None if self._inner is None else self._inner.eof_received()

    def pause_writing(self) -> None:
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._inner is not None:
            self._inner.resume_writing()


def _answer(served: Served, text: str | bytes, follower: Follower | None) -> str | None:
    """Return the answer to a message; None if there is none."""
    try:
        message = read_message(text, served.limits)
    except CallError as error:
        return encode(answer_of(error))
    desk = partial(served.desk, served.deadline(), follower)
    return answer(message, desk)


def _refusal(status: int, reason: str) -> web.Response:
    data = encode(answer_of(CallError(Code.REQUEST, reason)))
    response = web.Response(text=data, content_type=_JSON, status=status)
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)
