"""Budgets of names: a commit may raise one only with a reason here."""

import ast
import re
from collections import Counter
from pathlib import Path

import pyrave
from pyrave.cards import unlisted_names

ROOT = Path(__file__).parents[2]


def test_names_say_what_things_are():
    """Files are nouns, and first lines of docstrings no riddles; budgets only fall."""
    files = [one for room in ("core", "plugins") for one in (ROOT / room).rglob("*.py")]
    ours = [path for path in files if "examples" not in path.parts]  # not OpenRAVE's
    assert sum(path.stem.endswith("ing") for path in ours) <= 6
    folders = Counter(path.parent for path in files)
    assert {folder for folder, count in folders.items() if count > 25} == set()
    question = "how|whether|where|which|when|who|why|what"
    begins = rf'"""((return|yield|write|say|tell|note) )?({question}) '
    riddle = re.compile(begins, re.IGNORECASE)
    riddles = [path.name for path in files if riddle.search(path.read_text())]
    assert len(riddles) <= 20, riddles


def test_objects_show_few_names():
    environment = pyrave.Environment
    for shown in (pyrave.Robot, pyrave.KinBody, environment, pyrave.Manipulator):
        listed = set(vars(shown)).union(*(vars(base) for base in shown.__mro__))
        names = {name for name in listed if name[0].islower()}
        hidden = unlisted_names(shown)
        assert len(names - hidden) <= 120, shown


def test_scenes_in_tests_are_files():
    """Texts that are not changed, of more than ten lines, stand in ``files``."""
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Assign | ast.Call)
        for value in ([node.value] if isinstance(node, ast.Assign) else node.args)
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
        if value.value.count("\n") > 10 and value.value.lstrip().startswith("<")
    ]
    assert not long
