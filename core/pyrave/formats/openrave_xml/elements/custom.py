"""Custom readers of an interface element: of all of it, or of single tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.formats.custom_readers import tags_of_readers
from pyrave.formats.openrave_xml.elements.settings import declared, word_of_element
from pyrave.formats.openrave_xml.schema import ELEMENTS
from pyrave.formats.xml import local_name, to_xml_element
from pyrave.scene import Readable, XmlReadable
from pyrave.scene.readable import InnerKey

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope


class CustomContent:
    """Gives an interface element and its children to those who read them.

    The reader of the interface id gets the whole element but for the children that
    have readers of their own; what it may have read is then known, and not kept a
    second time. Readers of tags get single children, see `tags_of_readers`.

    Parameters
    ----------
    element, kind
        The element and its interface type.
    interface
        ``"Id args"`` of the element or of what includes it; may be empty.
    readables
        Receives (key, readable) pairs.
    report
        Warn of tags that nobody reads.
    inner
        The element is the ``<kinbody>`` of a robot.
    included
        A file gave content too: an element without content for the reader is not read,
        and one with content replaces what the file says, with a warning.
    """

    __slots__ = (
        "_inner",
        "_interface",
        "_kind",
        "_readables",
        "_readers",
        "_report",
        "_scope",
        "_whole",
        "words",
    )

    def __init__(
        self,
        element: Any,
        scope: Scope,
        kind: str,
        interface: str,
        readables: list[tuple[str, Readable]],
        *,
        report: bool = True,
        included: bool = False,
        inner: bool = False,
    ) -> None:
        self._inner = inner
        self._scope = scope
        self._kind = kind
        self._readers = scope.load.readers(kind)
        self._readables = readables
        self._report = report
        self._whole = False
        self._interface = interface
        self.words: list[str] = []
        """Settings of the interface, as ``name=value``."""
        words = interface.split(maxsplit=1)
        if not words:
            return
        own = any(key.lower() == "type" for key in element.keys())  # noqa: SIM118 - lxml
        known = scope.check_interface(element, kind, words[0], report=own)
        key = words[0].lower()
        own_tags, is_read = tags_of_readers(element, key, self._readers.__getitem__)
        reader = self._readers[key] if is_read else None
        self._report = report and known and reader is None
        if reader is None:
            return
        if included and self._is_generic(element):
            self._whole = True
            return
        self._whole, found = scope.custom(reader, element, own_tags)
        if found is None:
            return
        if included:
            scope.warn(
                element,
                "content-replaced",
                f"what stands in <{local_name(element)}> replaces what its file says "
                f"for {words[0]!r}",
                "repeat here what shall stay, or write it into the file",
            )
            readables[:] = [item for item in readables if item[0].lower() != key]
        readables.append((words[0], found))

    def _is_generic(self, element: Any) -> bool:
        """Return True if an element has only tags that are not the id reader's."""
        known = ELEMENTS[self._kind].tags
        return all(local_name(child) in known for child in element)

    def take(self, tag: str, child: Any) -> bool:
        """Give a child to the reader of its tag; return False if there is none."""
        reader = self._readers[tag]
        if reader is None:
            return False
        done, found = self._scope.custom(reader, child)
        if not done:
            found = XmlReadable(to_xml_element(child, self._scope.file))
        if found is not None:
            self._add(tag, found)
        return True

    def keep_misplaced(self, child: Any) -> None:
        """Keep a tag of a ``<kinbody>`` that stands right inside a ``<robot>``."""
        if self._whole:
            return
        scope, tag = self._scope, local_name(child)
        scope.warn(
            child,
            "unused-tag",
            f"<{tag}> is not read right inside a <robot>, as in OpenRAVE",
            "put it into a <kinbody> of the robot",
        )
        self._readables.append((tag, XmlReadable(to_xml_element(child, scope.file))))

    def keep(self, child: Any) -> None:
        """Keep a child that nothing reads as plain XML, unless all was read."""
        if self._whole:
            return
        scope = self._scope
        word = word_of_element(child, scope, self._kind, self._interface)
        if word is not None:
            self.words += [word] if word else []
            return
        settings = declared(scope, self._kind, self._interface)
        tags = (*ELEMENTS[self._kind].tags, *scope.load.reader_tags(self._kind))
        # what has settings is known, and so are all of them
        report = self._report or bool(settings)
        self._add(*scope.unknown_tag(child, (*settings, *tags), report=report))

    def _add(self, key: str, found: Readable) -> None:
        self._readables.append((InnerKey(key) if self._inner else key, found))
