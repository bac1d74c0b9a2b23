"""``pyrave db``: what it builds, tells, shows and removes, and what it refuses."""

from __future__ import annotations

import inspect
import struct
from pathlib import Path

import pytest
from toy_databases import NumberDatabase

from pyrave.cli.commands.db import db
from pyrave.cli.options import LoadingOptions
from pyrave.databases import IkStatistics
from pyrave.databases.kinds import KINDS, database_class
from pyrave.interfaces import settings_of

SCENE = "scenes/demo.env.xml"
GRASPS = ("grasping", SCENE, "--target", "mug", "--box_spacing", "0.04")
GOALS = ("inversekinematics", SCENE, "--goals", "20")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_build_status_path_and_clean(pyrave, folder):
    absent = pyrave("db", "status", *GOALS)
    assert absent.code == 1
    assert absent.out.startswith("there is no ")
    place = Path(pyrave("db", "path", *GOALS).out.strip())
    assert place.parent == folder / "inversekinematics"
    built = pyrave("db", "build", *GOALS)
    assert built.code == 0, built.err
    assert f"{place}: " in built.out
    assert "  success_rate: 1" in built.out
    assert pyrave("db", "status", *GOALS).out == built.out
    size = place.stat().st_size
    assert pyrave("db", "clean", *GOALS).out == f"{size:,} bytes removed\n".replace(
        ",", " "
    )
    assert not place.exists()


def test_ctrl_c_says_what_is_kept(pyrave, monkeypatch):
    real = IkStatistics._compute

    def stop(self, index):
        if index == 2:
            raise KeyboardInterrupt
        return real(self, index)

    monkeypatch.setattr(IkStatistics, "_compute", stop)
    words = ("inversekinematics", SCENE, "--goals", "400")
    stopped = pyrave("db", "build", *words)
    assert stopped.code == 130
    assert "2 of 4 tasks are kept; the same command goes on" in stopped.err
    told = pyrave("db", "status", *words)
    assert told.code == 1
    assert "an unfinished build has 2 of 4 tasks" in told.out
    monkeypatch.setattr(IkStatistics, "_compute", real)
    assert pyrave("db", "build", *words).code == 0


def test_names_choose_the_arm(pyrave):
    words = ("--robot", "heron7", "--manipulator", "arm", "--json")
    one = pyrave("db", "status", *GOALS, *words).data
    assert one["key"] == pyrave("db", "status", *GOALS, "--json").data["key"]
    assert pyrave("db", "status", *GOALS, "--robot", "heron").code == 2
    assert pyrave("db", "status", *GOALS, "--manipulator", "leg").code == 2


def test_json_says_all_of_it(pyrave):
    absent = pyrave("db", "status", *GRASPS, "--json")
    assert absent.code == 1
    assert absent.data["is_current"] is False
    assert absent.data["parameters"]["box_spacing"] == 0.04
    data = pyrave("db", "build", *GRASPS, "--json").data
    assert data["schema"] == "pyrave-db/1"
    assert (data["action"], data["kind"]) == ("build", "grasping")
    assert data["is_current"] is True
    assert data["problem"] == ""
    assert data["summary"]["grasps"] > 0
    assert data["bytes"] == Path(data["path"]).stat().st_size
    assert pyrave("db", "path", *GRASPS, "--json").data["path"] == data["path"]
    assert pyrave("db", "clean", *GRASPS, "--json").data["bytes"] == data["bytes"]


def test_show_draws_into_a_picture(pyrave, tmp_path):
    assert pyrave("db", "show", *GRASPS).code == 1
    assert pyrave("db", "build", *GRASPS).code == 0
    png = tmp_path / "grasps.png"
    said = pyrave("db", "show", *GRASPS, "--picture", png)
    assert said.code == 0
    assert f"  {png}: written" in said.out
    assert struct.unpack(">2I", png.read_bytes()[16:24]) == (960, 720)


