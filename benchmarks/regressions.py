"""The code that is checked out against an earlier commit, in the same run.

    python benchmarks/regressions.py COMMIT [--rows rays loading ...] [--json]
        [--processes N] [--turns N] [--keep FOLDER]

For a change that may cost time, before it is merged: COMMIT is where it began, or a
commit whose figures are known. Both are asked for the same, through names that users
call (`regression_rows.py`), with the packages of this interpreter. Each has entry
points of its own and a folder of its own for compiled kernels. Processes of both take
turns, and the ratio of a turn is that of neighbours.

A row is worse if the median of its processes' ratios is above 1.10, also when it is
measured again. What COMMIT does not have is said and not counted. Ends with status 1
if a row is worse or fails, 2 if nothing could be compared, 3 if it is interrupted.
Everything is made in a temporary folder, and removed; `--keep` leaves compiled kernels
in a folder, which saves minutes the next time. Wide ranges of ratios say that the
machine has too much else to do.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring import report

WORSE = 1.10
"""Largest ratio that is no regression."""
ROOT = Path(__file__).resolve().parent.parent
ROWS = Path(__file__).with_name("regression_rows.py")
BUILD = "import sys, hatchling.build as b; b.build_editable(sys.argv[1])"
LISTED = "import regression_rows as r; print(*r.ROWS)"
_OURS = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYRAVE_DATA")


class RowError(Exception):
    """A row does not run; the text says why."""


@dataclass(frozen=True)
class Side:
    """A commit as Python finds it.

    Parameters
    ----------
    name
        What it is called in the output.
    tree
        Its files.
    variables
        Environment of its processes.
    """

    name: str
    tree: Path
    variables: dict[str, str]

    @classmethod
    def of(cls, name: str, tree: Path, folder: Path, kernels: Path) -> Side:
        """Make a side: its entry points are written below `folder`."""
        wheels, site = folder / "wheels", folder / "site"
        wheels.mkdir(parents=True)
        command = [sys.executable, "-c", BUILD, str(wheels)]
        # it needs hatchling and hatch-vcs, and says so where they are missing
        subprocess.run(command, check=True, cwd=tree, stdout=subprocess.DEVNULL)
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
        roots = [
            line for path in site.glob("*.pth") for line in path.read_text().split("\n")
        ]
        variables = {k: v for k, v in os.environ.items() if k not in _OURS}
        variables["PYTHONPATH"] = os.pathsep.join([*filter(None, roots), str(site)])
        variables["PYRAVE_CACHE_DIR"] = str(kernels)
        variables["PYRAVE_COMPILE"] = "foreground"
        return cls(name, tree, variables)

    def run(self, *arguments: str) -> None:
        """Run `regression_rows.py` to its end."""
        subprocess.run(
            [sys.executable, str(ROWS), *arguments], check=True, env=self.variables
        )


class Process:
    """A process of a side that is asked for turns."""

    def __init__(self, side: Side, row: str, files: Path) -> None:
        self._side = side
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - see close
        self._process = subprocess.Popen(
            [sys.executable, str(ROWS), row, str(files)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            env=side.variables, cwd=files, text=True,
        )  # fmt: skip
        self._answers = self._process.stdout
        self._questions = self._process.stdin

    def wait(self) -> None:
        """Wait until calls are as quick as they become.

        Raises
        ------
        RowError
            The row does not run, or pyrave is not that of the side.
        """
        word, _, where = self._line().partition(" ")
        if word != "ready" or not Path(where).is_relative_to(self._side.tree):
            raise RowError(f"pyrave is {where}, expected that of {self._side.tree}")

    def turn(self) -> float:
        """Return the seconds of one item."""
        assert self._questions is not None  # noqa: S101 - for mypy
        self._questions.write("turn\n")
        self._questions.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._answers is not None  # noqa: S101 - for mypy
        line = self._answers.readline().strip()
        if line:
            return line
        self._process.wait()
        self._errors.seek(0)
        said = [text for text in self._errors.read().splitlines() if text.strip()]
        raise RowError(said[-1] if said else "its process ended")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()


@dataclass
class Figures:
    """What was measured of a row.

    Parameters
    ----------
    row
        Its name.
    ratios
        Of each pair of processes: the median of its turns, landed to earlier.
    seconds
        Of an item, the least of all turns, by the name of the side.
    fault
        Why there is nothing, and of which side.
    """

    row: str
    ratios: list[float] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    fault: tuple[str, str] | None = None

    @property
    def ratio(self) -> float:
        """The median of the processes' ratios."""
        return statistics.median(self.ratios)

    @property
    def verdict(self) -> str:
        """``worse``, ``better``, ``same``, ``new`` or ``fails``."""
        if self.fault is not None:
            return "new" if self.fault[0] == "earlier" else "fails"
        if self.ratio > WORSE:
            return "worse"
        return "better" if self.ratio < 1.0 / WORSE else "same"

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        found: dict[str, Any] = {"row": self.row, "verdict": self.verdict}
        if self.fault is not None:
            return found | {"fault": self.fault[1]}
        return found | {
            "ratio": self.ratio,
            "least_ratio": min(self.ratios),
            "most_ratio": max(self.ratios),
            **{f"{name}_s": value for name, value in self.seconds.items()},
        }

    def line(self) -> str:
        """Return it for people: the ratio, its range, and seconds of an item."""
        if self.fault is not None:
            return f"{self.row:24} {self.verdict:6} {self.fault[0]}: {self.fault[1]}"
        earlier, landed = self.seconds["earlier"], self.seconds["landed"]
        return (
            f"{self.row:24} {self.verdict:6} {self.ratio:5.2f}  "
            f"({min(self.ratios):.2f} to {max(self.ratios):.2f})  "
            f"{shown(earlier)} -> {shown(landed)}"
        )


