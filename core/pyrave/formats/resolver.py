"""Finding the files that scenes name; never on a network."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH100, PTH109, PTH110, PTH112, PTH113, PTH114, PTH117, PTH118, PTH119, PTH120

from __future__ import annotations

import errno
import itertools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

from pyrave.errors import ResourceError, SceneError, nearest
from pyrave.files import read_file

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_QUERY = re.compile(r"[?#]")
_OPENRAVE_FOLDERS = frozenset({"data", "robots", "models"})
"""Folders of OpenRAVE's data, from which its files and scripts name each other."""
_HINT_ENTRIES = 5000
_HINT_PARENTS = 8
_HINT_NEAR = 3
_HINT_FOLDERS = 100
_HINT_BELOW = 300


class OutsideRootsError(ResourceError):
    """A file may not be read: it lies outside the resource roots."""

    @property
    def message(self) -> str:
        """The message, with the name that was refused."""
        return f"file {self.name!r} is refused"


class NotAFileError(ResourceError):
    """A name is that of something else than a file."""

    @property
    def message(self) -> str:
        """The message, with the name."""
        return f"{self.name!r} is not a regular file"


def environment_roots() -> tuple[str, ...]:
    """Return the folders of ``PYRAVE_DATA``, then those of ``OPENRAVE_DATA``."""
    folders: list[str] = []
    for variable in ("PYRAVE_DATA", "OPENRAVE_DATA"):
        parts = os.environ.get(variable, "").split(os.pathsep)
        folders.extend(part for part in parts if part)
    return tuple(folders)


