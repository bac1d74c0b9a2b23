"""What a check is, and how it says that something is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.testing.subject import Subject

__all__ = ["Check", "NotApplicable", "Violation", "check", "checks_in", "require"]


class Violation(Exception):  # noqa: N818 - it is a verdict, not an error of pyrave
    """The contract is not kept: what was seen, and how to fix it."""

    def __init__(self, seen: str, fix: str = "") -> None:
        super().__init__(seen, fix)
        self.seen = seen
        self.fix = fix


class NotApplicable(Exception):  # noqa: N818 - as above
    """The check does not apply to this interface; says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule of a contract.

    Parameters
    ----------
    name
        Short name with hyphens, unique within a suite.
    contract
        What the rule says, one sentence.
    method
        Method of the interface to look at when it fails.
    function
        Raises `Violation` when the rule is broken, `NotApplicable` to be skipped; any
        other exception is a failure too.
    """

    name: str
    contract: str
    method: str
    function: Callable[[Subject], None]

    def __call__(self, subject: Subject) -> None:
        """Apply the rule."""
        self.function(subject)


def check(
    name: str, contract: str, method: str = "__init__"
) -> Callable[[Callable[[Subject], None]], Check]:
    """Make a `Check` of a function."""

    def make(function: Callable[[Subject], None]) -> Check:
        return Check(name, contract, method, function)

    return make


def checks_in(module: ModuleType) -> tuple[Check, ...]:
    """Return the checks that a module defines, in order."""
    return tuple(value for value in vars(module).values() if isinstance(value, Check))


def require(condition: object, seen: str, fix: str = "") -> None:
    """Raise `Violation` unless the condition is true."""
    if not condition:
        raise Violation(seen, fix)
