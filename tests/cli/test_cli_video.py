"""``pyrave run --video``: with a program that stands for ffmpeg, and with ffmpeg."""

import os
import shutil
import stat
import sys

import pytest

from pyrave.pictures import DEFAULT_SIZE

FRAME = 3 * DEFAULT_SIZE[0] * DEFAULT_SIZE[1]
SCENE = """<environment><kinbody name="ball"><body name="b">
<geom type="sphere"><radius>0.1</radius></geom></body></kinbody></environment>"""
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


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "ball.env.xml"
    path.write_text(SCENE)
    return path


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    def install(text):
        folder = tmp_path / "bin"
        folder.mkdir()
        program = folder / "ffmpeg"
        program.write_text(text.format(python=sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return install


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
@pytest.mark.parametrize(
    ("dt", "steps", "frames"), [(0.01, 10, 3), (0.04, 3, 4), (0.1, 2, 6)]
)
def test_there_is_a_picture_for_each_25th_of_a_second(
    pyrave, scene, tmp_path, ffmpeg, dt, steps, frames
):
    ffmpeg(COPIES)
    video = tmp_path / "out.mp4"
    done = pyrave(
        "run", scene, "--dt", str(dt), "--steps", str(steps), "--video", video
    )
    assert done.code == 0, done.err
    content = video.read_bytes()
    assert len(content) == frames * FRAME
    assert len(set(content[:FRAME])) > 2, "the ball is seen"


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_a_video_that_cannot_be_written_is_told_and_removed(
    pyrave, scene, tmp_path, ffmpeg
):
    ffmpeg(FAILS)
    video = tmp_path / "out.mp4"
    done = pyrave("run", scene, "--steps", "50", "--video", video)
    assert done.code == 1
    assert "no space is left" in " ".join(done.err.split())
    assert not video.exists()


@pytest.mark.parametrize("place", ["out.ogv", "missing/out.mp4"])
def test_wrong_names_are_refused_first(pyrave, scene, tmp_path, place):
    done = pyrave("run", scene, "--video", tmp_path / place)
    code, fault = (1, "missing") if "missing" in place else (2, ".mpg, .mpeg or .gif")
    assert done.code == code
    assert fault in done.err


def test_without_a_program_it_says_what_brings_one(
    pyrave, scene, tmp_path, monkeypatch
):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = pyrave("run", scene, "--video", tmp_path / "out.mp4")
    assert done.code == 1
    assert "pip install 'pyrave[video]'" in " ".join(done.err.split())


def test_with_ffmpeg(pyrave, scene, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.importorskip("imageio_ffmpeg")
    for name, head in (("out.mp4", b"ftyp"), ("out.gif", b"GIF8")):
        video = tmp_path / name
        done = pyrave("run", scene, "--steps", "10", "--video", video)
        assert done.code == 0, done.err
        assert head in video.read_bytes()[:16]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
@pytest.mark.parametrize(("name", "size"), [("o.mp4", (32, 24)), ("o.gif", (31, 23))])
def test_odd_sizes_become_even_but_of_gif(pyrave, scene, tmp_path, ffmpeg, name, size):
    ffmpeg(COPIES)
    video = tmp_path / name
    done = pyrave("run", scene, "--steps", "1", "--video", video, "--size", "31x23")
    assert done.code == 0, done.err
    assert len(video.read_bytes()) == 3 * size[0] * size[1]
