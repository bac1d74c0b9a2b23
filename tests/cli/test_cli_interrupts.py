"""Ctrl-C ends the command with 130 and without a word, wherever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="it has other signals"),
]

PRESSED = """
import os, signal, sys, time
from pyrave.cli import interrupts as interrupting

def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)

def go_on():
    time.sleep(60)
    return 0
{command}
code = interrupting.interruptible(command)
{after}
sys.exit(code)
"""
SIMPLE = """
def command():
    press()
    return go_on()
"""
IN_A_CALLBACK = """
class Object:
    def __del__(self):
        press()
def command():
    Object()
    return go_on()
"""
CAUGHT = """
def command():
    try:
        press()
    except BaseException:
        pass
    return go_on()
"""
AN_ERROR_OF_ITS_OWN = """
def command():
    try:
        press()
    except BaseException as error:
        raise ImportError("half imported") from error
"""
CAUGHT_ALWAYS = """
interrupting._PATIENCE = 1.0
def command():
    while True:
        try:
            press()
            go_on()
        except BaseException:
            pass
"""
AT_THE_END = """
def command():
    return 0
"""


@pytest.fixture(autouse=True)
def _heard():
    """Let children hear the key, also where a shell started all in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    "command", [SIMPLE, IN_A_CALLBACK, CAUGHT, AN_ERROR_OF_ITS_OWN, CAUGHT_ALWAYS]
)
def test_wherever_it_is_caught_the_process_ends(command):
    done = run(PRESSED.format(command=command, after=""))
    assert (done.returncode, done.stderr) == (130, "")


def test_when_all_is_done_it_ends_at_once():
    done = run(PRESSED.format(command=AT_THE_END, after="press(); go_on()"))
    assert (done.returncode, done.stderr) == (130, "")


def test_errors_without_it_stay_what_they_are():
    code = PRESSED.format(command="def command():\n    raise KeyError('k')", after="")
    done = run(code)
    assert done.returncode == 1
    assert "KeyError: 'k'" in done.stderr


def test_what_a_shell_ignores_stays_ignored():
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code = PRESSED.format(command="def command():\n    press()\n    return 7", after="")
    assert run(ignoring + code).returncode == 7


AS_THE_SCRIPT = """
import sys
sys.argv[0] = "/usr/bin/pyrave"
import pyrave
print("alive", flush=True)
from pyrave.cli import main
sys.exit(main())
"""
PRESSED_AT_AN_IMPORT = """
import os, signal, sys

class Finder:
    left = int(os.environ["PRESSED_AT"])

    def find_spec(self, name, path=None, target=None):
        if name == "pyrave" or self.left < int(os.environ["PRESSED_AT"]):
            self.left -= 1
            if self.left == -1:
                os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""


def pressed_at(number, words, tmp_path):
    """Run a command and press Ctrl-C as it imports a module: pyrave is number 0."""
    (tmp_path / "sitecustomize.py").write_text(PRESSED_AT_AN_IMPORT)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [*words, "info", "lab1.env.xml"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"PYTHONPATH": path, "PRESSED_AT": str(number)},
    )


# the first modules are the package, this one that hears the key, and the standard's
@pytest.mark.parametrize("number", [6, 10, 13, 20, 40, 80, 160, 320])
@pytest.mark.parametrize("way", ["module", "script"])
def test_it_ends_while_modules_are_imported(way, number, tmp_path):
    script = str(Path(sys.executable).with_name("pyrave"))
    words = [sys.executable, "-m", "pyrave"] if way == "module" else [script]
    done = pressed_at(number, words, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_imports_of_other_programs_are_left_to_them(tmp_path):
    code = "import sys, pyrave.api; print(sys.argv)"
    done = pressed_at(20, [sys.executable, "-c", code], tmp_path)
    assert "KeyboardInterrupt" in done.stderr


@pytest.mark.parametrize("seconds", [0, 0.1, 0.4, 1.6])
def test_a_command_that_works_is_ended(seconds, environments):
    scene = environments / "scenes" / "demo.env.xml"
    words = ["run", str(scene), "--steps", "1000000"]
    with subprocess.Popen(
        [sys.executable, "-c", AS_THE_SCRIPT, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "alive\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, "", "")
