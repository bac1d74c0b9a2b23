"""``pyrave openrave SCRIPT`` in processes of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from forked import PATHS, Outcome, pyrave_process

pytest.importorskip("fissix")

ENVIRONMENT = {**os.environ, "PYTHONPATH": PATHS}
COMMAND = [sys.executable, "-m", "pyrave", "openrave"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")


@pytest.fixture
def run(tmp_path):
    """Run a command line in the folder of the test, with an end of input.

    With a command it is a process from its beginning on.
    """

    def call(*words, command=None, stdin=""):
        where = {"cwd": tmp_path, "env": ENVIRONMENT}
        if command is None:
            return pyrave_process("openrave", *words, stdin=stdin, **where)
        done = subprocess.run(
            [*command, *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **where,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return to


def test_a_script_is_the_main_program(run, write):
    write("lab/helper.py", "import other\nprint 'helper', 7 / 2\nname = other.name\n")
    write("lab/other.py", "name = xrange(2)[1]\n")
    write("lab/parts/__init__.py", "import near\n")
    write(
        "lab/parts/near.py", "import deep.low\nprint 'near', deep.low.size, __name__\n"
    )
    write("lab/parts/deep/__init__.py", "")
    write("lab/parts/deep/low.py", "size = 9 / 2\nprint 'low'\n")
    write(
        "lab/main.py",
        "import sys, os, helper, parts, __main__\n"
        "print sys.argv, __name__, __file__, os.path.basename(sys.path[0])\n"
        "print helper.name, __main__.helper is helper\n"
        "import openravepy\nprint openravepy.__name__\n"
        "print raw_input('q'), sys.stdin.read()\n",
    )
    for command in (COMMAND, [sys.executable, "-m", "pyrave_openravepy"]):
        result = run("lab/main.py", "-v", "--help", "a b", command=command)
        assert result.err == ""
        assert result.out.splitlines() == [
            "helper 3",
            "low",
            "near 4 parts.near",
            "['lab/main.py', '-v', '--help', 'a b'] __main__ lab/main.py lab",
            "1 True",
            "pyrave_openravepy.api",
            "q",
            " ",
        ]
        assert result.code == 0


def test_input_is_the_scripts(run, write):
    write(
        "ask.py", "print 'hello', raw_input('who? '), input('n? ') / 2, raw_input()\n"
    )
    assert run("ask.py", stdin="you\n7\n").out == "who? n? \nhello you 3 \n"


@pytest.mark.parametrize(
    ("text", "code", "error"),
    [
        ("import sys\nsys.exit(3)\n", 3, ""),
        ("import sys\nsys.exit('no robot')\n", 1, "no robot\n"),
        ("import sys\nsys.exit()\n", 0, ""),
        ("raise SystemExit, 4\n", 4, ""),
        ("exit(5)\n", 5, ""),
        ("import os\nos._exit(6)\n", 6, ""),
        ("raise KeyboardInterrupt\n", 130, ""),
    ],
)
def test_ends(run, write, text, code, error):
    write("script.py", text)
    result = run("script.py")
    assert (result.code, result.err) == (code, error)


def test_errors_show_the_lines_of_the_script(run, write, tmp_path):
    write("part.py", "def half(x):\n\treturn `x` / 0\n")
    write(
        "script.py",
        "from itertools import izip\nimport part\n\ndef go(a, (b, c)):\n"
        "    print a\n    part.half(a / 2)\n\ngo(4, (1, 2))\n",
    )
    result = run("script.py")
    assert (result.code, result.out) == (1, "4\n")
    # newer Pythons mark what failed of a line
    told = [line for line in result.err.splitlines() if line.strip(" ~^")]
    assert told == [
        "Traceback (most recent call last):",
        '  File "script.py", line 8, in <module>',
        "    go(4, (1, 2))",
        '  File "script.py", line 6, in go',
        "    part.half(a / 2)",
        f'  File "{tmp_path / "part.py"}", line 2, in half',
        "    return `x` / 0",
        "TypeError: unsupported operand type(s) for /: 'str' and 'int'",
    ]


def test_errors_of_modules(run, write):
    write("part.py", "print 'a'\nx = = 1\n")
    write("script.py", "print 'first'\nimport part\n")
    result = run("script.py")
    assert (result.code, result.out) == (1, "first\n")
    assert 'File "script.py", line 2, in <module>' in result.err
    assert re.search(
        r'part.py", line 2\n    x = = 1\n {8}\^+\nSyntaxError: ', result.err
    )
    assert "own_modules" not in result.err


def test_a_hook_of_the_script_shows_errors(run, write):
    write(
        "script.py",
        "import sys\nsys.excepthook = lambda kind, error, trace: "
        "sys.stdout.write('hook %s\\n' % error)\nraise ValueError, 'x'\n",
    )
    result = run("script.py")
    assert (result.code, result.out, result.err) == (1, "hook x\n", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(): return f()\nf()\n", "RecursionError"),
        ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name'"),
        ("1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_other_failures(run, write, text, words):
    write("script.py", text)
    result = run("script.py")
    assert result.code == 1
    assert words in result.err
    assert "pyrave" not in result.err


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("script.py", b"x = (\n", "script.py:1:5: '(' was never closed"),
        ("script.py", b"x = 1\0\n", "script.py:1:6: a NUL byte"),
        ("script.py", b"print 'caf\xe9'\n", "script.py:1:11: byte 0xe9 is no UTF-8"),
        ("script.py", bytes(range(1, 256)), "script.py:"),
        ("script.py", b"(" * 10_000, "script.py:1:"),
    ],
)
def test_what_is_no_script_is_not_run(run, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    result = run(name)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"error: {message}")
    assert len(result.err.splitlines()) == 1


def test_what_is_not_there(run, tmp_path):
    (tmp_path / "folder.py").mkdir()
    assert run("none.py").err == (
        "error: file 'none.py' not found (name a script or a scene file)\n"
    )
    assert "it is a folder" in run("folder.py").err
    result = run()
    assert result.code == 2
    assert "there is nothing to do" in result.err
    result = run("--viever", "x")
    assert result.code == 2
    assert "--viever" in result.err


@POSIX
def test_a_fork_ends_twice(run, write):
    write(
        "script.py",
        "import os, sys\nchild = os.fork()\nif not child:\n"
        "    print 'child', 7 / 2\n    sys.exit(7)\n"
        "print 'parent', os.WEXITSTATUS(os.waitpid(child, 0)[1])\n",
    )
    result = run("script.py")
    assert result.code == 0
    assert result.out.splitlines() == ["child 3", "parent 7"]


def interrupted(write, tmp_path, text, presses=1):
    write("script.py", text)
    with subprocess.Popen(
        [*COMMAND, "script.py"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        for _ in range(presses):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        out, err = process.communicate(timeout=60)
    return Outcome(process.returncode, out, err)


BEGINNING = """
import atexit, sys, time
atexit.register(lambda: sys.stdout.write("end"))
def ready():
    print "ready"
    sys.stdout.flush()
