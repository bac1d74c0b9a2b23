"""Directives that print what servers offer: methods, and commands of the text protocol.

``{serve-methods} arms`` prints the methods of a module of `pyrave_serve.methods`,
``{serve-commands}`` all commands of the text protocol.
"""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx


class Served(SphinxDirective):
    """Print Markdown that the code gives."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        lines = list(self.lines())
        node = nodes.container()
        self.state.nested_parse(StringList(lines, self.name), self.content_offset, node)
        return node.children

    def lines(self) -> Iterator[str]:
        """Return the lines."""
        raise NotImplementedError


class ServeMethods(Served):
    """Print the methods of a module, each with its parameters and its result."""

    required_arguments = 1
    optional_arguments = 0

    def lines(self) -> Iterator[str]:
        return method_lines(self.arguments[0])


class ServeCommands(Served):
    """Print the commands of the text protocol."""

    def lines(self) -> Iterator[str]:
        return command_lines()


def method_lines(group: str) -> Iterator[str]:
    """Return the methods of a module as Markdown."""
    from pyrave_serve.methods.method import Method

    module = importlib.import_module(f"pyrave_serve.methods.{group}")
    for method in map(Method.from_function, module.METHODS):
        yield f"`{method.signature}`"
        yield f": {_markdown(method.summary)}"
        yield ""
        for one in method.parameters:
            usual = "" if one.required else f", {json.dumps(one.default)} if left out"
            about = _markdown(one.about)
            yield f"  * `{one.name}` ({one.kind.name}{usual}): {about}"
        yield ""
        if method.returns:
            yield f"  Result: {_markdown(method.returns)}"
            yield ""


def command_lines() -> Iterator[str]:
    """Return the commands of the text protocol as a table in Markdown."""
    from pyrave_serve.text.table import TEXT_COMMANDS

    yield "| command | behind it | answer |"
    yield "|---|---|---|"
    for one in TEXT_COMMANDS.values():
        answer = one.summary if one.answers else f"none; {one.summary}"
        yield f"| `{one.name}` | {one.arguments} | {answer} |"


def _markdown(text: str) -> str:
    return text.replace("``", "`")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("serve-methods", ServeMethods)
    app.add_directive("serve-commands", ServeCommands)
    return {"version": "1", "parallel_read_safe": True}
