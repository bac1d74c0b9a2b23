"""Access control of a viewer: pages that came from it, by names that are its own.

Browsers let any page open a WebSocket to any address; the server has to look at where
the page is from. A name that a stranger lets point to this computer would make his page
one of ours, so names are checked, too.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from typing import Protocol

from pyrave_viser.server.notebook import HUB

VARIABLE = "PYRAVE_VIEWER_ORIGINS"
HERE = ("localhost", "127.0.0.1", "::1")
_PORTS = {"http": 80, "https": 443}
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._\-]+)(?::(\d{1,5}))?")
_PATH = re.compile(r"/|(/[A-Za-z0-9_\-]+(\.[A-Za-z0-9_\-]+)*)+/?")


class Headers(Protocol):
    """Headers of a request, as far as they are needed."""

    def get_all(self, key: str, /) -> list[str]:
        """Return all values of a header."""


@dataclass(frozen=True)
class Gate:
    """Gate that requests pass.

    Parameters
    ----------
    names
        What the computer is called, lower case. Its addresses always pass: nobody can
        let them point elsewhere.
    origins
        Origins of pages that pass besides those of the viewer itself.
    any_name
        Whether all names pass: a hub of notebooks, which alone reaches this computer,
        passes requests on with its own name.
    """

    names: frozenset[str]
    origins: frozenset[str] = frozenset()
    any_name: bool = False

    @classmethod
    def for_host(cls, host: str) -> Gate:
        """Return the gate of a server that listens to a host.

        The variable `VARIABLE` adds origins, such as ``https://lab.example``.
        """
        names = {"localhost", host.lower()}
        if host not in HERE:
            name = socket.gethostname().lower()
            names |= {name, f"{name}.local", socket.getfqdn().lower()}
        told = os.environ.get(VARIABLE, "").replace(",", " ").split()
        origins = {one.rstrip("/").lower() for one in told}
        names |= {place[0] for place in map(_place, origins) if place is not None}
        in_hub = host in HERE and bool(os.environ.get(HUB))
        return cls(frozenset(names), frozenset(origins), in_hub)

    def refusal(self, path: str, headers: Headers) -> str:
        """Return the reason for refusing a request; empty if it passes."""
        if not _PATH.fullmatch(path.partition("?")[0]):
            return "there is no such page"
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        asked = _place(f"http://{host}")
        if asked is None:
            return "the request does not say which host it is for"
        if not self._is_ours(asked[0]):
            return (
                f"the viewer does not know the name {asked[0][:100]!r}; use localhost "
                f"or an address of the computer, or add the origin to {VARIABLE}"
            )
        # browsers always say where a page that opens a WebSocket is from
        if all(self._passes(one.lower(), host) for one in origins):
            return ""
        return (
            f"a page from {origins[0][:100]!r} may not talk to this viewer; if it "
            f"should, add the origin to {VARIABLE}"
        )

    def _passes(self, origin: str, host: str) -> bool:
        """Return True if a page is from the host that the request is for."""
        if origin in self.origins:
            return True
        scheme = origin.partition("://")[0]
        place = _place(origin)
        return place is not None and place == _place(f"{scheme}://{host}")

    def _is_ours(self, name: str) -> bool:
        if self.any_name or name in self.names or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _place(origin: str) -> tuple[str, int] | None:
    """Return the name and the port of an origin, or None if it is none."""
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        return None
    scheme, name, port = found.groups()
    return name.strip("[]").rstrip("."), int(port or _PORTS[scheme])
