"""`pyrave plugins`, `doctor`, `convert`, `new-plugin` and commands of plugins."""

from __future__ import annotations

import sys

import pytest

import pyrave as package
from pyrave.cli.app import make_app
from pyrave.cli.options import session
from pyrave.interfaces import CONTRACTS


def test_plugins(pyrave):
    data = pyrave("plugins", "--json").data
    assert data["schema"] == "pyrave-plugins/1"
    (own,) = [group for group in data["distributions"] if group["name"] == "pyrave"]
    assert own["version"] == package.__version__
    assert "BaseLaser2D" in own["interfaces"]["sensor"]
    assert "IdealController" in own["interfaces"]["controller"]
    records = {record["name"]: record for record in own["plugins"]}
    assert "openrave-xml" in records["pyrave_openrave_xml"]["scene_formats"]
    assert {"interface_type": "sensor", "tag": "BaseLaser2D"} in records[
        "pyrave_sensors"
    ]["xml_readers"]
    text = pyrave("plugins").out
    for word in ("pyrave", "BaseLaser2D", "openrave-xml", "IdealController"):
        assert word in text


def test_plugins_load_imports_everything(pyrave):
    data = pyrave("plugins", "--load", "--json").data
    (own,) = [group for group in data["distributions"] if group["name"] == "pyrave"]
    states = {r["name"]: r["state"] for r in own["plugins"] if r["kind"] == "interface"}
    assert set(states.values()) == {"loaded"}


@pytest.mark.slow
def test_doctor(pyrave_process, monkeypatch, tmp_path):
    # a process of its own: failures of plugins stay on the records of this one
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    (tmp_path / "kernel.dat").write_bytes(b"12345")
    result = pyrave_process("doctor", "--json")
    assert result.code == 0, result.out
    data = result.data
    assert data["pyrave"] == package.__version__
    assert data["missing"] == []
    assert data["libraries"]["numpy"]
    cache = data["kernel_cache"]
    assert cache.pop("free_bytes") > 0
    assert cache == {
        "folder": str(tmp_path),
        "entries": 0,
        "bytes": 5,
        "writable": True,
        "problem": "",
        "damaged": {},
        "partial": [],
        "repaired": [],
    }
    assert data["contracts"] == dict(CONTRACTS)
    assert len(data["contracts"]) == 13
    assert data["plugins"]["failures"] == []
    text = pyrave_process("doctor").out
    assert "kernel cache" in text
    assert tmp_path.name in text


def test_doctor_finds_what_is_missing(pyrave, monkeypatch):
    import importlib_metadata

    monkeypatch.setattr(
        importlib_metadata,
        "requires",
        lambda _name: ["numpy>=1", "no-such-library>=2", 'other-one; extra == "x"'],
    )
    result = pyrave("doctor", "--json")
    assert result.code == 1
    assert result.data["missing"] == ["no-such-library"]
    assert result.data["extras"]["x"] == {
        "complete": False,
        "libraries": {"other-one": None},
    }


def test_convert(pyrave, environments, tmp_path):
    source = environments / "scenes" / "shelf.env.xml"
    target = tmp_path / "copy.env.xml"
    result = pyrave("convert", source, target)
    assert result.code == 0, result.err
    first, second = (pyrave("info", p, "--json").data for p in (source, target))
    for body in (*first["bodies"], *second["bodies"]):
        body.pop("uri")
    assert first["bodies"] == second["bodies"]


def test_convert_writes_out_bodies_and_meshes(pyrave, tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "a.kinbody.xml").write_text(
        "<kinbody name='a'><body name='b'><geom type='trimesh'>"
        "<data>a.obj</data></geom></body></kinbody>"
    )
    source = tmp_path / "a.env.xml"
    source.write_text("<environment><kinbody file='a.kinbody.xml'/></environment>")
    target = tmp_path / "out.env.xml"
    for options, names in (
        ((), (True, False)),
        (("--expand",), (False, True)),
        (("--embed-meshes",), (False, False)),
    ):
        assert pyrave("convert", source, target, *options).code == 0
        text = target.read_text()
        assert ("a.kinbody.xml" in text, "a.obj" in text) == names


