"""Ctrl-C ends the command with 130 and without a word, wherever it comes."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="it has other signals"),
]

PRESSED = """
import os, signal, sys, time
from pyrave.cli import interrupting

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
        timeout=60,
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


@pytest.mark.parametrize("seconds", [0.8, 1.3, 2.1])
def test_a_command_that_works_is_ended(seconds, environments):
    scene = environments / "scenes" / "demo.env.xml"
    words = ["run", str(scene), "--steps", "1000000"]
    with subprocess.Popen(
        [sys.executable, "-m", "pyrave", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "")
