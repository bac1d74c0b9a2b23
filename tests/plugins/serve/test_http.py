"""The JSON-RPC server on the network: who may call, and what hostile clients get."""

from __future__ import annotations

import gc
import json
import socket
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException

import pytest
from serving import EVERYWHERE, PATIENCE, RpcClient
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import pyrave
from pyrave.summary import scene_summary
from pyrave_serve import module
from pyrave_serve.call_objects import Limits
from pyrave_serve.rpc.access import AUTO, Access, RefusedError
from pyrave_serve.worker import Worker

TIME = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "get_time"})
HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def server():
    """A server of an empty environment, which is quick to start."""
    env = pyrave.Environment()
    made = env.create("module", "jsonrpcserver")
    made.limits = Limits(clients=16, message_bytes=10_000)
    made.open(port=0)
    yield made
    made.close()


def talk(server):
    address = f"ws://localhost:{server.port}/"
    return connect(address, open_timeout=PATIENCE, compression=None)


def raw(server, data, *, half_close=False):
    """Return all that is said to bytes until the server closes the connection."""
    with socket.create_connection(("localhost", server.port), timeout=PATIENCE) as one:
        found = b""
        # it may be closed before all is sent
        with suppress(OSError):
            one.sendall(data)
            if half_close:
                one.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while more := one.recv(65536):
                found += more
    return found


def asked(verb, path="/"):
    """Return a request without a body."""
    head = f"{verb} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    return head.encode()


def still_answers(server):
    client = RpcClient(server, token=server.token)
    try:
        return client("get_time")["simulation_time"] == 0
    finally:
        client.close()


# -- who may call ------------------------------------------------------------------


def passes(access, host="localhost:1", origin=None, authorization=None, token=""):
    try:
        access.check(host, origin, authorization, token)
    except RefusedError as error:
        return error.status
    return 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("localhost:8765", 200), ("LOCALHOST:1", 200),
        ("127.0.0.1:8765", 200), ("[::1]:8765", 200), ("192.168.0.7", 200),
        ("evil.example", 421), ("evil.example:8765", 421),
        ("localhost.evil.example", 421), ("localhost@evil.example", 421),
        ("", 421), (":8765", 421), ("[", 421),
        (None, 421),
    ],
)  # fmt: skip
def test_pages_that_call_by_a_name_of_their_own(host, status):
    assert passes(Access.for_host("localhost", None), host) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:1", 200), ("http://localhost:2", 403), ("null", 403),
        ("http://evil.example", 403), ("http://localhost", 403), ("", 403),
        ("http://localhost:1@evil.example", 403), ("http://[", 403),
    ],
)  # fmt: skip
def test_pages_of_others(origin, status):
    assert passes(Access.for_host("localhost", None), origin=origin) == status


def test_tokens():
    pi = "\N{GREEK SMALL LETTER PI}"
    open_access = Access.for_host("localhost", None)
    assert open_access.token == ""
    places = ("localhost", "auto"), (EVERYWHERE, None), (EVERYWHERE, ""), ("::", None)
    for host, token in places:
        access = Access.for_host(host, token)
        assert len(access.token) >= 32
        right = access.token
        assert passes(access) == 401
        assert passes(access, token="x" * 32) == 401
        assert passes(access, token=pi) == 401
        assert passes(access, token=right) == 200
        assert passes(access, authorization=f"Bearer {right}") == 200
        assert passes(access, authorization=f"bearer {right}") == 200
        assert passes(access, authorization=f"Basic {right}") == 401
        assert passes(access, authorization="Bearer", token=right) == 401
    assert (
        Access.for_host(EVERYWHERE, None).token
        != Access.for_host(EVERYWHERE, None).token
    )


@pytest.mark.parametrize("token", ["short", "x" * 300, "with blanks in it, and commas"])
def test_tokens_that_are_none(token):
    with pytest.raises(pyrave.ArgumentError, match="the token is short or odd"):
        Access.for_host("localhost", token)


def test_a_server_with_a_token(caplog):
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    server.open(port=0, token=AUTO)
    try:
        assert server.address.endswith(f"/?token={server.token}")
        stranger = RpcClient(server)
        status, body = stranger.post(TIME)
        assert status == 401
        assert server.token.encode() not in body
        assert still_answers(server)
        address = f"ws://localhost:{server.port}/"
        with connect(f"{address}?token={server.token}") as one:
            one.send(TIME)
            assert "result" in one.recv(timeout=PATIENCE)
        with pytest.raises(InvalidStatus, match="401"):
            connect(address)
        for odd in (asked("GET", "/?token=%ff%00"), asked("GET", "/?token=\xff")):
            assert raw(server, odd)[8:12] in {b" 401", b" 400"}
        head = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        odd = raw(server, head + b"Authorization: Bearer \xff\xfe\r\n\r\n")
        assert odd[8:12] in {b" 401", b" 400"}
        assert not caplog.records
        stranger.close()
    finally:
        server.close()


