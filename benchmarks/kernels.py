"""Processor seconds that kernels take to compile, by family, from an empty cache.

``python benchmarks/kernels.py`` prints them; with ``--write`` they go into the table of
docs/reference/kernels.md, which says what the families are. Takes minutes.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from measuring import processor, report

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "kernels.md"
_ROW = re.compile(r"^\| (`[^|]*`) \|([^|]*)\| ([\d.]+) \|", re.MULTILINE)
_WHEN = re.compile(r"^Measured .*\.$", re.MULTILINE)


def families(page: str) -> dict[str, list[str]]:
    """Return the patterns of names of each row of the table."""
    return {row[1]: re.findall("`([^`]+)`", row[1]) for row in _ROW.finditer(page)}


def family_of(kernel: str, page: str) -> str:
    """Return the row of a kernel.

    Raises
    ------
    SystemExit
        There is none, or several.
    """
    found = [
        row
        for row, patterns in families(page).items()
        if any(fnmatchcase(kernel, pattern) for pattern in patterns)
    ]
    if len(found) != 1:
        raise SystemExit(f"{kernel} is in the rows {found} of {PAGE}, expected one")
    return found[0]


def measure() -> dict[str, float]:
    """Return the processor seconds of each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "pyrave", "warm", "--json"],
            env={**os.environ, "PYRAVE_CACHE_DIR": folder},
            check=True,
            stdout=subprocess.PIPE,
        )
    return {one["name"]: one["cpu_s"] for one in json.loads(done.stdout)["kernels"]}


def written(page: str, seconds: dict[str, float], where: str) -> str:
    """Return the page with other figures."""
    sums = dict.fromkeys(families(page), 0.0)
    for kernel, taken in seconds.items():
        sums[family_of(kernel, page)] += taken
    text = _ROW.sub(lambda row: f"| {row[1]} |{row[2]}| {sums[row[1]]:.1f} |", page)
    when = f"Measured {where}: {sum(seconds.values()):.0f} seconds of all"
    return _WHEN.sub(f"{when}.", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="change the page")
    given = parser.parse_args()
    seconds = measure()
    if given.write:
        today = dt.datetime.now(tz=dt.UTC).date()
        machine = f"{os.cpu_count()} cores of {processor()}"
        where = f"on {today} with Python {platform.python_version()}, {machine}"
        text = written(PAGE.read_text("utf-8"), seconds, where)
        PAGE.write_text(text, "utf-8")
    report("kernels", cpu_s=seconds)


if __name__ == "__main__":
    main()
