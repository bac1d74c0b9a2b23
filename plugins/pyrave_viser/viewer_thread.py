"""The thread of a viewer."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from typing import TYPE_CHECKING

from pyrave.errors import PluginGuard

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger("pyrave.viewer")

_PERIOD = 1.0 / 60.0
# it rests so many times as long as it worked
_REST = 4.0
# and so long while nobody looks, seconds
_IDLE = 0.25


class Ticker:
    """Calls a method again and again, until ended or until its object is gone.

    Parameters
    ----------
    tick
        A bound method of an object that is held weakly. It returns whether somebody
        looks; as long as nobody does, it is called rarely.
    """

    def __init__(self, tick: Callable[[], bool]) -> None:
        self._wake = threading.Event()
        self._stop = threading.Event()
        wake = self._wake
        method = weakref.WeakMethod(tick, lambda _: wake.set())
        self._thread = threading.Thread(
            target=_loop,
            args=(method, self._wake, self._stop),
            name="pyrave-viewer",
            daemon=True,
        )
        self._thread.start()

    def wake(self) -> None:
        """Tick soon."""
        self._wake.set()

    def stop(self) -> None:
        """End, and wait for the end (unless called from the thread)."""
        self._stop.set()
        self._wake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()


def _loop(
    method: weakref.WeakMethod[Callable[[], bool]],
    wake: threading.Event,
    stop: threading.Event,
) -> None:
    failed = False
    while not stop.is_set():
        tick = method()
        if tick is None:
            return
        begin, used = time.perf_counter(), time.thread_time()
        looked = True
        with PluginGuard() as guard:
            looked = tick()
        if guard.error is not None and not failed:
            # whatever it is: the next scene may be one that can be shown
            failed = True
            _log.error("the viewer stumbled", exc_info=guard.error)
        del tick
        rest = max(
            _PERIOD - (time.perf_counter() - begin),
            _REST * (time.thread_time() - used),
        )
        if looked:
            stop.wait(rest)
        else:
            wake.wait(_IDLE)
        wake.clear()
