"""``pyrave dev check-numba``, without a network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyrave.cli.commands import dev
from pyrave.errors import StateError

_PROJECT = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
_LOWEST = re.search(r'"numba>=([\d.]+),<', _PROJECT)[1]


@pytest.fixture
def newest(monkeypatch):
    """Set what the package index says, and how tests with it end."""

    def choose(version, passes=None):
        ran = []

        def environment(folder, root, requirements):
            ran.extend(requirements)
            assert (root / "pyproject.toml").is_file()
            return folder / "python"

        monkeypatch.setattr(dev, "_newest", lambda package: version)
        monkeypatch.setattr(dev, "_environment", environment)
        monkeypatch.setattr(dev, "_passes", lambda *where: passes)
        return ran

    return choose


def test_a_numba_that_is_allowed_is_not_tested(pyrave, newest):
    ran = newest(f"{_LOWEST}.7")
    done = pyrave("dev", "check-numba")
    assert done.code == 0
    assert f"numba {_LOWEST}.7 is the newest" in done.out
    assert "nothing to do" in done.out
    assert ran == []


def test_a_numba_that_is_allowed_is_tested_when_asked(pyrave, newest):
    ran = newest(f"{_LOWEST}.7", passes=True)
    done = pyrave("dev", "check-numba", "--again")
    assert (done.code, done.out) == (0, f"the tests pass with numba {_LOWEST}.7\n")
    assert ran[0] == f"numba=={_LOWEST}.7"


def test_a_newer_numba_that_passes_raises_the_bound(pyrave, newest):
    ran = newest("7.9.1", passes=True)
    done = pyrave("dev", "check-numba")
    assert done.code == 1
    text = f'write "numba>={_LOWEST},<7.10" for "numba>={_LOWEST},<'
    assert text in done.out
    assert ran[0] == "numba==7.9.1"
    assert not any(one.startswith("numba") for one in ran[1:])
    assert {"numpy", "lxml", "pytest"} <= {one.split(">")[0] for one in ran}


def test_a_newer_numba_that_fails_keeps_the_bound(pyrave, newest):
    newest("7.9.1", passes=False)
    done = pyrave("dev", "check-numba")
    assert done.code == 1
    assert "pyrave fails with numba 7.9.1: mend" in done.out
    assert "keep the bound" in done.out


def test_an_index_that_does_not_answer_is_told(pyrave, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    done = pyrave("dev", "check-numba")
    assert done.code == 1
    assert "numba` failed: ERROR: " in done.err
    assert "look whether the package index can be reached" in done.err


def test_a_python_without_pip_is_told(pyrave, monkeypatch):
    monkeypatch.setattr(dev, "find_spec", lambda name: None)
    done = pyrave("dev", "check-numba")
    assert done.code == 1
    assert "has no pip, which asks the package index: install it" in done.err
    assert "can be reached" not in done.err


def test_an_environment_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "environment").write_text("in the way")
    with pytest.raises(
        StateError, match=r"`venv .*environment.*; install what it needs"
    ):
        dev._environment(tmp_path, tmp_path, [])


def test_an_installed_pyrave_is_no_checkout(pyrave, monkeypatch, tmp_path):
    place = tmp_path / "site-packages/pyrave/cli/commands/dev.py"
    monkeypatch.setattr(dev, "__file__", str(place))
    done = pyrave("dev", "check-numba")
    assert done.code == 1
    assert "is no checkout with pyproject.toml and tests" in done.err
    assert "pip install -e '.[dev]'" in done.err


def test_unknown_checks_are_told(pyrave):
    done = pyrave("dev", "check-nunba")
    assert done.code == 2
    assert 'Did you mean "check-numba"?' in done.err
