"""Python 2 as Python 3, with the fixers of fissix."""

from __future__ import annotations

import functools
from typing import Any

from pyrave.errors import NotSupportedError
from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError

__all__ = ["fix_python2"]

# what is done when the script runs: files that it executes are converted then, and
# modules beside it are found
_LEFT_OUT = frozenset({"execfile", "import", "reload"})


def fix_python2(text: str, path: str) -> str:
    """Return the text of a Python 2 script as Python 3.

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
        return str(tool.refactor_string(given, path))
    except failures as error:
        _, (line, column) = getattr(error, "context", None) or ("", (1, 0))
        value = getattr(error, "value", None)
        found = f"{value!r} does not fit here" if value else "it ends too early"
        raise ScriptSyntaxError(found, path, line, column + 1) from error
    except (RecursionError, IndentationError, UnicodeError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        reason = getattr(error, "msg", None) or str(error)
        raise ScriptSyntaxError(str(reason), path, line, column) from error


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