# -- what is reachable -------------------------------------------------------------


@pytest.mark.parametrize("path", ["/x", "/static", "/../", "/%2e%2e/etc/passwd", "//"])
def test_nothing_else_is_there(server, path):
    answer = raw(server, asked("GET", path))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))


@pytest.mark.parametrize("verb", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH"])
def test_other_verbs(server, verb):
    answer = raw(server, asked(verb))
    assert answer.startswith(b"HTTP/1.1 405")
    assert b"Access-Control" not in answer


def test_hello(server):
    answer = raw(server, asked("GET"))
    assert b"200 OK" in answer
    assert b"rpc.discover" in answer
    assert b"aiohttp" not in answer


# -- hostile messages --------------------------------------------------------------

HOSTILE = {
    "nothing": b"\r\n\r\n",
    "noise": bytes(range(256)) * 20,
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
    "no host": b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
    "long line": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    "many headers": HEAD.encode() + b"a: b\r\n" * 100_000 + b"\r\n",
    "two lengths": HEAD.encode() + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n12",
    "bad length": HEAD.encode() + b"Content-Length: -5\r\n\r\n{}",
    "length and chunks": HEAD.encode()
    + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bad chunk": HEAD.encode()
    + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    "half a message": HEAD.encode() + b"Content-Length: 100\r\n\r\n{",
    "wrong version": b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "smuggled": HEAD.encode() + b"Content-Length: 0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests(server, name, caplog):
    answer = raw(server, HOSTILE[name], half_close=True)
    assert b"Traceback" not in answer
    assert b'"result"' not in answer
    assert still_answers(server)
    assert not caplog.records  # nobody fills the log


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (TIME, {"Content-Type": "text/plain"}, 415),
        (TIME, {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        (TIME, {"Content-Encoding": "gzip"}, 415),
        (TIME, {"Origin": "http://evil.example"}, 403),
        (TIME, {"Host": "evil.example"}, 421),
        ("[" + " " * 20_000 + "]", {}, 413),
        ("", {}, 200),
        (TIME, {"Content-Type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_requests_that_are_refused(server, body, headers, status):
    client = RpcClient(server)
    found, answer = client.post(body, **headers)
    client.close()
    assert found == status
    assert ("result" in json.loads(answer)) == (status == 200 and bool(body))


def test_messages_that_do_not_end():
    server = pyrave.Environment().create("module", "jsonrpcserver")
    server.limits = Limits(idle_seconds=0.2)
    server.open(port=0)
    begin = time.monotonic()
    answers = [
        raw(server, b"POST / HT"),
        raw(server, HEAD.encode() + b"Content-Length: 100\r\n\r\n{"),
        raw(server, b""),
    ]
    assert time.monotonic() - begin < 3 * PATIENCE
    assert answers[1].startswith(b"HTTP/1.1 408")
    assert answers[0] == answers[2] == b""
    server.close()


# -- WebSocket ---------------------------------------------------------------------


def test_websocket(server):
    with talk(server) as one:
        for number in range(3):
            one.send(TIME.replace("1", str(number)))
        answers = [json.loads(one.recv(timeout=PATIENCE))["id"] for _ in range(3)]
        assert answers == [0, 1, 2]
        one.send("{")
        assert json.loads(one.recv(timeout=PATIENCE))["error"]["code"] == -32700


def test_hostile_websockets(server):
    with talk(server) as one:
        one.send("x" * 20_000)
        with pytest.raises(ConnectionClosed) as caught:
            one.recv(timeout=PATIENCE)
        assert caught.value.rcvd.code == 1009
    with talk(server) as one:
        one.send(b"\x00\x01")
        with pytest.raises(ConnectionClosed) as caught:
            one.recv(timeout=PATIENCE)
        assert caught.value.rcvd.code == 1003
    with talk(server) as one:
        one.socket.sendall(b"\xff" * 100)
        with pytest.raises(ConnectionClosed):
            one.recv(timeout=PATIENCE)
    origin = {"Origin": "http://evil.example"}
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://localhost:{server.port}/", additional_headers=origin)
    assert still_answers(server)


def test_poses_are_sent(env):
    server = env.create("module", "jsonrpcserver")
    server.open(port=0)
    try:
        with talk(server) as one:

            def send(method, **params):
                call = {
                    "jsonrpc": "2.0",
                    "id": method,
                    "method": method,
                    "params": params,
                }
                one.send(json.dumps(call))

            def receive():
                return json.loads(one.recv(timeout=PATIENCE))

            send("subscribe", rate=60)
            assert receive()["id"] == "subscribe"
            first = receive()
            assert first["method"] == "poses"
            assert "id" not in first
            send("set_transform", body="mug", transform=[1, 0, 0, 0, 7, 8, 9])
            told = [receive(), receive()]
            poses = next(one for one in told if one.get("method") == "poses")
            placed = {b["name"]: b["transform"] for b in poses["params"]["bodies"]}
            assert [row[3] for row in placed["mug"]] == [7.0, 8.0, 9.0, 1.0]
            send("unsubscribe")
            while receive().get("id") != "unsubscribe":
                pass
            env.step()
            with pytest.raises(TimeoutError):
                one.recv(timeout=0.2)
    finally:
        server.close()


# -- many clients ------------------------------------------------------------------


def test_ten_clients_at_once(env):
    server = env.create("module", "jsonrpcserver")
    server.open(port=0)

    def use(number):
        client = RpcClient(server)
        with talk(server) as other:
            for _ in range(10):
                client("step", dt=0.001)
                # nobody comes between the calls of one method
                client("set_joints", body="heron7", values={"joint1": 0.01 * number})
                other.send(TIME)
                assert "result" in json.loads(other.recv(timeout=PATIENCE))
                values = client("get_joints", body="heron7")["values"]
                assert values[0] in {0.01 * one for one in range(10)}
        client.close()

    try:
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(use, range(10)))
        assert env.simulation_time == 0.1
    finally:
        server.close()


def test_a_call_that_takes_too_long(monkeypatch):
    workers = []

    class Watched(Worker):
        def __init__(self, *limits):
            super().__init__(*limits)
            workers.append(self)

    monkeypatch.setattr(module, "Worker", Watched)
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    server.limits = Limits(seconds=2.0, waiting=2)
    server.open(port=0)
    release, clients = threading.Event(), [RpcClient(server) for _ in range(4)]

    def calls_wait(count):
        for _ in range(int(100 * PATIENCE)):
            if workers[0]._waiting == count:
                break
            time.sleep(0.01)

    def slow(dt):
        release.wait(PATIENCE)
        return False

    try:
        hold = env.create("module", "textserver")
        hold.simulation_step = slow
        env.add(hold, args="0")
        with ThreadPoolExecutor(3) as pool:
            asked = [
                json.dumps(json.loads(TIME) | {"method": m})
                for m in ("step", "get_time")
            ]
            first = pool.submit(clients[0].post, asked[0])
            calls_wait(1)
            second = pool.submit(clients[1].post, asked[1])
            calls_wait(2)
            status, body = clients[2].post(asked[1])
            assert status == 503
            assert json.loads(body)["error"]["code"] == -32001
            assert "calls wait" in json.loads(body)["error"]["message"]
            assert b"takes longer than 2 s" in first.result()[1]
            assert b"busy with other calls for 2 s" in second.result()[1]
        release.set()
        for _ in range(100):
            status, body = clients[3].post(asked[1])
            if status == 200:
                break
        assert "result" in json.loads(body)
        hold.close()
    finally:
        release.set()
        for one in clients:
            one.close()
        server.close()


def test_a_script_that_holds_the_environment():
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    server.limits = Limits(seconds=0.5)
    server.open(port=0)
    client = RpcClient(server)
    try:
        with env:
            _, body = client.post(TIME)
        assert json.loads(body)["error"]["code"] == -32001
        assert client("get_time")
    finally:
        client.close()
        server.close()


def test_a_thousand_clients_come_and_go(server):
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()

    def come_and_go(count):
        for number in range(count):
            if number % 10 == 0:
                with talk(server) as one:
                    one.send(TIME)
                    one.recv(timeout=PATIENCE)
            elif number % 10 == 1:
                socket.create_connection(("localhost", server.port)).close()
            else:
                client = RpcClient(server)
                client("get_time")
                client.close()

    def settled(fds=0, threads=0):
        """Return what there is when it no longer becomes less, or is that little."""
        for _ in range(100):
            gc.collect()
            found = process.num_fds(), process.num_threads()
            if found[0] <= fds and found[1] <= threads:
                break
            time.sleep(0.1)
            if not fds and found == (process.num_fds(), process.num_threads()):
                break
        return (*found, len(gc.get_objects()))

    come_and_go(50)
    before, memory = settled(), process.memory_info().rss
    come_and_go(1000)
    after = settled(before[0] + 2, before[1])
    assert after[0] <= before[0] + 2
    assert after[1] <= before[1]
    assert after[2] - before[2] < 2000  # two objects a client
    assert process.memory_info().rss - memory < 20e6


# -- its end -----------------------------------------------------------------------


def test_it_ends_with_its_environment():
    threads = threading.active_count()
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    server.open(port=0)
    env.add(server)
    port, watched = server.port, weakref.ref(env)
    assert still_answers(server)
    with talk(server) as one:
        del env, server
        for _ in range(600):
            gc.collect()
            if watched() is None:
                break
            time.sleep(0.1)
        assert watched() is None
        with pytest.raises(ConnectionClosed) as caught:
            one.recv(timeout=PATIENCE)
        assert caught.value.rcvd.code == 1001
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("localhost", port))
    for _ in range(100):
        if threading.active_count() <= threads + 8:  # of asyncio's own pool
            break
        time.sleep(0.02)


def test_its_end_breaks_long_calls_off():
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    server.open(port=0)
    client = RpcClient(server)
    call = {"jsonrpc": "2.0", "id": 1, "method": "step", "params": {"steps": 10**6}}
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.post, json.dumps(call))
        while env.simulation_time == 0:
            time.sleep(0.01)
        server.close()
        with suppress(ConnectionError, HTTPException):  # it may have no time to answer
            assert b"the server ends" in answer.result()[1]
    with env.lock(PATIENCE):
        assert env.simulation_time < 10**4
    client.close()


def test_open_and_close():
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    assert server.address == ""
    server.open(port=0)
    port = server.port
    with pytest.raises(pyrave.StateError, match="is open already, at http://localhost"):
        server.open(port=0)
    other = env.create("module", "jsonrpcserver")
    with pytest.raises(pyrave.StateError, match=f"port {port}: Address already in use"):
        other.open(port=port)
    server.close()
    server.close()
    assert server.wait(0)
    other.open(port=port)
    other.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"port": -1}, "port is -1, expected 0 to 65535"),
        ({"port": "80"}, "port is '80', expected 0 to 65535"),
        ({"port": True}, "port is True"),
        ({"host": ""}, "host is '', expected a name or an address"),
        ({"host": None}, "host is None"),
        ({"host": "no.such.host.invalid"}, "cannot listen on no.such.host.invalid"),
        ({"host": "203.0.113.1", "port": 0}, "cannot listen on 203.0.113.1"),
    ],
)
def test_places_that_are_none(options, words):
    server = pyrave.Environment().create("module", "jsonrpcserver")
    with pytest.raises(pyrave.Error, match=words):
        server.open(**options)
    assert server.address == ""


