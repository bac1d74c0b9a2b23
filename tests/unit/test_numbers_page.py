"""The page of numbers is made of recorded figures by `benchmarks/numbers_page.py`."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import numbers_page
import pytest
from numbers_page import digits, page, rows_of, shown, told, without_nan
from numbers_rows import PEERS, TOPICS, Row, Topic, at

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture
def record() -> dict[str, Any]:
    return json.loads((DOCS / "numbers.json").read_text(encoding="utf-8"))


def test_the_page_is_what_the_figures_give(record: dict[str, Any]) -> None:
    made = page(record)
    assert (DOCS / "numbers.md").read_text(encoding="utf-8") == made, (
        "made by a command: python benchmarks/numbers_page.py, or with --again where "
        "only its words change"
    )


def test_all_topics_were_measured_and_all_rows_are_shown(
    record: dict[str, Any],
) -> None:
    made = page(record)
    for topic in TOPICS:
        assert (ROOT / "benchmarks" / topic.script).is_file()
        assert set(topic.needs) <= set(PEERS)
        assert record["topics"][topic.name]["report"]["benchmark"] == topic.name
        wanted = [row for row in topic.rows if record["versions"][row.peer]]
        assert [row for row, _ in rows_of(topic, record)] == wanted
        for row, figures in rows_of(topic, record):
            assert figures["ours"] > 0.0
            assert f"| {row.what} | {shown(figures['ours'])} | {row.peer} |" in made
    for name, version in record["versions"].items():
        told = f"| {name} | {version} |" if version else f"{name} could not be measured"
        assert told in made


def test_slower_is_said_above_the_tables_and_in_them(record: dict[str, Any]) -> None:
    fallen = record["topics"]["physics"]["report"]["falling"]
    fallen["median_us"] = [300.0, 100.0]
    made = page(record)
    what = "`env.step(0.01)`, 100 boxes that fall"
    assert f"* {what} beside MuJoCo: 3\n" in made
    assert f"| {what} | 300 us | MuJoCo | 100 us | 3 | **slower, 3 times** |" in made
    fallen["median_us"] = [50.0, 100.0]
    assert "| 0.5 | faster, 2 times |" in page(record)
    assert f"* {what}" not in page(record)


def test_what_is_missing_is_said(record: dict[str, Any]) -> None:
    for name in ("EAIK", "toppra"):
        record["versions"][name] = None
        record["left_out"][name] = "not installed"
    del record["topics"]["retiming"]
    record["topics"]["rays"] = {"date": "", "fault": "Error: no rays"}
    made = page(record)
    assert "EAIK could not be measured: not installed. Its rows are left out." in made
    assert "| EAIK |" not in made
    assert "Not measured: it needs toppra." in made
    assert "Not measured: the benchmark failed with `Error: no rays`." in made


def test_a_figure_that_a_benchmark_lacks_is_a_mistake(record: dict[str, Any]) -> None:
    del record["topics"]["physics"]["report"]["arm"]
    with pytest.raises(KeyError, match="arm"):
        page(record)


def test_figures_are_written_for_people() -> None:
    times = (2.0, 0.01234, 1.5e-6, 4.21e-8, 3e-10)
    assert list(map(shown, times)) == ["2 s", "12.3 ms", "1.5 us", "42.1 ns", "0.3 ns"]
    assert [told(one) for one in (0.96, 1.04, 0.1, 1.5)] == [
        "equal",
        "equal",
        "faster, 10 times",
        "**slower, 1.5 times**",
    ]
    assert [digits(one) for one in (0.0123, 1.26, 26.4, 264.0)] == [
        "0.012",
        "1.3",
        "26",
        "264",
    ]
    assert without_nan({"a": [float("nan"), 1.23456]}) == {"a": [None, 1.235]}


SCRIPT = """
import json, sys
if sys.argv[1] == "fail":
    raise SystemExit("no rays today")
print(json.dumps({"benchmark": "quick", "python": sys.executable, "ours": 2.0,
                  "theirs": float(sys.argv[1]), "lost": float("nan")}))
"""


def quick(folder: Path, argument: str) -> Topic:
    (folder / "quick.py").write_text(SCRIPT, encoding="utf-8")
    row = Row("`quick()`", at("ours", unit=1.0), "coal", at("theirs", unit=1.0))
    return Topic("quick", "Quick", str(folder / "quick.py"), (argument,), "", (row,))


def test_the_command_runs_benchmarks_and_keeps_the_figures_that_hold(
    record: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str, topic: str = "4.0") -> int:
        monkeypatch.setattr(numbers_page, "TOPICS", (*TOPICS, quick(tmp_path, topic)))
        words = ["numbers_page.py", "--out", str(tmp_path), *arguments]
        monkeypatch.setattr(sys, "argv", words)
        return numbers_page.main()

    versions, left_out = record["versions"], record["left_out"]
    monkeypatch.setattr(numbers_page, "peers", lambda: (versions, left_out))
    monkeypatch.setattr(numbers_page, "compile_kernels", lambda: None)
    figures, text = tmp_path / "numbers.json", tmp_path / "numbers.md"
    assert run("--only", "quick") == 0
    made = json.loads(figures.read_text(encoding="utf-8"))
    report = {"benchmark": "quick", "ours": 2.0, "theirs": 4.0, "lost": None}
    assert made["topics"]["quick"]["report"] == report
    assert "| `quick()` | 2 s | coal | 4 s | 0.5 |" in text.read_text(encoding="utf-8")
    assert "## Ray casts\n\nNot measured: not run." in text.read_text(encoding="utf-8")

    made["topics"]["rays"] = record["topics"]["rays"]
    figures.write_text(json.dumps(made), encoding="utf-8")
    assert run("--only", "quick", topic="fail") == 1
    assert "failed with `no rays today`" in text.read_text(encoding="utf-8")
    made = json.loads(figures.read_text(encoding="utf-8"))
    assert made["topics"]["rays"] == record["topics"]["rays"]

    made["machine"]["cores"] = 1000
    figures.write_text(json.dumps(made), encoding="utf-8")
    with pytest.raises(SystemExit, match="of another machine or of other peers"):
        run("--only", "quick")
    assert run("--again") == 1
    assert "1000 cores" in text.read_text(encoding="utf-8")

    # a peer has come since
    for one in ("versions", "left_out"):
        made[one].pop("coal", None)
    figures.write_text(json.dumps(made), encoding="utf-8")
    assert run("--again") == 1
    said = "coal could not be measured: not there at the time. Its rows are left out."
    assert said in text.read_text(encoding="utf-8")


def test_a_peer_that_cannot_be_imported_is_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = {
        "numpy": ("numpy", "numpy"),
        "broken": ("numpy", "numpy.no_such_module"),
        "absent": ("no-such-distribution", "no_such_module"),
    }
    monkeypatch.setattr(numbers_page, "PEERS", known)
    versions, left_out = numbers_page.peers()
    assert versions["numpy"] == importlib.metadata.version("numpy")
    assert versions["broken"] is versions["absent"] is None
    assert left_out["absent"] == "not installed"
    assert "No module named 'numpy.no_such_module'" in left_out["broken"]
