"""A sample of `benchmarks/faults.py`: nothing is lost, the next run works.

Each fault is a fork, which is quick in a small process alone: these have their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="faults are those of Linux"),
]


def found_in(folder: Path, work: str) -> dict[str, Any]:
    """Return what befell a work, which a program makes."""
    folder.chmod(0o755)
    program = f"""
import json, sys
from pathlib import Path
from fault_works import Work, works
from faults import faults_of_work, summary

def write(path, content):
    with path.open("w") as file:
        file.write(f"{{content}}" * 9000)

print(json.dumps(summary(list(faults_of_work({work}, Path(sys.argv[1]))))))
"""
    path = os.pathsep.join([str(BENCHMARKS), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env={**os.environ, "PYTHONPATH": path},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_scene_of_several_files(tmp_path: Path) -> None:
    found = found_in(tmp_path, "next(w for w in works() if w.name == 'piece.urdf')")
    assert found["faults"] >= 25
    assert found["failures"] == []


def test_a_fault_that_loses_a_file_is_seen(tmp_path: Path) -> None:
    """Writing in place, as pyrave does nowhere, loses what was there."""
    found = found_in(tmp_path, "Work('save', 'a.txt', write)")
    assert found["lost"] >= 2
    assert found["untold"] >= 1
