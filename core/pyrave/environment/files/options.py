"""Options of loading and saving: what callers give, and what it means."""

from __future__ import annotations

import errno
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import numpy as np

from pyrave.errors import (
    ArgumentError,
    ArgumentNameError,
    ResourceError,
    did_you_mean,
    shown,
)
from pyrave.formats.context import ACCELERATION_TIME
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from os import PathLike

    AnyPath = str | PathLike[str]
    """A path as a text or a `pathlib.Path`."""

Call = TypeVar("Call", bound=Callable[..., Any])


class ReadKeywords(TypedDict, total=False):
    """Keywords of `pyrave.read`; `Environment.load` says what they mean."""

    strict: bool
    resource_roots: AnyPath | Iterable[AnyPath]
    confine: bool
    name: str
    prefix: str
    attributes: Mapping[str, Any] | None
    package_dirs: AnyPath | Iterable[AnyPath]
    allow_code: bool
    arguments: Mapping[str, Any] | None
    fixed_base: bool
    joint_limits: AnyPath | None
    srdf_file: AnyPath | None
    acceleration_time: float


class LoadKeywords(ReadKeywords, total=False):
    """Keywords of `Environment.load`."""

    rename: bool
    plugin_paths: AnyPath | Iterable[AnyPath]


class SaveKeywords(TypedDict, total=False):
    """Keywords of `Environment.save`, which says what they mean."""

    expand: bool | None
    embed_meshes: bool
    body: str
    srdf: bool


class ConvertKeywords(ReadKeywords, SaveKeywords, total=False):
    """Keywords of `pyrave.convert`."""


_DEFAULTS: Mapping[str, Any] = {
    "resource_roots": (),
    "name": "",
    "prefix": "",
    "attributes": None,
    "package_dirs": (),
    "arguments": None,
    "plugin_paths": (),
    "expand": None,
    "body": None,
    "joint_limits": None,
    "srdf_file": None,
    "acceleration_time": ACCELERATION_TIME,
}


def shows_options(keywords: type[Any]) -> Callable[[Call], Call]:
    """Let the signature of a function name what its ``**options`` may be.

    Type checkers know that from ``Unpack``; this is for `help`, shells and the
    documentation.
    """

    def decorated(function: Call) -> Call:
        own = inspect.signature(function)
        *named, _ = own.parameters.values()
        options = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_DEFAULTS.get(name, False),
                annotation=getattr(kind, "__forward_arg__", kind),
            )
            for name, kind in keywords.__annotations__.items()
        ]
        signature = own.replace(parameters=[*named, *options])
        setattr(function, "__signature__", signature)  # noqa: B010 - it has no such field
        return function

    return decorated


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options for reading and adding a scene; see `Environment.load`."""

    strict: bool = False
    resource_roots: tuple[Path, ...] = ()
    rename: bool = False
    confine: bool = False
    plugin_paths: tuple[Path, ...] = ()
    name: str = ""
    prefix: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    package_dirs: tuple[Path, ...] = ()
    allow_code: bool = False
    arguments: Mapping[str, str] = field(default_factory=dict)
    fixed_base: bool = False
    joint_limits: Path | None = None
    srdf_file: Path | None = None
    acceleration_time: float = ACCELERATION_TIME

    @classmethod
    def parse(cls, given: Mapping[str, Any], keywords: type[Any]) -> LoadOptions:
        """Return options from keywords: paths in any form, one or several.

        Parameters
        ----------
        keywords
            The class that lists the keywords of the call.

        Raises
        ------
        ArgumentNameError
            A keyword is unknown.
        ArgumentError
            Something else than paths was given, or attributes or arguments are no
            texts, numbers, truth values or sequences of numbers.
        ResourceError
            A resource root or package folder is no folder.
        """
        check_keywords(given, keywords)
        return cls(
            **{
                name: _CONVERSIONS[name](value) if name in _CONVERSIONS else value
                for name, value in given.items()
            }
        )


def check_keywords(given: Mapping[str, Any], keywords: type[Any]) -> None:
    """Raise an error for an unknown keyword, or a switch that is no bool."""
    known = keywords.__annotations__
    for name, value in given.items():
        if name not in known:
            raise ArgumentNameError(
                f"unknown option {name!r}{did_you_mean(name, known)}; options: "
                f"{', '.join(known)}",
                name,
            )
        if name in _SWITCHES and not isinstance(value, bool):
            raise ArgumentError(f"{name} is {value!r}, expected True or False")


def path_of(value: Any, argument: str) -> Path:
    """Return a path argument as a Path; ArgumentError for anything else."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str) or not found:
        raise ArgumentError(
            f"{argument} is {value!r:.200}, expected a path: a text that is not empty, "
            "or a pathlib.Path"
        )
    try:
        path = Path(found).expanduser()
        path.exists()
    except RuntimeError as error:
        raise ArgumentError(f"{argument} is {found!r}: {error}") from None
    except OSError as error:
        # of what is wrong with a file its reader tells more
        if error.errno == errno.ENAMETOOLONG:
            raise ArgumentError(
                f"{argument} is {shown(found)}, of {len(found)} characters: too long "
                "for the name of a file"
            ) from None
    return path


