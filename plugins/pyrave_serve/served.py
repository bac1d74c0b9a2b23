"""The served environment: held weakly, and used by one call at a time."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from pyrave.errors import StateError
from pyrave.interfaces import file_access
from pyrave_serve.call_objects import Desk, Follower, Kept, Limits

_PART = 0.9
"""Part of the time of a call that its method may take; the rest is for the answer."""


class Owner(Protocol):
    """The module that started a server."""

    kept: Kept

    @property
    def env(self) -> Any:
        """The environment."""

    @property
    def address(self) -> str:
        """Empty when the server has ended."""

    def close(self) -> None:
        """End the server."""


@dataclass(frozen=True)
class Served:
    """The environment that a server serves, and what its clients may do.

    Parameters
    ----------
    module
        The module that started it; the server ends when nobody else holds it.
    loading
        Keywords of ``Environment.load`` for files that clients name.
    limits
        What clients may ask for.
    write_roots
        Folders below which clients may write files.
    """

    module: weakref.ref[Owner]
    loading: Mapping[str, Any]
    limits: Limits
    write_roots: tuple[str, ...] = ()

    @property
    def env(self) -> Any:
        """The environment; StateError when it is gone."""
        return self._owner().env

    @contextmanager
    def desk(self, deadline: float, follower: Follower | None = None) -> Iterator[Desk]:
        """Hold the environment for a call.

        Parameters
        ----------
        deadline
            When it must end, see `deadline`.
        follower
            Of a connection over which poses may be sent.

        Raises
        ------
        LockTimeoutError
            Another thread holds the environment all the time.
        """
        owner = self._owner()
        env: Any = owner.env
        left = max(deadline - time.monotonic(), 0.0)
        with env.lock(left):
            try:
                desk = Desk(
                    env, self.loading, self.limits, owner.kept, deadline,
                    lambda: bool(owner.address), owner.close, follower,
                    self.write_roots,
                )  # fmt: skip
                with file_access(desk):
                    yield desk
            finally:
                # viewers and those who follow see what was changed
                env.publish()

    def deadline(self) -> float:
        """Return the time at which a call that begins now must end."""
        return time.monotonic() + _PART * self.limits.seconds

    def _owner(self) -> Owner:
        owner = self.module()
        if owner is None:
            raise StateError("the environment of this server is gone")
        return owner
