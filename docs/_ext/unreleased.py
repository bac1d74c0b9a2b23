"""Directive ``{unreleased-changes}``: what the files of ``docs/changes`` say."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_ROOT = Path(__file__).parents[2]


class UnreleasedChanges(SphinxDirective):
    """Print the changes since the last version, by type."""

    def run(self) -> list[nodes.Node]:
        node = nodes.container()
        for file in _files():
            self.env.note_dependency(str(file))
        lines = StringList(list(change_lines()), self.name)
        self.state.nested_parse(lines, self.content_offset, node)
        return node.children


def change_lines() -> Iterator[str]:
    """Return the changes as Markdown, in the order of the types in pyproject.toml."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
    for kind in project["tool"]["towncrier"]["type"]:
        found = [one for one in _files() if one.suffixes[-2] == f".{kind['directory']}"]
        if found:
            yield from ("", f"**{kind['name']}**", "")
        for file in found:
            first, *others = file.read_text("utf-8").strip().splitlines()
            yield from (f"- {first}", *(f"  {line}" for line in others))


def _files() -> list[Path]:
    return sorted((_ROOT / "docs" / "changes").glob("+*.md"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("unreleased-changes", UnreleasedChanges)
    return {"version": "1", "parallel_read_safe": True}
