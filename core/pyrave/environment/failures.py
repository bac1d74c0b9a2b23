"""Conversion of exceptions of plugin code to problem records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pyrave.errors import (
    Error,
    PluginError,
    PluginGuard,
    Problem,
    Severity,
    error_text,
    error_trace,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.scene import Location

T = TypeVar("T")

_FIX = "fix the plugin, then remove and add the object again"
# an error of pyrave's own kinds says what is wrong with a scene or with settings
_PUT_RIGHT = "put that right, then assign False to the object's `disabled`"


def fail(
    env: Environment, item: InterfaceBase, what: str, error: BaseException
) -> None:
    """Take an object out of use, on the record of its plugin too."""
    env.registry.report_failure(item, error, what)
    hint = _PUT_RIGHT if isinstance(error, Error) else _FIX
    env.internals.record.disable(item, failure_problem(item, what, error, hint=hint))


def guarded(env: Environment, item: InterfaceBase, what: str) -> PluginGuard:
    """Return a guard that takes an object out of use when its code raises."""
    return PluginGuard(partial(fail, env, item, what))


def attempted(
    env: Environment,
    item: InterfaceBase,
    function: Callable[[], T],
    fallback: Callable[[], T],
    *,
    what: str,
    outcome: str,
) -> T:
    """Return the result of plugin code; if it raises, report it and fall back."""
    with PluginGuard() as guard:
        return function()
    assert guard.error is not None  # noqa: S101 - for the type checker
    env.report_problem(
        failure_problem(
            item, what, guard.error, outcome=outcome, hint="fix or update the plugin"
        )
    )
    return fallback()


def failure_problem(
    item: InterfaceBase,
    what: str,
    error: BaseException,
    *,
    outcome: str = "is disabled",
    hint: str | None = _FIX,
    location: Location | None = None,
) -> Problem:
    """Return a problem that names the object, its plugin and the traceback."""
    if isinstance(error, PluginError) and error.__cause__ is not None:
        error = error.__cause__  # it says the same
    return problem_at(
        location,
        f"{shown(item)}{of_plugin(item)} {outcome}: {what}: {error_text(error)}",
        code="plugin-failure",
        hint=hint,
        trace=error_trace(error),
    )


def of_plugin(item: InterfaceBase) -> str:
    """Return ``" of plugin 'name'"`` for messages, empty for what a script defines."""
    return f" of plugin {item.plugin!r}" if item.plugin else ""


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
