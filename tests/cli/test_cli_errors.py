"""Exit codes and messages of what goes wrong."""

from __future__ import annotations

import json

import pytest

TYPO = """<environment>
  <kinbody name="a">
    <boddy name="b"/>
    <body name="c"/>
  </kinbody>
</environment>"""
BROKEN = '<environment>\n  <kinbody name="a"><body name="b">\n</environment>'


def test_missing_file(pyrave, tmp_path):
    result = pyrave("info", tmp_path / "nowhere.env.xml")
    assert result.code == 1
    assert "nowhere.env.xml" in result.err
    assert "not found" in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


def test_damaged_file_names_the_place(pyrave, scene):
    path = scene(BROKEN)
    result = pyrave("info", path, "--json")
    assert result.code == 1
    told = json.loads(result.out)
    assert told["schema"] == "pyrave-error/1"
    assert [(p["file"], p["line"]) for p in told["problems"]] == [(str(path), 3)]
    assert f"{path}:3" in result.err
    assert "error:" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (["info", "nowhere.xml"], 1, "not-readable"),
        (["run", "nowhere.xml"], 1, "not-readable"),
        (["check"], 2, "wrong-usage"),
        (["check", "--plugin", "nobody-has-this"], 2, "wrong-usage"),
        (["info"], 2, "wrong-usage"),
        (["plugins", "--no-such-option"], 2, "wrong-usage"),
        (["no-such-command"], 2, "wrong-usage"),
    ],
)
def test_errors_are_data_if_json_is_asked_for(pyrave, words, exit_code, code):
    assert pyrave(*words).out == ""
    result = pyrave(*words, "--json")
    assert result.code == exit_code
    told = json.loads(result.out)
    assert told["schema"] == "pyrave-error/1"
    assert [p["code"] for p in told["problems"]] == [code]
    assert told["problems"][0]["message"]
    assert result.err


def test_a_word_that_is_missing_has_its_name(pyrave):
    result = pyrave("plan")
    told = "error: FILE is missing; `pyrave plan --help` says what it is"
    assert (result.code, result.err.strip()) == (2, told)
    assert "--goal requires" in pyrave("plan", "a.xml", "--goal").err


@pytest.mark.parametrize("command", ["info", "run"])
def test_strict_errors_are_data(pyrave, scene, command):
    path = scene(TYPO)
    assert pyrave(command, path).code == 0
    result = pyrave(command, path, "--strict", "--json")
    assert result.code == 1
    assert [p["code"] for p in json.loads(result.out)["problems"]] == ["unknown-tag"]


def test_counts_agree_with_their_nouns(pyrave, scene):
    told = pyrave("info", scene(TYPO)).out
    assert "1 body, 0 robots among them; 0 sensors" in told
    assert "1 link, " in told
    assert "1 problem\n" in told
    assert "1 problem" in pyrave("run", scene(TYPO), "--steps", "1").out
    assert pyrave("check", scene(TYPO)).out.endswith(": 1 problem\n")


def test_tracebacks_on_demand(pyrave, scene):
    assert "Traceback" in pyrave("-vv", "info", scene(BROKEN)).err


def test_warning_is_shown_and_strict_refuses(pyrave, scene):
    path = scene(TYPO)
    lenient = pyrave("info", path)
    assert lenient.code == 0
    assert f"{path}:3" in lenient.err
    assert "did you mean <body>?" in lenient.err
    strict = pyrave("info", path, "--strict")
    assert strict.code == 1
    assert f"{path}:3" in strict.err


@pytest.mark.parametrize("command", ["info", "check", "convert", "run"])
def test_quiet_hides_warnings(pyrave, scene, tmp_path, command):
    path = scene(TYPO)
    more = [tmp_path / "other.dae"] if command == "convert" else []
    loud = pyrave(command, path, *more)
    assert loud.err.count("<boddy>") == 1
    quiet = pyrave("-q", command, path, *more)
    assert quiet.err == ""
    assert quiet.code == loud.code
    assert quiet.out


@pytest.mark.parametrize("command", ["info", "check", "convert", "run"])
def test_twice_quiet_says_nothing_but_json(pyrave, scene, tmp_path, command):
    for text, code in ((TYPO, command == "check"), (BROKEN, 1)):
        path = scene(text)
        more = [tmp_path / "other.dae"] if command == "convert" else []
        silent = pyrave("-qq", command, path, *more)
        assert (silent.code, silent.out, silent.err) == (code, "", "")
        data = pyrave("-qq", command, path, *more, "--json")
        assert data.err == ""
        assert data.data
    wrong = pyrave("-qq", command, "--no-such-option")
    assert (wrong.code, wrong.out, wrong.err) == (2, "", "")


