"""Short programs that show what OpenRAVE's examples show, on pyrave's own scenes.

Each module has ``run``; ``pyrave openrave --example NAME`` calls it, and the names are
those of OpenRAVE's examples.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence

from pyrave.errors import ArgumentError, did_you_mean

__all__ = ["names", "run"]


def names() -> list[str]:
    """Return the names of the examples."""
    found = (one.name for one in pkgutil.iter_modules(__path__))
    return sorted(name for name in found if not name.startswith("_"))


def run(name: str, args: Sequence[str] = ()) -> None:
    """Run an example with the words of a command line."""
    if name not in names():
        raise ArgumentError(
            f"there is no example {name!r}{did_you_mean(name, names())}"
        )
    importlib.import_module(f"{__name__}.{name}").run(args=[name, *args])
