"""Poses for a client that follows them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pyrave_serve.methods.bodies import poses_of
from pyrave_serve.rpc.messages import encode, notification

_GLANCE = 0.005
"""Seconds between looks at a state that stays the same."""


class PoseFollower:
    """Sends the published state of an environment whenever it is another one.

    Parameters
    ----------
    published
        Returns the state.
    send
        Sends a message; waits for slow clients.
    """

    def __init__(
        self, published: Callable[[], Any], send: Callable[[str], Awaitable[None]]
    ) -> None:
        self._published, self._send = published, send
        self._wanted = asyncio.Event()
        self._rate = 0.0

    def follow(self, rate: float) -> None:
        """Send at most so many times a second, 0 for never, from `settle` on."""
        self._rate = rate

    def settle(self) -> None:
        """Begin or end sending; called in the loop, after the answer was sent."""
        if self._rate:
            self._wanted.set()
        else:
            self._wanted.clear()

    async def run(self) -> None:
        """Send until cancelled."""
        last: Any = None
        clock = asyncio.get_running_loop().time
        while True:
            await self._wanted.wait()
            state = self._published()
            if state is last:
                await asyncio.sleep(_GLANCE)
                continue
            last, begin = state, clock()
            await self._send(await asyncio.to_thread(_text, state))
            if self._rate:
                await asyncio.sleep(begin + 1.0 / self._rate - clock())


def _text(state: Any) -> str:
    return encode(notification("poses", poses_of(state)))
