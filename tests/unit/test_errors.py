"""The exception family: texts, attributes, builtins, pickles."""

import difflib
import pickle
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrave import errors
from pyrave.errors import (
    ArgumentError,
    ArgumentNameError,
    AttributeNameError,
    CommandError,
    Error,
    InterfaceCreationError,
    InterfaceNotFoundError,
    LockTimeoutError,
    NameConflictError,
    NotFoundError,
    NotSupportedError,
    PluginError,
    Problem,
    ResourceError,
    SceneError,
    SettingError,
    Severity,
    StateError,
    did_you_mean,
    nearest,
    shortened,
    shown,
)

WARNING = Problem(Severity.WARNING, "a warning", file="a.xml", line=1)
WRONG = Problem(
    Severity.ERROR,
    "found x, expected y",
    file="b.xml",
    line=3,
    column=7,
    element="environment/robot[1]",
    hint="did you mean 'z'?",
    code="unknown-tag",
)
EXAMPLES = [
    (SceneError([WARNING, WRONG]), ValueError),
    (ResourceError("a.xml", ["/x", "/y"], "see docs"), FileNotFoundError),
    (PluginError("p"), Exception),
    (InterfaceNotFoundError("sensor", "Lasr", ["Laser"], ["  broken"]), LookupError),
    (InterfaceCreationError("c"), PluginError),
    (CommandError("c"), ValueError),
    (ArgumentError("a"), ValueError),
    (SettingError("s", ("sped",)), ArgumentError),
    (ArgumentNameError("no x", "x"), TypeError),
    (NameConflictError("n"), ValueError),
    (NotFoundError("body", "bx", ["box"]), KeyError),
    (NotFoundError("body", "bx", ["box"], "it is far"), KeyError),
    (AttributeNameError("no x", "x"), AttributeError),
    (NotSupportedError("n"), Error),
    (StateError("s"), RuntimeError),
    (LockTimeoutError("l"), TimeoutError),
]


@pytest.mark.parametrize(("error", "builtin"), EXAMPLES)
def test_each_error_derives_from_the_builtin_that_fits(error, builtin):
    assert isinstance(error, Error)
    assert isinstance(error, builtin)
    assert type(error).__name__ in errors.__all__
    assert type(error).__name__ in errors.__doc__
    assert type(error).__doc__


@pytest.mark.parametrize(("error", "builtin"), EXAMPLES)
def test_errors_survive_pickling(error, builtin):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__


def test_every_kind_has_an_example():
    kinds = {n for n in errors.__all__ if n.endswith("Error") and n != "Error"}
    assert kinds == {type(error).__name__ for error, _ in EXAMPLES}


def test_a_problem_reads_as_compilers_write():
    assert str(WRONG) == (
        "b.xml:3:7: error: found x, expected y [environment/robot[1]] "
        "(did you mean 'z'?)"
    )
    assert str(WARNING) == "a.xml:1: warning: a warning"
    assert str(Problem(Severity.ERROR, "plain")) == "error: plain"


def test_a_scene_error_shows_all_and_points_at_the_first_error():
    error = SceneError([WARNING, WRONG])
    assert str(error).splitlines() == [
        str(WARNING),
        str(WRONG),
        "2 problems; nothing was loaded",
    ]
    assert (error.file, error.line, error.column) == ("b.xml", 3, 7)
    assert (error.element, error.hint) == (WRONG.element, WRONG.hint)
    assert SceneError([WARNING]).first is WARNING
    plain = SceneError("wrong")
    assert plain.problems == (Problem(Severity.ERROR, "wrong"),)
    assert str(plain) == "error: wrong"
    assert SceneError(WRONG).first is WRONG


def test_a_missing_file_is_what_python_expects_of_one():
    error = ResourceError("a.xml", ["/x", "/y"], "see docs")
    assert str(error) == "file 'a.xml' not found; looked in /x, /y (see docs)"
    assert error.filename == "a.xml"
    assert error.errno == 2
    assert str(ResourceError("b")) == "file 'b' not found"


def test_a_missing_interface_lists_what_there_is():
    text = str(InterfaceNotFoundError("sensor", "Lasr", ["b", "Laser"], ["  broken"]))
    assert "no installed plugin offers sensor 'Lasr', did you mean 'Laser'?" in text
    assert "available: b, Laser" in text
    assert "plugins that could not be used:\n  broken" in text
    assert "`pyrave plugins`" in text
    assert "available: none" in str(InterfaceNotFoundError("sensor", "x"))


