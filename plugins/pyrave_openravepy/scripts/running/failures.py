"""Errors that a script does not catch, as Python shows them: its own lines only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

__all__ = ["show_failure"]

_OURS = str(Path(__file__).parents[1])
_IMPORTS = "<frozen importlib"


def show_failure(error: BaseException) -> None:
    """Show an error by ``sys.excepthook``, its own frames only."""
    for one in _chain(error):
        one.__traceback__ = _own_frames(one.__traceback__)
    sys.excepthook(type(error), error, error.__traceback__)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that led to it, each once."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            todo += [one.__cause__, one.__context__]
            yield one


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without frames of this package and of the import system."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    while frames and not _is_script(frames[0]):
        del frames[0]
    result: TracebackType | None = None
    for one in reversed(frames):
        if _is_script(one):
            result = TracebackType(result, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return result


def _is_script(trace: TracebackType) -> bool:
    file = trace.tb_frame.f_code.co_filename
    return not file.startswith((_OURS, _IMPORTS))
