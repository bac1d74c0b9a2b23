"""Elements that know where they stand, in the file or in one that it includes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NoReturn

from pyrave.errors import SceneError
from pyrave.scene import Location, XmlElement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_SHOWN = 60
_BLOCK = 1024


class Text:
    """The characters of one file; says where elements stand, for messages.

    Parameters
    ----------
    file
        Absolute path, or a name such as ``<string>``.
    characters
        All of the file, decoded.
    folder
        Where relative names start from, or None: the working directory.
    named_at
        Where the file is included, for example ``("scene.wc.xml:12",)``.
    """

    def __init__(
        self,
        file: str,
        characters: str,
        folder: str | None,
        named_at: tuple[str, ...] = (),
    ) -> None:
        self.file = file
        self.characters = characters
        self.folder = folder
        self.named_at = named_at
        self._blocks: list[tuple[int, int]] | None = None

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of a character, counted from 1."""
        if self._blocks is None:
            self._blocks = list(self._counted())
        block = offset // _BLOCK
        line, last = self._blocks[block]
        start = block * _BLOCK
        line += self.characters.count("\n", start, offset)
        end = self.characters.rfind("\n", start, offset)
        return line + 1, offset - (last if end < 0 else end)

    def _counted(self) -> Iterator[tuple[int, int]]:
        """Yield the number of lines before each block of characters, and its start."""
        lines, last = 0, -1
        for start in range(0, len(self.characters) + 1, _BLOCK):
            yield lines, last
            stop = start + _BLOCK
            lines += self.characters.count("\n", start, stop)
            end = self.characters.rfind("\n", start, stop)
            last = last if end < 0 else end

    def position(self, element: CellNode) -> tuple[int, int]:
        """Return (line, column) of an element's start tag, counted from 1."""
        return element.document.line_and_column(element.offset)

    def element_path(self, element: CellNode) -> str:
        """Return for example ``workcell/frame[2]/property``."""
        parts: list[str] = []
        node: CellNode | None = element
        while node is not None:
            name = node.tag.lower()
            if node.parent is not None:
                name += node.parent.index(node)
            parts.append(name if len(name) <= _MAX_SHOWN else name[:_MAX_SHOWN] + "…")
            node = node.parent
        return "/".join(reversed(parts))


class CellNode:
    """An element; its names as written. Belongs to one load.

    Parameters
    ----------
    attributes
        As written; elements share them.
    parent
        None of a root, and of what stands in nothing that is read.
    """

    __slots__ = (
        "_indices",
        "_location",
        "attributes",
        "children",
        "document",
        "offset",
        "parent",
        "tag",
        "text",
    )

    def __init__(
        self,
        tag: str,
        attributes: Mapping[str, str],
        document: Text,
        offset: int,
        parent: CellNode | None,
        text: str = "",
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.document = document
        self.offset = offset
        self.parent = parent
        self.children: list[CellNode] = []
        self.text = text
        """All text that stands right in the element, as written."""
        self._location: Location | None = None
        self._indices: dict[CellNode, str] | None = None

    def __repr__(self) -> str:
        return f"<{self.tag} at {self.location}>"

    def __iter__(self) -> Iterator[CellNode]:
        return iter(self.children)

    def __len__(self) -> int:
        return len(self.children)

    def __bool__(self) -> bool:
        return True

    @property
    def location(self) -> Location:
        """Location of its start tag."""
        if self._location is None:
            line, column = self.document.line_and_column(self.offset)
            self._location = Location(self.document.file, line, column)
        return self._location

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return an attribute as written."""
        return self.attributes.get(name, default)

    def index(self, child: CellNode) -> str:
        """Return ``[i]`` of a child that is not the only one of its tag."""
        if self._indices is None:
            counts = Counter(one.tag for one in self.children)
            seen = Counter[str]()
            self._indices = {}
            for one in self.children:
                seen[one.tag] += 1
                several = counts[one.tag] > 1
                self._indices[one] = f"[{seen[one.tag]}]" if several else ""
        return self._indices.get(child, "")

    def refuse(self, code: str, message: str) -> NoReturn:
        """Raise a SceneError at this element: reading on would cost too much."""
        place = self.location
        raise SceneError.refusal(
            code,
            message,
            file=place.file,
            line=place.line,
            column=place.column,
            named_at=self.document.named_at,
        )

    def to_xml(self) -> XmlElement:
        """Return the element as plain data; what stands around its texts is cut."""
        return XmlElement(
            self.tag,
            tuple(self.attributes.items()),
            self.text.strip(),
            tuple(child.to_xml() for child in self.children),
            location=self.location,
        )