def test_parameters_are_listed_without_a_file(pyrave):
    said = pyrave("db", "parameters", "grasping")
    assert said.code == 0
    assert said.out.startswith("grasping is about: manipulator, target")
    data = pyrave("db", "parameters", "grasping", "--json").data
    named = {one["name"]: one for one in data["parameters"]}
    assert named["friction"]["default"] == 0.5
    assert named["friction"]["range"] == ">= 0"
    assert all(f" {name} " in said.out for name in named)


@pytest.mark.slow
def test_workers_build_the_same(pyrave):
    one = pyrave("db", "build", *GOALS, "--json").data
    pyrave("db", "clean", *GOALS)
    other = pyrave("db", "build", *GOALS, "--workers", 2, "--json").data
    assert other["key"] == one["key"]
    summaries = [dict(data["summary"]) for data in (one, other)]
    for summary in summaries:
        del summary["seconds_per_goal"]
    assert summaries[0] == summaries[1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("build", "grasp", SCENE), 2, "no kind of database 'grasp', did you mean"),
        (("build", "grasping"), 2, "pyrave db build grasping has no FILE"),
        (("build", "grasping", SCENE), 2, "choose a body with --target: room, table"),
        (("build", *GRASPS, "--frictoin", "1"), 2, "did you mean 'friction'"),
        (("build", *GRASPS, "--friction", "-1"), 2, "friction of grasping is -1"),
        (("build", *GRASPS, "--friction", "x"), 2, "friction of grasping is 'x'"),
        (("build", *GRASPS, "--sensor", "laser"), 2, "--sensor is given, and grasping"),
        (("build", *GOALS, "--target", "mug"), 2, "--target is given, and inverse"),
        (("build", *GOALS, "--workers", "0"), 2, "workers is 0, expected a whole"),
        (("status", *GOALS, "--workers", "2"), 2, "--workers and --scheduler are of"),
        (("build", *GOALS, "--picture", "a.png"), 2, "--picture is of show, not of bu"),
        (("build", "grasping", "no.xml", "--target", "x"), 1, "no.xml"),
        (("show", *GOALS), 1, "there are no results of"),
    ],
)
def test_what_is_refused(pyrave, words, code, said):
    done = pyrave("db", *words)
    assert done.code == code
    assert said in done.err


def test_a_scheduler_that_is_not_there_is_told(pyrave, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("pyrave.databases.dask_engine._REACHED", 0.5)
    done = pyrave("db", "build", *GOALS, "--scheduler", "tcp://127.0.0.1:9")
    assert done.code == 1
    assert "the scheduler tcp://127.0.0.1:9 is not reached" in done.err


def test_a_robot_has_to_be_there(pyrave, scene):
    path = scene(
        "<environment><kinbody name='a'><body name='b'/></kinbody></environment>"
    )
    done = pyrave("db", "build", "inversekinematics", path)
    assert done.code == 1
    assert "there is no robot in the scene" in done.err


def test_a_body_has_to_be_there(pyrave, scene):
    done = pyrave("db", "path", "convexdecomposition", scene("<environment/>"))
    assert done.code == 2
    assert "choose a body with --target: there is none" in done.err


# -- no gap ------------------------------------------------------------------------

TESTS = Path(__file__).parents[1]


def test_each_option_of_the_command_is_tested():
    text = Path(__file__).read_text(encoding="utf-8")
    own = set(inspect.signature(db).parameters) - {"loading", "parameters"}
    positional = {"action", "kind", "file"}
    missing = [name for name in own - positional if f'"--{name}"' not in text]
    assert not missing
    assert not own & set(vars(LoadingOptions()))


def _tests_of(name):
    texts = [one.read_text(encoding="utf-8") for one in TESTS.rglob("test_*.py")]
    return "\n".join(text for text in texts if name in text)


@pytest.mark.parametrize("kind", KINDS)
def test_each_parameter_of_each_kind_is_tested(kind):
    """And none of them hides an option of the command."""
    made = database_class(kind)
    text = _tests_of(made.__name__)
    known = settings_of(made.settings_type)
    missing = [
        name for name in known if f'"{name}"' not in text and f"{name}=" not in text
    ]
    assert not missing
    options = {*inspect.signature(db).parameters, *vars(LoadingOptions())}
    assert not options & set(known)
    assert NumberDatabase.kind not in KINDS
