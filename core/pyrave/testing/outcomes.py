"""Outcomes of the tests of one contract, so that a failure is reported once."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from pyrave.testing.time_limit import OverrunError, run_within

if TYPE_CHECKING:
    from collections.abc import Callable

_TENTH = 0.1
# of one object or another
_VARIABLE = re.compile(r"<[^<>]*>|0x[0-9a-f]+|kit_\w+|\d+")
_CAUGHT = re.compile(
    r"(?:raised:? |^(?:hook )?\w+: (?=\w+: ))(.+?)(?: \(fix the plugin.*)?$"
)


class Outcomes:
    """Failures of the tests of a contract, and how long each may take.

    Parameters
    ----------
    seconds
        Of the first test; once one took longer, the others get a tenth.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._reduced = seconds, seconds * _TENTH
        self._first: dict[str, str] = {}

    def limited(self, function: Callable[..., object]) -> Callable[..., None]:
        """Return a function that ends in time, or raises an `OverrunError`."""
        seconds = self._seconds

        @functools.wraps(function)
        def call(**given: Any) -> None:
            try:
                run_within(seconds, functools.partial(function, **given))
            except OverrunError:
                self._seconds = self._reduced
                raise

        return call

    def same_as_before(self, test: str, error: BaseException) -> str | None:
        """Return the test that failed for the same reason, or None for a new one."""
        reason = _reason(error)
        if reason is None:
            return None
        first = self._first.setdefault(reason, test)
        return None if first == test else first


def _reason(error: BaseException) -> str | None:
    """Return the common part of failures of one cause, or None."""
    line = str(error).strip().partition("\n")[0]
    if not isinstance(error, AssertionError):
        line = f"{type(error).__name__}: {line}"
    elif found := _CAUGHT.search(line):
        line = found[1]
    elif not line or line.startswith(("assert ", "Not equal", "Arrays are not")):
        return None
    return _VARIABLE.sub("", line)
