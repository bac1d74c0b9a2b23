"""Videos: each picture is that of the renderer, whatever encodes them."""

import os
import shutil
import stat
import subprocess
import sys

import numpy as np
import pytest

import pyrave
from pyrave.spatial import pose_from_rpy

pytestmark = pytest.mark.slow

SIZE = (48, 36)
SCENE = """<Environment><KinBody name="ball"><Body name="b" type="dynamic">
<Geom type="sphere"><radius>0.2</radius><diffuseColor>1 0 0</diffuseColor></Geom>
</Body></KinBody>
<Robot name="arm"><KinBody>
<Body name="base"><Geom type="box"><extents>0.1 0.1 0.1</extents></Geom></Body>
<Body name="tip"><Translation>0 0 0.3</Translation>
<Geom type="box"><extents>0.3 0.05 0.05</extents></Geom></Body>
<Joint name="j" type="hinge"><Body>base</Body><Body>tip</Body><Axis>0 0 1</Axis>
<limitsdeg>-180 180</limitsdeg></Joint>
</KinBody></Robot></Environment>"""
COPIES = """#!{python}
import sys
given = sys.stdin.buffer.read()
open(sys.argv[-1], "wb").write(given)
"""
FAILS = """#!{python}
import sys
sys.stdin.buffer.read(1000)
open(sys.argv[-1], "wb").write(b"half")
sys.exit("no space is left")
"""
LOOK = {"eye": (1.5, -1.5, 1.5), "target": (0, 0, 0.2), "size": SIZE}


