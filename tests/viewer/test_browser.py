"""The viewer as people see it, in Chromium."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import pyrave
from pyrave.geometry import Camera
from pyrave.pictures import draw
from pyrave.spatial import matrix_from_quat

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def loaded():
    return pyrave.load("scenes/demo.env.xml")


@pytest.fixture
def env(loaded):
    return loaded.clone()


@pytest.fixture
def viewer(env, chromium, caplog):
    """A viewer all of whose pages say what it expects of pages."""
    shown = env.show(browser=False)
    yield shown
    shown.close()
    for record in caplog.get_records("call"):
        assert "refused" not in record.getMessage()


@pytest.fixture
def tab(viewer, tabs, until):
    """A page that shows the viewer, once its server knows where it looks from."""
    opened = tabs(viewer.address)
    opened.page.get_by_text("Rest values").wait_for()
    until(lambda: client_of(viewer) is not None, "connecting")
    until(lambda: client_of(viewer).camera.image_height > 1, "telling the camera")
    return opened


def client_of(viewer):
    return next(iter(viewer.session.server.get_clients().values()), None)


def pixel_of(viewer, tab, point):
    """Where a point of the world is in the page."""
    camera = client_of(viewer).camera
    box = tab.page.locator("canvas").first.bounding_box()
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = matrix_from_quat(camera.wxyz), camera.position
    seen = Camera.at(pose, int(box["width"]), int(box["height"]), camera.fov)
    (pixel,), _ = seen.project(np.array([point]))
    return box["x"] + pixel[0], box["y"] + pixel[1]


def image_of(viewer, camera):
    """What the browser draws for a camera, (height, width, 3)."""
    from pyrave_viser.shown.quaternions import quaternions_of

    pose = camera.pose
    return client_of(viewer).get_render(
        camera.height, camera.width, wxyz=quaternions_of(pose[None, :3, :3])[0],
        position=pose[:3, 3], timeout=60.0,
        fov=2.0 * float(np.arctan2(0.5 * camera.height, camera.lens.fy)),
    ).astype(int)  # fmt: skip


def test_the_page_loads_from_here_alone_and_without_errors(viewer, tab):
    assert tab.errors == []
    own = (viewer.address, f"blob:{viewer.address}", "data:")
    assert [one for one in tab.asked if not one.startswith(own)] == []


def test_the_page_is_called_after_its_robots(env, viewer, tab):
    assert tab.page.title() == "heron7 - pyrave"


def test_labels_of_sliders_stand_clear_of_their_handles(env, viewer, tab):
    """At the ends, where the handle is above a label; none is beyond its slider."""
    robot = env.robots[0]
    robot.dof_values = robot.dof_limits[1]
    tab.page.set_viewport_size({"width": 1200, "height": 900})
    tab.page.wait_for_timeout(500)
    labels = tab.page.locator(".mantine-Slider-markLabel")
    handles = [one.bounding_box() for one in tab.page.get_by_role("slider").all()]
    assert labels.count() == 2 * robot.dof
    for k, label in enumerate(labels.all()):
        box, handle = label.bounding_box(), handles[k // 2]
        assert box["y"] >= handle["y"] + handle["height"] - 2.5
        track = tab.page.locator(".mantine-Slider-track").nth(k // 2).bounding_box()
        assert box["x"] > track["x"] - 8
        assert box["x"] + box["width"] < track["x"] + track["width"] + 8
    assert labels.nth(0).inner_text() == "-2.967"


def test_a_link_cannot_lead_the_page_to_another_server(viewer, tabs, until):
    """The page takes the address of its server from the link; the browser does not."""
    from websockets.sync.server import serve

    came = []
    with serve(came.append, "127.0.0.1", 0) as other:
        threading.Thread(target=other.serve_forever).start()
        port = other.socket.getsockname()[1]
        wanted = f"ws://127.0.0.1:{port}"
        page = tabs(f"{viewer.address}/?websocket={wanted}")

        def tried():
            page.page.wait_for_timeout(100)
            return any(wanted in text for _, text in page.said)

        until(tried, "the attempt")
        page.page.wait_for_timeout(2000)
        assert came == []
        other.shutdown()


def test_the_picture_is_that_of_the_renderer_within_shading(env, viewer, tab, until):
    """Most pixels have the colour that pyrave's renderer gives them, up to light."""
    camera = Camera.at(env.viewpoint().pose, 320, 240)
    wanted = draw(env.visual_scene, camera).astype(int)

    def share(picture):
        return (np.abs(image_of(viewer, camera) - picture).max(axis=2) < 70).mean()

    # the page fades in
    until(lambda: share(wanted) > 0.8, "the picture", 60.0)
    assert share(wanted) > share(wanted[:, ::-1]) + 0.1


