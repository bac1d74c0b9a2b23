"""Readers, formats and commands in metadata: listed and matched without an import."""

from __future__ import annotations

import sys

import pytest

import pyrave
from pyrave.cli import app as cli_app
from pyrave.environment import Environment
from pyrave.errors import SceneError
from pyrave.plugins import PluginState

PARTS = '''
import pyrave
from pyrave.scene import SceneDescription, body_from_boxes

def read_reach(element, context):
    return pyrave.XmlReadable(context.as_written(element))

class BoxTable:
    """Boxes in lines."""

    name = "box-table"
    suffixes = (".boxes", ".bx")

    def sniff(self, head):
        return head.startswith(b"# boxes")

    def read(self, source, context):
        return SceneDescription(bodies=(body_from_boxes("a", [(0, 0, 0, 1, 1, 1)]),))

    def write(self, scene, target, context):
        return []

class Soup:
    name = "soup"
    suffixes = (".soup",)

    def sniff(self, head):
        return head.startswith(b"# soup")

    def read(self, source):
        from pyrave.geometry import Mesh

        return Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])

def calibrate(times: int = 1) -> int:
    """Calibrate something."""
    print("calibrated", times)
    return 0
'''
GROUPS = {
    "pyrave.xml_readers.kinbody": {"reach": "acme_parts:read_reach"},
    "pyrave.scene_formats.boxes": {"box-table": "acme_parts:BoxTable"},
    "pyrave.scene_formats.bx": {"box-table": "acme_parts:BoxTable"},
    "pyrave.mesh_formats.soup": {"soup": "acme_parts:Soup()"[:-2]},
    "pyrave.commands": {"calibrate": "acme_parts:calibrate"},
}


@pytest.fixture
def registry(site):
    site.distribution("acme-parts", GROUPS, sources={"acme_parts": PARTS})
    return site.registry()


def environment(registry):
    from pyrave.plugins import default_registry

    env = Environment()
    # the formats of pyrave itself are those of the process
    return env, default_registry(), registry


def test_listing_imports_nothing(registry):
    (box_table,) = registry.scene_formats()
    (soup,) = registry.mesh_formats()
    (command,) = registry.cli_commands()
    assert (box_table.name, box_table.suffixes) == ("box-table", (".boxes", ".bx"))
    assert (soup.name, soup.suffixes) == ("soup", (".soup",))
    assert (command[0], command[1].summary) == ("calibrate", "Calibrate something.")
    assert registry.xml_reader_tags("kinbody") == ("reach",)
    assert registry.xml_reader("kinbody", "grasp") is None
    report = registry.report()
    assert {record.state for record in report.records} == {PluginState.DECLARED}
    (group,) = report.distributions
    assert [one.scene_formats for one in group.plugins if one.scene_formats] == [
        ("box-table",),
        ("box-table",),
    ]
    assert "acme_parts" not in sys.modules


def test_what_is_used_is_imported(registry):
    reader = registry.xml_reader("kinbody", "Reach")
    assert reader.__name__ == "read_reach"
    assert registry.cli_commands()[0][1](2) == 0
    (box_table,) = registry.scene_formats()
    assert box_table.sniff(b"# boxes\n")
    assert box_table.is_loaded
    # the others are imported on their own
    states = {one.name: one.state for one in registry.records()}
    assert states["soup"] is PluginState.DECLARED
    assert states["reach"] is PluginState.LOADED


@pytest.fixture
def both(registry, monkeypatch):
    """Return an environment that also knows what the test declares."""
    from pyrave.plugins import Registry, default_registry, discover

    entries = [*discover(), *registry.records()]
    made = Registry(entries, disabled=())
    assert default_registry().scene_formats()
    return Environment(registry=made)


def test_suffix_decides_before_an_import(both, tmp_path):
    scene = "<environment><kinbody name='a'><body name='b'/></kinbody></environment>"
    both.load_string(scene)
    mesh = tmp_path / "one.off"
    mesh.write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    both.load(mesh)
    assert "acme_parts" not in sys.modules
    (tmp_path / "two.boxes").write_text("anything")
    both.load(tmp_path / "two.boxes", rename=True)
    assert "acme_parts" in sys.modules


def test_what_nobody_knows_is_shown_to_all(both, tmp_path):
    file = tmp_path / "three.unknown"
    file.write_text("# soup\n")
    both.load(file)
    assert both.bodies["three"].links[0].geometries[0].type == "trimesh"


def test_a_declaration_must_be_true(site):
    wrong = dict(GROUPS)
    wrong["pyrave.scene_formats.dae"] = {"collada": "acme_parts:BoxTable"}
    wrong["pyrave.xml_readers.robott"] = {"x": "acme_parts:read_reach"}
    wrong["pyrave.commands"] = {"calibrate": "acme_parts:__name__"}
    site.distribution("acme-parts", wrong, sources={"acme_parts": PARTS})
    registry = site.registry()
    registry.load_all()
    reasons = {one.group: one.reason for one in registry.records() if one.reason}
    assert (
        "is the format 'box-table' of .boxes, .bx, but its entry point says"
        in (reasons["pyrave.scene_formats.dae"])
    )
    assert "did you mean 'robot'" in reasons["pyrave.xml_readers.robott"]
    assert "is a str, expected a function" in reasons["pyrave.commands"]
    assert len(reasons) == 3


def test_what_cannot_be_imported_is_named(site, tmp_path):
    from pyrave.plugins import Registry, discover

    site.distribution("acme-parts", GROUPS, sources={"acme_parts": "import no_such\n"})
    env = Environment(registry=Registry([*discover(), *site.registry().records()]))
    (tmp_path / "two.boxes").write_text("# boxes")
    with pytest.raises((SceneError, pyrave.PluginError), match="box-table") as caught:
        env.load(tmp_path / "two.boxes")
    assert "no_such" in str(caught.value)
    report = env.load_string(
        "<kinbody name='a'><body name='b'/><reach>1</reach></kinbody>"
    )
    assert any("no_such" in str(problem) for problem in report.problems)


def test_commands_are_imported_when_they_run(registry, monkeypatch, capsys):
    monkeypatch.setattr("pyrave.plugins.default_registry", lambda: registry)
    assert cli_app.run(["--help"]) == 0
    out = capsys.readouterr().out
    assert "calibrate" in out
    assert "Calibrate something" in out
    assert "acme_parts" not in sys.modules
    assert cli_app.run(["calibrate", "--times", "3"]) == 0
    assert "calibrated 3" in capsys.readouterr().out
