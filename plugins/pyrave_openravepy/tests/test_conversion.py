"""Scripts of Python 2, run: each file says behind ``#>`` what it writes."""

from __future__ import annotations

import ast
import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from pyrave.errors import ResourceError
from pyrave_openravepy.scripts.conversion import (
    ScriptSyntaxError,
    convert_script,
    read_script,
)
from pyrave_openravepy.scripts.conversion.source import decode_script
from pyrave_openravepy.scripts.conversion.tabs import expand_tabs
from pyrave_openravepy.scripts.running.old_builtins import script_builtins

pytest.importorskip("fissix")

CASES = sorted(Path(__file__).with_name("python2").glob("*.py2"))


def run(text, path="script.py"):
    script = convert_script(text, path)
    names = {
        "__name__": "__main__",
        "__builtins__": script_builtins(converted=script.is_converted),
    }
    exec(script.compile(), names)  # noqa: S102
    return names


def test_there_are_cases():
    assert len(CASES) >= 40


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_python2_wrote(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    text = read_script(path)
    run(text, str(path))
    wanted = [line[2:].strip() for line in text.splitlines() if line[:2] == "#>"]
    found = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert found == wanted


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_converted_again_is_the_same(path):
    once = convert_script(read_script(path), str(path))
    assert once.is_converted
    again = convert_script(once.text_of_file(), str(path))
    assert not again.is_converted
    assert once.diff().startswith(f"--- {path}")


def test_python3_is_kept():
    text = "x = f'{7 / 2}'\nasync def f(): ...\nprint(7 / 2)\n"
    script = convert_script(text, "three.py")
    assert not script.is_converted
    assert script.diff() == ""


def test_python3_finds_old_names(capsys):
    names = run(
        "import numpy as np\nimport itertools\nimport cPickle\n"
        "d = {1: 2}\nvalues = [2, 1, 3]\nvalues.sort(lambda a, b: cmp(b, a))\n"
        "print(7 / 2, list(xrange(2)), np.float(1), list(itertools.izip([1], [2])))\n"
        "print(d.has_key(1), list(d.iteritems()), values, round(2.5))\n"
        "print(unicode is str, long, isinstance('x', basestring))\n"
    )
    assert capsys.readouterr().out.splitlines() == [
        "3.5 [0, 1] 1.0 [(1, 2)]",
        "True [(1, 2)] [3, 2, 1] 2",
        "True <class 'int'> True",
    ]
    assert names["d"] == {1: 2}


def test_nothing_leaks():
    run("xrange(2)\nimport numpy\nnumpy.product([1])\nimport string\nstring.letters\n")
    import builtins
    import string

    assert not hasattr(builtins, "xrange")
    assert not hasattr(np, "product")
    assert not hasattr(string, "letters")


def test_what_a_script_sets_in_a_module_is_set_there(monkeypatch):
    import time

    monkeypatch.setattr(time, "sleep", time.sleep)
    run("import time\ntime.sleep = 5\nassert time.sleep == 5\n")
    assert time.sleep == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (", "script.py:1:5: '(' was never closed, read as Python 3; as Python 2"),
        ("print 'a'\nfoo bar\n", "script.py:2:5: 'bar' does not fit here"),
        ("print 'a'\nx = 08\n", "script.py:2:6: "),
        ("def f():\n    print 1\n  print 2\n", "script.py:3:"),
        ("print '\n", "script.py:1:7: unterminated string literal"),
        ("f()[0] /= 2\nprint 1\n", "script.py:1:1: what stands before /= holds a call"),
        ("x = 1\nreturn x\n", "script.py:2:1: 'return' outside function"),
        ("print 1\nbreak\n", "script.py:2:"),
        ("<?xml version='1.0'?>\n", "script.py:1:1: "),
        ("%%%", "script.py:1:1: "),
        ("(" * 5000, "script.py:1:"),
        ("x = " + "-" * 100_000 + "1", "script.py:1:"),
        ("print " + "(" * 250 + "1" + ")" * 250, "script.py:1:"),
    ],
)
def test_what_is_neither(text, message):
    with pytest.raises(ScriptSyntaxError) as caught:
        convert_script(text, "script.py").compile()
    assert str(caught.value).startswith(message)


