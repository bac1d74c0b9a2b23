"""Writes the Python of documentation pages to files that type checkers read.

A page is one module: its ``python`` fences one after the other, on the lines that they
have in the page. Files that the page writes (fences with a caption) lie beside it. A
statement of which the page says that it raises is not checked: it is wrong on purpose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def write_pages(
    pages: Iterable[Path], root: Path, target: Path, snippets: Any
) -> list[Path]:
    """Write the modules of pages below a folder; return those that have any code.

    Parameters
    ----------
    snippets
        The module that finds the fences of a page.
    """
    written = []
    for page in pages:
        blocks = list(snippets.blocks_of(page.read_text(encoding="utf-8")))
        if not any(block.kind == "python" for block in blocks):
            continue
        name = re.sub(r"\W", "_", str(page.relative_to(root).with_suffix("")))
        folder = target / name
        folder.mkdir(parents=True)
        for block in blocks:
            # scripts for OpenRAVE, some of Python 2, name what has no types
            is_old = "from openravepy import" in block.text
            if block.kind == "file" and block.caption.endswith(".py") and not is_old:
                file = folder / block.caption
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, encoding="utf-8")
        module = folder / f"{name}.py"
        module.write_text(_module_of(blocks, snippets.promise_of), encoding="utf-8")
        written.append(module)
    return written


def _module_of(blocks: Iterable[Any], promise_of: Callable[..., str | None]) -> str:
    """Return the Python fences as one text, each line where it stands in the page."""
    lines: list[str] = []
    for block in blocks:
        if block.kind == "python":
            lines += [""] * (block.line - len(lines))
            lines += _checked_lines(block.text, promise_of)
    return "\n".join(lines) + "\n"


def _checked_lines(text: str, promise_of: Callable[..., str | None]) -> list[str]:
    """Return the lines of a fence, those of statements that raise with an ignore."""
    lines, statements = text.splitlines(), ast.parse(text).body
    starts = [one.lineno - 1 for one in statements[1:]]
    for statement, after in zip(statements, [*starts, len(lines)], strict=True):
        promised = promise_of(lines, statement, after)
        if promised is not None and promised.startswith("raises"):
            for at in range(statement.lineno - 1, statement.end_lineno or 0):
                lines[at] = f"{lines[at].split('  # ')[0]}  # type: ignore"
    return lines
