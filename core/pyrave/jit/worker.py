"""The process that compiles kernels for others: reads requests, fills their cache.

A request is a line of JSON on the standard input, see `pyrave.jit.request`; the answer
is its number when it is begun, and again with why it failed, if it did. The process
ends with its input, or soon after it if that ends in `FINISH`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time

from pyrave.jit.cache import cache_directory
from pyrave.jit.request import FINISH, Request

_NICE = 5
# Seconds for which a process compiles after the one that asked for it has ended.
_LONGEST = 90.0


def main() -> None:
    """Compile what is asked for, one kernel after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for whoever asked
    if hasattr(os, "nice"):
        os.nice(_NICE)
    answers, sys.stdout = sys.stdout, sys.stderr  # numba's own words are no answers
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        line = ""
        for line in sys.stdin:
            requests.put(line)
        if line == FINISH and _is_only_one():
            time.sleep(_LONGEST)
        os._exit(0)  # nobody waits for what is being compiled

    def say(answer: dict[str, object]) -> None:
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(answer), file=answers, flush=True)

    threading.Thread(target=read, daemon=True).start()
    for line in iter(requests.get, FINISH):
        number, request = Request.parsed(line)
        say({"number": number})
        say({"number": number, "error": _compiled(request)})
    os._exit(0)


def _is_only_one() -> bool:
    """Return whether no other process goes on for this cache; none does from now on."""
    try:
        import fcntl

        folder = os.open(cache_directory(), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True  # the lock ends with this process


def _compiled(request: Request) -> str:
    """Compile a kernel; return why that failed, empty if it did not."""
    try:
        request.compile()
    except Exception as error:  # noqa: BLE001 - it is for whoever asked
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    main()
