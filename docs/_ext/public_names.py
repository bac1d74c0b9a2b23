"""The directive that prints public names: arguments, returns, errors, units, purpose.

``{public-names} Environment`` prints a class and what it has, ``{public-names}
pyrave.planning`` what a package lists, ``{public-names} sensor`` the ids of a type with
their settings, and ``{public-names} files`` the scenes and robots that ship. As a
program it prints everything as Markdown: ``python docs/_ext/public_names.py``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from name_rows import owners
from name_tables import as_markdown
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class PublicNames(SphinxDirective):
    """Print the tables of classes and packages."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        node = nodes.container()
        for owner in self.arguments[0].split():
            if owner not in owners():
                raise self.error(f"pyrave has no class or package {owner!r}")
            lines = StringList(as_markdown(owner).splitlines(), "public names")
            self.state.nested_parse(lines, self.content_offset, node)
        return list(node.children)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"version": "1", "parallel_read_safe": True}


if __name__ == "__main__":
    for chosen in owners():
        sys.stdout.write(f"## {chosen}\n\n{as_markdown(chosen)}\n")
