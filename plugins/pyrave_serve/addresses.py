"""Addresses of servers: hosts, ports, and messages about them."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket

from pyrave.errors import ArgumentError, StateError, shown

HERE = "localhost"
_BACKLOG = 64
_PORTS = 200
"""Number of ports that are tried where none is wanted."""


def is_loopback(host: str) -> bool:
    """Return True if only this computer reaches a host."""
    if host == HERE:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_every_address(host: str) -> bool:
    """Return True if a host means all addresses of this computer."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def require_place(host: object, port: object) -> None:
    """Raise an ArgumentError for a wrong host or port."""
    if not isinstance(host, str) or not host:
        raise ArgumentError(f"host is {shown(host)}, expected a name or an address")
    known = isinstance(port, int) and not isinstance(port, bool)
    if port is not None and not (known and port in range(65536)):
        raise ArgumentError(f"port is {shown(port)}, expected 0 to 65535")


def listen(host: str, port: int | None, usual: int) -> socket.socket:
    """Return a socket that listens.

    Parameters
    ----------
    host
        ``"localhost"``, or a name or address of this computer.
    port
        0 for any that is free; None for `usual`, or the next one that is free.

    Raises
    ------
    StateError
        The port is taken, or the host is not of this computer.
    """
    name = "127.0.0.1" if host == HERE else host
    reason: Exception | None = None
    for one in range(usual, usual + _PORTS) if port is None else (port,):
        try:
            # what is listening there already is never joined
            return socket.create_server(
                (name, one),
                family=socket.AF_INET6 if ":" in name else socket.AF_INET,
                backlog=_BACKLOG,
            )
        except (OSError, UnicodeError) as error:
            reason = error
            if getattr(error, "errno", None) != errno.EADDRINUSE:
                break
    # Python's text names the address once more; names that are none have no number
    number = getattr(reason, "errno", None) or 0
    detail = os.strerror(number) if number > 0 else str(reason)
    raise StateError(
        f"cannot listen on {host}, port {usual if port is None else port}: {detail}; "
        "port 0 takes one that is free, and the host is localhost or an address of "
        "this computer"
    )


def port_of(listening: socket.socket) -> int:
    """Return the port of a socket."""
    return int(listening.getsockname()[1])


def host_for_urls(host: str) -> str:
    """Return the spelling of a host in an address that this computer opens."""
    if is_every_address(host):
        return HERE
    return f"[{host}]" if ":" in host else host