class Resolver:
    """Finds local files: the including file's folder, roots, data folders.

    What a file behind a symbolic link names is looked for beside the link, then beside
    the file. Threads may share it: all that it learns is where links lead.

    Parameters
    ----------
    roots
        Folders that the caller names; searched first after the file's own folder.
    confine
        Allow only files below `roots` and the data folders, links resolved.
    data_roots
        Folders of packages that ship data, or a function that returns them: it is
        called when the other folders have not got the file.
    use_environment
        Search ``PYRAVE_DATA`` and ``OPENRAVE_DATA``.
    only
        Absolute paths; no other file is found. None: any.
    finder
        Returns the path of a file by a name that no folder has, or None.
    """

    def __init__(
        self,
        roots: str | Path | Iterable[str | Path] = (),
        *,
        confine: bool = False,
        data_roots: (Iterable[str | Path] | Callable[[], Iterable[str | Path]]) = (),
        use_environment: bool = True,
        only: Iterable[str] | None = None,
        finder: Callable[[str], str | None] | None = None,
    ) -> None:
        # one path is one folder: its letters would make the whole disk a root
        folders = (roots,) if isinstance(roots, (str, os.PathLike)) else roots
        self.roots = tuple(os.path.abspath(folder) for folder in folders)
        self.confine = confine
        self._data_roots = data_roots
        self._use_environment = use_environment
        self._search_folders: tuple[str, ...] | None = None
        self._only = None if only is None else frozenset(only)
        self._finder = finder
        self._data_folders: tuple[str, ...] = ()
        self._preferred: tuple[str, ...] = ()
        self.ambiguous: dict[str, tuple[str, ...]] = {}
        """Names of files that several data folders have: the file used, the others."""
        self._linked: dict[str, dict[str, None]] = {}
        self._real: dict[str, str] = {}

    def only(self, files: Iterable[str]) -> Resolver:
        """Return a resolver that searches as this one and finds these paths alone."""
        made = Resolver(
            self.roots,
            confine=self.confine,
            data_roots=self._data_roots,
            use_environment=self._use_environment,
            only=files,
        )
        made._linked = self._linked
        return made

    def search_folders(self) -> tuple[str, ...]:
        """Return the folders that are searched after the file's own, in order."""
        if self._search_folders is None:
            folders = list(self.roots)
            if self._use_environment:
                folders += map(os.path.abspath, environment_roots())
            roots = self._data_roots
            data = map(os.path.abspath, roots() if callable(roots) else roots)
            self._data_folders = tuple(dict.fromkeys((*self._preferred, *data)))
            folders += self._data_folders
            self._search_folders = tuple(dict.fromkeys(folders))
        return self._search_folders

    def resolve(
        self,
        name: str,
        base: str | None = None,
        extra: Sequence[str] = (),
        *,
        suggest: bool = True,
    ) -> str:
        """Return the absolute path of an existing file.

        Parameters
        ----------
        name
            Absolute or relative path, or a ``file:`` URI; one with a host, such as
            ``file://meshes/arm.stl``, is the relative path.
        base
            Folder of the file that names it; None: the working directory.
        extra
            Folders to search before `base`.
        suggest
            Look for near names and folders to tell; it costs more than the search.

        Raises
        ------
        ResourceError
            If there is no such file; an `OutsideRootsError` if it lies outside the
            roots and `confine`.
        SceneError
            If the name needs a network or has no meaning as a file.
        """
        try:
            path = _local_path(name)
        except SceneError:
            found = self._asked(name)
            if found is None:
                raise
            return found
        candidates = self._candidates(path, base, extra)
        if self._only is not None:
            candidates = [c for c in candidates if c in self._only]
        allowed = [c for c in candidates if self._allowed(c)]
        for candidate in allowed:
            if os.path.isfile(candidate):
                self.follow(candidate)
                self._note_others(path, candidate)
                return candidate
        found = self._asked(name)
        if found is not None:
            return found
        outside = [c for c in candidates if c not in allowed]
        # where nothing is allowed, the answer does not say whether there is a file
        if outside and (not allowed or any(map(os.path.isfile, outside))):
            raise OutsideRootsError(
                name,
                hint=f"{outside[0]} lies outside the resource roots, "
                "and confine=True allows only what is below them",
            )
        odd = next((c for c in allowed if os.path.exists(c)), None)
        if odd is not None:
            kind = "folder" if os.path.isdir(odd) else "device, pipe or socket"
            raise NotAFileError(name, hint=f"{odd} is a {kind}")
        folders = list(dict.fromkeys(os.path.dirname(c) for c in allowed))
        dead = next((c for c in allowed if os.path.islink(c)), None)
        if dead is not None:
            raise ResourceError(name, folders, _of_dead_link(dead))
        if not suggest:
            raise ResourceError(name, folders)
        hint = ""
        if not self.confine:
            hint = _root_above(path, base) or _deeper(path, folders)
        raise ResourceError(name, folders, hint or _near_name(path, folders))

    def _asked(self, name: str) -> str | None:
        """Return the file that the finder knows by a name, if it may be read."""
        found = None if self._finder is None else self._finder(name)
        path = "" if found is None else os.path.abspath(found)
        return path if os.path.isfile(path) and self.allows(path) else None

    def prefer(self, data_roots: Iterable[str | Path]) -> None:
        """Search some data folders before the others."""
        folders = dict.fromkeys(map(os.path.abspath, data_roots))
        self._preferred = tuple(folders)
        self._search_folders = None

    def _note_others(self, path: str, found: str) -> None:
        """Record another place of a data folder's file, unless that is preferred."""
        if len(self._data_folders) < 2 or os.path.isabs(path):
            return
        folders = self._data_folders
        files = [os.path.normpath(os.path.join(folder, path)) for folder in folders]
        if found not in files or files.index(found) < len(self._preferred):
            return
        others = [file for file in files if file != found and os.path.isfile(file)]
        if others:
            self.ambiguous[path] = (found, *others)

    def allows(self, path: str) -> bool:
        """Return True if `resolve` would return an absolute path of a file."""
        if self._only is not None and path not in self._only:
            return False
        return self._allowed(path)

    def read(self, path: str, most: int) -> bytes:
        """Return the first bytes of a file that was found, see `pyrave.files`.

        Raises
        ------
        OSError
            It cannot be read, or leads outside the roots by now.
        """
        return read_file(path, most, self.allows if self.confine else None)

    def read_main(self, path: str, most: int) -> bytes:
        """Return the first bytes of a file that the caller named, wherever it is.

        A link in its place may lead to another file of its folder, or below the roots.

        Raises
        ------
        OSError
            It cannot be read.
        """
        if not self.confine:
            return read_file(path, most)
        folder, name = os.path.split(path)
        own = os.path.join(os.path.realpath(folder), name)

        def allows(real: str) -> bool:
            near = os.path.dirname(real) == os.path.dirname(own)
            return near or self._allowed(real)

        return read_file(path, most, allows)

    def follow(self, file: str) -> None:
        """Record the real place of a file whose name is a link."""
        if os.path.islink(file):
            folder = os.path.dirname(os.path.realpath(file))
            known = self._linked.setdefault(os.path.dirname(file), {})
            known[folder] = None

    def behind_links(self, folder: str) -> tuple[str, ...]:
        """Return the real places of a folder's files that were read through links."""
        real = self._real.get(folder)
        if real is None:
            real = self._real[folder] = os.path.realpath(folder)
        found = dict.fromkeys((real, *self._linked.get(folder, ())))
        found.pop(folder, None)
        return tuple(found)

    def find(
        self, name: str, base: str | None = None, extra: Sequence[str] = ()
    ) -> str | None:
        """Return the path as `resolve` does, or None where it would raise."""
        try:
            return self.resolve(name, base, extra, suggest=False)
        except (ResourceError, SceneError):
            return None

    def _candidates(
        self, path: str, base: str | None, extra: Sequence[str]
    ) -> list[str]:
        # `..` is resolved before links are, so that what is checked is what is opened
        if os.path.isabs(path):
            return [os.path.normpath(path)]
        near = [*extra, base if base is not None else os.getcwd()]
        found = [os.path.normpath(os.path.join(folder, path)) for folder in near]
        if not self.confine and any(map(os.path.isfile, found)):
            return found
        folders = (*self.behind_links(near[-1]), *self.search_folders())
        further = [os.path.join(folder, path) for folder in folders]
        return list(dict.fromkeys(found + [os.path.normpath(p) for p in further]))

    def _allowed(self, path: str) -> bool:
        if not self.confine:
            return True
        real = os.path.realpath(path)
        return any(
            os.path.commonpath((real, root)) == root
            for root in map(os.path.realpath, self.search_folders())
            if os.path.splitdrive(root)[0] == os.path.splitdrive(real)[0]
        )


