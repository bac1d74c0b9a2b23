"""Faults in the text of a script."""

from __future__ import annotations

from pyrave.errors import Error

__all__ = ["ScriptSyntaxError"]


class ScriptSyntaxError(Error, SyntaxError):
    """A script is neither Python 3 nor Python 2; says where.

    Parameters
    ----------
    message
        What is wrong.
    path
        The file.
    line, column
        Place in it, from 1.
    """

    def __init__(self, message: str, path: str, line: int, column: int) -> None:
        self.reason = message
        self.column = column
        super().__init__(message, (path, line, column, None))

    def __str__(self) -> str:
        return f"{self.filename}:{self.lineno}:{self.column}: {self.reason}"

    def __reduce__(self) -> tuple[type[ScriptSyntaxError], tuple[object, ...]]:
        return type(self), (self.reason, self.filename, self.lineno, self.column)
