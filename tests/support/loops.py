"""Tests that go over many values as one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def each(name: str, values: Iterable[Any]) -> Callable[[Any], Any]:
    """Call a test with each value of an argument; a failure says with which.

    A case of its own takes longer than most such tests. Fixtures are made once.
    """
    wanted = tuple(values)

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        others = [one for one in signature.parameters.values() if one.name != name]

        @functools.wraps(test)
        def go_over(*args: Any, **keywords: Any) -> None:
            for value in wanted:
                try:
                    test(*args, **keywords, **{name: value})
                except BaseException as error:
                    error.add_note(f"with {name}={value!r}")
                    raise

        go_over.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return go_over

    return decorated
