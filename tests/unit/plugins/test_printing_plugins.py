"""What plugins print, and what else others do while one is checked."""

import json
import sys

import pytest

import pyrave
from pyrave.cli import main
from pyrave.plugins import Registry
from pyrave.testing import check_plugin
from pyrave.testing import plugin_check as kit

CHATTY = """
print("chatty at import")
import pyrave

class Chatty(pyrave.ModuleBase):
    contract = 1
    def __init__(self, env, *args):
        super().__init__(env, *args)
        print("chatty in its constructor")
    def main(self, args):
        print("chatty in main")
        return 0

@pyrave.hookimpl
def pyrave_cli():
    print("chatty in a hook")
    return [("chat", chat)]

def chat(*, json: bool = False):
    print('{"chat": 1}')
"""
SCENE = "<environment><module type='Chatty'/></environment>"


@pytest.fixture
def chatty(site, monkeypatch):
    groups = {
        "pyrave.plugins": {"chatty": "chatty"},
        "pyrave.module": {"Chatty": "chatty:Chatty"},
    }
    site.distribution("chatty", groups, sources={"chatty": CHATTY})
    monkeypatch.setattr("pyrave.plugins.registry._default", [Registry(disabled=())])


@pytest.mark.parametrize("command", ["plugins", "doctor", "info", "check", "run"])
def test_json_is_alone_on_standard_output(chatty, tmp_path, capsys, command):
    path = tmp_path / "scene.env.xml"
    path.write_text(SCENE)
    words = {"plugins": (), "doctor": (), "run": (path, "--time", "0.01")}
    main([command, *map(str, words.get(command, (path,))), "--json"])
    out, err = capsys.readouterr()
    assert json.loads(out)["schema"].startswith("pyrave-")
    assert "chatty at import" in err


def test_an_error_is_json_alone(chatty, tmp_path, capsys):
    path = tmp_path / "scene.env.xml"
    path.write_text(SCENE[:-1])
    assert main(["info", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["schema"] == "pyrave-error/1"


def test_a_command_of_a_plugin_prints_what_it_likes(chatty, capsys):
    main(["chat", "--json"])
    assert capsys.readouterr().out == '{"chat": 1}\n'


def test_what_is_printed_at_import_is_no_output_of_a_script(chatty, capsys, tmp_path):
    path = tmp_path / "loud.py"
    path.write_text(
        "import pyrave\nprint('loud')\n"
        "class Loud(pyrave.ModuleBase):\n    contract = 1\n"
    )
    pyrave.registry().cli_commands()
    pyrave.registry().load_path(path, allow=True)
    assert capsys.readouterr() == (
        "",
        "chatty at import\nchatty in a hook\nloud\n",
    )


def test_code_of_a_plugin_runs_again_for_the_list(chatty, capsys):
    assert main(["plugins", "--reload", "chatty"]) == 0
    out, err = capsys.readouterr()
    assert "Chatty" in out
    assert err.count("chatty at import") == 2


@pytest.mark.slow
def test_only_the_plugin_and_what_it_requires_is_imported(site, monkeypatch):
    for name, requires in (("mine", ("needed",)), ("needed", ()), ("other", ())):
        source = (
            f"import pathlib, pyrave\n"
            f"pathlib.Path({str(site.folder)!r}, '{name}.ran').touch()\n"
            "@pyrave.hookimpl\ndef pyrave_step_end(env): pass\n"
        )
        if name == "other":
            source += "raise KeyboardInterrupt\n"
        groups = {"pyrave.plugins": {name: f"{name}_hooks"}}
        site.distribution(
            name, groups, requires=requires, sources={f"{name}_hooks": source}
        )
    monkeypatch.setattr(kit, "default_registry", site.registry)
    report = check_plugin("mine")
    assert report.ok, str(report)
    assert sorted(p.stem for p in site.folder.glob("*.ran")) == ["mine", "needed"]
    assert "other_hooks" not in sys.modules
