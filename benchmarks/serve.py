"""What a call over the network costs, and a client that receives poses.

Calls of one client over HTTP (one connection), WebSocket and the text protocol, and of
ten clients at once; the same method called in Python is the peer. Then processor time
of sending a client all poses of many moving bodies.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

from measuring import report
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import pyrave
from pyrave.scene import body_from_boxes

CALLS = 500
CLIENTS = 10
ASKED = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "get_joints", "params": {"body": "heron7"}}
)
HEADERS = {"Content-Type": "application/json"}


def over_http(port: int) -> Callable[[], Any]:
    connection = http.client.HTTPConnection("localhost", port)

    def call() -> Any:
        connection.request("POST", "/", ASKED, HEADERS)
        return json.loads(connection.getresponse().read())["result"]

    return call


def over_websocket(port: int, stack: ExitStack) -> Callable[[], Any]:
    talk = stack.enter_context(connect(f"ws://localhost:{port}/", compression=None))

    def call() -> Any:
        talk.send(ASKED)
        return json.loads(talk.recv())["result"]

    return call


def over_text(port: int) -> Callable[[], Any]:
    client = socket.create_connection(("localhost", port))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call() -> Any:
        client.sendall(b"body_getjoints 3\n")
        (length,) = struct.unpack("<i", client.recv(4, socket.MSG_WAITALL))
        return client.recv(length, socket.MSG_WAITALL).split()

    return call


def per_call(calls: list[Callable[[], Any]], count: int) -> float:
    """Return microseconds a call, of clients that call at once."""

    def repeat(call: Callable[[], Any]) -> None:
        for _ in range(count):
            call()

    for call in calls:
        call()
    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1e6 * (time.perf_counter() - begin) / (count * len(calls))


def latencies(count: int) -> dict[str, float]:
    env = pyrave.load("scenes/demo.env.xml")
    server: Any = env.create("module", "jsonrpcserver")
    texts: Any = env.create("module", "textserver")
    server.open(port=0)
    texts.open(port=0)
    robot = env.robots["heron7"]

    def here() -> Any:
        with env:
            return robot.dof_values.tolist(), robot.dof_limits, robot.dof_velocities

    stack = ExitStack()
    found = {
        "python": per_call([here], count),
        "http": per_call([over_http(server.port)], count),
        "websocket": per_call([over_websocket(server.port, stack)], count),
        "text": per_call([over_text(texts.port)], count),
    }
    several = [over_http(server.port) for _ in range(CLIENTS)]
    found[f"http_{CLIENTS}_clients"] = per_call(several, count // CLIENTS)
    several = [over_websocket(server.port, stack) for _ in range(CLIENTS)]
    found[f"websocket_{CLIENTS}_clients"] = per_call(several, count // CLIENTS)
    stack.close()
    server.close()
    texts.close()
    return {name: round(value, 1) for name, value in found.items()}


def sent(bodies: int, rate: float, seconds: float) -> dict[str, float]:
    """Return how a client receives the poses of bodies that all move."""
    env = pyrave.Environment()
    for i in range(bodies):
        env.create_body(body_from_boxes(f"b{i}", [[0, 0, 0, 0.1, 0.1, 0.1]]))
    server: Any = env.create("module", "jsonrpcserver")
    server.open(port=0)
    received: list[int] = []

    def listen(talk: Any) -> None:
        with suppress(ConnectionClosed):
            while True:
                received.append(len(talk.recv()))

    address = f"ws://localhost:{server.port}/"
    with connect(address, compression=None, max_size=None) as talk:
        call = {"jsonrpc": "2.0", "method": "subscribe", "params": {"rate": rate}}
        talk.send(json.dumps(call))
        threading.Thread(target=listen, args=(talk,), daemon=True).start()
        begin, used, moving, moves = time.perf_counter(), time.process_time(), 0.0, 0
        while (now := time.perf_counter() - begin) < seconds:
            before = time.process_time()
            with env:
                for body in env.bodies:
                    body.transform = [1, 0, 0, 0, now, 0, 0]
                env.publish()
            moving += time.process_time() - before
            moves += 1
            time.sleep(max(0.0, moves / rate - (time.perf_counter() - begin)))
        spent = time.process_time() - used - moving
    server.close()
    return {
        "bodies": bodies,
        "moves_per_second": round(moves / seconds, 1),
        "messages_per_second": round(len(received) / seconds, 1),
        "bytes_per_message": received[-1],
        "core_share": round(spent / seconds, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--bodies", type=int, default=200)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    report(
        "serve",
        microseconds_per_call=latencies(options.calls),
        poses_sent=sent(options.bodies, options.rate, options.seconds),
    )


if __name__ == "__main__":
    main()