def _of_dead_link(path: str) -> str:
    """Return a hint about a symbolic link that leads to no file."""
    try:
        Path(path).stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return f"{path} is a link that leads back to itself: make it anew"
        if error.errno != errno.ENOENT:
            return f"{path} is a link that cannot be followed: {error.strerror}"
    return f"{path} is a link to {str(Path(path).readlink())!r}, which is not there"


def _local_path(name: str) -> str:
    text = name.strip()
    if not text or "\0" in text:
        raise SceneError(f"{name!r} is not a file name")
    match = _SCHEME.match(text)
    if match is None:
        return text
    scheme = match.group()[:-1].lower()
    if scheme == "file":
        return _path_of_uri(text[match.end() :])
    raise SceneError(
        f"{name!r} is not a local file: pyrave reads no {scheme}: resources; "
        "give a path, or keep the file below a resource root"
    )


def _path_of_uri(rest: str) -> str:
    """Return the path of a ``file:`` URI.

    What stands behind two slashes is a host by RFC 8089. Files of robots mean a folder:
    ``file://meshes/arm.stl`` is a relative path.
    """
    path = unquote(_QUERY.split(rest, maxsplit=1)[0])
    if not path.startswith("//"):
        return path
    host, slash, local = path[2:].partition("/")
    return slash + local if host in {"", "localhost"} else path[2:]


def _root_above(path: str, base: str | None) -> str:
    """Suggest a folder near the including file as a resource root.

    It is one above the file, or lies in one above: names in files of OpenRAVE are often
    relative to a folder of `OPENRAVE_DATA`.
    """
    if os.path.isabs(path):
        return ""
    folder = os.path.abspath(base if base is not None else os.getcwd())
    above = [folder := os.path.dirname(folder) for _ in range(_HINT_PARENTS)]
    inside = (child for near in above[:_HINT_NEAR] for child in _folders_in(near))
    for candidate in itertools.chain(above, inside):
        if os.path.isfile(os.path.join(candidate, path)):
            return (
                f"{candidate} has it: name that folder as a resource root or in "
                "OPENRAVE_DATA"
            )
    return ""


def _folders_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            first = itertools.islice(entries, _HINT_FOLDERS)
            return sorted(entry.path for entry in first if entry.is_dir())
    except OSError:
        return []


def _deeper(path: str, folders: Sequence[str]) -> str:
    """Suggest a place of that file name in or below the searched folders."""
    inner, wanted = os.path.split(path)
    for searched in folders:
        folder = searched.removesuffix(os.sep + inner) if inner else searched
        below = _folders_in(folder)
        inside = (child for near in below for child in _folders_in(near))
        for candidate in itertools.islice((*below, *inside), _HINT_BELOW):
            file = os.path.join(candidate, wanted)
            if os.path.isfile(file):
                return f"did you mean {os.path.relpath(file, folder)!r}?"
    return ""


def _near_name(path: str, folders: Sequence[str]) -> str:
    wanted = os.path.basename(path)
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                names = [
                    e.name for _, e in zip(range(_HINT_ENTRIES), entries, strict=False)
                ]
        except OSError:
            continue
        found = nearest(wanted, names)
        if found:
            return f"{folder} has {found!r}"
    if _OPENRAVE_FOLDERS.intersection(Path(path).parts[:1]):
        return (
            "OpenRAVE's own files are not shipped: OPENRAVE_DATA=<checkout>/src, where "
            "models.tgz is unpacked, has them; or add its folder to resource_roots or "
            "PYRAVE_DATA"
        )
    return "add its folder to resource_roots or PYRAVE_DATA"
