"""Every problem code and exception class is in the error catalogue, and no other."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from pathlib import Path

import pytest

from pyrave import errors
from pyrave.formats import LOSS_KINDS

_ROOT = Path(__file__).parents[2]
_PAGE = _ROOT / "docs" / "reference" / "errors.md"
_CODE = re.compile(r"[a-z]+(-[a-z]+)+")
_REPORTERS = re.compile(
    r"error|warn|refus|problem|report|fail|bad|missing|invalid|note|tell"
)
# names of formats and packages in calls of such functions
_NOT_CODES = frozenset({"openrave-xml"})


def _called(node: ast.Call) -> str:
    function = node.func
    return getattr(function, "attr", getattr(function, "id", "")).lower()


def _branches(value: ast.expr) -> list[ast.expr]:
    return [value.body, value.orelse] if isinstance(value, ast.IfExp) else []


def _codes_of(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            values = [k.value for k in node.keywords if k.arg == "code"]
            if _called(node) == "refusal":  # of `SceneError`
                values += node.args[:1]
            found |= {
                v.value
                for value in values
                for v in (value, *_branches(value))
                if isinstance(v, ast.Constant) and isinstance(v.value, str)
            }
            if _REPORTERS.search(_called(node)):
                found |= {
                    a.value
                    for a in node.args
                    if isinstance(a, ast.Constant)
                    and isinstance(a.value, str)
                    and _CODE.fullmatch(a.value)
                }
        elif isinstance(node, ast.FunctionDef):
            names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            defaults = [*node.args.defaults, *node.args.kw_defaults]
            if "code" in names:
                found |= {
                    d.value
                    for d in defaults
                    if isinstance(d, ast.Constant)
                    and isinstance(d.value, str)
                    and _CODE.fullmatch(d.value)
                }
    return found - _NOT_CODES - {""}


@functools.cache
def used_codes() -> dict[str, list[str]]:
    """Return each code with the files that report it."""
    used: dict[str, list[str]] = {}
    for folder in ("core", "plugins"):
        for path in sorted((_ROOT / folder).rglob("*.py")):
            if "templates" in path.parts:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for code in _codes_of(tree):
                used.setdefault(code, []).append(str(path.relative_to(_ROOT)))
    for code in LOSS_KINDS:  # codes are the kinds of losses
        used.setdefault(code, []).append("core/pyrave/formats/output/losses.py")
    return used


def catalogued_codes() -> set[str]:
    """Return the codes in the first column of the catalogue's tables."""
    text = _PAGE.read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([a-z][a-z-]*)` \|", text, re.MULTILINE))


def test_every_code_is_explained():
    used = used_codes()
    missing = {c: places for c, places in used.items() if c not in catalogued_codes()}
    assert not missing, f"codes that {_PAGE.name} does not explain: {missing}"


def test_no_code_is_explained_that_nobody_reports():
    extra = catalogued_codes() - set(used_codes())
    assert not extra, f"{_PAGE.name} explains codes that nothing reports: {extra}"


def test_the_search_finds_all_ways_to_give_a_code():
    source = """
Problem(severity, "text", code="by-keyword")
scope.error(element, "by-place", "message")
def report(message, *, code="by-default"): ...
SceneError.refusal("first", "text")
print("not-a-code")
"""
    assert _codes_of(ast.parse(source)) == {
        *("by-keyword", "by-place", "by-default", "first")
    }


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.Error)
    ],
)
def test_every_exception_is_explained(name):
    assert f"`{name}`" in _PAGE.read_text(encoding="utf-8")
