"""Input of people in a browser, passed on to the environment.

It waits in a queue of which only the latest of a kind counts: however quickly somebody
drags, the environment is asked once a tick.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error, LockTimeoutError, PluginGuard
from pyrave.kinematics.limits import LimitCheck

if TYPE_CHECKING:
    import viser

    from pyrave import Environment
    from pyrave.bodies import KinBody

_log = logging.getLogger("pyrave.viewer")

# so long it waits for who computes, seconds
_PATIENCE = 0.2
_MAX_UNDONE = 100


@dataclass(frozen=True)
class _Before:
    """Pose and joint values of a body before somebody moved it."""

    key: object
    body: KinBody
    transform: Any
    values: Any


class Actions:
    """The queue of a viewer."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._mutex = threading.Lock()
        self._waiting: dict[object, Callable[[Environment], object]] = {}
        self._undone: list[_Before] = []
        self._failed = False
        self.on_move: Callable[[], object] = bool
        """Called before somebody moves a body."""

    def ask(self, key: object, action: Callable[[Environment], object]) -> None:
        """Have something done soon, in the place of what waits under the same key."""
        with self._mutex:
            self._waiting[key] = action

    def run(self, env: Environment) -> bool:
        """Do what waits, with the environment's lock; return whether anything did.

        What cannot be done is said to the people; what is wrong ends here, and the
        rest is done.
        """
        with self._mutex:
            waiting, self._waiting = self._waiting, {}
        for action in waiting.values():
            with PluginGuard() as guard:
                self._do(action, env)
            if guard.error is not None and not self._failed:
                self._failed = True
                _log.error("the viewer stumbled", exc_info=guard.error)
        return bool(waiting)

    def _do(
        self,
        action: Callable[[Environment], object],
        env: Environment,
    ) -> None:
        try:
            with env.lock(_PATIENCE):
                action(env)
        except LockTimeoutError:
            self.tell("The environment is busy", "A script holds it; try again.")
        except Error as error:
            self.tell("That cannot be done", str(error))

    def tell(self, title: str, text: str) -> None:
        """Show a note in all browsers, for a while."""
        for client in self._server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=6.0)

    def remember(self, key: object, body: KinBody) -> None:
        """Keep where a body is, for `undo`; once for all moves of one kind."""
        self.on_move()
        last = self._undone[-1] if self._undone else None
        if last is not None and last.key == key and last.body is body:
            return
        self._undone.append(_Before(key, body, body.transform, body.dof_values))
        del self._undone[:-_MAX_UNDONE]

    def settle(self) -> None:
        """Let the next move be one of its own for `undo`."""
        if self._undone:
            last = self._undone[-1]
            self._undone[-1] = _Before(None, last.body, last.transform, last.values)

    def undo(self, env: Environment) -> None:
        """Put the body that was moved last back to where it was."""
        if not self._undone:
            self.tell("Nothing to undo", "No body was moved here.")
            return
        last = self._undone.pop()
        if any(body is last.body for body in env.bodies):
            last.body.transform = last.transform
            if len(last.values) == last.body.dof and np.size(last.values):
                last.body.set_dof_values(last.values, limits=LimitCheck.NONE)
