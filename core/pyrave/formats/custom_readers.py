"""Running custom XML readers: plugin code on elements of scene files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import (
    Error,
    PluginGuard,
    ResourceError,
    SceneError,
    error_text,
    error_trace,
    shown,
)
from pyrave.formats.reader_elements import reader_copy
from pyrave.formats.xml import local_name, to_xml_element
from pyrave.scene import Readable, XmlElement, XmlReadable
from pyrave.scene.location import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyrave.formats.context import XmlReader
    from pyrave.formats.readings import Reading


class FirstOfSeveral:
    """The reader that is used where several packages have one, which is said once.

    Parameters
    ----------
    reader
        The reader of the first package.
    tag
        What it reads, as ``sensor <tag>``.
    packages
        Distributions that have one, the first one first.
    """

    def __init__(self, reader: XmlReader, tag: str, packages: Sequence[str]) -> None:
        self.reader = reader
        self.told = False
        self.message = (
            f"{tag} has readers of {' and '.join(packages)}; that of {packages[0]} is "
            "used"
        )
        self.hint = f"name {' or '.join(packages)} in a <plugin> tag"

    def __call__(self, element: Any, context: Any) -> Readable | None:
        """Read an element."""
        return self.reader(element, context)


def tags_of_readers(
    element: Any, interface_id: str, find: Callable[[str], object | None]
) -> tuple[list[Any], bool]:
    """Return the children that readers of single tags get, and who gets the rest.

    A reader of an interface id gets its whole element but for these children: a reader
    of a tag wins over who would read it otherwise. Where the element has a child that
    is named like its id, that name is a tag's.

    Parameters
    ----------
    find
        Returns the reader of a tag or id in lower case, or None.

    Returns
    -------
    children
        Elements with readers of their own.
    bool
        Whether the rest is for the reader of the id.
    """
    names = [(child, local_name(child)) for child in element.iterchildren("*")]
    own = [child for child, name in names if find(name) is not None]
    key = interface_id.lower()
    return own, find(key) is not None and all(name != key for _, name in names)


def run_custom_reader(
    reader: XmlReader,
    element: Any,
    reading: Reading,
    stands_for: Callable[[Any], Any] = lambda element: element,
    without: Sequence[Any] = (),
) -> tuple[bool, Readable | None]:
    """Run a custom reader on a copy of an element, its names in lower case.

    Parameters
    ----------
    stands_for
        Returns the element of the document where problems of `element`, or of one in
        it, are reported: for elements that were made or changed for the reader.
    without
        Children that the reader does not get: those of `tags_of_readers`.

    Returns
    -------
    bool
        False if it failed, which is reported.
    Readable or None
        What it made.
    """
    if isinstance(reader, FirstOfSeveral):
        if not reader.told:
            reader.told = True
            reading.warn(
                stands_for(element), "ambiguous-tag", reader.message, reader.hint
            )
        reader = reader.reader
    copy, originals = reader_copy(element, without)
    context = CustomReaderContext(reading, element, originals, stands_for)
    readable: Readable | None = None
    with PluginGuard() as guard:
        readable = reader(copy, context)
        if readable is not None and not isinstance(readable, Readable):
            kind = type(readable).__name__
            raise TypeError(f"it returned a {kind}, expected a Readable")
        if isinstance(readable, XmlReadable):
            readable = _plain(readable, context)
    problem = guard.error
    if problem is not None:
        name = getattr(reader, "__qualname__", shown(reader))
        module = getattr(reader, "__module__", "?")
        text = error_text(problem)
        if isinstance(problem, SceneError):
            reading.take_problems(problem.problems)
            text = f"{type(problem).__name__}: {problem.first.message}"
        trace = None
        if not isinstance(problem, Error):
            trace = error_trace(problem)
        reading.warn(
            stands_for(element),
            "reader-failed",
            f"the reader {module}.{name} of <{local_name(element)}> failed: {text}",
            "the element is kept as plain XML",
            trace,
        )
        return False, None
    return True, readable


def sensor_readable(
    interface: str, settings: Mapping[str, str], element: Any, reading: Reading
) -> Readable:
    """Return settings of a sensor as the reader of its interface id makes them.

    Parameters
    ----------
    settings
        Texts by tag, as in OpenRAVE XML.
    element
        Where problems are reported.
    """
    made = etree.Element("sensor", type=interface)
    for tag, text in settings.items():
        etree.SubElement(made, tag).text = text
    reader = reading.context.find_reader("sensor", interface.lower())
    if reader is not None:
        done, found = run_custom_reader(reader, made, reading, lambda _: element)
        if done and found is not None:
            return found
    return XmlReadable(to_xml_element(made))


def keep_element(element: Any, context: CustomReaderContext) -> Readable:
    """Return an element as it stands: a custom reader of what a format keeps."""
    return XmlReadable(context.as_written(element))


def _plain(readable: XmlReadable, context: CustomReaderContext) -> XmlReadable:
    """Return plain data of what holds the element that a reader was given."""
    element: Any = readable.element
    if isinstance(element, XmlElement):
        return readable
    if not etree.iselement(element):
        kind = type(element).__name__
        raise TypeError(f"it returned an XmlReadable of a {kind}, expected an element")
    return XmlReadable(context.as_written(element))


class CustomReaderContext:
    """Context of a custom XML reader: queries and reports.

    Elements given to its methods may be any of the element that it was called with.
    """

    def __init__(
        self,
        reading: Reading,
        element: Any,
        originals: dict[Any, Any],
        stands_for: Callable[[Any], Any],
    ) -> None:
        self._stands_for = stands_for
        self._reading = reading
        self._document = reading.place_of(stands_for(element))[0]
        self._element = element
        self._originals = originals

    def as_written(self, element: Any) -> XmlElement:
        """Return an element as plain data, its names in the case of the file."""
        return to_xml_element(self._original(element), self.file)

    @property
    def file(self) -> str:
        """The file that is being read."""
        return self._document.file

    def resolve(self, uri: str) -> str:
        """Return the absolute path of a file named in the element.

        Raises
        ------
        ResourceError
            If there is none.
        """
        return self._reading.resolve(uri, self._at(None))

    def find(self, uri: str) -> str | None:
        """Return the path as `resolve` does, or None."""
        try:
            return self.resolve(uri)
        except (ResourceError, SceneError):
            return None

    def warn(self, message: str, element: Any = None, hint: str | None = None) -> None:
        """Report a warning; it refuses the scene only if strict."""
        self._reading.warn(self._at(element), "custom-reader", message, hint)

    def error(self, message: str, element: Any = None, hint: str | None = None) -> None:
        """Report an error, which refuses the scene."""
        self._reading.error(self._at(element), "custom-reader", message, hint)

    def location(self, element: Any = None) -> Location:
        """Return the location of an element, with its column."""
        line, column = self._document.position(self._at(element))
        return Location(self.file, line, column)

    def _at(self, element: Any) -> Any:
        """Return the location of an element in the document."""
        return self._stands_for(self._original(element))

    def _original(self, element: Any) -> Any:
        if element is None:
            return self._element
        return self._originals.get(element, self._element)