def test_convert_refers_to_collada_files_where_that_is_asked_for(pyrave, tmp_path):
    (tmp_path / "a.kinbody.xml").write_text(
        "<kinbody name='a'><body name='b'><geom type='box'><extents>1 1 1</extents>"
        "</geom></body></kinbody>"
    )
    source, target = tmp_path / "a.dae", tmp_path / "b.dae"
    assert pyrave("convert", tmp_path / "a.kinbody.xml", source).code == 0
    for options, refers in (((), False), (("--no-expand",), True)):
        assert pyrave("convert", source, target, *options).code == 0
        assert ('url="a.dae#' in target.read_text()) == refers
        assert pyrave("check", target).code == 0


def test_convert_to_an_unknown_format(pyrave, environments, tmp_path):
    source = environments / "scenes" / "minimal.env.xml"
    result = pyrave("convert", source, tmp_path / "scene.unheardof")
    assert result.code == 2
    assert "unheardof" in result.err
    assert not (tmp_path / "scene.unheardof").exists()


def test_new_plugin(pyrave, tmp_path):
    result = pyrave(
        "new-plugin", "my-things", "--sensor", "MyLaser", "--sensor", "Second",
        "--planner", "MyRRT", "--dir", tmp_path,
    )  # fmt: skip
    assert result.code == 0, result.err
    text = (tmp_path / "my-things" / "pyproject.toml").read_text("utf-8")
    for name in ("MyLaser", "Second", "MyRRT"):
        assert name in text
    again = pyrave("new-plugin", "my-things", "--sensor", "X", "--dir", tmp_path)
    assert again.code == 2
    assert "Traceback" not in again.err


def test_new_plugin_says_the_whole_next_step(pyrave, tmp_path):
    done = pyrave(
        "new-plugin", "lab-parts", "--dir", tmp_path, "--command", "heights", "--data"
    )
    assert done.code == 0, done.err
    assert "lab-parts[test]'" in done.out.replace("\n", "")
    assert (tmp_path / "lab-parts/src/lab_parts/heights_command.py").is_file()
    assert (tmp_path / "lab-parts/src/lab_parts/robots/lab_parts.robot.xml").is_file()
    taken = pyrave("new-plugin", "other", "--dir", tmp_path, "--command", "run")
    assert taken.code != 0
    assert "the command 'run' is one of pyrave itself" in taken.err


def test_new_plugin_has_an_option_for_every_type(pyrave):
    from pyrave.interfaces.types import INTERFACE_TYPES

    text = pyrave("new-plugin", "--help").out
    for kind in INTERFACE_TYPES:
        assert f"--{kind}" in text


def test_commands_of_plugins(pyrave, monkeypatch):
    from pyrave.plugins import default_registry

    def greet(name: str, *, loud: bool = False) -> int:
        """Say hello."""
        sys.stdout.write(f"HELLO {name}\n" if loud else f"hello {name}\n")
        return 1 if name == "nobody" else 0

    def info() -> int:
        """Try to take a built-in name."""
        return 77

    def bad() -> int:
        """Fail."""
        raise ZeroDivisionError("bad idea")

    def repeat(*words: str) -> int:
        """Say all words."""
        sys.stdout.write(f"{words}\n")
        return len(words)

    monkeypatch.setattr(
        default_registry(),
        "cli_commands",
        lambda: (("greet", greet), ("info", info), ("bad", bad), ("repeat", repeat)),
        raising=False,
    )
    assert pyrave("greet", "you", "--loud").out == "HELLO you\n"
    assert pyrave("greet", "nobody").code == 1
    assert pyrave("info").code == 2
    # it has all words behind its name, whatever they look like
    words = ("-v", "--help", "repeat", "--json", "-q", "--version", "--", "-x=1")
    said = pyrave("-v", "repeat", *words)
    assert (said.code, said.out) == (len(words), f"{words}\n")
    assert session.verbosity == 1
    assert pyrave("repeat").code == 0
    failed = pyrave("bad")
    assert failed.code == 1
    assert "bad idea" in failed.err
    assert "Traceback" not in failed.err
    assert "ZeroDivisionError" in pyrave("-vv", "bad").err


