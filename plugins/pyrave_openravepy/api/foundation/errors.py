"""Exceptions that scripts catch by OpenRAVE's names."""

# ruff: noqa: N801

from __future__ import annotations

import pyrave.errors
from pyrave_openravepy.api.enums import ErrorCode, set_error

__all__ = ["NotSupportedError", "PlanningError", "openrave_exception", "planning_error"]


class openrave_exception(pyrave.errors.Error):
    """An error of OpenRAVE's API, with its code.

    Parameters
    ----------
    message
        What was wrong, and what to do.
    code
        An `ErrorCode`.
    """

    def __init__(self, message: str = "", code: int = ErrorCode.Failed) -> None:
        super().__init__(message)
        self._code = ErrorCode(code)

    def message(self) -> str:
        """Return the text without the code."""
        return str(self.args[0])

    def GetCode(self) -> ErrorCode:
        """Return the code."""
        return self._code

    def __str__(self) -> str:
        return f"openrave ({self._code.name}): {self.message()}"

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (self.message(), int(self._code))


class NotSupportedError(openrave_exception, pyrave.errors.NotSupportedError):
    """A name of OpenRAVE's API that has no equal here; the message says what to use."""

    def __init__(
        self, message: str = "", code: int = ErrorCode.CommandNotSupported
    ) -> None:
        super().__init__(message, code)


class PlanningError(Exception):
    """A planner or a command found no motion.

    Parameters
    ----------
    parameter
        The cause.
    recoverySuggestions
        What may help, if anything is known.
    """

    def __init__(
        self,
        parameter: str = "",
        recoverySuggestions: list[str] | None = None,
    ) -> None:
        super().__init__(parameter)
        self.parameter = parameter
        self.recoverySuggestions = list(recoverySuggestions or ())

    def __str__(self) -> str:
        hints = "".join(f"\n{one}" for one in self.recoverySuggestions)
        return f"Planning Error: {self.parameter}{hints}"


planning_error = PlanningError
set_error(lambda text: openrave_exception(text, ErrorCode.InvalidArguments))
