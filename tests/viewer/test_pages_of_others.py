"""Pages of other servers cannot drive ``pyrave serve`` from a real browser."""

from __future__ import annotations

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

import pyrave

pytestmark = pytest.mark.slow

# the way of DNS rebinding: a name of a stranger that leads to this computer
_ARGUMENTS = ("--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1")
STEP = '{"jsonrpc": "2.0", "id": 1, "method": "step", "params": {}}'
POST = """
async ([address, kind, text]) => {
    try {
        const mode = kind.startsWith("text") ? "no-cors" : "cors";
        const answer = await fetch(address, {
            method: "POST", mode, body: text, headers: {"Content-Type": kind},
        });
        return `${answer.status} ${await answer.text()}`;
    } catch (error) {
        return "refused";
    }
}
"""
TALK = """
([address, text]) => new Promise((done) => {
    const socket = new WebSocket(address);
    socket.onopen = () => socket.send(text);
    socket.onmessage = (message) => done(message.data);
    socket.onerror = () => done("refused");
})
"""


@pytest.fixture(scope="module")
def browser(launch):
    made = launch(_ARGUMENTS)
    yield made
    made.close()


@pytest.fixture
def server():
    env = pyrave.Environment()
    made = env.create("module", "jsonrpcserver")
    made.open(port=0)
    yield made
    made.close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture
def stranger(tmp_path):
    """The address of another server on this computer, with a page."""
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{other.server_port}/"
        other.shutdown()
        thread.join()


def test_its_own_page_may_call(browser, server):
    page = browser.new_page()
    page.goto(server.address)
    assert "rpc.discover" in page.content()
    said = page.evaluate(POST, [server.address, "application/json", STEP])
    assert '"result":0.01' in said
    said = page.evaluate(TALK, [server.address.replace("http", "ws"), STEP])
    assert '"result":0.02' in said
    page.close()


def test_a_page_of_another_server(browser, server, stranger):
    page = browser.new_page()
    page.goto(stranger)
    for kind in ("application/json", "text/plain"):
        said = page.evaluate(POST, [server.address, kind, STEP])
        assert said in {"refused", "0 "}  # the answer is not for the page to see
    said = page.evaluate(TALK, [server.address.replace("http", "ws"), STEP])
    assert said == "refused"
    assert server.env.simulation_time == 0
    page.close()


def test_a_name_of_a_stranger_that_leads_here(browser, server):
    address = f"http://evil.example:{server.port}/"
    page = browser.new_page()
    assert page.goto(address).status == 421
    said = page.evaluate(POST, [address, "application/json", STEP])
    assert said.startswith("421")
    said = page.evaluate(TALK, [address.replace("http", "ws"), STEP])
    assert said == "refused"
    assert server.env.simulation_time == 0
    page.close()
