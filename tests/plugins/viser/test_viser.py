"""The viewer in the browser, without a browser: what its server has to say."""

import gc
import logging
import socket
import threading
import time
import types
import weakref

import numpy as np
import pytest
from opened_viewers import act

import pyrave
from pyrave.geometry import Mesh, box_mesh, sphere_mesh
from pyrave.scene import body_from_boxes
from pyrave.spatial import matrix_from_quat

viser = pytest.importorskip("viser", reason="the extra viewer is not installed")

from pyrave_viser.server.viewer_server import free_port  # noqa: E402
from pyrave_viser.shown.quaternions import quaternions_of  # noqa: E402
from pyrave_viser.shown.solids import Shapes, solids_of  # noqa: E402
from pyrave_viser.shown.surfaces import is_closed, parts_of, with_edges  # noqa: E402

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is warned of


def node(viewer, name):
    return viewer.session.server.scene.get_handle_by_name(name)


def nodes(viewer):
    return dict(viewer.session.server.scene._handle_from_node_name)


def children(viewer, name):
    """The nodes right below one."""
    return {
        key: one for key, one in nodes(viewer).items() if key.rpartition("/")[0] == name
    }


def world_pose(viewer, name):
    """The pose of a node, from its own and those above it."""
    pose = np.eye(4)
    parts = name.strip("/").split("/")
    for k in range(1, len(parts) + 1):
        handle = node(viewer, "/" + "/".join(parts[:k]))
        if handle is None:
            continue
        own = np.eye(4)
        own[:3, :3] = matrix_from_quat(handle.wxyz)
        own[:3, 3] = handle.position
        pose = pose @ own
    return pose


def event(target=None, **more):
    """What viser hands to callbacks."""
    return types.SimpleNamespace(client=object(), client_id=1, target=target, **more)


# -- numbers ---------------------------------------------------------------------------


