"""Contents of the wheel, as pyproject.toml says."""

from __future__ import annotations

import configparser
import importlib.metadata
import json
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def content(wheels):
    with zipfile.ZipFile(wheels["pyrave"]) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = dict(project.get("entry-points", {}))
    groups["console_scripts"] = project["scripts"]
    return {(g, n, v) for g, names in groups.items() for n, v in names.items()}


def test_wheel_has_every_source_file(content):
    roots = [(ROOT / "core", "pyrave"), (ROOT / "environments", "pyrave_environments")]
    roots += [
        (ROOT / "plugins", folder.name)
        for folder in (ROOT / "plugins").iterdir()
        if (folder / "__init__.py").is_file()
    ]
    for root, package in roots:
        missing = [
            name
            for path in (root / package).rglob("*")
            if path.is_file()
            and not {"__pycache__", "tests"} & {*path.relative_to(root).parts}
            and (name := path.relative_to(root).as_posix()) not in content
        ]
        assert not missing, f"not in the wheel: {missing}"


def test_wheel_has_scenes_and_type_markers(content):
    assert any(
        n.startswith("pyrave_environments/") and n.endswith(".env.xml") for n in content
    )
    packages = {name.split("/")[0] for name in content if name.endswith("__init__.py")}
    assert {
        "pyrave",
        "pyrave_base",
        "pyrave_coal",
        "pyrave_collision",
        "pyrave_inventor",
        "pyrave_meshes",
        "pyrave_planners",
        "pyrave_sensors",
        "pyrave_stability",
        "pyrave_urdf",
        "pyrave_workcell",
        "pyrave_environments",
    } <= packages
    for package in packages:
        assert f"{package}/py.typed" in content


def test_wheel_has_nothing_else(content):
    tops = {name.split("/")[0] for name in content}
    assert all(top.startswith("pyrave") for top in tops), tops
    strangers = [
        name
        for name in content
        if "/tests/" in name
        or re.match(r"(test_|conftest).*(?<!\.in)$", name.split("/")[-1])
        or name.endswith((".pyc", ".nbi", ".nbc"))
    ]
    assert not strangers


def test_wheel_entry_points_are_those_of_pyproject(content):
    (name,) = (n for n in content if n.endswith("entry_points.txt"))
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.optionxform = str
    parser.read_string(content[name].decode())
    found = {(g, n, v) for g in parser.sections() for n, v in parser[g].items()}
    assert found == declared()


def test_editable_entry_points_are_those_of_pyproject():
    """An editable install freezes them: install again after a change."""
    import pyrave

    if ROOT not in Path(pyrave.__file__).parents:
        pytest.skip("pyrave is not imported from this source tree")
    try:
        installed = importlib.metadata.distribution("pyrave").entry_points
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("pyrave is not installed")
    found = {(entry.group, entry.name, entry.value) for entry in installed}
    assert found == declared(), "run `pip install -e .` again"


def test_every_entry_point_leads_somewhere():
    for group, name, value in declared():
        if group in {"pyrave.data", "pyrave.defaults"}:
            continue
        target = importlib.metadata.EntryPoint(name, value, group).load()
        assert target is not None


def test_versions_of_both_wheels_and_of_the_command_are_one(wheels, plain_venv):
    version = wheels["pyrave"].name.split("-")[1]
    assert wheels["pyrave-openravepy"].name.split("-")[1] == version
    assert plain_venv.command("--version").stdout == f"pyrave {version}\n"
    script = "import pyrave; result = pyrave.__version__"
    assert plain_venv.run(script) == version


def test_demo_runs_in_a_fresh_environment(plain_venv):
    """The base install runs the demo without a display: a picture and the numbers."""
    out = plain_venv.folder / "shown"
    done = plain_venv.command("demo", "--json", "--steps", 20, "--out", out)
    summary = json.loads(done.stdout)
    assert summary == json.loads((out / "summary.json").read_text("utf-8"))
    assert (out / "demo.png").read_bytes().startswith(b"\x89PNG\r\n")