def test_problems_of_one_cause_are_one_line(pyrave, scene):
    meshes = "".join(
        f'<geom type="trimesh"><data>part{i}.stl</data></geom>' for i in range(5)
    )
    path = scene(f'<kinbody name="k"><body name="b">{meshes}</body></kinbody>')
    short = pyrave("info", path).err.splitlines()
    assert len(short) == 1
    assert "warning: 5 meshes are missing, the first: file 'part0.stl'" in short[0]
    assert "-v or the level INFO lists all" in short[0]
    lines = pyrave("-v", "info", path).err.splitlines()
    assert [f"part{i}.stl" in line for i, line in enumerate(lines)] == [True] * 5


def test_refusals_are_told_when_quiet(pyrave, scene):
    assert "<boddy>" in pyrave("-q", "info", scene(TYPO), "--strict").err
    said = pyrave("-q", "info", scene(TYPO.replace("<boddy", "<joint/><boddy", 1)))
    assert "error: joint '' has 0 <body> tags" in said.err
    assert "<boddy>" not in said.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["inof"], 'Did you mean "info"?'),
        (["info", "--jason", "x.xml"], "Unknown option"),
        (["run", "x.xml", "--steps", "-1"], "Must be >= 0"),
        (["run", "x.xml", "--dt", "0"], "Must be > 0"),
        (["run", "x.xml", "--steps", "many"], "many"),
        (["check"], "nothing to check"),
        (["new-plugin", "thing"], "nothing to write"),
    ],
)
def test_wrong_usage(pyrave, words, text):
    result = pyrave(*words)
    assert result.code == 2
    assert text in result.err
    assert "Traceback" not in result.err


def test_check_tells_every_problem(pyrave, scene, environments):
    good = environments / "scenes" / "minimal.env.xml"
    bad = scene(
        '<environment>\n<kinbody name="a">\n<body nme="b">\n'
        '<geom type="box"><extents>1 2</extents></geom>\n</body>\n</kinbody>\n'
        "</environment>"
    )
    result = pyrave("check", good, bad)
    assert result.code == 1
    assert f"{good}: ok" in result.out
    assert f"{bad}:3:1: warning: unknown attribute 'nme'" in result.err
    assert f"{bad}:4" in result.err
    data = pyrave("check", good, bad, "--json").data
    assert data["ok"] is False
    assert [entry["ok"] for entry in data["files"]] == [True, False]
    lines = {problem["line"] for problem in data["files"][1]["problems"]}
    assert {3, 4} <= lines
    assert pyrave("check", good).code == 0


def test_check_without_a_file(pyrave, tmp_path):
    result = pyrave("check", tmp_path / "no.xml", "--json")
    assert result.code == 1
    (entry,) = result.data["files"]
    assert "not found" in entry["problems"][0]["message"]


def test_confine(pyrave, scene, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    scene('<kinbody name="a"><body name="b"/></kinbody>', "outside.kinbody.xml")
    path = inner / "s.env.xml"
    path.write_text(
        '<environment><kinbody file="../outside.kinbody.xml"/></environment>',
        encoding="utf-8",
    )
    assert pyrave("info", path).code == 0
    refused = pyrave("info", path, "--confine")
    assert refused.code == 1
    assert "outside.kinbody.xml" in refused.err


def test_resource_root(pyrave, scene, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    (library / "part.kinbody.xml").write_text(
        '<kinbody name="part"><body name="b"/></kinbody>', encoding="utf-8"
    )
    path = scene('<environment><kinbody file="part.kinbody.xml"/></environment>')
    assert pyrave("info", path, "--json").code == 1
    found = pyrave("info", path, "--json", "--resource-root", library)
    assert found.code == 0
    assert found.data["bodies"][0]["name"] == "part"


def test_unwritable_output(pyrave, scene, environments, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("x", encoding="utf-8")
    result = pyrave(
        "run",
        environments / "scenes" / "minimal.env.xml",
        "--steps",
        "1",
        "--out",
        blocker,
    )
    assert result.code == 1
    assert "file" in result.err
    assert "Traceback" not in result.err


def test_failing_plugin_is_one_line(pyrave, scene):
    path = scene('<environment><sensor type="NoSuchSensor" name="s"/></environment>')
    result = pyrave("info", path)
    assert result.code == 0
    assert "NoSuchSensor" in result.err
    assert len(result.err.strip().splitlines()) == 1
    assert json.loads(pyrave("check", path, "--json").out)["ok"] is False
