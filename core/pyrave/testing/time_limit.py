"""A time limit for checks: code of plugins may never end."""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_AGAIN = 1.0


class OverrunError(AssertionError):
    """A check did not end in time."""


class _Interrupt(BaseException):
    """Raised in code that runs for too long; ends what catches exceptions, too."""


def run_within(seconds: float, call: Callable[[], object]) -> None:
    """Call a function that must end in time.

    Where there are signals it is interrupted, and its frames are unwound; elsewhere it
    goes on in a thread that ends with the process.

    Raises
    ------
    OverrunError
        It did not end; says where it was.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        _in_a_thread(seconds, call)
        return
    if signal.getitimer(signal.ITIMER_REAL)[0] > 0.0:
        call()  # somebody else limits it, for example another plugin of pytest
        return
    places: list[str] = []

    def ring(_: int, frame: FrameType | None) -> None:
        places.append(_place(frame))
        raise _Interrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        # what catches the first one gets another
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        call()
    except BaseException:
        if not places:
            raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    if places:
        raise OverrunError(_text(seconds, places[0]))


def _in_a_thread(seconds: float, call: Callable[[], object]) -> None:
    raised: list[BaseException] = []

    def work() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - it is raised where we wait
            raised.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        frame = sys._current_frames().get(worker.ident or 0)  # noqa: SLF001 - no other way
        raise OverrunError(_text(seconds, _place(frame)))
    if raised:
        raise raised[0]


def _place(frame: FrameType | None) -> str:
    return "".join(traceback.format_stack(frame, limit=-4 if frame is None else 4))


def _text(seconds: float, place: str) -> str:
    return f"it did not end within {seconds:g} s; it was in\n{place.rstrip()}"
