"""Writing of descriptions to files, with reports of losses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from pyrave.environment.files.grabs import held_losses
from pyrave.environment.files.loader import including
from pyrave.environment.files.options import (
    LoadOptions,
    SaveKeywords,
    check_keywords,
    path_of,
)
from pyrave.errors import Problem, ResourceError

if TYPE_CHECKING:
    from os import PathLike

    from pyrave.environment.environment import Environment
    from pyrave.plugins import Registry
    from pyrave.scene import SceneDescription


def write(
    registry: Registry,
    scene: SceneDescription,
    target: Path,
    **options: Unpack[SaveKeywords],
) -> tuple[Problem, ...]:
    """Write a scene in the format that the target's suffix names.

    Returns
    -------
    tuple of Problem
        The losses: what the format could not say (see `pyrave.formats.output.losses`).

    Raises
    ------
    ResourceError
        The folder of the target is not there.
    SceneError, ArgumentError
        The format cannot say the scene, or there is none for the suffix.
    """
    from pyrave.formats.context import WriteContext
    from pyrave.formats.registry import with_mesh_scenes, write_scene

    # as the resolver: `..` before links, so that names fit what is read later
    target = Path(os.path.normpath(target.absolute()))
    if not os.path.isdir(target.parent):  # noqa: PTH112 - False, not an error
        hint = f"make this folder before {target.name} is saved in it"
        raise ResourceError(str(target.parent), hint=hint)
    # not confined: what bodies came from is read again to be compared, and goes nowhere
    context = WriteContext(
        relative_to=str(target.parent),
        reading=including(registry, LoadOptions(), frozenset()),
        offered=registry.ids,
        **options,
    )
    formats = with_mesh_scenes(registry.scene_formats(), registry.mesh_formats)
    return tuple(write_scene(scene, target, formats, context))


def save(
    env: Environment, target: str | PathLike[str], options: SaveKeywords
) -> tuple[str, ...]:
    """Write the present scene of an environment; return what is lost as texts."""
    check_keywords(options, SaveKeywords)
    path = path_of(target, "target")
    with env.internals.lock.hold():
        scene, held = env.describe(), held_losses(env)
    losses = write(env.registry, scene, path, **options)
    return (*map(str, losses), *held)
