"""The module ``jsonrpcserver``."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Callable

from pyrave.errors import NotSupportedError
from pyrave_serve.addresses import host_for_urls
from pyrave_serve.module import ServerModule, Threads
from pyrave_serve.rpc.access import Access
from pyrave_serve.served import Served


class JsonRpcServer(ServerModule):
    """Answers JSON-RPC 2.0 over HTTP and WebSocket.

    Arguments are a port (8765 or the next one that is free without), and ``host NAME``,
    ``token TEXT`` and ``root FOLDER``, see `open`.
    """

    contract = 1
    usual_port = 8765

    def _check(self, host: str, token: str | None) -> None:
        Access.for_host(host, token)
        if importlib.util.find_spec("aiohttp") is None:
            raise NotSupportedError(
                f"{self.interface_id} needs aiohttp: pip install 'pyrave[serve]'"
            )

    def _address(self, host: str, port: int, token: str) -> str:
        address = f"http://{host_for_urls(host)}:{port}/"
        return f"{address}?token={token}" if token else address

    def _started(
        self, served: Served, listening: socket.socket, host: str, token: str | None
    ) -> tuple[str, Callable[[], None]]:
        from pyrave_serve.rpc.http import HttpServer

        access = Access.for_host(host, token)
        threads = Threads.start("pyrave-jsonrpc", served.limits)
        server = HttpServer(served, access, threads.worker)
        return access.token, threads.serve(server, listening)
