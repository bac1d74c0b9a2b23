"""Kept machine code: what is damaged, foreign or cannot be written stops no work."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from pyrave.jit.cache import cache_directory, refusal
from pyrave.jit.cache_entries import (
    SUFFIX,
    DamagedError,
    has_entry,
    inspect_cache,
    read_entry,
    repair_cache,
    sole_writer,
    write_entry,
)

_KERNEL = """
def twice(v: "F64_1") -> float:
    return 2.0 * v[0]
"""
_PROGRAM = """
import json, logging, sys
import numpy as np
logging.basicConfig(format="%(levelname)s %(message)s")
from pyrave.jit import KernelModule
{before}
jit = KernelModule("kernelpackage.kernels.twice").jit
answers = [jit.twice(np.array([1.5]))]
{after}
answers.append(jit.twice(np.array([2], dtype=np.int32)))
hits = sum(jit.twice.stats.cache_hits.values())
print(json.dumps({{"answers": answers, "hits": hits}}))
"""
needs_owners = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


class Machine:
    """A kernel, a cache, and processes that use both."""

    def __init__(self, root: Path) -> None:
        kernels = root / "install" / "kernelpackage" / "kernels"
        kernels.mkdir(parents=True)
        (kernels / "twice.py").write_text(_KERNEL)
        (kernels / "__init__.py").touch()
        (kernels.parent / "__init__.py").touch()
        self.path = kernels.parents[1]
        self.cache = root / "cache"

    def start(self, before: str = "", after: str = "") -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-B", "-c", _PROGRAM.format(before=before, after=after)],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(
                    [str(self.path), *filter(None, sys.path)]
                ),
                "PYRAVE_CACHE_DIR": str(self.cache),
                "PYRAVE_MESSAGES": "none",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def run(self, before: str = "", after: str = "") -> tuple[int, str]:
        """Return how many entries were read, and what was logged."""
        done = self.start(before, after)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["answers"] == [3.0, 4.0]
        return result["hits"], done.stderr

    @property
    def entries(self) -> list[Path]:
        return sorted(self.cache.rglob(f"*{SUFFIX}"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _replace_by_link(path: Path) -> None:
    target = path.with_name("elsewhere")
    path.rename(target)
    path.symlink_to(target)


_DAMAGE = {
    "emptied": (lambda path: path.write_bytes(b""), "ends after 0 bytes"),
    "cut": (_cut, "bytes of"),
    "changed": (_flip, "has changed"),
    "of another kind": (lambda path: path.write_bytes(b"x" * 999), "does not begin"),
    "open to others": (lambda path: path.chmod(0o666), "can be written by others"),
    "a pipe": (_replace_by_pipe, "is no file"),
    "a link": (_replace_by_link, "is a link"),
}


_WRITER = """
import sys, time
from pathlib import Path
from pyrave.jit.cache_entries import has_entry, sole_writer, write_entry
path = Path(sys.argv[1])
print("asks", flush=True)
with sole_writer(path):
    if has_entry(path):
        print("reads")
    else:
        print("writes", flush=True)
        sys.stdin.readline()
        write_entry(path, b"code")
"""
_LOCKS = sys.platform != "win32"
needs_locks = pytest.mark.skipif(not _LOCKS, reason="files are not locked there")


def _writer(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "asks\n"
    return process


@needs_locks
def test_of_two_processes_that_make_an_entry_one_waits_for_the_other(tmp_path):
    path = tmp_path / "cache" / "kernels" / f"one{SUFFIX}"
    first = _writer(path)
    assert first.stdout.readline() == "writes\n"
    others = [_writer(path) for _ in range(2)]
    with sole_writer(path, 0.1):
        assert not has_entry(path)  # patience ends, and nothing is lost
    assert first.communicate("go on\n", 60)[0] == ""
    assert [other.communicate("", 60)[0] for other in others] == ["reads\n"] * 2
    assert [one.name for one in path.parent.iterdir()] == [path.name]


_ONCE = """
import numpy as np
from pyrave.jit import Kernel
from pyrave.jit.measurements import compilations
with compilations() as made:
    twice = Kernel("kernelpackage.kernels.twice", "twice").now()
assert twice(np.array([1.5])) == 3.0
assert all(one.seconds > 0.0 and one.bytes > 1000 for one in made)
print(*[one.name for one in made])
"""


@needs_locks
def test_of_processes_that_compile_a_kernel_at_the_same_time_one_does(machine):
    path = os.pathsep.join([str(machine.path), *filter(None, sys.path)])
    processes = [
        subprocess.Popen(
            [sys.executable, "-B", "-c", _ONCE],
            env={
                **os.environ,
                "PYTHONPATH": path,
                "PYRAVE_CACHE_DIR": str(machine.cache),
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    compiled = [process.communicate(timeout=120)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(compiled) == [[], [], ["kernelpackage.kernels.twice.twice"]]


@needs_locks
def test_whoever_waits_for_a_process_that_is_killed_takes_its_place(tmp_path):
    path = tmp_path / "cache" / "kernels" / f"one{SUFFIX}"
    first = _writer(path)
    assert first.stdout.readline() == "writes\n"
    second = _writer(path)
    first.kill()
    first.communicate()
    assert second.communicate("go on\n", 60)[0] == "writes\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@needs_locks
def test_an_entry_is_made_where_its_folder_cannot_have_locks(tmp_path, monkeypatch):
    def refuse(_file, _operation):
        raise OSError(errno.ENOLCK, "no locks")

    path = tmp_path / "cache" / "kernels" / f"one{SUFFIX}"
    monkeypatch.setattr("fcntl.flock", refuse)
    with sole_writer(path):
        write_entry(path, b"code")
    assert read_entry(path) == b"code"


@pytest.mark.parametrize("kind", _DAMAGE)
def test_damaged_entry_is_never_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "folder" / f"name{SUFFIX}"
    write_entry(path, b"machine code")
    assert read_entry(path) == b"machine code"
    damage, said = _DAMAGE[kind]
    damage(path)
    with pytest.raises(DamagedError, match=said):
        read_entry(path)
    (found,) = inspect_cache(tmp_path).damaged.values()
    assert said in found
    repair_cache(tmp_path, inspect_cache(tmp_path))
    assert not path.exists()
    write_entry(path, b"again")
    assert read_entry(path) == b"again"


@pytest.mark.slow
def test_damaged_entries_are_compiled_again_and_told_once(machine: Machine) -> None:
    assert machine.run() == (0, "")
    assert len(machine.entries) == 2
    _cut(machine.entries[0])
    machine.entries[1].write_bytes(b"")
    hits, said = machine.run()
    assert hits == 0
    assert said.count("WARNING") == 1
    assert "is compiled again" in said
    assert machine.run() == (2, "")


@pytest.mark.slow
def test_process_killed_while_it_writes_leaves_no_entry(machine: Machine) -> None:
    killing = """
