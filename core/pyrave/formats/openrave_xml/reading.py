"""State of one load: inclusion of files, custom readers, names that are known."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH119, PTH120, PTH202

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, ResourceError, SceneError, nearest
from pyrave.formats.openrave_xml.scope import Scope
from pyrave.formats.resolver import OutsideRootsError
from pyrave.formats.sniff import foreign_format
from pyrave.formats.xml import Document, XmlLimits, local_name, parse_document
from pyrave.scene import SceneDescription

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyrave.errors import Problem
    from pyrave.formats.context import ReadContext, XmlReader
    from pyrave.formats.openrave_xml.snapshot import Snapshot
    from pyrave.scene.pose import Vec3

# robots that hold their triangles themselves have a hundred megabytes
_LIMITS = XmlLimits(file_bytes=256 * 1024 * 1024, long_texts=True)

_HEAD_BYTES = 65536


class _Readers(dict[str, "XmlReader | None"]):
    """Custom readers of one interface type; each name is asked for once."""

    def __init__(self, context: ReadContext, interface_type: str) -> None:
        super().__init__()
        self._find = partial(context.find_reader, interface_type)

    def __missing__(self, name: str) -> XmlReader | None:
        found = self[name] = self._find(name)
        return found


class Reading:
    """One load of a file with everything it includes; belongs to one thread.

    Attributes
    ----------
    found
        Path of every file that was looked up, in order.
    inclusions, elements, revisits
        How many files were included so far, the elements of all files, and how often
        elements changed others.
    snapshots
        What files gave to bodies, by what that depends on.
    """

    def __init__(self, context: ReadContext) -> None:
        self.context = context
        self.diagnostics = context.diagnostics
        self.limits = context.limits or _LIMITS
        self._documents: dict[str, Document | None] = {}
        self._open: list[str] = []
        self.found: list[str] = []
        self.inclusions = 0
        self.elements = 0
        self.revisits = 0
        self.snapshots: dict[object, Snapshot] = {}
        self._scenes: dict[object, SceneDescription] = {}
        self._known: dict[str, frozenset[str] | None] = {}
        self._readers: dict[str, _Readers] = {}

    def begin(self, document: Document, folder: str | None) -> Scope:
        """Return the scope of the main document."""
        self._open.append(os.path.realpath(document.file))
        self.elements += document.n_elements
        return Scope(self, document, folder)

    def resolve(self, name: str, scope: Scope, extra: Sequence[str] = ()) -> str:
        """Return the path of a file that a document names, as the resolver does."""
        path = self.context.resolver.resolve(
            name, scope.folder, extra, suggest=not self.diagnostics.is_full
        )
        self.found.append(path)
        scope.names[name] = path
        return path

    def enter(self, scope: Scope, element: Any, name: str) -> Scope | None:
        """Open an included file, or report why it cannot be; then `leave` it."""
        try:
            path = self.resolve(name, scope)
        except OutsideRootsError as problem:
            scope.error(element, "outside-roots", problem.message, problem.hint)
            return None
        except ResourceError as problem:
            scope.error(element, "missing-file", problem.message, problem.hint or None)
            return None
        except SceneError as problem:
            scope.error(element, "bad-uri", problem.first.message, problem.hint)
            return None
        real = os.path.realpath(path)
        if real in self._open:
            cycle = [*self._open[self._open.index(real) :], real]
            names = " -> ".join(os.path.basename(part) for part in cycle)
            scope.error(
                element, "include-cycle", f"the files include each other: {names}"
            )
            return None
        self.inclusions += 1
        limits = self.limits
        if len(self._open) >= limits.inclusion_depth:
            scope.error(
                element,
                "include-depth",
                f"files are included more than {limits.inclusion_depth} deep",
            )
            return None
        document = self._document(scope, element, path)
        if document is None:
            return None
        self.elements += document.n_elements
        self.check_sum(scope, element)
        self._open.append(real)
        return Scope(self, document, os.path.dirname(path), _chain(scope, element))

    def other_scene(
        self,
        scope: Scope,
        element: Any,
        name: str,
        scale: Vec3,
        *,
        skip: bool,
        is_shareable: Callable[[SceneDescription], bool],
    ) -> SceneDescription | None:
        """Return what the reader of another format says of an included file.

        A file is read once in a load if `is_shareable` says so of what it holds. None
        if the file is OpenRAVE XML, or if it is not there or nothing reads it:
        `enter` reports that. A file with errors gives a scene without bodies.
        """
        read_other = self.context.read_other
        if read_other is None or self.inclusions >= self.limits.inclusions:
            return None
        try:
            path, whole = self._part(name, scope)
            if path in self._documents:
                return None
            with Path(path).open("rb") as file:
                head = file.read(_HEAD_BYTES)
        except (OSError, ResourceError, SceneError):
            return None
        if foreign_format(head, path) is None:
            return None
        key = (whole, scale, skip)
        known = self._scenes.get(key)
        if known is not None:
            self.inclusions += 1
            return known
        try:
            scene = read_other(whole, scale, skip)
        except ArgumentError as problem:  # its format has no parts
            scope.error(element, "unknown-fragment", str(problem))
            return SceneDescription(uri=path)
        except SceneError as problem:
            self.diagnostics.extend(_included(problem.problems, scope, element))
            return SceneDescription(uri=path)
        if scene is not None:
            self.inclusions += 1
            self.diagnostics.extend(_included(scene.problems, scope, element))
            if is_shareable(scene):
                self._scenes[key] = scene
        return scene

    def _part(self, name: str, scope: Scope) -> tuple[str, str]:
        """Return the path that a name means, without and with what is meant in it.

        Where no file has the name, an id stands behind its last ``#``.
        """
        head, _, fragment = name.rpartition("#")
        if not head or self.context.resolver.find(name, scope.folder) is not None:
            path = whole = self.resolve(name, scope)
        else:
            path = self.resolve(head, scope)
            whole = f"{path}#{fragment}" if fragment else path
            scope.names[name] = whole
        return path, whole

    def check_sum(self, scope: Scope, element: Any) -> None:
        """Refuse the scene if the files included so far are too many or too large."""
        limits = self.limits
        if self.inclusions > limits.inclusions or self.elements > limits.elements:
            scope.error(
                element,
                "too-many-inclusions",
                f"included files sum up to more than {limits.elements} elements "
                f"or {limits.inclusions} files",
            )
            self.diagnostics.raise_if_refused()

    def leave(self) -> None:
        """Close the innermost included file."""
        self._open.pop()

    def revisit(self, scope: Scope, element: Any, count: int) -> None:
        """Count what an element changes of what stands before it.

        A few elements may change very much; all together must not take long.

        Raises
        ------
        SceneError
            With all problems so far, if there are too many.
        """
        self.revisits += count
        if self.revisits > self.limits.revisits:
            scope.error(
                element,
                "too-complex",
                "the elements of the scene change others more than "
                f"{self.limits.revisits} times",
                "give colours, prefixes and sensors where they belong, not to all",
            )
            self.diagnostics.raise_if_refused()

    def reader(self, interface_type: str, name: str) -> XmlReader | None:
        """Return the custom reader of a tag or an interface id in lower case."""
        return self.readers(interface_type)[name]

    def readers(self, interface_type: str) -> Mapping[str, XmlReader | None]:
        """Return the custom readers of an interface type by tag or interface id."""
        found = self._readers.get(interface_type)
        if found is None:
            found = _Readers(self.context, interface_type)
            self._readers[interface_type] = found
        return found

    def reader_tags(self, interface_type: str) -> tuple[str, ...]:
        """Return tags with custom readers, for suggestions."""
        tags = self.context.reader_tags
        return () if tags is None else tuple(tags(interface_type))

    def check_interface(
        self,
        scope: Scope,
        element: Any,
        interface_type: str,
        interface: str,
        *,
        report: bool = True,
    ) -> bool:
        """Return whether a plugin offers an interface id, if that is known.

        With `report` it is a warning if none does.
        """
        lookup = self.context.known_interfaces
        if lookup is None or not interface:
            return True
        if interface_type not in self._known:
            ids = frozenset(lookup(interface_type))
            self._known[interface_type] = ids
        known = self._known[interface_type] or frozenset()
        wanted = interface.split(maxsplit=1)[0]
        plain = wanted.rpartition(":")[2].lower()
        if any(plain == candidate.lower() for candidate in known):
            return True
        if not report:
            return False
        near = nearest(wanted, known)
        hint = f"did you mean {near!r}? " if near else ""
        scope.warn(
            element,
            "unknown-interface",
            f"no installed plugin offers {interface_type} {wanted!r}",
            f"{hint}`pyrave plugins` lists what is installed",
        )
        return False

    def _document(self, scope: Scope, element: Any, path: str) -> Document | None:
        if path in self._documents:
            return self._documents[path]
        self._documents[path] = None
        try:
            size = os.path.getsize(path)
            data = b"" if size > self.limits.file_bytes else Path(path).read_bytes()
        except OSError as problem:
            scope.error(element, "missing-file", f"{path} cannot be read: {problem}")
            return None
        if size > self.limits.file_bytes:
            message = f"{path} is larger than {self.limits.file_bytes} bytes"
            scope.error(element, "file-too-large", message)
            return None
        family = foreign_format(data[:_HEAD_BYTES], path)
        if family is not None:
            scope.error(
                element,
                "no-reader",
                f"{os.path.basename(path)}: {family} has no reader here yet, so a "
                f"<{local_name(element)}> cannot be read from it",
                "convert it to OpenRAVE XML, or refer to a mesh from a <geom>",
            )
            return None
        try:
            document = parse_document(data, path, self.limits)
        except SceneError as problem:
            self.diagnostics.extend(_included(problem.problems, scope, element))
            return None
        self._documents[path] = document
        return document


def _chain(scope: Scope, element: Any) -> tuple[str, ...]:
    """Return where an included file is named, and each file that includes."""
    return (str(scope.location(element)), *scope.named_at)


def _included(
    problems: Iterable[Problem], scope: Scope, element: Any
) -> Iterator[Problem]:
    """Yield problems of an included file with the places that name it."""
    chain = _chain(scope, element)
    for problem in problems:
        yield replace(problem, named_at=(*problem.named_at, *chain))
