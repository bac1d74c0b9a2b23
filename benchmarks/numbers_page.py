"""The page of numbers: pyrave beside its peers, in one table a topic.

    python benchmarks/numbers_page.py [--only rays ik] [--out FOLDER]

runs the benchmarks of `numbers_rows.TOPICS`, each in a process of its own, and writes
``numbers.json``, what they reported, and ``numbers.md``, which is made of that alone,
to the folder: ``docs`` unless told otherwise. With ``--only``, the figures of the other
topics stay if they are of the same machine and peers. ``--again`` measures nothing
and makes the page of the figures that are there. ``pip install pyrave[bench]`` installs
the peers; those that are not installed are left out, and the page says so.

Some three minutes on two cores with nothing else to do, kernels compiled. Status 1
where a benchmark failed; the page says so, too.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.metadata
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import machine, processor_time
from numbers_rows import PEERS, TOPICS, Row, Topic

Record = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
EQUAL = 0.05
"""Ratios this near to 1 are called equal."""
FIGURES, PAGE = "numbers.json", "numbers.md"
UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


# -- measuring -------------------------------------------------------------------------


def peers() -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the versions of peers, and why some cannot be used."""
    found: dict[str, str | None] = {}
    left_out: dict[str, str] = {}
    for name, (distribution, module) in PEERS.items():
        found[name] = None
        try:
            version = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            left_out[name] = "not installed"
            continue
        command = [sys.executable, "-c", f"import {module}"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            left_out[name] = done.stderr.strip().splitlines()[-1]
        else:
            found[name] = version
    return found, left_out


def measure(topic: Topic) -> Record:
    """Run a benchmark; return its report, or why there is none."""
    made: Record = {
        "pyrave": importlib.metadata.version("pyrave"),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }
    script = str(ROOT / "benchmarks" / topic.script)
    begin, spent = time.perf_counter(), processor_time()
    done = subprocess.run(
        [sys.executable, script, *topic.arguments],
        env={**os.environ, "PYRAVE_COMPILE": "foreground"},
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    made["seconds"] = round(time.perf_counter() - begin)
    made["cpu_seconds"] = round(processor_time() - spent)
    if done.returncode:
        sys.stderr.write(done.stderr)
        lines = done.stderr.strip().splitlines()
        return {**made, "fault": lines[-1] if lines else f"status {done.returncode}"}
    report = without_nan(json.loads(done.stdout))
    # neither says more than the record, and one is a path of this machine
    kept = {key: report[key] for key in report if key not in {"machine", "python"}}
    return {**made, "report": kept}


def without_nan(value: Any) -> Any:
    """Return figures with None where there is no number, and four digits of others."""
    if isinstance(value, dict):
        return {key: without_nan(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_nan(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else None
    return value


def compile_kernels() -> None:
    """Compile all kernels, so that no row is the interpreter's or a plain kernel's."""
    subprocess.run([sys.executable, "-m", "pyrave", "warm"], check=True)


def measured(topics: list[Topic], earlier: Record | None) -> Iterator[Record]:
    """Give the record after each topic, with the figures of others that still hold."""
    known, left_out = peers()
    record: Record = {
        "machine": machine(),
        "versions": known,
        "left_out": left_out,
        "topics": {},
    }
    if earlier is not None:
        if any(earlier[key] != record[key] for key in ("machine", "versions")):
            raise SystemExit(
                f"{FIGURES} there is of another machine or of other peers: measure "
                "all topics, without --only, or write to another folder with --out"
            )
        record["topics"].update(earlier["topics"])
    for topic in topics:
        lacking = missing(topic, record)
        if lacking:
            print(f"{topic.name}: left out without {', '.join(lacking)}")
            record["topics"].pop(topic.name, None)
        else:
            record["topics"][topic.name] = one = measure(topic)
            fault = one.get("fault", "")
            print(f"{topic.name}: {taken(one)} {fault}", flush=True)
        yield record


def with_new_peers(record: Record) -> Record:
    """Return a record that says of later peers that they were not measured."""
    new = [name for name in PEERS if name not in record["versions"]]
    return {
        **record,
        "versions": record["versions"] | dict.fromkeys(new),
        "left_out": record["left_out"] | dict.fromkeys(new, "not there at the time"),
    }


def missing(topic: Topic, record: Record) -> list[str]:
    """Return the peers that a topic cannot do without, and has to."""
    return [peer for peer in topic.needs if record["versions"][peer] is None]


# -- the page --------------------------------------------------------------------------


def page(record: Record) -> str:
    """Return the page that a record gives."""
    sections = [text for topic in TOPICS for text in section(topic, record)]
    return "\n".join([*head(record), *sections]) + "\n"


def head(record: Record) -> Iterator[str]:
    """Lines above the tables."""
    yield "# Numbers"
    yield ""
    yield "pyrave beside its peers, as people call both from Python, is measured by"
    yield ""
    yield "```text"
    yield "pip install '.[bench]'"
    yield "python benchmarks/numbers_page.py"
    yield "```"
    yield ""
    yield (
        "which writes this page, too. The ratio is the time of pyrave by that of the "
        "peer: below 1, pyrave is faster. The last column is pyrave's compiled kernel, "
        "or its function for arrays, without the objects around it. Times are "
        "processor time of one core, medians of several turns; where a "
        "peer does less or more, the text above the table says so."
    )
    yield ""
    yield from verdicts(record)
    known = record["machine"]
    yield "| measured on | |"
    yield "|---|---|"
    yield f"| processor | {known['processor']}, {known['cores']} cores |"
    yield f"| system | {known['system']} |"
    yield f"| Python | {known['python']} |"
    for name, version in record["versions"].items():
        if version is not None:
            yield f"| {name} | {version} |"
    yield ""
    for name, why in record["left_out"].items():
        yield f"{name} could not be measured: {why}. Its rows are left out."
        yield ""


def verdicts(record: Record) -> Iterator[str]:
    """Lines that say how often pyrave is faster, and wherever it is slower."""
    found: dict[str, list[str]] = {"faster": [], "equal": [], "slower": []}
    for topic in TOPICS:
        for row, figures in rows_of(topic, record):
            line = f"* {row.what} beside {row.peer}: {digits(figures['ratio'])}"
            found[verdict(figures["ratio"])].append(line)
    count = sum(map(len, found.values()))
    yield (
        f"Of {count} comparisons pyrave is faster in {len(found['faster'])}, equal "
        f"(within {EQUAL:.0%}) in {len(found['equal'])} and slower in "
        f"{len(found['slower'])}, by these ratios:"
        if found["slower"]
        else f"Of {count} comparisons pyrave is slower in none, and equal (within "
        f"{EQUAL:.0%}) in {len(found['equal'])}."
    )
    yield ""
    yield from found["slower"]
    yield ""


def section(topic: Topic, record: Record) -> Iterator[str]:
    """Lines of a topic."""
    yield f"## {topic.title}"
    yield ""
    found = record["topics"].get(topic.name)
    lacking = missing(topic, record)
    if found is None or "fault" in found:
        why = f"it needs {' and '.join(lacking)}" if lacking else "not run"
        if found is not None:
            why = f"the benchmark failed with `{found['fault']}`"
        yield f"Not measured: {why}. `{topic.command}`"
        yield ""
        return
    yield topic.about
    yield ""
    yield "| | pyrave | | peer | ratio | pyrave is | kernel |"
    yield "|---|---|---|---|---|---|---|"
    for row, figures in rows_of(topic, record):
        kernel = "" if figures["kernel"] is None else shown(figures["kernel"])
        yield (
            f"| {row.what} | {shown(figures['ours'])} | {row.peer} | "
            f"{shown(figures['theirs'])} | {digits(figures['ratio'])} | "
            f"{told(figures['ratio'])} | {kernel} |"
        )
    yield ""
    notes = list(topic.notes(found["report"]))
    yield from (f"* {note}" for note in notes)
    yield from ("",) if notes else ()
    load = "" if found["load"] is None else f", load {found['load']} when it began"
    yield (
        f"`{topic.command}`, {found['date']}, pyrave {found['pyrave']}: "
        f"{taken(found)}{load}."
    )
    yield ""


def taken(found: Record) -> str:
    """Return what a benchmark took, in words."""
    return f"{found['seconds']} s, {found['cpu_seconds']} s of a processor"


def rows_of(topic: Topic, record: Record) -> Iterator[tuple[Row, Record]]:
    """Rows of a topic that were measured, with their figures in seconds."""
    report = record["topics"].get(topic.name, {}).get("report")
    for row in topic.rows if report is not None else ():
        if record["versions"][row.peer] is None:
            continue
        ours, theirs = row.ours(report), row.theirs(report)
        yield (
            row,
            {
                "ours": ours,
                "theirs": theirs,
                "ratio": ours / theirs if row.ratio is None else row.ratio(report),
                "kernel": None if row.kernel is None else row.kernel(report),
            },
        )


def verdict(ratio: float) -> str:
    """Return whether pyrave is faster, equal or slower."""
    if abs(ratio - 1.0) <= EQUAL:
        return "equal"
    return "faster" if ratio < 1.0 else "slower"


def told(ratio: float) -> str:
    """Return a ratio in words."""
    match verdict(ratio):
        case "equal":
            return "equal"
        case "faster":
            return f"faster, {digits(1.0 / ratio)} times"
        case _:
            return f"**slower, {digits(ratio)} times**"


def digits(number: float) -> str:
    """Return a number with two digits that mean something."""
    return f"{number:.0f}" if number >= 100 else f"{float(f'{number:.2g}'):g}"


def shown(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in UNITS:
        if seconds >= size or unit == "ns":
            number = float(f"{seconds / size:.3g}")
            return f"{number:g} {unit}"
    raise AssertionError(seconds)


# -- the command -----------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [topic.name for topic in TOPICS]
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--out", type=Path, default=ROOT / "docs")
    parser.add_argument("--again", action="store_true", help="only make the page anew")
    options = parser.parse_args()
    figures = options.out / FIGURES
    kept = options.again or len(options.only) < len(names)
    earlier = None
    if kept and figures.is_file():
        earlier = json.loads(figures.read_text(encoding="utf-8"))
    if options.again:
        if earlier is None:
            parser.error(f"--again needs {figures}")
        records = iter((with_new_peers(earlier),))
    else:
        topics = [topic for topic in TOPICS if topic.name in options.only]
        compile_kernels()
        records = measured(topics, earlier)
    options.out.mkdir(parents=True, exist_ok=True)
    failed = False
    for record in records:
        text = json.dumps(record, indent=1) + "\n"
        figures.write_text(text, encoding="utf-8")
        (options.out / PAGE).write_text(page(record), encoding="utf-8")
        failed = any("fault" in one for one in record["topics"].values())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
