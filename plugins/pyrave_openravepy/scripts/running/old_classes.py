"""Classes of scripts, whose instances compare and hash as those of Python 2."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

__all__ = ["class_builder"]

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}
_COMPARISONS = {**_ORDERS, "__eq__": operator.eq, "__ne__": operator.ne}


def class_builder(*, ordered: bool) -> Callable[..., Any]:
    """Return a function for ``class`` statements.

    Parameters
    ----------
    ordered
        Whether instances have an order that the class does not say, as ends of equal
        rows of a heap had.
    """

    def build(*args: Any, **named: Any) -> Any:
        made = builtins.__build_class__(*args, **named)
        if isinstance(made, type):
            _compare_as_before(made, ordered=ordered)
        return made

    return build


def _compare_as_before(made: type, *, ordered: bool) -> None:
    own = vars(made)
    if "__cmp__" in own:
        for name, compare in _COMPARISONS.items():
            if name not in own:
                setattr(made, name, _by_cmp(compare))
    if "__eq__" in own and own.get("__hash__", made) is None:
        del made.__hash__  # which Python 3 has set
    orders = [getattr(made, name) is getattr(object, name) for name in _ORDERS]
    if ordered and all(orders):
        for name, compare in _ORDERS.items():
            setattr(made, name, _by_rank(compare))


def _by_cmp(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        found = self.__cmp__(other)
        return found if found is NotImplemented else compare(found, 0)

    return method


def _by_rank(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def method(self: Any, other: Any) -> bool:
        return compare(_rank(self), _rank(other))

    return method


def _rank(thing: Any) -> tuple[str, int]:
    # None and numbers come first
    number = thing is None or isinstance(thing, (int, float))
    return "" if number else type(thing).__name__, id(thing)
