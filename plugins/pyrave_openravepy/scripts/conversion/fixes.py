"""Python 2 as Python 3, with the fixers of fissix."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from pyrave.errors import NotSupportedError
from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError

__all__ = ["FixedText", "fix_python2"]

# what is done when the script runs: files that it executes are converted then, and
# modules beside it are found
_LEFT_OUT = frozenset({"execfile", "import", "reload"})


@dataclass(frozen=True)
class FixedText:
    """A text as Python 3.

    Parameters
    ----------
    text
        The text.
    lines
        Of each line of it the line that it was, from 1.
    """

    text: str
    lines: tuple[int, ...]

    def with_line(self, at: int, line: str) -> FixedText:
        """Return the text with a new line before the one of an index, from 0."""
        texts = self.text.splitlines(keepends=True)
        before = self.lines[min(at, len(self.lines) - 1)]
        return FixedText(
            "".join([*texts[:at], line, *texts[at:]]),
            (*self.lines[:at], before, *self.lines[at:]),
        )


def fix_python2(text: str, path: str) -> FixedText:
    """Return a Python 2 script as Python 3.

    Raises
    ------
    ScriptSyntaxError
        It is no Python 2.
    NotSupportedError
        fissix is not installed.
    """
    tool, failures = _tool()
    given = text if text.endswith("\n") else f"{text}\n"
    try:
        tree = tool.refactor_string(given, path)
        return FixedText(str(tree), _lines_before(tree))
    except failures as error:
        _, (line, column) = getattr(error, "context", None) or ("", (1, 0))
        value = getattr(error, "value", None)
        found = f"{value!r} does not fit here" if value else "it ends too early"
        raise ScriptSyntaxError(found, path, line, column + 1) from error
    except (RecursionError, IndentationError, UnicodeError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        reason = getattr(error, "msg", None) or "it is nested too deeply"
        raise ScriptSyntaxError(str(reason), path, line, column) from error
    except Exception as error:  # a fixer that met what it does not expect
        raise ScriptSyntaxError(f"fissix fails: {error}", path, 1, 1) from error


def _lines_before(tree: Any) -> tuple[int, ...]:
    """Return the line that each line of a tree was: words that were kept know it."""
    known: dict[int, int] = {}
    at = 1
    for leaf in tree.leaves():
        at += leaf.prefix.count("\n")
        value = str(leaf.value)  # some fixers put numbers there
        over = value.count("\n")
        if leaf.lineno:
            known.setdefault(at, leaf.lineno)
            if value.strip():  # a text of several lines
                for i in range(1, over + 1):
                    known.setdefault(at + i, leaf.lineno + i)
        at += over
    lines, last = [], 1
    for i in range(1, at + 1):
        last = known.get(i, last)
        lines.append(last)
    return tuple(lines)


@functools.cache
def _tool() -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the tool, and the errors by which it refuses a text."""
    try:
        from fissix.pgen2.parse import ParseError
        from fissix.pgen2.tokenize import TokenError
        from fissix.refactor import RefactoringTool, get_fixers_from_package
    except ImportError as error:
        raise NotSupportedError(
            "the script is Python 2, and converting it needs fissix: "
            "pip install 'pyrave[openrave]'"
        ) from error
    fixers = [
        name
        for name in get_fixers_from_package("fissix.fixes")
        if name.rpartition(".fix_")[2] not in _LEFT_OUT
    ]
    return RefactoringTool(fixers), (ParseError, TokenError)
