"""What points into the documentation from outside of the site finds its page.

Links between pages of the site are checked where it is built.
"""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_TEXTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
_FOLDERS = ["core", "plugins", "benchmarks", "environments", "compat"]


def _anchors(page):
    """Return what links to a page may have behind ``#``."""
    text = page.read_text("utf-8")
    heads = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in heads}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


def test_links_of_texts_in_the_root_find_their_pages():
    links = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
    lost, count = [], 0
    for name in _TEXTS:
        for path, anchor in links.findall((_ROOT / name).read_text("utf-8")):
            target = _ROOT / (path or name)
            count += 1
            if not target.exists() or (anchor and anchor not in _anchors(target)):
                lost.append(f"{name}: {path}#{anchor}")
    assert count > 20
    assert not lost


def test_pages_that_code_names_are_there():
    named = re.compile(r"\bdocs/[\w./-]*\w\.(?:md|py|toml)\b|\bdocs/[\w/-]+")
    lost, count = [], 0
    for folder in _FOLDERS:
        for file in (_ROOT / folder).rglob("*.py"):
            for path in named.findall(file.read_text("utf-8")):
                count += 1
                if not (_ROOT / path).exists():
                    lost.append(f"{file.relative_to(_ROOT)}: {path}")
    assert count
    assert not lost
