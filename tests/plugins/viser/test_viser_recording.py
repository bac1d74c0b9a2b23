"""Recording motions, and pages that replay them."""

import base64
import re

import numpy as np
import pytest

import pyrave
from pyrave.scene import body_from_boxes
from pyrave.spatial import pose_from_rpy

pytest.importorskip("viser", reason="the extra viewer is not installed")


@pytest.fixture
def plan(env):
    return env.robots[0].manipulators[0].plan({"joint1": 0.6}, seed=0)


def content(path):
    """The recording inside of a page: how long it is, and the messages."""
    import msgspec
    import zstandard

    text = path.read_text("utf-8")
    (data,) = re.findall(r'__VISER_EMBED_DATA__="([^"]*)"', text)
    raw = zstandard.ZstdDecompressor().decompress(
        base64.b64decode(data)[8:], max_output_size=1 << 28
    )
    length = int.from_bytes(raw[:8], "little")
    found = msgspec.msgpack.decode(raw[8 : 8 + length])
    return found["durationSeconds"], found["messages"]


def test_a_trajectory_is_a_page_and_nothing_moved(env, plan, tmp_path):
    robot = env.robots[0]
    before = robot.dof_values
    path = tmp_path / "motion.html"
    recorder = env.record(path, plan, rate=20.0)
    assert np.array_equal(robot.dof_values, before)
    assert env.viewers == ()
    frames = recorder.recording.frames
    assert set(frames[0].poses) == {body.id for body in env.bodies}
    assert all(set(one.poses) == {robot.id} for one in frames[1:])
    times = [one.time for one in frames]
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(plan.trajectory.duration, abs=0.06)
    assert np.diff(times).min() > 0.049
    for one in frames[1:]:
        values = plan.trajectory.sample_points([min(one.time, times[-1])])
        row = plan.trajectory.spec.extract_joint_values(
            values, robot, range(robot.dof), default=before
        )
        wanted = robot.compute_link_transforms(row)[0]
        if one is not frames[-1]:
            assert np.allclose(one.poses[robot.id], wanted[:, :3], atol=1e-5)
    duration, messages = content(path)
    assert duration == pytest.approx(times[-1] + 0.5)
    turned = [time for time, one in messages if one["type"] == "SetOrientationMessage"]
    assert len(set(turned)) >= len(frames) - 1


def test_pages_name_no_other_host(env, plan, tmp_path):
    path = tmp_path / "motion.html"
    env.record(path, plan, rate=5.0)
    text = path.read_text("utf-8")
    assert not re.findall(r'(?:src|href)="https?://', text)


def test_slower_and_faster(env, plan, tmp_path):
    last = {}
    for speed in (0.5, 2.0):
        recorder = env.record(tmp_path / "a.html", plan, rate=10.0, speed=speed)
        last[speed] = recorder.recording.frames[-1].time
    assert last[0.5] == pytest.approx(4.0 * last[2.0], abs=0.25)


def test_steps_are_recorded_as_often_as_asked(env, plan, tmp_path):
    robot = env.robots[0]
    with env.record(tmp_path / "run.html", rate=10.0) as recorder:
        assert env.viewers == (recorder,)
        begin = env.simulation_time
        robot.execute(plan.trajectory)
        for _ in range(100):
            env.step(0.005)
        passed = env.simulation_time - begin
    frames = recorder.recording.frames
    assert len(frames) == pytest.approx(passed * 10.0 + 1.0, abs=1.5)
    assert min(np.diff([one.time for one in frames])) > 0.099
    assert env.viewers == ()
    duration, _ = content(tmp_path / "run.html")
    assert duration == pytest.approx(frames[-1].time + 0.5)


def test_bodies_come_and_leave(env, tmp_path):
    path = tmp_path / "run.html"
    with env.record(path) as recorder:
        env.create_body(body_from_boxes("new", [(0, 0, 0, 0.1, 0.1, 0.1)]))
        number = env.bodies["new"].id
        env.step(0.1)
        env.bodies["new"].transform = pose_from_rpy((0, 0, 1), (1, 2, 3))
        env.step(0.1)
        env.remove("new")
        mug = env.bodies["mug"].id
        env.remove("mug")
        env.step(0.1)
    first, came, moved, left = recorder.recording.frames[:4]
    assert number not in first.poses
    assert np.allclose(came.poses[number][0, :, 3], 0.0)
    assert np.allclose(moved.poses[number][0, :, 3], (1, 2, 3))
    assert set(left.removed) == {number, mug}
    content(path)


def test_drawings_are_in_the_page(env, plan, tmp_path):
    mark = env.draw.text("a drawing", (0, 0, 1))
    env.record(tmp_path / "a.html", plan, rate=5.0)
    _, messages = content(tmp_path / "a.html")
    assert any(one.get("props", {}).get("text") == "a drawing" for _, one in messages)
    mark.close()


def test_what_cannot_be_recorded(env, plan, tmp_path):
    with pytest.raises(pyrave.ArgumentError, match=r"expected a name in \.html"):
        env.record(tmp_path / "a.ogv", plan)
    with pytest.raises(pyrave.ResourceError):
        env.record(tmp_path / "no" / "a.html", plan)
    with pytest.raises(pyrave.ArgumentError, match="expected a trajectory"):
        env.record(tmp_path / "a.html", 5)
    with pytest.raises(pyrave.ArgumentError, match="rate is 0"):
        env.record(tmp_path / "a.html", plan, rate=0)
    assert env.viewers == ()
    assert not (tmp_path / "a.html").exists()


def test_closing_twice_and_removing_write_once(env, tmp_path):
    path = tmp_path / "a.html"
    recorder = env.record(path)
    env.remove(recorder)
    assert path.exists()
    path.unlink()
    recorder.close()
    assert not path.exists()
    assert repr(recorder) == "<Recorder a.html: written>"


def test_the_writer_of_a_page_may_be_an_object(tmp_path):
    env = pyrave.load("scenes/demo.env.xml")
    writer = env.create("viewer", "viser")
    with env.record(tmp_path / "a.html", viewer=writer):
        env.step(0.1)
    assert (tmp_path / "a.html").stat().st_size > 10_000
    with pytest.raises(pyrave.ArgumentError, match="viewer is 3, expected"):
        env.record(tmp_path / "b.html", viewer=3)
