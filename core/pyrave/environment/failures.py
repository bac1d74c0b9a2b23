"""Turning an exception of plugin code into a problem record."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from pyrave.errors import Problem, Severity

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.scene import Location

__all__ = ["fail", "failure_problem", "problem_at"]


def fail(env: Environment, item: InterfaceBase, what: str, error: Exception) -> None:
    """Take an object out of use, on the record of its plugin too."""
    env.registry.report_failure(item, error, what)
    env.disable(item, failure_problem(item, what, error))


def failure_problem(
    item: InterfaceBase,
    what: str,
    error: BaseException,
    *,
    outcome: str = "is disabled",
    hint: str = "fix the plugin, then remove and add the object again",
) -> Problem:
    """Return a problem that names the object, its plugin and the traceback."""
    origin = f" of plugin {item.plugin!r}" if item.plugin else ""
    return Problem(
        Severity.WARNING,
        f"{item!r}{origin} {outcome}: {what}: {type(error).__name__}: {error}",
        hint=hint,
        traceback="".join(traceback.format_exception(error)),
        code="plugin-failure",
    )


def problem_at(
    location: Location | None,
    message: str,
    *,
    code: str,
    hint: str | None = None,
    severity: Severity = Severity.WARNING,
    trace: str | None = None,
) -> Problem:
    """Return a problem at the place where a description item came from."""
    return Problem(
        severity,
        message,
        file=location.file if location else None,
        line=location.line if location else None,
        column=location.column if location else None,
        hint=hint,
        traceback=trace,
        code=code,
    )
