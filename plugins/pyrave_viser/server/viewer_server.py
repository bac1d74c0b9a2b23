"""The server of a viewer: where it listens, and its end."""

from __future__ import annotations

import logging
import socket
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError, NotSupportedError, StateError, shown
from pyrave_viser.server.gate import HERE, Gate
from pyrave_viser.server.page import PRODUCT, Page

if TYPE_CHECKING:
    import viser

_log = logging.getLogger("pyrave.viewer")

FIRST_PORT = 8080
_PORTS = 200


def start_server(
    host: str, port: int | None, page: Page | None = None
) -> viser.ViserServer:
    """Return a server that listens.

    Parameters
    ----------
    host
        ``"localhost"``, or an address of this computer; ``"0.0.0.0"`` for all.
    port
        None: `FIRST_PORT`, or the next one that is free.
    page
        What browsers load; None: a page that is called after the product.

    Raises
    ------
    StateError
        The port is taken, or this is no host of the computer.
    NotSupportedError
        viser is not installed.
    """
    if not isinstance(host, str) or not host:
        raise ArgumentError(f"host is {shown(host)}, expected a name or an address")
    chosen = free_port(host, port)
    if host not in HERE:
        _log.warning(
            "the viewer listens on %s: who reaches this address can see and move the "
            "scene, without a password",
            host,
        )
    # localhost may be two addresses, of which browsers try either
    try:
        from pyrave_viser.server.guards import start_guarded
    except ImportError as error:
        raise NotSupportedError(
            f"the viewer needs viser: pip install 'pyrave[viewer]' ({error})"
        ) from error
    with _quiet():
        return start_guarded(
            Gate.for_host(host),
            page or Page(),
            host="127.0.0.1" if host == "localhost" else host,
            port=chosen,
            label=PRODUCT,
            verbose=False,
        )


def stop_server(server: viser.ViserServer) -> None:
    """End a server."""
    with _quiet():
        server.stop()


def address_of(host: str, port: int) -> str:
    """Return the address that browsers open."""
    name = "localhost" if host in {"", "0.0.0.0", "::", *HERE} else host  # noqa: S104
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def free_port(host: str, port: int | None) -> int:
    """Return the port, or the first one that is free; StateError if there is none."""
    if port is not None and not (isinstance(port, int) and 0 <= port < 65536):
        raise ArgumentError(f"port is {shown(port)}, expected 0 to 65535")
    wanted = range(FIRST_PORT, FIRST_PORT + _PORTS) if port is None else (port,)
    reason: OSError | None = None
    name = "127.0.0.1" if host == "localhost" else host
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    for one in wanted:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((name, one))
            except OSError as error:
                reason = error
                continue
            return int(trial.getsockname()[1])
    which = f"port {port}" if port is not None else "no port"
    detail = reason.strerror or reason if reason is not None else ""
    raise StateError(
        f"the viewer cannot listen on {host}, {which}: {detail}; leave the port out "
        "for a free one, and use localhost or an address of this computer"
    )


def open_browser(address: str) -> bool:
    """Open the address in a browser; False if there is none."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


@contextmanager
def _quiet() -> Iterator[None]:
    """Let viser print nothing of its own: where it listens is ours to say."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
