"""Scanners that move while they scan: each ray from where the scanner was."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave.spatial import compose, matrix_from_axis_angle
from pyrave_sensors.ranges.noise import kernels
from pyrave_sensors.tracks.pose_history import PoseHistory
from pyrave_sensors.tracks.scene_trace import _Track

WALL = """<kinbody name="wall"><body name="w"><geom type="box">
  <extents>.5 90 90</extents><translation>10.5 0 0</translation>
  </geom></body></kinbody>"""


def pose(turn, shift):
    result = np.eye(4)
    result[:3, :3] = matrix_from_axis_angle(turn)
    result[:3, 3] = shift
    return result


def scene(sensor, robot=""):
    env = pyrave.Environment()
    env.load_string(f"<environment>{WALL}{robot}{sensor}</environment>")
    assert not env.problems
    return env


# -- poses between poses --------------------------------------------------------------


@pytest.mark.parametrize(
    "turn", [(0, 0, 0), (0.3, -0.2, 0.5), (0, 3.1, 0), (1e-9, 0, 0)]
)
def test_a_constant_twist_is_followed_exactly(turn):
    """The pose after s seconds of a constant body twist, by a series of small steps."""
    start = pose((0.4, 0.5, -0.6), (1, 2, 3))
    n = 1000
    small = pose(np.array(turn) / n, np.array((0.7, -0.1, 0.2)) / n)
    poses = [start]
    for _ in range(n):
        poses.append(compose(poses[-1], small))
    history = PoseHistory([(0, poses[0]), (1_000_000, poses[-1])])
    for k in (0, 137, 500, 999, 1000):
        rotations, positions = history.at(np.array([k * 1000.0]))
        np.testing.assert_allclose(rotations[0], poses[k][:3, :3], atol=1e-12)
        np.testing.assert_allclose(positions[0], poses[k][:3, 3], atol=1e-12)


def test_outside_of_the_history_nothing_moves():
    first, last = pose((0, 0, 0), (0, 0, 0)), pose((0, 0, 1), (1, 0, 0))
    history = PoseHistory([(1000, first), (2000, last)])
    rotations, positions = history.at(np.array([-5.0, 1000.0, 2000.0, 9000.0]))
    np.testing.assert_array_equal(positions, [[0, 0, 0]] * 2 + [[1, 0, 0]] * 2)
    np.testing.assert_array_equal(rotations[[0, 3]], [first[:3, :3], last[:3, :3]])


def test_the_history_keeps_what_a_scan_needs():
    history = PoseHistory()
    for k in range(100):
        history.record(k * 1000, pose((0, 0, 0), (k, 0, 0)))
        history.drop_before(k * 1000 - 2500)
    assert [time for time, _ in history.items] == [96_000, 97_000, 98_000, 99_000]
    assert history.moved_since(98_500)
    assert not history.moved_since(99_000)
    history.record(99_000, pose((0, 0, 0), (7, 0, 0)))
    assert history.items[-1][1][0, 3] == 7
    assert len(history.items) == 4
    history.record(5, np.eye(4))
    assert len(history.items) == 1


# -- sensors --------------------------------------------------------------------------

LASER = """<sensor type="BaseLaser2D" name="s"><minangle>-1</minangle>
  <maxangle>1</maxangle><resolution>0.5</resolution><maxrange>50</maxrange>
  <time_increment>0.01</time_increment><scantime>0</scantime></sensor>"""


def test_a_scanner_that_drives_along():
    """5 rays 10 ms apart while it moves at 2 m/s in steps of 20 ms."""
    env = scene(LASER)
    laser = env.sensors["s"]
    for k in range(4):
        laser.transform = pose((0, 0, 0), (0.04 * k, 0, 0))
        env.step(0.02)
    data = laser.read()
    np.testing.assert_allclose(data.time_offsets, -0.01 * np.arange(4, -1, -1))
    assert data.positions.shape == (5, 3)
    np.testing.assert_allclose(data.positions[:, 0], 0.12 - 0.02 * np.arange(4, -1, -1))
    np.testing.assert_allclose(data.points[:, 0], 10, atol=1e-9)
    np.testing.assert_array_equal(data.pose[:3, 3], (0.12, 0, 0))


def test_measuring_after_the_step_gives_the_same_rays():
    env = scene(LASER)
    laser = env.sensors["s"]
    for k in range(4):
        laser.transform = pose((0, 0, 0.1 * k), (0.04 * k, 0, 0))
        env.step(0.02)
    stepped, now = laser.read(), laser.measure()
    assert now.stamp == stepped.stamp
    np.testing.assert_array_equal(now.ranges, stepped.ranges)
    np.testing.assert_array_equal(now.positions, stepped.positions)


def test_a_scanner_at_rest_has_one_origin():
    env = scene(LASER)
    for _ in range(3):
        env.step(0.02)
    data = env.sensors["s"].read()
    assert data.positions.shape == (1, 3)
    assert len(data.time_offsets) == 5


def test_before_it_was_switched_on_it_did_not_move():
    env = scene(LASER)
    laser = env.sensors["s"]
    env.step(0.02)
    laser.power = False
    laser.transform = pose((0, 0, 0), (5, 0, 0))
    env.step(0.02)
    laser.power = True
    env.step(0.02)
    assert laser.read().positions.shape == (1, 3)


def test_an_exposure_does_not_begin_before_the_camera_was_switched_on():
    env = scene(
        """<sensor type="BaseCamera" name="s"><width>40</width><height>30</height>
        <exposure_time>0.5</exposure_time><exposure_samples>4</exposure_samples>
        </sensor>"""
    )
    camera = env.sensors["s"]
    env.step(0.1)
    camera.power = False
    camera.transform = pose((0, 0, 0), (0, 3, 0))
    env.step(0.1)
    camera.power = True
    env.step(0.1)
    exposed = camera.read().image
    camera.options = replace(camera.options, exposure_samples=1)
    np.testing.assert_array_equal(exposed, camera.measure().image)


ARM = """<robot name="r"><kinbody><body name="base"/><body name="head"/>
  <joint name="neck" type="hinge"><body>base</body><body>head</body>
  <limitsdeg>-180 180</limitsdeg><axis>0 0 1</axis></joint></kinbody>
  <attachedsensor name="eye"><link>head</link><translation>0.5 0 0</translation>
  <sensor type="{}">{}</sensor></attachedsensor></robot>"""


BALL = """<kinbody name="ball"><body name="b"><geom type="sphere"><radius>0.5</radius>
  <diffusecolor>1 1 1</diffusecolor></geom></body></kinbody>"""


def sphere(origin, directions, centers, radius):
    """Return the distances of rays to spheres, inf for none."""
    to_center = centers - origin
    along = (to_center * directions).sum(axis=1)
    off = (to_center**2).sum(axis=1) - along**2
    with np.errstate(invalid="ignore"):
        found = along - np.sqrt(radius**2 - off)
    return np.where(np.isnan(found) | (found < 0), np.inf, found)


def test_what_moves_is_met_where_it_was_at_each_ray():
    """41 rays, 1 ms apart; a ball crosses at 3 m/s in steps of 20 ms."""
    env = scene(
        """<sensor type="BaseLaser2D" name="s"><minangle>-20</minangle>
        <maxangle>20</maxangle><resolution>1</resolution><maxrange>50</maxrange>
        <time_increment>0.001</time_increment>
        <intensity_model>physical</intensity_model></sensor>""",
        BALL,
    )
    laser, ball = env.sensors["s"], env.bodies["ball"]
    for k in range(6):
        ball.transform = [1, 0, 0, 0, 4.0, 0.06 * k - 0.15, 0.0]
        env.step(0.02)
    data = laser.read()
    times = data.time_offsets + 0.1  # after the first step
    centers = np.zeros((41, 3))
    centers[:, 0], centers[:, 1] = 4.0, 3.0 * times - 0.15
    directions = data.ranges / data.distances[:, None]
    exact = sphere(np.zeros(3), directions, centers, 0.5)
    wall = 10 / directions[:, 0]
    np.testing.assert_allclose(data.distances, np.minimum(exact, wall), atol=1e-9)
    met = np.isfinite(exact)
    assert 5 < met.sum() < 40
    np.testing.assert_array_equal(data.body_ids == list(env.bodies).index(ball), met)
    normals = (directions[met] * exact[met, None] - centers[met]) / 0.5
    cosines = -(normals * directions[met]).sum(axis=1)
    np.testing.assert_allclose(data.intensity[met], cosines / exact[met] ** 2)
    # where it stands when the scan is over is not what was seen
    still = sphere(np.zeros(3), directions, centers[-1:], 0.5)
    assert np.abs(np.minimum(still, wall) - data.distances).max() > 0.1


@pytest.mark.parametrize("mode", ["jit", "python"])
@pytest.mark.parametrize("away", [1.0, 1e4, 1e6])
def test_rays_from_far_away_that_touch_a_link_are_not_lost(mode, away):
    """What a scanner on a mountain sees is as near to a small thing as it is."""
    aside = np.array((0.0, 0.9999, 1.0001, -0.9999, -1.0001)) * 0.01
    turn = pose((0.3, -0.4, 1.1), (2.0, -1.0, 0.5))
    origins = np.stack((0 * aside - away, aside, 0 * aside), axis=1)
    origins = origins @ turn[:3, :3].T + turn[:3, 3]
    directions = np.tile(turn[:3, 0], (5, 1))
    near = np.empty(5, np.bool_)
    approach = getattr(kernels, mode).approach
    approach(origins, directions, turn[:3, 3].copy(), 0.01, near)
    np.testing.assert_array_equal(near, [True, True, False, True, False])
    # nor is anything behind them near
    approach(origins, -directions, turn[:3, 3].copy(), 0.5, near)
    assert not near.any()


def test_a_scanner_and_a_ball_that_move_together_see_no_motion():
    tags = "<minangle>-20</minangle><maxangle>20</maxangle><resolution>1</resolution>"
    env = scene(
        f"""<sensor type="BaseLaser2D" name="s">{tags}
        <time_increment>0.001</time_increment></sensor>""",
        BALL,
    )
    laser, ball = env.sensors["s"], env.bodies["ball"]
    for k in range(6):
        frame = pose((0, 0, 0.2 * k), (0.05 * k, 0.3 * k, 0))
        laser.transform = frame
        ball.transform = frame @ pose((0, 0, 0), (2.0, 0.1, 0))
        env.step(0.02)
    found = laser.read()
    met = found.body_ids == list(env.bodies).index(ball)
    assert met.sum() > 10
    angles = np.radians(np.arange(-20, 21))
    local = np.stack((np.cos(angles), np.sin(angles), 0 * angles), axis=1)
    exact = sphere(np.zeros(3), local, np.array([[2.0, 0.1, 0.0]]), 0.5)
    np.testing.assert_array_equal(met, np.isfinite(exact))
    np.testing.assert_allclose(found.distances[met], exact[met], atol=1e-9)


def test_what_rested_began_to_move_in_the_last_step_alone():
    env = scene(
        """<sensor type="BaseLaser2D" name="s"><minangle>-20</minangle>
        <maxangle>20</maxangle><resolution>1</resolution><maxrange>50</maxrange>
        <time_increment>0.001</time_increment></sensor>""",
        BALL,
    )
    laser, ball = env.sensors["s"], env.bodies["ball"]
    ball.transform = [1, 0, 0, 0, 4.0, 0.0, 0.0]
    for _ in range(6):
        env.step(0.02)
    twin = env.clone()
    for one in (env, twin):
        one.bodies["ball"].transform = [1, 0, 0, 0, 4.0, -0.4, 0.0]
        one.step(0.02)
    for data in (laser.read(), laser.measure(), twin.sensors["s"].read()):
        centers = np.zeros((41, 3))
        late = np.clip((data.time_offsets + 0.02) / 0.02, 0, 1)
        centers[:, 0], centers[:, 1] = 4.0, -0.4 * late
        directions = data.ranges / data.distances[:, None]
        exact = sphere(np.zeros(3), directions, centers, 0.5)
        wanted = np.minimum(exact, 10 / directions[:, 0])
        np.testing.assert_allclose(data.distances, wanted, atol=1e-9)


def test_a_clone_sees_the_same_motion():
    env = scene(LASER, BALL)
    for k in range(4):
        env.bodies["ball"].transform = [1, 0, 0, 0, 3.0, 0.2 * k - 0.4, 0.0]
        env.step(0.02)
    twin = env.clone()
    np.testing.assert_array_equal(
        twin.sensors["s"].measure().ranges, env.sensors["s"].measure().ranges
    )


def test_copies_after_a_removal_see_the_same_motion():
    env = scene(LASER, BALL)
    for k in range(4):
        env.bodies["ball"].transform = [1, 0, 0, 0, 3.0, 0.2 * k - 0.4, 0.0]
        env.step(0.02)
    env.remove("wall")
    mine = env.sensors["s"].measure().ranges
    for twin in (env.clone(), pickle.loads(pickle.dumps(env))):  # noqa: S301
        np.testing.assert_array_equal(twin.sensors["s"].measure().ranges, mine)


def test_bodies_at_rest_are_not_looked_at(monkeypatch):
    env = scene(LASER, BALL)
    laser, noted = env.sensors["s"], []
    note = _Track.note
    monkeypatch.setattr(
        _Track, "note", lambda track, *rest: (noted.append(1), note(track, *rest))
    )
    env.step(0.02)
    assert len(noted) == 2
    env.bodies["ball"].transform = [1, 0, 0, 0, 3.0, 0.5, 0.0]
    env.step(0.02)
    env.step(0.02)
    assert len(noted) == 3
    env.remove("ball")
    laser.measure()
    assert len(laser.trail.scene.state[-1]) == 1


def test_another_body_of_the_same_name_is_no_motion():
    env = scene(LASER, BALL)
    laser = env.sensors["s"]
    for k in range(4):
        env.bodies["ball"].transform = [1, 0, 0, 0, 3.0, 0.2 * k - 0.4, 0.0]
        env.step(0.02)
    env.remove(env.bodies["ball"])
    env.load_string(f"<environment>{BALL}</environment>")
    env.step(0.02)
    # the new one is around the laser, and was never where the old one stood
    np.testing.assert_allclose(laser.read().distances, 0.5, atol=1e-9)


def test_a_lidar_on_a_turning_link():
    """The link turns evenly: origins lie on the circle, not on its chords."""
    tags = "<preset>VLP-16</preset><power>1</power>"
    env = scene("", ARM.format("MultiBeamLidar", tags))
    robot, lidar = env.robots["r"], env.sensors["r:eye"]
    for k in range(12):
        robot.dof_values = [0.1 * k]
        env.step(0.01)
    data = lidar.measure()
    angles = 1.1 + 10 * data.time_offsets
    assert angles[0] == pytest.approx(0.1, abs=1e-3)
    circle = 0.5 * np.stack((np.cos(angles), np.sin(angles), 0 * angles), axis=1)
    np.testing.assert_allclose(data.positions, circle, atol=1e-12)
    seen = data.returned
    np.testing.assert_allclose(data.points[seen][:, 0], 10, atol=1e-6)
    assert seen.sum() > 1000
    # a lidar that turns with the link sees the same directions later
    still = env.create("sensor", "MultiBeamLidar")
    still.set_sensor_geometry(lidar.geometry)
    fan = still.measure()
    local = fan.ranges / fan.distances[:, None]
    turned = data.ranges / data.distances[:, None]
    cosine, sine = np.cos(angles), np.sin(angles)
    x = cosine * local[:, 0] - sine * local[:, 1]
    y = sine * local[:, 0] + cosine * local[:, 1]
    np.testing.assert_allclose(turned[:, 0], x, atol=1e-9)
    np.testing.assert_allclose(turned[:, 1], y, atol=1e-9)


def test_clones_remember_where_they_were():
    env = scene(LASER)
    laser = env.sensors["s"]
    for k in range(4):
        laser.transform = pose((0, 0, 0), (0.04 * k, 0, 0))
        env.step(0.02)
    other = env.clone()
    np.testing.assert_array_equal(
        other.sensors["s"].measure().positions, laser.measure().positions
    )


def test_its_own_robot_is_seen_unless_it_is_left_out():
    base = '<body name="base"><geom type="box"><extents>.1 .1 .1</extents>'
    base += "<translation>2 0 0</translation></geom></body>"
    tags = "<minangle>0</minangle><maxangle>0</maxangle><minrange>0</minrange>"
    robot = ARM.replace('<body name="base"/>', base).format("BaseLaser2D", tags)
    env = scene("", robot)
    laser = env.sensors["r:eye"]
    assert laser.include_robot
    assert laser.measure().distances[0] == pytest.approx(1.4)
    laser.include_robot = False
    assert laser.measure().distances[0] == pytest.approx(9.5)
    assert laser.readables["BaseLaser2D"].values["include_robot"] is False
    env = scene(
        "", robot.replace("<minrange>", "<include_robot>0</include_robot><minrange>")
    )
    assert env.sensors["r:eye"].measure().distances[0] == pytest.approx(9.5)
    # another robot's scanner, or one that stands alone, sees it all the same
    alone = env.create("sensor", "BaseLaser2D")
    alone.include_robot = False
    assert alone.measure().distances[157] == pytest.approx(1.9, abs=1e-3)


def test_invisible_geometry_is_seen_and_disabled_links_are_not():
    env = scene(LASER.replace("0.01</time_increment>", "0</time_increment>"))
    laser = env.sensors["s"]
    wall = env.bodies["wall"]
    wall.links[0].geometries[0].visible = False
    assert laser.measure().intensity.all()
    wall.links[0].enabled = False
    assert not laser.measure().intensity.any()