def test_completion_can_be_generated():
    for shell in ("bash", "zsh", "fish"):
        script = make_app().generate_completion(shell=shell)
        assert "new-plugin" in script


def test_failing_plugins_are_named(pyrave, monkeypatch, tmp_path):
    from pyrave.plugins import PluginRecord, Registry

    package = tmp_path / "rotten_package.py"
    package.write_text("raise RuntimeError('rotten to the core')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "rotten_package", raising=False)
    registry = Registry(
        [
            PluginRecord(
                "pyrave.sensor", "Rotten", "rotten_package:A", "rotten", "1.2"
            ),
            PluginRecord("pyrave.sensor", "Off", "rotten_package:B", "rotten", "1.2"),
        ],
        disabled=["Off"],
    )
    monkeypatch.setattr("pyrave.plugins.default_registry", lambda: registry)
    listed = pyrave("plugins", "--json").data["distributions"][0]["plugins"]
    states = {record["name"]: record["state"] for record in listed}
    assert states == {"Rotten": "declared", "Off": "blocked"}
    assert "rotten_package" not in sys.modules
    text = pyrave("plugins", "--load").out
    assert "rotten:Rotten is broken" in text
    assert "rotten to the core" in text
    assert "Traceback" not in text
    assert "rotten_package.py" in pyrave("-v", "plugins", "--load").out
    result = pyrave("doctor", "--json")
    assert result.code == 1
    assert [f["name"] for f in result.data["plugins"]["failures"]] == ["Rotten"]


@pytest.mark.slow
def test_check_plugin(pyrave):
    result = pyrave("check", "--plugin", "MT19937", "--json")
    assert result.code == 0, result.err
    (report,) = result.data["plugins"]
    assert report["ok"] is True
    assert {one["outcome"] for one in report["results"]} == {"passed"}
    missing = pyrave("check", "--plugin", "NoSuchPlugin")
    assert missing.code == 2
    assert "NoSuchPlugin" in missing.err


def test_commands_of_an_id_are_shown(pyrave):
    said = pyrave("plugins", "show", "TaskManipulation").out
    assert "CloseFingers(offset: list[float] | None = None" in said
    assert "Close the fingers of the active manipulator" in said
    (part,) = pyrave("plugins", "show", "TaskManipulation", "--json").data["parts"]
    names = [one["name"] for one in part["commands"]]
    assert names == sorted(names)
    assert {"ChuckFingers", "CloseFingers", "SetRobot"} <= set(names)
    chuck, close = part["commands"][:2]
    assert (chuck["name"], close["name"]) == ("ChuckFingers", "CloseFingers")
    assert chuck["help"] == close["help"]


def test_settings_of_an_id_are_shown(pyrave):
    said = pyrave("plugins", "show", "mujoco", "JointPIDController").out
    assert "physicsengine mujoco" in said
    assert "from 1e-06 to 0.1" in said
    assert "controller JointPIDController" in said
    data = pyrave("plugins", "show", "mujoco", "--json").data
    assert data["schema"] == "pyrave-settings/1"
    (part,) = data["parts"]
    step = next(one for one in part["settings"] if one["name"] == "time_step")
    assert (step["default"], step["unit"]) == (0.002, "s")
    assert step["help"] == "longest step of the engine"
    assert part["commands"] == []
    nothing = pyrave("plugins", "show", "GenericTrajectory")
    assert "no settings" in nothing.out
    wrong = pyrave("plugins", "show", "mujco")
    assert wrong.code == 2
    assert "did you mean 'mujoco'" in wrong.err
    assert pyrave("plugins", "show").code == 2
