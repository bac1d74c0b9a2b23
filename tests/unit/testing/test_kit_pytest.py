"""The pytest plugin: fixtures, mark, option, and what it costs at start-up."""

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


MARKED = """
import pytest

@pytest.mark.pyrave_conformance("spacesampler", "Halton")
@pytest.mark.pyrave_conformance("spacesampler", "MT19937")
def test_contract(pyrave_check):
    pyrave_check()

@pytest.mark.pyrave_conformance("module", "NobodyOffersThis")
def test_missing(pyrave_check):
    pyrave_check()
"""


def test_mark_makes_a_test_per_check(run):
    done = run(MARKED)
    assert done.returncode == 1
    assert "test_contract[spacesampler-Halton-resumes] PASSED" in done.stdout
    assert "test_contract[spacesampler-MT19937-seed] PASSED" in done.stdout
    assert "test_contract[spacesampler-Halton-seed] SKIPPED" in done.stdout
    assert "test_missing[module-NobodyOffersThis-loads] FAILED" in done.stdout
    assert "no installed plugin offers module" in done.stdout


def test_check_without_mark(run):
    done = run("def test_contract(pyrave_check):\n    pyrave_check()\n")
    assert done.returncode == 2
    assert "mark it with @pytest.mark.pyrave_conformance" in done.stdout


def test_option_adds_tests(run):
    done = run("", "--pyrave-conformance", "IdealController", "-k", "idle or reset")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "IdealController[controller-IdealController-idle] PASSED" in done.stdout
    assert "2 passed" in done.stdout


def test_option_refuses_an_unknown_plugin(run):
    done = run("", "--pyrave-conformance", "IdealControler")
    assert done.returncode == 4
    assert "no plugin 'IdealControler'" in done.stderr + done.stdout


def test_start_up_is_light(run):
    done = run(
        """
import sys

def test_modules():
    loaded = {name for name in sys.modules if name.startswith("pyrave")}
    allowed = {"pyrave", "pyrave.errors", "pyrave._lazy", "pyrave.testing"}
    assert loaded <= allowed | {"pyrave.testing.pytest_plugin"}
    assert "numpy" not in sys.modules
"""
    )
    assert done.returncode == 0, done.stdout
