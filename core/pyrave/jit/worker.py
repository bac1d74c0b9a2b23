"""The process that compiles kernels for others: reads requests, fills their cache.

A request is a line of JSON on the standard input, see `pyrave.jit.request`; the answer
is a line with the error, an empty one if there was none. The process ends with its
input, or soon after it if that ends in `FINISH`, or when it has had no work for a
while: its compiler takes some 200 MB.
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
# Seconds without work after which the process ends; a new one starts in about one.
_IDLE = 10.0
# Seconds for which a process compiles after the one that asked for it has ended.
_LONGEST = 90.0


def main() -> None:
    """Compile what is asked for, one kernel after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for whoever asked
    if hasattr(os, "nice"):
        os.nice(_NICE)
    sys.stdout.flush()
    answers = os.dup(1)
    os.dup2(2, 1)  # what numba and LLVM print is no answer
    with contextlib.suppress(BrokenPipeError):  # who asked may have ended by now
        os.write(answers, b"\n")  # what was printed before is none either
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        line = ""
        for line in sys.stdin:
            requests.put(line)
        if line == FINISH and _is_only_one():
            time.sleep(_LONGEST)
        os._exit(0)  # nobody waits for what is being compiled

    threading.Thread(target=read, daemon=True).start()
    with contextlib.suppress(queue.Empty):
        for line in iter(lambda: requests.get(timeout=_IDLE), FINISH):
            answer = json.dumps({"error": _compiled(Request.parsed(line))}) + "\n"
            with contextlib.suppress(BrokenPipeError):
                os.write(answers, answer.encode())
    os._exit(0)


def _is_only_one() -> bool:
    """Return True if no other process goes on for this cache; none does from now on."""
    folder = cache_directory()
    if folder is None:
        return False
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
