"""The short forms: load a scene, read it, convert it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from pyrave.environment import Environment
from pyrave.environment.files.loader import read as read_file
from pyrave.environment.files.options import (
    ConvertKeywords,
    LoadKeywords,
    LoadOptions,
    ReadKeywords,
    SaveKeywords,
    check_keywords,
    path_of,
    shows_options,
)
from pyrave.environment.files.scene_names import KnownRobot
from pyrave.environment.files.scene_names import known_robots as robots_of
from pyrave.environment.files.writer import write
from pyrave.environment.problem_log import log_problems
from pyrave.plugins import default_registry

if TYPE_CHECKING:
    from os import PathLike

    from pyrave.plugins import Registry
    from pyrave.scene import SceneDescription


@shows_options(LoadKeywords)
def load(source: str | PathLike[str], **options: Unpack[LoadKeywords]) -> Environment:
    """Return a new environment with everything that a scene file says.

    Parameters
    ----------
    source
        Path of a scene, or its name in a resource root or an installed data package;
        such as ``"scenes/demo.env.xml"``; or the name of a scene, of an object or of a
        robot alone: ``"demo"``, ``"mug"``, ``"heron7"``, see `known_robots`.
    **options
        As for `Environment.load`: ``strict``, ``resource_roots``, ``confine``, ...

    Raises
    ------
    SceneError
        With every problem found.
    ResourceError
        There is no such file.
    """
    env = Environment()
    env.load(source, **options)
    return env


@shows_options(LoadKeywords)
def load_string(text: str | bytes, **options: Unpack[LoadKeywords]) -> Environment:
    """Return a new environment with everything that a scene text says."""
    env = Environment()
    env.load_string(text, **options)
    return env


@shows_options(ReadKeywords)
def read(
    source: str | PathLike[str], **options: Unpack[ReadKeywords]
) -> SceneDescription:
    """Return the description of a scene file; no environment is made.

    Options are those of `Environment.load` but ``rename`` and ``plugin_paths``.
    """
    chosen = LoadOptions.parse(options, ReadKeywords)
    scene = read_file(default_registry(), path_of(source, "source"), chosen)
    log_problems(scene.problems, "the description's problems")
    return scene


@shows_options(ConvertKeywords)
def convert(
    source: str | PathLike[str],
    target: str | PathLike[str],
    **options: Unpack[ConvertKeywords],
) -> tuple[str, ...]:
    """Read a scene file and write it in the format of the target's suffix.

    Options are those of `read` and of `Environment.save`.

    Returns
    -------
    tuple of str
        What the target's format could not express.
    """
    reading: dict[str, Any] = dict(options)
    check_keywords(reading, ConvertKeywords)
    names = reading.keys() & SaveKeywords.__annotations__.keys()
    saving: Any = {name: reading.pop(name) for name in names}
    scene = read(source, **reading)
    path = path_of(target, "target")
    losses = write(default_registry(), scene, path, **saving)
    return tuple(map(str, losses))


def registry() -> Registry:
    """Return the registry of the installed plugins of this process."""
    return default_registry()


def known_robots() -> tuple[KnownRobot, ...]:
    """Return the robots that `load` knows by name, those first that are here.

    Robots of installed packages come before those that ship as kinematics only. Nothing
    is read or downloaded.
    """
    return robots_of(default_registry())
