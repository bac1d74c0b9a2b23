"""Writing a new plugin package that passes its own tests at once."""

from __future__ import annotations

import ast
import builtins
import datetime as dt
import keyword
import re
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError
from pyrave.files import write_file
from pyrave.plugins.contracts import resolve_type
from pyrave.plugins.discovery import normalize_name
from pyrave.plugins.templates import package_text, part_template, type_template

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyrave.plugins.templates.interface_class import TypeTemplate
    from pyrave.plugins.templates.package_part import PartTemplate

# a scene can have one of each only
_SINGLE = {"controller", "physicsengine", "collisionchecker"}
_TAKEN = {"pyrave", "numpy", "pytest", "tests", "hooks", "scenes"}
_NOTHING: Mapping[str, Sequence[str]] = {}
_WIDE = 88
_WORD = r"[A-Za-z][A-Za-z0-9_]*"


@dataclass(frozen=True, slots=True)
class PackageParts:
    """Parts of a new package besides interfaces.

    Parameters
    ----------
    scene_formats, mesh_formats
        Names of formats, which are also their suffixes.
    commands
        Names of commands of ``pyrave``.
    hooks
        Whether it has a module with hooks.
    data
        Whether it ships a robot.
    """

    scene_formats: Sequence[str] = ()
    mesh_formats: Sequence[str] = ()
    commands: Sequence[str] = ()
    hooks: bool = False
    data: bool = False


@dataclass(frozen=True, slots=True)
class _Item:
    """One interface to generate."""

    kind: str
    id: str
    snake: str
    template: TypeTemplate


@dataclass(frozen=True, slots=True)
class _Part:
    """One part to generate."""

    name: str
    template: PartTemplate
    names: Mapping[str, str] = field(default_factory=dict)


