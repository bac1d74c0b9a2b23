"""The classes of the plugin author's guide conform, each page's in one run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pyrave.interfaces import CONTRACT_CHANGES, INTERFACE_TYPES

GUIDE = Path(__file__).parents[2] / "docs" / "plugin-author-guide"
# those of packages are checked where they are installed
OF_PACKAGES = {"sensor", "controller"}
BLOCK = re.compile(
    r"```\{code-block\} python\n:caption: `([\w.]+)`\n\n(.*?)```", re.DOTALL
)


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_each_type_has_a_page_in_one_pattern(kind):
    text = (GUIDE / f"{kind}.md").read_text(encoding="utf-8")
    for what in ("State", "Units and frames", "Threads", "Errors"):
        assert f"\n{what}\n: " in text, what
    assert "Conformance" in text or "Contract):" in text
    assert kind in (GUIDE / "index.md").read_text(encoding="utf-8").split()


def test_the_page_lists_what_changed_in_contracts():
    text = (GUIDE / "contracts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    listed = {
        (kind, int(number)): (what, frozenset(re.findall(r"`(\w+)`", methods)))
        for kind, number, what, methods in rows
    }
    assert listed == {
        (kind, number): (change.what, change.methods)
        for kind, changes in CONTRACT_CHANGES.items()
        for number, change in changes.items()
    }


@pytest.mark.slow
def test_the_classes_of_the_pages_conform(tmp_path):
    for kind in set(INTERFACE_TYPES) - OF_PACKAGES:
        blocks = BLOCK.findall((GUIDE / f"{kind}.md").read_text(encoding="utf-8"))
        assert len(blocks) >= 2, kind
        for name, text in blocks:
            tmp_path.joinpath(name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # classes of scripts do not travel in pickles
    lines = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    allowed = ("pickle", "complete sample sets", "init_plan")
    assert all(any(one in line for one in allowed) for line in lines), lines
