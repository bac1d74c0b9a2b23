"""Settings of plugins in scenes and in the user's file; lists of what is used."""

from __future__ import annotations

import pickle

import pytest

from pyrave.environment import Environment
from pyrave.errors import InterfaceNotFoundError, SceneError
from pyrave.plugins import PluginState, Registry, discover
from pyrave.plugins.user_settings import read_user_settings

MODULE = '''
from dataclasses import dataclass

import pyrave

@dataclass(frozen=True)
class Settings:
    """What can be set."""

    reach: float = pyrave.setting(1.5, "of the arm", least=0, most=9)
    name: str = ""
    fast: bool = False
    count: int = 1

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
DEFAULTS = {"reach": 1.5, "name": "", "fast": False, "count": 1}
FROM_SCENE = {"reach": 2.5, "name": "left arm", "fast": True, "count": 3}


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Return a function that writes the user's file."""
    file = tmp_path / "settings.toml"
    file.touch()
    monkeypatch.setenv("PYRAVE_SETTINGS", str(file))
    monkeypatch.delenv("PYRAVE_DISABLE_PLUGINS", raising=False)
    monkeypatch.delenv("PYRAVE_ONLY_PLUGINS", raising=False)
    return file.write_text


@pytest.fixture
def registry(site, settings):
    def make(**options):
        entries = [*discover(), *discover([str(site.folder)])]
        return Registry(entries, **options)

    groups = {
        "pyrave.module": {"Task": "acme_task:Task"},
        "pyrave.settings": {"task": "acme_task:Settings"},
    }
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
    settings("[settings.acme_task]\nreach = 1\ncount = 5\n")
    env = Environment(registry=registry())
    given = {"reach": 1.0, "count": 5}
    assert env.create("module", "Task").seen == {**DEFAULTS, **given}
    env.load_string(SCENE.replace(' count="3"', ""), strict=True)
    assert env.modules[0].seen == {**FROM_SCENE, "count": 5}


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
    assert env.plugin_settings("acme-task") == DEFAULTS


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        ('reech="2"', "has no setting 'reech'", "did you mean 'reach'?"),
        ('colour="2"', "has no setting", "its settings are reach, name, fast, count"),
        ('reach="much"', "reach is 'much', expected a number", "left at 1.5"),
        ('reach="nan"', "reach is nan, expected", "left at 1.5"),
        ('reach="10"', "reach is 10.0, expected a number from 0 to 9", "left at 1.5"),
        ('fast="3"', "fast is '3', expected true or false", "left at False"),
        ('count="1.5"', "count is '1.5', expected a whole number", "left at 1"),
    ],
)
def test_settings_that_the_plugin_does_not_have_are_told(
    registry, given, message, hint
):
    env = Environment(registry=registry())
    scene = f"""<environment>
      <plugin name="a" {given}>acme-task</plugin>
      <module type="Task"/>
    </environment>"""
    env.load_string(scene)
    (problem,) = env.problems
    assert (problem.code, problem.line) == ("plugin-setting", 2)
    assert message in problem.message
    assert "acme-task" in problem.message
    assert hint in problem.hint
    assert env.modules[0].seen == {**DEFAULTS, "name": "a"}
    with pytest.raises(SceneError, match=r"plugin 'acme-task'"):
        Environment(registry=registry()).load_string(scene, strict=True)


def test_wrong_settings_of_the_user_are_told_with_their_line(
    registry, settings, caplog, tmp_path
):
    settings("[settings.acme-task]\nreach = 2\n\nfasst = true\ncount = 'many'\n")
    made = registry()
    env = Environment(registry=made)
    assert env.create("module", "Task").seen == {**DEFAULTS, "reach": 2.0}
    env.create("module", "Task")
    file = tmp_path / "settings.toml"
    told = [record.getMessage() for record in caplog.records]
    expected = [
        f"{file}:4: plugin 'acme-task' has no setting 'fasst' (did you mean 'fast'?)",
        f"{file}:5: plugin 'acme-task': count is 'many', expected a whole number",
    ]
    assert [one.partition(" (it is left")[0] for one in told] == expected
    assert set(told) <= set(made.report().notes)


def test_settings_of_a_plugin_that_declares_none_are_told(registry, site):
    source = MODULE.replace("Task", "Free")
    groups = {"pyrave.module": {"Free": "free:Free"}}
    site.distribution("acme-free", groups, sources={"free": source})
    env = Environment(registry=registry())
    env.load_string(
        '<environment><plugin a="1" b="x">acme-free</plugin><module type="Free"/>'
        "</environment>"
    )
    (problem,) = env.problems
    assert "'acme-free' declares no settings, so nobody checks 'a', 'b'" in str(problem)
    assert env.modules[0].seen == {"a": 1, "b": "x"}


def test_settings_of_code_from_a_path_are_told(registry, tmp_path):
    (tmp_path / "nod.py").write_text("")
    env = Environment(registry=registry())
    env.registry.load_path(tmp_path / "nod.py", allow=True)
    env.load_string('<environment><plugin a="1">nod.py</plugin></environment>')
    (problem,) = env.problems
    assert "run from a path gets no settings" in problem.message


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        ("Settings = 3", "declares settings, expected a dataclass"),
        ("class Settings:\n a: int", "has no default"),
        ("class Settings:\n a: list = ()", "the setting a of Settings is list"),
        ("class Settings:\n A: int = 1", "expected a name in lower case"),
    ],
)
def test_a_declaration_of_no_use_is_broken(registry, site, declaration, problem):
    head = "from dataclasses import dataclass\n"
    decorator = "@dataclass(frozen=True)\n" if declaration.startswith("class") else ""
    site.distribution(
        "acme-odd",
        {"pyrave.settings": {"odd": "odd:Settings"}},
        sources={"odd": head + decorator + declaration},
    )
    made = registry()
    made.load_all()
    odd = next(one for one in made.records() if one.distribution == "acme-odd")
    assert odd.state is PluginState.BROKEN
    assert problem in odd.reason


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
    ("text", "line", "problem"),
    [
        ("# mine\n\nonly = 3", 3, "only is 3, expected a list of names"),
        ("only = [1]", 1, "only is [1], expected a list of names"),
        ("only = []", 1, "only is empty; write only = ['pyrave']"),
        ("disable = 'acme'", 1, "disable is 'acme', expected a list of names"),
        ("\nonyl = ['a',\n 'b']", 2, "unknown entry 'onyl', did you mean 'only'?"),
        ("[acme]\nreach = 1", 1, "'acme'; settings of a plugin stand in [settings."),
        ("x = 1", 1, "unknown entry 'x', expected disable, only, settings"),
        ("settings = 1", 1, "settings holds no tables"),
        ("only = ['acme-*']\n\nonly = [", 3, "cannot be read"),
        ("[settings.a]\nb = 1\nonly = ['c']", 3, "only stands in [settings.a]; write"),
    ],
)
def test_a_file_that_is_not_understood_allows_nothing(
    registry, settings, caplog, tmp_path, text, line, problem
):
    settings(text)
    made = registry()
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(f"{tmp_path / 'settings.toml'}:{line}: ")
    assert problem in told
    assert told in made.report().notes
    assert states(made) == {"pyrave": False, "acme-task": True}
    # who asks for what is not there hears why
    with pytest.raises(InterfaceNotFoundError) as error:
        Environment(registry=made).create("module", "Task")
    assert told in str(error.value)
    # what a caller or a variable says does not hang on the file
    assert not any(states(registry(only=())).values())
    assert not states(registry(only=["acme-*"]))["acme-task"]


def test_a_file_with_the_mark_of_other_editors_is_read(registry, tmp_path, settings):
    (tmp_path / "settings.toml").write_bytes(b"\xef\xbb\xbfdisable = ['acme-task']\n")
    assert states(registry()) == {"pyrave": False, "acme-task": True}


def test_a_file_that_is_named_must_be_there(registry, monkeypatch, tmp_path, caplog):
    (tmp_path / "settings.toml").unlink()
    assert states(registry()) == {"pyrave": False, "acme-task": True}
    assert "named by PYRAVE_SETTINGS, is not there" in caplog.text
    monkeypatch.delenv("PYRAVE_SETTINGS")
    assert read_user_settings(tmp_path / "none.toml").problems == ()


def test_a_misspelt_name_on_a_list_is_told(registry, settings, caplog):
    settings("disable = ['acme-tsak', 'not-here']\n")
    assert not any(states(registry()).values())
    (told,) = [record.getMessage() for record in caplog.records]
    assert "names 'acme-tsak'" in told
    assert "did you mean 'acme-task'?" in told


def test_settings_travel_in_pickles(registry, monkeypatch):
    made = registry()
    monkeypatch.setattr("pyrave.environment.environment.default_registry", lambda: made)
    env = Environment()
    env.load_string(SCENE, strict=True)
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    assert copy.modules[0].seen == FROM_SCENE
