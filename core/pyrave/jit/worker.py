"""The process that compiles kernels for others: reads requests, fills their cache.

A request is a line of JSON on the standard input, see `Request`; the answer is its
number and why it failed, if it did. The process ends with its input.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """A kernel that is to be compiled, see `pyrave.jit.TypedKernel`."""

    module: str
    substitutes: tuple[tuple[str, str], ...]
    name: str
    ranks: tuple[int, ...]
    merged: bool
    whole: bool

    def line(self, number: int) -> str:
        """Return the request as a line of text."""
        return json.dumps({"number": number, **asdict(self)}) + "\n"


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
        request = json.loads(requests.get())
        number = request.pop("number")
        answer = {"number": number, "error": _compiled(request)}
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(answer), file=answers, flush=True)


def _compiled(request: dict[str, object]) -> str:
    """Compile a kernel; return why that failed, empty if it did not."""
    from pyrave.jit.modules import KernelModule
    from pyrave.jit.typed import TypedKernel

    substitutes = dict(request.pop("substitutes"))  # type: ignore[call-overload]
    module = KernelModule(str(request.pop("module")), substitutes=substitutes)
    try:
        kernel = TypedKernel(module, cost=lambda *_: 0.0, **request)  # type: ignore[arg-type]
        kernel.compiled()
    except Exception as error:  # noqa: BLE001 - it is for whoever asked
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    main()
