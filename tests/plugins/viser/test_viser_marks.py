"""Marks over the scene: contacts, frames, distances; by what the server shows."""

import time
import types

import numpy as np
import pytest
from opened_viewers import act

import pyrave
from pyrave.scene import body_from_boxes

pytest.importorskip("viser", reason="the extra viewer is not installed")

from pyrave_viser.shown.solids import Shapes, solids_of


def node(viewer, name):
    return viewer.session.server.scene.get_handle_by_name(name)


def event(target=None):
    return types.SimpleNamespace(client=object(), target=target)


def test_collisions_are_lit(env, viewer):
    marks = viewer.session.panels.looks._contacts
    marks._pairs.value = True
    mug, robot = env.bodies["mug"], env.robots[0]
    mug.transform = robot.transform
    marks._switched(event())
    act(viewer)
    assert "mug" in marks._found.content
    assert node(viewer, "/marks/pairs") is not None
    assert node(viewer, "/marks/contacts") is None
    marks._pairs.value = False
    marks._switched(event())
    act(viewer)
    assert node(viewer, "/marks/pairs") is None


def test_contacts_are_where_the_checker_has_them(viewer):
    """A ball in the ground: lit while it moves, its last place, too."""
    env = viewer.env
    env.load_string(
        """<Environment><Robot name="ball"><KinBody><Body name="b"><Geom type="sphere">
        <radius>0.2</radius></Geom></Body></KinBody></Robot></Environment>"""
    )
    env.create_body(body_from_boxes("ground", [(0, 0, 8.9, 9, 9, 0.1)]))
    marks = viewer.session.panels.looks._contacts
    marks._contacts.value = True
    ball = env.robots["ball"]
    for x in (0.3, 0.5):
        ball.transform = pyrave.spatial.pose_from_rpy((0, 0, 0), (x, 0.4, 9.19))
        act(viewer)
    until = time.monotonic() + 120
    while marks._stale and time.monotonic() < until:
        act(viewer)
    arrows = node(viewer, "/marks/contacts").points
    begin = arrows[np.abs(arrows[:, 0] - (0.5, 0.4, 8.995)).max(axis=1) < 0.006]
    assert len(begin) == 1
    along = begin[0, 1] - begin[0, 0]
    assert np.allclose(along, (0, 0, -0.08), atol=1e-6)
    assert "contacts of collisions" in marks._found.content
    ball.transform = pyrave.spatial.pose_from_rpy((0, 0, 0), (0, 0, 20))
    until = time.monotonic() + 120
    while "ball" in marks._found.content and time.monotonic() < until:
        act(viewer)
    assert "ball" not in marks._found.content


def test_contacts_of_a_simulation(viewer):
    pytest.importorskip("mujoco", reason="the extra physics is not installed")
    env = viewer.env
    env.physics_engine = "mujoco"
    env.step(0.01)
    marks = viewer.session.panels.looks._contacts
    marks._contacts.value = True
    marks._switched(event())
    act(viewer)
    known = env.physics_engine.contacts()
    arrows = node(viewer, "/marks/contacts").points
    assert np.allclose(arrows[:, 0], [one.position for one in known], atol=1e-6)
    assert f"{len(known)} contacts of the simulation" in marks._found.content


def test_one_may_see_through(viewer):
    robot = viewer.env.robots[0]
    solids = solids_of(robot, Shapes.SEE_THROUGH)
    plain = solids_of(robot, Shapes.VISUAL)
    assert len(solids) == len(plain)
    for one, other in zip(solids, plain, strict=True):
        assert one.opacity == pytest.approx(0.35 * other.opacity)


def test_frames_and_centres_of_mass(env, viewer):
    looks = viewer.session.panels.looks
    looks._frames.value = looks._masses.value = True
    looks._again(event())
    act(viewer)
    frames = node(viewer, "/marks/frames")
    assert len(frames.batched_positions) == sum(len(one.links) for one in env.bodies)
    masses = node(viewer, "/marks/masses").points
    robot = env.robots[0]
    assert np.isclose(masses, robot.center_of_mass, atol=1e-5).all(axis=1).any()


