"""From messages to methods, and back."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import NoneType
from typing import Any

from pyrave.errors import (
    ArgumentError,
    Error,
    LockTimeoutError,
    PluginError,
    PluginGuard,
    did_you_mean,
    error_trace,
)
from pyrave.summary import plain
from pyrave_serve.call_objects import Desk
from pyrave_serve.methods import METHODS
from pyrave_serve.methods.method import Method
from pyrave_serve.rpc.messages import (
    Call,
    CallError,
    Code,
    Message,
    answer_of,
    encode,
    result_of,
)
from pyrave_serve.rpc.schema import DISCOVER, document

_log = logging.getLogger("pyrave.serve")


def answer(
    message: Message, desk: Callable[[], AbstractContextManager[Desk]]
) -> str | None:
    """Do the calls of a message in their order.

    Parameters
    ----------
    desk
        Returns what a call acts on, for a ``with`` block.

    Returns
    -------
    str or None
        The answer; None if the client wants none.
    """
    answers = []
    for call in message.calls:
        if isinstance(call, CallError):
            answers.append(answer_of(call))
            continue
        result = _done(call, desk)
        if call.answered:
            answers.append(result)
    if not answers:
        return None
    return encode(answers if message.is_batch else answers[0])


def find(name: str) -> Method:
    """Return a method.

    Raises
    ------
    CallError
        There is none of that name.
    """
    found = METHODS.get(name)
    if found is None:
        known = [*METHODS, DISCOVER]
        raise CallError(
            Code.METHOD,
            f"no method {name[:80]!r}{did_you_mean(name, known)}; {DISCOVER} lists all",
        )
    return found


def _done(
    call: Call, desk: Callable[[], AbstractContextManager[Desk]]
) -> dict[str, Any]:
    """Return the answer to a call."""
    try:
        with PluginGuard(passes=Error) as guard:
            return result_of(call, _called(call, desk))
        assert guard.error is not None  # noqa: S101 - for the type checker
        _log.error("method %s failed:\n%s", call.method, error_trace(guard.error))
        found = _fault(call)
    except CallError as refused:
        found = refused
    except LockTimeoutError as refused:
        found = CallError.from_error(refused, Code.BUSY)
    except PluginError as failed:
        found = CallError.from_error(failed)
        if not isinstance(failed.__cause__, (Error, NoneType)):
            _log.error("method %s failed:\n%s", call.method, error_trace(failed))
            found = _fault(call)
    except Error as refused:
        found = CallError.from_error(refused)
    found.id = call.id
    return answer_of(found)


def _fault(call: Call) -> CallError:
    return CallError(
        Code.INTERNAL,
        f"{call.method} failed by a fault of the server or of a plugin; its log has "
        "the traceback",
    )


def _called(call: Call, desk: Callable[[], AbstractContextManager[Desk]]) -> Any:
    if call.method == DISCOVER:
        return document(METHODS)
    method = find(call.method)
    try:
        arguments = method.arguments(call.params)
    except ArgumentError as error:
        raise CallError.from_error(error, Code.PARAMS) from error
    with desk() as held:
        return plain(method.call(held, arguments))
