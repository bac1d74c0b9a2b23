"""Scripts as code that Python 3 compiles, with the lines that they had."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from pyrave_openravepy.scripts.conversion.division import divide_as_python2
from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError
from pyrave_openravepy.scripts.conversion.fixes import FixedText, fix_python2
from pyrave_openravepy.scripts.conversion.methods import call_old_methods
from pyrave_openravepy.scripts.conversion.tabs import expand_tabs

__all__ = ["ConvertedScript", "convert_script"]

_FUTURE = "division"
_TOO_DEEP = "it is nested too deeply"
_CODING = re.compile(r"(^[ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+")


@dataclass(frozen=True)
class ConvertedScript:
    """The text of a script, and the same as Python 3.

    Parameters
    ----------
    path, original
        The file and its text.
    text
        The same as Python 3.
    lines
        Of each line of a converted text the line that it was, from 1.
    """

    path: str
    original: str
    text: str
    lines: tuple[int, ...] = ()

    @property
    def is_converted(self) -> bool:
        """True if the script was Python 2."""
        return self.text != self.original

    def diff(self) -> str:
        """Return the changes, as ``diff -u`` shows it."""
        return "".join(
            difflib.unified_diff(
                self.original.splitlines(keepends=True),
                self.text.splitlines(keepends=True),
                self.path,
                f"{self.path} (Python 3)",
            )
        )

    def text_of_file(self) -> str:
        """Return the text for a file, which is UTF-8 whatever the coding was."""
        head, *rest = re.split(r"(?<=\n)", self.text, maxsplit=2)
        lines = [_CODING.sub(r"\1utf-8", line) for line in (head, *rest[:1])]
        return "".join([*lines, *rest[1:]])

    def names(self) -> Iterator[tuple[int, str]]:
        """Yield names and attributes that the script uses, with their lines."""
        for node in ast.walk(self._tree()):
            if isinstance(node, ast.Attribute):
                yield node.end_lineno or node.lineno, node.attr
            elif isinstance(node, ast.Name):
                yield node.lineno, node.id

    def compile(self) -> CodeType:
        """Return the code; its lines and columns are those of the file.

        Raises
        ------
        ScriptSyntaxError
            It cannot run, as with a ``return`` outside of functions.
        """
        tree = call_old_methods(self._tree())
        with warnings.catch_warnings():
            # old scripts are full of "\d"; nobody will mend them
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                return compile(tree, self.path, "exec", dont_inherit=True)
            except SyntaxError as error:  # as a return outside of functions
                place = error.lineno or 1, max(error.offset or 1, 1)
                raise ScriptSyntaxError(str(error.msg), self.path, *place) from error
            except (RecursionError, MemoryError) as error:
                raise ScriptSyntaxError(_TOO_DEEP, self.path, 1, 1) from error

    def _tree(self) -> ast.Module:
        tree = _parse(self.text, self.path)
        if self.is_converted:
            before, after = self.original.split("\n"), self.text.split("\n")
            same = [
                old <= len(before) and before[old - 1] == line
                for old, line in zip(self.lines, after, strict=False)
            ]
            _keep_lines(tree, self.lines, same)
        return tree


def convert_script(text: str, path: str) -> ConvertedScript:
    """Return a script as Python 3; what is Python 3 is kept as it is.

    Raises
    ------
    ScriptSyntaxError
        It is neither Python 3 nor Python 2.
    NotSupportedError
        It is Python 2, and fissix is not installed.
    """
    problem: ScriptSyntaxError | None = None
    try:
        line = _python2_line(_parse(text, path))
        if line:
            told = "this is a print statement of Python 2"
            problem = ScriptSyntaxError(told, path, line, 1)
    except ScriptSyntaxError as error:
        problem = error
    if problem is None:
        return ConvertedScript(path, text, text)
    fixed = _converted(text, path, problem)
    return ConvertedScript(path, text, fixed.text, fixed.lines)


def _python2_line(tree: ast.Module) -> int:
    """Return the line of a ``print >>file, ...`` that Python 3 can read, or 0."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            value: ast.expr = node.value
            if isinstance(value, ast.Tuple) and value.elts:
                value = value.elts[0]
            if isinstance(value, ast.BinOp) and isinstance(value.op, ast.RShift):
                value = value.left
            elif isinstance(value, ast.Call):
                continue
            if isinstance(value, ast.Name) and value.id == "print":
                return node.lineno
    return 0


def _converted(text: str, path: str, as_python3: ScriptSyntaxError) -> FixedText:
    expanded = expand_tabs(text)
    try:
        fixed = fix_python2(expanded, path)
        _parse(fixed.text, path)
    except ScriptSyntaxError as as_python2:
        raise _neither(as_python3, as_python2) from None
    return fixed if _has_true_division(expanded) else divide_as_python2(fixed, path)


def _neither(three: ScriptSyntaxError, two: ScriptSyntaxError) -> ScriptSyntaxError:
    """Return the error of the reading that got further."""
    first, second = ("Python 3", three), ("Python 2", two)
    if (two.lineno or 0, two.column) > (three.lineno or 0, three.column):
        first, second = second, first
    (name, far), (other, near) = first, second
    return ScriptSyntaxError(
        f"{far.reason}, read as {name}; as {other}, line {near.lineno}: {near.reason}",
        str(far.filename),
        far.lineno or 1,
        far.column,
    )


def _parse(text: str, path: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, path)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        raise ScriptSyntaxError(str(error.msg), path, line, column) from error
    except (RecursionError, MemoryError) as error:
        raise ScriptSyntaxError(_TOO_DEEP, path, 1, 1) from error
    except ValueError as error:
        raise ScriptSyntaxError(str(error), path, 1, 1) from error


def _has_true_division(text: str) -> bool:
    """Return True if a Python 2 text says ``from __future__ import division``."""
    for line in text.splitlines():
        if line.lstrip().startswith("from __future__ import") and _FUTURE in line:
            return True
    return False


def _keep_lines(tree: ast.Module, lines: Sequence[int], same: Sequence[bool]) -> None:
    """Give the nodes of a converted text the lines that they had.

    Columns of lines that were changed are left out: a traceback points at nothing in
    them.
    """
    for one in ast.walk(tree):
        if getattr(one, "end_lineno", None) is None:
            continue
        node: Any = one
        first, last = node.lineno - 1, node.end_lineno - 1
        node.lineno = lines[first]
        node.end_lineno = max(lines[last], node.lineno)
        if not (same[first] and same[last]):
            node.col_offset = node.end_col_offset = -1
