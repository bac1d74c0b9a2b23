"""Problems of one load: collected, located, bounded, reported in one go."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH202

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pyrave.errors import Problem, SceneError, Severity, is_wrong, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MAX_FILE_BYTES = 16 * 1024 * 1024
_MAX_FILES = 16


def with_short_texts(problem: Problem) -> Problem:
    """Return a problem that does not repeat long names and texts of a file."""
    message = shortened(problem.message)
    hint = None if problem.hint is None else shortened(problem.hint)
    if message == problem.message and hint == problem.hint:
        return problem
    return replace(problem, message=message, hint=hint)


class LocatedDocument(Protocol):
    """A source that knows places of its elements, as `pyrave.formats.xml.Document`."""

    @property
    def file(self) -> str:
        """Name of the file, for messages."""

    def position(self, element: Any) -> tuple[int | None, int | None]:
        """Return (line, column) of an element, counted from 1."""

    def element_path(self, element: Any) -> str:
        """Return for example ``environment/robot[1]/kinbody``."""


class Diagnostics:
    """Collects the problems of a load, over all its files.

    Mutable, belongs to one load; not for sharing between threads.

    Parameters
    ----------
    limit
        Problems kept; what comes later is only counted.
    """

    def __init__(self, limit: int = 1000) -> None:
        self.limit = limit
        self.suppressed = 0
        self.has_errors = False
        self._problems: dict[tuple[object, ...], Problem] = {}

    def __len__(self) -> int:
        return len(self._problems)

    @property
    def is_full(self) -> bool:
        """True if further problems are only counted, so that texts may be spared."""
        return len(self._problems) >= self.limit

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything found so far; a last entry counts what was not kept."""
        found = tuple(self._problems.values())
        if self.suppressed:
            note = Problem(
                Severity.WARNING,
                f"{self.suppressed} more problems are not listed",
                code="too-many-problems",
            )
            return (*found, note)
        return found

    def add(self, problem: Problem) -> None:
        """Keep a finished problem, unless the same was reported already."""
        if problem.severity is Severity.ERROR:
            self.has_errors = True
        problem = with_short_texts(problem)
        key = (
            problem.severity,
            problem.code,
            problem.message,
            problem.file,
            problem.line,
            problem.column,
        )
        if key in self._problems:
            return
        if self.is_full:
            self.suppressed += 1
            return
        self._problems[key] = problem

    def extend(self, problems: Iterable[Problem]) -> None:
        """Keep several finished problems."""
        for problem in problems:
            self.add(problem)

    def error(
        self,
        code: str,
        message: str,
        document: LocatedDocument | None = None,
        element: Any = None,
        hint: str | None = None,
        traceback: str | None = None,
        named_at: tuple[str, ...] = (),
    ) -> None:
        """Report something that refuses the scene."""
        place = document, element, named_at
        self._report(Severity.ERROR, code, message, place, hint, traceback)

    def warning(
        self,
        code: str,
        message: str,
        document: LocatedDocument | None = None,
        element: Any = None,
        hint: str | None = None,
        traceback: str | None = None,
        named_at: tuple[str, ...] = (),
    ) -> None:
        """Report something that refuses the scene only if strict."""
        place = document, element, named_at
        self._report(Severity.WARNING, code, message, place, hint, traceback)

    def note(
        self,
        code: str,
        message: str,
        document: LocatedDocument | None = None,
        element: Any = None,
        hint: str | None = None,
        named_at: tuple[str, ...] = (),
    ) -> None:
        """Report something that refuses no scene: nothing is wrong or lost."""
        place = document, element, named_at
        self._report(Severity.NOTE, code, message, place, hint, None)

    def raise_if_refused(self, *, strict: bool = False) -> None:
        """Raise a SceneError with all problems if they refuse the scene.

        Raises
        ------
        SceneError
            If there is an error, or with `strict` a warning.
        """
        if self.has_errors or (strict and any(map(is_wrong, self.problems))):
            raise SceneError(self.problems)

    def _report(
        self,
        severity: Severity,
        code: str,
        message: str,
        place: tuple[LocatedDocument | None, Any, tuple[str, ...]],
        hint: str | None,
        traceback: str | None,
    ) -> None:
        document, element, named_at = place
        if self.is_full:
            # Positions cost time; a flood of problems must not buy more of it.
            self.suppressed += 1
            self.has_errors |= severity is Severity.ERROR
            return
        line = column = path = None
        if document is not None and element is not None:
            line, column = document.position(element)
            path = document.element_path(element)
        self.add(
            Problem(
                severity,
                message,
                file=document.file if document is not None else None,
                line=line,
                column=column,
                element=path,
                hint=hint,
                traceback=traceback,
                code=code,
                named_at=named_at,
            )
        )


