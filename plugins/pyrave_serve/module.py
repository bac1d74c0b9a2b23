"""Base of both servers: a module that listens while it is open."""

from __future__ import annotations

import logging
import shlex
import socket
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces import ModuleBase
from pyrave_serve.addresses import HERE, listen, port_of, require_place
from pyrave_serve.call_objects import Kept, Limits
from pyrave_serve.event_loop import LoopThread
from pyrave_serve.served import Served
from pyrave_serve.worker import Worker

if TYPE_CHECKING:
    from pyrave import Environment

_log = logging.getLogger("pyrave.serve")
_Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
_FOLDERS = {"root": "resource_roots", "write": "write_roots"}
_WORDS = "a port, then some of: host NAME, token TEXT, root FOLDER, write FOLDER"


@dataclass(frozen=True)
class Opened:
    """A server that listens.

    Parameters
    ----------
    address
        What clients open.
    host, port
        Where it listens.
    token
        What clients must know, empty without.
    stop
        Ends it.
    """

    address: str = field(repr=False)
    host: str
    port: int
    token: str = field(repr=False)
    stop: Callable[[], None]


class ServerModule(ModuleBase):
    """A server, as a module of the environment that it serves.

    It listens from `open` or ``env.add(module, args=...)`` on, until it is closed,
    removed, or the environment is gone. A scene file opens no ports: such a module, and
    one in a clone, waits for `open`.
    """

    contract = 1
    usual_port: ClassVar[int]

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._opened: Opened | None = None
        self._closed = threading.Event()
        self._is_copy = False
        self.limits = Limits()
        """Limits of clients; a change is in force when it is opened again."""
        self.kept = Kept.empty(self.limits)
        """Objects that are kept for clients between their calls."""

    # -- open and closed -----------------------------------------------------------

    @property
    def address(self) -> str:
        """Address for clients; empty while it is closed."""
        opened = self._opened
        return "" if opened is None else opened.address

    @property
    def host(self) -> str:
        """Host on which it listens; empty while it is closed."""
        return "" if self._opened is None else self._opened.host

    @property
    def port(self) -> int:
        """Its port; 0 while it is closed."""
        return 0 if self._opened is None else self._opened.port

    @property
    def token(self) -> str:
        """The token that clients need; empty without one, and while it is closed."""
        return "" if self._opened is None else self._opened.token

    def open(
        self,
        *,
        host: str = HERE,
        port: int | None = None,
        token: str | None = None,
        resource_roots: _Paths = (),
        package_dirs: _Paths = (),
        write_roots: _Paths = (),
    ) -> Opened:
        """Listen.

        Parameters
        ----------
        host
            Where: others than this computer reach it only if asked for, as with
            ``"0.0.0.0"`` for all addresses.
        port
            0: one that is free; None: the usual one, or the next one that is free.
        token
            What clients must know; ``"auto"`` makes one.
        resource_roots
            Folder or folders below which clients may load files, besides those of
            installed packages.
        package_dirs
            Folder or folders that hold the ROS packages of ``package://`` names.
        write_roots
            Folder or folders below which commands of clients may write files.

        Returns
        -------
        Opened
            Where it listens; a client may have closed it already.

        Raises
        ------
        StateError
            It is open, the port is taken, or this is no host of the computer.
        NotSupportedError
            A library is not installed, or the protocol has no tokens.
        ArgumentError
            A wrong port, host or token.
        """
        if self._opened is not None:
            raise StateError(f"{self!r} is open already, at {self.address}")
        require_place(host, port)
        self._check(host, token)
        self.kept = Kept.empty(self.limits)
        loading = {
            "resource_roots": _folders(resource_roots),
            "package_dirs": _folders(package_dirs),
            "confine": True,
        }
        writable = _folders(write_roots)
        for folder in writable:
            if not Path(folder).is_dir():
                raise ArgumentError(f"{folder!r} is no folder, to write below")
        served = Served(weakref.ref(self), loading, self.limits, writable)
        listening = listen(host, port, self.usual_port)
        self._closed.clear()
        try:
            found, stop = self._started(served, listening, host, token)
        except BaseException:
            self._closed.set()
            listening.close()
            raise
        stop_once = weakref.finalize(self, stop)
        port = port_of(listening)
        address = self._address(host, port, found)
        opened = self._opened = Opened(address, host, port, found, stop_once)
        # the address may hold the token
        _log.info("%s listens on %s, port %d", self.interface_id, host, port)
        if self._closed.is_set():  # a client was quick to end it
            self.close()
        return opened

    def close(self) -> None:
        """Stop listening, and let go of all clients. It may be opened again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.stop()
            self.kept = Kept.empty(self.limits)
        self._closed.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is closed, as a client may ask; False if `seconds` are over."""
        return self._closed.wait(seconds)

    # -- as a module ---------------------------------------------------------------

    def main(self, args: str) -> int:
        """Open it, given ``"4765 host localhost token auto root FOLDER"``, or less."""
        options = _options(_split(args))
        # saved scenes tell neither where it listened nor its token
        self.main_args = ""
        if self._opened is not None:
            return 0
        if self.described or self._is_copy:
            if self.described:
                _log.warning(
                    "a scene opens no ports: %s waits for open(), or use pyrave serve",
                    self.interface_id,
                )
            return 0
        self.open(**options)
        return 0

    def destroy(self) -> None:
        """Close it."""
        self.close()

    def copy_to(self, env: Environment) -> Self:
        """Return one for a clone, closed: two cannot have one port."""
        made = super().copy_to(env)
        made._is_copy = True  # noqa: SLF001 - of its own class
        return made

    # -- what servers write --------------------------------------------------------

    @abstractmethod
    def _check(self, host: str, token: str | None) -> None:
        """Raise if it cannot be opened so, before anything is done."""

    @abstractmethod
    def _address(self, host: str, port: int, token: str) -> str:
        """Return the address that clients open."""

    @abstractmethod
    def _started(
        self, served: Served, listening: socket.socket, host: str, token: str | None
    ) -> tuple[str, Callable[[], None]]:
        """Answer who connects to a socket; return the token, and what ends it.

        What ends it must not hold the module.
        """