def new_plugin(
    name: str,
    interfaces: Mapping[str, Sequence[str]],
    target: Path,
    parts: PackageParts | None = None,
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
    parts
        What it offers besides.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    ArgumentError
        A name cannot be used or is taken by what is installed, or the folder holds
        something; nothing was written.
    """
    files = render_plugin(name, interfaces, parts)
    _refuse_taken(name, interfaces, parts or PackageParts())
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArgumentError(
            f"{target} exists already; choose another folder, nothing is overwritten"
        )
    written = []
    for relative, text in files.items():
        path = target / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
        written.append(path)
    return written


def render_plugin(
    name: str,
    interfaces: Mapping[str, Sequence[str]] = _NOTHING,
    parts: PackageParts | None = None,
) -> dict[str, str]:
    """Return the texts of a new package by path; see `new_plugin`."""
    distribution, package = _package_names(name)
    chosen = parts or PackageParts()
    items, others = _items(interfaces), _parts(chosen)
    if not (items or others or chosen.data):
        raise ArgumentError(
            "no interface was named; a package needs at least one, for example a "
            "sensor, or a format, a command, hooks or data"
        )
    _refuse_same_modules(package, items, others)
    description = _description(items, others, data=chosen.data)
    common = {
        "distribution": distribution,
        "package": package,
        "description": description,
        "year": str(dt.datetime.now(tz=dt.UTC).year),
    }
    source, scene = f"src/{package}", f"src/{package}/scenes/{package}.env.xml"
    files = {
        ".github/workflows/tests.yml": _fill(package_text("tests.yml"), common),
        ".gitignore": package_text("gitignore"),
        "CHANGELOG.md": _fill(package_text("CHANGELOG.md"), common),
        "LICENSE": _fill(package_text("LICENSE"), common),
        "pyproject.toml": _fill(
            package_text("pyproject.toml"),
            common,
            entry_points=_entry_points(items, others, package),
        ),
        "README.md": _readme(items, others, common, scene),
        f"{source}/__init__.py": _fill(
            package_text("__init__.py"),
            common,
            docstring=_docstring(description),
        ),
        f"{source}/py.typed": "",
        scene: _scene(items, common),
        "tests/conftest.py": _fill(package_text("conftest.py"), common),
        f"tests/test_{package}.py": _fill(package_text("test_package.py"), common),
    }
    for one in items:
        names = {**common, "id": one.id, "snake": one.snake}
        module, tests = one.template.module(one.kind), one.template.tests(one.kind)
        files[f"{source}/{one.snake}.py"] = _fill(module, names)
        files[f"tests/test_{package}_{one.snake}.py"] = _fill(tests, names)
    for part in others:
        names = {**common, **part.names}
        module = names["module"]
        files[f"{source}/{module}.py"] = _fill(part.template.module, names)
        files[f"tests/test_{package}_{module}.py"] = _fill(part.template.test, names)
    if chosen.data:
        robot = f"{source}/robots/{package}.robot.xml"
        files[robot] = _fill(package_text("robot.xml"), common)
        test = _fill(package_text("test_robot.py"), common)
        files[f"tests/test_{package}_robot.py"] = test
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


def _items(interfaces: Mapping[str, Sequence[str]]) -> list[_Item]:
    items: list[_Item] = []
    for interface_type, ids in interfaces.items():
        kind = resolve_type(interface_type)
        for one in ids:
            if not one.isidentifier() or keyword.iskeyword(one):
                raise ArgumentError(
                    f"the {kind} id {one!r} is not a Python class name, "
                    "for example 'MyLaser'"
                )
            template = type_template(kind)
            if one in _names_used(template.module(kind)):
                raise ArgumentError(
                    f"the {kind} id {one!r} would hide a name that its own module "
                    f"uses; choose another id, for example 'My{one}'"
                )
            items.append(_Item(kind, one, _snake(one), template))
    return items


def _parts(chosen: PackageParts) -> list[_Part]:
    named = (
        *(("scene_format", one) for one in chosen.scene_formats),
        *(("mesh_format", one) for one in chosen.mesh_formats),
        *(("command", one) for one in chosen.commands),
        *((("hooks", "hooks"),) if chosen.hooks else ()),
    )
    found = []
    for kind, name in named:
        word = name.lstrip(".") if kind.endswith("format") else name
        plain = word.replace("-", "_")
        if not re.fullmatch(_WORD, plain) or keyword.iskeyword(plain):
            raise ArgumentError(
                f"the {kind.replace('_', ' ')} {name!r} is not a word of letters, "
                "digits and '_', for example 'boxes'"
            )
        template = part_template(kind)
        snake = plain.lower()
        title = "".join(part.capitalize() for part in snake.split("_"))
        names = {
            "name": word.lower() if kind.endswith("format") else word,
            "class": f"{title}{template.ending.strip('_').capitalize()}",
            "snake": snake,
            "module": f"{snake}{template.ending}",
        }
        if kind.endswith("format") and plain != word:
            raise ArgumentError(
                f"the suffix {name!r} has a '-', which names of entry points groups "
                "may not have; write for example 'boxes'"
            )
        found.append(_Part(names["name"], template, names))
    return found


def _refuse_same_modules(
    package: str, items: Sequence[_Item], parts: Sequence[_Part]
) -> None:
    """Raise an error if two things would be in one module."""
    seen: dict[str, str] = {"hooks": "the hook module", "scenes": "the scenes' folder"}
    for item in items:
        if item.snake in seen or keyword.iskeyword(item.snake):
            raise ArgumentError(
                f"{item.id!r} would be in module {package}.{item.snake}, "
                f"as {seen.get(item.snake, 'a Python keyword')} is; choose another id"
            )
        seen[item.snake] = item.id
    del seen["hooks"]
    for part in parts:
        module = part.names["module"]
        if module in seen:
            raise ArgumentError(
                f"{part.name!r} would be in module {package}.{module}, as "
                f"{seen[module]} is; choose another name"
            )
        seen[module] = part.name


def _refuse_taken(
    name: str, interfaces: Mapping[str, Sequence[str]], parts: PackageParts
) -> None:
    """Raise an error for what another installed package offers already.

    A package of the same name counts as an older form of this one.
    """
    from pyrave.plugins.registry import default_registry

    registry, own = default_registry(), normalize_name(name)

    def refuse(what: str, one: str, owners: Sequence[str]) -> None:
        others = [owner for owner in owners if normalize_name(owner) != own]
        if others:
            raise ArgumentError(
                f"the {what} {one!r} is taken by {', '.join(others)}, which is "
                "installed; choose another name"
            )

    for interface_type, ids in interfaces.items():
        kind = resolve_type(interface_type)
        for one in ids:
            refuse(f"{kind} id", one, registry.distributions(kind, one))
    formats = (*registry.scene_formats(), *registry.mesh_formats())
    for one in (*parts.scene_formats, *parts.mesh_formats):
        suffix = f".{one.lstrip('.').lower()}"
        owners = [known.plugin for known in formats if suffix in known.suffixes]
        refuse("suffix", suffix, sorted(set(owners)))
    registry.cli_commands()
    for one in parts.commands:
        records = [known for known in registry.records() if one in known.commands]
        refuse("command", one, sorted({known.distribution for known in records}))


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


def _description(items: Sequence[_Item], parts: Sequence[_Part], *, data: bool) -> str:
    words = [f"{one.kind} {one.id}" for one in items]
    words += [f"{one.template.says} {one.name}" for one in parts if one.name != "hooks"]
    words += ["hooks"] if any(one.name == "hooks" for one in parts) else []
    text = ", ".join([*words, *(["a robot"] if data else [])])
    return text[0].upper() + text[1:]


def _docstring(description: str) -> str:
    """Return the text of a package's docstring, in lines of its width."""
    text = f"{description}."
    if len(text) + 6 <= _WIDE:
        return text
    return f"Parts for pyrave.\n\n{textwrap.fill(text, _WIDE)}\n"


def _entry_points(items: Sequence[_Item], parts: Sequence[_Part], package: str) -> str:
    groups: dict[str, list[str]] = {}

    def add(group: str, name: str, value: str) -> None:
        groups.setdefault(group, []).append(f'{name} = "{package}{value}"')

    for one in items:
        add(one.kind, one.id, f".{one.snake}:{one.id}")
    for part in parts:
        group, value = (
            _fill(text, part.names)
            for text in (part.template.group, part.template.value)
        )
        name = part.name if value else package
        target = f":{value}" if value else ""
        add(group, name, f".{part.names['module']}{target}")
    add("data", package, "")
    return "".join(
        f'[project.entry-points."pyrave.{group}"]\n' + "\n".join(lines) + "\n\n"
        for group, lines in groups.items()
    )


def _readme(
    items: Sequence[_Item],
    parts: Sequence[_Part],
    common: Mapping[str, str],
    scene: str,
) -> str:
    package = common["package"]
    rows = [
        f"| {one.kind} | `{one.id}` | `{package}.{one.snake}.{one.id}` |"
        for one in items
    ]
    rows += [
        f"| {one.template.says} | `{one.name}` | `{package}.{one.names['module']}` |"
        for one in parts
    ]
    rows.append(f"| data | `{package}` | `src/{package}` |")
    first = ""
    if items:
        kind, name = items[0].kind, items[0].id
        first = (
            '\nand names the ids in `type="..."`; a script with '
            f'`env.create("{kind}", "{name}")`'
        )
    use = f"pyrave run {scene} --steps 100\n" if items else ""
    return _fill(
        package_text("README.md"), common, table="\n".join(rows), use=use, first=first
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
    return _fill(
        package_text("scene.env.xml"), common, elements=elements, iksolver=solver
    )
