"""One load of a COLLADA file: its documents, its problems, what is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import ResourceError, SceneError
from pyrave.formats.readings import Reading
from pyrave_collada.document.archive import read_archive
from pyrave_collada.document.file_kind import is_archive
from pyrave_collada.document.parsed import ColladaDocument
from pyrave_collada.document.references import Library
from pyrave_collada.document.urls import resolve_url
from pyrave_collada.reading.formulas.partials import Partials
from pyrave_collada.reading.values import Values
from pyrave_collada.vocabulary import idle_elements

if TYPE_CHECKING:
    from pyrave.formats import ReadContext, SceneSource
    from pyrave.formats.readings import DocumentPlace

_MAX_DOCUMENTS = 1000


class ColladaReading(Reading):
    """State that all parts of the reader share. Belongs to one load.

    Parameters
    ----------
    context
        What the load was asked for.
    """

    def __init__(self, context: ReadContext) -> None:
        super().__init__(context)
        self.library = Library(self._open_reference)
        self.values = Values(self.library, self.warn)
        self.partials = Partials()
        self._opened = 0

    def place_of(self, element: Any) -> DocumentPlace:
        """Return the document that an element is in."""
        document = self.library.document(element)
        return document.xml, document.folder, ()

    def open(self, source: SceneSource) -> tuple[ColladaDocument, str]:
        """Return the document of a file or archive, and the id it is to start from."""
        data, file, fragment = source.data, source.file, source.fragment
        if isinstance(data, bytes) and is_archive(data):
            member = read_archive(data, file)
            data, fragment = member.data, fragment or member.fragment
            file = f"{file}!{member.name}"
        document = ColladaDocument(data, file, source.folder)
        self.library.add(document)
        self.diagnostics.extend(document.slips)
        for one in document.bad_units:
            self.warn(
                one,
                "bad-number",
                f"<unit> has the meter {one.get('meter')!r}, expected a number above "
                "0; it is ignored",
            )
        return document, fragment

    def optional_target(self, element: Any) -> Any:
        """Return the target of a URL; None, without a report, for a missing file."""
        name = (element.get("url") or "").partition("#")[0]
        source = self.library.document(element)
        if name:
            try:
                self._path(name, source)
            except (ResourceError, SceneError) as error:
                if type(error) is ResourceError:  # not one that is refused
                    return None
        found = self.library.target(element)
        if found is None and not name:
            self.dangling(element, "the element", element.get("url") or "")
        return found

    def _open_reference(
        self, name: str, element: Any, source: ColladaDocument
    ) -> ColladaDocument | None:
        from pyrave.formats import open_source

        self._opened += 1
        if self._opened > _MAX_DOCUMENTS:
            self.warn(
                element,
                "too-many-files",
                f"more than {_MAX_DOCUMENTS} files are referred to; {name!r} is left "
                "out",
            )
            return None
        try:
            path = self._path(name, source)
            return self.open(open_source(path, self.context, included=True))[0]
        except (ResourceError, SceneError) as error:
            self.warn(
                element,
                "missing-file",
                f"the document {name!r} cannot be used: {error}",
                "put it next to this file or into a resource root",
            )
            return None

    def _path(self, name: str, source: ColladaDocument) -> str:
        """Return the path of a document that another one names.

        Raises
        ------
        ResourceError, SceneError
            There is none, or it may not be read.
        """
        return resolve_url(name, self.context.resolver, source.folder)

    def tell_idle(self) -> None:
        """Report what acts nowhere of all documents, each kind once."""
        for document in self.library.documents():
            for owner, tag, element in idle_elements(document.root):
                self.idle.note(f"<{owner}>", tag, element)
        self.idle.tell(self.note)

    # -- reports ---------------------------------------------------------------------

    def dangling(self, element: Any, what: str, path: str, known: Any = ()) -> None:
        """Report a reference that leads nowhere; only what needs it is left out."""
        self.warn(
            element,
            "unresolved-reference",
            f"{what} {path!r} is not found; <{element.tag}> is left out",
            self.suggestion(path, known),
        )

    def unit(self, element: Any) -> float:
        """Return the metres of one unit of length at an element."""
        return self.library.document(element).unit(element)