import os, pathlib, signal
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""
    assert machine.start(before=killing).returncode == -signal.SIGKILL
    assert machine.entries == []
    assert machine.run() == (0, "")
    assert machine.run() == (2, "")
    (left,) = machine.cache.rglob("*.part")
    assert inspect_cache(machine.cache).partial == ()  # somebody may be writing it
    os.utime(left, (1e9, 1e9))
    repair_cache(machine.cache, inspect_cache(machine.cache))
    assert not left.exists()


@pytest.mark.slow
def test_full_disk_keeps_nothing_and_says_so(machine: Machine) -> None:
    full = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
"""
    hits, said = machine.run(before=full)
    assert hits == 0
    assert said.count("WARNING") == 1
    assert "are not kept in" in said
    assert "each process compiles for itself" in said
    assert [path for path in machine.cache.rglob("*") if path.is_file()] == []


@pytest.mark.slow
def test_folder_that_vanishes_is_made_again(machine: Machine) -> None:
    vanishing = f"import shutil; shutil.rmtree({str(machine.cache)!r})"
    assert machine.run(after=vanishing) == (0, "")
    assert len(machine.entries) == 1
    assert machine.run() == (1, "")


@pytest.mark.slow
def test_folder_that_others_can_write_to_is_not_read(machine: Machine) -> None:
    machine.run()
    assert stat.S_IMODE(machine.cache.stat().st_mode) == 0o700
    machine.cache.chmod(0o777)
    hits, said = machine.run()
    assert hits == 0
    assert said.count("WARNING") == 1
    assert "can be written by others (mode 0777)" in said
    assert "pyrave doctor --repair" in said
    machine.cache.chmod(0o700)
    machine.entries[0].parent.chmod(0o770)
    hits, said = machine.run()
    assert hits == 0
    assert "can be written by others (mode 0770)" in said


@needs_owners
def test_what_another_user_owns_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "folder" / f"name{SUFFIX}"
    write_entry(path, b"machine code")
    for place in (path, path.parent, tmp_path):
        os.chown(place, 12345, 12345)
        with pytest.raises(DamagedError, match=r"another user \(uid 12345\)"):
            read_entry(path)
        assert not has_entry(path)
        os.chown(place, 0, 0)
    assert has_entry(path)
    os.chown(tmp_path, 12345, 12345)
    assert "belongs to another user" in refusal(tmp_path)


def test_folder_behind_a_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "folder" / f"name{SUFFIX}"
    write_entry(path, b"machine code")
    path.parent.rename(tmp_path / "elsewhere")
    path.parent.symlink_to(tmp_path / "elsewhere")
    assert not has_entry(path)
    with pytest.raises(DamagedError, match="is a link"):
        read_entry(path)
    with pytest.raises(DamagedError, match="is a link"):
        write_entry(path, b"other")


def test_no_folder_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(blocker / "cache"))
    assert cache_directory() is None
    assert cache_directory() is None
    (record,) = caplog.records
    assert f"cannot be made ({blocker}: File exists)" in record.message
    assert "each process compiles for itself" in record.message


@pytest.mark.slow
def test_process_without_a_folder_compiles_for_itself(machine: Machine) -> None:
    machine.cache.write_text("in the way")
    before = sorted(Path(tempfile.gettempdir()).glob("pyrave*"))
    hits, said = machine.run()
    assert hits == 0
    assert said.count("WARNING") == 1
    # nothing is kept where others may write
    assert sorted(Path(tempfile.gettempdir()).glob("pyrave*")) == before


_DEFERRED = """
import numpy as np
from pyrave.jit import Kernel
kernel = Kernel("kernelpackage.kernels.twice", "twice", "a kernel", 9.0)
import pyrave.jit.cache_entries, time
answer = None
end = time.monotonic() + 110.0
while answer is None and time.monotonic() < end:
    function = kernel.ready()
    answer = function and function(np.array([1.5]))
assert answer == 3.0, answer
assert kernel.ready() is not kernel.python
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of file sizes")
@pytest.mark.parametrize("obstacle", ["full", "file"])
def test_kernel_that_others_compile_is_compiled_here_if_it_cannot_be_kept(
    machine: Machine, obstacle: str
) -> None:
    if obstacle == "full":
        before = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
"""
    else:
        machine.cache.write_text("in the way")
        before = ""
    machine.run(before=before + textwrap.dedent(_DEFERRED))
