"""Access to a viewer: strangers are refused, and change nothing."""

import asyncio
import contextlib
import gc
import http.client
import logging
import math
import operator
import os
import socket
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

viser = pytest.importorskip("viser", reason="the extra viewer is not installed")

import msgspec.msgpack  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402
from websockets.datastructures import Headers  # noqa: E402
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402

from pyrave_viser.server import guards  # noqa: E402
from pyrave_viser.server.gate import VARIABLE, Gate  # noqa: E402
from pyrave_viser.server.messages import Refused, check  # noqa: E402

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is tested
PROTOCOL = f"viser-v{viser.__version__}"
CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0.0], "position": [1, 2.0, 3],
    "fov": 0.8, "near": 0.01, "far": 1000, "image_height": 100, "image_width": 200,
    "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip
CLICK = {
    "type": "SceneNodeClickMessage", "name": "/bodies/1/0/g0", "instance_index": None,
    "ray_origin": [0, 0, 1], "ray_direction": [0, 0, -1], "screen_pos": [0.5, 0.5],
    "modifier": None, "owner": "",
}  # fmt: skip
HANDLE = {
    "type": "TransformControlsUpdateMessage", "name": "/gizmos/1/0",
    "wxyz": [1, 0, 0, 0], "position": [0, 0, 0], "owner": "",
}  # fmt: skip
VALUE = {"type": "GuiUpdateMessage", "uuid": "a", "updates": {"value": 1}}
GOOD = [
    CAMERA, CLICK, HANDLE, VALUE,
    {**CLICK, "instance_index": 3, "modifier": "cmd/ctrl"},
    {**VALUE, "updates": {"value": True}}, {**VALUE, "updates": {"value": "text"}},
    {**VALUE, "updates": {"value": [1, 2.5]}},
    {"type": "CommandTriggerMessage", "uuid": "a"},
    {"type": "TransformControlsDragStartMessage", "name": "/a", "owner": ""},
    {"type": "TransformControlsDragEndMessage", "name": "/a", "owner": ""},
    {"type": "GetRenderResponseMessage", "payload": bytes(10**6), "render_uuid": "a"},
]  # fmt: skip
BAD = [
    ({**CAMERA, "position": [math.nan, 0, 0]}, "other values"),
    ({**CAMERA, "position": [math.inf, 0, 0]}, "other values"),
    ({**CAMERA, "wxyz": [0, 0, 0, 0]}, "no unit vector"),
    ({**CAMERA, "wxyz": [0, 0, 0]}, "other values"),
    ({**CAMERA, "fov": 4.0}, "other values"),
    ({**CAMERA, "image_width": -1}, "other values"),
    ({**CAMERA, "more": 1}, "other fields"),
    ({**CLICK, "instance_index": -1}, "other values"),
    ({**CLICK, "instance_index": 10**15}, "other values"),
    ({**CLICK, "ray_direction": [0, 0, 0]}, "no unit vector"),
    ({**CLICK, "name": 7}, "other values"),
    ({**CLICK, "name": "/" * 10**4}, "other values"),
    ({**HANDLE, "position": [1e300, 0, 0]}, "other values"),
    ({**VALUE, "updates": {"value": math.nan}}, "a number that is none"),
    ({**VALUE, "updates": {"value": [0.5, -math.inf]}}, "a number that is none"),
    ({**VALUE, "updates": {"value": "x" * 10**5}}, "other values"),
    ({**VALUE, "updates": {"value": {"a": 1}}}, "other values"),
    # viser would set these attributes of the control
    ({**VALUE, "updates": {"update_cb": []}}, "other"),
    ({**VALUE, "updates": {"value": 1, "removed": True}}, "other fields"),
    # opens a tunnel through which anybody may see the scene
    ({"type": "ShareUrlRequest"}, "do not send"),
    # is kept forever
    ({"type": "GuiFormDirtyMessage", "uuid": "a"}, "do not send"),
    ({"type": "FileTransferStartUpload", "source_component_uuid": "a",
      "transfer_uuid": "b", "filename": "c", "mime_type": "d", "part_count": 0,
      "size_bytes": 0}, "do not send"),
    ({"type": "RemoveSceneNodeMessage", "name": "/bodies"}, "do not send"),
    ({"type": "NoSuchMessage"}, "do not send"),
    ({"type": 3}, "other values"),
    ({}, "other values"),
]  # fmt: skip