def text_of(value: Any) -> str | bytes:
    """Return a scene given as text; ArgumentError for anything else."""
    if not isinstance(value, (str, bytes)):
        raise ArgumentError(
            f"the scene is a {type(value).__name__}, expected a text (str or bytes)"
        )
    return value


def _paths(given: Any, argument: str) -> tuple[Path, ...]:
    # a text is iterable too: its letters are no folders
    if isinstance(given, (str, os.PathLike)):
        given = (given,)
    if isinstance(given, (bytes, bytearray)) or not isinstance(given, Iterable):
        raise ArgumentError(
            f"{argument} is {given!r}, expected one path or a sequence of paths"
        )
    return tuple(path_of(path, f"a path in {argument}") for path in given)


def _folders(roots: tuple[Path, ...], what: str) -> tuple[Path, ...]:
    for root in roots:
        if not root.is_dir():
            hint = f"a {what} is a folder; make it, or correct its name"
            raise ResourceError(str(root), hint=hint)
    return roots


def _file(given: Any, argument: str) -> Path | None:
    if given is None:
        return None
    path = path_of(given, argument)
    if not path.is_file():
        raise ResourceError(str(path))
    return path


def _name(given: Any, argument: str) -> str:
    if not isinstance(given, str):
        raise ArgumentError(f"{argument} is {given!r}, expected a text")
    return given


def _attributes(given: Any, what: str) -> dict[str, str]:
    """Return attributes or arguments as a file writes them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(k, str) for k in given):
        raise ArgumentError(
            f"{what}s is {given!r}, expected a dict of names and values"
        )
    return {name: _attribute(name, value, what) for name, value in given.items()}


def _attribute(name: str, value: Any, what: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    try:
        numbers = [float(one) for one in (value if np.ndim(value) else [value])]
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{what} {name!r} is {value!r}, expected a text, a truth value, a "
            "number or a sequence of numbers"
        ) from None
    return " ".join(map(repr, numbers))


_SWITCHES = {
    *("strict", "confine", "allow_code", "rename", "embed_meshes", "srdf"),
    "fixed_base",
}
_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "resource_roots": lambda given: _folders(
        _paths(given, "resource_roots"), "resource root"
    ),
    "plugin_paths": lambda given: _paths(given, "plugin_paths"),
    "name": lambda given: _name(given, "name"),
    "prefix": lambda given: _name(given, "prefix"),
    "attributes": lambda given: _attributes(given, "attribute"),
    "package_dirs": lambda given: _folders(
        _paths(given, "package_dirs"), "folder of packages"
    ),
    "arguments": lambda given: _attributes(given, "argument"),
    "joint_limits": lambda given: _file(given, "joint_limits"),
    "srdf_file": lambda given: _file(given, "srdf_file"),
    "acceleration_time": lambda given: as_number(given, "acceleration_time", 1e-6, 1e6),
}
