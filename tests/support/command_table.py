"""Which test gives which parameter of which command of the modules: a table.

``python tests/support/command_table.py`` prints it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pyrave

MODULES = ("BaseManipulation", "TaskManipulation", "Grasper", "VisualFeedback")
TESTS = Path(__file__).parents[1] / "plugins/manipulation"


def commands():
    """Return the commands of the modules: {(module, command): (method, parameters)}."""
    env = pyrave.Environment()
    found = {}
    for name in MODULES:
        module = env.create("module", name)
        for command in module.commands.values():
            method = next(
                attribute
                for attribute in dir(type(module))
                if command.name in _names(getattr(type(module), attribute, None))
            )
            names = [one.name for one in command.parameters]
            found[name, command.name] = method, names
    return found


def _names(function):
    """Return the names of a command's method, none for others."""
    name = getattr(function, "__pyrave_command__", None)
    return () if name is None else (name, *function.__pyrave_also__)


def uses():
    """Return {(command or method, parameter or ""): names of tests}, in lower case."""
    found = defaultdict(set)
    for path in sorted(TESTS.glob("test_*.py")):
        for test in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
                for command, parameter in _given(test):
                    found[command.lower(), parameter.lower()].add(test.name)
    return found


def _given(test):
    """Yield (command or method, parameter) of calls and of texts in a test."""
    dictionaries = [
        key.value
        for node in ast.walk(test)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]
    texts = []
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            names = [one.arg for one in node.keywords]
            if None in names:  # **given, of a dictionary in the test
                names += dictionaries
            for name in ("", *filter(None, names)):
                yield node.func.attr, name
            for k, _ in enumerate(node.args):
                yield node.func.attr, f"#{k}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    words = re.findall(r"[A-Za-z_]\w*", " ".join(texts))
    named = {word for word in words if word[0].isupper() or word == "traj"}
    for command in named:
        for word in ("", *words):
            yield f"text {command}", word


def rows():
    """Yield (module, command, parameter, tests by keyword, tests by text)."""
    given = uses()
    for (module, command), (method, names) in commands().items():
        for k, name in enumerate(("", *names)):
            typed = given[method, name.lower()] | given[command.lower(), name.lower()]
            if name:
                typed = typed | given[method, f"#{k - 1}"]
            said = given[f"text {command.lower()}", name.lower()]
            yield module, command, name, sorted(typed), sorted(said)


if __name__ == "__main__":
    print("| module | command | parameter | tests by keyword | tests by text |")
    print("|---|---|---|---|---|")
    for *names, typed, said in rows():
        print("|", " | ".join([*names, ", ".join(typed), ", ".join(said)]), "|")
