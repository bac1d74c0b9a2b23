"""A sample of `benchmarks/faults.py`: nothing is lost, the next run works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="faults are those of Linux"),
]


def test_a_scene_of_several_files(tmp_path: Path) -> None:
    from fault_works import works
    from faults import faults_of_work, summary

    tmp_path.chmod(0o755)
    (work,) = (one for one in works() if one.name == "piece.urdf")
    found = summary(list(faults_of_work(work, tmp_path)))
    assert found["faults"] >= 25
    assert found["failures"] == []


def test_a_fault_that_loses_a_file_is_seen(tmp_path: Path) -> None:
    """Writing in place, as pyrave does nowhere, loses what was there."""
    from fault_works import Work
    from faults import faults_of_work, summary

    def write(path: Path, content: int) -> None:
        with path.open("w") as file:
            file.write(f"{content}" * 9000)

    found = summary(list(faults_of_work(Work("save", "a.txt", write), tmp_path)))
    assert found["lost"] >= 2
    assert found["untold"] >= 1
