"""The ``pyrave`` command in processes of its own, without importing it each time.

A process with nothing but imports forks for each command. What importing does, and how
processes of Python begin, is tested with real ones.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from select import select

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("core", "plugins", "environments")
PATHS = os.pathsep.join(str(ROOT / name) for name in SOURCES)
IMPORTED = (
    "cyclopts", "lxml.etree", "numba", "pyrave.api", "pyrave.cli.app",
    "pyrave_openravepy.api", "pyrave_openravepy.scripts.command", "rich.console",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """How a process ended, and what it wrote."""

    code: int
    out: str
    err: str


def pyrave_process(
    *words: str, cwd: Path, env: dict[str, str], stdin: str = "", timeout: float = 120.0
) -> Outcome:
    """Run ``python -m pyrave`` with words in a process of its own."""
    if not hasattr(os, "fork"):
        done = subprocess.run(
            [sys.executable, "-m", "pyrave", *words],
            cwd=cwd, env=env, input=stdin, timeout=timeout,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Outcome(done.returncode, done.stdout, done.stderr)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("in", "out", "err")]
        files[0].write_text(stdin, encoding="utf-8")
        told = {"words": words, "cwd": str(cwd), "env": env}
        code = _ask(json.dumps({**told, "files": [*map(str, files)]}), timeout)
        out, err = (file.read_text(encoding="utf-8") for file in files[1:])
    return Outcome(code, out, err)


def _ask(request: str, timeout: float) -> int:
    """Have a process fork; return the exit code of the child."""
    server, answers = _server()
    server.stdin.write(f"{request}\n".encode())
    server.stdin.flush()
    if not select([answers], [], [], timeout)[0]:
        _end()
        raise TimeoutError(f"after {timeout:g} s it goes on: {request}")
    code = os.read(answers, 100)
    if not code:
        _end()
        raise RuntimeError(f"the process that forks ended at {request}")
    return int(code)


@cache
def _server() -> tuple[subprocess.Popen[bytes], int]:
    """Start the process that forks; return it and where it answers."""
    answers, told = os.pipe()
    path = os.pathsep.join(filter(None, (PATHS, os.environ.get("PYTHONPATH"))))
    server = subprocess.Popen(
        [sys.executable, __file__, str(told)],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        pass_fds=[told],
        start_new_session=True,
    )
    os.close(told)
    atexit.register(_end)
    return server, answers


def _end() -> None:
    """End the process that forks, and its children."""
    if _server.cache_info().currsize:
        server, answers = _server()
        os.killpg(server.pid, 9)
        server.communicate()
        os.close(answers)
        _server.cache_clear()


def _serve(told: int) -> dict | None:
    """Fork for each request; return it in the child, None where no more comes."""
    # what a child reads is its own
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    while line := requests.readline():
        child = os.fork()
        if not child:
            os.close(told)
            requests.close()
            return json.loads(line)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(told, str(code).encode())
    return None


def _become(request: dict) -> None:
    """Be the process that was asked for."""
    for fd, file in enumerate(request["files"]):
        opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, fd)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    more = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = [one for one in sys.path[1:] if one not in more]
    sys.path[:] = [request["cwd"], *filter(None, more), *kept]
    sys.argv[1:] = request["words"]


if __name__ == "__main__":
    import importlib
    from contextlib import suppress

    from pyrave.plugins import default_registry

    for module in IMPORTED:
        importlib.import_module(module)
    with suppress(ImportError):
        from pyrave_openravepy.scripts.conversion.fixes import fix_python2

        fix_python2("", "")  # it reads a grammar first
    default_registry().cli_commands()
    asked = _serve(int(sys.argv[1]))
    if asked is not None:
        _become(asked)
        from pyrave.cli import main

        sys.exit(main())
