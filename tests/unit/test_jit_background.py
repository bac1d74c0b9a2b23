"""Kernels that another process compiles while this one interprets them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyrave.jit import KernelModule, TakesLongError, TypedKernel, background, give_way
from pyrave.jit.background import Compiler
from pyrave.jit.request import Request

_KERNELS = """
import numpy as np
from pyrave.jit import give_way

INTERPRETED = True

def count(v, out) -> int:
    out[0] = 1.0 if INTERPRETED else 2.0
    for i in range(v.shape[0]):
        if INTERPRETED:
            give_way()
        out[1] += v[i]
    return v.shape[0]

def wrong(v, out) -> int:
    return "no number" + v
"""
_number = itertools.count()


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
    monkeypatch.setattr(background, "_shared", [])

    def make(function: str = "count", cost: float = 50.0) -> TypedKernel:
        module = KernelModule(f"{name}.kernels.sums", compile_after=75.0)
        return TypedKernel(
            module, function, (1, 1), lambda *_: cost, said=function, seconds=4.0
        )

    yield make
    for process in background._shared:
        process.close()


def called(kernel: TypedKernel) -> float:
    out = np.zeros(2)
    assert kernel.call(np.array([1.0, 2.0]), out) == 2
    assert out[1] == 3.0
    return float(out[0])


def test_calls_are_interpreted_until_another_process_has_compiled(kernel_of):
    kernel = kernel_of()
    assert called(kernel) == 1.0
    assert not background._shared  # two calls of 50 ms are more than 75 ms
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


def test_a_call_ends_when_its_kernel_has_been_compiled(kernel_of, monkeypatch):
    kernel = kernel_of()
    called(kernel), called(kernel)
    assert kernel._job.finished.wait(120.0)
    monkeypatch.setattr(TypedKernel, "_is_time", lambda *_: False)
    out = np.zeros(2)
    # it is begun in the interpreter, and begun again
    assert kernel.call(np.array([1.0]), out) == 1
    assert out[0] == 2.0
    give_way()  # nothing is interpreted here


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


def test_there_may_be_no_other_process(kernel_of, monkeypatch):
    monkeypatch.setenv("PYRAVE_COMPILE", "foreground")
    kernel = kernel_of()
    assert [called(kernel), called(kernel)] == [1.0, 2.0]
    monkeypatch.delenv("PYRAVE_COMPILE")
    for program in ("", "/opt/studio/studio"):  # it may be what embeds Python
        monkeypatch.setattr(sys, "executable", program)
        assert background.in_background(kernel.request) is None


def test_jobs_fail_where_the_process_ends(kernel_of):
    request = kernel_of().request
    compiler = Compiler()
    job = compiler.compile(request)
    compiler.close()
    assert job.finished.wait(30.0)
    assert "ended" in job.error
    assert not compiler.is_alive
    assert compiler.compile(request).finished.wait(30.0)


def test_a_process_ends_with_the_one_that_started_it():
    script = (
        "from pyrave.jit.background import Compiler\n"
        "one = Compiler()\nprint(one._process.pid, flush=True)\n"
        "import os\nos._exit(0)\n"  # as after a crash: nothing is tidied up
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    pid = int(done.stdout)
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        import time

        time.sleep(0.05)
    pytest.fail("the process goes on")


def test_requests_are_lines():
    types = ("F64[2]", "int", "bool")
    request = Request("a.kernels.b", (("x", "y"),), "f", types, True, False)
    assert request.line(3).count("\n") == 1
    assert Request.parsed(request.line(3)) == (3, request)
    assert issubclass(TakesLongError, Exception)
