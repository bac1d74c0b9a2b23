"""Snippets of the documentation and examples pass mypy (strict) and pyright."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_SOURCES = [str(_ROOT / name) for name in ("core", "plugins", "environments")]
_HIDES = re.compile(r"type: ignore|(?<![.\w])cast\(")
# pages assign names anew, and what they show raising carries an ignore
_OF_PAGES = "\n# mypy: allow-redefinition, no-warn-unused-ignores\n"


def _module(name):
    spec = importlib.util.spec_from_file_location(f"_docs_{name}", _HERE / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


snippets, typed_pages = _module("snippets"), _module("typed_pages")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Modules of all pages, each in a folder of its own, and the examples."""
    target = tmp_path_factory.mktemp("typed")
    pages = sorted(
        page
        for page in [*(_ROOT / "docs").rglob("*.md"), _ROOT / "README.md"]
        if "_build" not in page.parts
    )
    typed_pages.write_pages(pages, _ROOT, target, snippets)
    for example in sorted((_ROOT / "docs" / "examples").glob("*.py")):
        (target / f"example_{example.stem}").mkdir()
        shutil.copy(example, target / f"example_{example.stem}")
    return target


def test_nothing_is_hidden_from_type_checkers():
    pages = [*(_ROOT / "docs").rglob("*.md"), *(_ROOT / "docs").rglob("*.py")]
    hidden = [
        str(page.relative_to(_ROOT))
        for page in pages
        if "_ext" not in page.parts
        if _HIDES.search(page.read_text(encoding="utf-8"))
    ]
    assert not hidden


def _without_shared_names(folders):
    """Return groups of folders: none has a module of a name that another has.

    Each group is one run of mypy. What a page imports from another one's folder is
    seen where the page is run.
    """
    groups = []
    for folder in folders:
        names = {file.relative_to(folder).parts[0] for file in folder.rglob("*.py")}
        free = (one for one in groups if names.isdisjoint(one[0]))
        one = next(free, None)
        if one is None:
            groups.append(one := (set(), []))
        one[0].update(names)
        one[1].append(folder)
    return [group for _, group in groups]


@pytest.mark.slow
def test_mypy_takes_what_the_documentation_shows(folder):
    for file in folder.rglob("*.py"):
        with file.open("a", encoding="utf-8") as page:
            page.write(_OF_PAGES)
    common = ["--strict", "--hide-error-context", "--no-error-summary"]
    folders = sorted(folder.glob("*/"))
    wrong = []
    for group in _without_shared_names(folders):
        # what a page writes is imported from beside it
        packages = (package for one in group for package in one.glob("*/src"))
        path = os.pathsep.join(map(str, (*group, *packages)))
        files = sorted(str(file) for one in group for file in one.rglob("*.py"))
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *common, *files],
            env={**os.environ, "MYPYPATH": path},
            cwd=_ROOT,  # where mypy keeps what it knows of pyrave
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        wrong += [line for line in done.stdout.splitlines() if ": error:" in line]
        assert done.returncode in {0, 1}, done.stdout + done.stderr
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_pyright_takes_what_the_documentation_shows(folder):
    settings = {
        "typeCheckingMode": "standard",
        "pythonVersion": "3.11",
        "extraPaths": _SOURCES,
        "reportMissingModuleSource": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    pyright = (sys.executable, "-m", "basedpyright")
    done = subprocess.run(
        [*pyright, "--outputjson", "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] > len(list(folder.glob("*/*.py"))) - 1
    wrong = [
        f"{Path(one['file']).relative_to(folder)}:{one['range']['start']['line'] + 1}: "
        f"{one['message']} [{one.get('rule', '')}]"
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    ]
    assert not wrong, "\n".join(wrong)
