"""Kernels of fixed types: by whom and when they are compiled."""

from __future__ import annotations

import fcntl
import itertools
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from pyrave.jit import Kernel, background, eager
from pyrave.jit import compiler as compiling
from pyrave.jit import kernel as kernels
from pyrave.jit.background import Job, Pool

_KERNELS = """
def total(values: "I32_1", factor: "float", out: "F64_1"):
    for i in range(values.shape[0]):
        out[0] += factor * values[i]
    return out[0]

def first(values: "ReadOnlyF64_3"):
    return values[0, 0, 0]

def loose(values: "F64", *_):
    return values[0]

def wrong(values: "I32_1", factor: "float", out: "F64_1"):
    return "no number" + values
"""
_number = itertools.count()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty package for kernels, with an empty cache."""
    path = tmp_path / f"deferredpackage{next(_number)}" / "kernels"
    path.mkdir(parents=True)
    for one in (path.parent, path):
        (one / "__init__.py").write_text("")
    (path / "sums.py").write_text(_KERNELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PYRAVE_COMPILE", raising=False)
    monkeypatch.setattr(background, "_pool", Pool())
    return path


@pytest.fixture
def kernel_of(folder: Path) -> Any:
    def make(name: str = "total", seconds: float = 4.0) -> Kernel:
        return Kernel(f"{folder.parent.name}.kernels.sums", name, "sums", seconds)

    yield make
    background._pool.close()


def summed(function: Any) -> float:
    out = np.zeros(1)
    return float(function(np.arange(4, dtype=np.int32), 0.5, out))


def is_compiled(function: Any) -> bool:
    return hasattr(function, "py_func")


def test_another_process_compiles_what_is_not_ready(kernel_of):
    kernel = kernel_of()
    assert kernel.ready() is None
    assert kernel._job.finished.wait(120.0)
    assert kernel._job.error == ""
    function = kernel.ready()
    assert summed(function) == 3.0
    assert sum(function.stats.cache_hits.values()) == 1  # nothing is compiled here
    assert function is kernel.now() is kernel.auto(1.0) is kernel.function
    # what is kept is read at once
    again = kernel_of()
    assert summed(again.ready()) == 3.0
    assert again._job is None


def test_first_calls_are_interpreted(kernel_of):
    kernel = kernel_of(seconds=1.0)
    for _ in range(2):
        function = kernel.auto(45.0)
        assert not is_compiled(function)
        assert summed(function) == 3.0
    assert is_compiled(kernel.auto(45.0))


def test_calls_that_would_take_longer_than_compiling_wait_for_it(kernel_of):
    kernel = kernel_of(seconds=4.0)
    assert not is_compiled(kernel.auto(50.0))
    assert is_compiled(kernel.auto(1e5))


def test_what_is_kept_is_read_when_that_takes_no_longer_than_calls(kernel_of):
    kernel_of().now()
    kernel = kernel_of()
    assert not is_compiled(kernel.auto(4.0))
    assert is_compiled(kernel.auto(4.0))


def test_what_pays_late_is_read_at_once_where_it_is_kept(kernel_of):
    kernel = kernel_of()
    kernel.went_without(0.06)
    assert kernel.ready(at_once=False) is None
    assert kernel._job is None, "what has cost 60 ms is not compiled yet"
    kernel.went_without(0.06)
    assert kernel.ready(at_once=False) is None
    assert kernel._job is not None
    kernel.now()
    assert kernel_of().ready(at_once=False) is not None


def test_reading_machine_code_imports_nothing_that_only_compiling_needs(kernel_of):
    kernel = kernel_of()
    kernel.now()
    request = kernel.request
    program = (
        "import sys\n"
        "import numpy as np\n"
        "from pyrave.jit import Kernel\n"
        f"kernel = Kernel({request.module!r}, {request.name!r})\n"
        "out = np.zeros(1)\n"
        "assert kernel.ready(at_once=False) is not None\n"
        "assert kernel.now()(np.arange(4, dtype=np.int32), 2.0, out) == 12.0\n"
        "assert 'numba.typed.typeddict' not in sys.modules\n"
        "assert 'numpy.ma' not in sys.modules\n"
        "assert 'numba.np.arrayobj' not in sys.modules\n"
        "from pyrave.jit.compiler import compiled\n"
        f"assert list(compiled(({request.module!r}, ()))._dispatchers) == "
        f"[{request.name!r}]\n"
    )
    path = os.pathsep.join([sys.path[0], os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_code_that_callers_link_is_parsed_for_the_first_one(kernel_of):
    kernel_of().now()
    read = kernel_of()
    key = read.request.module, ()
    known = compiling._modules.pop((key, False))  # as another process
    try:
        function = read.now()
        assert sum(function.stats.cache_hits.values()) == 1
        (form,) = function.overloads.values()
        assert form.library._shared_module is None
        ones, out = np.arange(4, dtype=np.int32), np.zeros(1)

        @numba.njit
        def doubled(values, factor, out):
            return 2.0 * function(values, factor, out)

        assert doubled(ones, 2.0, out) == 24.0
        assert form.library._shared_module is not None
    finally:
        compiling._modules[key, False] = known


def test_what_was_prepared_is_waited_for(kernel_of):
    kernel = kernel_of()
    kernel.prepare()
    job = kernel._job
    kernel.prepare()
    assert kernel._job is job
    assert job.begun.wait(120.0)
    function = kernel.now()
    assert job.finished.is_set()
    assert sum(function.stats.cache_hits.values()) == 1
    with eager():
        other = kernel_of("wrong")
        other.prepare()
        assert other._job is None


def test_annotations_say_what_a_kernel_takes(kernel_of):
    assert kernel_of().types == ("I32_1", "float", "F64_1")
    with pytest.raises(TypeError, match=r"'values' of .*sums.loose is annotated 'F64'"):
        kernel_of("loose").now()


def test_calls_are_refused_other_arrays_than_a_kernel_takes(kernel_of):
    number = Kernel(
        kernel_of().request.module, "first", "sums", 4.0, cost=lambda *_: 1.0
    )
    values = np.ones((2, 3, 4))
    values.flags.writeable = False
    assert number.call(values) == 1.0
    odd = np.frombuffer(bytes(8 * 24 + 1), np.uint8)[1:].view(np.float64)
    odd = odd.reshape(2, 3, 4)
    for wrong in (values[:, :, ::2], values[0], values.astype(np.float32), odd):
        with pytest.raises(TypeError, match="first takes C-contiguous arrays"):
            number.call(wrong)
    total = Kernel(
        kernel_of().request.module, "total", "sums", 4.0, cost=lambda *_: 1.0
    )
    ones, out = np.ones(3, np.int32), np.zeros(1)
    assert total.call(ones, 2.0, out) == 6.0
    out.flags.writeable = False
    with pytest.raises(TypeError, match="writable unless read-only"):
        total.call(ones, 2.0, out)


def test_what_has_not_begun_is_compiled_here(kernel_of, monkeypatch):
    monkeypatch.setattr(kernels, "in_background", Job)
    kernel = kernel_of()
    assert kernel.ready() is None
    assert summed(kernel.now()) == 3.0
    assert sum(kernel.function.stats.cache_misses.values()) == 1


def test_there_may_be_no_other_process(kernel_of, monkeypatch):
    monkeypatch.setenv("PYRAVE_COMPILE", "foreground")
    kernel = kernel_of()
    kernel.prepare()
    assert is_compiled(kernel.ready())


@pytest.mark.parametrize("killed", [False, True])
def test_what_cannot_be_compiled_is_said_once(kernel_of, caplog, monkeypatch, killed):
    kernel = kernel_of("wrong")
    if killed:
        job = Job(kernel.request)
        monkeypatch.setattr(kernels, "in_background", lambda _: job)
    assert kernel.ready() is None
    if killed:
        job.finish("the compiling process ended with status 9")
    assert kernel._job.finished.wait(120.0)
    with caplog.at_level(logging.WARNING, "pyrave.jit"):
        assert kernel.ready() is kernel.ready() is None
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("sums are slower than they could be")
    assert ("ended with" if killed else "TypingError") in line


def test_machine_code_that_was_not_kept_is_compiled_here(kernel_of, monkeypatch):
    kernel = kernel_of()
    job = Job(kernel.request)
    job.finish("")
    monkeypatch.setattr(kernels, "in_background", lambda _: job)
    assert kernel.ready() is None  # as long as it is not known to be finished
    assert is_compiled(kernel.ready())


_SHORT = """
import sys
from pyrave.jit import Kernel
kernel = Kernel({module!r}, "total", "sums", 4.0)
assert kernel.ready() is None
from pyrave.jit import background
print(background._pool.compilers[0].pid)
"""


def _is_gone(pid: int) -> bool:
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        )
    except OSError:
        return True


def _waited_for(condition: Any) -> bool:
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("what", ["goes on", "session", "CI", "locked"])
def test_programs_may_end_before_their_kernels_are_compiled(folder, tmp_path, what):
    variables = {"goes on": {}, "session": {"PYRAVE_COMPILE": "session"}}
    hidden = {"CI", "PYTEST_CURRENT_TEST", "PYRAVE_COMPILE"}
    cache = tmp_path / "cache"
    cache.mkdir()
    handle = os.open(cache, os.O_RDONLY)
    if what == "locked":
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        module = f"{folder.parent.name}.kernels.sums"
        program = _SHORT.format(module=module)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={
                **{k: v for k, v in os.environ.items() if k not in hidden},
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                **({"CI": "true"} if what == "CI" else variables.get(what, {})),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        lines = done.stderr.splitlines()
        assert all(line.startswith("pyrave: compiling ") for line in lines)
        pid = int(done.stdout)
        assert _waited_for(lambda: _is_gone(pid))
    finally:
        os.close(handle)
    assert bool(list(cache.rglob("*.code"))) == (what == "goes on")
    assert not list(cache.rglob("*.part"))
