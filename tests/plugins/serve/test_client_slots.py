"""Slots of clients: silent ones and crowds keep nobody out, tokens stay secret."""

from __future__ import annotations

import gc
import socket
import time
from contextlib import suppress
from threading import Thread

import pytest
from serving import PATIENCE, RpcClient, known_client

import pyrave
from pyrave_serve.call_objects import Limits
from pyrave_serve.client_slots import Slot, Slots
from pyrave_serve.rpc.access import AUTO


def test_too_many_clients():
    server = pyrave.Environment().create("module", "jsonrpcserver")
    server.limits = Limits(clients=4)
    server.open(port=0)
    try:
        held = [known_client(server) for _ in range(4)]
        with socket.create_connection(("localhost", server.port)) as one:
            one.settimeout(PATIENCE)
            assert one.recv(100).startswith(b"HTTP/1.1 503")
        for one in held:
            assert one("get_time") is not None
            one.close()
        known_client(server).close()
    finally:
        server.close()


@pytest.mark.parametrize("token", ["", AUTO])
def test_silent_clients_keep_nobody_out(token):
    server = pyrave.Environment().create("module", "jsonrpcserver")
    server.limits = Limits(silent_seconds=10 * PATIENCE)  # nobody leaves meanwhile
    server.open(port=0, token=token or None)
    address = ("localhost", server.port)
    held = [socket.create_connection(address) for _ in range(200)]
    try:
        client = known_client(server, token=server.token)
        # and they do not push out who has been let in
        held += [socket.create_connection(address) for _ in range(200)]
        assert client("get_time") is not None
        client.close()
    finally:
        for one in held:
            one.close()
        server.close()


def test_who_says_nothing_is_sent_away():
    server = pyrave.Environment().create("module", "jsonrpcserver")
    server.limits = Limits(silent_seconds=1.0)
    server.open(port=0, token=AUTO)
    try:
        stranger = socket.create_connection(("localhost", server.port))
        stranger.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n")
        client = known_client(server, token=server.token)
        stranger.settimeout(PATIENCE)
        with suppress(ConnectionError):
            assert stranger.recv(100) == b""
        time.sleep(1.1)
        assert client("get_time") is not None
    finally:
        server.close()


def test_a_crowd_from_one_computer_leaves_room_for_others():
    server = pyrave.Environment().create("module", "jsonrpcserver")
    server.limits = Limits(clients=4, clients_per_address=2)
    server.open(port=0)
    try:
        crowd = [known_client(server) for _ in range(2)]
        with socket.create_connection(("localhost", server.port)) as one:
            one.settimeout(PATIENCE)
            assert one.recv(100).startswith(b"HTTP/1.1 503")
        other = socket.create_connection(
            ("127.0.0.1", server.port), source_address=("127.0.0.7", 0)
        )
        other.settimeout(PATIENCE)
        other.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert other.recv(100).startswith(b"HTTP/1.1 200")
        other.close()
        for one in crowd:
            one.close()
    finally:
        server.close()


def test_a_crowd_pushes_out_its_own():
    """A newcomer from elsewhere is not the one that leaves, though it is oldest."""
    closed = []
    slots = Slots(Limits(clients=6, clients_per_address=4))
    honest = Slot("10.0.0.1", lambda: closed.append("honest"))
    assert slots.admit(honest)
    for turn in range(100):
        address = f"10.0.0.{2 + turn % 2}"
        assert slots.admit(Slot(address, lambda: closed.append("hostile")))
    assert closed == ["hostile"] * 95
    assert honest in slots.slots


def test_who_guesses_tokens_gets_one_answer():
    server = pyrave.Environment().create("module", "jsonrpcserver")
    server.open(port=0, token=AUTO)
    try:
        with socket.create_connection(("localhost", server.port)) as one:
            one.settimeout(PATIENCE)
            head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
            one.sendall((head + b"Authorization: Bearer wrong\r\n\r\n") * 20)
            said = b""
            with suppress(ConnectionError):
                while more := one.recv(10_000):
                    said += more
        assert said.count(b"HTTP/1.1 401") == 1
    finally:
        server.close()


def test_the_token_is_in_no_log(caplog):
    caplog.set_level("DEBUG")
    server = pyrave.Environment().create("module", "jsonrpcserver")
    opened = server.open(port=0, token=AUTO)
    try:
        stranger = RpcClient(server, token=server.token[:-1] + "!")
        assert stranger.post("{}")[0] == 401
        assert f"port {server.port}" in caplog.text
        assert server.token not in caplog.text
        assert server.token not in repr(opened)
    finally:
        server.close()


@pytest.mark.parametrize("kind", ["jsonrpcserver", "textserver"])
def test_who_connects_while_it_ends_is_let_go(kind, recwarn):
    for number in range(20):
        server = pyrave.Environment().create("module", kind)
        server.open(port=0)
        knocking = Thread(target=_knock, args=(server.port,))
        knocking.start()
        time.sleep(0.001 * (number % 10))
        server.close()
        knocking.join()
    gc.collect()
    assert not [one for one in recwarn if one.category is ResourceWarning]


def _knock(port):
    """Connect until nobody listens."""
    held = []
    with suppress(OSError):
        held.extend(socket.create_connection(("localhost", port)) for _ in range(200))
    for one in held:
        one.close()
