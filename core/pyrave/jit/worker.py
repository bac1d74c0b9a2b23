"""The process that compiles kernels for others: reads requests, fills their cache.

A request is a line of JSON on the standard input, see `pyrave.jit.request`; the answer
is its number and why it failed, if it did. The process ends with its input.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading

from pyrave.jit.request import Request


def main() -> None:
    """Compile what is asked for, one kernel after the other."""
    answers, sys.stdout = sys.stdout, sys.stderr  # numba's own words are no answers
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            requests.put(line)
        os._exit(0)  # nobody waits for what is being compiled

    threading.Thread(target=read, daemon=True).start()
    while True:
        number, request = Request.parsed(requests.get())
        answer = {"number": number, "error": _compiled(request)}
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(answer), file=answers, flush=True)


def _compiled(request: Request) -> str:
    """Compile a kernel; return why that failed, empty if it did not."""
    try:
        request.compile()
    except Exception as error:  # noqa: BLE001 - it is for whoever asked
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    main()
