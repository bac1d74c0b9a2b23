"""Messages and lines of clients of servers, and what becomes of them."""

from __future__ import annotations

import json
import math
from functools import cache

import pyrave
from pyrave_serve.call_objects import Desk, Kept, Limits
from pyrave_serve.methods import METHODS
from pyrave_serve.rpc.messages import Call, read_message
from pyrave_serve.text.table import TEXT_COMMANDS, find, run

_POSE = [1, 0, 0, 0, 0.1, 0.2, 0.3]
_CALLS = (
    ("set_transform", {"body": "planar3r", "transform": _POSE}),
    ("set_joints", {"body": "planar3r", "values": {"joint1": 0.5}, "clamp": True}),
    ("solve_ik", {"robot": "planar3r", "target": {"type": "TranslationXY2D",
                                                  "values": [0.5, 0.5]}}),
    ("plan", {"robot": "planar3r", "values": [0, 0.1, 0.2], "timeout": 1.5, "seed": 1}),
    ("raycast", {"origins": [[0, 0, 1]], "directions": [[0, 0, -1]], "bodies": None}),
    ("make_trajectory", {"robot": "planar3r", "waypoints": [[0, 0, 0], [0.1, 0, 0]]}),
    ("read_sensor", {"sensor": "planar3r:laser", "fields": ["ranges"]}),
    ("call_command", {"to": "physicsengine", "command": "c", "arguments": {"a": 1}}),
)  # fmt: skip
MESSAGES = tuple(
    json.dumps({"jsonrpc": "2.0", "id": i, "method": name, "params": params}).encode()
    for i, (name, params) in enumerate(_CALLS)
)
MESSAGES += (b"[" + b",".join(MESSAGES) + b"]",)
MESSAGE_WORDS = (
    *(b'"jsonrpc":"2.0"', b'"method":', b'"params":', b'"id":null', b"{}", b"[]"),
    *(b"null", b"true", b"NaN", b"1e999", b"[[[[", b'"\\ud800"', b"9" * 400),
    *(f'"{name}"'.encode() for name in METHODS),
)

LINES = (
    b"body_getjoints 1 0 2",
    b"body_setjoints 1 2 0.1 0.2 0 1",
    b"body_settransform 1 1 0 0 0 1 0 0 0 1 0 0 0",
    b"body_checkcollision 1 1 0 1 -1",
    b"env_raycollision 0 0 0 1 0 0 -1 0 0 1 1 0 0",
    b"env_triangulate 1 1",
    b"robot_setactivedofs 1 2 0 1 8 0 0 1",
    b"robot_setdof 1 2 0.1 0.2",
    b"robot_getdofvalues 1",
    b"robot_getlimits 1",
    b"robot_getmanipulators 1",
    b"robot_traj 1 2 1 0 0 0 0 0.1 0.1 0.1 0 0.5",
    b"env_getbody planar3r",
    b"env_getbodies",
    b"wait 1 0.1",
)
LINE_WORDS = (b"1", b"0", b"-1", b"999999999", b"nan", b"1e400", b"planar3r", b"\xff")
_CHANGES_MUCH = {"body_destroy", "createmodule", "loadscene", "plot", "createbody",
                 "createrobot", "setoptions", "env_dstrprob"}  # fmt: skip


def read_calls(data: bytes) -> None:
    """Read a message, and the parameters of the calls in it."""
    for call in read_message(data, Limits()).calls:
        if isinstance(call, Call) and call.method in METHODS:
            METHODS[call.method].arguments(call.params)


def do_line(data: bytes) -> None:
    """Do a command of the text protocol."""
    command, words = find(data.decode("utf-8", "replace"))
    assert command.name in TEXT_COMMANDS
    if command.name not in _CHANGES_MUCH:
        run(command, words, _desk())


@cache
def _desk() -> Desk:
    env = pyrave.load("robots/planar3r.robot.xml")
    loading = {"confine": True, "resource_roots": ()}
    limits = Limits()
    return Desk(
        env, loading, limits, Kept.empty(limits), math.inf, lambda: True, lambda: None
    )