# -- messages --------------------------------------------------------------------------


@pytest.mark.parametrize("message", GOOD, ids=lambda one: one["type"])
def test_what_pages_say_passes(message):
    check(msgspec.msgpack.encode(message))


@pytest.mark.parametrize(("message", "why"), BAD)
def test_what_pages_do_not_say_is_refused(message, why):
    with pytest.raises(Refused, match=why):
        check(msgspec.msgpack.encode(message))


@given(st.binary(max_size=200) | st.text(max_size=50))
@settings(max_examples=200)
def test_bytes_of_all_kinds_are_refused(data):
    with pytest.raises(Refused):
        check(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-(2**63), 2**64 - 1)
    | st.text(max_size=9) | st.binary(max_size=9),
    lambda one: st.lists(one, max_size=4)
    | st.dictionaries(st.text(max_size=9), one, max_size=4),
)  # fmt: skip


@given(st.sampled_from(GOOD[:-1]), st.data())
@settings(max_examples=200)
def test_changed_messages_pass_or_are_refused(message, data):
    key = data.draw(st.sampled_from(sorted(message)))
    changed = {**message, key: data.draw(VALUES)}
    with contextlib.suppress(Refused):
        check(msgspec.msgpack.encode(changed))


@pytest.mark.parametrize("head", [b"\x91", b"\x81\xa1a", b"\x82\xa4type\x91"])
def test_deep_messages_are_refused(head):
    with pytest.raises(Refused):
        check(head * 60_000)


# -- requests --------------------------------------------------------------------------


def headers(host, *origins):
    return Headers([("Host", host), *(("Origin", one) for one in origins)])