def test_quaternions_are_those_of_the_rotations():
    rng = np.random.default_rng(1)
    q = rng.normal(size=(500, 4))
    q[:4] = np.eye(4)  # turns by 180 degrees, where formulas divide by zero
    q[4:8] = np.eye(4) + 1e-9 * rng.normal(size=(4, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    rotations = np.array([matrix_from_quat(one) for one in q])
    found = quaternions_of(rotations)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
    back = np.array([matrix_from_quat(one) for one in found])
    assert np.allclose(back, rotations, atol=1e-12)


def test_boxes_have_sharp_edges_and_balls_have_none():
    box, ball = box_mesh((1, 2, 3)), sphere_mesh(1.0, 48)
    vertices, faces = with_edges(box)
    assert len(vertices) == 24
    assert np.allclose(
        vertices[faces].reshape(-1, 9), box.vertices[box.faces].reshape(-1, 9)
    )
    vertices, faces = with_edges(ball)
    assert len(vertices) == len(np.unique(ball.vertices.round(12), axis=0))


def test_triangles_of_files_without_shared_vertices_are_joined():
    ball = sphere_mesh(1.0, 24)
    corners = ball.vertices[ball.faces].reshape(-1, 3)
    loose = Mesh(corners, np.arange(len(corners)).reshape(-1, 3))
    vertices, faces = with_edges(loose)
    assert len(vertices) < len(loose.vertices) / 3
    assert np.allclose(vertices[faces], loose.vertices[loose.faces])


def test_what_encloses_something_is_seen_from_outside_alone():
    box, ball = box_mesh((1, 1, 1)), sphere_mesh(1.0)
    assert is_closed(box)
    assert is_closed(ball)
    assert all(part.is_closed for part in parts_of(box))
    # with vertices of its own for each face, and in any order
    corners = box.vertices[box.faces]
    apart = Mesh(corners.reshape(-1, 3)[::-1], np.arange(36).reshape(12, 3)[:, ::-1])
    assert is_closed(apart)
    for wrong in (
        Mesh(box.vertices, box.faces[:, ::-1]),  # inside out
        Mesh(box.vertices, box.faces[1:]),  # with a hole
        Mesh(box.vertices, np.vstack((box.faces[:1, ::-1], box.faces[1:]))),
        Mesh.empty(),
    ):
        assert not is_closed(wrong)
        assert not any(part.is_closed for part in parts_of(wrong))
    # two of them, far from the origin
    both = Mesh(
        np.vstack((box.vertices, ball.vertices)) + 100.0,
        np.vstack((box.faces, ball.faces + len(box.vertices))),
    )
    assert is_closed(both)


def test_a_mesh_is_prepared_once_and_forgotten():
    mesh = box_mesh((1, 1, 1))
    assert parts_of(mesh) is parts_of(mesh)
    known = weakref.ref(mesh)
    del mesh
    gc.collect()
    assert known() is None


# -- bodies ----------------------------------------------------------------------------


def test_links_are_where_the_robot_has_them(env, viewer):
    robot = env.robots[0]
    rng = np.random.default_rng(2)
    lower, upper = robot.dof_limits
    names = {
        int(name.rsplit("/", 1)[1]): name
        for name in nodes(viewer)
        if name.startswith(f"/bodies/{robot.id}/") and "/g" not in name
    }
    assert sorted(names) == list(range(len(robot.links)))
    for _ in range(3):
        robot.dof_values = rng.uniform(lower, upper)
        robot.transform = pyrave.spatial.pose_from_rpy(rng.normal(size=3), (0.4, 0, 1))
        viewer.session.show_now()
        for link, name in names.items():
            assert np.allclose(
                world_pose(viewer, name), robot.links[link].transform, atol=1e-7
            )


def test_a_joint_that_moves_is_one_message(env, viewer):
    robot = env.robots[0]
    sent = []
    server = viewer.session.server._websock_server
    before = server.queue_message
    server.queue_message = lambda one: (sent.append(type(one).__name__), before(one))
    try:
        values = robot.dof_values
        values[0] += 0.1
        robot.dof_values = values
        viewer.session.show_now()
        viewer.session.show_now()
    finally:
        del server.queue_message
    assert sent.count("SetOrientationMessage") == 1
    assert "MeshMessage" not in sent


def test_bodies_with_one_link_share_nodes(env, viewer):
    before = len(children(viewer, "/pools"))
    for k in range(50):
        env.create_body(body_from_boxes(f"crate{k}", [(0, 0, 0, 0.1, 0.1, 0.1)]))
    viewer.session.show_now()
    assert len(children(viewer, "/pools")) == before
    body = env.bodies["crate20"]
    body.transform = pyrave.spatial.pose_from_rpy((0.1, 0.2, 0.3), (1, 2, 3))
    viewer.session.show_now()
    pool = next(
        one
        for one in children(viewer, "/pools").values()
        if len(one.batched_positions) >= 50
    )
    name = pool.name
    row = np.flatnonzero(np.isclose(pool.batched_positions, (1, 2, 3)).all(axis=1))
    assert len(row) == 1
    turned = matrix_from_quat(pool.batched_wxyzs[row[0]])
    assert np.allclose(turned, body.transform[:3, :3], atol=1e-6)
    count = len(pool.batched_positions)
    env.remove(body)
    viewer.session.show_now()
    assert len(node(viewer, name).batched_positions) == count - 1


def test_other_looks_and_shapes_are_followed(env, viewer):
    mug = env.bodies["mug"]
    geometry = mug.links[0].geometries[0]
    geometry.diffuse_color = (0.0, 1.0, 0.0)
    viewer.session.show_now()
    solids = solids_of(mug, Shapes.VISUAL)
    assert any(np.allclose(one.color, (0, 1, 0)) for one in solids)
    colors = np.concatenate(
        [
            np.atleast_2d(one.batched_colors)
            for one in children(viewer, "/pools").values()
        ]
    )
    assert ((colors == (0, 255, 0)).all(axis=1)).any()
    for one in mug.links[0].geometries:
        one.visible = False
    assert solids_of(mug, Shapes.VISUAL) == []
    assert solids_of(mug, Shapes.COLLISION)


def test_all_shapes_can_be_shown(env, viewer):
    for shapes in Shapes:
        viewer.session.bodies.shapes = shapes
        viewer.session.show_now()
        assert any("/g" in name for name in nodes(viewer))


def test_bodies_can_be_hidden_here_alone(env, viewer):
    robot = env.robots[0]
    mug = env.bodies["mug"]
    rows = sum(
        len(one.batched_positions) for one in children(viewer, "/pools").values()
    )
    viewer.session.bodies.hide(robot.id, True)
    viewer.session.bodies.hide(mug.id, True)
    viewer.session.show_now()
    assert not node(viewer, f"/bodies/{robot.id}").visible
    fewer = sum(
        len(one.batched_positions) for one in children(viewer, "/pools").values()
    )
    assert fewer < rows
    assert mug.visible
    assert robot.visible


def test_browsers_look_from_where_pictures_are_taken(env, viewer):
    first = viewer.session.server.initial_camera
    camera = env.viewpoint()
    end = time.monotonic() + 120.0
    wide = pytest.approx(camera.height / 2)
    # the width of the view comes last
    while np.tan(0.5 * first.fov) * camera.lens.fy != wide:
        assert time.monotonic() < end
        time.sleep(0.02)
    np.testing.assert_allclose(first.position, camera.pose[:3, 3])
    ahead = np.asarray(first.look_at) - camera.pose[:3, 3]
    np.testing.assert_allclose(ahead / np.linalg.norm(ahead), camera.pose[:3, 2])


def test_a_camera_that_is_set_stays(env):
    pose = np.eye(4)
    pose[:3, 3] = (5.0, 6.0, 7.0)
    viewer = env.show(browser=False)
    viewer.set_camera(pose)
    session = viewer.session
    for _ in range(3):
        session._tick()
    assert session.server.initial_camera.position == pytest.approx((5.0, 6.0, 7.0))
    viewer.close()


def test_a_removed_robot_takes_its_nodes_along(env, viewer):
    robot = env.robots[0]
    number = robot.id
    env.remove(robot)
    viewer.session.show_now()
    assert not [name for name in nodes(viewer) if name.startswith(f"/bodies/{number}")]


# -- what scripts draw -----------------------------------------------------------------


def test_drawings_come_and_go(env, viewer):
    early = env.draw.points(np.zeros((4, 3)), color=np.ones((4, 3)))
    marks = [
        early,
        env.draw.line_strip(np.eye(3)),
        env.draw.arrow((0, 0, 0), (0, 0, 1)),
        env.draw.boxes([(0, 0, 0)], (1, 1, 1), color=(1, 0, 0, 0.5)),
        env.draw.mesh(box_mesh((1, 1, 1))),
        env.draw.plane(np.eye(4), (1, 2)),
        env.draw.plane(np.eye(4), (1, 2), texture=np.zeros((4, 4, 3), np.uint8)),
        env.draw.text("<b>hello</b>", (0, 0, 1)),
        env.draw.frame(env.robots[0].links[0]),
    ]
    viewer.session.show_now()
    shown = list(children(viewer, "/drawings"))
    assert len(shown) == len(marks)
    early.visible = False
    viewer.session.show_now()
    assert sum(not node(viewer, name).visible for name in shown) == 1
    del early, marks
    gc.collect()
    viewer.session.show_now()
    assert not list(children(viewer, "/drawings"))


def test_a_viewer_that_comes_later_shows_what_was_drawn(env):
    mark = env.draw.text("before", (0, 0, 1))
    viewer = env.show(browser=False)
    assert list(children(viewer, "/drawings"))
    viewer.close()
    mark.close()


def test_old_names_of_plots(env, viewer):
    mark = viewer.plot("linestrip", np.eye(3), color="red")
    assert mark.visible
    with pytest.raises(pyrave.ArgumentError, match="expected one of points"):
        viewer.plot("sphere", np.eye(3))


# -- people ----------------------------------------------------------------------------


def test_sliders_move_joints_and_follow_them(env, viewer):
    robot = env.robots[0]
    panel = viewer.session.panels.joints
    assert panel.body is robot
    lower, upper = robot.dof_limits
    for slider, least, most in zip(panel._sliders, lower, upper, strict=True):
        assert slider.min == pytest.approx(least)
        assert slider.max == pytest.approx(most)
    slider = panel._sliders[2]
    slider.value = 0.5  # as by another browser: viser says so without a client
    panel._slid(2, event(slider))
    act(viewer)
    assert robot.dof_values[2] == pytest.approx(0.5)
    robot.set_dof_values([-0.25], [2])
    end = time.monotonic() + 120.0
    while slider.value != pytest.approx(-0.25) and time.monotonic() < end:
        viewer.session.show_now()
    assert slider.value == pytest.approx(-0.25)
    row, joint = panel._followers[0]
    assert row.value == pytest.approx(float(joint.values[0]), abs=1e-4)


def test_joints_are_those_of_what_is_selected(env, viewer):
    robot, mug = env.robots[0], env.bodies["mug"]
    panels = viewer.session.panels
    panel, selection = panels.joints, panels.selection
    selection.select(mug.id, 0)
    viewer.session.show_now()
    assert panel.body is None
    assert panel._sliders == []
    assert panel._choice.value == "(none)"
    assert panel._home.disabled
    selection.select(robot.id, 2)
    viewer.session.show_now()
    assert panel.body is robot
    assert panel._choice.value == robot.name
    assert not panel._home.disabled
    assert len(panel._sliders) == robot.dof
    # by hand another one, then a click at what is selected already
    panel.choose(mug.id)
    selection.select(robot.id, 2)
    viewer.session.show_now()
    assert panel.body is robot
    # where what has none leaves, nobody asks for nothing any more
    selection.select(mug.id, 0)
    viewer.session.show_now()
    env.remove(mug)
    viewer.session.show_now()
    assert selection.number == -1
    assert panel.body is robot


def test_undo_goes_back_one_drag_at_a_time(env, viewer):
    robot = env.robots[0]
    start = robot.dof_values
    panel = viewer.session.panels.joints
    for index, values in ((0, (0.1, 0.2, 0.3)), (1, (0.4, 0.5))):
        for value in values:
            panel._slid(index, event(types.SimpleNamespace(value=value)))
            act(viewer)
    undo = viewer.session.panels.files._undo
    undo(event())
    act(viewer)
    assert robot.dof_values[0] == pytest.approx(0.3)
    assert robot.dof_values[1] == pytest.approx(start[1])
    undo(event())
    act(viewer)
    assert np.allclose(robot.dof_values, start)
    undo(event())
    act(viewer)
    assert np.allclose(robot.dof_values, start)


def test_the_arm_follows_its_handle_and_says_why_not(env, viewer):
    robot = env.robots[0]
    arm = robot.manipulators[0]
    gizmos = viewer.session.panels.gizmos
    gizmos.toggle(robot.id, arm.name, True)
    handle = gizmos._handles[robot.id, arm.name]
    assert np.allclose(handle.control.position, arm.transform[:3, 3])
    target = arm.transform
    target[2, 3] -= 0.05
    gizmos.drag(robot.id, arm.name, target)
    assert np.allclose(arm.transform, target, atol=1e-6)
    assert not handle.mark.visible
    before = robot.dof_values
    target[0, 3] += 50.0
    gizmos.drag(robot.id, arm.name, target)
    assert np.array_equal(robot.dof_values, before)
    assert handle.mark.visible
    assert handle.reason.text
    assert "cannot go there" in gizmos._reason.content
    gizmos.let_go(robot.id, arm.name)
    assert not handle.mark.visible
    viewer.session.show_now()
    assert np.allclose(handle.control.position, arm.transform[:3, 3])
    gizmos.toggle(robot.id, arm.name, False)
    assert node(viewer, handle.control.name) is None


def test_a_whole_body_can_be_dragged(env, viewer):
    robot = env.robots[0]
    gizmos = viewer.session.panels.gizmos
    gizmos.toggle(robot.id, "(body)", True)
    handle = gizmos._handles[robot.id, "(body)"]
    handle.control.position = (0.1, 0.2, 0.9)
    gizmos._dragged(robot.id, "(body)", event(handle.control, phase="end"))
    act(viewer)
    assert np.allclose(robot.transform[:3, 3], (0.1, 0.2, 0.9))


def test_clicks_select_and_are_heard(env, viewer):
    heard = []
    handle = viewer.on_click(heard.append)
    mug = env.bodies["mug"]
    origin = mug.transform[:3, 3] + (0, 0, 1)
    click = event(
        ray_origin=tuple(origin), ray_direction=(0.0, 0.0, -1.0), modifier=None
    )
    viewer.session.panels.selection.clicked(mug.id, 0, 0, click)
    act(viewer)
    (found,) = heard
    assert found.body is mug
    assert found.link is mug.links[0]
    assert found.geometry is mug.links[0].geometries[0]
    assert found.point is None or abs(found.point[0] - origin[0]) < 1e-9
    assert "mug" in viewer.session.panels.selection._text.content
    assert node(viewer, "/selection") is not None
    handle.close()
    viewer.session.panels.selection.clicked(mug.id, 0, 0, click)
    act(viewer)
    assert len(heard) == 1


def test_names_of_scenes_are_no_markup(viewer):
    env = viewer.env
    env.create_body(body_from_boxes("[x](javascript:1)<b>", [(0, 0, 0, 0.1, 0.1, 0.1)]))
    viewer.session.show_now()
    selection = viewer.session.panels.selection
    selection.select(env.bodies["[x](javascript:1)<b>"].id, 0)
    assert "\\[x\\]\\(javascript:1\\)\\<b\\>" in selection._text.content


def test_who_holds_the_environment_is_not_disturbed(env, viewer):
    robot = env.robots[0]
    before = robot.dof_values
    held, done = threading.Event(), threading.Event()

    def hold():
        with env:
            held.set()
            done.wait(120)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(120)
    try:
        viewer.session.panels.joints._slid(0, event(types.SimpleNamespace(value=1.0)))
        act(viewer)
        assert np.array_equal(robot.dof_values, before)
    finally:
        done.set()
        thread.join()


def test_sensors_are_drawn_while_they_are_on(env, viewer):
    sensor = env.sensors[0]
    panel = viewer.session.panels.sensors
    panel._switched(sensor.name, event(types.SimpleNamespace(value=True)))
    act(viewer)
    assert sensor.render_data
    panel._read = 0.0
    viewer.session.show_now()
    points = node(viewer, "/sensors/0/points")
    assert np.allclose(points.points, sensor.read().drawn_points(), atol=1e-5)
    sensor.render_data = False
    panel._read = 0.0
    viewer.session.show_now()
    assert node(viewer, "/sensors/0/points") is None


def test_images_of_cameras_are_in_the_panel():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    robot.add_sensor("eye", "BaseCamera", link=robot.links[0].name)
    viewer = env.show(browser=False)
    name = f"{robot.name}:eye"
    panel = viewer.session.panels.sensors
    panel._switched(name, event(types.SimpleNamespace(value=True)))
    act(viewer)
    panel._read = 0.0
    viewer.session.show_now()
    assert name in panel._images
    viewer.close()


def test_problems_are_listed_as_text(env):
    env.load_string("<Environment><wrong/></Environment>")
    viewer = env.show(browser=False)
    panel = viewer.session.panels.problems
    assert panel._folder.visible
    assert "wrong" in panel._text.content
    assert "<wrong" not in panel._text.content
    viewer.close()


def test_the_scene_that_is_saved_is_the_scene(env, viewer, tmp_path):
    from pyrave_viser.panels.files import scene_file

    env.robots[0].set_dof_values([0.5], [0])
    path = tmp_path / "saved.env.xml"
    path.write_bytes(scene_file(env))
    again = pyrave.load(path)
    assert again.bodies.names == env.bodies.names
    assert np.allclose(again.robots[0].dof_values, env.robots[0].dof_values)


# -- where it listens, and its end -----------------------------------------------------


def test_ports(env):
    first = env.show(browser=False)
    port = int(first.address.rsplit(":", 1)[1])
    assert env.show(browser=False) is first
    assert env.viewers == (first,)
    second = env.create("viewer", "viser")
    with pytest.raises(pyrave.StateError, match=f"port {port}"):
        second.open(port=port, browser=False)
    assert second.address == ""
    second.open(browser=False)
    assert second.address != first.address
    # an object has its own settings, open or not
    with pytest.raises(pyrave.SettingError, match="change_settings"):
        env.show(first, browser=False, title="mine")
    with pytest.raises(pyrave.StateError, match="open already"):
        second.open()
    with pytest.raises(pyrave.ArgumentError, match="expected 0 to 65535"):
        env.create("viewer", "viser").open(port=70000)
    with pytest.raises(pyrave.StateError, match=r"cannot listen on 203\.0\.113\.7"):
        env.create("viewer", "viser").open(host="203.0.113.7")
    first.close()
    second.close()
    assert env.viewers == ()
    assert free_port("localhost", port) == port


def test_it_listens_to_this_computer_alone(viewer):
    port = int(viewer.address.rsplit(":", 1)[1])
    listening = viewer.session.server.get_host()
    assert listening == "127.0.0.1"
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", port)) == 0
    with socket.socket() as other:
        # another address of this computer
        assert other.connect_ex(("127.0.0.2", port)) != 0


def test_strangers_are_warned_of(env, caplog):
    viewer = env.create("viewer", "viser")
    with caplog.at_level(logging.WARNING, "pyrave.viewer"):
        viewer.open(host=EVERYWHERE, browser=False)
    assert "without a password" in caplog.text
    assert viewer.address.startswith("http://localhost:")
    viewer.close()


def test_closed_viewers_say_so(env):
    viewer = env.create("viewer", "viser")
    assert viewer.address == ""
    with pytest.raises(pyrave.StateError, match=r"env.show\(\) opens"):
        viewer.add_button("a", print)
    assert "closed" in viewer._repr_html_()
    viewer.open(browser=False)
    assert repr(viewer) == f"<viewer viser at {viewer.address}>"
    viewer.close()
    assert repr(viewer) == "<viewer viser>"
    viewer.open(browser=False)
    viewer.close()


def test_notebooks_show_a_frame(env, monkeypatch):
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX", raising=False)
    viewer = env.show(browser=False, height=300)
    shown = viewer._repr_html_()
    assert f'<iframe src="{viewer.address}" width="100%" height="300"' in shown
    # where frames are refused
    assert f">{viewer.address}</a>" in shown
    assert "<script" not in shown
    assert env.show(browser=False) is viewer
    assert 'height="300"' in viewer._repr_html_()
    # browsers of a hub's notebooks are on other computers
    port = viewer.address.rsplit(":", 1)[1]
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/<ann>/")
    shown = viewer._repr_html_()
    assert f'<iframe src="/user/&lt;ann&gt;/proxy/{port}/"' in shown
    assert "jupyter-server-proxy" in shown
    for wrong in (0, -1, float("nan"), "tall"):
        with pytest.raises(pyrave.ArgumentError, match="height is"):
            env.show(browser=False, height=wrong)


def test_main_waits_until_it_is_closed(env):
    viewer = env.show(browser=False)
    timer = threading.Timer(0.1, viewer.quit_main_loop)
    timer.start()
    assert viewer.main() == 0
    assert viewer.address == ""
    timer.join()


def test_an_environment_that_is_not_used_ends_its_viewer():
    env = pyrave.load("scenes/minimal.env.xml")
    viewer = env.show(browser=False)
    port = int(viewer.address.rsplit(":", 1)[1])
    known = weakref.ref(env)
    del env, viewer
    for _ in range(600):
        gc.collect()
        if known() is None:
            break
        time.sleep(0.05)
    assert known() is None
    for _ in range(1200):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) != 0:
                break
        time.sleep(0.05)
    else:
        pytest.fail("the server goes on")


def test_names_of_openrave(env, caplog):
    for name in ("qtosg", "QtCoin"):
        viewer = env.create("viewer", name)
        assert type(viewer).__name__ == "ViserViewer"
    assert "OpenRAVE's window" in caplog.text


def test_nothing_is_printed(env, capfd):
    env.show(browser=False).close()
    out, err = capfd.readouterr()
    assert out == ""
    assert "viser" not in err


def test_without_viser_it_says_what_to_install(env, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "viser", None)
    monkeypatch.delitem(sys.modules, "pyrave_viser.server.guards", raising=False)
    with pytest.raises(
        pyrave.NotSupportedError, match=r"pip install 'pyrave\[viewer\]'"
    ):
        env.show(browser=False)
    assert env.viewers == ()
