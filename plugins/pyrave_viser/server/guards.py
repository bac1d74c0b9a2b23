"""Guards a server of viser: what strangers ask for and say is checked.

The library ``websockets`` has places for that, where viser has none: a check of
requests, and connections of another class.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import viser
from websockets.asyncio import server as library
from websockets.asyncio.server import ServerConnection

from pyrave.errors import NotSupportedError
from pyrave_viser.server.messages import ControlSaid, Refused, check
from pyrave_viser.server.viser_internals import listening_with, takes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from websockets.http11 import Request, Response

    from pyrave_viser.server.gate import Gate
    from pyrave_viser.server.page import Page

# larger than any picture that is asked for
_LARGEST = 16 * 2**20
_MAX_CLIENTS = 64
# what nobody takes for so long ends a connection, seconds
PATIENCE = 30.0
# messages that are refused before a connection ends
_MAX_REFUSED = 20
# messages at once, and a second; dragging sends some sixty
_BURST, _RATE = 1000.0, 500.0
# what browsers may load and reach from the page: nothing that is elsewhere
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; media-src 'self' data: blob:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob: ws://{host} wss://{host}; "
    "base-uri 'none'; form-action 'none'"
)


def start_guarded(gate: Gate, page: Page, **options: Any) -> viser.ViserServer:
    """Return a server of viser that passes what a gate lets pass.

    Parameters
    ----------
    page
        What browsers load.
    options
        Those of `viser.ViserServer`.

    Raises
    ------
    NotSupportedError
        This viser starts its server in another way.
    """
    journal = Journal()
    door = _Door(gate, page, journal)
    with listening_with(door.serve):
        started = viser.ViserServer(**options)
    if not door.is_used:
        started.stop()
        raise NotSupportedError(
            f"viser {viser.__version__} cannot be guarded against pages of others: "
            "pip install 'viser>=1.1,<1.2'"
        )
    door.server = started
    loop = started.get_event_loop()
    loop.call_soon_threadsafe(loop.set_exception_handler, journal.failed)
    return started


class Journal(logging.Logger):
    """Log of trouble with clients: each kind once.

    The registry of loggers does not know it: viser adds a filter, and it goes with
    its server.
    """

    def __init__(self) -> None:
        super().__init__("pyrave.viewer.connections", logging.WARNING)
        self.parent = logging.getLogger("pyrave.viewer")
        self.addFilter(self._is_first)
        self._said: set[tuple[str, str]] = set()

    def refused(self, what: str, detail: str = "") -> None:
        """Say that somebody wanted what no page of the viewer wants.

        Parameters
        ----------
        detail
            Words of theirs, and what follows; they make no other kind.
        """
        self.warning("the viewer refused %s%s", what, detail, extra={"kind": what})

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Say that something failed in a loop; a handler of asyncio."""
        error = context.get("exception")
        kind = "" if error is None else type(error).__name__
        said = f"{context['message']} {kind}".strip()
        self.warning("the viewer's server: %s", said, exc_info=error)

    def _is_first(self, record: logging.LogRecord) -> bool:
        if record.msg == "opening handshake failed":
            # who looks for open ports speaks no HTTP
            return False
        error = record.exc_info[0] if record.exc_info else None
        kind = getattr(record, "kind", "" if error is None else error.__name__)
        key = str(record.msg), str(kind)
        is_first = key not in self._said
        self._said.add(key)
        return is_first


class _Door:
    """Server in place of the library's ``serve``."""

    def __init__(self, gate: Gate, page: Page, journal: Journal) -> None:
        self._gate, self._page = gate, page
        self.journal = journal
        self._pages: Callable[[ServerConnection, Request], Response | None]
        self.is_used = False
        self.server: viser.ViserServer | None = None

    def serve(
        self,
        handler: Callable[[ServerConnection], Awaitable[None]],
        host: str,
        port: int,
        **options: Any,
    ) -> Any:
        """Listen, as ``websockets.asyncio.server.serve``."""
        self.is_used = True
        self._pages = options.pop("process_request")
        options |= {"max_size": _LARGEST, "max_queue": 4}
        return library.serve(
            _of_this_version(handler),
            host,
            port,
            process_request=self._process,
            create_connection=self._connect,  # type: ignore[arg-type]
            logger=self.journal,
            **options,
        )

    def lets_through(self, said: object) -> bool:
        """Return True if controls take what is said; they may be others meanwhile."""
        if not isinstance(said, ControlSaid) or self.server is None:
            return True
        taken = takes(self.server, said.uuid, said.updates.value)
        if not taken:
            self.journal.refused("a value that a control does not take")
        return taken

    def _connect(self, *args: Any, **more: Any) -> ServerConnection:
        made = GuardedConnection(*args, **more)
        made.door = self
        return made

    def _process(
        self, connection: ServerConnection, request: Request
    ) -> Response | None:
        refusal = self._gate.refusal(request.path, request.headers)
        if refusal:
            reason, mark, theirs = refusal.partition("'")
            self.journal.refused(f"a request: {reason}", f"{mark}{theirs}")
            return connection.respond(403, f"{refusal}\n")
        if len(connection.server.connections) >= _MAX_CLIENTS:
            self.journal.refused(f"more than {_MAX_CLIENTS} browsers")
            return connection.respond(503, "too many browsers look at this\n")
        response = self._pages(connection, request)
        if response is not None:
            self._page.dress(response)
            host = request.headers["Host"]
            response.headers["Content-Security-Policy"] = _POLICY.format(host=host)
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"
        return response


class GuardedConnection(ServerConnection):
    """A connection that checks what it receives, and waits for nobody forever."""

    door: _Door
    _refused = 0
    _left = _BURST
    _counted = 0.0
    _end: asyncio.Task[None] | None = None

    async def recv(self, decode: bool | None = None) -> Any:
        """Receive the next message that passes."""
        while True:
            data = await super().recv(decode)
            await self._pace()
            if self._end is not None:
                # what comes before the other side hears of the end
                continue
            try:
                said = check(data)
            except Refused as refused:
                self.door.journal.refused(refused.kind)
                self._refused += 1
                if self._refused > _MAX_REFUSED:
                    reason = "no messages of the viewer's page"
                    self._end = self.loop.create_task(self.close(1008, reason))
                continue
            if self.door.lets_through(said):
                return data

    async def send(self, *args: Any, **more: Any) -> None:
        """Send a message; a connection that takes nothing for long ends."""
        try:
            async with asyncio.timeout(PATIENCE):
                await super().send(*args, **more)
        except TimeoutError:
            self.door.journal.refused("to wait for a browser that takes nothing")
            self.transport.abort()
            # raises that the connection is closed
            await super().send(*args, **more)

    async def _pace(self) -> None:
        now = self.loop.time()
        self._left = min(_BURST, self._left + _RATE * (now - self._counted)) - 1.0
        self._counted = now
        if self._left < 0.0:
            await asyncio.sleep(-self._left / _RATE)


def _of_this_version(
    handler: Callable[[ServerConnection], Awaitable[None]],
) -> Callable[[ServerConnection], Awaitable[None]]:
    """Return a handler that ends pages of other versions; viser prints them all."""

    async def handle(connection: ServerConnection) -> None:
        if connection.subprotocol == f"viser-v{viser.__version__}":
            await handler(connection)
        else:
            await connection.close(1002, "Version mismatch: load the page again.")

    return handle