def test_without_its_library(monkeypatch):
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        pyrave.NotSupportedError, match=r"pip install 'pyrave\[serve\]'"
    ):
        server.open(port=0)
    texts = env.create("module", "textserver")
    texts.open(port=0)
    texts.close()


def test_words_of_modules(tmp_path):
    env = pyrave.Environment()
    server = env.create("module", "jsonrpcserver")
    env.add(server, args=f"0 host 127.0.0.1 token auto root '{tmp_path}'")
    assert server.address.startswith(f"http://127.0.0.1:{server.port}/?token=")
    env.remove(server)
    assert server.address == ""
    for words in ("prot 1", '0 root "half', "0 1", "token"):
        with pytest.raises(pyrave.ArgumentError, match="is not understood"):
            env.add(env.create("module", "jsonrpcserver"), args=words)


def test_saved_scenes_tell_no_token(tmp_path):
    env = pyrave.Environment()
    made = env.create("module", "jsonrpcserver")
    env.add(made, args=f"0 token {'x' * 20}")
    assert made.token == "x" * 20
    env.save(tmp_path / "saved.env.xml")
    text = (tmp_path / "saved.env.xml").read_text()
    assert "jsonrpcserver" in text
    assert "xxx" not in text + repr(scene_summary(env)) + repr(made)
    env.remove(made)


def test_scenes_and_clones_open_no_ports(caplog):
    env = pyrave.Environment()
    env.load_string(
        '<environment><module type="jsonrpcserver" args="0"/>'
        '<module type="textserver" args="0"/></environment>'
    )
    assert [one.address for one in env.modules] == ["", ""]
    assert "a scene opens no ports: textserver waits for open()" in caplog.text
    server = env.modules["jsonrpcserver"]
    server.open(port=0)
    assert [one.address for one in env.clone().modules] == ["", ""]
    server.close()
    made = env.create("module", "jsonrpcserver")
    env.add(made, args="0")
    assert [one.address for one in env.clone().modules] == ["", "", ""]
    env.remove(made)
