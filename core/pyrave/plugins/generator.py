"""Writing a new plugin package that passes its own tests at once."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError
from pyrave.plugins.contracts import resolve_type
from pyrave.plugins.discovery import normalize_name
from pyrave.plugins.templates import package as texts
from pyrave.plugins.templates import template_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyrave.plugins.templates.base import TypeTemplate

# a scene can have one of each only
_SINGLE = {"controller", "physicsengine", "collisionchecker"}
_TAKEN = {"pyrave", "numpy", "pytest", "tests", "hooks", "scenes"}


@dataclass(frozen=True, slots=True)
class _Item:
    """One interface to generate."""

    kind: str
    id: str
    snake: str
    template: TypeTemplate


def new_plugin(
    name: str, interfaces: Mapping[str, Sequence[str]], target: Path
) -> list[Path]:
    """Write a pip-installable package of plugins.

    Parameters
    ----------
    name
        Name of the distribution, for example ``"my-laser"``.
    interfaces
        Interface type -> ids; each id becomes a class of that name, which none of the
        names may be that its module uses.
    target
        Folder to write, for example ``Path("my-laser")``; must be new or empty.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    ArgumentError
        A name cannot be used, or the folder holds something; nothing was written.
    """
    files = render_plugin(name, interfaces)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArgumentError(
            f"{target} exists already; choose another folder, nothing is overwritten"
        )
    written = []
    for relative, text in files.items():
        path = target / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def render_plugin(name: str, interfaces: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the texts of a new package by path; see `new_plugin`."""
    distribution, package = _package_names(name)
    items = _items(interfaces, package)
    common = {
        "distribution": distribution,
        "package": package,
        "description": _description(items),
    }
    source, scene = f"src/{package}", f"src/{package}/scenes/{package}.env.xml"
    files = {
        "pyproject.toml": _fill(
            texts.PYPROJECT, common, entry_points=_entry_points(items, package)
        ),
        "README.md": _fill(
            texts.README,
            common,
            table="\n".join(
                f"| {one.kind} | `{one.id}` | `{package}.{one.snake}.{one.id}` |"
                for one in items
            ),
            first_type=items[0].kind,
            first_id=items[0].id,
        ),
        f"{source}/__init__.py": _fill(texts.INIT, common),
        f"{source}/py.typed": "",
        scene: _scene(items, common),
        "tests/conftest.py": _fill(texts.CONFTEST, common),
        f"tests/test_{package}.py": _fill(texts.TEST_PACKAGE, common),
    }
    for one in items:
        names = {**common, "id": one.id, "snake": one.snake}
        module, tests = one.template.module(one.kind), one.template.tests(one.kind)
        files[f"{source}/{one.snake}.py"] = _fill(module, names)
        files[f"tests/test_{package}_{one.snake}.py"] = _fill(tests, names)
    readers = [one for one in items if one.template.settings]
    if readers:
        files[f"{source}/hooks.py"] = _hooks(readers, common)
    return files


def _fill(text: str, names: Mapping[str, str], **more: str) -> str:
    for key, value in {**names, **more}.items():
        text = text.replace(f"@{key}@", value)
    return text


def _package_names(name: str) -> tuple[str, str]:
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", name):
        raise ArgumentError(
            f"{name!r} is not a package name; expected letters, digits, '-' and '_', "
            "for example 'my-laser'"
        )
    package = normalize_name(name).replace("-", "_")
    if not package.isidentifier() or keyword.iskeyword(package):
        raise ArgumentError(
            f"{name!r} gives the Python package {package!r}, which is not a valid name"
        )
    if package in _TAKEN or package in sys.stdlib_module_names:
        raise ArgumentError(
            f"{name!r} would hide the Python module {package!r}; choose another name"
        )
    return name, package


def _items(interfaces: Mapping[str, Sequence[str]], package: str) -> list[_Item]:
    items: list[_Item] = []
    for interface_type, ids in interfaces.items():
        kind = resolve_type(interface_type)
        for one in ids:
            if not one.isidentifier() or keyword.iskeyword(one):
                raise ArgumentError(
                    f"the {kind} id {one!r} is not a Python class name, "
                    "for example 'MyLaser'"
                )
            template = template_of(kind)
            if one in _names_used(template.module(kind)):
                raise ArgumentError(
                    f"the {kind} id {one!r} would hide a name that its own module "
                    f"uses; choose another id, for example 'My{one}'"
                )
            items.append(_Item(kind, one, _snake(one), template))
    if not items:
        raise ArgumentError(
            "no interface was named; a package needs at least one, for example a sensor"
        )
    seen: dict[str, str] = {"hooks": "the hook module", "scenes": "the scenes' folder"}
    for item in items:
        if item.snake in seen or keyword.iskeyword(item.snake):
            raise ArgumentError(
                f"{item.id!r} would be in module {package}.{item.snake}, "
                f"as {seen.get(item.snake, 'a Python keyword')} is; choose another id"
            )
        seen[item.snake] = item.id
    return items


def _names_used(module: str) -> set[str]:
    """Return the global names of a template's module, and the builtins it uses."""
    tree = ast.parse(re.sub(r"@(\w+)@", r"\1", module))
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found = read & vars(builtins).keys()
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {one.id for one in node.targets if isinstance(one, ast.Name)}
    return found - {"id"}


def _snake(name: str) -> str:
    """Return ``my_laser2d`` for ``MyLaser2D``."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", name)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", text).lower()


def _description(items: Sequence[_Item]) -> str:
    text = ", ".join(f"{one.kind} {one.id}" for one in items)
    return text[0].upper() + text[1:]


def _entry_points(items: Sequence[_Item], package: str) -> str:
    groups: dict[str, list[str]] = {}
    for one in items:
        line = f'{one.id} = "{package}.{one.snake}:{one.id}"'
        groups.setdefault(one.kind, []).append(line)
    if any(one.template.settings for one in items):
        groups["plugins"] = [f'{package} = "{package}.hooks"']
    groups["data"] = [f'{package} = "{package}"']
    return "".join(
        f'[project.entry-points."pyrave.{group}"]\n' + "\n".join(lines) + "\n\n"
        for group, lines in groups.items()
    )


def _scene(items: Sequence[_Item], common: Mapping[str, str]) -> str:
    elements, solver, used = "", "", set()
    for one in items:
        if one.kind in _SINGLE and one.kind in used:
            continue
        used.add(one.kind)
        elements += _fill(one.template.scene, {"id": one.id, "snake": one.snake})
        if one.kind == "iksolver" and not solver:
            solver = f"      <iksolver>{one.id}</iksolver>\n"
    return _fill(texts.SCENE, common, elements=elements, iksolver=solver)


def _hooks(readers: Sequence[_Item], common: Mapping[str, str]) -> str:
    package = common["package"]
    modules = sorted(one.snake for one in readers)
    imports = [f"    from {package} import {', '.join(modules)}"]
    if len(imports[0]) > 88:
        imports = [f"    from {package} import (", *(f"        {m}," for m in modules)]
        imports.append("    )")
    lines = [
        f'        ("{one.kind}", {one.snake}.TAG, {one.snake}.read_settings),'
        for one in readers
    ]
    return _fill(
        texts.HOOKS, common, imports="\n".join(imports), readers="\n".join(lines)
    )
