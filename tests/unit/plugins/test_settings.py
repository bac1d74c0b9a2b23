"""Settings of plugins in scenes and in the user's file; lists of what is used."""

from __future__ import annotations

import pickle

import pytest

from pyrave.environment import Environment
from pyrave.plugins import PluginState, Registry, discover
from pyrave.plugins.user_settings import read_user_settings

MODULE = '''
import pyrave

class Task(pyrave.ModuleBase):
    """Keep the settings that the constructor saw."""

    contract = 1

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.seen = dict(self.plugin_settings)
'''
SCENE = """<environment>
  <plugin reach="2.5" Name="left arm" fast="true" count="3">acme-task</plugin>
  <module type="Task"/>
</environment>"""
FROM_SCENE = {"reach": 2.5, "name": "left arm", "fast": True, "count": 3}


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Return a function that writes the user's file."""
    file = tmp_path / "settings.toml"
    monkeypatch.setenv("PYRAVE_SETTINGS", str(file))
    monkeypatch.delenv("PYRAVE_DISABLE_PLUGINS", raising=False)
    monkeypatch.delenv("PYRAVE_ONLY_PLUGINS", raising=False)
    return file.write_text


@pytest.fixture
def registry(site, settings):
    def make(**options):
        entries = [*discover(), *discover([str(site.folder)])]
        return Registry(entries, **options)

    groups = {"pyrave.module": {"Task": "acme_task:Task"}}
    site.distribution("acme-task", groups, sources={"acme_task": MODULE})
    return make


def test_settings_of_a_scene_are_there_in_the_constructor(registry):
    env = Environment(registry=registry())
    env.load_string(SCENE, strict=True)
    (task,) = env.modules
    assert task.seen == FROM_SCENE
    assert env.plugin_settings("Acme_Task") == FROM_SCENE
    assert env.plugin_settings("pyrave") == {}
    assert env.clone().modules[0].seen == FROM_SCENE


def test_the_user_is_overruled_by_the_scene(registry, settings):
    settings("[settings.acme_task]\nreach = 1\nunits = ['m']\n")
    env = Environment(registry=registry())
    assert env.create("module", "Task").seen == {"reach": 1, "units": ["m"]}
    env.load_string(SCENE, strict=True)
    assert env.modules[0].seen == {**FROM_SCENE, "units": ["m"]}


def test_settings_are_saved(registry, tmp_path):
    env = Environment(registry=registry())
    env.load_string(SCENE, strict=True)
    env.save(tmp_path / "again.env.xml")
    again = Environment(registry=registry())
    again.load(tmp_path / "again.env.xml", strict=True)
    assert again.modules[0].seen == FROM_SCENE


def test_a_refused_scene_leaves_no_settings(registry):
    env = Environment(registry=registry())
    wrong = SCENE.replace(
        "</environment>", "<kinbody><nothing/></kinbody></environment>"
    )
    with pytest.raises(Exception, match="nothing"):
        env.load_string(wrong, strict=True)
    assert env.plugin_settings("acme-task") == {}


def states(registry):
    return {
        one.distribution: one.state is PluginState.BLOCKED for one in registry.records()
    }


def test_only_what_is_on_the_list_is_used(registry, settings, site, monkeypatch):
    site.distribution("other", {"pyrave.module": {"Other": "other:Other"}})
    settings("only = ['acme-*']\n")
    found = registry()
    assert states(found) == {"pyrave": False, "acme-task": False, "other": True}
    reasons = {one.distribution: one.reason for one in found.records()}
    assert reasons["other"] == "not on the list of plugins to use"
    found.allow_only("other")
    assert states(found)["acme-task"]
    assert not states(found)["other"]
    found.allow_only()
    assert not any(states(found).values())
    # variables come before the file, arguments before variables
    monkeypatch.setenv("PYRAVE_ONLY_PLUGINS", "other, nobody")
    found = registry()
    assert states(found)["acme-task"]
    assert any("allow list names 'nobody'" in note for note in found.report().notes)
    assert not any(states(registry(only=())).values())
    settings("disable = ['other']\n")
    monkeypatch.delenv("PYRAVE_ONLY_PLUGINS")
    assert states(registry())["other"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("only = 3", "only is 3, expected a list of names"),
        ("[acme]\nreach = 1", "unknown entry 'acme'"),
        ("settings = 1", "settings holds no tables"),
        ("only = [", "cannot be read"),
    ],
)
def test_a_wrong_file_is_told_and_left_out(registry, settings, text, problem):
    settings(text)
    assert any(problem in note for note in registry().report().notes)
    assert not any(states(registry()).values())


def test_without_a_file(tmp_path):
    assert read_user_settings(tmp_path / "none.toml").problem == ""


def test_settings_travel_in_pickles(registry, monkeypatch):
    made = registry()
    monkeypatch.setattr("pyrave.environment.environment.default_registry", lambda: made)
    env = Environment()
    env.load_string(SCENE, strict=True)
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    assert copy.modules[0].seen == FROM_SCENE
