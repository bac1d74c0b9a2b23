"""Motions that play in the open viewer, by what its server shows."""

import types

import numpy as np
import pytest

import pyrave
from pyrave.scene import body_from_boxes
from pyrave.spatial import matrix_from_quat, pose_from_rpy

pytest.importorskip("viser", reason="the extra viewer is not installed")


@pytest.fixture(scope="module")
def planned(loaded):
    return loaded.robots[0].manipulators[0].plan({"joint1": 0.9}, seed=0)


@pytest.fixture
def clock(monkeypatch):
    """The time that the viewer sees, in a list."""
    now = [100.0]
    fake = types.SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("pyrave_viser.panels.replay.time", fake)
    monkeypatch.setattr("pyrave_viser.shown.films.time", fake)
    return now


@pytest.fixture
def panel(viewer):
    return viewer.session.panels.replay


def event(value=None):
    return types.SimpleNamespace(
        client=object(), target=types.SimpleNamespace(value=value)
    )


def shown(viewer, body):
    return viewer.session.bodies.poses.get(body.id)


def after(viewer, clock, seconds):
    """Let time pass in the viewer."""
    clock[0] += seconds
    viewer.session.show_now()


def poses_at(env, trajectory, time):
    """Where the robot is at a time of a trajectory."""
    robot = env.robots[0]
    row = trajectory.sample_points([min(time, trajectory.duration)])
    values = trajectory.spec.extract_joint_values(
        row, robot, range(robot.dof), default=robot.dof_values
    )
    return robot.compute_link_transforms(values)[0]


def test_a_plan_plays_and_the_environment_stays(env, viewer, panel, clock, planned):
    robot, mug = env.robots[0], env.bodies["mug"]
    before = robot.dof_values, robot.pose_stamp, env.simulation_time
    viewer.play(planned, speed=0.5)
    after(viewer, clock, 0.0)
    passed = 0.0
    for step in (0.21, 0.3, 0.25):
        after(viewer, clock, step)
        passed += 0.5 * step
        assert panel.time == pytest.approx(passed)
        wanted = poses_at(env, planned.trajectory, passed)
        off = 0.5 / 60 * np.abs(robot.dof_velocity_limits).max()
        assert np.abs(shown(viewer, robot) - wanted).max() < off + 1e-3
    moved = np.abs(shown(viewer, robot) - robot.link_transforms).max()
    assert moved > 0.05
    assert np.array_equal(shown(viewer, mug), mug.link_transforms)
    assert np.array_equal(robot.dof_values, before[0])
    assert (robot.pose_stamp, env.simulation_time) == before[1:]


def test_nodes_of_the_page_are_where_the_motion_is(env, viewer, panel, planned):
    robot = env.robots[0]
    viewer.play(planned)
    panel._slid(event(planned.trajectory.duration))
    viewer.session.show_now()
    get = viewer.session.server.scene.get_handle_by_name
    last = poses_at(env, planned.trajectory, planned.trajectory.duration)
    name, pose = f"/bodies/{robot.id}", np.eye(4)
    for link in (0, 1, 2):  # a chain: each is in the one before
        name = f"{name}/{link}"
        own = np.eye(4)
        own[:3, :3] = matrix_from_quat(get(name).wxyz)
        own[:3, 3] = get(name).position
        pose = pose @ own
        assert np.allclose(pose, last[link], atol=1e-5)


def test_it_ends_with_the_live_scene_or_begins_again(
    env, viewer, panel, clock, planned
):
    robot, duration = env.robots[0], planned.trajectory.duration
    for loop in (False, True):
        viewer.play(planned, loop=loop)
        after(viewer, clock, 0.0)
        after(viewer, clock, duration + 0.5)
        last = poses_at(env, planned.trajectory, duration)
        assert np.allclose(shown(viewer, robot), last, atol=1e-5)
        after(viewer, clock, 1.0)
        assert bool(panel.motion) == loop
        assert np.allclose(shown(viewer, robot), robot.link_transforms, atol=1e-6)


def test_people_pause_move_along_and_go_back(env, viewer, panel, clock, planned):
    robot = env.robots[0]
    handle = viewer.play(planned)
    after(viewer, clock, 0.0)
    panel._toggled(event())
    after(viewer, clock, 0.2)
    assert panel.time == 0.0
    assert panel._widgets["play"].label == "Play"
    panel._slid(event(0.3))
    after(viewer, clock, 5.0)
    wanted = poses_at(env, planned.trajectory, 0.3)
    assert np.abs(shown(viewer, robot) - wanted).max() < 0.05
    panel._faster(event("2"))
    panel._toggled(event())
    after(viewer, clock, 0.0)
    after(viewer, clock, 0.1)
    assert panel.time == pytest.approx(0.5)
    panel._lived(event())
    after(viewer, clock, 0.0)
    assert np.array_equal(shown(viewer, robot), robot.link_transforms)
    panel._chosen(event(panel._widgets["choice"].value))
    assert panel.motion.startswith("Trajectory 1")
    handle.close()
    handle.close()
    after(viewer, clock, 0.0)
    assert panel.motion == ""
    assert "choice" not in panel._widgets


