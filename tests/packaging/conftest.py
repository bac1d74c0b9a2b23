"""Wheels of pyrave and of third-party packages, and environments to install them in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

from pyrave.jit.cache import chosen_directory

ROOT = Path(__file__).parents[2]
THIRD_PARTY = ROOT / "tests" / "thirdparty"
PACKAGES = (
    "acme_rangefinder",
    "acme_pid_controller",
    "acme_toolkit",
    "acme_broken",
    "acme_future",
)


class Venv:
    """A virtual environment whose dependencies are those of the running Python.

    pyrave itself and its plugins come only from what is installed in it.
    """

    def __init__(self, folder, cache):
        self.folder = folder
        self.cache = cache
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True
        )
        names = {"base": str(folder), "platbase": str(folder)}
        self.site = Path(sysconfig.get_path("purelib", "venv", vars=names))
        self.bin = Path(sysconfig.get_path("scripts", "venv", vars=names))
        self.python = self.bin / f"python{sysconfig.get_config_var('EXE') or ''}"
        self._link_dependencies()

    def _link_dependencies(self):
        """Show the outer packages, but nothing of pyrave and no plugin of it."""
        farm = self.folder / "dependencies"
        farm.mkdir()
        outer = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        for item in (item for site in outer for item in Path(site).iterdir()):
            if "pyrave" in item.name.lower() or item.suffix == ".pth":
                continue
            declared = item / "entry_points.txt"
            if declared.is_file() and "[pyrave." in declared.read_text("utf-8"):
                continue
            (farm / item.name).symlink_to(item, target_is_directory=item.is_dir())
        (self.site / "dependencies.pth").write_text(f"{farm}\n", "utf-8")

    @property
    def environ(self):
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYTHON", "PYRAVE", "OPENRAVE", "COV", "PYTEST"))
        }
        return {**kept, "PYRAVE_CACHE_DIR": str(self.cache)}

    def install(self, *wheels):
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "--python", str(self.python)),
                *("install", "--quiet", "--no-deps", "--no-index", "--no-compile"),
                *("--disable-pip-version-check", *map(str, wheels)),
            ],
            check=True,
            env=self.environ,
        )

    def command(self, *words, check=0):
        """Run the installed `pyrave` command."""
        done = subprocess.run(
            [str(self.bin / "pyrave"), *map(str, words)],
            check=False,
            capture_output=True,
            text=True,
            env=self.environ,
            cwd=self.folder,
            timeout=120,
        )
        if check is not None:
            assert done.returncode == check, f"{done.stdout}\n{done.stderr}"
        return done

    def run(self, script, *arguments):
        """Run a script that fills `result`; return what it is."""
        text = f"{script}\nimport json as _json\nprint('\\n' + _json.dumps(result))"
        done = subprocess.run(
            [str(self.python), "-c", text, *map(str, arguments)],
            check=False,
            capture_output=True,
            text=True,
            env=self.environ,
            cwd=self.folder,
            timeout=120,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])


def build(package, out):
    """Build a wheel without network and return its path."""
    if find_spec("hatchling") is None or find_spec("hatch_vcs") is None:
        pytest.skip("hatchling and hatch-vcs build wheels without a network")
    out.mkdir()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        check=True,
        capture_output=True,
        cwd=package,
    )
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """Built wheels by name of the distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    sources = {"pyrave": ROOT, "pyrave-openravepy": ROOT / "compat"}
    sources |= {name: THIRD_PARTY / name for name in PACKAGES}
    return {name: build(path, folder / name) for name, path in sources.items()}


@pytest.fixture(scope="session")
def new_venv(tmp_path_factory):
    """A function that makes an environment without pyrave.

    It has the cache of all tests: kernels are the same wherever they are installed.
    """
    cache = chosen_directory()
    return lambda name: Venv(tmp_path_factory.mktemp(name) / "env", cache)


@pytest.fixture(scope="session")
def venv(wheels, new_venv):
    """An environment with pyrave and all third-party packages."""
    made = new_venv("venv")
    made.install(wheels["pyrave"], *(wheels[name] for name in PACKAGES))
    return made


@pytest.fixture(scope="session")
def plain_venv(wheels, new_venv):
    """An environment with pyrave alone; tests may add dummy distributions to it."""
    made = new_venv("plain")
    made.install(wheels["pyrave"])
    return made
