"""Kernels that another process compiles while this one interprets them."""

from __future__ import annotations

import itertools
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyrave.jit import (
    Kernel,
    TakesLongError,
    background,
    give_way,
    interpreted_for,
    specialisation,
)
from pyrave.jit.background import Pool
from pyrave.jit.request import Request

_KERNELS = """
import numpy as np
from pyrave.jit import give_way

INTERPRETED = True

def count(v: "F64_1", out: "F64_1") -> int:
    out[0] = 1.0 if INTERPRETED else 2.0
    for i in range(v.shape[0]):
        if INTERPRETED:
            give_way()
        out[1] += v[i]
    return v.shape[0]

def wrong(v: "F64_1", out: "F64_1") -> int:
    return "no number" + v
"""
_number = itertools.count()


class FakeCompiler:
    """A process that answers when the test says so."""

    def __init__(self) -> None:
        self.job: Any = None
        self.sent: list[str] = []
        self.status = 0
        self._lines, self._input = os.pipe()
        self.answers = os.fdopen(self._lines, "rb", 0)
        self._is_open = True

    def send(self, line: str) -> None:
        self.sent.append(line)

    def write(self, line: bytes) -> None:
        os.write(self._input, line)

    def answer(self, error: str) -> None:
        job = self.job
        self.write(json.dumps({"error": error}).encode() + b"\n")
        assert job.finished.wait(120.0)

    def end(self, status: int) -> None:
        self.status = status
        reader = background._pool._readers[self]
        self.close()
        reader.join(30.0)

    def close(self) -> int:
        if self._is_open:
            self._is_open = False
            os.close(self._input)
        return self.status

    def abandon(self) -> None:
        pass


class Unnoticed(threading.Event):
    """An event that nobody hears of."""

    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float | None = None) -> bool:
        return False


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> list[FakeCompiler]:
    """Return the processes that are started: one at a time, and not real."""
    started: list[FakeCompiler] = []

    def start() -> FakeCompiler:
        started.append(FakeCompiler())
        return started[-1]

    monkeypatch.setattr(background, "Compiler", start)
    monkeypatch.setattr(background, "_most_processes", lambda: 1)
    return started


