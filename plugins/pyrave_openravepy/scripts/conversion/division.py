"""Divisions of Python 2: calls where ``/`` stands, for integers are rounded down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError
from pyrave_openravepy.scripts.conversion.fixes import FixedText

__all__ = ["divide_as_python2"]

_DIVIDE = "python2_divide"
_IN_PLACE = "python2_divide_in_place"
_HOME = "pyrave_openravepy.scripts.python2"
_SIGN = re.compile(rb"(?:#[^\n]*|[^/#])*?(/=?)[ \t]*", re.DOTALL)


def divide_as_python2(fixed: FixedText, path: str) -> FixedText:
    """Return a text with calls of `python2_divide` for ``/``, and their import.

    What is seen to be a division of floats stays.

    Raises
    ------
    ScriptSyntaxError
        A target of ``/=`` holds a call, which would be called twice.
    """
    found = _Divisions(fixed.text, path)
    tree = ast.parse(fixed.text)
    edits = sorted(found.edits(tree))
    if not edits:
        return fixed
    parts, done = [], 0
    for edit in edits:
        parts += [found.data[done : edit.at], edit.text]
        done = edit.end
    changed = b"".join([*parts, found.data[done:]]).decode()
    names = [name for name in (_DIVIDE, _IN_PLACE) if f"{name}(" in changed]
    line = f"from {_HOME} import {', '.join(names)}\n"
    return FixedText(changed, fixed.lines).with_line(_top(tree), line)


def _top(tree: ast.Module) -> int:
    """Return the index of the line behind documentation and future imports."""
    at = 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_text or is_future):
            decorators = getattr(node, "decorator_list", [])
            return at or min(one.lineno for one in (node, *decorators)) - 1
        at = node.end_lineno or 0
    return at


class _Edit(NamedTuple):
    at: int
    end: int
    text: bytes


class _Divisions:
    """Edits that make calls of the divisions of a text."""

    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self.data = text.encode()
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def edits(self, tree: ast.AST) -> Iterator[_Edit]:
        for node in ast.walk(tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                if not (_is_float(node.left) or _is_float(node.right)):
                    yield from self._call(node)
            elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
                if _is_float(node.value):
                    continue
                yield from self._assign(node)

    def _call(self, node: ast.BinOp) -> Iterator[_Edit]:
        start = self._offset(node.lineno, node.col_offset)
        sign = self._sign(node.left, node.right)
        end = self._end(node)
        yield _Edit(start, start, f"{_DIVIDE}(".encode())
        yield _Edit(*sign, b", ")
        yield _Edit(end, end, b")")

    def _assign(self, node: ast.AugAssign) -> Iterator[_Edit]:
        first = self._offset(node.target.lineno, node.target.col_offset)
        target = self.data[first : self._end(node.target)]
        if any(isinstance(one, ast.Call) for one in ast.walk(node.target)):
            raise ScriptSyntaxError(
                "what stands before /= holds a call, which would be called twice: "
                "write the division out",
                self._path, node.lineno, node.col_offset + 1,
            )  # fmt: skip
        end = self._end(node)
        text = b" = " + _IN_PLACE.encode() + b"(" + target + b", "
        yield _Edit(*self._sign(node.target, node.value), text)
        yield _Edit(end, end, b")")

    def _sign(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Return begin and end of the sign between two nodes, with blanks."""
        begin = self._end(left)
        between = self.data[begin : self._offset(right.lineno, right.col_offset)]
        found = _SIGN.match(between)
        assert found is not None, between  # noqa: S101 - the tree says so
        at = found.start(1)
        blanks = len(between[:at]) - len(between[:at].rstrip(b" \t"))
        return begin + at - blanks, begin + found.end()

    def _end(self, node: ast.expr | ast.stmt) -> int:
        line, column = node.end_lineno, node.end_col_offset
        return self._offset(line or 0, column or 0)

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column


def _is_float(node: ast.AST) -> bool:
    """Return True if an expression is seen to be a float."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (float, complex))
    if isinstance(node, ast.UnaryOp):
        return _is_float(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)
    ):
        return _is_float(node.left) or _is_float(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "float"
    if isinstance(node, ast.Attribute):
        return node.attr == "pi"
    return isinstance(node, ast.Name) and node.id == "pi"
