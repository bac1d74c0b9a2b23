"""Scripts as code that Python 3 compiles, with the lines that they had."""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from pyrave_openravepy.scripts.conversion.division import divide_as_python2
from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError
from pyrave_openravepy.scripts.conversion.fixes import fix_python2
from pyrave_openravepy.scripts.conversion.methods import call_old_methods
from pyrave_openravepy.scripts.conversion.tabs import expand_tabs

__all__ = ["ConvertedScript", "convert_script"]

_FUTURE = "division"
_LIKE = 0.45
"""Smallest part of two lines that is the same, if one was made of the other."""
_WINDOW = 20
_CODING = re.compile(r"(^[ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+")


@dataclass(frozen=True)
class ConvertedScript:
    """The text of a script, and the same as Python 3."""

    path: str
    original: str
    text: str

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
        """Return the code; its lines and columns are those of the file."""
        tree = call_old_methods(self._tree())
        with warnings.catch_warnings():
            # old scripts are full of "\d"; nobody will mend them
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            return compile(tree, self.path, "exec", dont_inherit=True)

    def _tree(self) -> ast.Module:
        tree = _parse(self.text, self.path)
        if self.is_converted:
            _keep_lines(tree, self.original.splitlines(), self.text.splitlines())
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
    return ConvertedScript(path, text, _converted(text, path, problem))


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


def _converted(text: str, path: str, as_python3: ScriptSyntaxError) -> str:
    expanded = expand_tabs(text)
    try:
        fixed = fix_python2(expanded, path)
        _parse(fixed, path)
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
        text = "it is nested too deeply"
        raise ScriptSyntaxError(text, path, 1, 1) from error
    except ValueError as error:
        raise ScriptSyntaxError(str(error), path, 1, 1) from error


def _has_true_division(text: str) -> bool:
    """Return True if a Python 2 text says ``from __future__ import division``."""
    for line in text.splitlines():
        if line.lstrip().startswith("from __future__ import") and _FUTURE in line:
            return True
    return False


def _keep_lines(tree: ast.Module, before: list[str], after: list[str]) -> None:
    """Give the nodes of a converted text the places that they had.

    Columns of lines that were changed are those of the whole line, so that a traceback
    points at nothing in it.
    """
    lines, same = _lines_before(before, after)
    spans = [
        (len(line) - len(line.lstrip()), len(line.rstrip().encode())) for line in before
    ] or [(0, 0)]
    for one in ast.walk(tree):
        if getattr(one, "end_lineno", None) is None:
            continue
        node: Any = one
        first, last = node.lineno, node.end_lineno
        node.lineno, node.end_lineno = lines[first], lines[last]
        if not (same[first] and same[last]):
            node.col_offset = spans[lines[first] - 1][0]
            node.end_col_offset = spans[lines[last] - 1][1]


def _lines_before(
    before: list[str], after: list[str]
) -> tuple[dict[int, int], dict[int, bool]]:
    """Return the old number of each new line, from 1, and which lines are the same."""
    lines: dict[int, int] = {}
    same: dict[int, bool] = {}
    if len(before) == len(after):
        blocks = [("replace", 0, len(before), 0, len(after))]
    else:
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        blocks = list(matcher.get_opcodes())
    for _, start, end, new_start, new_end in blocks:
        even = end - start == new_end - new_start
        old = start
        for new in range(new_start, new_end):
            if even:
                old = start + new - new_start
            else:
                old = _nearest_line(before, old, end, after[new])
            kept = min(old, max(len(before) - 1, 0))
            lines[new + 1] = kept + 1
            same[new + 1] = kept < len(before) and before[kept] == after[new]
    return lines, same


def _nearest_line(before: list[str], begin: int, end: int, line: str) -> int:
    """Return the old line that a new one is made of, or the first."""
    best, found = _LIKE, begin
    for i in range(begin, min(end, begin + _WINDOW)):
        ratio = difflib.SequenceMatcher(None, before[i], line, autojunk=False).ratio()
        if ratio > best:
            best, found = ratio, i
    return found
