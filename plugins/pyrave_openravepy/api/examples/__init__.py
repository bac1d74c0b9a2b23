"""Short programs that show what OpenRAVE's examples show, on pyrave's own scenes.

Each module has ``run``; ``pyrave openrave --example NAME`` calls it, and the names are
those of OpenRAVE's examples. Each checks what it shows, and ends with a message and
exit code 1 if it does not hold.

``arms``, ``grasps``, ``motions``, ``sights``, ``worlds``, ``programs``
    Folders of them; scripts import all from here: ``openravepy.examples.hanoi``.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path

from pyrave.errors import ArgumentError, did_you_mean

__all__ = ["names", "run", "texts"]

__path__ += [str(one.parent) for one in sorted(Path(__path__[0]).glob("*/__init__.py"))]


def names() -> list[str]:
    """Return the names of the examples."""
    return sorted(texts())


def texts() -> dict[str, str]:
    """Return the first line of each example by its name, without importing it."""
    found = {}
    for folder in __path__[1:]:
        for one in pkgutil.iter_modules([folder]):
            if one.name.startswith("_"):
                continue
            source = Path(folder, f"{one.name}.py").read_text("utf-8")
            text = ast.get_docstring(ast.parse(source)) or ""
            found[one.name] = text.partition("\n")[0]
    return found


def run(name: str, args: Sequence[str] = ()) -> None:
    """Run an example with the words of a command line."""
    if name not in names():
        raise ArgumentError(
            f"there is no example {name!r}{did_you_mean(name, names())}"
        )
    importlib.import_module(f"{__name__}.{name}").run(args=[name, *args])