def test_who_moves_a_body_sees_the_live_scene(env, viewer, panel, clock, planned):
    viewer.play(planned)
    after(viewer, clock, 0.1)
    viewer.session.panels.joints._slid(0, event(0.4))
    viewer.session.actions.run(env)
    after(viewer, clock, 0.0)
    assert panel.motion == ""
    robot = env.robots[0]
    assert np.array_equal(shown(viewer, robot), robot.link_transforms)


def test_scripts_go_on_meanwhile(env, viewer, panel, clock, planned):
    mug, robot = env.bodies["mug"], env.robots[0]
    viewer.play(planned)
    panel._slid(event(0.3))
    mug.transform = pose_from_rpy((0, 0, 0), (0, 0, 2))
    robot.transform = pose_from_rpy((0, 0, 0), (0, 0, 5))
    after(viewer, clock, 0.0)
    assert np.allclose(shown(viewer, mug)[0, :3, 3], (0, 0, 2))
    assert shown(viewer, robot)[0, 2, 3] < 2
    panel.go_live()
    after(viewer, clock, 0.0)
    assert shown(viewer, robot)[0, 2, 3] == 5


def test_a_simulation_shows_who_came_and_left(env, viewer, panel, clock):
    with env.record(rate=10.0) as recorder:
        made = body_from_boxes("new", [(0, 0, 0, 0.1, 0.1, 0.1)])
        new = env.create_body(made)
        number = new.id
        env.step(0.1)
        new.transform = pose_from_rpy((0, 0, 1), (1, 2, 3))
        env.step(0.1)
        mug = env.bodies["mug"]
        gone = mug.id
        env.remove(mug)
        env.remove(new)
        env.step(0.1)
    assert recorder.path is None
    assert repr(recorder) == "<Recorder: recorded>"
    later = env.create_body(body_from_boxes("later", [(0, 0, 0, 0.1, 0.1, 0.1)]))
    viewer.play(recorder)
    poses = viewer.session.bodies.poses
    for time, ids in ((0.0, {gone}), (0.1, {gone, number}), (0.3, set())):
        panel._slid(event(time))
        after(viewer, clock, 0.0)
        assert poses.keys() & {gone, number} == ids
        assert later.id in poses
    panel._slid(event(0.2))
    after(viewer, clock, 0.0)
    assert np.allclose(poses[number][0, :3, 3], (1, 2, 3))
    panel.go_live()
    after(viewer, clock, 0.0)
    assert poses.keys() == {body.id for body in env.bodies}


def test_what_people_see_is_recorded(env, viewer, panel, clock):
    robot = env.robots[0]
    panel._recorded(event())
    viewer.session.actions.run(env)
    for value in (0.2, 0.4):
        clock[0] += 1.0
        robot.set_joints({"joint1": value})
        viewer.session.show_now()
    clock[0] += 1.0
    panel._recorded(event())
    viewer.session.actions.run(env)
    assert panel.motion == "Recording 1 (3.00 s)"
    robot.set_joints({"joint1": 0.2})
    wanted = robot.link_transforms
    robot.set_joints({"joint1": -1.0})
    panel._slid(event(1.5))
    viewer.session.show_now()
    assert np.allclose(shown(viewer, robot), wanted, atol=1e-6)


def test_what_people_record_is_bounded(env, viewer, panel, clock, monkeypatch):
    monkeypatch.setattr("pyrave_viser.panels.replay._MAX_BYTES", 3000)
    robot = env.robots[0]
    for _ in range(12):
        panel._recorded(event())
        viewer.session.actions.run(env)
        assert panel._take is not None
        # it ends by itself
        for k in range(20):
            robot.set_joints({"joint1": 0.1 * k})
            viewer.session.show_now()
            viewer.session.actions.run(env)
            if panel._take is None:
                break
        assert panel._take is None
        panel.go_live()
    assert len(panel._motions) == 8
    assert "Recording 12" in panel._widgets["choice"].options[-1]


def test_a_motion_is_downloaded_as_a_page(viewer, panel, planned):
    sent = []
    client = types.SimpleNamespace(
        client_id=0, send_file_download=lambda *args, **_: sent.append(args)
    )
    viewer.play(planned)
    panel._saved(types.SimpleNamespace(client=client))
    assert not sent, "it has left"
    server = viewer.session.server
    clients, server.get_clients = server.get_clients, lambda: {0: client}
    panel._saved(types.SimpleNamespace(client=client))
    server.get_clients = clients
    ((name, content),) = sent
    assert name == "motion.html"
    assert b"__VISER_EMBED_DATA__" in content


def test_what_cannot_be_played(viewer):
    with pytest.raises(pyrave.ArgumentError, match="expected a trajectory"):
        viewer.play(5)
    with pytest.raises(pyrave.ArgumentError, match="speed is 0"):
        viewer.play(5, speed=0)
    assert viewer.session.panels.replay.motion == ""


def test_recordings_of_nothing_play(env, viewer, panel, clock):
    with env.record() as recorder:
        pass
    viewer.play(recorder)
    after(viewer, clock, 0.0)
    after(viewer, clock, 0.5)
    mug = env.bodies["mug"]
    assert np.allclose(shown(viewer, mug), mug.link_transforms, atol=1e-6)
    after(viewer, clock, 2.0)
    assert panel.motion == ""
