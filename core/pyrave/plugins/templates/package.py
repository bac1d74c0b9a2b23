"""Templates of the files that every generated package has."""

PYPROJECT = """[build-system]
requires = ["hatchling>=1.24"]
build-backend = "hatchling.build"

[project]
name = "@distribution@"
version = "0.1.0"
description = "@description@"
readme = "README.md"
license = "MIT"
license-files = ["LICENSE"]
requires-python = ">=3.11"
dependencies = ["numpy", "pyrave>=0.1"]

[project.optional-dependencies]
test = ["pyrave[testing]", "ruff"]

@entry_points@
[tool.hatch.build.targets.wheel]
packages = ["src/@package@"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = ["--import-mode=importlib"]
filterwarnings = ["error"]
"""

INIT = '''"""@description@."""

__version__ = "0.1.0"
'''

SCENE = """<?xml version="1.0" encoding="utf-8"?>
<environment>
  <plugin>@distribution@</plugin>

  <robot name="arm">
    <kinbody>
      <body name="base" type="static">
        <geom type="cylinder"><radius>0.1</radius><height>0.1</height></geom>
      </body>
      <body name="upper">
        <offsetfrom>base</offsetfrom>
        <geom type="box">
          <extents>0.2 0.03 0.03</extents>
          <translation>0.2 0 0.1</translation>
        </geom>
      </body>
      <joint name="shoulder">
        <body>base</body>
        <body>upper</body>
        <axis>0 0 1</axis>
        <limitsdeg>-170 170</limitsdeg>
        <maxvel>2</maxvel>
      </joint>
      <body name="lower">
        <offsetfrom>upper</offsetfrom>
        <translation>0.4 0 0.1</translation>
        <geom type="box">
          <extents>0.15 0.03 0.03</extents>
          <translation>0.15 0 0</translation>
        </geom>
      </body>
      <joint name="elbow">
        <body>upper</body>
        <body>lower</body>
        <offsetfrom>lower</offsetfrom>
        <axis>0 0 1</axis>
        <limitsdeg>-150 150</limitsdeg>
        <maxvel>2</maxvel>
      </joint>
    </kinbody>
    <manipulator name="tool">
      <base>base</base>
      <effector>lower</effector>
      <translation>0.3 0 0</translation>
@iksolver@    </manipulator>
  </robot>

  <kinbody name="ball">
    <translation>1 0 0.5</translation>
    <body name="ball">
      <geom type="sphere"><radius>0.1</radius></geom>
    </body>
  </kinbody>

@elements@</environment>
"""

TEST_PACKAGE = '''"""The package can be used, and its scene runs."""

from pyrave.testing import PluginContract


class TestPackage(PluginContract):
    plugin = "@distribution@"


def test_the_scene_runs_without_a_problem(scene):
    for _ in range(3):
        scene.step(0.01)
    assert not scene.problems
'''

CONFTEST = '''"""Fixtures that the tests share."""

from pathlib import Path

import pyrave
import pytest

SCENE = Path(__file__).parents[1] / "src/@package@/scenes/@package@.env.xml"


@pytest.fixture
def scene():
    """Return an environment with the package's scene; any warning is a failure."""
    return pyrave.load(SCENE, strict=True)
'''

README = """# @distribution@

@description@. A plugin package for pyrave.

| what | name | where |
|---|---|---|
@table@

## Use

```
pip install -e .[test]
pyrave plugins                       # shows what is above
pytest                               # contract, scene and behaviour
@use@```

A scene says with `<plugin>@distribution@</plugin>` that it needs the package@first@.

## Change

Each class is in its own module under `src/@package@/`. Its id is the entry point's name
in `pyproject.toml`; after a change there, run `pip install -e .` again. `contract = N`
in a class is the version of pyrave's contract that it was written for.

`.github/workflows/tests.yml` tests each change; `CHANGELOG.md` says what users get.
"""

CHANGELOG = """# Changelog

## [Unreleased]

### Added

- @description@.
"""

WORKFLOW = """name: tests

on:
  push:
  pull_request:

jobs:
  tests:
    runs-on: ${{ matrix.os }}
    strategy:
      fail-fast: false
      matrix:
        os: [ubuntu-latest, windows-latest, macos-latest]
        python-version: ["3.11", "3.13"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python-version }}
          cache: pip
      - run: pip install .[test]
      - run: ruff check .
      - run: ruff format --check .
      - run: pytest
      - run: pyrave check --plugin @distribution@
"""

LICENSE = """MIT License

Copyright (c) @year@ the authors of @distribution@

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""

IGNORE = """__pycache__/
*.egg-info/
build/
dist/
.venv/
"""
