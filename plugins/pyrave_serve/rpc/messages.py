"""JSON-RPC 2.0: calls in messages of clients, and answers to them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from pyrave.errors import Error, Problem, SceneError, Severity, shortened
from pyrave.summary import plain, problem_summary
from pyrave_serve.call_objects import Limits
from pyrave_serve.rpc.redaction import redacted, without_folders

_VERSION = "2.0"
_MEMBERS = {"jsonrpc", "method", "params", "id"}


class Code(IntEnum):
    """Error codes, for programs."""

    PARSE = -32700
    REQUEST = -32600
    METHOD = -32601
    PARAMS = -32602
    INTERNAL = -32603
    REFUSED = -32000
    BUSY = -32001


class CallError(Error):
    """A call cannot be done.

    Parameters
    ----------
    code
        The kind of error.
    message
        What is wrong.
    data
        More about it.
    id
        Of the call, if it is known.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        data: Any = None,
        id: Any = None,  # noqa: A002
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.id = code, message, data, id

    @classmethod
    def from_error(cls, error: Error, code: Code = Code.REFUSED) -> CallError:
        """Return an error of pyrave as clients receive it."""
        return cls(code, without_folders(shortened(str(error))), _data_of(error))


@dataclass(frozen=True)
class Call:
    """A call in a message.

    Parameters
    ----------
    method
        Its name.
    params
        A list or an object.
    id
        What the answer carries.
    answered
        Whether the client wants an answer.
    """

    method: str
    params: Any
    id: Any = None
    answered: bool = True


@dataclass(frozen=True)
class Message:
    """Message of a client: calls, in a list or not, some of them wrong."""

    calls: tuple[Call | CallError, ...]
    is_batch: bool


def read_message(text: str | bytes, limits: Limits) -> Message:
    """Return the calls in a message.

    Raises
    ------
    CallError
        It is no JSON, or nothing that holds calls.
    """
    data = _parsed(text)
    if _too_deep(data, limits.depth):
        raise CallError(
            Code.REQUEST,
            f"lists and objects are nested deeper than {limits.depth} levels",
        )
    if not isinstance(data, list):
        return Message((_call(data),), is_batch=False)
    if not data or len(data) > limits.batch:
        raise CallError(
            Code.REQUEST, f"{len(data)} calls in a list, expected 1 to {limits.batch}"
        )
    return Message(tuple(map(_call, data)), is_batch=True)


def result_of(call: Call, result: Any) -> dict[str, Any]:
    """Return the answer to a call that was done, given data of JSON."""
    return {"jsonrpc": _VERSION, "result": result, "id": call.id}


def answer_of(error: CallError) -> dict[str, Any]:
    """Return the answer to a call that was not."""
    said: dict[str, Any] = {"code": int(error.code), "message": error.message}
    if error.data is not None:
        said["data"] = plain(error.data)
    return {"jsonrpc": _VERSION, "error": said, "id": error.id}


def notification(method: str, params: Any) -> dict[str, Any]:
    """Return a message of the server that nobody answers."""
    return {"jsonrpc": _VERSION, "method": method, "params": plain(params)}


def encode(data: Any) -> str:
    """Return a message as text."""
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def _parsed(text: str | bytes) -> Any:
    try:
        whole = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(
            whole,
            parse_float=_finite,
            parse_constant=_refuse,
            object_pairs_hook=_once,
        )
    except RecursionError:
        reason = "lists and objects are nested too deep"
    except ValueError as error:
        reason = str(error)
    raise CallError(Code.PARSE, f"the message is no JSON: {reason}")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits[:40])


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has a name twice")
    return made


def _too_deep(data: Any, most: int) -> bool:
    level = [data]
    for _ in range(most + 1):
        level = [
            inner
            for one in level
            if isinstance(one, (list, dict))
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def _call(data: Any) -> Call | CallError:
    if not isinstance(data, dict):
        return CallError(Code.REQUEST, "a call is an object with jsonrpc and method")
    number = data.get("id")
    known = number is None or (
        isinstance(number, (str, int, float)) and not isinstance(number, bool)
    )
    answered = number if known else None
    if not known:
        reason = "id is neither a text nor a number"
    elif data.get("jsonrpc") != _VERSION:
        reason = 'jsonrpc is missing or another version, expected "jsonrpc": "2.0"'
    elif not isinstance(data.get("method"), str):
        reason = "method is missing or no text"
    elif not isinstance(data.get("params", {}), (list, dict)):
        reason = "params are neither a list nor an object"
    elif not data.keys() <= _MEMBERS:
        strange = ", ".join(map(repr, sorted(data.keys() - _MEMBERS)))
        reason = f"a call has no {strange[:80]}"
    else:
        return Call(data["method"], data.get("params", {}), number, "id" in data)
    return CallError(Code.REQUEST, reason, id=answered)


def _data_of(error: Error) -> dict[str, Any]:
    """Return the parts of an error."""
    problems = (
        error.problems
        if isinstance(error, SceneError)
        else (Problem(Severity.ERROR, str(error), hint=getattr(error, "hint", None)),)
    )
    found = [redacted(problem_summary(one)) for one in problems]
    for one in found:
        one["message"] = shortened(one["message"])
    return {
        "type": type(error).__name__,
        "hint": next((one["hint"] for one in found if one["hint"]), None),
        "problems": found,
    }
