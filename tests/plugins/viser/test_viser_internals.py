"""Internals of viser that are used are there, and do the same."""

import asyncio
import threading
import time

import numpy as np
import pytest

import pyrave

viser = pytest.importorskip("viser", reason="the extra viewer is not installed")

from pyrave_viser.server import guards, viser_internals  # noqa: E402
from pyrave_viser.server.viewer_server import start_server, stop_server  # noqa: E402


@pytest.fixture
def server():
    made = start_server("localhost", 0)
    yield made
    stop_server(made)


def kept(server):
    """What browsers that come get, by what it is about."""
    buffer = server._websock_server._broadcast_buffer
    return {one.redundancy_key(): one for one in buffer.message_from_id.values()}


def until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    pytest.fail(f"it did not happen in {seconds:g} s")


def test_nodes_are_placed_as_their_own_attributes_do_it(server):
    own, ours = (server.scene.add_frame(name) for name in ("/own", "/ours"))
    own.wxyz, own.position = (0.6, 0.0, 0.8, 0.0), (1.0, 2.0, 3.0)
    viser_internals.turn([ours], np.array([[0.6, 0.0, 0.8, 0.0]]))
    viser_internals.shift([ours], np.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(ours.wxyz, own.wxyz)
    np.testing.assert_array_equal(ours.position, own.position)
    sent = kept(server)
    for kind in ("SetOrientationMessage", "SetPositionMessage"):
        by_name = {one.name: one for one in sent.values() if type(one).__name__ == kind}
        expected, found = (
            by_name[name].as_serializable_dict() for name in ("/own", "/ours")
        )
        assert {**expected, "name": "/ours"} == found


def test_small_motions_far_away_are_shown():
    """They add up, and each is some hundredths of a millimetre."""
    env = pyrave.Environment()
    env.load_string(
        '<Robot name="r"><KinBody><Body name="a"/><Body name="b"/></KinBody></Robot>'
    )
    viewer = env.show(browser=False)
    robot = env.robots[0]
    node = viewer.session.server.scene.get_handle_by_name(f"/bodies/{robot.id}/0")
    pose = np.eye(4)
    for x in (8.0, 8.00003, 8.00006):
        pose[0, 3] = x
        robot.transform = pose
        viewer.session.show_now()
        assert node.position[0] == x
    viewer.close()


def test_a_server_that_starts_in_another_way_is_no_server(monkeypatch):
    import websockets
    from viser.infra import _infra

    class Fixed:
        """A module that finds its library in another way."""

        def __setattr__(self, name, value):
            pass

    monkeypatch.setattr("viser.infra._infra", Fixed())
    before = threading.active_count()
    with pytest.raises(pyrave.NotSupportedError, match=r"'viser>=1\.1,<1\.2'"):
        start_server("localhost", 0)
    until(lambda: threading.active_count() <= before)
    monkeypatch.undo()
    stop_server(start_server("localhost", 0))
    assert _infra.websockets is websockets
    assert guards.viser is viser


def test_icons_are_those_of_viser(server, monkeypatch):
    import zipfile

    from viser import _icons

    expected = _icons.svg_from_icon("home")
    _icons.svg_from_icon.cache_clear()
    read = []
    opening = zipfile.ZipFile

    class Counted(opening):
        def __init__(self, *args, **more):
            read.append(args)
            super().__init__(*args, **more)

    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    with viser_internals.icons_at_hand():
        made = [server.gui.add_button(one, icon=one) for one in ("home", "camera")]
    assert len(read) == 1
    assert made[0]._impl.props._icon_html == expected
    _icons.svg_from_icon.cache_clear()
    assert _icons.svg_from_icon("home") == expected


def test_history_is_forgotten_while_nobody_looks(server):
    frame = server.scene.add_frame("/a")
    for k in range(50):
        viser_internals.shift([frame], np.full((1, 3), float(k)))
    other = server.scene.add_frame("/b")
    other.remove()
    before = kept(server)
    buffer = server._websock_server._broadcast_buffer
    assert buffer.message_counter > len(before) + 40
    viser_internals.forget_history(server, most=10**6)
    assert buffer.message_counter > len(before) + 40
    viser_internals.forget_history(server, most=10)
    until(lambda: buffer.message_counter == len(before))
    assert kept(server) == before
    assert list(kept(server)) == list(before)
    # what comes later takes the place of what was
    viser_internals.shift([frame], np.full((1, 3), 77.0))
    assert len(kept(server)) == len(before)
    shown = [one for one in kept(server).values() if getattr(one, "name", "") == "/a"]
    assert any(getattr(one, "position", None) == (77.0,) * 3 for one in shown)
    frame.remove()
    assert not buffer.ids_from_entity_state_key.get(("scene", "/a"))


def test_history_is_kept_while_somebody_looks(server):
    from websockets.asyncio.client import connect

    buffer = server._websock_server._broadcast_buffer
    frame = server.scene.add_frame("/a")
    for k in range(50):
        viser_internals.shift([frame], np.full((1, 3), float(k)))
    count = buffer.message_counter

    async def look():
        url = f"ws://localhost:{server.get_port()}"
        protocol = f"viser-v{viser.__version__}"
        async with connect(url, subprotocols=[protocol], max_size=None) as link:
            await link.recv()
            viser_internals.forget_history(server, most=10)
            await asyncio.sleep(0.2)
            assert buffer.message_counter == count

    asyncio.run(look())
    links = server._websock_server._client_state_from_id
    until(lambda: not links)
    viser_internals.forget_history(server, most=10)
    until(lambda: buffer.message_counter < count)


def test_controls_take_what_they_offer(server):
    gui = server.gui
    taken = [
        (gui.add_checkbox("a", True), [True, False], [1, 0.0, "True", [True]]),
        (gui.add_slider("b", 0.0, 2.0, 0.1, 1.0), [0, 2, 2.0001], [3, -1, "1", True]),
        (gui.add_number("c", 1.0), [-5, 1e9, 0.5], ["1", True, [1.0]]),
        (gui.add_number("d", 1.0, min=0.0), [0, 1e9], ["1"]),
        (gui.add_number("e", 1.0, disabled=True), [], [1.0, 2.0]),
        (gui.add_dropdown("f", ("x", "y")), ["x", "y"], ["z", 1, True, ["x"]]),
        (gui.add_button_group("g", ("x", "y")), ["x"], ["z", True]),
        (gui.add_button("h"), [True], ["x", 1]),
        (gui.add_text("i", "t"), ["", "other"], [1, True]),
        (gui.add_vector3("j", (0.0, 0.0, 0.0)), [[1, 2.0, 3]], [[1, 2], [1, 2, "3"]]),
        (gui.add_rgb("k", (1, 2, 3)), [[255, 0, 0]], [[1.0], "red"]),
    ]  # fmt: skip
    for handle, good, bad in taken:
        uuid = handle._impl.uuid
        assert [viser_internals.takes(server, uuid, one) for one in good] == [
            True
        ] * len(good)
        assert [viser_internals.takes(server, uuid, one) for one in bad] == [
            False
        ] * len(bad)
        handle.remove()
        assert not any(viser_internals.takes(server, uuid, one) for one in good)
    assert not viser_internals.takes(server, "no-such", True)
