"""Finding the files that URDF names: packages, models, files and relative paths."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH100, PTH113, PTH118, PTH119, PTH120

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import OutsideRootsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave_urdf.reading import Reading

__all__ = ["Files"]

_PACKAGE = re.compile(r"(package|model)://+(.*)", re.IGNORECASE | re.DOTALL)
_MODELS = (
    *("GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH"),
    *("IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_RESOURCE_PATH"),
)
_MOST_PARENTS = 32
_NEAR = 4


class Files:
    """Finds the files that one document names. Belongs to one load.

    ``package://NAME/rest`` and ``model://NAME/rest`` are looked for in this order: the
    folders of ``package_dirs`` (each holds packages, or is one), ``ROS_PACKAGE_PATH``,
    ``AMENT_PREFIX_PATH/share`` (for models the paths of Gazebo), resource roots and
    data folders, then the file's own folder and those above it, which may hold the
    package or be it.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[str, tuple[str, bool]] = {}
        self._packages: dict[str, str] = {}
        self._folders: dict[str, tuple[str, ...]] = {}

    def find(self, name: str, element: Any, what: str) -> tuple[str, bool]:
        """Return the path of a file and True, or its name and False.

        What is missing or refused is reported once for each name.
        """
        known = self._found.get(name)
        if known is None:
            known = self._found[name] = self._find(name, element, what)
        return known

    def located(self, name: str) -> str | None:
        """Return the path of a package's file, None if there is none; not reported."""
        package = _PACKAGE.match(name)
        if package is None:
            return None
        try:
            return self._in_packages(package[1].lower(), package[2], name)
        except (ResourceError, SceneError):
            return None

    def _find(self, name: str, element: Any, what: str) -> tuple[str, bool]:
        reading = self._reading
        text = name.strip().replace("\\", "/")
        if "${" in text or "$(" in text:
            reading.error(
                element,
                "bad-uri",
                f"the {what} {name!r} is an expression of xacro",
                "expand the file, or load the .xacro with allow_code=True",
            )
            return name, False
        package = _PACKAGE.match(text)
        try:
            if package is None:
                return reading.context.resolver.resolve(
                    text, reading.folder, suggest=False
                ), True
            return self._in_packages(package[1].lower(), package[2], name), True
        except OutsideRootsError as problem:
            reading.error(element, "outside-roots", problem.message, problem.hint)
        except ResourceError as problem:
            hint = problem.hint
            if package is not None:
                first = package[2].partition("/")[0]
                hint = (
                    f"name the folder that holds the package {first!r} in "
                    "package_dirs (--package-dir), or set ROS_PACKAGE_PATH"
                )
            reading.warn(
                element, "missing-mesh", f"the {what} {name!r} is not there", hint
            )
        except SceneError as problem:
            reading.warn(
                element,
                "missing-mesh",
                f"the {what} {name!r} cannot be used: {problem.first.message}",
            )
        return name, False

    def _in_packages(self, scheme: str, path: str, written: str) -> str:
        package, _, rest = path.partition("/")
        rest = rest.lstrip("/")  # behind two slashes it still lies in the package
        if "\0" in path or not path:
            raise ResourceError(written)
        resolver = self._reading.context.resolver
        refused: str | None = None
        for folder in self._places(scheme, package):
            candidate = os.path.normpath(os.path.join(folder, rest))
            if not os.path.isfile(candidate):
                continue
            if resolver.allows(candidate):
                self._packages[scheme + package] = folder
                return candidate
            refused = refused or candidate
        if refused is not None:
            return resolver.resolve(refused)  # which says why not
        raise ResourceError(written)

    def _places(self, scheme: str, package: str) -> Iterator[str]:
        """Yield folders that may be the package, the one that was it before first."""
        before = self._packages.get(scheme + package)
        if before is not None:
            yield before
        for folder in self._roots(scheme):
            if os.path.basename(folder) == package:
                yield folder
            yield os.path.join(folder, package)
        for folder in self._above:
            if os.path.basename(folder) == package:
                yield folder
            yield os.path.join(folder, package)
        # a package may lie in a folder of another name
        yield from self._above[:_NEAR]

    @cached_property
    def _above(self) -> list[str]:
        """The file's own folder and those above it."""
        found = [os.path.abspath(self._reading.folder or os.getcwd())]  # noqa: PTH109
        while len(found) < _MOST_PARENTS and os.path.dirname(found[-1]) != found[-1]:
            found.append(os.path.dirname(found[-1]))
        return found

    def _roots(self, scheme: str) -> tuple[str, ...]:
        known = self._folders.get(scheme)
        if known is None:
            known = self._folders[scheme] = tuple(dict.fromkeys(self._listed(scheme)))
        return known

    def _listed(self, scheme: str) -> Iterator[str]:
        context = self._reading.context
        yield from context.package_dirs
        variables = _MODELS if scheme == "model" else ("ROS_PACKAGE_PATH",)
        for variable in variables:
            yield from _folders(variable)
        for prefix in _folders("AMENT_PREFIX_PATH"):
            yield os.path.join(prefix, "share")
        yield from context.resolver.search_folders()


def _folders(variable: str) -> Iterator[str]:
    for part in os.environ.get(variable, "").split(os.pathsep):
        if part:
            yield os.path.abspath(part)
