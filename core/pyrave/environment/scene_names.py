"""Scenes and robots by name: ``pyrave.load("ur5")``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.errors import PluginError, ResourceError, nearest

if TYPE_CHECKING:
    from pyrave.formats.resolver import Resolver
    from pyrave.plugins import Registry

# without a dot it has no suffix, and without a slash it is in no folder
_NAME = re.compile(r"[A-Za-z0-9_][\w-]*")
_PLACES = {
    "robots/arms": ".robot.xml",
    "robots": ".robot.xml",
    "scenes": ".env.xml",
    "objects": ".kinbody.xml",
}


def located(registry: Registry, source: Path, resolver: Resolver) -> Path:
    """Return the file that a source means: a path, or the name of a robot or scene.

    Names are those of files in data packages without their endings, arms first, then
    those that hooks `pyrave_robots` know, unless files are confined. A folder has no
    part in it, a file of that very name goes first.

    Raises
    ------
    ResourceError
        A name is not known, or its file is not there; says near names.
    """
    name = str(source)
    if not _NAME.fullmatch(name) or source.is_file() or resolver.find(name):
        return source
    shipped = _shipped(registry)
    if name in shipped:
        return shipped[name]
    known: dict[str, Path | str] = {}
    for catalogue in () if resolver.confine else registry.robot_catalogues():
        for robot, place in _asked(*catalogue).items():
            if robot not in known or isinstance(known[robot], str):
                known[robot] = place
    found = known.get(name)
    if isinstance(found, Path):
        return found
    near = nearest(name, (*shipped, *known))
    hint = f"did you mean {near!r}?" if near else "`pyrave ik` lists arms that ship"
    raise ResourceError(name, hint=found or f"no robot has that name either; {hint}")


def _shipped(registry: Registry) -> dict[str, Path]:
    """Return files of data packages by name, arms first."""
    found: dict[str, Path] = {}
    for place, ending in _PLACES.items():
        for folder in registry.data_folders():
            for path in sorted((folder / place).glob(f"*{ending}")):
                found.setdefault(path.name.removesuffix(ending), path)
    return found


def _asked(name: str, catalogue: Any) -> Mapping[str, Path | str]:
    """Return what a catalogue of a plugin knows."""
    try:
        found = catalogue()
    except Exception as error:
        raise PluginError(
            f"the robots of {name!r} cannot be listed: {error}"
        ) from error
    if not isinstance(found, Mapping):
        raise PluginError(
            f"the robots of {name!r} are a {type(found).__name__}, expected a mapping"
        )
    return found
