"""Faults that befall a piece of work in a process of its own, and what came of it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyrave import Error

NOBODY = 65534
_OTHER = 12345
_PAGE = 4096
_PATIENCE = 120.0
# what files go through besides their data, as the interpreter's audit events
_STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod"}
_WRITES = os.O_WRONLY | os.O_RDWR


@dataclass(frozen=True)
class Outcome:
    """How a process ended.

    Parameters
    ----------
    status
        As of `subprocess`: negative is the signal that ended it.
    error
        What it raised, empty if nothing.
    is_ours
        Whether that was a `pyrave.Error`.
    warned
        Texts of the warnings that it logged.
    steps
        How many times it touched a folder.
    """

    status: int
    error: str = ""
    is_ours: bool = False
    warned: tuple[str, ...] = ()
    steps: int = 0

    @property
    def was_killed(self) -> bool:
        return self.status < 0


def in_child(
    work: Callable[[], Any],
    folder: Path,
    fault: Callable[[], None] = lambda: None,
    at_step: tuple[int, Callable[[], None]] | None = None,
) -> Outcome:
    """Do work in a forked process, under a fault.

    Parameters
    ----------
    work
        What is done.
    folder
        Where its steps are counted.
    fault
        Called in the process at its beginning.
    at_step
        The number of a step, from 0, and what happens just before it.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        _run(work, folder, fault, at_step, writer)
    os.close(writer)
    text = _read(reader, child)
    _, code = os.waitpid(child, 0)
    status = os.waitstatus_to_exitcode(code)
    return Outcome(status, **(json.loads(text) if text else {}))


def _run(
    work: Callable[[], Any],
    folder: Path,
    fault: Callable[[], None],
    at_step: tuple[int, Callable[[], None]] | None,
    writer: int,
) -> None:
    """Be the forked process, which ends here."""
    heard = _Heard()
    logging.getLogger("pyrave").addHandler(heard)
    count = _count_steps(folder, at_step)
    error, is_ours = "", False
    try:
        fault()
        work()
    except BaseException as caught:  # noqa: BLE001 - it is the answer
        is_ours = isinstance(caught, Error)
        error = str(caught) if is_ours else traceback.format_exc(limit=-4)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    said = {"error": error, "is_ours": is_ours, "warned": heard.texts, "steps": count()}
    os.write(writer, json.dumps(said).encode())
    os._exit(0)


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def _read(pipe: int, child: int) -> bytes:
    data = b""
    end = time.monotonic() + _PATIENCE
    while True:
        left = end - time.monotonic()
        if not select.select([pipe], [], [], max(left, 0.0))[0]:
            os.kill(child, signal.SIGKILL)
            break
        more = os.read(pipe, 1 << 16)
        if not more:
            break
        data += more
    os.close(pipe)
    return data


def _count_steps(
    folder: Path, at_step: tuple[int, Callable[[], None]] | None
) -> Callable[[], int]:
    """Have something happen at a step in a folder; return what counts them."""
    done = [0]
    root = str(folder)

    def step() -> None:
        number, done[0] = done[0], done[0] + 1
        if at_step is not None and at_step[0] == number:
            at_step[1]()

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _STEPS or not str(arguments[0]).startswith(root):
            return
        if event != "open" or arguments[2] & _WRITES:
            step()

    def sync(file: int) -> None:
        step()
        flush(file)

    sys.addaudithook(listen)
    flush, os.fsync = os.fsync, sync
    return lambda: done[0]


# -- faults ------------------------------------------------------------------------


def kill() -> None:
    """End this process as ``kill -9`` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def vanish(folder: Path) -> Callable[[], None]:
    """Return what takes a folder away."""
    return lambda: folder.rename(f"{folder}.gone")


def limited(size: int, *, deadly: bool) -> Callable[[], None]:
    """Return what lets no file grow beyond a size; who tries it may die of that."""

    def limit() -> None:
        if deadly:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return limit


def as_nobody() -> None:
    """Go on as a user who owns nothing."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def give_away(*paths: Path) -> None:
    """Give files and folders to a user who is not there."""
    for path in paths:
        os.chown(path, _OTHER, _OTHER, follow_symlinks=False)


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Mount a disk of a size at a folder; False where that is not allowed."""
    options = f"size={size},mode=0700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def fill_disk(folder: Path, left: int) -> Path:
    """Fill the disk of a folder but for some bytes; return what fills it."""
    filler = folder / ".filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(_PAGE))
    free = os.statvfs(folder)
    spare = max(left - free.f_bavail * free.f_frsize, 0)
    os.truncate(filler, max(filler.stat().st_size - spare, 0))
    return filler


# -- what is judged ------------------------------------------------------------------


@dataclass
class Verdict:
    """Losses that a fault caused: none, if all lists are empty.

    Parameters
    ----------
    lost
        What was there before is damaged, and nothing whole took its place.
    stopped
        The next run does not work.
    untold
        Nobody was told, or not in words of pyrave.
    left
        Files stay behind although the process went on.
    """

    area: str
    fault: str
    work: str
    lost: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.stopped or self.untold or self.left)


def untold(outcome: Outcome, word: str, *, by_warning: bool = False) -> list[str]:
    """Return what is wrong with how a process told of a fault.

    Parameters
    ----------
    word
        What is in what it says: the name of a file or folder.
    by_warning
        It warns and goes on, in place of an error.
    """
    if outcome.was_killed:
        return []  # its status tells it
    said = "\n".join(outcome.warned) if by_warning else outcome.error
    if outcome.error and not outcome.is_ours:
        return [f"raised {outcome.error}"]
    if by_warning and outcome.error:
        return [f"stopped with {outcome.error}"]
    return [] if word in said else [f"said {said!r} without {word!r}"]