def test_nothing_of_what_is_neither_has_run(capsys):
    with pytest.raises(ScriptSyntaxError):
        run("print 'first'\nx = = 1\n")
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x = 1\ny = \0\n", ":2:5: a NUL byte, this is no text"),
        (b"x = 1\n# caf\xe9\n", ":2:6: byte 0xe9 is no UTF-8: say what it is"),
        (b"# coding: nonsense\nx = 1\n", ":1:1: "),
        (b"# coding: ascii\nx = '\xe9'\n", ":2:6: byte 0xe9 is no ASCII"),
        (b"\x80\x81\x82" * 100, ":1:1: byte 0x80 is no UTF-8"),
    ],
)
def test_what_is_no_text(tmp_path, data, message):
    path = tmp_path / "script.py"
    path.write_bytes(data)
    with pytest.raises(ScriptSyntaxError) as caught:
        read_script(path)
    assert str(caught.value).startswith(f"{path}{message}")


PIECES = (
    *"()'\t\n/`%\\:#[}\r\x0c@\0\xe9", '"""', "/=", "print ", "lambda ", "exec ",
    "0777L", 'u"', "except E, e", "**", " = ",
)  # fmt: skip


def test_whatever_a_text_is_it_is_converted_or_refused():
    chosen = np.random.default_rng(7)
    texts = [path.read_text("utf-8") for path in CASES]
    for _ in range(400):
        text = texts[chosen.integers(len(texts))]
        for _ in range(chosen.integers(1, 5)):
            at = int(chosen.integers(len(text)))
            pieces = (*PIECES, text[at : at + 9])
            piece = pieces[chosen.integers(len(pieces))]
            text = text[:at] + piece + text[at + chosen.integers(4) :]
        try:
            script = convert_script(decode_script(text.encode(), "x.py"), "x.py")
            script.compile()
        except ScriptSyntaxError as error:
            assert str(error).startswith("x.py:")  # noqa: PT017


def test_a_fixer_that_fails_is_told():
    text = "values.sort(lambda a: b = 1)\nprint 1\n"
    with pytest.raises(ScriptSyntaxError, match=r"x\.py:1:13: .*fissix fails: "):
        convert_script(text, "x.py")


def test_codings_and_ends_of_lines(tmp_path, capsys):
    path = tmp_path / "script.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\r\nprint 'caf\xe9', 7 / 2\r\n")
    script = convert_script(read_script(path), str(path))
    run(read_script(path))
    assert capsys.readouterr().out == "café 3\n"
    assert script.text_of_file().startswith("# -*- coding: utf-8 -*-\n")
    path.write_bytes("\ufeffprint 'caf\xe9'\r".encode())
    run(read_script(path))
    assert capsys.readouterr().out == "café\n"


def test_what_is_not_there(tmp_path):
    with pytest.raises(ResourceError, match=r"none\.py' not found"):
        read_script(tmp_path / "none.py")
    with pytest.raises(ResourceError, match="it is a folder"):
        read_script(tmp_path)


def test_lines_are_those_of_the_file():
    text = (
        "from itertools import izip\n"  # goes
        "def f(a, (b, c)):\n"  # becomes two
        "    print a\n"
        "    return reduce(max, [b, c])\n"  # an import is added
        "\n"
        "f(1, (2, 0)) / g()\n"
    )
    script = convert_script(text, "script.py")
    tree = script._tree()
    function, last = (
        next(node for node in ast.walk(tree) if isinstance(node, kind))
        for kind in (ast.FunctionDef, ast.Return)
    )
    assert (function.lineno, last.lineno, tree.body[-1].lineno) == (2, 4, 6), (
        script.text
    )
    names = {"__builtins__": script_builtins(converted=True)}
    with pytest.raises(NameError) as caught:
        exec(script.compile(), names)  # noqa: S102
    trace = caught.value.__traceback__.tb_next
    assert trace.tb_lineno == 6


def test_tabs_in_texts_are_kept():
    text = "if x:\n\ty = '''\n\tkept\n''' # it's\n  \tz = 1\n"
    assert expand_tabs(text) == (
        "if x:\n        y = '''\n\tkept\n''' # it's\n        z = 1\n"
    )
    assert expand_tabs("x = 1\n") == "x = 1\n"


def test_questions_end(monkeypatch):
    """A loop that waits for an answer does not go on for ever."""
    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: PTH123, SIM115
    with pytest.raises(EOFError):
        run("while raw_input() != 'q': pass\n")
