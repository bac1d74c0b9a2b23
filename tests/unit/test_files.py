"""Files appear whole in their place, or what was there before stays."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pyrave.files import replaced_file, write_file, write_new_file


def test_new_file_has_ordinary_permissions(tmp_path: Path) -> None:
    write_file(tmp_path / "new.txt", "grüße")
    (tmp_path / "plain").touch()
    assert (tmp_path / "new.txt").read_bytes() == "grüße".encode()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_replaced_file_keeps_its_permissions_and_links(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("before")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    write_file(link, b"after")
    assert link.is_symlink()
    assert real.read_text() == "after"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_file(pipe, b"through")
    assert reader.communicate(timeout=120)[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_file_stays_if_its_successor_fails(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    path.write_bytes(b"before")

    def fail() -> None:
        with replaced_file(path) as partial:
            assert partial.suffix == ".npz"
            np.savez(partial, a=np.zeros(9))
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


_PROGRAM = """
import os, resource, signal, sys
from pathlib import Path
import pyrave
env = pyrave.load("scenes/demo.env.xml")
robot = env.robots[0]
scan = robot.attached_sensors["laser"].read()
trajectory = robot.active_manipulator.plan({"joint1": 0.2}).trajectory
works = {
    "picture.png": env.picture,
    "scene.xml": env.save,
    "plot.svg": trajectory.plot,
    "scan.npz": lambda path: pyrave.save_sensor_data(scan, path),
}
for name, work in works.items():
    for fault in ("full", "killed"):
        folder = Path(sys.argv[1], fault + name)
        folder.mkdir()
        path = folder / name
        path.write_bytes(b"good")
        child = os.fork()
        if not child:
            if fault == "full":
                sys.dont_write_bytecode = True  # nor a part of it
                resource.setrlimit(resource.RLIMIT_FSIZE, (40, resource.RLIM_INFINITY))
            else:
                os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
            try:
                work(path)
                code = 0
            except pyrave.Error as error:
                code = 7 if "cannot be written: File too large" in str(error) else 1
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        left = [one.name for one in folder.iterdir()]
        assert path.read_bytes() == b"good", (name, fault)
        assert code == (7 if fault == "full" else -signal.SIGKILL), (name, fault, code)
        assert fault == "killed" or left == [name], left
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of file sizes")
def test_good_files_outlive_writers_that_fail(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == 8


def test_new_file_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    assert write_new_file(path, b"first")
    assert not write_new_file(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_new_file_on_a_disk_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Path, _target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    path = tmp_path / "new.txt"
    assert write_new_file(path, b"first")
    assert not write_new_file(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"

    def write_while_another_comes() -> None:
        with replaced_file(path, new=True) as partial:
            partial.write_bytes(b"second")
            path.write_bytes(b"first")

    with pytest.raises(FileExistsError):
        write_while_another_comes()
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
