"""Clients that mean harm, and an honest one beside them that calls all the time.

The server has a token, which the hostile clients do not know. They come from other
addresses of this computer than the honest one, so that each has the slots of one
computer, as strangers in a network have. A text server, which knows no tokens, meets
those that say nothing or no line.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import random
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

TOKEN = "honest-clients-alone"  # noqa: S105 - of a benchmark
_HOSTS = [f"127.0.0.{number}" for number in range(2, 8)]
_PATIENCE = 20.0
_HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
_CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "get_time", "params": {}})
_SERVER = (sys.executable, "-m", "pyrave", "serve", "scenes/demo.env.xml", "--json")


def _connected(port: int, host: str) -> socket.socket:
    return socket.create_connection(
        ("127.0.0.1", port), timeout=_PATIENCE, source_address=(host, 0)
    )


def _silent(port: int, held: list[socket.socket], host: str) -> None:
    """Connect and say nothing."""
    held.append(_connected(port, host))


def _slow(port: int, held: list[socket.socket], host: str) -> None:
    """Send a byte of a head now and then, to all that are held."""
    held.append(_connected(port, host))
    for one in held:
        with contextlib.suppress(OSError):
            one.send(b"P")


def _halved(port: int, held: list[socket.socket], host: str) -> None:
    """Announce a message of 4 MB, send a part of it, and wait."""
    one = _connected(port, host)
    one.sendall(_HEAD + b"Content-Length: 4000000\r\n\r\n" + bytes(10_000))
    held.append(one)


def _noisy(port: int, held: list[socket.socket], host: str) -> None:
    """Send what is no HTTP."""
    one = _connected(port, host)
    one.sendall(random.randbytes(20_000))  # noqa: S311 - no secrets
    held.append(one)


def _guessing(port: int, held: list[socket.socket], host: str) -> None:
    """Call with a wrong token, and read nothing of the answers."""
    one = _connected(port, host)
    wrong = b"Authorization: Bearer wrong-wrong-wrong-wrong\r\n"
    size = b"Content-Length: %d\r\n\r\n" % len(_CALL)
    one.sendall((_HEAD + wrong + size + _CALL.encode()) * 20)
    held.append(one)


def _leaving(port: int, _held: list[socket.socket], host: str) -> None:
    """Connect and reset the connection at once."""
    one = _connected(port, host)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


def _endless(port: int, held: list[socket.socket], host: str) -> None:
    """Send a line that does not end."""
    one = _connected(port, host)
    one.sendall(b"x" * 60_000)
    held.append(one)


_Attack = Callable[[int, list[socket.socket], str], None]
HTTP_ATTACKS: dict[str, _Attack] = {
    "nobody": lambda *_: time.sleep(0.01),
    "silent": _silent,
    "slow": _slow,
    "halved": _halved,
    "noisy": _noisy,
    "guessing": _guessing,
    "leaving": _leaving,
}
TEXT_ATTACKS: dict[str, _Attack] = {
    "silent": _silent, "endless": _endless, "leaving": _leaving,
}  # fmt: skip


def attack(act: _Attack, port: int, count: Any) -> None:
    """Attack until this process is ended; hold as many connections as stay open."""
    held: list[socket.socket] = []
    turn = 0
    while True:
        turn += 1
        with contextlib.suppress(OSError):
            act(port, held, _HOSTS[turn % len(_HOSTS)])
        count.value = turn
        for one in held[:-500]:
            one.close()
        del held[:-500]
        time.sleep(0.001)


def _call_http(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    with contextlib.closing(connection):
        connection.request("POST", "/", _CALL, headers)
        answer = json.loads(connection.getresponse().read())
    assert "simulation_time" in answer["result"]  # noqa: S101 - or it was no answer


def _call_text(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as client:
        client.sendall(b"env_getbody mug\n")
        (length,) = struct.unpack("<i", client.recv(4, socket.MSG_WAITALL))
        assert int(client.recv(length)) > 0  # noqa: S101 - or it was no answer


def latencies(
    call: Callable[[int], None], act: _Attack, port: int, seconds: float
) -> dict[str, float]:
    """Return what calls of an honest client take while others attack."""
    count = multiprocessing.Value("q", 0)
    hostile = multiprocessing.Process(target=attack, args=(act, port, count))
    hostile.start()
    times, failed = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.perf_counter()
        try:
            call(port)
        except (OSError, http.client.HTTPException, AssertionError, struct.error):
            failed += 1
        times.append(time.perf_counter() - begin)
        time.sleep(0.005)
    hostile.kill()
    hostile.join()
    return {
        "attacks": count.value,
        "calls": len(times),
        "failed": failed,
        "p50_ms": round(1e3 * float(np.median(times)), 2),
        "p99_ms": round(1e3 * float(np.quantile(times, 0.99)), 2),
        "max_ms": round(1e3 * max(times), 2),
    }


@contextlib.contextmanager
def _server(*options: str) -> Iterator[dict[str, Any]]:
    """Start ``pyrave serve``, and give what it says."""
    process = subprocess.Popen(
        [*_SERVER, "--port", "0", *options],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYRAVE_MESSAGES": "none"},
    )  # fmt: skip
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    try:
        yield json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
    finally:
        process.kill()
        process.wait()


def honest_beside_hostile(seconds: float) -> dict[str, Any]:
    """Return what an honest client waits beside each kind of hostile clients.

    Parameters
    ----------
    seconds
        Of each.
    """
    found: dict[str, Any] = {}
    with _server("--token", TOKEN) as said:
        port = said["jsonrpcserver"]["port"]
        _call_http(port)
        found["http"] = {
            name: latencies(_call_http, act, port, seconds)
            for name, act in HTTP_ATTACKS.items()
        }
    with _server("--text", "--text-port", "0") as said:
        port = said["textserver"]["port"]
        _call_text(port)
        found["text"] = {
            name: latencies(_call_text, act, port, seconds)
            for name, act in TEXT_ATTACKS.items()
        }
    every = [one for kind in found.values() for one in kind.values()]
    found["target_ms"] = 1000
    found["worst_ms"] = max(one["max_ms"] for one in every)
    found["failed"] = sum(one["failed"] for one in every)
    return found
