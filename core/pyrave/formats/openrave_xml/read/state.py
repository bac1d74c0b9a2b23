"""State of one load: included files, custom readers, names that are known."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.formats.vocabulary import IdleElements
from pyrave.formats.xml import Document, XmlLimits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats.context import ReadContext, XmlReader
    from pyrave.scene import SceneDescription

# robots that hold their triangles themselves have a hundred megabytes
_LIMITS = XmlLimits(file_bytes=128 * 1024 * 1024, long_texts=True)


class _Readers(dict[str, "XmlReader | None"]):
    """Custom readers of one interface type; each name is asked for once."""

    def __init__(self, context: ReadContext, interface_type: str) -> None:
        super().__init__()
        self._find = partial(context.find_reader, interface_type)

    def __missing__(self, name: str) -> XmlReader | None:
        found = self[name] = self._find(name)
        return found


class LoadState:
    """One load of a file with everything it includes; belongs to one thread.

    Attributes
    ----------
    found
        Path of every file that was looked up, in order.
    inclusions, elements, revisits
        How many files were included so far, the elements of all files, and how often
        elements changed others.
    documents, scenes
        Included files, and what readers of other formats say of such.
    open
        Real paths of the files that include each other, the main one first.
    idle
        What acts nowhere: (scope, element).
    near
        Known names most like unknown ones, by these and what is known.
    snapshots
        What files gave to bodies (`Snapshot`), by what that depends on.
    """

    def __init__(self, context: ReadContext) -> None:
        self.context = context
        self.diagnostics = context.diagnostics
        self.limits = context.limits or _LIMITS
        self.documents: dict[str, Document | None] = {}
        self.open: list[str] = []
        self.found: list[str] = []
        self.inclusions = 0
        self.elements = 0
        self.revisits = 0
        self.idle = IdleElements()
        self.near: dict[tuple[str, tuple[str, ...]], str | None] = {}
        self.snapshots: dict[object, Any] = {}
        self.scenes: dict[object, SceneDescription] = {}
        self._known: dict[str, frozenset[str]] = {}
        self._reader_tags: dict[str, tuple[str, ...]] = {}
        self._readers: dict[str, _Readers] = {}

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
        if tags is None:
            return ()
        if interface_type not in self._reader_tags:
            self._reader_tags[interface_type] = tuple(tags(interface_type))
        return self._reader_tags[interface_type]

    def known_interfaces(self, interface_type: str) -> frozenset[str] | None:
        """Return the ids that plugins offer, None if that is not known."""
        lookup = self.context.known_interfaces
        if lookup is None:
            return None
        if interface_type not in self._known:
            self._known[interface_type] = frozenset(lookup(interface_type))
        return self._known[interface_type]
