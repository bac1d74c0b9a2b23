"""`pyrave serve`: where it listens, whom it lets in, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from types import SimpleNamespace

import pytest
from serving import PATIENCE, RpcClient, TextClient


def free_port():
    with socket.create_server(("localhost", 0)) as one:
        return one.getsockname()[1]


@pytest.fixture
def quits():
    """Ask the text server at a port, when it is there, to end."""
    threads = []

    def at(port, before=lambda: None):
        def run():
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    client = TextClient(SimpleNamespace(port=port))
                    break
                except ConnectionError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.05)
            try:
                before()
            finally:
                # a server that nobody ends would keep the test for ever
                client.tell("setoptions quit")
                client.close()

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()

    yield at
    for thread in threads:
        thread.join(PATIENCE)


def test_it_serves_until_a_client_ends_it(pyrave, quits):
    port, text_port = free_port(), free_port()
    found = []

    def ask():
        client = RpcClient(SimpleNamespace(port=port))
        found.append(client("bodies")[0]["name"])
        client.close()

    quits(text_port, ask)
    words = ("--port", port, "--text-port", text_port, "--json")
    said = pyrave("serve", "robots/planar3r.robot.xml", *words)
    assert said.code == 0
    assert found == ["planar3r"]
    assert said.data == {
        "schema": "pyrave-serve/1",
        "bodies": ["planar3r"],
        "jsonrpcserver": {
            "address": f"http://localhost:{port}/",
            "host": "localhost",
            "port": port,
            "token": None,
        },
        "textserver": {
            "address": f"tcp://localhost:{text_port}",
            "host": "localhost",
            "port": text_port,
            "token": None,
        },
    }


def test_folders_and_no_file(pyrave, quits, tmp_path):
    port, text_port = free_port(), free_port()
    body = "<kinbody name='one'><body name='b'/></kinbody>"
    (tmp_path / "one.kinbody.xml").write_text(body)
    found = []

    def ask():
        client = RpcClient(SimpleNamespace(port=port))
        found.append(client("load", file="one.kinbody.xml")["bodies"])
        found.append(client("get_time")["running"])
        client.close()

    quits(text_port, ask)
    said = pyrave(
        "serve", "--port", port, "--text-port", text_port, "--resource-root", tmp_path,
        "--simulate",
    )  # fmt: skip
    assert said.code == 0
    assert found == [["one"], True]
    assert said.out.splitlines() == [
        f"http://localhost:{port}/",
        f"tcp://localhost:{text_port}",
        "(Ctrl-C ends it)",
    ]


def test_a_port_that_is_taken(pyrave):
    with socket.create_server(("localhost", 0)) as one:
        port = one.getsockname()[1]
        said = pyrave("serve", "--port", port)
    assert said.code == 1
    assert (
        f"cannot listen on localhost, port {port}: Address already in use" in said.err
    )


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--port", 70000), 2, "Must be < 65536"),
        (("--token", "short"), 2, "the token is short or odd"),
        (("--host", "203.0.113.1"), 1, "cannot listen on 203.0.113.1"),
        (("nonsuch.env.xml",), 1, "file 'nonsuch.env.xml' not found"),
        (("--prot", 1), 2, "--prot"),
    ],
)
def test_what_is_wrong(pyrave, words, code, text):
    said = pyrave("serve", *words)
    assert said.code == code
    assert text in said.err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it has other signals")
def test_ctrl_c_ends_it():
    token = "0123456789abcdef"  # noqa: S105 - of this server
    command = [sys.executable, "-m", "pyrave", "serve", "--port", "0", "--json"]
    process = subprocess.Popen(
        [*command, "robots/planar3r.robot.xml", "--simulate", "--token", token],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": ""},
        # where tests run in the background, they were told to ignore it
        preexec_fn=partial(  # noqa: PLW1509 - one call of the system
            signal.signal, signal.SIGINT, signal.SIG_DFL
        ),
    )
    try:
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            assert lines[-1]
        place = json.loads("".join(lines))["jsonrpcserver"]
        assert place["address"].endswith(f"/?token={token}")
        client = RpcClient(SimpleNamespace(port=place["port"]), token=token)
        assert client("get_time")["running"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        client.close()
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == err == ""


def test_a_server_with_a_token_has_no_port_without(pyrave):
    for words in (("--text",), ("--text-port", "0")):
        result = pyrave("serve", "--token", "auto", *words, "--port", "0")
        assert result.code == 2
        assert "the text protocol knows no token" in result.err


def test_folders_to_write_in_are_there(pyrave, tmp_path):
    result = pyrave("serve", "--port", "0", "--write", str(tmp_path / "nowhere"))
    assert result.code == 2
    assert "is no folder, to write below" in result.err