def test_a_missing_name_lists_what_there_is():
    text = str(NotFoundError("body", "bx", ["box", "cup"]))
    assert text == "no body 'bx', did you mean 'box'?; known: box, cup"
    assert str(NotFoundError("body", 3)) == "no body 3; known: none"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("kinbdy", "KinBody"), ("ROBOT", "Robot"), ("zzz", None), ("", None)],
)
def test_nearest(name, expected):
    known = ["KinBody", "Robot", "Sensor"]
    assert nearest(name, known) == expected
    text = f", did you mean {expected!r}?" if expected else ""
    assert did_you_mean(name, known) == text


def test_any_value_can_be_shown():
    assert shown("x") == "'x'"
    assert shown([1, 2.5, None]) == "[1, 2.5, None]"
    assert shown("x" * 100_000) == "'" + "x" * 76 + "..."
    assert shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"
    # Python refuses to write these digits
    assert shown(10**5000) == shown([10**5000]) == "a huge number"


# marks and digits make short forms, which difflib does not know
@given(
    st.text("abcABCd", max_size=9),
    st.lists(st.text("abcABCd", min_size=1, max_size=9), max_size=20),
)
def test_nearest_is_among_what_difflib_finds(name, known):
    by_lower = {one.lower(): one for one in known}
    found = difflib.get_close_matches(
        name.lower(), list(by_lower), n=max(1, len(by_lower)), cutoff=0.6
    )
    best = nearest(name, known)
    assert best is None or best in [by_lower[one] for one in found]
    if found and found[0] == name.lower():
        assert best == by_lower[found[0]]


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        # most letters are shared, and the meaning is another one
        ("rotorinertia", "maxinertia", None),
        ("frame", "drake", None),
        ("mesh", "mass", None),
        # slips of the pen
        ("cicular", "circular", "circular"),
        ("circualr", "circular", "circular"),
        ("hinje", "hinge", "hinge"),
        ("spher", "sphere", "sphere"),
        ("grt", "greet", "greet"),
        ("translatoin", "translation", "translation"),
        # other conventions
        ("rotation_mat", "rotationmat", "rotationmat"),
        ("maxvelocity", "maxvel", "maxvel"),
        ("Laser2D", "BaseLaser2D", "BaseLaser2D"),
    ],
)
def test_what_may_be_meant(name, known, expected):
    assert nearest(name, [known, "zzzzzz"]) == expected


def test_the_next_best_name_is_told_where_the_best_one_cannot_be_meant():
    assert nearest("rotorinertia", ["maxinertia", "rotor_inertias"]) == "rotor_inertias"


def test_long_quotations_and_tags_are_cut():
    word = "a" * 61
    for form in ("no {!r} here", "<{}> is", 'it "{}" says'):
        text = form.format("b" * 60)
        assert shortened(text) == text
        cut = shortened(form.format(word))
        assert word not in cut
        assert "a" * 60 + "…" in cut
    path = "/" + "d" * 100
    assert shortened(f"file {path!r}") == f"file {path!r}"
    assert len(shortened("file " + repr("/" * 1000))) < 260
    assert len(shortened("words " * 10000)) == 2001


def test_apostrophes_are_no_quotation_marks():
    text = f"it can't do {'b ' * 50} what the plugin's reader doesn't"
    assert shortened(text) == text


@pytest.mark.parametrize("hostile", ["'a ", "\\'", "\\", "'", "<", "'\\\\", "\"'"])
def test_shortening_takes_time_in_proportion(hostile):
    start = time.process_time()
    shortened(repr(hostile * 100_000))
    shortened(hostile * 100_000)
    assert time.process_time() - start < 30.0  # by the square it would be hours


def test_a_guard_keeps_what_plugin_code_raises_and_goes_on():
    seen = []
    for error in (SystemExit(3), ZeroDivisionError("no"), errors.Error("own")):
        with errors.PluginGuard(seen.append) as guard:
            raise error
        assert guard.error is error
    assert [str(one) for one in seen] == ["3", "no", "own"]
    with errors.PluginGuard(seen.append) as guard:
        pass
    assert guard.error is None


@pytest.mark.parametrize(
    ("raised", "passes"),
    [(KeyboardInterrupt(), errors.Error), (errors.ArgumentError("x"), errors.Error)],
)
def test_a_guard_lets_pass_what_is_not_the_plugins(raised, passes):
    guard = errors.PluginGuard(pytest.fail, passes=passes)
    with pytest.raises(type(raised)), guard:
        raise raised


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("hand", ["panda_hand", "panda_link8"], "panda_hand"),
        ("hand", ["gripper_left/hand", "gripper_right/hand"], None),
        ("hand", ["somebodys_forehand", "panda_handle"], None),
    ],
)
def test_names_are_found_behind_a_prefix(name, known, expected):
    assert nearest(name, known) == expected


def test_a_problem_shows_its_code_and_its_text():
    assert repr(WARNING) == f"<Problem: {WARNING}>"
    assert repr(replace(WRONG, code="bad-x")) == f"<Problem bad-x: {WRONG}>"
