"""Base of what the parts of a scene format's reader share while a file is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import nearest
from pyrave.formats.vocabulary import IdleElements
from pyrave.scene import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyrave.errors import Problem
    from pyrave.formats.context import ReadContext
    from pyrave.formats.diagnostics import LocatedDocument
    from pyrave.formats.xml import Document

DocumentPlace = tuple["LocatedDocument", str | None, tuple[str, ...]]
"""A document, the folder that its names of files start from, and what names it."""


class Reading:
    """Reports problems at elements, finds files and suggests names. Belongs to a load.

    Elements are lxml's, or what a format has instead. A reader of several documents
    overrides `place_of`.

    Parameters
    ----------
    context
        What the load was asked for.

    Attributes
    ----------
    reports
        Number of reported problems: what was read without any may be used again.
    idle
        Elements that act nowhere.
    """

    document: Document
    folder: str | None = None
    named_at: tuple[str, ...] = ()

    def __init__(self, context: ReadContext) -> None:
        self.context = context
        self.diagnostics = context.diagnostics
        self.reports = 0
        self.idle = IdleElements()
        self._near: dict[tuple[str, tuple[str, ...]], str | None] = {}

    def place_of(self, element: Any) -> DocumentPlace:
        """Return the document that an element is in."""
        return self.document, self.folder, self.named_at

    def warn(
        self,
        element: Any,
        code: str,
        message: str,
        hint: str | None = None,
        traceback: str | None = None,
    ) -> None:
        """Report something that is left out or mended."""
        self.reports += 1
        document, _, named_at = self.place_of(element)
        self.diagnostics.warning(
            code, message, document, element, hint, traceback, named_at
        )

    def note(
        self, element: Any, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something of which nothing is wrong or lost."""
        self.reports += 1
        document, _, named_at = self.place_of(element)
        self.diagnostics.note(code, message, document, element, hint, named_at)

    def error(
        self, element: Any, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that refuses the scene."""
        self.reports += 1
        document, _, named_at = self.place_of(element)
        self.diagnostics.error(
            code, message, document, element, hint, named_at=named_at
        )

    def take_problems(self, problems: Iterable[Problem]) -> None:
        """Add finished problems, such as those of custom readers."""
        self.reports += 1
        self.diagnostics.extend(problems)

    def location(self, element: Any) -> Location:
        """Return the location of an element (file and line)."""
        return Location(self.place_of(element)[0].file, element.sourceline)

    def resolve(self, uri: str, element: Any, extra: Sequence[str] = ()) -> str:
        """Return the absolute path of a file that an element names.

        Parameters
        ----------
        extra
            Folders that are searched besides.

        Raises
        ------
        ResourceError, SceneError
            There is none, or it may not be read.
        """
        folder, suggest = self.place_of(element)[1], not self.diagnostics.is_full
        return self.context.resolver.resolve(uri, folder, extra, suggest=suggest)

    def near(self, name: str, known: Iterable[str]) -> str | None:
        """Return the known name most like `name`, while problems are still listed.

        Files repeat unknown names: each is compared once.
        """
        if self.diagnostics.is_full:
            return None
        key = (name, tuple(known))
        if key not in self._near:
            self._near[key] = nearest(*key)
        return self._near[key]

    def suggestion(
        self, name: str, known: Iterable[str], form: str = "{!r}"
    ) -> str | None:
        """Return a hint to the known name most like `name`, None if there is none."""
        near = self.near(name, known)
        return f"did you mean {form.format(near)}?" if near else None