@pytest.fixture
def kernel_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what makes a kernel, with an empty cache and a process of its own."""
    name = f"backgroundpackage{next(_number)}"
    folder = tmp_path / name / "kernels"
    folder.mkdir(parents=True)
    for path in (folder.parent, folder):
        (path / "__init__.py").write_text("")
    (folder / "sums.py").write_text(_KERNELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PYRAVE_COMPILE", raising=False)
    monkeypatch.setattr(background, "_pool", Pool())

    def make(function: str = "count", cost: float = 50.0) -> Kernel:
        return Kernel(
            f"{name}.kernels.sums",
            function,
            function,
            4.0,
            cost=lambda *_: cost,
            compile_after=75.0,
        )

    yield make
    background._pool.close()


def called(kernel: Kernel) -> float:
    out = np.zeros(2)
    assert kernel.call(np.array([1.0, 2.0]), out) == 2
    assert out[1] == 3.0
    return float(out[0])


def test_calls_are_interpreted_until_another_process_has_compiled(kernel_of):
    kernel = kernel_of()
    assert called(kernel) == 1.0
    assert not background._pool.compilers  # two calls of 50 ms are more than 75 ms
    assert called(kernel) == 1.0
    assert kernel._job is not None
    assert kernel._job.finished.wait(120.0)
    assert kernel._job.error == ""
    assert called(kernel) == 2.0
    assert type(kernel.call).__name__ == "CPUDispatcher"
    assert sum(kernel.call.stats.cache_hits.values()) == 1  # nothing is compiled here
    # what is kept is read at once
    again = kernel_of()
    assert [called(again), called(again)] == [2.0, 2.0]
    assert again._job is None


def test_calls_that_take_longer_than_compiling_wait_for_it(kernel_of):
    kernel = kernel_of()
    called(kernel), called(kernel)
    kernel._cost = lambda *_: 1e9
    assert called(kernel) == 2.0
    assert sum(kernel.call.stats.cache_hits.values()) == 1


def test_what_was_interpreted_for_as_long_as_compiling_takes_is_compiled(kernel_of):
    kernel = kernel_of()
    called(kernel), called(kernel)
    kernel._spent = 5000.0
    assert called(kernel) == 2.0


def test_a_call_that_has_no_end_goes_on_compiled(kernel_of):
    kernel = kernel_of()
    called(kernel), called(kernel)
    kernel._job.finished = Unnoticed()  # whatever the other process does
    kernel._seconds = 2.5
    out, count = np.zeros(2), 30_000_000
    assert kernel.call(np.ones(count), out) == count
    assert out[0] == 2.0
    assert count < out[1] < 2 * count  # it was begun in the interpreter


def test_a_call_ends_when_its_kernel_has_been_compiled(kernel_of, monkeypatch):
    kernel = kernel_of()
    called(kernel), called(kernel)
    assert kernel._job.finished.wait(120.0)
    monkeypatch.setattr(Kernel, "_is_time", lambda *_: False)
    out = np.zeros(2)
    # it is begun in the interpreter, and begun again
    assert kernel.call(np.array([1.0]), out) == 1
    assert out[0] == 2.0
    give_way()  # nothing is interpreted here
    with interpreted_for(100.0):
        with pytest.raises(TakesLongError), interpreted_for(-1.0):
            give_way()
        give_way()


def test_kernels_that_cannot_be_compiled_say_so_here(kernel_of):
    kernel = kernel_of("wrong")
    out = np.zeros(2)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"add|concatenate|str|ufunc"):
            kernel.call(out, out)
    assert kernel._job.finished.wait(120.0)
    assert "Typing" in kernel._job.error
    with pytest.raises(Exception, match=r"numba|typing|Typing"):
        kernel.call(out, out)


@pytest.mark.parametrize("what", ["foreground", "none", "embedded", "frozen"])
def test_there_may_be_no_other_process(kernel_of, monkeypatch, tmp_path, what):
    trace = tmp_path / "started"
    program = tmp_path / ("happybot" if what == "embedded" else "python3")
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    if what == "foreground":
        monkeypatch.setenv("PYRAVE_COMPILE", "foreground")
    else:
        monkeypatch.setattr(sys, "executable", "" if what == "none" else str(program))
    if what == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    kernel = kernel_of()
    assert background.in_background(kernel.request) is None
    assert [called(kernel), called(kernel)] == [1.0, 2.0]
    assert not trace.exists()


def test_jobs_fail_where_the_pool_is_closed(kernel_of):
    request = kernel_of().request
    pool = Pool()
    job = pool.submit(request)
    pool.close()
    assert job.finished.wait(120.0)
    assert "ended" in job.error
    assert not pool.compilers
    assert pool.submit(request) is None


def test_a_kernel_is_queued_once(kernel_of, compilers):
    request, other = kernel_of().request, kernel_of("wrong").request
    job = background.in_background(request)
    assert background.in_background(request) is job
    waiting = background.in_background(other)
    assert background.in_background(other) is waiting
    assert [one.sent for one in compilers] == [[request.line]]


def test_calls_do_not_wait_behind_other_kernels(kernel_of, compilers):
    busy, kernel = kernel_of("wrong"), kernel_of()
    background.in_background(busy.request)
    called(kernel), called(kernel)
    assert not kernel._job.begun.is_set()
    kernel._cost = lambda *_: 1e9
    assert called(kernel) == 2.0  # compiled here
    compilers[0].answer("")
    assert compilers[0].sent == [busy.request.line]  # not again there
    assert background.in_background(kernel.request).is_valid


def test_failures_in_the_background_are_logged(kernel_of, compilers, caplog):
    kernel = kernel_of()
    called(kernel), called(kernel)
    compilers[0].answer("MemoryError: no room\nmore")
    with caplog.at_level(logging.INFO, "pyrave.jit"):
        assert called(kernel) == 2.0
    failed, compiling = caplog.records
    assert failed.levelname == "WARNING"
    assert "MemoryError: no room" in failed.getMessage()
    assert "compiling count" in compiling.getMessage()


def test_a_kernel_outlives_one_process_that_is_killed(kernel_of, compilers):
    job = background.in_background(kernel_of().request)
    compilers[0].end(9)
    assert not job.finished.is_set()
    assert [one.sent for one in compilers] == [[job.request.line]] * 2
    compilers[1].end(9)
    assert job.finished.wait(120.0)
    assert job.error == "the compiling process ended with status 9"
    assert len(compilers) == 2
    # later requests have a process of their own
    assert background.in_background(job.request) is not job
    compilers[2].answer("")


def test_lines_that_are_no_answers_are_skipped(kernel_of, compilers):
    job = background.in_background(kernel_of().request)
    for line in (b"hello\n", b"3\n", b"\xff\n", b'{"error": 1}\n', b"\n"):
        compilers[0].write(line)
    assert not job.finished.wait(0.1)
    compilers[0].answer("")
    assert job.error == ""


@pytest.mark.slow
def test_what_python_prints_at_its_start_is_no_answer(kernel_of, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('hello', end='')\n")
    job = background.in_background(kernel_of("missing").request)
    assert job.finished.wait(120.0)
    assert "missing" in job.error


@pytest.mark.slow
def test_processes_end_that_have_nothing_to_do():
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from pyrave.jit import worker\nworker._IDLE = 0.1\nworker.main()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.wait(120.0) == 0
        assert process.stdout.read() == b"\n"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_do_not_wait_for_the_jobs_of_their_parent(kernel_of, compilers):
    kernel = kernel_of()
    called(kernel), called(kernel)
    assert compilers[0].sent == [kernel.request.line]
    kernel._cost = lambda *_: 1e9
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with specialisation.lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        child = os.fork()
        if child == 0:
            signal.alarm(120)  # ends a child that hangs
            os._exit(int(called(kernel)))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    finally:
        done.set()
        thread.join()
    assert kernel._job.is_valid  # here it goes on
    compilers[0].answer("")
    assert kernel._job.finished.is_set()


def test_machine_code_of_another_processor_is_not_kept(kernel_of, monkeypatch):
    from numba.core.codegen import JITCPUCodegen

    kernel = kernel_of()
    request = kernel.request
    assert not request.is_kept
    with monkeypatch.context() as patch:
        patch.setattr(JITCPUCodegen, "magic_tuple", lambda _: ("other", "cpu", ""))
        kernel.now()
        assert request.is_kept
    again = kernel_of()
    assert not request.is_kept
    called(again), called(again)
    assert again._job is not None  # no call waits for the compiler


def test_a_process_ends_with_the_one_that_started_it():
    script = (
        "from pyrave.jit.background import Compiler\n"
        "one = Compiler()\nprint(one.pid, flush=True)\n"
        "import os\nos._exit(0)\n"  # as after a crash: nothing is tidied up
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    pid = int(done.stdout)
    for _ in range(1200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the process goes on")


def test_requests_are_lines():
    request = Request("a.kernels.b", "f", (("x", "y"),), True, False)
    assert request.line.count("\n") == 1
    assert Request.parsed(request.line) == request
    assert issubclass(TakesLongError, Exception)
