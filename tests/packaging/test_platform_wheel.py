"""A wheel for one platform, which brings machine code."""

import json
import os
import platform
import signal
import subprocess
import sys
import time
import zipfile

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        platform.machine().lower() not in {"x86_64", "amd64"},
        reason="there is a processor level for x86-64 alone",
    ),
]

CALLS = """
import sys, pyrave
from pathlib import Path
from pyrave.geometry.renderer import KERNELS
import numpy as np
import os

os.environ["PYRAVE_COMPILE"] = "foreground"
function = KERNELS["to_bytes"].now()
cache = Path(os.environ["PYRAVE_CACHE_DIR"])
result = [len(list(cache.rglob("*.code"))), KERNELS["to_bytes"].request.is_kept]
"""


def warm(*words, check=True):
    command = [sys.executable, "-m", "pyrave", "warm", *map(str, words)]
    return subprocess.run(command, check=check, capture_output=True, text=True)


@pytest.fixture(scope="module")
def platform_wheel(wheels, tmp_path_factory):
    """A wheel with the machine code of one small kernel."""
    folder = tmp_path_factory.mktemp("platform")
    pure = folder / wheels["pyrave"].name
    pure.write_bytes(wheels["pyrave"].read_bytes())
    done = warm("--wheel", pure, "--only", "rays.to_bytes", "--jobs", 1, "--json")
    made = folder / json.loads(done.stdout)["wheel"]
    assert made.name.startswith(pure.name.removesuffix("-py3-none-any.whl"))
    assert made.name.endswith(".whl")
    return made


@pytest.fixture(scope="module")
def platform_venv(platform_wheel, new_venv):
    made = new_venv("brought")
    made.cache = made.folder / "empty"
    made.install(platform_wheel)
    return made


def test_it_is_the_pure_wheel_and_machine_code(wheels, platform_wheel):
    def names(path):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            return set(archive.namelist())

    added = names(platform_wheel) - names(wheels["pyrave"])
    assert "pyrave/jit/machine_code/manifest.json" in added
    assert {name.rpartition(".")[2] for name in added} == {"json", "code"}


def test_nothing_is_compiled_where_it_is_installed(platform_venv):
    assert platform_venv.run(CALLS) == [0, True]
    told = json.loads(platform_venv.command("doctor", "--json", check=None).stdout)
    assert told["machine_code"] == "came with the package, for x86-64-v3"


def test_other_versions_compile_as_ever(platform_venv):
    (manifest,) = platform_venv.site.rglob("machine_code/manifest.json")
    text = manifest.read_text()
    try:
        manifest.write_text(text.replace('"numba": "', '"numba": "9'))
        count, kept = platform_venv.run(CALLS)
        assert count > 0
        assert kept
        told = json.loads(platform_venv.command("doctor", "--json", check=None).stdout)
        assert told["machine_code"].startswith("compiled here: it is for numba 9")
    finally:
        manifest.write_text(text)


def test_another_wheel_is_refused(wheels, tmp_path):
    other = tmp_path / wheels["pyrave"].name
    with (
        zipfile.ZipFile(wheels["pyrave"]) as pure,
        zipfile.ZipFile(other, "w") as out,
    ):
        for name in pure.namelist():
            extra = b"# changed" if name == "pyrave/spatial.py" else b""
            out.writestr(name, pure.read(name) + extra)
    done = warm("--wheel", other, check=False)
    assert done.returncode == 2
    assert "pyrave/spatial.py in" in done.stderr
    done = warm("--wheel", wheels["pyrave"], "--level", "i386", check=False)
    assert "no processor level is named 'i386'" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_no_process_stays_when_it_is_ended(tmp_path):
    environ = {**os.environ, "PYRAVE_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "pyrave", "warm", "--jobs", "2"]
    with subprocess.Popen(
        command, env=environ, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        # it tells when one of its processes compiles
        process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.wait()
        deadline = time.monotonic() + 30
        while _is_alive(process.pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not _is_alive(process.pid)


def _is_alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
