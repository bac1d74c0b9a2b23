"""Kernels on demand: both forms agree, and compiled code is kept between processes."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

from pyrave.jit import KernelModule, cache_directory

_FIRST = """
import math

def scale(x: float) -> float:
    return 2.0 * x

def norm(v) -> float:
    total = 0.0
    for i in range(v.shape[0]):
        total += scale(v[i]) * v[i]
    return math.sqrt(total)
"""
_SECOND = """
from kernelpackage.kernels.first import norm

def twice(v) -> float:
    return 2.0 * norm(v)
"""
_PROGRAM = """
import json, sys
import numpy as np
from pyrave.jit import KernelModule
module = KernelModule("kernelpackage.kernels.second")
assert "numba" not in sys.modules
plain = module.python.twice(np.array([1.0, 2.0]))
assert "numba" not in sys.modules
compiled = module.jit.twice(np.array([1.0, 2.0]))
stats = module.jit.twice.stats
print(json.dumps({
    "plain": plain, "compiled": compiled,
    "hits": sum(stats.cache_hits.values()), "misses": sum(stats.cache_misses.values()),
    "path": stats.cache_path,
}))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "install"
    folder = root / "kernelpackage" / "kernels"
    folder.mkdir(parents=True)
    for name, text in (("first", _FIRST), ("second", _SECOND)):
        (folder / f"{name}.py").write_text(text)
    (folder / "__init__.py").touch()
    (folder.parent / "__init__.py").touch()
    return root


