import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pyrave.errors import ArgumentError
from pyrave.interfaces import CONTRACTS, INTERFACE_TYPES
from pyrave.plugins.generator import PackageParts, new_plugin, render_plugin

ROOT = Path(__file__).parents[3]
PARTS = PackageParts(["boxes"], ["soup"], ["heights"], hooks=True, data=True)
ALL = {kind: [f"My{kind.capitalize()}"] for kind in INTERFACE_TYPES}


def install(site, package: Path) -> None:
    """Put a generated package on the path with metadata, as pip would."""
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    site.distribution(
        project["name"],
        project["entry-points"],
        version=project["version"],
        requires=project["dependencies"],
    )


def run(site, package: Path, *command: str, **environment: str):
    # the package's tests must see the package but nothing of pyrave's own tests
    path = [str(package / "src"), str(site.folder), *filter(None, sys.path)]
    return subprocess.run(
        [sys.executable, *command],
        cwd=package,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def everything(site):
    package = site.folder / "work" / "all-kinds"
    new_plugin("all-kinds", ALL, package, PARTS)
    install(site, package)
    return package


@pytest.mark.slow
def test_the_package_passes_its_own_tests(site, everything):
    done = run(site, everything, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


@pytest.mark.slow
def test_the_package_is_clean_for_ruff_and_mypy(site, everything):
    pytest.importorskip("mypy")
    pytest.importorskip("ruff")
    for command in (("check",), ("format", "--check")):
        done = run(site, everything, "-m", "ruff", *command, "--isolated", ".")
        assert done.returncode == 0, done.stdout
    # in the checkout, which keeps what mypy knows of pyrave
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--follow-imports=silent",
            str(everything / "src/all_kinds"),
        ],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(everything / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_long_names_make_no_long_lines(tmp_path):
    length = 40
    name = "a-laser-of-a-company-with-some-long-name"
    ids = {kind: [f"{kind.capitalize():X<{length}}"] for kind in INTERFACE_TYPES}
    word = "format_" + "x" * 20
    parts = PackageParts([word], [f"mesh_{word}"], [f"a-{word}"], hooks=True, data=True)
    for path, text in render_plugin(name, ids, parts).items():
        if path.endswith(".py"):
            long = [line for line in text.splitlines() if len(line) > 88]
            assert long == [], path
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "format", "--check", "--isolated", "."]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_entry_points_name_what_was_written(tmp_path):
    target = tmp_path / "my-laser"
    written = new_plugin(
        "my-laser", {"sensor": ["MyLaser"], "problem": ["Task", "Task2"]}, target
    )
    assert {path.relative_to(target).as_posix() for path in written} == {
        ".github/workflows/tests.yml",
        ".gitignore",
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "src/my_laser/__init__.py",
        "src/my_laser/py.typed",
        "src/my_laser/my_laser.py",
        "src/my_laser/scenes/my_laser.env.xml",
        "src/my_laser/task.py",
        "src/my_laser/task2.py",
        "tests/conftest.py",
        "tests/test_my_laser.py",
        "tests/test_my_laser_my_laser.py",
        "tests/test_my_laser_task.py",
        "tests/test_my_laser_task2.py",
    }
    project = tomllib.loads((target / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["numpy", "pyrave>=0.1"]
    assert project["description"] == "Sensor MyLaser, module Task, module Task2"
    assert project["entry-points"] == {
        "pyrave.sensor": {"MyLaser": "my_laser.my_laser:MyLaser"},
        "pyrave.module": {
            "Task": "my_laser.task:Task",
            "Task2": "my_laser.task2:Task2",
        },
        "pyrave.data": {"my_laser": "my_laser"},
    }


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_each_type_alone_leaves_nothing_unfilled(kind):
    files = render_plugin("one-thing", {kind: ["OneThing"]})
    for path, text in files.items():
        assert "@id@" not in text, path
        assert "@snake@" not in text, path
        assert "@package@" not in text, path
        if path.endswith(".py"):
            compile(text, path, "exec")
    settings = "settings_type = Settings" in files["src/one_thing/one_thing.py"]
    assert settings == (kind in {"sensor", "controller", "kinbody"})
    assert f"contract = {CONTRACTS[kind]}" in files["src/one_thing/one_thing.py"]


@pytest.mark.parametrize(
    ("name", "interfaces", "message"),
    [
        ("my laser", {"sensor": ["X"]}, "is not a package name"),
        ("1laser", {"sensor": ["X"]}, "not a valid name"),
        ("json", {"sensor": ["X"]}, "would hide the Python module 'json'"),
        ("pyrave", {"sensor": ["X"]}, "would hide"),
        ("ok", {}, "no interface was named"),
        ("ok", {"sensr": ["X"]}, "did you mean 'sensor'"),
        ("ok", {"sensor": ["My Laser"]}, "not a Python class name"),
        ("ok", {"sensor": ["class"]}, "not a Python class name"),
        ("ok", {"sensor": ["Thing"], "module": ["thing"]}, "choose another id"),
        ("ok", {"module": ["Hooks"]}, "as the hook module is"),
        ("ok", {"sensor": ["BaseIMU"]}, "sensor id 'BaseIMU' is taken by pyrave"),
        ("ok", {"controller": ["idealcontroller"]}, "is taken by pyrave"),
        ("ok", {"sensor": ["Settings"]}, "module uses; .* for example 'MySettings'"),
        ("ok", {"sensor": ["LaserData"]}, "hide a name that its own module uses"),
        ("ok", {"sensor": ["float"]}, "hide a name that its own module uses"),
        ("ok", {"module": ["ModuleBase"]}, "hide a name that its own module uses"),
    ],
)
def test_names_that_cannot_work_are_refused(tmp_path, name, interfaces, message):
    with pytest.raises(ArgumentError, match=message):
        new_plugin(name, interfaces, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (PackageParts(["dae"]), "the suffix '.dae' is taken by pyrave"),
        (PackageParts((), ["stl"]), "the suffix '.stl' is taken by pyrave"),
        (PackageParts(["b-x"]), "has a '-'"),
        (PackageParts(["two words"]), "is not a word"),
        (PackageParts((), (), ["2nd"]), "the command '2nd' is not a word"),
        (PackageParts(["a"], (), ["x", "x"]), "as x is; choose another name"),
        (PackageParts(), "no interface was named"),
    ],
)
def test_parts_that_cannot_work_are_refused(tmp_path, parts, message):
    with pytest.raises(ArgumentError, match=message):
        new_plugin("ok", {}, tmp_path / "out", parts)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("parts", "group", "value"),
    [
        (PackageParts(["boxes"]), "scene_formats.boxes", "ok.boxes_format:BoxesFormat"),
        (PackageParts((), ["soup"]), "mesh_formats.soup", "ok.soup_mesh:SoupMesh"),
        (PackageParts((), (), ["look-up"]), "commands", "ok.look_up_command:look_up"),
        (PackageParts(hooks=True), "plugins", "ok.hooks"),
        (PackageParts(data=True), "data", "ok"),
    ],
)
def test_each_part_alone_is_declared(parts, group, value):
    files = render_plugin("ok", {}, parts)
    points = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]
    assert list(points[f"pyrave.{group}"].values()) == [value]
    assert not any(re.search(r"@[a-z]+@", text) for text in files.values())


def test_nothing_is_overwritten(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    new_plugin("fine", {"module": ["Task"]}, target)
    before = (target / "README.md").read_text()
    with pytest.raises(ArgumentError, match="exists already"):
        new_plugin("other", {"module": ["Task"]}, target)
    assert (target / "README.md").read_text() == before
