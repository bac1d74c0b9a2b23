"""Access control of callers: tokens, and origins of browser pages."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from dataclasses import dataclass

from pyrave.errors import ArgumentError
from pyrave_serve.addresses import HERE, is_loopback

AUTO = "auto"
_LEAST = 16
_BYTES = 24
_TOKEN = re.compile(rf"[\w-]{{{_LEAST},200}}", re.ASCII)


class RefusedError(Exception):
    """A client may not call.

    Parameters
    ----------
    status
        HTTP's code.
    reason
        Why, for the client.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Access:
    """Access rights of clients.

    Parameters
    ----------
    token
        What clients must know; empty if all may call that reach the server.
    names
        What this computer is called by them.
    """

    token: str
    names: frozenset[str]

    @classmethod
    def for_host(cls, host: str, token: str | None) -> Access:
        """Return the access rights of a server's clients.

        Parameters
        ----------
        host
            Where it listens.
        token
            ``"auto"`` makes one; so does none, unless only this computer reaches it.

        Raises
        ------
        ArgumentError
            The token is short, or has other characters than ASCII's.
        """
        if token == AUTO or not (token or is_loopback(host)):
            token = secrets.token_urlsafe(_BYTES)
        if token and not _TOKEN.fullmatch(token):
            raise ArgumentError(
                f"the token is short or odd, expected {_LEAST} or more letters, "
                f"digits, - and _; {AUTO!r} makes one"
            )
        names = {HERE, host.lower()}
        if not is_loopback(host):
            names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        return cls(token or "", frozenset(names))

    def check(
        self,
        host: str | None,
        origin: str | None,
        authorization: str | None,
        token: str,
    ) -> None:
        """Let a request pass, or raise a `RefusedError`.

        Parameters
        ----------
        host, origin, authorization
            Headers of the request, None without.
        token
            What its address gives as ``token``.
        """
        # a page of another site reaches this computer by a name of its own
        if host is None or not self._is_ours(host):
            raise RefusedError(
                421, f"this server is not {(host or '')[:80]!r}; use its own address"
            )
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            raise RefusedError(403, "pages of other servers may not call this one")
        if not self.token:
            return
        scheme, _, bearer = (authorization or "").partition(" ")
        given = bearer if scheme.lower() == "bearer" else token
        if not hmac.compare_digest(_bytes_of(given), _bytes_of(self.token)):
            raise RefusedError(
                401, "the token is missing or wrong: Authorization: Bearer TOKEN"
            )

    def _is_ours(self, host: str) -> bool:
        """Return True if a Host header means this server: an address, or its names."""
        name = host.lower()
        if not name.endswith("]"):
            name = name.rpartition(":")[0] or name
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name in self.names
        return True


def _bytes_of(text: str) -> bytes:
    # requests may hold bytes that are no text
    return text.encode("utf-8", "surrogatepass")
