"""Two packages with one tag, command or data file: who is used, and who says so."""

import pytest

import pyrave
from pyrave.cli import main
from pyrave.environment import Environment
from pyrave.plugins import Registry

HOOKS = """
import pyrave
from pyrave.scene import XmlReadable, XmlElement

class Mine(XmlReadable): pass

def read(element, context):
    return XmlReadable(XmlElement("{name}"))

@pyrave.hookimpl
def pyrave_xml_readers():
    tags = ("kinbody", "spice"), ("sensor", "Nose"), ("link", "salt")
    return [(kind, tag, read) for kind, tag in tags]

@pyrave.hookimpl
def pyrave_cli():
    return [("cook", cook)]

def cook():
    print("{name} cooks")
"""
BODY = "<kinbody name='{name}'><body name='base'/></kinbody>"
SCENE = """<environment>{plugin}<kinbody name='b'><body name='base'>{link}</body>
{body}</kinbody>{more}</environment>"""


@pytest.fixture
def env(site, monkeypatch):
    for name in ("alpha", "bravo"):
        package = f"{name}_data"
        site.distribution(
            f"dist-{name}",
            {"pyrave.plugins": {name: f"{name}_hooks"}, "pyrave.data": {name: package}},
            sources={f"{name}_hooks": HOOKS.format(name=name)},
        )
        site.module(f"{package}.__init__", "")
        for file in ("shared.kinbody.xml", f"{name}.kinbody.xml"):
            (site.folder / package / file).write_text(BODY.format(name=name))
    registry = Registry(disabled=())
    monkeypatch.setattr("pyrave.plugins.registry._default", [registry])
    return Environment(registry)


def load(env, plugin="", body="", link="", more=""):
    tag = f"<plugin>{plugin}</plugin>" if plugin else ""
    text = SCENE.format(plugin=tag, body=body, link=link, more=more)
    report = env.load_string(text)
    return [problem.code for problem in report.problems]


def spice(env):
    return env.bodies["b"].readables["spice"].element.tag


def test_a_tag_of_two_packages_is_said_once_a_load(env):
    assert load(env, body="<spice/><spice/>") == ["ambiguous-tag"]
    assert spice(env) == "alpha"
    (problem,) = env.problems
    assert problem.message == (
        "kinbody <spice> has readers of dist-alpha and dist-bravo; that of dist-alpha "
        "is used"
    )
    assert problem.line == 2
    assert "<plugin>" in problem.hint


def test_a_tag_in_a_link_is_said(env):
    assert load(env, link="<salt/>") == ["ambiguous-tag"]


@pytest.mark.parametrize("plugin", ["dist-bravo", "bravo", "libdist_bravo.so"])
def test_a_plugin_tag_decides_on_tags(env, plugin):
    assert load(env, plugin, body="<spice/>") == []
    assert spice(env) == "bravo"


def test_a_plugin_tag_behind_decides_too(env):
    assert load(env, body="<spice/>", more="<plugin>dist-bravo</plugin>") == []
    assert spice(env) == "bravo"


def test_strict_loads_refuse_what_is_ambiguous(env):
    with pytest.raises(pyrave.SceneError, match="has readers of dist-alpha"):
        env.load_string(
            SCENE.format(plugin="", body="<spice/>", link="", more=""), strict=True
        )


def test_readers_are_had_by_their_distribution(env):
    read = env.registry.xml_reader
    assert read("kinbody", "spice")(None, None).element.tag == "alpha"
    assert read("kinbody", "dist-bravo:Spice")(None, None).element.tag == "bravo"
    assert read("kinbody", "Dist_Bravo:spice")(None, None).element.tag == "bravo"
    assert read("kinbody", "other:spice") is None
    packages = [name for name, _ in env.registry.xml_readers("sensor", "nose")]
    assert packages == ["dist-alpha", "dist-bravo"]


def test_what_a_script_registers_is_not_ambiguous(env):
    with env.registry.register_xml_reader("kinbody", "spice", lambda *_: None):
        assert load(env, body="<spice/>") == []


def test_a_blocked_package_is_not_in_question(env):
    env.registry.block("dist-alpha")
    assert load(env, body="<spice/>") == []
    assert spice(env) == "bravo"


def test_a_data_file_of_two_packages_is_said(env, site):
    report = env.load("shared.kinbody.xml")
    assert env.bodies.names == ("alpha",)
    (problem,) = report.problems
    assert problem.code == "ambiguous-file"
    assert "several packages have the file 'shared.kinbody.xml'" in problem.message
    assert str(site.folder / "bravo_data") in problem.message


def test_a_data_file_that_a_scene_names_is_said(env):
    named = "<kinbody file='{}'/>".format
    assert load(env, more=named("shared.kinbody.xml")) == ["ambiguous-file"]
    assert env.bodies.names == ("b", "alpha")
    env.reset()
    assert load(env, more=named("bravo.kinbody.xml")) == []


def test_a_plugin_tag_decides_on_data_files(env):
    assert load(env, "dist-bravo", more="<kinbody file='shared.kinbody.xml'/>") == []
    assert env.bodies.names == ("b", "bravo")


def test_a_file_beside_the_scene_is_not_ambiguous(env, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "shared.kinbody.xml").write_text(BODY.format(name="near"))
    (folder / "a.env.xml").write_text(
        "<environment><kinbody file='shared.kinbody.xml'/></environment>"
    )
    assert not env.load(folder / "a.env.xml").problems
    assert env.bodies.names == ("near",)


def test_a_command_of_two_packages_is_said(env, capsys, caplog):
    main(["cook"])
    assert capsys.readouterr().out == "alpha cooks\n"
    assert "command 'cook': dist-alpha:cook is used, also offered by" in caplog.text
    caplog.clear()
    main(["dist-bravo:cook"])
    assert capsys.readouterr().out == "bravo cooks\n"
    assert not caplog.text


@pytest.mark.parametrize("command", ["plugins", "doctor"])
def test_listings_show_what_is_ambiguous(env, capsys, command):
    main([command])
    out = " ".join(capsys.readouterr().out.split())
    for text in (
        "xml reader kinbody 'spice': dist-alpha:spice is used, also offered by dist-b",
        "dist-bravo:spice; a <plugin> tag or 'distribution:tag' picks one",
        "command 'cook': dist-alpha:cook is used",
        "data file 'shared.kinbody.xml': dist-alpha:shared.kinbody.xml is used",
    ):
        assert text in out
    assert "bravo.kinbody.xml" not in out.replace("shared.kinbody.xml", "")