def test_a_slider_moves_the_robot(env, viewer, tab, until):
    robot = env.robots[0]
    before = robot.dof_values
    slider = tab.page.get_by_role("slider").nth(1)
    slider.focus()
    for _ in range(40):
        tab.page.keyboard.press("ArrowRight")
    until(lambda: abs(robot.dof_values - before).max() > 0.05, "moving")
    assert np.count_nonzero(robot.dof_values != before) == 1
    tab.page.get_by_role("button", name="Undo").click()
    until(lambda: np.allclose(robot.dof_values, before), "undoing")


def test_dragging_a_handle_moves_the_arm_and_says_where_it_cannot_go(
    env, viewer, tab, until
):
    """By the mouse: along the z axis of the tool, and then out of reach."""
    robot = env.robots[0]
    arm = robot.manipulators["arm"]
    tab.page.get_by_label("Tool of arm").click()
    handles = viewer.session.panels.gizmos._handles
    until(lambda: (robot.id, "arm") in handles, "the handle")
    # there is room above, in this small page
    robot.set_joints({"joint2": 0.4, "joint4": 1.6})
    before = arm.transform
    axis, mouse = before[:3, 2], tab.page.mouse

    def drag(first, last):
        tip = arm.transform[:3, 3]
        ends = [pixel_of(viewer, tab, tip + one * axis) for one in (first, last)]
        (x, y), (u, v) = ends
        mouse.move(x, y)
        mouse.down()
        for part in (0.25, 0.5, 0.75, 1.0):
            mouse.move(x + part * (u - x), y + part * (v - y))
            tab.page.wait_for_timeout(100)

    def follows():
        # the handle may not be drawn yet
        drag(0.15, 0.21)
        mouse.up()
        return np.linalg.norm(arm.transform[:3, 3] - before[:3, 3]) > 0.02

    until(follows, "the arm", 60.0)
    moved = arm.transform[:3, 3] - before[:3, 3]
    assert moved @ axis > 0.02
    assert np.linalg.norm(moved - (moved @ axis) * axis) < 1e-3
    assert np.allclose(arm.transform[:3, :3], before[:3, :3], atol=1e-3)
    drag(0.15, -1.2)
    tab.page.get_by_text("cannot go there").wait_for()
    handle = handles[robot.id, "arm"]
    assert handle.mark.visible
    mouse.up()
    until(lambda: not handle.mark.visible, "going back")
    where = arm.transform[:3, 3]
    until(lambda: np.allclose(handle.control.position, where, atol=1e-6), "the tool")
    assert tab.errors == []


def test_a_script_moves_what_is_seen(env, viewer, tab, until):
    camera = env.viewpoint()
    camera = Camera.at(camera.pose, 160, 120)
    images = [image_of(viewer, camera)]

    def rests():
        images.append(image_of(viewer, camera))
        return images[-1].any() and (images[-1] == images[-2]).mean() > 0.99

    def differs():
        after = image_of(viewer, camera)
        return (np.abs(after - images[-1]).max(axis=2) > 30).mean() > 0.01

    # the page fades in
    until(rests, "a picture that rests", 60.0)
    env.robots[0].set_joints({"joint1": 1.5})
    viewer.session.show_now()
    until(differs, "another picture")


