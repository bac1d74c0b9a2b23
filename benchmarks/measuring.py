"""What the benchmarks share: medians of interleaved runs, and JSON on stdout."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


def interleaved(
    cases: Mapping[str, Callable[[], Any]], rounds: int, warm_up: int = 1
) -> dict[str, dict[str, float]]:
    """Run all cases in turn, so that drift of the machine hits all alike.

    Returns the median, smallest and largest wall time of each in seconds, and the least
    and the median processor time, that of processes which a case starts included: what
    other processes do in a sample of milliseconds is in its wall time alone.
    """
    times: dict[str, list[float]] = {name: [] for name in cases}
    worked: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(warm_up + rounds):
        for name, case in cases.items():
            spent, start = processor_time(), time.perf_counter()
            case()
            if turn >= warm_up:
                times[name].append(time.perf_counter() - start)
                worked[name].append(processor_time() - spent)
    return {
        name: {
            "median_s": statistics.median(values),
            "min_s": min(values),
            "max_s": max(values),
            "cpu_s": min(worked[name]),
            "cpu_median_s": statistics.median(worked[name]),
        }
        for name, values in times.items()
    }


def processor_time() -> float:
    """Return seconds that this process and those it waited for have worked.

    `os.times` counts in steps of 10 ms; no case of a millisecond is seen in it.
    """
    spent = time.process_time()
    if sys.platform != "win32":
        import resource

        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent += children.ru_utime + children.ru_stime
    return spent


def each(function: Callable[[Any], Any], arguments: Sequence[Any]) -> Callable[[], Any]:
    """Return a case that calls a function once for each argument."""

    def run() -> None:
        for argument in arguments:
            function(argument)

    return run


def pin_to_one_core() -> None:
    """Keep this process on the last of its cores, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def process(
    *command: str, environment: Mapping[str, str] | None = None
) -> Callable[[], None]:
    """Return a function that runs a command as a process of its own."""
    variables = {**os.environ, **(environment or {})}
    # byte code is kept, as in any installation, so that no case compiles its sources
    variables.pop("PYTHONDONTWRITEBYTECODE", None)

    def run() -> None:
        subprocess.run(command, check=True, capture_output=True, env=variables)

    return run


def python(
    code: str, environment: Mapping[str, str] | None = None
) -> Callable[[], None]:
    """Return a function that runs Python code in a fresh process."""
    return process(sys.executable, "-c", code, environment=environment)


def processor() -> str:
    """Return the processor's name, as the system knows it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    return {
        "processor": processor(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }


def report(name: str, **figures: Any) -> None:
    """Print the figures and the machine as JSON."""
    print(json.dumps({"benchmark": name, "machine": machine(), **figures}, indent=2))
