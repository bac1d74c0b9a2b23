"""What was built for pyrave 0.2 runs, with the tests that it had then."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

THIRD_PARTY = Path(__file__).parents[1] / "thirdparty"
WHEEL = THIRD_PARTY / "acme_kept-1.0.0-py3-none-any.whl"
SOURCE = THIRD_PARTY / "acme_kept" / "src"


def test_the_kept_wheel_is_what_its_source_says():
    files = {
        path.relative_to(SOURCE).as_posix(): path.read_bytes()
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with ZipFile(WHEEL) as wheel:
        built = {
            name: wheel.read(name)
            for name in wheel.namelist()
            if ".dist-info/" not in name
        }
    assert built.keys() == files.keys()
    assert built == files, "the wheel is not built again: take the change back"


@pytest.mark.slow
def test_the_kept_wheel_runs(tmp_path):
    with ZipFile(WHEEL) as wheel:
        wheel.extractall(tmp_path)
    checks = sorted((tmp_path / "acme_kept" / "checks").glob("*.py"))
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--import-mode=importlib"),
            *("-p", "acme_kept.checks.fixtures", "-p", "no:cacheprovider"),
            *("--rootdir", str(tmp_path), "-c", os.devnull, *map(str, checks)),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout
    assert int(passed[1]) > 200
