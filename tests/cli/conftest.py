"""Running commands in this process and in processes of their own."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pyrave_environments
from pyrave.cli import main
from pyrave.cli.options import session

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def pyrave(capsys, monkeypatch):
    """Run a command line in this process; the log is as it was afterwards."""
    monkeypatch.setenv("COLUMNS", "200")
    logger = logging.getLogger("pyrave")
    handlers, level = list(logger.handlers), logger.level

    def run(*words: object) -> Outcome:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    yield run
    logger.handlers[:] = handlers
    logger.setLevel(level)
    session.verbosity = 0


@pytest.fixture
def pyrave_process():
    """Run Python code or a command line in a process of its own."""

    def run(*words: object, code: str | None = None) -> Outcome:
        command = [sys.executable, *(["-c", code] if code else ["-m", "pyrave"])]
        roots = [str(CHECKOUT / name) for name in ("core", "plugins", "environments")]
        done = subprocess.run(
            [*command, *map(str, words)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(roots),
                "PYTHONIOENCODING": "utf-8",
            },
            timeout=300,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def environments() -> Path:
    return pyrave_environments.root()


@pytest.fixture
def scene(tmp_path):
    """Write a scene text to a file and return its path."""

    def write(text: str, name: str = "scene.env.xml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
