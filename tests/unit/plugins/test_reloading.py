"""Code of plugins that is edited while a program runs."""

import os
import sys

import pytest

import pyrave
from pyrave.plugins import PluginState, Registry

MODULE = """
import pyrave
from {package}.part import ANSWER

class Mine(pyrave.ModuleBase):
    contract = 1
    answer = ANSWER
    def main(self, args): return 0
"""
HOOKS = """
import pyrave
SEEN = []
@pyrave.hookimpl
def pyrave_cli(): return [("{name}", print)]
@pyrave.hookimpl
def pyrave_step_end(env, dt): SEEN.append("{name}")
"""


@pytest.fixture
def registry():
    return Registry(disabled=())


@pytest.fixture
def package(site):
    """Return a function that writes the sources of the package 'acme'."""

    def write(answer, name):
        site.module("acme.__init__", "")
        site.module("acme.part", f"ANSWER = {answer}")
        site.module("acme.mine", MODULE.format(package="acme"))
        site.module("acme.hooks", HOOKS.format(name=name))

    write(1, "first")
    site.distribution(
        "acme",
        {
            "pyrave.module": {"Mine": "acme.mine:Mine"},
            "pyrave.plugins": {"acme": "acme.hooks"},
        },
    )
    return write


def commands(registry):
    return [name for name, _ in registry.cli_commands() if name in {"first", "second"}]


@pytest.mark.parametrize("name", ["acme", "Mine"])
def test_a_distribution_runs_its_new_code(package, registry, name):
    env = pyrave.Environment(registry)
    old = env.create("module", "Mine")
    assert commands(registry) == ["first"]
    package(2, "second")
    assert env.create("module", "Mine").answer == 1
    found = registry.reload(name)
    assert {one.state for one in found} == {PluginState.LOADED}
    assert env.create("module", "Mine").answer == 2
    assert (old.answer, commands(registry)) == (1, ["second"])
    env.step(0.01)
    assert sys.modules["acme.hooks"].SEEN == ["second"]


def test_code_that_no_longer_works_is_broken_and_mended_again(package, registry, site):
    env = pyrave.Environment(registry)
    env.create("module", "Mine")
    site.module("acme.part", "ANSWER = 1 // 0")
    registry.reload("acme")
    with pytest.raises(pyrave.PluginError, match="ZeroDivisionError"):
        env.create("module", "Mine")
    package(3, "second")
    registry.reload("acme")
    assert env.create("module", "Mine").answer == 3


def test_what_was_installed_meanwhile_is_found(registry, site):
    registry.records()
    site.distribution(
        "late",
        {"pyrave.module": {"Late": "late:Mine"}},
        sources={"late": MODULE.format(package="late").replace("from late.part", "#")
                 .replace("= ANSWER", "= 4")},
    )  # fmt: skip
    with pytest.raises(pyrave.InterfaceNotFoundError):
        pyrave.Environment(registry).create("module", "Late")
    registry.reload("late")
    assert pyrave.Environment(registry).create("module", "Late").answer == 4
    order = [one.distribution for one in registry.records()]
    assert order == sorted(order, key=lambda one: (one != "pyrave", one))


def test_what_was_uninstalled_is_gone(package, registry, site):
    registry.records()
    for file in (site.folder / "acme-1.0.dist-info").iterdir():
        file.unlink()
    registry.reload("acme")
    with pytest.raises(pyrave.PluginError, match="'acme' is not installed"):
        registry.reload("acme")


@pytest.mark.parametrize(
    ("name", "message"),
    [("nothing", "'nothing' is not installed"), ("pyrave", "pyrave's own")],
)
def test_what_cannot_be_loaded_again_is_said(registry, name, message):
    with pytest.raises(pyrave.PluginError, match=message):
        registry.reload(name)


def test_an_edited_file_runs_again(tmp_path, registry):
    path = tmp_path / "mine.py"
    source = MODULE.format(package="x").replace("from x.part", "#")
    path.write_text(source.replace("= ANSWER", "= 1"))
    env = pyrave.Environment(registry)
    first = registry.load_path(path, allow=True)
    assert registry.load_path(path, allow=True) is first
    assert env.create("module", "Mine").answer == 1
    # as long and as old as before but for a nanosecond
    state = path.stat()
    path.write_text(source.replace("= ANSWER", "= 2"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    registry.load_path(path, allow=True)
    assert env.create("module", "Mine").answer == 2
    path.write_text("1 // 0")
    with pytest.raises(pyrave.PluginError, match="ZeroDivisionError"):
        registry.load_path(path, allow=True)
    assert env.create("module", "Mine").answer == 2
    path.write_text(source.replace("= ANSWER", "= 5"))
    registry.reload("mine")
    assert env.create("module", "Mine").answer == 5
    assert len([r for r in registry.records() if r.name == "mine"]) == 1


def test_an_edited_package_runs_again_with_its_parts(tmp_path, registry):
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "__init__.py").write_text(MODULE.format(package=""))
    part = folder / "part.py"
    part.write_text("ANSWER = 1")
    env = pyrave.Environment(registry)
    registry.load_path(folder, allow=True)
    assert env.create("module", "Mine").answer == 1
    part.write_text("ANSWER = 2")
    registry.load_path(folder, allow=True)
    assert env.create("module", "Mine").answer == 2


def test_hooks_of_an_edited_file_that_do_not_fit_leave_those_before(
    tmp_path, registry, caplog
):
    path = tmp_path / "mine.py"
    path.write_text(HOOKS.format(name="first"))
    registry.load_path(path, allow=True)
    path.write_text(HOOKS.format(name="second").replace("step_end", "step_ned"))
    with pytest.raises(pyrave.PluginError, match="pyrave_step_end"):
        registry.load_path(path, allow=True)
    assert commands(registry) == ["first"]
    assert "pyrave_step_ned" in caplog.text
