"""The module ``textserver``."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

from pyrave.errors import NotSupportedError
from pyrave_serve.addresses import host_for_urls, is_loopback
from pyrave_serve.module import ServerModule, Threads
from pyrave_serve.served import Served
from pyrave_serve.text.tcp import TextTcpServer

_log = logging.getLogger("pyrave.serve")


class TextServer(ServerModule):
    """Answers the text commands of OpenRAVE's server, for scripts of Octave and Matlab.

    Arguments are a port (4765 or the next one that is free without), and ``host NAME``
    and ``root FOLDER``, see `open`. The protocol has no tokens.
    """

    contract = 1
    usual_port = 4765

    def _check(self, host: str, token: str | None) -> None:
        if token:
            raise NotSupportedError(
                f"{self.interface_id} has a protocol without tokens"
            )
        if not is_loopback(host):
            _log.warning(
                "%s listens on %s: who reaches this address can move and remove what "
                "is in the scene, and load files that the server may read, without a "
                "password",
                self.interface_id,
                host,
            )

    def _address(self, host: str, port: int, token: str) -> str:
        return f"tcp://{host_for_urls(host)}:{port}"

    def _started(
        self, served: Served, listening: socket.socket, host: str, token: str | None
    ) -> tuple[str, Callable[[], None]]:
        threads = Threads.start("pyrave-textserver", served.limits)
        return "", threads.serve(TextTcpServer(served, threads.worker), listening)
