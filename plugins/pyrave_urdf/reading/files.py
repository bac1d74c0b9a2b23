"""The files that URDF names: those of packages, URIs and relative paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import OutsideRootsError
from pyrave_urdf.packages import Packages

if TYPE_CHECKING:
    from pyrave_urdf.reading.load import UrdfReading


class Files:
    """Finds the files that one document names. Belongs to one load."""

    def __init__(self, reading: UrdfReading) -> None:
        self._reading = reading
        self._packages = Packages(reading.context, reading.folder)
        self._found: dict[str, tuple[str, bool]] = {}

    def find(self, name: str, element: Any, what: str) -> tuple[str, bool]:
        """Return the path of a file and True, or its name and False.

        What is missing or refused is reported once for each name.
        """
        known = self._found.get(name)
        if known is None:
            path = self._path(name, element, what)
            known = (name, False) if path is None else (path, True)
            self._found[name] = known
        return known

    def _path(self, name: str, element: Any, what: str) -> str | None:
        reading = self._reading
        text = name.strip().replace("\\", "/")
        is_expression = "${" in text or "$(" in text
        package = Packages.package_of(text)
        try:
            if package is not None:
                return self._packages.path(text)
            return reading.context.resolver.resolve(text, reading.folder, suggest=False)
        except OutsideRootsError as problem:
            reading.error(element, "outside-roots", problem.message, problem.hint)
        except ResourceError as problem:
            hint = problem.hint
            if is_expression:
                hint = (
                    "it looks like an expression of xacro: expand the file, or load "
                    "the .xacro with allow_code=True"
                )
            elif package is not None:
                hint = (
                    f"name the folder that holds the package {package!r} in "
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
        return None
