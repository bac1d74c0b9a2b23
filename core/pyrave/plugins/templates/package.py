"""Templates of the files that every generated package has."""

PYPROJECT = """[build-system]
requires = ["hatchling>=1.24"]
build-backend = "hatchling.build"

[project]
name = "@distribution@"
version = "0.1.0"
description = "@description@"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["numpy", "pyrave>=0.1"]

[project.optional-dependencies]
test = ["pyrave[testing]"]

@entry_points@
[tool.hatch.build.targets.wheel]
packages = ["src/@package@"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = ["--import-mode=importlib"]
"""

INIT = '''"""@description@."""

__version__ = "0.1.0"
'''

HOOKS = '''"""Hooks of the package: pyrave imports this module at its first scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable


@hookimpl
def pyrave_xml_readers() -> list[tuple[str, str, Callable[..., Any]]]:
    """Return (interface type, tag, reader) of the package's own tags."""
@imports@

    return [
@readers@
    ]
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

CONFTEST = '''"""What the tests share."""

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

| interface type | id | class |
|---|---|---|
@table@

## Use

```
pip install -e .[test]
pyrave plugins                       # shows the interfaces above
pytest                               # contract, scene and behaviour
pyrave run src/@package@/scenes/@package@.env.xml --steps 100
```

A scene uses the package with `<plugin>@distribution@</plugin>` and names the ids in
`type="..."`; a script with `env.create("@first_type@", "@first_id@")`.

## Change

Each class is in its own module under `src/@package@/`. Its id is the entry point's name
in `pyproject.toml`; after a change there, run `pip install -e .` again. `contract = 1`
in a class is the version of pyrave's contract that it was written for.
"""