def complete_problems(
    problems: Iterable[Problem], texts: Mapping[str, str | bytes] | None = None
) -> list[Problem]:
    """Return problems found in descriptions with the places that files tell.

    Descriptions know the line of their elements only. Where a problem has a line of
    an XML file but no column, the file is read once more, and the element of that
    line which the message names gives column and path. What is no readable, regular
    XML file of up to 16 MiB, or comes after 16 such files, is left as it is. Long
    texts are cut as in problems of a reader.

    Parameters
    ----------
    texts
        Contents of what is no file, by the name that problems have for it.
    """
    texts = texts or {}
    places: dict[str, _Places | None] = {}
    found = []
    for problem in problems:
        name, line = problem.file, problem.line
        known = with_short_texts(problem)
        if name and line and problem.column is None and problem.element is None:
            if name not in places:
                few = len(places) < _MAX_FILES
                places[name] = _Places.of(name, texts.get(name)) if few else None
            where = places[name]
            if where is not None:
                known = where.complete(known, line, problem.message)
        found.append(known)
    return found


class _Places:
    """Positions at which the start tags of one XML file end."""

    def __init__(self, document: Any) -> None:
        from pyrave.formats.xml import local_name

        self._document = document
        self._by_line: dict[int, _Line] = {}
        for element in document.root.iter("*"):
            line = self._by_line.setdefault(element.sourceline, _Line())
            line.add(element, local_name(element))

    @classmethod
    def of(cls, file: str, text: str | bytes | None = None) -> _Places | None:
        """Return the places of a file or text, None if it cannot be read as XML."""
        from pyrave.formats.format_detection import is_xml
        from pyrave.formats.xml import parse_document

        try:
            if text is not None:
                return cls(parse_document(text, file))
            if not os.path.isfile(file) or os.path.getsize(file) > _MAX_FILE_BYTES:
                return None
            data = Path(file).read_bytes()
            return cls(parse_document(data, file)) if is_xml(data[:1024]) else None
        except (OSError, ValueError):
            return None

    def complete(self, problem: Problem, line: int, message: str) -> Problem:
        """Return the problem with the place of the likeliest element of a line."""
        elements = self._by_line.get(line)
        if elements is None:
            return problem
        element = elements.likeliest(message)
        start, column = self._document.position(element)
        path = self._document.element_path(element)
        return replace(problem, line=start, column=column, element=path)


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


class _Line:
    """The elements that start on one line, by what messages call them."""

    def __init__(self) -> None:
        self._elements: list[Any] = []
        self._tags: list[str] = []
        self._by_word: dict[str, list[int]] = {}
        self._by_tag: dict[str, int] = {}

    def add(self, element: Any, tag: str) -> None:
        number = len(self._elements)
        self._elements.append(element)
        self._tags.append(tag)
        self._by_tag.setdefault(tag, number)
        for value in element.values():
            # names are quoted whole, interface types without their arguments
            words = value.split(None, 1)
            if words:
                self._by_word.setdefault(repr(words[0]), []).append(number)

    def likeliest(self, message: str) -> Any:
        """Return the element with a word and a tag of the message, a word, or a tag."""
        named = sorted(
            number
            for word in set(_QUOTED.findall(message))
            for number in self._by_word.get(word, ())
        )
        tagged = [number for tag, number in self._by_tag.items() if tag in message]
        both = next((n for n in named if self._tags[n] in message), None)
        if both is not None:
            return self._elements[both]
        return self._elements[min(named or tagged, default=0)]
