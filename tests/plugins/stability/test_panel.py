"""Support polygons in viewers."""

import time
import types

import numpy as np
import pytest
from opened_viewers import act, opened

import pyrave
import pyrave_stability as stability

pytest.importorskip("viser", reason="the extra viewer is not installed")


@pytest.fixture
def env():
    return pyrave.load("scenes/stances.env.xml")


@pytest.fixture
def viewer(env):
    shown = opened(env)
    yield shown
    shown.close()


def widgets(viewer):
    gui = viewer.session.server.gui
    return {
        getattr(one, "label", None): one
        for one in gui._gui_input_handle_from_uuid.values()
    }


def switch(viewer, on):
    box = widgets(viewer)["Support polygons"]
    box.value = on
    for callback in box._impl.update_cb:
        callback(types.SimpleNamespace(client=object(), target=box))
    act(viewer)


def said(viewer):
    gui = viewer.session.server.gui
    (folder,) = [
        one
        for one in gui._container_handle_from_uuid.values()
        if getattr(one, "label", None) == "Stability"
    ]
    return [one.content for one in folder._children.values() if hasattr(one, "content")]


def lines(env):
    return [one.item for one in env.draw.entries().values()]


def test_the_polygon_is_that_of_the_stance(env, viewer):
    robot = env.robots["biped"]
    assert lines(env) == []
    switch(viewer, True)
    region = stability.support_polygon(robot, stability.Ground())
    margin = region.margin(robot.center_of_mass)
    assert margin > 0
    edges, plumb, points = lines(env)
    assert np.allclose(edges.segments[:, 0, :2], region.points[:, :2], atol=1e-9)
    assert np.allclose(edges.segments[:, :, 2], 0.002, atol=1e-9)
    assert np.allclose(points.points[0], robot.center_of_mass)
    assert np.allclose(plumb.segments[0, :, :2], robot.center_of_mass[:2])
    assert said(viewer) == [f"biped: stands, {1000 * margin:.0f} mm inside"]
    switch(viewer, False)
    assert lines(env) == []
    assert said(viewer) == []


def test_it_follows_the_robot_and_is_red_when_it_falls(env, viewer):
    switch(viewer, True)
    robot = env.robots["biped"]
    green = lines(env)[0].colors[0]
    pose = robot.transform
    up = pyrave.spatial.pose_from_rpy((0, 0.033, 0), (1.0, 0, 0.3))
    robot.transform = up @ pose
    until = time.monotonic() + 120
    while "falls" not in said(viewer)[0] and time.monotonic() < until:
        act(viewer)
    assert "**falls**" in said(viewer)[0]
    assert not np.allclose(lines(env)[0].colors[0], green)


def test_scenes_without_contact_areas_have_no_such_panel():
    env = pyrave.load("scenes/minimal.env.xml")
    viewer = opened(env)
    assert "Support polygons" not in widgets(viewer)
    env.load("scenes/stances.env.xml")
    until = time.monotonic() + 120
    while "Support polygons" not in widgets(viewer) and time.monotonic() < until:
        act(viewer)
    assert "Support polygons" in widgets(viewer)
    viewer.close()
    assert len(env.draw) == 0
