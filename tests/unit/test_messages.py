"""Messages for programs without a handler for the log, which others do not get."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from moved_clock import MovedClock

import pyrave
from pyrave import batches, messages
from pyrave.environment.files import loader
from pyrave.interfaces import IkSolverBase
from pyrave.jit import progress as waiting
from pyrave.jit.progress import Waiting, announce
from pyrave.messages import Line, ProgressLine, said_if_slow
from pyrave.planning.query.plan import Planning

JOINT = (
    '<joint name="j" type="hinge"><body>a</body><body>b</body><axis>0 0 1</axis>'
    "<limits>-1 1</limits></joint>"
)
BODY = f'<kinbody name="k"><body name="a"/><body name="b"/>{JOINT}{{}}</kinbody>'
WRONG = BODY.format("<boddy/>")
MESHES = "".join(
    f'<geom type="trimesh"><data>part{i}.stl</data></geom>' for i in range(4)
)
MISSING = WRONG.replace('<body name="b"/>', f'<body name="b">{MESHES}</body>')


@pytest.fixture
def heard(monkeypatch):
    """The warnings of a program that has chosen nothing, all of them."""
    monkeypatch.setattr(messages, "_chosen", [])
    for one in logging.getLogger("pyrave").handlers:
        if isinstance(one, messages.StandardErrorHandler):
            monkeypatch.setattr(one, "_written", set())
    monkeypatch.delenv("PYRAVE_MESSAGES", raising=False)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


@pytest.fixture
def handler():
    """A handler of the program."""
    stream = io.StringIO()
    one = logging.StreamHandler(stream)
    one.stream_text = stream.getvalue
    logging.getLogger("pyrave").addHandler(one)
    yield one
    logging.getLogger("pyrave").removeHandler(one)


@pytest.fixture
def level():
    """Set the level of the log for a test."""
    logger = logging.getLogger("pyrave")
    before = logger.level
    yield logger.setLevel
    logger.setLevel(before)


class Terminal(io.StringIO):
    def isatty(self):
        return True


# -- loads -----------------------------------------------------------------------------


def line_of(function):
    return function.__code__.co_firstlineno + 1


def load_wrong():
    return pyrave.load_string(WRONG)


def test_a_load_with_a_problem_warns_at_the_users_line(heard):
    env = load_wrong()
    (warning,) = heard
    assert warning.category is pyrave.SceneWarning
    assert (warning.filename, warning.lineno) == (__file__, line_of(load_wrong))
    assert str(warning.message) == str(env.problems[0])
    assert "did you mean <body>?" in str(warning.message)


def test_a_load_without_problems_is_silent(heard, capsys):
    pyrave.load_string(BODY.format(""))
    assert not heard
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("way", ["load", "env.load", "read", "convert"])
def test_each_way_to_load_warns_once(heard, tmp_path, way):
    path = tmp_path / "k.kinbody.xml"
    path.write_text(WRONG)
    if way == "load":
        pyrave.load(path)
    elif way == "env.load":
        pyrave.Environment().load(path)
    elif way == "read":
        pyrave.read(path)
    else:
        pyrave.convert(path, tmp_path / "k.dae")
    (warning,) = heard
    assert warning.filename == __file__
    assert f"{path}:1:" in str(warning.message)


def test_many_problems_are_one_warning_with_their_count(heard):
    env = pyrave.load_string(MISSING)
    assert len(env.problems) == 5
    (warning,) = heard
    text = str(warning.message)
    assert text.startswith("5 problems, the first: ")
    assert "4 meshes are missing, the first: file 'part0.stl' not found" in text
    assert text.endswith("; all in env.problems")
    assert "part1" not in text


def test_problems_of_one_cause_are_one_line_of_the_log(caplog, level):
    level(logging.WARNING)
    pyrave.load_string(MISSING)
    meshes, tag = [record.getMessage() for record in caplog.records]
    assert "4 meshes are missing, the first: file 'part0.stl' not found" in meshes
    assert "-v or the level INFO lists all" in meshes
    assert "unknown tag <boddy>" in tag
    caplog.clear()
    level(logging.INFO)
    pyrave.load_string(MISSING)
    assert [f"part{i}.stl" in r.getMessage() for i, r in enumerate(caplog.records)] == [
        True, True, True, True, False,
    ]  # fmt: skip


def test_meshes_of_a_package_are_counted_together(heard):
    visuals = "".join(
        f'<visual><geometry><mesh filename="package://gone/{i}.stl"/></geometry>'
        "</visual>"
        for i in range(3)
    )
    other = visuals.replace("gone", "lost")
    pyrave.load_string(
        f'<robot name="r"><link name="a">{visuals}{other}</link></robot>'
    )
    (warning,) = heard
    text = str(warning.message)
    assert text.startswith("6 problems, the first: ")
    assert "3 meshes of package 'gone' are missing, the first: " in text


def test_names_below_the_scene_are_shown_from_there(heard, tmp_path):
    path = tmp_path / "k.kinbody.xml"
    broken = "".join(
        f'<geom type="trimesh"><data>{tmp_path}/part{i}.stl</data></geom>'
        for i in range(3)
    )
    path.write_text(MISSING.replace(MESHES, broken).replace("<boddy/>", ""))
    pyrave.load(path)
    assert "the first: file 'part0.stl' not found" in str(heard[0].message)


def test_raised_as_an_error_the_load_leaves_nothing_behind(heard):
    env = pyrave.Environment()
    warnings.simplefilter("error", pyrave.SceneWarning)
    with pytest.raises(pyrave.SceneWarning, match="<boddy>"):
        env.load_string(WRONG)
    assert len(env.bodies) == 0
    assert env.problems == ()
    env.load_string(BODY.format(""))


def test_copies_say_nothing_again(heard):
    env = pyrave.load_string(WRONG)
    heard.clear()
    again = pickle.loads(pickle.dumps(env))  # noqa: S301
    env.clone()
    assert [p.code for p in again.problems] == []
    assert not heard


# -- clamping --------------------------------------------------------------------------


def test_clamping_warns_once_for_each_body_and_line(heard):
    env = pyrave.load_string(BODY.format(""))
    env.load_string(BODY.format("").replace('name="k"', 'name="l"'))
    body, other = env.bodies
    lines = []
    for value in (2.0, 3.0, 4.0):
        body.dof_values = [value]
    lines.append(heard[-1].lineno)
    body.dof_values = [5.0]
    other.dof_values = [2.0]
    told = [str(warning.message) for warning in heard]
    assert told == [
        "value 2 of joint 'j' of 'k' is outside of its limits -1..1; it is clamped",
        "value 5 of joint 'j' of 'k' is outside of its limits -1..1; it is clamped",
        "value 2 of joint 'j' of 'l' is outside of its limits -1..1; it is clamped",
    ]
    assert {warning.filename for warning in heard} == {__file__}
    assert len({warning.lineno for warning in heard}) == 3
    assert np.all(body.dof_values == 1.0)


def test_clamping_raised_as_an_error_is_raised_each_time(heard):
    body = pyrave.load_string(BODY.format("")).bodies[0]
    warnings.simplefilter("error", pyrave.SceneWarning)
    for _ in range(2):
        with pytest.raises(pyrave.SceneWarning, match="clamped"):
            body.dof_values = [2.0]
    assert body.dof_values == [0.0]


# -- never twice -----------------------------------------------------------------------


def test_a_handler_of_the_program_takes_over(heard, handler, capsys):
    body = load_wrong().bodies[0]
    for _ in range(3):
        body.dof_values = [2.0]
    assert not heard
    assert capsys.readouterr().err == ""
    text = handler.stream_text()
    assert text.count("<boddy>") == 1
    assert text.count("clamped") == 1


def test_a_handler_that_hears_errors_only_leaves_warnings_to_others(heard, handler):
    handler.setLevel(logging.ERROR)
    load_wrong()
    assert len(heard) == 1
    assert handler.stream_text() == ""


def test_the_level_of_the_log_counts(heard, level, capsys):
    level(logging.ERROR)
    load_wrong().bodies[0].dof_values = [2.0]
    assert not heard
    assert capsys.readouterr().err == ""


def test_other_records_are_written_to_standard_error(heard, capsys, handler):
    logging.getLogger("pyrave").removeHandler(handler)
    log = logging.getLogger("pyrave.controllers")
    log.info("a detail")
    log.warning("the path is %s", "odd")
    log.error("warning: once")
    logging.getLogger("pyrave").warning("warning: once")
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "pyrave: warning: the path is odd",
        "pyrave: error: warning: once",
        "pyrave: warning: once",
    ]
    logging.getLogger("pyrave").addHandler(handler)
    log.warning("again")
    assert capsys.readouterr().err == ""


# -- what takes long -------------------------------------------------------------------


def test_what_takes_long_is_said(heard, handler, monkeypatch):
    logging.getLogger("pyrave").removeHandler(handler)
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    with said_if_slow("counting sheep", after=0.01):
        wait_for(stream, "pyrave: counting sheep ...\n")
    with said_if_slow("counting sheep", after=1000.0):
        pass
    pyrave.set_messages("warnings")
    with said_if_slow("counting sheep", after=0.01):
        time.sleep(0.2)
    assert stream.getvalue() == "pyrave: counting sheep ...\n"


# -- the switch ------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["function", "variable"])
def test_nothing_is_said_if_none_is_chosen(heard, capsys, monkeypatch, way):
    if way == "function":
        pyrave.set_messages("none")
    else:
        monkeypatch.setenv("PYRAVE_MESSAGES", "none")
    env = load_wrong()
    env.bodies[0].dof_values = [2.0]
    logging.getLogger("pyrave.controllers").warning("the path is odd")
    assert not heard
    assert capsys.readouterr().err == ""
    assert len(env.problems) == 1


def test_a_wrong_choice_is_refused(heard, capsys, monkeypatch):
    with pytest.raises(pyrave.ArgumentError, match="did you mean 'none'"):
        pyrave.set_messages("non")
    with pytest.raises(pyrave.ArgumentError, match="which is None; expected one of"):
        pyrave.set_messages(None)
    monkeypatch.setenv("PYRAVE_MESSAGES", "warning")
    load_wrong(), load_wrong()
    assert len(heard) == 2
    told = capsys.readouterr().err
    assert told.count("PYRAVE_MESSAGES is 'warning', did you mean 'warnings'?") == 1


# -- compiling -------------------------------------------------------------------------


def test_what_is_logged_again_is_written_once(heard, capsys):
    for _ in range(3):
        logging.getLogger("pyrave.physics").warning("the step is too long")
    assert capsys.readouterr().err == "pyrave: warning: the step is too long\n"


@pytest.fixture
def terminal(heard, monkeypatch):
    """A terminal that becomes standard error; what captures it does so last."""
    stream = Terminal()
    monkeypatch.setattr(messages, "sys", SimpleNamespace(stderr=stream, modules={}))
    return stream


def test_who_waits_at_a_terminal_sees_the_time_left(terminal, monkeypatch):
    clock = iter([10.0, 12.0, 23.0, 24.5, 24.5, 30.0, 31.0, 31.0])
    monkeypatch.setattr(waiting, "_pace", [1.0])
    monkeypatch.setattr(messages, "time", SimpleNamespace(monotonic=clock.__next__))
    wait = Waiting("casts of rays", 7.0)
    waits = iter([False, False, True])
    monkeypatch.setattr(
        wait._end, "wait", lambda _: next(waits) and not wait._end.set()
    )
    with wait:
        wait._thread.join()
    lines = [line.rstrip() for line in terminal.getvalue().split("\r")]
    head = "pyrave: compiling casts of rays, once per machine: "
    assert lines == [
        "",
        f"{head}about 7 s",
        f"{head}5 s left",
        f"{head}13 s so far",
        f"{head}14.5 s",
    ]
    assert terminal.getvalue().endswith("\n")
    with Waiting("other casts", 4.0):
        pass
    assert "other casts, once per machine: about 8 s\r" in terminal.getvalue()


def test_a_wait_within_another_has_no_line(terminal):
    with Waiting("all", 5.0), Waiting("a part", 2.0):
        pass
    assert "a part" not in terminal.getvalue()
    with Waiting("another", 2.0):
        pass
    assert "another" in terminal.getvalue()
    with Waiting("", 2.0):
        pass
    assert terminal.getvalue().count("\n") == 2


def test_what_compiles_beside_is_one_line(terminal):
    announce("contacts", 9.4, "in the background")
    text = "pyrave: compiling contacts in the background, once per machine, about 9 s\n"
    assert terminal.getvalue() == text


@pytest.mark.parametrize(
    ("choice", "is_terminal", "lines"),
    [
        ("auto", False, 1),
        ("warnings", True, 0),
        ("none", True, 0),
    ],
)
def test_who_sees_it(heard, monkeypatch, choice, is_terminal, lines):
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    pyrave.set_messages(choice)
    with Waiting("casts", 7.0):
        pass
    told = "pyrave: compiling casts, once per machine, about 7 s\n"
    assert stream.getvalue() == told * lines


def test_notebooks_are_watched(heard, monkeypatch):
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    with Waiting("casts", 7.0):
        pass
    assert "compiling casts, once per machine: about 7 s" in stream.getvalue()


def test_a_log_that_tells_of_it_is_enough(terminal, handler, level):
    level(logging.INFO)
    with Waiting("casts", 7.0):
        announce("others", 3.0)
    assert terminal.getvalue() == ""
    assert handler.stream_text().count("compiling") == 2


def test_a_closed_standard_error_stops_nothing(terminal):
    terminal.close()
    with Waiting("casts", 7.0):
        pass


# -- how far a long call is ------------------------------------------------------------


def shown(stream):
    """What a terminal showed, one after the other, without doubles."""
    lines = [line.rstrip() for line in stream.getvalue().split("\r")]
    return list(dict.fromkeys(filter(None, lines)))


@pytest.fixture
def soon(monkeypatch):
    """Lines of progress come at once, and are renewed often; no time passes."""
    monkeypatch.setattr(messages, "time", SimpleNamespace(monotonic=lambda: 10.0))
    monkeypatch.setattr(ProgressLine, "after", 0.02)
    monkeypatch.setattr(messages, "_SECONDS_SHOWN", 0.02)


def wait_for(stream, text):
    end = time.monotonic() + 60.0
    while text not in stream.getvalue():
        assert time.monotonic() < end, stream.getvalue()
        time.sleep(0.01)


def test_counts_have_the_seconds_left(terminal, monkeypatch):
    now = [10.0]
    monkeypatch.setattr(messages, "time", SimpleNamespace(monotonic=lambda: now[0]))
    count = ProgressLine("solving", 100_000, "poses")
    simulated = ProgressLine("executing", 10.0, "s simulated")
    limited, other = ProgressLine("planning", 30.0), ProgressLine("loading")
    with count, simulated, limited, other:
        now[0] += 4.0
        assert count._state() == "0 of 100 000 poses"
        count.done, simulated.done = 25_000, 2.0
        assert count._state() == "25 000 of 100 000 poses, 12 s left"
        assert simulated._state() == "2.0 of 10.0 s simulated, 16 s left"
        assert limited._state() == "4 of at most 30 s"
        assert other._state() == "4 s"
    assert terminal.getvalue() == ""


def test_nothing_is_left_of_the_line(terminal, soon):
    with ProgressLine("solving", 10, "poses") as line:
        line.done = 3
        wait_for(terminal, "3 of 10")
    assert shown(terminal)[-1].startswith("pyrave: solving: 3 of 10 poses, ")
    assert re.search(r"\r +\r$", terminal.getvalue())
    assert "\n" not in terminal.getvalue()
    with contextlib.suppress(KeyboardInterrupt), ProgressLine("again"):
        wait_for(terminal, "again")
        raise KeyboardInterrupt
    assert terminal.getvalue().endswith(" \r")
    assert Line.free.acquire(blocking=False)
    Line.free.release()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(("columns", "seen"), [(40, 39), (0, 100)])
def test_lines_end_where_the_terminal_does(columns, seen):
    import fcntl
    import pty
    import struct
    import termios

    shows, writes = pty.openpty()
    with os.fdopen(writes, "w") as stream, os.fdopen(shows, "rb", 0) as terminal:
        fcntl.ioctl(stream, termios.TIOCSWINSZ, struct.pack("4H", 10, columns, 0, 0))
        Line(stream).show("x" * 100)
        assert terminal.read(1000) == b"\r" + b"x" * seen


def test_lines_within_a_line_are_not_shown(terminal, soon):
    with ProgressLine("outer"):
        wait_for(terminal, "outer")
        with ProgressLine("inner"):
            time.sleep(0.2)
    assert all("outer" in one for one in shown(terminal))


@pytest.mark.parametrize("why", ["file", "warnings", "none", "worker"])
def test_who_sees_no_progress(heard, soon, monkeypatch, why):
    stream = io.StringIO() if why == "file" else Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    if why in {"warnings", "none"}:
        pyrave.set_messages(why)
    if why == "worker":
        monkeypatch.setattr(multiprocessing.process, "_parent_process", "another")
    with ProgressLine("solving") as line:
        time.sleep(0.1)
    assert stream.getvalue() == ""
    assert line._thread is None


def test_notebooks_see_one_line(heard, soon, monkeypatch):
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressLine("solving"):
        wait_for(stream, "pyrave: solving: 0 s")
    assert "\n" not in stream.getvalue()


def test_builds_are_said_with_the_seconds_so_far(terminal, soon):
    with said_if_slow("counting sheep", after=0.01):
        wait_for(terminal, "counting")
    assert shown(terminal) == ["pyrave: counting sheep: 0 s"]


def test_a_closed_terminal_stops_no_progress(terminal, soon):
    with ProgressLine("solving"):
        terminal.close()
        time.sleep(0.1)


@pytest.fixture
def slow(terminal, soon, monkeypatch):
    """A robot and its environment: what is called with `held` waits to be seen."""
    env = pyrave.load("scenes/demo.env.xml")

    def held(kind, name, text):
        original = getattr(kind, name)

        def waiting(*args, **keywords):
            wait_for(terminal, text)
            return original(*args, **keywords)

        monkeypatch.setattr(kind, name, waiting)

    return env, held


def test_batches_tell(terminal, soon, monkeypatch):
    monkeypatch.setattr(batches, "_LONG", 0.0)
    # a millisecond a piece, however long the terminal is waited for
    monkeypatch.setattr(batches, "perf_counter", MovedClock(1e-3))
    seen = []
    for some in batches.pieces(4000, 1000, "doubling", "rows"):
        if some.start:
            wait_for(terminal, f"doubling: {some.start // 1000} 000 of 4 000 rows")
        seen.append(some.stop)
    assert seen == [1000, 2000, 3000, 4000]
    for some in batches.pieces(4000, 1000, "ending", "rows"):
        if some.start:
            wait_for(terminal, "ending")
            break
    assert Line.free.acquire(blocking=False)
    Line.free.release()


def test_short_batches_start_nothing(terminal, soon, monkeypatch):
    monkeypatch.setattr(messages.threading, "Thread", None)
    assert len(list(batches.pieces(4000, 1000))) == 4


def test_items_tell(terminal, soon):
    for item in batches.each("abc", "spelling", "letters"):
        if item == "b":
            wait_for(terminal, "spelling: 1 of 3 letters")


def test_ik_batches_tell(slow, terminal):
    env, held = slow
    arm = env.robots[0].active_manipulator
    solver = arm.ik_solver
    held(type(solver), "solution", "solving: 0 of 2 poses")
    poses = np.stack([arm.transform] * 2)
    IkSolverBase.nearest_batch(solver, poses)


def test_collision_batches_tell(slow, terminal, monkeypatch):
    env, _ = slow
    robot = env.robots[0]
    env.check_collision(robot)
    configurations = importlib.import_module("pyrave_collision.configurations")
    monkeypatch.setattr(configurations, "_ALONE", 0.0)
    original = configurations.deal

    def deal(*args):
        wait_for(terminal, "checking: 32 of 5 000 configurations")
        return original(*args)

    monkeypatch.setattr(configurations, "deal", deal)
    rows = robot.sample_configurations(5000)
    env.collision_checker.check_configurations(robot, rows)


def test_plans_tell_how_long_they_may_take(slow, terminal):
    env, held = slow
    robot, arm = env.robots[0], env.robots[0].active_manipulator
    held(Planning, "_result", f"planning for {robot.name}: 0 of at most 7 s")
    assert arm.plan(values=robot.dof_values[arm.arm_indices], timeout=7.0)


def test_executions_tell_simulated_seconds(slow, terminal):
    env, held = slow
    robot = env.robots[0]
    goal = robot.dof_values + 0.01
    plan = robot.plan(values=goal)
    held(type(env), "step", f"executing: 0.0 of {plan.trajectory.duration:.1f} s sim")
    assert robot.execute(plan)


def test_loads_tell(slow, terminal, monkeypatch):
    _, held = slow
    held(loader, "add_checked", "loading demo.env.xml: 0 s")
    pyrave.load("scenes/demo.env.xml")


# -- whole programs --------------------------------------------------------------------


@pytest.mark.slow
def test_a_script_hears_each_thing_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import pyrave\n"
        f"env = pyrave.load_string('''{MISSING}''')\n"
        "for _ in range(3):\n"
        "    env.bodies[0].dof_values = [2.0]\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True,
        env={k: v for k, v in os.environ.items() if k != "PYRAVE_MESSAGES"},
    )  # fmt: skip
    assert done.stderr.count("SceneWarning") == 2
    assert f"{script}:2: SceneWarning: 5 problems, the first: " in done.stderr
    assert f"{script}:4: SceneWarning: value 2 of joint 'j'" in done.stderr


def test_a_cached_property_of_ours_is_not_the_users_line(heard):
    ours = {"__name__": "pyrave.made_up"}
    exec(  # noqa: S102 - code in a module of ours
        "import functools\n"
        "from pyrave.messages import warn\n"
        "class Part:\n"
        "    @functools.cached_property\n"
        "    def value(self):\n"
        "        warn('made up')\n"
        "def read(): return Part().value\n",
        ours,
    )
    ours["read"]()
    (warning,) = heard
    assert warning.filename == __file__


class _WriteOnly:
    """What programs with windows put in the place of standard error."""

    def write(self, text):
        """Take a text."""

    def flush(self):
        """Do nothing."""


def test_standard_error_may_be_closed_or_no_file(monkeypatch):
    closed = io.StringIO()
    closed.close()
    for stream in (_WriteOnly(), closed):
        monkeypatch.setattr(sys, "stderr", stream)
        assert not messages.is_watched(stream)
        with ProgressLine("loading", 3, "files"):
            pass
        assert pyrave.load_string(f"<environment>{BODY}</environment>").bodies
