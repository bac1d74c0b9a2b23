"""Scenes and robots by name: ``pyrave.load("ur5")``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.errors import PluginError, ResourceError, nearest

if TYPE_CHECKING:
    from pyrave.formats.resolver import Resolver
    from pyrave.plugins import Registry

# without a dot it has no suffix, and without a slash it is in no folder
_NAME = re.compile(r"[A-Za-z0-9_][\w-]*")
_ARMS = "robots/arms"
_PLACES = {
    "robots": ".robot.xml",
    "scenes": ".env.xml",
    "objects": ".kinbody.xml",
    _ARMS: ".robot.xml",
}
_KINEMATICS_ONLY = "kinematics only: it collides with nothing, and has no masses"


@dataclass(frozen=True, slots=True)
class KnownRobot:
    """A robot that `pyrave.load` knows by name.

    Parameters
    ----------
    name
        What to load.
    source
        The package that has it.
    file
        What is loaded; None if it is not here.
    note
        What is to be known: that it has no geometry, or how to get its file.
    """

    name: str
    source: str
    file: Path | None
    note: str = ""


def known_robots(registry: Registry) -> tuple[KnownRobot, ...]:
    """Return the robots that are loaded by name, those first that are here.

    A name is there once, for what is loaded. Nothing is read or downloaded.
    """
    found: dict[str, KnownRobot] = {}
    for one in _robots(registry, confined=False):
        if one.name not in found or found[one.name].file is None:
            found[one.name] = one
    return tuple(sorted(found.values(), key=lambda one: one.file is None))


def located(registry: Registry, source: Path, resolver: Resolver) -> Path:
    """Return the file that a source means: a path, or the name of a robot or scene.

    Names are those of files in data packages without their endings, and those that
    hooks `pyrave_robots` know, unless files are confined. Arms of data packages come
    last, since they are kinematics only. A folder has no part in it, a file of that
    very name goes first.

    Raises
    ------
    ResourceError
        A name is not known, or its file is not there; says near names.
    """
    name = str(source)
    if not _NAME.fullmatch(name) or source.is_file() or resolver.find(name):
        return source
    for place in _PLACES:
        if place != _ARMS and name in (shipped := _shipped(registry, place)):
            return shipped[name]
    names: list[str] = []
    hint = "it is a folder; name a file in it" if source.is_dir() else ""
    for robot in _robots(registry, confined=bool(resolver.confine)):
        if robot.name == name and robot.file is not None:
            return robot.file
        if robot.name == name:
            hint = hint or robot.note
        names.append(robot.name)
    others = [one for place in _PLACES for one in _shipped(registry, place)]
    near: str | None = "" if resolver.confine else _file_called(name, registry)
    near = near or nearest(name, (*others, *names))
    way = f"did you mean {near!r}?" if near else "`pyrave robots` lists those known"
    raise ResourceError(name, hint=hint or f"no robot has that name either; {way}")


def _file_called(name: str, registry: Registry) -> str:
    """Return the scene file of the working directory that is called so but for its end.

    Empty if there is none.
    """
    ends = {end for one in registry.scene_formats() for end in one.suffixes}
    beside = Path().glob(f"{name}.*")
    return min(
        (p.name for p in beside if p.name.removeprefix(name) in ends), default=""
    )


def _robots(registry: Registry, *, confined: bool) -> Iterator[KnownRobot]:
    """Yield all robots in the order in which names are looked for."""
    for name, path in _shipped(registry, "robots").items():
        yield KnownRobot(name, _package(registry, path), path)
    for catalogue, function in () if confined else registry.robot_catalogues():
        for name, place in _asked(catalogue, function).items():
            here = isinstance(place, Path)
            yield KnownRobot(
                name,
                catalogue,
                Path(place) if here else None,
                "" if here else str(place),
            )
    for name, path in _shipped(registry, _ARMS).items():
        yield KnownRobot(name, _package(registry, path), path, _KINEMATICS_ONLY)


def _package(registry: Registry, path: Path) -> str:
    """Return the name of the data package that has a file."""
    return next(
        folder.name for folder in registry.data_folders() if folder in path.parents
    )


def _shipped(registry: Registry, place: str) -> dict[str, Path]:
    """Return the files at a place of data packages by name."""
    found: dict[str, Path] = {}
    ending = _PLACES[place]
    for folder in registry.data_folders():
        for path in sorted((folder / place).glob(f"*{ending}")):
            found.setdefault(path.name.removesuffix(ending), path)
    return found


def _asked(name: str, catalogue: Any) -> Mapping[str, Path | str]:
    """Return the names in a plugin's catalogue."""
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