def clicked(viewer, body, link, point):
    """Let the tool take a click at a point of the world."""
    from pyrave_viser.panels.clicks import Click

    click = Click(body, body.links[link], None, np.array(point), "")
    viewer.session.panels.selection.callbacks(click, viewer.env.report_problem)
    act(viewer)


def measure(viewer, what):
    panel = viewer.session.panels.measures
    panel._what.value = what
    panel._chosen(event(panel._what))
    act(viewer)
    return panel


def settle(viewer, panel):
    """Let what has moved be measured again."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        act(viewer)
        if not panel._stale:
            return


def test_two_clicks_measure_and_the_line_goes_along(env, viewer):
    panel = measure(viewer, "between two points")
    mug, robot = env.bodies["mug"], env.robots[0]
    first = mug.transform[:3, 3] + (0, 0, 0.02)
    second = robot.links[3].transform[:3, 3]
    clicked(viewer, mug, 0, first)
    assert node(viewer, "/measures/first") is not None
    assert panel.distances == ()
    clicked(viewer, robot, 3, second)
    assert node(viewer, "/measures/first") is None
    assert panel.distances == pytest.approx([np.linalg.norm(second - first)])
    line = node(viewer, "/measures/1/line").points
    assert np.allclose(line, [[first, second]], atol=1e-6)
    assert "heron7" in panel._text.content
    robot.set_joints({"joint1": 0.7, "joint2": 0.4})
    mug.transform = pyrave.spatial.pose_from_rpy((0, 0, 0), (1, 1, 1))
    settle(viewer, panel)
    wanted = np.array([(1, 1, 1.02), robot.links[3].transform[:3, 3]])
    assert np.allclose(node(viewer, "/measures/1/line").points, [wanted], atol=1e-6)
    wanted = np.linalg.norm(wanted[1] - wanted[0])
    assert panel.distances == pytest.approx([wanted])
    assert f"{wanted:.4f} m" in node(viewer, "/measures/1/text").text


def test_the_shortest_distance_of_links(env, viewer):
    panel = measure(viewer, "between two links")
    mug, tip = env.bodies["mug"], env.robots[0].links[6]
    clicked(viewer, mug, 0, (9, 9, 9))
    clicked(viewer, env.robots[0], 6, (8, 8, 8))
    assert panel.distances == pytest.approx([env.distance(mug, tip)])
    (ends,) = node(viewer, "/measures/1/line").points
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(panel.distances[0])
    env.robots[0].set_joints({"joint1": 0.5})
    settle(viewer, panel)
    assert panel.distances == pytest.approx([env.distance(mug, tip)])


def test_measures_are_erased_and_leave_with_their_bodies(env, viewer):
    panel = measure(viewer, "between two points")
    mug, table = env.bodies["mug"], env.bodies["table"]
    for k in range(2):
        clicked(viewer, mug, 0, (0, 0, k))
        clicked(viewer, table, 0, (0, 1, k))
    assert panel.distances == pytest.approx([1.0, 1.0])
    clicked(viewer, mug, 0, (0, 0, 0))
    panel._erased(event())
    act(viewer)
    assert panel.distances == ()
    names = viewer.session.server.scene._handle_from_node_name
    assert not [name for name in names if name.startswith("/measures/")]
    clicked(viewer, mug, 0, (0, 0, 0))
    clicked(viewer, table, 0, (0, 1, 0))
    env.remove(mug)
    act(viewer)
    assert panel.distances == ()
    assert node(viewer, "/measures/3/line") is None


def test_clicks_measure_nothing_unless_asked(env, viewer):
    panel = measure(viewer, "between two points")
    clicked(viewer, env.bodies["mug"], 0, (0, 0, 0))
    measure(viewer, "nothing")
    assert node(viewer, "/measures/first") is None
    for _ in range(2):
        clicked(viewer, env.bodies["mug"], 0, (0, 0, 0))
    assert panel.distances == ()
