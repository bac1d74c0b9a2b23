"""Faults in the code that tests must find: ``python tests/support/code_faults.py``.

Each fault of ``code_faults.toml`` is put into a copy of the tree, where one of the
tests that it names must fail then. First all of them must pass in the copy as it is.
Code that cannot be imported any more, and tests that do not end, find nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from pyrave.jit import cache_directory

ROOT = Path(__file__).resolve().parents[2]
_SOURCES = ("core", "plugins", "environments")
_SECONDS = 300.0
_PASSED, _FAILED = 0, 1  # as pytest ends
_LATE = -1
_NOT_IMPORTED = re.compile(r" - (ImportError|ModuleNotFoundError|SyntaxError)\b")


@dataclass(frozen=True)
class Fault:
    """A text of a file, what is put in its place, and the tests that must fail then."""

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]

    def put_into(self, root: Path) -> str:
        """Change the file of a tree; return what was in it."""
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        count = text.count(self.before)
        if count != 1:
            sys.exit(f"{self.name}: {count} such texts in {self.file}, expected one")
        path.write_text(text.replace(self.before, self.after), encoding="utf-8")
        return text


def read_faults() -> list[Fault]:
    """Return all faults."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return [
        Fault(**{**one, "tests": tuple(one["tests"])})
        for one in tomllib.loads(text)["fault"]
    ]


def copy_tree(folder: Path) -> Path:
    """Copy what git knows or would add into a new folder; return it."""
    listed = subprocess.run(
        ("git", "ls-files", "-co", "--exclude-standard", "-z"),
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in listed.split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def run_tests(root: Path, tests: tuple[str, ...], seconds: float) -> tuple[int, str]:
    """Return how pytest ended in a tree, and its last line; beyond the time it is late.

    Machine code is kept in a folder beside the tree.
    """
    paths = os.pathsep.join(str(root / one) for one in _SOURCES)
    variables = {
        **os.environ,
        "PYTHONPATH": paths,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYRAVE_CACHE_DIR": str(root.parent / "cache"),
        "PYRAVE_COMPILE": "foreground",
    }
    options = ("-n", "0", "-q", "-x", "--tb=no", "-p", "no:cacheprovider")
    # a session of its own: what tests started ends with them
    with subprocess.Popen(
        (sys.executable, "-m", "pytest", *options, *tests),
        cwd=root, env=variables, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as pytest:  # fmt: skip
        try:
            output, _ = pytest.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return _LATE, f"longer than {seconds:g} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pytest.pid, signal.SIGKILL)
    lines = output.splitlines() or ["it said nothing"]
    failed = [one for one in lines if one.startswith(("FAILED", "ERROR"))]
    return pytest.returncode, (failed or lines)[-1]


def find(fault: Fault, root: Path, seconds: float) -> bool:
    """Put a fault into a tree for a run of its tests, print what they say of it.

    Returns
    -------
    bool
        True if one of them failed.
    """
    text = fault.put_into(root)
    try:
        code, line = run_tests(root, fault.tests, seconds)
    finally:
        (root / fault.file).write_text(text, encoding="utf-8")
    if code == _PASSED:
        state = "SURVIVED"
    elif code == _FAILED and not _NOT_IMPORTED.search(line):
        state = "found"
    else:
        state = "LATE" if code == _LATE else "BROKEN"
    print(f"{state:9}{fault.name}: {line}", flush=True)
    return state == "found"


def main() -> int:
    """Return 1 if a fault was not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="NAME", help="parts of their names"
    )
    parser.add_argument("--workers", type=int, default=1, help="trees at a time")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="for each")
    given = parser.parse_args()
    faults = [
        one for one in read_faults() if any(part in one.name for part in given.only)
    ]
    if not faults:
        parser.error(f"no fault has {' or '.join(given.only)} in its name")
    with tempfile.TemporaryDirectory(prefix="code-faults-") as folder:
        known = cache_directory()
        if known is not None:
            shutil.copytree(known, Path(folder, "cache"), ignore_dangling_symlinks=True)
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(max(1, given.workers)):
            trees.put(copy_tree(Path(folder, f"tree{number}")))
        tests = tuple(sorted({test for one in faults for test in one.tests}))
        first = trees.get()
        trees.put(first)
        code, line = run_tests(first, tests, len(tests) * given.seconds)
        if code != _PASSED:
            sys.exit(f"the tests fail without a fault: {line}")
        print(f"without a fault: {line}", flush=True)

        def look(fault: Fault) -> bool:
            tree = trees.get()
            try:
                return find(fault, tree, given.seconds)
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(max(1, given.workers)) as pool:
            found = list(pool.map(look, faults))
    print(f"{sum(found)} of {len(faults)} faults found")
    return int(not all(found))


if __name__ == "__main__":
    sys.exit(main())
