"""Files that a document includes: of its own format, and of others."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH119, PTH120

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, ResourceError, SceneError
from pyrave.files import OutsideError
from pyrave.formats.format_detection import (
    ROOTS_OF_OPENRAVE,
    foreign_format,
    is_xml,
    root_tag,
)
from pyrave.formats.openrave_xml.read.scope import Scope
from pyrave.formats.resolver import OutsideRootsError
from pyrave.formats.xml import Document, local_name, parse_document
from pyrave.scene import SceneDescription

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from pyrave.errors import Problem
    from pyrave.formats.openrave_xml.read.state import LoadState
    from pyrave.scene.pose import Vec3

_HEAD_BYTES = 65536


def main_scope(load: LoadState, document: Document, folder: str | None) -> Scope:
    """Return the scope of the main document of a load."""
    is_text = document.file.startswith("<")
    load.open.append(document.file if is_text else os.path.realpath(document.file))
    load.elements += document.n_elements
    return Scope(load, document, folder)


def _opened(scope: Scope, element: Any, name: str) -> Scope | None:
    """Open an included file, or report why that is impossible."""
    load = scope.load
    try:
        path = scope.resolve(name, element)
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
    if real in load.open:
        cycle = [*load.open[load.open.index(real) :], real]
        names = " -> ".join(os.path.basename(part) for part in cycle)
        scope.error(element, "include-cycle", f"the files include each other: {names}")
        return None
    load.inclusions += 1
    limits = load.limits
    if len(load.open) >= limits.inclusion_depth:
        scope.error(
            element,
            "include-depth",
            f"files are included more than {limits.inclusion_depth} deep",
        )
        return None
    document = _document(scope, element, path)
    if document is None:
        return None
    load.elements += document.n_elements
    scope.check_sum(element)
    load.open.append(real)
    return Scope(load, document, os.path.dirname(path), _chain(scope, element))


@contextmanager
def included(
    scope: Scope, element: Any, name: str, allowed: Container[str], expected: str
) -> Iterator[Scope | None]:
    """Open an included file for a ``with`` block.

    None, after a report, if it cannot be opened or its root is none of the allowed.
    """
    inner = _opened(scope, element, name)
    if inner is None:
        yield None
        return
    try:
        tag = local_name(inner.document.root)
        if tag in allowed:
            yield inner
            return
        message = f"{inner.file} holds a <{tag}>, expected {expected}"
        scope.error(element, "wrong-root", message)
        yield None
    finally:
        scope.load.open.pop()


def other_scene(
    scope: Scope,
    element: Any,
    name: str,
    scale: Vec3,
    *,
    skip: bool,
    is_shareable: Callable[[SceneDescription], bool],
) -> SceneDescription | None:
    """Return the scene that the reader of another format gets from a file.

    A file is read once in a load if `is_shareable` says so of what it holds. None
    if the file is OpenRAVE XML, or if it is not there or nothing reads it:
    `included` reports that. A file with errors gives a scene without bodies.
    """
    load = scope.load
    read_other = load.context.read_other
    if read_other is None or load.inclusions >= load.limits.inclusions:
        return None
    try:
        path, whole = _part(name, scope, element)
        if path in load.documents:
            return None
        head = load.context.resolver.read(path, _HEAD_BYTES)
    except (OSError, ResourceError, SceneError):
        return None
    if foreign_format(head, path) is None and _is_openrave_xml(head, path):
        return None
    key = (whole, scale, skip)
    known = load.scenes.get(key)
    if known is not None:
        load.inclusions += 1
        return known
    try:
        scene = read_other(whole, scale, skip)
    except ArgumentError as problem:  # its format has no parts
        scope.error(element, "unknown-fragment", str(problem))
        return SceneDescription(uri=path)
    except SceneError as problem:
        load.diagnostics.extend(_included(problem.problems, scope, element))
        return SceneDescription(uri=path)
    if scene is not None:
        load.inclusions += 1
        load.diagnostics.extend(_included(scene.problems, scope, element))
        if is_shareable(scene):
            load.scenes[key] = scene
    return scene


def _is_openrave_xml(head: bytes, path: str) -> bool:
    """Return True if no plugin is asked who reads an included file."""
    if root_tag(head) in ROOTS_OF_OPENRAVE:
        return True
    return is_xml(head) and path.lower().endswith(".xml")


def _part(name: str, scope: Scope, element: Any) -> tuple[str, str]:
    """Return the path that a name means, without and with what is meant in it.

    Where no file has the name, an id stands behind its last ``#``.
    """
    head, _, fragment = name.rpartition("#")
    if not head or scope.load.context.resolver.find(name, scope.folder) is not None:
        path = whole = scope.resolve(name, element)
    else:
        path = scope.resolve(head, element)
        whole = f"{path}#{fragment}" if fragment else path
        scope.names[name] = whole
    return path, whole


def _document(scope: Scope, element: Any, path: str) -> Document | None:
    load = scope.load
    if path in load.documents:
        return load.documents[path]
    load.documents[path] = None
    try:
        data = load.context.resolver.read(path, load.limits.file_bytes)
    except OSError as problem:
        code = "outside-roots" if isinstance(problem, OutsideError) else "missing-file"
        scope.error(element, code, f"{path} cannot be read: {problem}")
        return None
    if len(data) > load.limits.file_bytes:
        message = f"{path} is larger than {load.limits.file_bytes} bytes"
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
        document = parse_document(data, path, load.limits)
    except SceneError as problem:
        load.diagnostics.extend(_included(problem.problems, scope, element))
        return None
    load.documents[path] = document
    return document


def _chain(scope: Scope, element: Any) -> tuple[str, ...]:
    """Return the place that names an included file, and each file that includes."""
    return (str(scope.location(element)), *scope.named_at)


def _included(
    problems: Iterable[Problem], scope: Scope, element: Any
) -> Iterator[Problem]:
    """Yield problems of an included file with the places that name it."""
    chain = _chain(scope, element)
    for problem in problems:
        yield replace(problem, named_at=(*problem.named_at, *chain))