def test_a_click_selects_and_tells_where(env, viewer, tab, until):
    clicks = []
    handle = viewer.on_click(clicks.append)
    mug = env.bodies["mug"]
    centre, half = mug.aabb
    wall = centre - (0.0, half[1], 0.0)
    x, y = pixel_of(viewer, tab, wall)

    def click():
        tab.page.mouse.click(x, y)
        return clicks

    until(click, "the click")
    assert clicks[0].body.name == "mug"
    assert np.abs(clicks[0].point - centre).max() < 1.2 * half.max()
    tab.page.get_by_text("position").wait_for()
    assert tab.page.get_by_text("mug").count() >= 1
    handle.close()


def test_two_clicks_measure(env, viewer, tab, until):
    panel = viewer.session.panels.measures
    panel._what.value = "between two points"
    panel._chosen(None)
    mug, bottle = (env.bodies[name].aabb for name in ("mug", "bottle"))
    # walls that the camera sees, of which the ray meets some point
    places = [centre - (0.0, half[1], 0.0) for centre, half in (mug, bottle)]
    pixels = [pixel_of(viewer, tab, place) for place in places]

    def measured():
        for pixel in pixels:
            tab.page.mouse.click(*pixel)
        return panel.distances

    # the page may not listen yet; clicks at one thing alone measure nothing large
    until(lambda: max(measured(), default=0.0) > 0.1, "measuring", 60.0)
    wanted = np.linalg.norm(places[1] - places[0])
    assert max(panel.distances) == pytest.approx(wanted, abs=0.2)
    tab.page.get_by_text("mug to bottle").or_(
        tab.page.get_by_text("bottle to mug")
    ).first.wait_for(state="attached")
    tab.page.get_by_text("Measure", exact=True).click()
    tab.page.get_by_role("button", name="Erase").click()
    until(lambda: not panel.distances, "erasing")
    assert tab.errors == []


def test_what_was_drawn_is_erased(env, viewer, tab, until):
    camera = Camera.look_at((2, -2, 3.5), (0, 0, 3), width=120, height=90)

    def redness():
        viewer.session.show_now()
        red, green, _ = image_of(viewer, camera)[45, 60]
        return red / max(1, green)

    mark = env.draw.box((0, 0, 3), (0.4, 0.4, 0.4), color="red")
    until(lambda: redness() > 2.0, "drawing")
    mark.close()
    until(lambda: redness() < 1.3, "erasing")


def test_buttons_and_keys_of_scripts(viewer, tab, until):
    heard = []
    handles = [
        viewer.add_button("Greet", lambda: heard.append("button")),
        viewer.on_key("g", lambda: heard.append("key")),
    ]
    tab.page.get_by_role("button", name="Greet").click()
    until(lambda: "button" in heard, "the button")
    tab.page.keyboard.press("g")
    until(lambda: "key" in heard, "the key")
    for handle in handles:
        handle.close()
    tab.page.get_by_role("button", name="Greet").wait_for(state="detached")


def test_several_browsers_see_the_same_and_may_leave(viewer, tab, tabs, until):
    clients = viewer.session.server.get_clients
    second = tabs(viewer.address)
    until(lambda: len(clients()) == 2, "the second browser")
    second.close()
    until(lambda: len(clients()) == 1, "leaving")
    assert tab.errors == []
    tab.close()
    until(lambda: not clients(), "the end")


def test_a_motion_plays_with_a_timeline(env, viewer, tab, until):
    robot = env.robots[0]
    shown, panel = viewer.session.bodies.poses, viewer.session.panels.replay
    plan = robot.manipulators["arm"].plan({"joint1": 1.2}, seed=0)
    camera = Camera.at(env.viewpoint().pose, 160, 120)
    live = image_of(viewer, camera)
    viewer.play(plan, speed=0.2, loop=True)
    until(lambda: panel.time > 0.0, "playing")
    tab.page.get_by_role("button", name="Pause").click()
    until(lambda: tab.page.get_by_role("button", name="Play").count(), "a pause")
    slider = tab.page.get_by_role("slider").first
    slider.focus()
    tab.page.keyboard.press("End")
    until(lambda: panel.time > plan.trajectory.duration - 0.02, "moving along")
    with robot.preserve_state():
        robot.set_joints({"joint1": 1.2})
        wanted = robot.link_transforms
    until(lambda: np.allclose(shown[robot.id], wanted, atol=0.03), "the end")

    def other():
        image = image_of(viewer, camera)
        return (np.abs(image - live).max(axis=2) > 30).mean() > 0.01

    until(other, "another picture")
    tab.page.get_by_role("button", name="Live").click()
    until(lambda: panel.motion == "", "the live scene")
    now = robot.link_transforms
    until(lambda: np.array_equal(shown[robot.id], now), "the live robot")
    assert tab.errors == []