def shown(seconds: float) -> str:
    """Return a time with a unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def measure(
    figures: Figures, sides: Sequence[Side], files: Path, processes: int, turns: int
) -> None:
    """Add ratios of some pairs of processes to the figures of a row."""
    for _ in range(processes):
        pair: list[Process] = []
        try:
            for side in sides:
                # one after the other: both may compile, each at its first time
                pair.append(Process(side, figures.row, files))
                try:
                    pair[-1].wait()
                except RowError as error:
                    figures.fault = (side.name, str(error))
                    return
            ratios = []
            for k in range(turns):
                found = {}
                for number in (0, 1) if k % 2 else (1, 0):
                    found[sides[number].name] = pair[number].turn()
                ratios.append(found["landed"] / found["earlier"])
                for name, value in found.items():
                    least = min(figures.seconds.get(name, value), value)
                    figures.seconds[name] = least
            figures.ratios.append(statistics.median(ratios))
        finally:
            for one in pair:
                one.close()


def chosen(sides: Sequence[Side], wanted: Sequence[str]) -> list[str]:
    """Return the names of rows that are meant by names or topics."""
    listed = subprocess.run(
        [sys.executable, "-c", LISTED], check=True, capture_output=True, text=True,
        env=sides[1].variables, cwd=ROWS.parent,
    ).stdout.split()  # fmt: skip
    for word in wanted:
        if not any(word in {row, row.split("/")[0]} for row in listed):
            topics = sorted({row.split("/")[0] for row in listed})
            raise SystemExit(
                f"no row or topic {word!r}; topics: {', '.join(topics)}; "
                f"rows: {', '.join(listed)}"
            )
    return [row for row in listed if not wanted or {row, row.split("/")[0]} & {*wanted}]


@contextlib.contextmanager
def checked_out(commit: str, tree: Path) -> Iterator[None]:
    """Have the files of a commit in a folder for a while."""
    git = ["git", "-C", str(ROOT)]
    made = subprocess.run(
        [*git, "worktree", "add", "--detach", str(tree), commit],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if made.returncode != 0:
        raise SystemExit(f"{commit!r} cannot be checked out: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(
            [*git, "worktree", "remove", "--force", str(tree)],
            check=False, capture_output=True,
        )  # fmt: skip


def compare(options: argparse.Namespace) -> list[Figures]:
    """Measure the rows, and print each as it is known unless it is for JSON."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        tree = folder / "tree"
        stack.enter_context(checked_out(options.commit, tree))
        kept = options.keep.absolute() if options.keep else folder
        sides = [
            Side.of(name, at, folder / name, kept / f"{name}-kernels")
            for name, at in (("earlier", tree), ("landed", ROOT))
        ]
        files = folder / "files"
        files.mkdir()
        sides[1].run("--files", str(files))
        done = []
        for row in chosen(sides, options.rows):
            figures = Figures(row)
            # the first pair compiles, and leaves its kernels for the others
            measure(Figures(row), sides, files, 1, 1)
            measure(figures, sides, files, options.processes, options.turns)
            if figures.verdict == "worse":
                measure(figures, sides, files, 2 * options.processes, options.turns)
            done.append(figures)
            if not options.json:
                print(figures.line(), flush=True)
        return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="what to compare with")
    parser.add_argument("--rows", nargs="+", default=[], help="rows or topics")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--processes", type=int, default=3, help="of each side")
    parser.add_argument("--turns", type=int, default=5, help="of each process")
    parser.add_argument("--keep", type=Path, help="folder that keeps compiled kernels")
    options = parser.parse_args()
    # whatever ends it, what was made is removed
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(3))
    done = compare(options)
    verdicts = {figures.verdict for figures in done}
    if options.json:
        rows = [figures.as_dict() for figures in done]
        report("regressions", commit=options.commit, largest_ratio=WORSE, rows=rows)
    if verdicts & {"worse", "fails"}:
        sys.exit(1)
    if verdicts <= {"new"}:
        sys.exit(2)


if __name__ == "__main__":
    main()
