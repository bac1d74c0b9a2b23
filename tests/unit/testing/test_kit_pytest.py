"""Contracts as test classes: what pytest prints of them, fixtures, cost at start-up."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path):
    def call(text, *options):
        (tmp_path / "test_given.py").write_text(text)
        return subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-p", "pyrave.testing.pytest_plugin"),
                *("-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-v", "-rA"),
                *("--strict-markers", *options, str(tmp_path)),
            ],
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        )

    return call


FIXTURES = """
def test_env(pyrave_env):
    assert len(pyrave_env.bodies) == 0
    pyrave_env.step(0.01)

def test_scene(pyrave_scene):
    one, two = pyrave_scene(), pyrave_scene()
    assert one is not two
    assert list(one.robots.names) == ["kit_arm"]
    env = pyrave_scene('<kinbody name="a"><body name="b"/></kinbody>')
    assert "a" in env.bodies

def test_scene_is_strict(pyrave_scene):
    import pyrave, pytest
    text = '<kinbody name="a"><body name="b"/><nonsense/></kinbody>'
    with pytest.raises(pyrave.SceneError):
        pyrave_scene(text)
    assert "a" in pyrave_scene(text, strict=False).bodies
"""


def test_fixtures(run):
    done = run(FIXTURES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


CLASSES = """
import pyrave
from pyrave.testing import ModuleContract, SpaceSamplerContract, plugin_contracts

class Good(pyrave.ModuleBase):
    '''A module without a mistake.'''

    contract = 1

    @pyrave.command
    def greet(self, name: str) -> str:
        '''Greet somebody.'''
        return f"hello {name}"

class Bad(pyrave.ModuleBase):
    contract = 1

    def main(self, args):
        return None

    def simulation_step(self, dt):
        return 1 / 0

class Exit(Good):
    '''Leave in a step.'''

    contract = 1

    def simulation_step(self, dt):
        raise SystemExit(3)

class Follower(pyrave.ModuleBase):
    '''It needs the name of a body.'''

    contract = 1
    settings_type = None

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.body = env.bodies[args[0]]

class WithWords(Follower):
    '''It says itself which body.'''

    contract = 1
    testing_arguments = "kit_box"

class TestGood(ModuleContract):
    interface = Good
    made = []

    def setup_object(self, made):
        self.made.append(made.name)

class TestBad(ModuleContract):
    interface = Bad

class TestExit(ModuleContract):
    interface = Exit

class TestPicky(ModuleContract):
    interface = Follower

class TestWithWords(ModuleContract):
    interface = WithWords

class TestGivenWords(ModuleContract):
    interface = staticmethod(lambda env, *args: Follower(env, "only"))
    scene = "<environment><kinbody name='only'><body name='b'/></kinbody></environment>"

class TestHalton(SpaceSamplerContract):
    interface = "Halton"

class TestMissing(ModuleContract):
    interface = "NobodyOffersThis"

def test_setup_sees_each_object():
    assert len(TestGood.made) > 10

globals().update(plugin_contracts("IdealController"))
"""


def test_contracts_say_what_they_saw_and_where_to_look(run):
    done = run(CLASSES, "--tb=short")
    assert done.returncode == 1
    out = done.stdout
    ended = {}
    for line in out.splitlines():
        if line.startswith("test_given.py::"):
            name, _, rest = line.partition(" ")
            ended[name.partition("::")[2]] = rest.partition(" ")[0]
    failed = {name for name, outcome in ended.items() if outcome == "FAILED"}
    assert failed == {
        *(f"TestBad::test_{name}" for name in ("runs", "documented", "main")),
        "TestExit::test_runs",
        "TestPicky::test_creates",
        "TestMissing::test_loads",
    }
    # each failure once
    for name in ("step", "reset", "several", "removable"):
        assert ended[f"TestBad::test_{name}"] == "SKIPPED"
        assert ended[f"TestExit::test_{name}"] == "SKIPPED"
    assert "fails as test_runs does" in out
    assert ended["TestHalton::test_seed"] == "SKIPPED"
    assert ended["TestHalton::test_resumes"] == "PASSED"
    assert ended["TestPicky::test_state"] == "SKIPPED"
    assert ended["TestMissing::test_creates"] == "SKIPPED"
    assert ended["TestControllerIdealController::test_idle"] == "PASSED"
    assert ended["TestPlugin::test_usable"] == "PASSED"
    assert "``main(args)`` returns an int, 0 when all is well" in out
    assert "end main with `return 0`" in out
    assert "look at: Bad.main (" in out
    assert "return 1 / 0" in out
    assert "SystemExit: 3" in out
    assert "no installed plugin offers module" in out
    assert "'NobodyOffersThis'" in out
    assert "testing_arguments" in out


HANGING = """
import threading
import pyrave
from pyrave.testing import ModuleContract

class Hang(pyrave.ModuleBase):
    '''Its step never ends, and catches what it can.'''

    contract = 1

    def simulation_step(self, dt):
        while True:
            try:
                threading.Event().wait()
            except Exception:
                pass

class TestHang(ModuleContract):
    interface = Hang
    time_limit = 5.0
"""


def test_a_check_that_does_not_end_fails(run):
    done = run(HANGING, "--tb=short")
    out = done.stdout
    assert done.returncode == 1, out
    assert "OverrunError: it did not end within 5 s; it was in" in out
    assert "threading.Event().wait()" in out
    assert "fails as test_clones does" in out
    assert "TestHang::test_documented PASSED" in out


def test_start_up_is_light(run):
    done = run(
        """
import sys

def test_modules():
    loaded = {name for name in sys.modules if name.startswith("pyrave")}
    light = {"pyrave", "pyrave.errors", "pyrave._lazy", "pyrave._ctrl_c"}
    light |= {"pyrave._collector"}
    assert loaded <= light | {"pyrave.testing", "pyrave.testing.pytest_plugin"}
    assert "numpy" not in sys.modules
"""
    )
    assert done.returncode == 0, done.stdout