def test_a_recording_replays_without_a_server(tabs, tmp_path, until):
    # software draws it, on a machine that may have other things to do: a small scene
    env = pyrave.load("scenes/minimal.env.xml")
    plan = env.robots[0].plan([1.2, 0.3, 0.3], seed=0)
    path = tmp_path / "motion.html"
    env.record(path, plan, speed=0.3)
    page = tabs(path.as_uri())
    page.page.set_default_timeout(120_000)
    pictures = []

    def moves():
        part = {"x": 0, "y": 0, "width": 640, "height": 340}
        pictures.append(page.page.screenshot(clip=part))
        return len(pictures) > 4 and len(set(pictures[-4:])) > 2

    until(moves, "moving", 240.0)
    assert page.errors == []
    assert [one for one in page.asked if one.startswith("http")] == []


def test_images_on_meshes(tmp_path, chromium, tabs, until):
    """Red above and blue below, on a body and on a part of a chain."""
    from pyrave.geometry import encode_png

    image = np.zeros((4, 4, 3), np.uint8)
    image[:2, :, 0] = image[2:, :, 2] = 255
    (tmp_path / "fields.png").write_bytes(encode_png(image))
    (tmp_path / "plate.mtl").write_text("newmtl a\nKd 1 1 1\nmap_Kd fields.png\n")
    (tmp_path / "plate.obj").write_text(
        "mtllib plate.mtl\nv -1 0 0\nv 1 0 0\nv 1 0 2\nv -1 0 2\nvt 0 0\nvt 1 0\n"
        "vt 1 1\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3 4/4\n"
    )
    geom = (
        "<geom type='trimesh'><data>plate.obj</data><render>plate.obj</render></geom>"
    )
    scene = tmp_path / "plates.env.xml"
    scene.write_text(
        f"""<environment><kinbody name="alone"><translation>-1.1 0 0</translation>
        <body name="b" type="static">{geom}</body></kinbody>
        <kinbody name="chain"><translation>1.1 0 0</translation><body name="b"/>
        <body name="c">{geom}</body>
        <joint name="j" type="hinge"><body>b</body><body>c</body><axis>0 0 1</axis>
        </joint></kinbody></environment>"""
    )
    env = pyrave.load(scene)
    viewer = env.show(browser=False)
    try:
        tab = tabs(viewer.address)
        until(lambda: client_of(viewer) is not None, "connecting")
        until(lambda: client_of(viewer).camera.image_height > 1, "telling the camera")
        camera = Camera.look_at((0, -6, 1), (0, 0, 1), width=320, height=240)
        places = [(-1.1, 0, 1.5), (-1.1, 0, 0.5), (1.1, 0, 1.5), (1.1, 0, 0.5)]
        pixels, _ = camera.project(np.array(places))

        def colours():
            shown = image_of(viewer, camera)
            return [shown[int(y), int(x)].astype(int) for x, y in pixels]

        def painted():
            found = colours()
            red = [one[0] > one[2] + 80 for one in found]
            blue = [one[2] > one[0] + 80 for one in found]
            return red == [True, False] * 2 and blue == [False, True] * 2

        until(painted, "loading the images")
        # as pictures have it
        drawn = draw(env.visual_scene, camera)
        for (x, y), one in zip(pixels, colours(), strict=True):
            assert np.argmax(drawn[int(y), int(x)]) == np.argmax(one)
        assert not tab.errors
    finally:
        viewer.close()