"""


@POSIX
@pytest.mark.parametrize(
    ("text", "presses", "code", "out"),
    [
        ("ready()\nwhile True: pass\n", 1, 130, "end"),
        ("ready()\ntime.sleep(60)\n", 1, 130, "end"),
        (
            ("try:\n    ready()\n    time.sleep(60)\n"
            "except KeyboardInterrupt: print 'bye'\n"),
            1, 0, "bye\nend",
        ),
        (
            ("while True:\n    try:\n        ready()\n        time.sleep(60)\n"
            "    except: pass\n"),
            3, 130, "ready\nready\n",
        ),
    ],
)  # fmt: skip
def test_ctrl_c(write, tmp_path, text, presses, code, out):
    result = interrupted(write, tmp_path, BEGINNING + text, presses)
    assert (result.code, result.out, result.err) == (code, out, "")


def test_diff_write_and_suggest(run, write, tmp_path):
    path = write("old.py", "import openravepy\nrobot.GetDOFValues()\nprint 7 / 2\n")
    diff = run("--diff", "old.py").out
    assert "-print 7 / 2\n+print(python2_divide(7, 2))\n" in diff
    assert run("--write", "new.py", "old.py").out == "new.py: written\n"
    new = (tmp_path / "new.py").read_text()
    assert new.endswith("print(python2_divide(7, 2))\n")
    write("robot.py", "def GetDOFValues(): pass\n")
    plain = [sys.executable]
    write("plain.py", new.replace("import openravepy", "import robot"))
    assert run("plain.py", command=plain).out == "3\n"
    lines = run("--suggest", "old.py").out.splitlines()
    assert any(line.startswith("old.py:2: GetDOFValues -> ") for line in lines)
    assert "KinBody.dof_values" in "".join(lines)
    original = path.read_text()
    assert run("--write", "old.py").out == (
        "old.py.bak: what it was\nold.py: written\n"
    )
    assert path.read_text() == new
    assert (tmp_path / "old.py.bak").read_text() == original
    assert run("--write", "old.py").out == "old.py is Python 3 already\n"
    path.write_text(original)
    result = run("--write", "old.py")
    assert result.code == 2
    assert "old.py.bak is there already" in result.err
    result = run("--diff")
    assert result.code == 2
    assert "about one script; name it" in result.err


ENDS = """
import threading, time
from openravepy import *
env = Environment()
env.Load('scenes/demo.env.xml')
print env.SetViewer('qtcoin'), threading.activeCount() > 1
begin = env.GetSimulationTime()
until = time.time() + 10
while env.GetSimulationTime() == begin and time.time() < until and %s:
    time.sleep(0.01)
