"""Messages of JSON-RPC 2.0, as the specification has them, and hostile ones."""

from __future__ import annotations

import json

import pytest

from pyrave_serve.call_objects import Limits
from pyrave_serve.rpc.messages import Call, CallError, encode, read_message

LIMITS = Limits()
CALL = '{"jsonrpc": "2.0", "method": "m", "id": 1}'


def refused(text, limits=LIMITS):
    with pytest.raises(CallError) as caught:
        read_message(text, limits)
    return caught.value


def test_a_call():
    message = read_message(b'{"jsonrpc": "2.0", "method": "m", "params": [1]}', LIMITS)
    assert message.calls == (Call("m", [1], None, answered=False),)
    assert not message.is_batch


def test_null_as_id_wants_an_answer():
    (call,) = read_message('{"jsonrpc":"2.0","method":"m","id":null}', LIMITS).calls
    assert call.answered
    assert call.id is None


def test_several_calls():
    message = read_message(f"[{CALL}, 1, {CALL}]", LIMITS)
    assert message.is_batch
    assert [isinstance(one, Call) for one in message.calls] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", -32700, "no JSON"),
        ("{", -32700, "no JSON"),
        (b"\xff\xfe{}", -32700, "no JSON"),
        ("[1e400]", -32700, "1e400 is no number of JSON"),
        ("[NaN]", -32700, "NaN is no number of JSON"),
        ("[-Infinity]", -32700, "-Infinity is no number of JSON"),
        ('{"a": 1, "a": 2}', -32700, "an object has a name twice"),
        ("[" * 100_000, -32700, "nested too deep"),
        ('{"a":' * 100_000, -32700, "nested too deep"),
        ("9" * 10_000, -32700, "no JSON"),
        ("[]", -32600, "0 calls in a list, expected 1 to 100"),
        (f"[{','.join([CALL] * 101)}]", -32600, "101 calls in a list"),
        ("[" * 40 + "]" * 40, -32600, "nested deeper than 32 levels"),
    ],
    ids=range(13),
)
def test_a_message_that_is_none(text, code, words):
    error = refused(text)
    assert error.code == code
    assert words in error.message


@pytest.mark.parametrize(
    ("call", "words", "known"),
    [
        ("1", "a call is an object", None),
        ('{"method": "m", "id": 1}', '"jsonrpc": "2.0"', 1),
        ('{"jsonrpc": 2.0, "method": "m", "id": 1}', '"jsonrpc": "2.0"', 1),
        ('{"jsonrpc": "2.0", "id": "a"}', "method is missing", "a"),
        ('{"jsonrpc": "2.0", "method": 1, "id": 1}', "method is missing or no text", 1),
        ('{"jsonrpc": "2.0", "method": "m", "params": 1, "id": 1}', "params are", 1),
        ('{"jsonrpc": "2.0", "method": "m", "id": [1]}', "id is neither", None),
        ('{"jsonrpc": "2.0", "method": "m", "id": true}', "id is neither", None),
        ('{"jsonrpc": "2.0", "method": "m", "parms": 1, "id": 1}', "no 'parms'", 1),
    ],
    ids=range(9),
)
def test_a_call_that_is_none(call, words, known):
    (error,) = read_message(call, LIMITS).calls
    assert isinstance(error, CallError)
    assert error.code == -32600
    assert words in error.message
    assert error.id == known


def test_what_is_said_is_json_whatever_it_holds():
    text = encode({"a": "\ud800 \u2028 \N{GREEK SMALL LETTER PI}"})
    assert json.loads(text.encode("utf-8"))["a"].endswith("\N{GREEK SMALL LETTER PI}")
