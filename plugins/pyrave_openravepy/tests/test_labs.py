"""Scripts as laboratories wrote them for Python 2, run from first to last line."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

import pytest

from pyrave_openravepy.scripts.command import openrave

pytest.importorskip("fissix")

LABS = Path(__file__).with_name("labs")


@pytest.mark.parametrize("path", sorted(LABS.glob("*.py2")), ids=lambda path: path.stem)
def test_a_script_prints_what_it_did_there(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    # the process is the script's afterwards
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    for name in ("argv", "path", "meta_path"):
        monkeypatch.setattr(sys, name, [*getattr(sys, name)])
    out = io.StringIO()
    script = tmp_path / f"{path.stem}.py"
    script.write_bytes(path.read_bytes())
    with contextlib.redirect_stdout(out):
        assert openrave("--testmode", str(script)) == 0
    wanted = path.with_suffix(".out").read_text("utf-8")
    assert rounded(out.getvalue()) == rounded(wanted)


def rounded(text):
    """Return a text whose numbers have three digits, and no minus before zero."""

    def shorter(number):
        return f"{round(float(number[0]), 3) + 0.0:g}"

    # environments are counted from the beginning of the process, by other tests too
    text = re.sub(r"RaveGetEnvironment\(\d+\)", "RaveGetEnvironment(1)", text)
    return re.sub(r"-?\d+\.\d*(e-?\d+)?", shorter, text).split()
