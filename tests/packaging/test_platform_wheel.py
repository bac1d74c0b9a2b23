"""A wheel for one platform, which brings machine code."""

import json
import os
import platform
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from pyrave.cli.platform_wheel import make_platform_wheel
from pyrave.errors import StateError

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

HOOKED = """
import sys, tomllib
from pathlib import Path
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement

root, folder = sys.argv[1:]
project = tomllib.loads(Path(root, "pyproject.toml").read_text("utf-8"))
wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
wheel["hooks"]["custom"]["only"] = ["rays.to_bytes"]
builder = WheelBuilder(root, config=project)
brought = {Requirement(one) for one in builder.config.dependencies}
assert set(map(Requirement, project["project"]["dependencies"])) <= brought
next(builder.build(directory=folder, versions=["standard"]))
"""
ROOT = Path(__file__).parents[2]
ONLY = ("--only", "rays.to_bytes")
MANIFEST = "pyrave/jit/machine_code/manifest.json"
ASKED = {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": "true"}


def warm(*words, check=True):
    command = [sys.executable, "-m", "pyrave", "warm", *map(str, words)]
    return subprocess.run(command, check=check, capture_output=True, text=True)


@pytest.fixture(scope="module")
def platform_wheel(wheels, tmp_path_factory):
    """A wheel with the machine code of one small kernel, made by the build."""
    folder = tmp_path_factory.mktemp("platform")
    subprocess.run(
        [sys.executable, "-c", HOOKED, str(ROOT), str(folder)],
        check=True,
        capture_output=True,
        env={**os.environ, **ASKED},
    )
    pure, made = sorted(folder.iterdir(), key=lambda one: "none-any" not in one.name)
    assert pure.name == wheels["pyrave"].name
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
    assert MANIFEST in added
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


def test_damaged_machine_code_is_named(tmp_path):
    damaged = tmp_path / "content" / "kernel.code"
    damaged.parent.mkdir(mode=0o700)
    damaged.write_bytes(b"nothing of the kind")
    damaged.chmod(0o600)
    with pytest.raises(StateError, match=r"kernel.code is no .*; remove it, and make"):
        make_platform_wheel(tmp_path / "pure.whl", tmp_path, ["content"])


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


def functions(names):
    """Return the functions whose code is among files, whatever it was compiled for."""
    return {Path(name).name.partition("-")[0] for name in names if ".code" in name}


def test_wheels_of_this_processor_have_its_code_alone(wheels, platform_wheel, tmp_path):
    """What the cache has for others, of the same kernels, stays out."""
    pure = tmp_path / wheels["pyrave"].name
    pure.write_bytes(wheels["pyrave"].read_bytes())
    told = warm(*("--wheel", pure, "--level", "host", "--jobs", 1, "--json"), *ONLY)
    with zipfile.ZipFile(json.loads(told.stdout)["wheel"]) as made:
        names = {name for name in made.namelist() if "/machine_code/" in name}
        (manifest,) = (made.read(name) for name in names if name.endswith(".json"))
    level = json.loads(manifest)["level"]
    with zipfile.ZipFile(platform_wheel) as other:
        assert json.loads(other.read(MANIFEST))["level"] != level
        assert names & {*other.namelist()} == {MANIFEST}
        assert functions(names) >= functions(other.namelist())


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_no_process_stays_when_a_build_is_ended(tmp_path):
    """Neither that of the backend nor those that compile for it."""
    environ = {**os.environ, **ASKED, "TMPDIR": str(tmp_path)}
    environ["PYRAVE_CACHE_DIR"] = str(tmp_path / "cache")
    command = [*(sys.executable, "-m", "build", "--wheel", "--no-isolation")]
    command += ["--skip-dependency-check", "--outdir", f"{tmp_path}/dist", str(ROOT)]
    with subprocess.Popen(
        command,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as process:
        # one of its processes tells that it compiles
        assert any("compiling" in line for line in process.stderr)
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
