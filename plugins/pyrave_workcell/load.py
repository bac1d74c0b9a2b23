"""Reports and bounds of the readers of WorkCells and Dynamic WorkCells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.formats.readings import Reading
from pyrave_workcell.vocabulary import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave.formats import ReadContext
    from pyrave.formats.readings import DocumentPlace
    from pyrave_workcell.syntax import CellNode

_MAX_CHARACTERS = 4_000_000


class RobworkReading(Reading):
    """The problems of one load of a file, and what its values have cost.

    `known` are the numbers of texts that were read, and are right.
    """

    def __init__(self, context: ReadContext) -> None:
        super().__init__(context)
        # files repeat their numbers, most of all those of poses
        self.known: dict[str, tuple[float, ...]] = {}
        self._n_characters = 0

    def place_of(self, element: CellNode) -> DocumentPlace:
        """Return the document that an element is in."""
        document = element.document
        return document, document.folder, document.named_at

    def note_idle(self, owner: str, node: CellNode) -> None:
        """Report the parts of an element that act nowhere.

        Parameters
        ----------
        owner
            What the vocabulary calls it.
        """
        for child in node:
            meaning = ELEMENTS[owner].get(child.tag)
            if meaning is not None and not meaning.acts and meaning.told:
                self.idle.note(f"<{node.tag}>", child.tag, child)

    def last_counts(self, node: CellNode, tags: Collection[str]) -> None:
        """Report children that stand there again, and take the place of the first."""
        seen: set[str] = set()
        for child in node:
            if child.tag in seen:
                self.warn(
                    child,
                    "repeated-item",
                    f"duplicate <{child.tag}> in <{node.tag}>; the last counts",
                    "delete the others",
                )
            elif child.tag in tags:
                seen.add(child.tag)

    def spend(self, node: CellNode, text: str) -> None:
        """Count what numbers cost, before they are read."""
        self._n_characters += len(text)
        if self._n_characters > _MAX_CHARACTERS:
            node.refuse(
                "too-complex",
                f"numbers have more than {_MAX_CHARACTERS} characters in all",
            )
