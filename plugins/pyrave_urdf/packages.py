"""Folders of the packages in ``package://`` and ``model://`` names."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH100, PTH109, PTH112, PTH113, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import re
from collections import deque
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import parse_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyrave.formats import ReadContext

_NAME = re.compile(r"(package|model)://+([^/]*)(.*)", re.IGNORECASE | re.DOTALL)
_MODELS = (
    *("GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH"),
    *("IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_RESOURCE_PATH"),
)
_MAX_PARENTS = 32
_NEAR = 4
_MANIFEST = "package.xml"
_MANIFEST_BYTES = 1 << 16
_MAX_FOLDERS = 2000
_MAX_ENTRIES = 2000
_DEPTH, _DEPTH_NEAR = 3, 2


class Packages:
    """The packages that one document may name. Belongs to one load or save.

    ``package://NAME/rest`` and ``model://NAME/rest`` are looked for in this order: the
    folders of ``package_dirs`` (each holds packages, or is one), ``ROS_PACKAGE_PATH``,
    ``AMENT_PREFIX_PATH/share`` (for models the paths of Gazebo), resource roots and
    data folders, then the document's own folder and those above it, which may hold the
    package or be it. A package is called as its folder, or as the ``<name>`` in its
    ``package.xml`` says (ROS REP 149).

    Parameters
    ----------
    folder
        Where the document is, or None: the working directory.
    """

    def __init__(self, context: ReadContext, folder: str | None) -> None:
        self._context = context
        self._folder = folder
        self._known: dict[tuple[str, str], str] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._manifests: dict[str, dict[str, list[str]]] = {}

    @staticmethod
    def package_of(name: str) -> str | None:
        """Return the package that a name begins with, None if it names none."""
        found = _NAME.match(name)
        return None if found is None else found[2]

    def path(self, name: str) -> str:
        """Return the path of a file of a package.

        Raises
        ------
        ResourceError
            It is not there, or may not be read.
        """
        found = _NAME.match(name)
        if found is None or not found[2] or "\0" in name:
            raise ResourceError(name)
        scheme, package = found[1].lower(), found[2]
        rest = found[3].lstrip("/")  # behind two slashes it still lies in the package
        resolver = self._context.resolver
        refused: str | None = None
        for folder in self._places(scheme, package):
            candidate = os.path.normpath(os.path.join(folder, rest))
            if not os.path.isfile(candidate):
                continue
            if resolver.allows(candidate):
                self._known[scheme, package] = folder
                return candidate
            refused = refused or candidate
        if refused is not None:
            return resolver.resolve(refused)  # which says why not
        raise ResourceError(name)

    def folder(self, package: str) -> str | None:
        """Return the folder of a package, None if it is not found."""
        for folder in self._places("package", package):
            named = folder in self._named("package").get(package, ())
            if (named or os.path.basename(folder) == package) and os.path.isdir(folder):
                return folder
        return None

    def find(self, name: str) -> str | None:
        """Return the path as `path` does, or None where it would raise."""
        try:
            return self.path(name)
        except (ResourceError, SceneError):
            return None

    def _places(self, scheme: str, package: str) -> Iterator[str]:
        """Yield folders that may be the package, the one that was it before first."""
        before = self._known.get((scheme, package))
        if before is not None:
            yield before
        for folder in (*self._searched(scheme), *self._above):
            if os.path.basename(folder) == package:
                yield folder
            yield os.path.join(folder, package)
        yield from self._named(scheme).get(package, ())
        # a package may lie in a folder of another name
        yield from (one for one, height in self._above.items() if height < _NEAR)

    def _named(self, scheme: str) -> dict[str, list[str]]:
        """Return the folders with a ``package.xml`` by the name that it gives."""
        known = self._manifests.get(scheme)
        if known is None:
            known = self._manifests[scheme] = {}
            depths = dict.fromkeys(self._searched(scheme), _DEPTH)
            for folder, height in self._above.items():
                if os.path.dirname(folder) != folder:  # not a whole disk
                    depths.setdefault(folder, _DEPTH_NEAR if height < _NEAR else 0)
            for folder in _manifest_folders(depths):
                name = self._name_in(os.path.join(folder, _MANIFEST))
                if name:
                    known.setdefault(name, []).append(folder)
        return known

    def _name_in(self, manifest: str) -> str:
        """Return the name that a ``package.xml`` gives, empty if it gives none."""
        if not self._context.resolver.allows(manifest):
            return ""
        try:
            with open(manifest, "rb") as file:
                data = file.read(_MANIFEST_BYTES)
            root = parse_document(data, manifest).root
        except (OSError, SceneError):
            return ""
        return (root.findtext("name") or "").strip()

    @cached_property
    def _above(self) -> dict[str, int]:
        """The document's own folder and those above it, then those behind links.

        With each how far above it is.
        """
        own = os.path.abspath(self._folder or os.getcwd())
        found: dict[str, int] = {}
        for folder in (own, *self._context.resolver.behind_links(own)):
            for height, parent in enumerate(_with_parents(folder)):
                found.setdefault(parent, height)
        return found

    def _searched(self, scheme: str) -> tuple[str, ...]:
        known = self._roots.get(scheme)
        if known is None:
            known = self._roots[scheme] = tuple(dict.fromkeys(self._listed(scheme)))
        return known

    def _listed(self, scheme: str) -> Iterator[str]:
        yield from self._context.package_dirs
        variables = _MODELS if scheme == "model" else ("ROS_PACKAGE_PATH",)
        for variable in variables:
            yield from _folders(variable)
        for prefix in _folders("AMENT_PREFIX_PATH"):
            yield os.path.join(prefix, "share")
        yield from self._context.resolver.search_folders()


def _with_parents(folder: str) -> list[str]:
    found = [folder]
    while len(found) < _MAX_PARENTS and os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def _manifest_folders(depths: Mapping[str, int]) -> Iterator[str]:
    """Yield folders with a ``package.xml``, in and below some, the nearest first.

    As ROS does, nothing is looked for below a package. The search is bounded, for a
    root may be a whole disk; each is searched for itself, so that a wide one hides
    nothing of another.

    Parameters
    ----------
    depths
        How deep to look, for each folder to start from.
    """
    left: dict[str, int] = {}  # how deep was looked below a folder
    for root, most in depths.items():
        waiting, looked_at = deque([(root, most)]), 0
        while waiting and looked_at < _MAX_FOLDERS:
            folder, depth = waiting.popleft()
            before = left.get(folder, -1)
            if depth <= before:
                continue
            left[folder] = depth
            looked_at += 1
            if os.path.isfile(os.path.join(folder, _MANIFEST)):
                if before < 0:
                    yield folder
                if folder not in depths:
                    continue
            if depth > 0:
                waiting.extend((path, depth - 1) for path in _folders_in(folder))


def _folders_in(folder: str) -> list[str]:
    """Return the first folders in one, hidden ones left out."""
    try:
        with os.scandir(folder) as entries:
            first = islice(entries, _MAX_ENTRIES)
            return sorted(
                one.path for one in first if one.name[0] != "." and one.is_dir()
            )
    except OSError:
        return []


def _folders(variable: str) -> Iterator[str]:
    for part in os.environ.get(variable, "").split(os.pathsep):
        if part:
            yield os.path.abspath(part)