print env.GetSimulationTime() > begin
"""


def test_test_mode_has_no_threads(run, write):
    """Scripts end by themselves with threads, too, and without `Destroy`."""
    write("script.py", ENDS % "False")
    result = run("--testmode", "script.py")
    assert (result.code, result.out, result.err) == (0, "True False\nFalse\n", "")
    write("script.py", (ENDS % "True").replace("env.SetViewer('qtcoin')", "True"))
    result = run("script.py")
    assert (result.code, result.out) == (0, "True True\nTrue\n")


def test_parts_of_environments(run, write):
    write(
        "script.py",
        "from openravepy import *\nenv = Environment()\n"
        "print env.GetCollisionChecker().GetXMLId()\n",
    )
    result = run("--testmode", "--collision", "GenericCollisionChecker", "script.py")
    assert (result.out, result.code) == ("GenericCollisionChecker\n", 0)
    result = run("--testmode", "--collision", "nothing", "script.py")
    assert result.code == 1
    assert "--collision nothing: there is no such id" in result.err


def test_a_session_without_a_script(run):
    """Scene files, and code for them, as with ``openrave.py -p``."""
    result = run(
        "--testmode", "-p", "print robot.GetName(), len(robots), 7 / 2, not env",
        "scenes/demo.env.xml",
    )  # fmt: skip
    assert (result.code, result.out, result.err) == (0, "heron7 1 3 False\n", "")
    result = run("--testmode", "-i", "robots/planar3r.robot.xml", "--level", "warn")
    assert (result.code, result.out) == (0, "")
    result = run("-i", "scenes/demo.env.xml", "--testmode", stdin="robot.GetName()\n")
    assert "heron7" in result.out
    result = run("none.env.xml")
    assert result.code == 1
    assert "'none.env.xml'" in result.err
    result = run("--testmode", "--module", "nothing", "args")
    assert result.code == 2
    assert "--module nothing: there is no such id" in result.err
    result = run("--level", "loud", "-i")
    assert result.code == 2
    assert "--level loud: expected fatal" in result.err
    result = run("scenes/demo.env.xml", "script.py")
    assert result.code == 2
    assert "a script loads its scenes itself" in result.err


def test_lists(run):
    assert "GenericRobot" in run("--listinterfaces", "robot").out.splitlines()
    assert "robot: GenericRobot" in run("--listinterfaces", "all").out.splitlines()
    result = run("--listinterfaces", "planer")
    assert result.code == 2
    assert "did you mean 'planner'?" in result.err
    assert run("--listplugins").out.startswith("pyrave ")
    assert run("--version").out.startswith("pyrave ")
    assert "inversekinematics" in run("--listdatabases").out.splitlines()
    assert run("--listexamples").code == 0
    result = run("--database", "nothing", "--robot=x")
    assert result.code == 2
    assert "there is no database 'nothing'" in result.err


def test_a_database_is_a_program(run):
    robot = "--robot=robots/planar3r.robot.xml"
    result = run("--testmode", "--database", "linkstatistics", robot)
    assert (result.code, result.err) == (0, "")
    result = run("--database", "linkstatistics", "--robt=x")
    assert result.code == 2
    assert "--robt" in result.err


def test_without_fissix(run, write):

    write("script.py", "print 7 / 2\n")
    write("three.py", "print(7 / 2)\n")
    blocked = [
        sys.executable, "-c",
        ("import sys; sys.modules['fissix'] = None; "
        "from pyrave.cli import main; sys.exit(main())"),
        "openrave",
    ]  # fmt: skip
    result = run("script.py", command=blocked)
    assert result.code == 1
    assert "pip install 'pyrave[openrave]'" in result.err
    assert run("three.py", command=blocked).out == "3.5\n"


def test_another_openravepy(run, write):
    """It is told and not touched; a script gets pyrave's."""
    write("real/openravepy/__init__.py", "raise SystemError('the real one')\n")
    write("script.py", "import openravepy\nprint openravepy.__name__\n")
    command = [
        sys.executable, "-c",
        ("import sys; sys.path.insert(1, 'real'); "
        "from pyrave.cli import main; sys.exit(main())"),
        "openrave",
    ]  # fmt: skip
    result = run("script.py", command=command)
    assert result.out == "pyrave_openravepy.api\n"
    assert "is not used" in result.err