class NetworkServer(Protocol):
    """Answers clients, in the thread of an event loop."""

    async def start(self, listening: socket.socket) -> None:
        """Answer who connects to a socket."""

    async def close(self) -> None:
        """Let go of all clients."""


@dataclass(frozen=True)
class Threads:
    """Threads that serve clients: a loop waits for them, a worker does their calls."""

    loop: LoopThread
    worker: Worker

    @classmethod
    def start(cls, name: str, limits: Limits) -> Threads:
        """Return threads that run."""
        return cls(LoopThread(name), Worker(limits.waiting, limits.seconds))

    def serve(
        self, server: NetworkServer, listening: socket.socket
    ) -> Callable[[], None]:
        """Let a server answer who connects to a socket; return what ends it."""
        try:
            self.loop.wait_for(server.start(listening))
        except BaseException:
            self.stop(server)
            raise
        return partial(self.stop, server)

    def stop(self, server: NetworkServer) -> None:
        """End a server and the threads, which may be what asks for it."""
        self.worker.stop()
        self.loop.stop(server.close)


def _folders(paths: _Paths) -> tuple[str, ...]:
    if isinstance(paths, (str, PathLike)):
        return (fspath(paths),)
    return tuple(fspath(path) for path in paths)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ArgumentError(f"{text!r} is not understood: {error}") from None


def _options(words: Iterable[str]) -> dict[str, Any]:
    """Return the keywords of `ServerModule.open` that words say."""
    found: dict[str, Any] = {}
    folders: dict[str, list[str]] = {name: [] for name in _FOLDERS.values()}
    rest = iter(words)
    for word in rest:
        if word.isdecimal() and "port" not in found:
            found["port"] = int(word)
            continue
        value = next(rest, None)
        if word not in {"host", "token", *_FOLDERS} or value is None:
            raise ArgumentError(f"{word!r} is not understood, expected {_WORDS}")
        if word in _FOLDERS:
            folders[_FOLDERS[word]].append(value)
        else:
            found[word] = value
    return found | folders