@pytest.fixture
def env():
    made = pyrave.Environment()
    made.load_string(SCENE)
    made.bodies["ball"].transform = pose_from_rpy((0, 0, 0), (0.5, 0.5, 0.2))
    return made


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    """A function that installs what stands for the program."""
    if sys.platform == "win32":
        pytest.skip("the program is a script")

    def install(text):
        folder = tmp_path / "bin"
        folder.mkdir()
        program = folder / "ffmpeg"
        program.write_text(text.format(python=sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return install


def pictures(path):
    return np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, *SIZE[::-1], 3)


def test_a_trajectory_is_drawn_as_it_passes_and_nothing_moved(env, ffmpeg, tmp_path):
    ffmpeg(COPIES)
    robot = env.robots["arm"]
    mark = env.draw.points([(0.2, -0.4, 0.2)], size=0.1, color="blue")
    trajectory = env.create("trajectory", "")
    spec = pyrave.ConfigurationSpecification()
    spec = spec.add_group("joint_values arm 0", 1, "linear").add_delta_time_group()
    trajectory.init(spec)
    trajectory.insert(0, [[0.0, 0.0], [1.0, 0.4]])
    stamp = robot.pose_stamp
    recorder = env.record(tmp_path / "a.mp4", trajectory, rate=10, speed=0.5, **LOOK)
    assert robot.pose_stamp == stamp, "viewers see nothing of it"
    shown = pictures(tmp_path / "a.mp4")
    assert recorder.frames == len(shown) == 9
    assert robot.dof_values == [0.0]
    for k in (0, 3, 8):
        robot.dof_values = [k / 8]
        assert np.array_equal(shown[k], env.picture(**LOOK))
    mark.close()


def test_steps_are_drawn_at_their_times(env, ffmpeg, tmp_path):
    ffmpeg(COPIES)
    ball = env.bodies["ball"]
    wanted = []
    with env.record(tmp_path / "a.mkv", rate=20, **LOOK) as recorder:
        assert env.viewers == (recorder,)
        for k in range(10):
            ball.transform = pose_from_rpy((0, 0, 0), (0.05 * k, 0.5, 0.2))
            env.step(0.025)
            if k % 2 == 1:
                wanted.append(env.picture(**LOOK))
    assert env.viewers == ()
    shown = pictures(tmp_path / "a.mkv")
    assert len(shown) == 6
    assert np.array_equal(shown[1:], wanted)


def test_without_steps_each_publish_is_a_picture(env, ffmpeg, tmp_path):
    ffmpeg(COPIES)
    ball = env.bodies["ball"]
    with env.record(tmp_path / "a.mp4", **LOOK):
        for k in range(3):
            ball.transform = pose_from_rpy((0, 0, 0), (0.2 * k, 0.1, 0.2))
            env.publish()
            env.publish()
    shown = pictures(tmp_path / "a.mp4")
    assert len(shown) == 4
    assert np.array_equal(shown[-1], env.picture(**LOOK))


def test_what_was_left_out_at_the_end_is_there(env, ffmpeg, tmp_path):
    ffmpeg(COPIES)
    with env.record(tmp_path / "a.mp4", rate=10, **LOOK):
        env.step(0.01)
        env.bodies["ball"].transform = np.eye(4)
    shown = pictures(tmp_path / "a.mp4")
    assert np.array_equal(shown[-1], env.picture(**LOOK))


def test_an_exception_keeps_what_was_drawn(env, ffmpeg, tmp_path):
    ffmpeg(COPIES)

    def interrupted():
        with env.record(tmp_path / "a.mp4", rate=10, **LOOK):
            env.step(0.3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(pictures(tmp_path / "a.mp4")) == 4


def test_a_program_that_fails_is_told_and_leaves_nothing(env, ffmpeg, tmp_path):
    ffmpeg(FAILS)
    recorder = env.record(tmp_path / "a.mp4", size=(640, 480))
    for _ in range(3):
        env.step(0.2)
    with pytest.raises(pyrave.StateError, match="no space is left"):
        recorder.close()
    assert not (tmp_path / "a.mp4").exists()
    assert env.viewers == ()


def test_without_a_program_it_says_what_brings_one(env, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(
        pyrave.NotSupportedError, match=r"pip install 'pyrave\[video\]'"
    ):
        env.record(tmp_path / "a.mp4")
    assert env.viewers == ()


def test_a_recording_without_a_file_is_seen_from_where_it_is_asked(env):
    with env.record(eye=(2.0, 0.0, 1.0), target=(0.0, 0.0, 1.0), speed=2.0) as recorder:
        env.step(0.5)
        env.bodies["ball"].transform = np.eye(4)
        env.step(0.5)
    pose = recorder.recording.camera.pose
    assert np.allclose(pose[:3, 3], (2, 0, 1))
    assert np.allclose(pose[:3, 2], (-1, 0, 0))
    first, *others = recorder.recording.frames
    assert first.time == 0.0
    assert others[-1].time == pytest.approx(0.5)
    number = env.bodies["ball"].id
    assert np.allclose(others[-1].poses[number][0], np.eye(4)[:3])


def test_plans_without_a_motion_are_refused(env, tmp_path):
    class Plan:
        trajectory, cause = None, "a wall is in the way"

        def __bool__(self):
            return False

    with pytest.raises(pyrave.ArgumentError, match="no motion: a wall is in"):
        env.record(tmp_path / "a.html", Plan())


def test_a_real_video_holds_the_pictures(env, tmp_path):
    """ffmpeg reads it back: as many, and alike up to what its compression loses."""
    if shutil.which("ffmpeg") is None:
        pytest.importorskip("imageio_ffmpeg", reason="the extra video is missing")
    from pyrave.environment.display.videos import encoder

    look = LOOK | {"size": (160, 120)}
    first = env.picture(**look)
    with env.record(tmp_path / "a.mp4", rate=10, **look):
        env.step(0.2)
    done = subprocess.run(
        [
            encoder(), "-loglevel", "error", "-i", str(tmp_path / "a.mp4"),
            "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
        ],
        capture_output=True, check=True,
    )  # fmt: skip
    shown = np.frombuffer(done.stdout, np.uint8).reshape(-1, 120, 160, 3).astype(int)
    assert len(shown) == 3
    assert np.abs(shown[0] - first).mean() < 6.0
