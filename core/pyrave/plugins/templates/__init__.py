"""Templates of generated plugin packages: the files beside this module.

``package`` has the files of every package, ``types`` a folder for each interface type
(`TypeTemplate`), ``parts`` one for each other part (`PartTemplate`).
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pyrave.plugins.templates.interface_class import TemplateSetting, TypeTemplate
from pyrave.plugins.templates.package_part import PartTemplate

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def package_text(name: str) -> str:
    """Return the template of a file that every package has, by the file's name."""
    return _text(files(__name__) / "package", name)


def type_template(interface_type: str) -> TypeTemplate:
    """Return the template of an interface type."""
    folder = files(__name__) / "types" / interface_type
    settings = _table(folder / "settings.toml").get("setting", ())
    return TypeTemplate(
        _text(folder, "class.py"),
        _text(folder, "test.py"),
        _text(folder, "scene.xml") if (folder / "scene.xml.in").is_file() else "",
        tuple(TemplateSetting(**one) for one in settings),
    )


def part_template(kind: str) -> PartTemplate:
    """Return the template of a part: a format, a command or hooks."""
    folder = files(__name__) / "parts" / kind
    texts = _text(folder, "module.py"), _text(folder, "test.py")
    return PartTemplate(*texts, **_table(folder / "part.toml"))


def _text(folder: Traversable, name: str) -> str:
    return (folder / f"{name}.in").read_text("utf-8")


def _table(file: Traversable) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
