"""``pyrave dev``: checks of pyrave itself, for those who work on it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from pyrave.errors import StateError

# tests of what numba does not promise to keep as it is
_TESTS = (
    "test_jit.py", "test_jit_deferred.py", "test_jit_quick.py", "test_jit_vectors.py",
    "test_kernel_cache.py", "test_simd.py",
)  # fmt: skip
# packages of the extra `dev` that these tests import
_TOOLS = ("hypothesis", "pytest")


def dev(
    action: Literal["check-numba"],  # noqa: ARG001 - there is one
    *,
    again: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Check pyrave itself, in its checkout: for those who work on it.

    check-numba asks the package index for the newest numba. If pyproject.toml does not
    allow it, tests of compiled code run with it in a fresh environment, which takes a
    few minutes, and it is said whether the bound can be raised. Exits with 1 if there
    is something to do: the bound can be raised, or the tests fail.

    Parameters
    ----------
    action
        What to check.
    again
        Run the tests even if pyproject.toml allows the newest numba.
    """
    from packaging.requirements import Requirement

    from pyrave.cli.output import console, progress_console

    root = _checkout()
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    (asked,) = (one for one in project["dependencies"] if one.startswith("numba"))
    others = [one for one in project["dependencies"] if one != asked]
    newest = _newest("numba")
    allowed = Requirement(asked).specifier.contains(newest)
    text = f"numba {newest} is the newest, and pyproject.toml asks for {asked}"
    if allowed and not again:
        console().print(f"{text}: nothing to do")
        return 0
    progress_console().print(f"{text}: testing pyrave with it")
    with tempfile.TemporaryDirectory(prefix="pyrave-numba-") as folder:
        wanted = [f"numba=={newest}", *others, *_TOOLS]
        python = _environment(Path(folder), root, wanted)
        passed = _passes(python, root, Path(folder))
    if not passed:
        console().print(
            f"pyrave fails with numba {newest}: mend {root / 'core/pyrave/jit'}, and "
            "keep the bound until then"
        )
        return 1
    console().print(f"the tests pass with numba {newest}")
    if allowed:
        return 0
    major, minor = (int(part) for part in newest.split(".")[:2])
    raised = re.sub(r"<[\d.]+", f"<{major}.{minor + 1}", asked)
    console().print(
        f'write "{raised}" for "{asked}" in pyproject.toml, and run .ci/run'
    )
    return 1


def _checkout() -> Path:
    """Return the tree whose pyrave is running.

    Raises
    ------
    StateError
        It is an installed one, without the project around it.
    """
    root = Path(__file__).resolve().parents[4]
    if not all((root / "tests" / "unit" / name).is_file() for name in _TESTS):
        raise StateError(
            f"pyrave runs from {root}, which is no checkout with pyproject.toml and "
            "tests: run `pip install -e '.[dev]'` in one, and then this"
        )
    return root


def _newest(package: str) -> str:
    """Return the newest version of a package that this Python can have.

    Raises
    ------
    StateError
        There is no pip, or the package index does not answer.
    """
    if find_spec("pip") is None:
        raise StateError(
            f"{sys.executable} has no pip, which asks the package index: install it "
            "there (`python -m ensurepip`, or `uv pip install pip`)"
        )
    done = _pip(
        sys.executable,
        *("install", "--dry-run", "--ignore-installed", "--no-deps", "--report", "-"),
        package,
    )
    (found,) = json.loads(done)["install"]
    version: str = found["metadata"]["version"]
    return version


def _environment(folder: Path, root: Path, requirements: list[str]) -> Path:
    """Return the Python of a new environment with pyrave and what it is tested with."""
    home = folder / "environment"
    _output(sys.executable, "venv", str(home), otherwise="install what it needs")
    place = "Scripts" if os.name == "nt" else "bin"
    python = home / place / Path(sys.executable).name
    _pip(str(python), "install", *requirements)
    _pip(str(python), "install", "--no-deps", str(root))
    return python


def _pip(python: str, *words: str) -> str:
    """Run pip quietly and return what it prints."""
    advice = "look whether the package index can be reached (`pip download numba`)"
    return _output(python, "pip", "--quiet", *words, otherwise=advice)


def _output(python: str, module: str, *words: str, otherwise: str) -> str:
    """Run a module of Python as a program and return what it prints.

    Raises
    ------
    StateError
        It fails; `otherwise` is what to do then.
    """
    done = subprocess.run(  # noqa: S603 - of environments of ours
        [python, "-m", module, *words],
        check=False, capture_output=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    if done.returncode:
        text = done.stderr or done.stdout
        said = [line for line in text.splitlines() if line.strip()]
        said = [line for line in said if line.startswith("ERROR")] or said[-1:]
        raise StateError(
            f"`{' '.join((module, *words))}` failed: "
            f"{(said or ['it said nothing'])[0]}; {otherwise}"
        )
    return done.stdout


def _passes(python: Path, root: Path, folder: Path) -> bool:
    """Return True if tests of compiled code pass, which print what they find."""
    tests = [str(root / "tests" / "unit" / name) for name in _TESTS]
    command = [str(python), "-m", "pytest", "-q", "-m", "not slow"]
    command += ["-p", "no:cacheprovider", *tests]
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    variables["PYRAVE_CACHE_DIR"] = str(folder / "cache")
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(  # noqa: S603 - the interpreter of the environment
        command, check=False, cwd=root, env=variables, stdout=sys.stderr
    )
    return done.returncode == 0