def _start(root: Path, cache: Path, **env: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(root), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-B", "-c", textwrap.dedent(_PROGRAM)],
        env={**os.environ, "PYTHONPATH": path, "PYRAVE_CACHE_DIR": str(cache), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _finish(process: subprocess.Popen[str]) -> dict[str, object]:
    import json

    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    result: dict[str, object] = json.loads(out)
    return result


def _run(root: Path, cache: Path, **env: str) -> dict[str, object]:
    return _finish(_start(root, cache, **env))


@pytest.mark.slow
def test_second_process_reads_what_the_first_compiled(
    package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    before = sorted(package.rglob("*"))
    first = _run(package, cache)
    second = _run(package, cache)
    assert first["plain"] == first["compiled"] == pytest.approx(2 * 10**0.5)
    assert (first["hits"], first["misses"]) == (0, 1)
    assert (second["hits"], second["misses"]) == (1, 0)
    assert Path(str(first["path"])).is_relative_to(cache)
    # nothing is written beside the sources: installs may be read-only
    assert sorted(package.rglob("*")) == before


@pytest.mark.slow
def test_change_of_an_imported_constant_is_noticed(
    package: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    kernels = package / "kernelpackage" / "kernels"
    (kernels / "sizes.py").write_text("FACTOR = 2.0\n")
    second = "from kernelpackage.kernels.sizes import FACTOR\n" + _SECOND
    (kernels / "second.py").write_text(second.replace("2.0 * norm", "FACTOR * norm"))
    first = _run(package, cache)
    (kernels / "sizes.py").write_text("FACTOR = 6.0\n")
    changed = _run(package, cache)
    assert changed["compiled"] == changed["plain"]
    assert changed["plain"] == pytest.approx(3.0 * float(str(first["plain"])))


def test_machine_code_is_kept_by_content(package: Path, tmp_path: Path) -> None:
    # not by the path, nor by when files were changed: as in another environment
    cache = tmp_path / "cache"
    _run(package, cache)
    other = tmp_path / "other" / "install"
    shutil.copytree(package, other)
    # nor by what is said about it, and where it stands
    told = f'"""Kernels."""\n# on norms\n{_FIRST}'.replace(
        "    return 2.0 * x", '    """Return twice."""\n\n    return 2.0 * x  # said'
    )
    (other / "kernelpackage" / "kernels" / "first.py").write_text(told)
    for path in other.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    again = _run(other, cache)
    assert (again["hits"], again["misses"]) == (1, 0)
    assert again["compiled"] == again["plain"]


@pytest.mark.slow
def test_change_of_an_imported_kernel_is_noticed(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    _run(package, cache)
    first = package / "kernelpackage" / "kernels" / "first.py"
    first.write_text(_FIRST.replace("2.0 * x", "8.0 * x"))
    changed = _run(package, cache)
    assert changed["plain"] == changed["compiled"] == pytest.approx(4 * 10**0.5)
    assert changed["hits"] == 0


@pytest.mark.slow
def test_processes_may_compile_at_the_same_time(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    processes = [_start(package, cache) for _ in range(3)]
    results = [_finish(process) for process in processes]
    assert {result["compiled"] for result in results} == {2 * 10**0.5}
    assert _run(package, cache)["hits"] == 1


def test_cache_directory_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path / "chosen"))
    assert cache_directory() == tmp_path / "chosen"
    monkeypatch.delenv("PYRAVE_CACHE_DIR")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert cache_directory() == tmp_path / "xdg" / "pyrave"


def test_auto_compiles_when_the_cost_adds_up() -> None:
    name = "pyrave.geometry.kernels.bvh"
    from pyrave.jit import compiler as compiling

    key = ((name, ()), False)
    known = compiling._modules.pop(key, None)
    try:
        module = KernelModule(name, compile_after=10.0)
        assert module.auto(5.0) is module.python
        assert module.auto(5.0) is module.python
        assert module.auto(5.0) is module.jit
        assert module.auto(0.0) is module.jit
    finally:
        if known is not None:
            compiling._modules[key] = known


_NO_ARRAYS = """
import numpy as np

JIT_NO_ARRAYS = ("uncounted", "wrong")

def fresh(v) -> float:
    w = np.zeros(v.shape[0])
    for i in range(v.shape[0]):
        w[i] = 2.0 * v[i]
    return w[0] + w[v.shape[0] - 1]

def uncounted(v) -> float:
    return fresh(v[1:]) + v[0]

def total(v) -> float:
    return uncounted(v) + uncounted(np.ones(3))

def wrong(v) -> float:
    return np.zeros(3)[0] + v[0]
"""
_NO_ARRAYS_PROGRAM = """
import numpy as np
from numba.core.errors import TypingError
from pyrave.jit import KernelModule
module = KernelModule("kernelpackage.kernels.fourth")
v = np.arange(4.0)
for _ in range(1000):
    assert module.jit.total(v) == module.python.total(v) == 13.0
try:
    module.jit.wrong(v)
except TypingError as error:
    print(str(error))
"""


@pytest.mark.slow
def test_functions_that_make_no_arrays_count_no_references(
    package: Path, tmp_path: Path
) -> None:
    module = package / "kernelpackage" / "kernels" / "fourth.py"
    module.write_text(_NO_ARRAYS)
    path = os.pathsep.join([str(package), *filter(None, sys.path)])
    cache = str(tmp_path / "cache")
    done = subprocess.run(
        [sys.executable, "-B", "-c", _NO_ARRAYS_PROGRAM],
        env={**os.environ, "PYTHONPATH": path, "PYRAVE_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # numba itself refuses to make an array where nothing could free it
    assert "array" in done.stdout


_ALL_WITHOUT = """
JIT_NO_ARRAYS = ("*",)

def first(v) -> float:
    return v[0]

def second(v) -> float:
    return first(v[1:])
"""
_ALL_WITHOUT_PROGRAM = """
import numpy as np
from pyrave.jit import KernelModule
jit = KernelModule("kernelpackage.kernels.fifth").jit
assert jit.second(np.arange(4.0)) == 1.0
for code in jit.second.inspect_llvm().values():
    print("NRT_incref" in code or "NRT_decref" in code)
"""


@pytest.mark.parametrize(("given", "counts"), [('("*",)', "False"), ("()", "True")])
def test_star_stands_for_all_functions_that_make_no_arrays(
    package: Path, tmp_path: Path, given: str, counts: str
) -> None:
    module = package / "kernelpackage" / "kernels" / "fifth.py"
    module.write_text(_ALL_WITHOUT.replace('("*",)', given))
    path = os.pathsep.join([str(package), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-B", "-c", _ALL_WITHOUT_PROGRAM],
        env={
            **os.environ,
            "PYTHONPATH": path,
            "PYRAVE_CACHE_DIR": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [counts]


def test_options_of_a_module_do_not_say_how_references_are_counted() -> None:
    from pyrave.jit.compiler import _module_options

    module = types.ModuleType("some.kernels.sixth")
    module.__dict__["JIT_OPTIONS"] = {"*": {"_nrt": False}}
    with pytest.raises(ImportError, match="JIT_NO_ARRAYS"):
        _module_options(module, "any")


@pytest.mark.parametrize("name", ["coherent", "incoherent", "scalar"])
def test_kernels_of_rays_count_no_references(name: str) -> None:
    # each takes an atomic operation, more than a ray takes at a node
    from pyrave.jit.compiler import _module_options

    todo, seen = [f"pyrave.geometry.kernels.{name}"], set[str]()
    while todo:
        module = importlib.import_module(todo.pop())
        seen.add(module.__name__)
        for word, value in vars(module).items():
            if isinstance(value, types.FunctionType) and "kernels" in value.__module__:
                if value.__module__ == module.__name__:
                    assert not _module_options(module, word)["_nrt"], (name, word)
                elif value.__module__ not in seen:
                    todo.append(value.__module__)
    assert len(seen) > 3


_TYPED = """
import numpy as np

JIT_OPTIONS = {"*": {"fastmath": {"contract"}}, "add": {"nogil": False}}
JIT_LOOPS = {"total": (1,)}

def total(v) -> float:
    result = 0.0
    for i in range(v.shape[0]):
        result += v[i]
    return result

def add(v: "F64_1", out: "F64_2") -> int:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = total(v) / v[0]
    return 0
"""
_TYPED_PROGRAM = """
import json, os, sys
import numpy as np
from pyrave.jit import Kernel, KernelModule
name = "kernelpackage.kernels.third"
module = KernelModule(name)
given = {"compile_after": 1.0, "merged": True}
add = Kernel(name, "add", cost=lambda v, out: 1.0, **given)
v, out = np.array([0.0, 1.0]), np.empty((2, 2))
frozen = v.copy()
frozen.flags.writeable = False
bad = [(v, v), (v[::-1], out), (frozen, out), (v.astype(np.float32), out),
       ([0.0, 1.0], out), (v, np.asfortranarray(np.empty((2, 3))))]
refused = []
for call in range(4):
    kind = "numba" in sys.modules
    assert add.call(v, out) == 0 and np.isinf(out).all()
    for arguments in bad:
        try:
            add.call(*arguments)
        except (TypeError, ValueError):
            refused.append(kind)
    if call == 1:
        assert "numba" in sys.modules
import numba
function = module.jit.add
print(json.dumps({
    "refused": len(refused), "call": type(add.call).__name__,
    "merging": numba.config.SLP_VECTORIZE,
    "nogil": getattr(function, "targetoptions", {}).get("nogil"),
    "total": getattr(module.jit.total, "targetoptions", {}).get("nogil"),
    "signatures": len(getattr(function, "signatures", [1])),
    "again": Kernel(name, "add", cost=lambda *_: 9.0, **given).call(v, out),
}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("disabled", ["0", "1"])
def test_typed_kernels_take_one_kind_of_arrays(
    package: Path, tmp_path: Path, disabled: str
) -> None:
    import json

    (package / "kernelpackage" / "kernels" / "third.py").write_text(_TYPED)
    path = os.pathsep.join([str(package), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-B", "-c", _TYPED_PROGRAM],
        env={
            **os.environ,
            "PYTHONPATH": path,
            "PYRAVE_CACHE_DIR": str(tmp_path / "cache"),
            "NUMBA_DISABLE_JIT": disabled,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["refused"] == 4 * 6
    assert result["again"] == 0
    assert result["merging"] == 0
    assert result["signatures"] == 1
    if disabled == "0":
        assert result["call"] == "CPUDispatcher"
        assert (result["nogil"], result["total"]) == (False, True)


_DEEP = """
import numpy as np

def scaled(v, by: int, out) -> None:
    for i in range(v.shape[0]):
        out[i] = by * v[i]

def applied(function, v, by: int, out) -> None:
    function(v, by, out)

def left(v, out) -> float:
    scaled(v, 2, out)
    return out[0]

def right(v, out) -> float:
    work = np.empty(v.shape[0])
    scaled(v, 2, work)
    applied(scaled, v, 3, out)
    return left(v, work) + out[0]

def top(v: "F64_1", out: "F64_1") -> int:
    return int(right(v, out) + left(v, out))
"""
_WHOLE_PROGRAM = """
import json
import numpy as np
from pyrave.jit import Kernel, KernelModule
module = KernelModule("kernelpackage.kernels.deep")
given = {"cost": lambda v, out: 1.0, "merged": True, "whole": True}
top = Kernel("kernelpackage.kernels.deep", "top", **given)
v, out = np.array([1.0, 4.0]), np.empty(2)
function = top.now()
results = [function(v, out), top.now()(v, out)]
# what was compiled as a part is called from Python in a form of its own
results += [module.jit.right(v, out), module.python.top(v, out)]
# a module whose functions are wholes has them by name, compiled for what they get
wholes = KernelModule("kernelpackage.kernels.deep", whole=True)
longer = np.r_[v, 0.0], np.empty(3)
results += [wholes.jit.right(v, out), wholes.auto(1e9).right(*longer)]
assert wholes.jit.right is wholes.jit.right and wholes.jit.np is np

import numba
@numba.njit
def of_mine(v, out):
    return function(v, out) + 1

results.append(of_mine(v, out))
hits = sum(function.stats.cache_hits.values()) if hasattr(function, "stats") else 0

from pyrave.jit.compiler import wholes
scaled = wholes(module.key).part("scaled")
forms = len(getattr(scaled, "signatures", ()))
print(json.dumps({"results": results, "hits": hits, "forms": forms}))
"""


@pytest.mark.parametrize("disabled", ["0", "1"])
def test_parts_of_a_kernel_are_compiled_with_it(
    package: Path, tmp_path: Path, disabled: str
) -> None:
    import json

    (package / "kernelpackage" / "kernels" / "deep.py").write_text(_DEEP)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(package), *filter(None, sys.path)]),
        "PYRAVE_CACHE_DIR": str(tmp_path / "cache"),
        "NUMBA_DISABLE_JIT": disabled,
    }
    for number in range(2):
        done = subprocess.run(
            [sys.executable, "-B", "-c", _WHOLE_PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["results"] == [7, 7, 5.0, 7, 5.0, 5.0, 8]
        # one for all literals, and none where machine code is kept
        assert result["forms"] == (disabled == "0" and number == 0)
        assert result["hits"] == (number if disabled == "0" else 0)


_COLOURS = """
def shade(x: float) -> float:
    return {factor} * x
"""
_MIDDLE = """
from kernelpackage.kernels.red import shade

INTERPRETED = True

def twice(x: float) -> float:
    return 2.0 * shade(x)

def slow(x: float) -> float:
    if INTERPRETED:
        return -1.0
    return x
"""
_TOP = """
from kernelpackage.kernels.middle import slow, twice

def top(x: float) -> float:
    return twice(x) + 1.0

def top_slow(v) -> float:
    return slow(v[0])
"""
_FUNCTOR_PROGRAM = """
import json, sys
import numpy as np
from pyrave.jit import KernelModule
red, blue = ("kernelpackage.kernels.%s" % name for name in ("red", "blue"))
top = "kernelpackage.kernels.top"
modules = {
    "red": KernelModule(top),
    "blue": KernelModule(top, substitutes={red: blue}),
    "again": KernelModule(top, substitutes={red: blue}),
    "same": KernelModule(top, substitutes={"kernelpackage.kernels.none": blue}),
    "other": KernelModule(red, substitutes={red: blue}),
}
plain = {name: module.python for name, module in modules.items()}
assert "numba" not in sys.modules
one = np.array([1.0])
values = {}
for name, module in modules.items():
    f = "shade" if name == "other" else "top"
    values[name] = [getattr(plain[name], f)(1.0), getattr(module.jit, f)(1.0)]
print(json.dumps({
    "values": values,
    "shared": modules["blue"].jit is modules["again"].jit,
    "unneeded": modules["same"].jit is modules["red"].jit,
    "pruned": [plain["blue"].top_slow(one), modules["blue"].jit.top_slow(one)],
    "folders": [m.jit.top.stats.cache_path for m in list(modules.values())[:2]],
    "hits": sum(modules["blue"].jit.top.stats.cache_hits.values()),
}))
"""


@pytest.mark.slow
def test_a_kernel_module_may_be_bound_to_others(package: Path, tmp_path: Path) -> None:
    import json

    for name, text in (
        ("red", _COLOURS.format(factor=3.0)),
        ("blue", _COLOURS.format(factor=5.0)),
        ("middle", _MIDDLE),
        ("top", _TOP),
    ):
        (package / "kernelpackage" / "kernels" / f"{name}.py").write_text(text)

    def run() -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-B", "-c", _FUNCTOR_PROGRAM],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(package), *filter(None, sys.path)]),
                "PYRAVE_CACHE_DIR": str(tmp_path / "cache"),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        result: dict[str, object] = json.loads(done.stdout)
        return result

    first = run()
    assert first["values"] == {
        "red": [7.0, 7.0],
        "blue": [11.0, 11.0],
        "again": [11.0, 11.0],
        "same": [7.0, 7.0],
        "other": [5.0, 5.0],
    }
    assert first["shared"]
    assert first["unneeded"]
    assert first["pruned"] == [-1.0, 1.0]
    folders = first["folders"]
    assert isinstance(folders, list)
    assert folders[0] != folders[1]
    assert first["hits"] == 0
    assert run()["hits"] == 1
    # the bound module is part of what the cache is for
    blue = package / "kernelpackage" / "kernels" / "blue.py"
    blue.write_text(_COLOURS.format(factor=9.0))
    changed = run()
    assert changed["hits"] == 0
    values = changed["values"]
    assert isinstance(values, dict)
    assert values["blue"] == [19.0, 19.0]


_TELLING = """
import logging, sys
import numpy as np
from pyrave.jit import Kernel, TakesLongError
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
sys.stderr.isatty = lambda: sys.argv[1] == "terminal"
name = "kernelpackage.kernels.third"
add = Kernel(name, "add", "sums", 7.0, cost=lambda v, out: 1.0, compile_after=9.0)
for _ in range(3):
    add.call(np.array([0.0, 1.0]), np.empty((2, 2)))
assert ("numba" in sys.modules) == (sys.argv[2] == "long")
"""


@pytest.mark.slow
def test_long_work_is_compiled_and_that_is_told(package: Path, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-B", "-c", _TELLING, *words],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(package), *filter(None, sys.path)]),
                "PYRAVE_CACHE_DIR": str(tmp_path / "cache"),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    kernels = package / "kernelpackage" / "kernels" / "third.py"
    kernels.write_text(_TYPED)
    assert run("terminal", "short") == ""
    long = (
        "from pyrave.jit import TakesLongError\nINTERPRETED = True\n"
        + _TYPED.replace(
            "    for i in range(out.shape[0]):",
            "    if INTERPRETED:\n        raise TakesLongError\n"
            "    for i in range(out.shape[0]):",
        )
    )
    kernels.write_text(long)
    told = "compiling sums, once per machine, about 7 s"
    assert run("terminal", "long").strip() == f"INFO {told}"
    assert run("terminal", "long") == ""
    kernels.write_text("# changed\n" + long)
    assert run("file", "long") == ""
    kernels.write_text(long.replace("/ v[0]", "/ v[0] / 1.0"))
    assert run("file", "long").strip() == f"INFO {told}"


def test_two_threads_import_numba_whole():
    """One of them must not get it half made: that ends in an ImportError."""
    code = """
import sys, threading, time
import numpy as np
from pyrave.geometry import hull_faces
from pyrave.jit.request import Request

class Slow:
    half_made = threading.Event()
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.types":
            self.half_made.set()
            time.sleep(0.3)

def ask():
    Slow.half_made.wait(10)
    Request("pyrave.grasping.kernels.grip", "grip", whole=True).is_ready

sys.meta_path.insert(0, Slow())
threading.excepthook = lambda error: print(repr(error.exc_value))
second = threading.Thread(target=ask)
second.start()
hull_faces(np.random.default_rng(0).normal(size=(9000, 3)))
second.join()
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == ""
