"""`benchmarks/regressions.py` sees what became slower, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.0, 1.3, 1.02], "same"),  # one process had bad luck
        ([1.15, 1.3, 1.02], "worse"),
        ([0.8, 0.85, 1.02], "better"),
    ],
)
def test_the_median_of_processes_decides(ratios: list[float], verdict: str) -> None:
    from regressions import Figures

    figures = Figures("rays/laser", ratios, {"earlier": 4e-8, "landed": 5e-8})
    assert figures.verdict == verdict
    assert figures.as_dict()["most_ratio"] == max(ratios)
    assert verdict in figures.line()
    assert "40 ns -> 50 ns" in figures.line()


def test_what_the_earlier_commit_lacks_is_no_regression() -> None:
    from regressions import Figures

    new = Figures("physics/mujoco", fault=("earlier", "no engine"))
    assert new.verdict == "new"
    assert Figures("physics/mujoco", fault=("landed", "it fails")).verdict == "fails"
    assert "no engine" in new.line()


def test_names_that_changed_are_tried_in_turn() -> None:
    from regression_rows import either

    assert either("text", "no_such_name", "upper")() == "TEXT"
    with pytest.raises(AttributeError, match="neither"):
        either("text", "no_such_name", "neither")


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository")
def test_a_row_against_the_last_commit(tmp_path: Path) -> None:
    pytest.importorskip("hatch_vcs")
    made = tmp_path / "made"
    made.mkdir()
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "benchmarks" / "regressions.py"),
            *("HEAD", "--rows", "loading/urdf", "--json"),
            *("--processes", "1", "--turns", "3"),
        ],
        env={**os.environ, "TMPDIR": str(made)},
        check=False,
        capture_output=True,
        text=True,
    )
    # the machine may be busy: whether it is slower is not what is tested
    assert done.returncode in {0, 1}, done.stderr
    found = json.loads(done.stdout)
    (row,) = found["rows"]
    assert row["row"] == "loading/urdf"
    assert row["verdict"] in {"same", "better", "worse"}
    assert row["earlier_s"] > 0.0
    assert row["ratio"] == pytest.approx(row["landed_s"] / row["earlier_s"], rel=0.9)
    assert not list(made.iterdir())
    trees = ["git", "-C", str(ROOT), "worktree", "list"]
    assert (
        str(made).encode()
        not in subprocess.run(trees, check=True, capture_output=True).stdout
    )


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository")
def test_unknown_rows_and_commits_are_said() -> None:
    pytest.importorskip("hatch_vcs")

    def said(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, str(ROOT / "benchmarks" / "regressions.py"), *arguments],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        return done.stderr

    assert "'no-such-commit' cannot be checked out" in said("no-such-commit")
    assert "no row or topic 'rayss'; topics:" in said("HEAD", "--rows", "rayss")