@pytest.mark.parametrize(
    ("host", "asked", "origin"),
    [
        ("localhost", "localhost:8080", "http://localhost:8080"),
        ("localhost", "127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("localhost", "[::1]:8080", "http://[::1]:8080"),
        ("localhost", "LocalHost:8080", "http://localhost:8080"),
        # through a tunnel at another port, and a proxy that encrypts
        ("localhost", "localhost:9000", "http://localhost:9000"),
        ("localhost", "localhost", "https://localhost"),
        (EVERYWHERE, "192.168.1.7:8080", "http://192.168.1.7:8080"),
        (EVERYWHERE, f"{socket.gethostname()}:80", f"http://{socket.gethostname()}"),
        (EVERYWHERE, f"{socket.gethostname()}.local:8080", None),
        ("robot.lab", "robot.lab:8080", "http://robot.lab:8080"),
        ("localhost", "localhost:8080", None),
    ],
)
def test_own_pages_pass(host, asked, origin):
    told = headers(asked) if origin is None else headers(asked, origin)
    assert Gate.for_host(host).refusal("/", told) == ""


@pytest.mark.parametrize(
    ("host", "asked", "origin", "why"),
    [
        ("localhost", "localhost:8080", "http://evil.com", "page from 'http://evil"),
        ("localhost", "localhost:8080", "http://localhost:8081", "a page from"),
        ("localhost", "localhost:8080", "https://localhost:8081", "a page from"),
        ("localhost", "localhost:8080", "null", "a page from 'null'"),
        ("localhost", "localhost:8080", "file://", "a page from"),
        ("localhost", "localhost:8080", "http://localhost:8080.evil.com", "from"),
        ("localhost", "localhost:8080", "http://localhost:8080@evil.com", "from"),
        ("localhost", "localhost:8080", "", "a page from ''"),
        # a name of a stranger that leads here
        ("localhost", "evil.com:8080", "http://evil.com:8080", "name 'evil.com'"),
        (EVERYWHERE, "evil.com:8080", "http://evil.com:8080", "name 'evil.com'"),
        ("localhost", "evil.com:8080", None, "PYRAVE_VIEWER_ORIGINS"),
        ("localhost", "", None, "which host"),
        ("localhost", "localhost:8080; script-src *", None, "which host"),
    ],
)
def test_pages_of_others_are_refused(host, asked, origin, why):
    told = headers(asked) if origin is None else headers(asked, origin)
    assert why in Gate.for_host(host).refusal("/", told)


def test_more_origins_may_be_told(monkeypatch):
    told = headers("hub.example:443", "https://hub.example")
    proxied = headers("localhost:8080", "https://hub.example")
    assert Gate.for_host("localhost").refusal("/", told)
    assert Gate.for_host("localhost").refusal("/", proxied)
    monkeypatch.setenv(VARIABLE, "https://Hub.example/, https://other.example")
    assert Gate.for_host("localhost").refusal("/", told) == ""
    assert Gate.for_host("localhost").refusal("/", proxied) == ""
    assert Gate.for_host("localhost").refusal("/", headers("localhost:1", "http://a.b"))


def test_a_hub_of_notebooks_passes_requests_on(monkeypatch):
    """With its own name, which nobody knows here, and the origin of its pages."""
    told = headers("hub.example", "https://hub.example")
    assert "does not know" in Gate.for_host("localhost").refusal("/", told)
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ann/")
    assert Gate.for_host("localhost").refusal("/", told) == ""
    others = headers("hub.example", "https://evil.com")
    assert "a page from" in Gate.for_host("localhost").refusal("/", others)
    assert "does not know" in Gate.for_host(EVERYWHERE).refusal("/", told)


@pytest.mark.parametrize(
    "path",
    ["/../a", "/%2e%2e/a", "/..", "//etc/passwd", "/C:/a", "/a\\b", "/a\0", "", "*",
     "http://localhost/", "/a b", "/.ssh", "/~root"],
)  # fmt: skip
def test_paths_lead_nowhere_else(path):
    assert Gate.for_host("localhost").refusal(path, headers("localhost:1")) != ""
    assert Gate.for_host("localhost").refusal("/?a=../b", headers("localhost:1")) == ""


# -- the server ------------------------------------------------------------------------


def until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    pytest.fail(f"it did not happen in {seconds:g} s")


def visit(viewer, act, origin=None):
    """Act as a browser: a coroutine that gets the connection."""

    async def go():
        url = viewer.address.replace("http", "ws")
        async with connect(
            url, subprotocols=[PROTOCOL], origin=origin, max_size=None
        ) as link:
            return await act(link)

    return asyncio.run(go())


async def first(link):
    return len(await link.recv())


async def drain(link):
    """Take all until the server ends the connection, and return its code."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await link.recv()
    return link.close_code


def test_a_page_of_another_site_is_refused(viewer, caplog):
    """As a browser would ask: the page of the site is named as the origin."""
    with pytest.raises(InvalidStatus) as caught:
        visit(viewer, first, origin="http://evil.com")
    with pytest.raises(InvalidStatus):
        visit(viewer, first, origin="http://worse.com")
    (said,) = [one.getMessage() for one in caplog.records if "refused" in one.msg]
    assert "a page from 'http://evil.com' may not talk" in said
    assert VARIABLE in said
    assert caught.value.response.status_code == 403
    assert b"may not talk" in caught.value.response.body
    assert visit(viewer, first, origin=viewer.address) > 0
    assert visit(viewer, first) > 0


def test_only_the_page_is_served(viewer):
    place = viewer.address.removeprefix("http://")

    def ask(path, **more):
        link = http.client.HTTPConnection(place, timeout=120.0)
        link.request("GET", path, headers=more)
        answer = link.getresponse()
        body = answer.read()
        link.close()
        return answer, body

    page, body = ask("/")
    assert page.status == 200
    assert b"<html" in body
    policy = page.getheader("Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert f"ws://{place}" in policy
    assert ask("/", Host="evil.com")[0].status == 403
    # both are in the folder of viser, beside what it serves
    for path in ("/../index.html", "/%2e%2e/package.json", "/..%5cpackage.json"):
        assert ask(path)[0].status == 403
    assert ask("/package.json")[0].status == 404


def test_a_viewer_for_all_answers_to_names_of_this_computer(env):
    viewer = env.create("viewer", "viser")
    viewer.open(host=EVERYWHERE, browser=False)
    port = int(viewer.address.rsplit(":", 1)[1])

    def ask(host, origin):
        link = http.client.HTTPConnection("127.0.0.2", port, timeout=120.0)
        upgrade = {
            "Host": host, "Origin": origin, "Upgrade": "websocket",
            "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Protocol": PROTOCOL,
        }  # fmt: skip
        link.request("GET", "/", headers=upgrade)
        status = link.getresponse().status
        link.close()
        return status

    for name in ("127.0.0.2", socket.gethostname(), "localhost"):
        place = f"{name}:{port}"
        assert ask(place, f"http://{place}") == 101
        assert ask(place, "http://evil.com") == 403
    assert ask(f"evil.com:{port}", f"http://evil.com:{port}") == 403
    viewer.close()


def test_hostile_messages_change_nothing_and_are_said_once(env, viewer, caplog, capfd):
    robot = env.robots[0]
    values = robot.dof_values
    slider = viewer.session.panels.joints._sliders[0]
    control = {"type": "GuiUpdateMessage", "uuid": slider._impl.uuid}
    hostile = [
        b"", b"\xc1", b"\x00" * 1000, os.urandom(500), b"\xdf\xff\xff\xff\xff", "text",
        *(msgspec.msgpack.encode(one) for one, _ in BAD),
        *(
            msgspec.msgpack.encode({**control, "updates": one})
            for one in ({"value": math.nan}, {"update_cb": 1}, {"removed": True})
        ),
    ]  # fmt: skip
    choice = viewer.session.panels.joints._choice
    chosen = choice.value
    # these are of a kind that pages send
    lies = [
        {**control, "updates": {"value": "abc"}}, {**control, "updates": {"value": 99}},
        {**control, "uuid": choice._impl.uuid, "updates": {"value": "nobody"}},
        {**control, "updates": {"value": [1]}},
        {**CLICK, "name": "/no/such"}, {**HANDLE, "name": "/no/such"},
        {**VALUE, "uuid": "no-such"},
        {"type": "CommandTriggerMessage", "uuid": "no-such"},
        {"type": "GetRenderResponseMessage", "payload": b"", "render_uuid": "a"},
    ]  # fmt: skip

    async def act(link, some):
        # a browser like others before that
        await link.send(msgspec.msgpack.encode(CAMERA))
        for message in some * 30:
            await link.send(message)
        return await drain(link)

    with caplog.at_level(logging.INFO, "pyrave.viewer"):
        for message in hostile:
            assert visit(viewer, lambda link, m=message: act(link, [m])) == 1008
        passing = [msgspec.msgpack.encode(one) for one in lies]
        with pytest.raises(TimeoutError):
            visit(viewer, lambda link: asyncio.wait_for(act(link, passing), 1.0))
        gc.collect()
    said = [record.getMessage() for record in caplog.records]
    assert "the viewer refused a number that is none" in said
    assert len(said) == len(set(said))
    printed = capfd.readouterr()
    assert printed.out == ""
    assert len(printed.err) < 20_000
    assert choice.value == chosen
    np.testing.assert_array_equal(robot.dof_values, values)
    assert not slider._impl.removed
    assert visit(viewer, first) > 0


def test_a_huge_message_ends_its_connection_alone(viewer):
    async def act():
        url = viewer.address.replace("http", "ws")
        link = await connect(url, subprotocols=[PROTOCOL], max_size=None)
        with contextlib.suppress(ConnectionClosed):
            await link.send(bytes(20 * 2**20))
        return await drain(link)

    assert asyncio.run(act()) in {1009, 1006}
    assert visit(viewer, first) > 0


def test_who_takes_nothing_is_left_and_slows_nobody(env, viewer, monkeypatch):
    monkeypatch.setattr(guards, "PATIENCE", 1.0)
    port = int(viewer.address.rsplit(":", 1)[1])
    server = viewer.session.server
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", port))
        slow.sendall(
            f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {PROTOCOL}\r\n\r\n"
            .encode()
        )  # fmt: skip
        links = server._websock_server._live_connections
        until(lambda: len(links) == 1)
        (link,) = links.values()
        # more than the buffers of the sockets hold
        picture = np.random.default_rng(0).integers(0, 255, (1500, 1500, 3), np.uint8)
        server.gui.add_image(picture, format="png")
        until(lambda: link.transport.get_write_buffer_size() > 0)
        # others are served meanwhile
        assert visit(viewer, first) > 0
        assert link.transport.get_write_buffer_size() < 10**7
        until(lambda: not links)


def test_browsers_that_come_and_go_leave_nothing(env, viewer):
    server = viewer.session.server

    def counted():
        gc.collect()
        handles = len(list(Path("/proc/self/fd").glob("*")))
        # viser has a pool of some for callbacks, which it fills as need be
        names = [one.name for one in threading.enumerate()]
        return sum("PoolExecutor" not in name for name in names), handles

    async def look(link):
        await link.send(msgspec.msgpack.encode(CAMERA))
        await link.recv()

    for _ in range(5):
        visit(viewer, look)
    until(lambda: not server.get_clients())
    kept = server._websock_server._broadcast_buffer.message_from_id
    before, messages = counted(), len(kept)
    pages = []

    async def look_and_click(link):
        await look(link)
        await asyncio.sleep(0.01)
        for uuid, message in buttons.items():
            await link.send(msgspec.msgpack.encode({**message, "uuid": uuid}))
        pages.extend(map(weakref.ref, server.get_clients().values()))

    press = {"type": "GuiUpdateMessage", "updates": {"value": True}}
    buttons = {
        uuid: press
        for uuid, one in server.gui._gui_input_handle_from_uuid.items()
        if one._impl.is_button and one.label in {"Undo", "Save scene"}
    }
    assert len(buttons) == 2
    for _ in range(30):
        visit(viewer, look_and_click)
    until(lambda: not server.get_clients())
    until(lambda: gc.collect() >= 0 and not any(page() for page in pages))
    assert pages
    until(lambda: all(map(operator.le, counted(), before)))
    assert len(kept) < messages + 20
    assert not server._websock_server._client_state_from_id


def test_a_page_that_leaves_lets_go_of_what_it_drags(env, viewer):
    panel, robot = viewer.session.panels.gizmos, env.robots[0]
    viewer.session.show_now()
    with env:
        panel.toggle(robot.id, "arm", True)
    (handle,) = panel._handles.values()
    at = {"wxyz": handle.control.wxyz.tolist(), "position": [0.4, 0.1, 1.3]}
    start = {"type": "TransformControlsDragStartMessage", "owner": ""}

    async def drag(link):
        await link.send(msgspec.msgpack.encode(CAMERA))
        for one in (start, {**HANDLE, **at}):
            message = {**one, "name": handle.control.name}
            await link.send(msgspec.msgpack.encode(message))
        await asyncio.to_thread(until, lambda: handle.dragged)

    visit(viewer, drag)
    until(lambda: not handle.dragged)


def test_several_viewers_show_one_environment(env):
    first_one, second = env.show(browser=False), env.create("viewer", "viser")
    second.open(browser=False)
    robot = env.robots[0]
    robot.set_dof_values([0.3], [0])
    for viewer in (first_one, second):
        viewer.session.show_now()
        shown = viewer.session.bodies.values[robot.id]
        np.testing.assert_array_equal(shown, robot.dof_values)
    first_one.close()
    robot.set_dof_values([0.4], [0])
    second.session.show_now()
    assert second.session.bodies.values[robot.id][0] == pytest.approx(0.4)
    second.close()
