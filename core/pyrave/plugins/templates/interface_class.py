"""Templates of interface types, and how the source of a class is made of one."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.plugins.contracts import BASE_CLASSES, interface_base

if TYPE_CHECKING:
    from collections.abc import Iterable

# where names of a generated module come from, the first that has the name
_STANDARD = ("collections.abc", "typing")
_PACKAGES = (
    *_STANDARD,
    "numpy.typing",
    "pyrave.authoring",
    "pyrave.bodies",
    "pyrave.ik",
    "pyrave.interfaces",
    "pyrave.sensing",
    "pyrave.spatial",
    "pyrave.trajectories",
    "pyrave",
    "pyrave.testing",
    "pyrave.ik.parameterization",
)
_BASES = (
    "pyrave.interfaces",
    "pyrave.authoring",
    "pyrave.bodies",
    "pyrave.collision",
)
_MODULES = {"copy", "dataclasses", "math", "sys", "threading", "time", "weakref"}

# what can be set about a class
_SETTINGS = '''@dataclasses.dataclass(frozen=True)
class Settings@base@:
    """Settings of `@id@`.

    They are given by keyword in Python, as elements and words in files.
    """

@fields@


'''
# names have lines of their own: no line gets long by several of them
_TESTS = """NAME = "@id@"


class Test@id@(@contract@):
    interface = f"@distribution@:{NAME}"


"""
_WIDE = 88


@dataclass(frozen=True, slots=True)
class TemplateSetting:
    """A setting of a template's class, a positive number."""

    name: str
    default: float
    help: str
    unit: str

    @property
    def source(self) -> str:
        """The field that declares it."""
        inner = f'{self.default}, "{self.help}", unit="{self.unit}", above=0.0'
        line = f"    {self.name}: float = setting({inner})"
        if len(line) <= _WIDE:
            return line
        return f"    {self.name}: float = setting(\n        {inner}\n    )"


@dataclass(frozen=True, slots=True)
class TypeTemplate:
    """Texts for one interface type.

    ``@id@`` stands for the interface id (the class's name), ``@snake@`` for the name of
    its module, ``@package@`` and ``@distribution@`` for the package.

    Parameters
    ----------
    source
        The class, and functions that it needs. A line ``@override@ name`` stands for
        signature and docstring of that method in the base class of the type; imports
        are found by the names in use.
    test
        Tests of its behaviour; `scene`, a fixture, gives an environment.
    scene
        Element of the scene file; empty if a scene has no place for the type.
    settings
        What can be set.
    """

    source: str
    test: str
    scene: str = ""
    settings: tuple[TemplateSetting, ...] = ()

    def module(self, kind: str) -> str:
        """Return the source of a module with the class of an interface type."""
        text = self.source
        base = _base_of(text, interface_base(kind))
        text = re.sub(r" *@override@ (\w+)", lambda m: _override(base, m[1]), text)
        if self.settings:
            fields = "\n".join(one.source for one in self.settings)
            parent = "(SensorGeometry)" if kind == "sensor" else ""
            head = _SETTINGS.replace("@fields@", fields).replace("@base@", parent)
            text = head + text
        return f'"""The {kind} @id@."""\n\n{_with_imports(text)}'

    def tests(self, kind: str) -> str:
        """Return a test module: the contract of the type, and the behaviour."""
        contract = BASE_CLASSES[kind].removesuffix("Base") + "Contract"
        text = _with_imports(_TESTS.replace("@contract@", contract) + self.test)
        return f'"""`@id@` keeps its contract, and works."""\n\n{text}'


def _base_of(text: str, otherwise: type) -> type:
    """Return the class that the template's class derives from."""
    found = re.search(r"^class @id@\((\w+)", text, re.MULTILINE)
    homes = (importlib.import_module(one) for one in _BASES)
    every = (getattr(home, found[1], None) for home in homes if found)
    return next((one for one in every if isinstance(one, type)), otherwise)


def _override(base: type, name: str) -> str:
    """Return signature and docstring of a method, as they stand in its class."""
    source = textwrap.dedent(inspect.getsource(getattr(base, name)))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)  # noqa: S101 - for the type checker
    end = function.body[0].lineno - 1
    if ast.get_docstring(function) is not None:
        end = function.body[0].end_lineno or end
    lines = source.splitlines()[function.lineno - 1 : end]
    return textwrap.indent("\n".join(lines), "    ", lambda line: bool(line.strip()))


def _with_imports(text: str) -> str:
    """Return a module's text after the imports of all names that it uses."""
    plain = text.replace("@id@", "Id_").replace("@snake@", "snake")
    nodes = list(ast.walk(ast.parse(plain)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {
        node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }
    used = {node.id for node in names} - bound
    homes: dict[str, set[str]] = {}
    for name in used - _MODULES - {"np"}:
        home = next((one for one in _PACKAGES if _offers(one, name)), None)
        if home is not None:
            homes.setdefault(home, set()).add(name)
    standard = [f"import {name}" for name in sorted(used & _MODULES)]
    standard += _from_imports(homes, _STANDARD)
    other = ["import numpy as np"] if "np" in used else []
    other += ["import pyrave"] if "pyrave" in used else []
    other += _from_imports(homes, sorted(homes.keys() - {*_STANDARD}))
    blocks = [["from __future__ import annotations"], standard, other]
    head = "\n\n".join("\n".join(block) for block in blocks if block)
    gap = "\n\n\n" if re.match(r"class |def |@", text) else "\n\n"
    return head + gap + text


def _offers(module: str, name: str) -> bool:
    found = importlib.import_module(module)
    return name in getattr(found, "__all__", ()) or (
        module == _PACKAGES[-1] and hasattr(found, name)
    )


def _from_imports(homes: dict[str, set[str]], modules: Iterable[str]) -> list[str]:
    """Return import statements, sorted and broken as formatters do."""
    lines = []
    for module in (one for one in modules if one in homes):
        names = sorted(
            homes[module], key=lambda n: (not n.isupper(), n[0].islower(), n)
        )
        line = f"from {module} import {', '.join(names)}"
        if len(line) > 88:
            line = (
                f"from {module} import (\n"
                + "".join(f"    {n},\n" for n in names)
                + ")"
            )
        lines.append(line)
    return lines
