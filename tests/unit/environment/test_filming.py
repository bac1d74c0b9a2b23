"""Videos: each picture is that of the renderer, whatever encodes them."""

import os
import shutil
import stat
import subprocess
import sys

import numpy as np
import pytest

import pyrave
from pyrave.interfaces import file_access
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
SAYS = """#!{python}
import sys
sys.stdin.buffer.read()
open(sys.argv[-1], "w").write(" ".join(sys.argv))
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


def test_pictures_come_by_the_clock_on_the_wall_if_asked(
    env, ffmpeg, tmp_path, monkeypatch
):
    ffmpeg(COPIES)
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with env.record(tmp_path / "a.avi", rate=10, real_time=True, **LOOK):
        env.step(5.0)
        now += 0.3
        env.bodies["ball"].transform = np.eye(4)
        env.publish()
        now += 0.2
    shown = pictures(tmp_path / "a.avi")
    assert len(shown) == 6
    assert not np.array_equal(shown[0], shown[1])
    assert np.array_equal(shown[1], env.picture(**LOOK))
    trajectory = env.create("trajectory", "")
    with pytest.raises(pyrave.ArgumentError, match="has times of its own"):
        env.record(tmp_path / "a.mp4", trajectory, real_time=True)
    with pytest.raises(pyrave.ArgumentError, match="real_time is 1, expected True"):
        env.record(tmp_path / "a.mp4", real_time=1)


def test_a_watermark_is_over_all_pictures(env, ffmpeg, tmp_path):
    ffmpeg(COPIES)
    mark = np.zeros((50, 4, 4), np.uint8)  # higher than the picture
    mark[:, :2] = 10, 20, 30, 255
    mark[:, 2] = 100, 100, 100, 51
    with env.record(tmp_path / "a.mov", watermark=mark, **LOOK):
        env.step(0.01)
    shown = pictures(tmp_path / "a.mov")[0].astype(float)
    plain = env.picture(**LOOK).astype(float)
    assert (shown[:, :2] == (10, 20, 30)).all()
    assert np.abs(shown[:, 2] - (0.2 * 100 + 0.8 * plain[:, 2])).max() <= 0.5
    assert np.array_equal(shown[:, 3:], plain[:, 3:])
    with pytest.raises(pyrave.ArgumentError, match=r"expected uint8 of shape \(h, w"):
        env.record(tmp_path / "a.mp4", watermark=np.zeros((2, 2, 4)))
    with pytest.raises(pyrave.ArgumentError, match=r"watermark is for videos, and 'x"):
        env.record("x.html", watermark=mark)


def test_an_encoder_is_named(env, ffmpeg, tmp_path):
    ffmpeg(SAYS)
    with env.record(tmp_path / "a.mpg", codec="mpeg2video", size=(48, 36)):
        env.step(0.01)
    words = (tmp_path / "a.mpg").read_text().split()
    assert words[words.index("-c:v") + 1] == "mpeg2video"
    for wrong in ("-i /etc/passwd", 13, ""):
        with pytest.raises(pyrave.ArgumentError, match="name of an encoder of ffmpeg"):
            env.record(tmp_path / "a.mp4", codec=wrong)
    with pytest.raises(pyrave.ArgumentError, match="codec is for videos, and no file"):
        env.record(codec="mpeg4")


@pytest.fixture
def module(env):
    module = env.create("module", "viewerrecorder")
    env.add(module)
    return module


def test_commands_of_the_module_record(env, ffmpeg, module, tmp_path):
    ffmpeg(SAYS)
    assert module.send_command("Stop") == ""  # nothing runs
    (tmp_path / "a b").mkdir()
    file = tmp_path / "a b" / "c.mpg"
    said = module.send_command(
        f"Start 48 36 30 codec 13 timing simtime filename {file}\nviewer a window"
    )
    assert said == ""
    assert module.recording
    env.step(0.01)
    assert module.send_command("Stop") == ""
    assert not module.recording
    words = file.read_text().split()
    assert words[words.index("-c:v") + 1] == "mpeg4"
    assert "48x36" in words
    assert {"13 mpeg4", "28 libx264"} <= {
        *module.send_command("GetCodecs").splitlines()
    }
    other = tmp_path / "d.mp4"
    assert module.start(48, 36, filename=other, timing="realtime")
    env.remove(module)  # which completes it
    assert "-c:v" not in other.read_text()
    assert env.viewers == ()


def test_the_watermark_of_the_module(env, ffmpeg, module, tmp_path):
    ffmpeg(COPIES)
    # opacity, blue, green, red from the highest byte on
    assert module.send_command(f"SetWatermark 2 1 {0xFF030201} {0x00FFFFFF}") == ""
    module.start(48, 36, filename=str(tmp_path / "a.mp4"))
    env.step(0.01)
    module.stop()
    shown = pictures(tmp_path / "a.mp4")
    assert shown[0, 0, 0].tolist() == [1, 2, 3]
    assert module.send_command("SetWatermark 0 0") == ""
    for wrong in ("2 2 1", "-1 0", f"1 1 {1 << 33}"):
        with pytest.raises(pyrave.ArgumentError, match="colors"):
            module.send_command(f"SetWatermark {wrong}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("640 480 30", "there is no filename"),
        ("640 480 30 x.mp4", "stands behind width, height and framerate"),
        ("640 480 30 codec 99 filename x.mp4", "codec is 99, expected one of 1 mpeg1"),
        ("640 480 30 timing never filename x.mp4", "timing is 'never', expected one"),
        ("640 480 30 filename x.doc", "expected a name in"),
    ],
)
def test_wrong_commands_of_the_module_end_in_messages(module, ffmpeg, words, message):
    ffmpeg(COPIES)
    with pytest.raises(pyrave.ArgumentError, match=message):
        module.send_command(f"Start {words}")
    assert not module.recording


def test_strangers_record_to_what_they_are_granted(module, ffmpeg, tmp_path):
    ffmpeg(COPIES)

    class Nothing:
        def to_read(self, name):
            raise pyrave.NotSupportedError(f"{name} may not be read")

        def to_write(self, name):
            raise pyrave.NotSupportedError(f"{name} may not be written")

    file = tmp_path / "a.mp4"
    for words in (f"48 36 30 filename {file}", f"width 48 filename {file}"):
        with (
            file_access(Nothing()),
            pytest.raises(pyrave.NotSupportedError, match="may not be written"),
        ):
            module.send_command(f"Start {words}")


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
