"""The short forms: load a scene, read it, convert it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.environment import Environment
from pyrave.environment.loading import LoadOptions, path_of
from pyrave.environment.loading import read as read_file
from pyrave.environment.saving import SaveOptions, write
from pyrave.plugins import default_registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from pyrave.plugins import Registry
    from pyrave.scene import SceneDescription


def load(source: str | PathLike[str], **options: Any) -> Environment:
    """Return a new environment with everything that a scene file says.

    Parameters
    ----------
    source
        Path of a scene, or its name in a resource root or an installed data package.
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


def load_string(text: str | bytes, **options: Any) -> Environment:
    """Return a new environment with everything that a scene text says."""
    env = Environment()
    env.load_string(text, **options)
    return env


def read(
    source: str | PathLike[str],
    *,
    strict: bool = False,
    resource_roots: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    confine: bool = False,
    attributes: Mapping[str, Any] | None = None,
    package_dirs: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    allow_code: bool = False,
    arguments: Mapping[str, Any] | None = None,
) -> SceneDescription:
    """Return the description of a scene file; no environment is made."""
    options = LoadOptions.of(
        resource_roots,
        (),
        attributes,
        package_dirs=package_dirs,
        arguments=arguments,
        strict=strict,
        confine=confine,
        allow_code=allow_code,
    )
    return read_file(default_registry(), path_of(source, "source"), options)


def convert(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    strict: bool = False,
    resource_roots: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    confine: bool = False,
    expand: bool | None = None,
    embed_meshes: bool = False,
    body: str = "",
    srdf: bool = False,
    **reading: Any,
) -> tuple[str, ...]:
    """Read a scene file and write it in the format of the target's suffix.

    Parameters
    ----------
    expand, embed_meshes, body, srdf
        As for `Environment.save`.
    **reading
        Further options of `read`: ``package_dirs``, ``allow_code``, ``arguments``.

    Returns
    -------
    tuple of str
        What the target's format could not express.
    """
    scene = read(
        source,
        strict=strict,
        resource_roots=resource_roots,
        confine=confine,
        **reading,
    )
    options = SaveOptions(expand, embed_meshes, body, srdf)
    losses = write(default_registry(), scene, path_of(target, "target"), options)
    return tuple(map(str, losses))


def registry() -> Registry:
    """Return the registry of the installed plugins of this process."""
    return default_registry()
