"""The documentation site builds without a warning and documents what is public."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import pyrave
from pyrave import bodies, ik, interfaces, sensing, trajectories

_DOCS = Path(__file__).parents[2] / "docs"

# plain values, explained in the guide
_CONSTANTS = {"__version__", "CONTRACTS", "INTERFACE_TYPES", "TYPE_ALIASES"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_nb")
    folder = tmp_path_factory.mktemp("site")
    command = [
        *(sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"),
        # members in the contents of each page, which furo copies for every other page
        *("-D", "toc_object_entries=0"),
        *("-d", str(folder / "doctrees"), str(_DOCS), str(folder / "html")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
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
    pages = {p.relative_to(_DOCS).with_suffix(".html") for p in _DOCS.rglob("*.md")}
    built = {p for p in pages if "_build" not in p.parts}
    index = (site / "index.html").read_text("utf-8")
    linked = set(re.findall(r'href="([^"#]+\.html)', index)) | {"index.html"}
    assert {str(page) for page in built} <= linked
