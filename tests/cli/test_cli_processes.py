"""Imports, exit codes and streams, which only a process of its own can show."""

from __future__ import annotations

import json

import pytest

import pyrave

pytestmark = pytest.mark.slow

IMPORTS = """
import sys
from pyrave.cli import main
code = main(sys.argv[1:])
heavy = {"numba", "llvmlite", "scipy", "trimesh", "lxml", "numpy", "cyclopts", "rich"}
heavy |= {"pyrave_base.ideal_controller", "pyrave_collision.native"}
heavy |= {"pyrave_sensors.laser2d", "pyrave_environments"}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def loaded(result):
    return json.loads(result.err.strip().splitlines()[-1].replace("'", '"'))


def test_help_is_light(pyrave_process):
    result = pyrave_process("--help", code=IMPORTS)
    assert result.code == 0
    for command in ("demo", "info", "check", "run", "plugins", "new-plugin", "doctor"):
        assert command in result.out
    assert "ik " in result.out, "commands of plugins are listed, too"
    assert "--install-completion" in result.out
    assert loaded(result) == ["cyclopts", "numpy", "rich"]


def test_version_needs_no_parser(pyrave_process):
    result = pyrave_process("--version", code=IMPORTS)
    assert result.out == f"pyrave {pyrave.__version__}\n"
    assert loaded(result) == []


def test_info_needs_no_compiler_and_no_plugin_code(pyrave_process, environments):
    path = environments / "scenes" / "minimal.env.xml"
    result = pyrave_process("info", path, "--json", code=IMPORTS)
    assert result.code == 0
    assert json.loads(result.out)["environment"]["robot_names"] == ["planar3r"]
    assert loaded(result) == ["cyclopts", "lxml", "numpy"]


def test_info_with_a_sensor_loads_that_plugin_only(pyrave_process, environments):
    path = environments / "scenes" / "demo.env.xml"
    result = pyrave_process("info", path, "--json", code=IMPORTS)
    assert result.code == 0
    assert loaded(result) == [
        "cyclopts",
        "lxml",
        "numpy",
        "pyrave_sensors.laser2d",
    ]


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--help"], 0), (["info", "missing.xml"], 1), (["nonsense"], 2)],
)
def test_exit_codes(pyrave_process, words, code):
    assert pyrave_process(*words).code == code


def test_a_reader_that_stops_early_is_no_error(environments):
    import subprocess
    import sys

    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pyrave",
            "info",
            str(environments / "scenes" / "demo.env.xml"),
            "--json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read().decode()
    assert "Traceback" not in errors
