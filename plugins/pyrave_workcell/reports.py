"""Reports and bounds of the readers of WorkCells and Dynamic WorkCells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.errors import nearest
from pyrave.formats.vocabulary import IdleElements
from pyrave_workcell.vocabulary import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pyrave.formats import ReadContext
    from pyrave_workcell.syntax import Node

_MAX_NEAR = 100
_MAX_CHARACTERS = 4_000_000


class Reports:
    """The problems of one load of a file, and what its values have cost.

    `known` are the numbers of texts that were read, and are right.
    """

    def __init__(self, context: ReadContext) -> None:
        self.context = context
        self.reports = 0
        self.idle = IdleElements()
        """Elements that act nowhere."""
        # files repeat their numbers, most of all those of poses
        self.known: dict[str, tuple[float, ...]] = {}
        self._n_near = 0
        self._n_characters = 0

    def warn(
        self, node: Node, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that is left out or mended."""
        self.reports += 1
        document = node.document
        self.context.diagnostics.warning(
            code, message, document, node, hint, named_at=document.named_at
        )

    def note(
        self, node: Node, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that is neither wrong nor lost."""
        self.reports += 1
        document = node.document
        self.context.diagnostics.note(
            code, message, document, node, hint, named_at=document.named_at
        )

    def error(
        self, node: Node, code: str, message: str, hint: str | None = None
    ) -> None:
        """Report something that refuses the scene."""
        self.reports += 1
        document = node.document
        self.context.diagnostics.error(
            code, message, document, node, hint, named_at=document.named_at
        )

    def note_idle(self, owner: str, node: Node) -> None:
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

    def near(self, name: str, known: Iterable[str]) -> str | None:
        """Return the known name most like one; None after a hundred of them."""
        self._n_near += 1
        return nearest(name, known) if self._n_near <= _MAX_NEAR else None

    def suggestion(
        self, name: str, known: Iterable[str], form: str = "{!r}"
    ) -> str | None:
        """Return a hint to the nearest name."""
        near = self.near(name, known)
        return f"did you mean {form.format(near)}?" if near else None

    def last_counts(self, node: Node, tags: Collection[str]) -> None:
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

    def spend(self, node: Node, text: str) -> None:
        """Count what numbers cost, before they are read."""
        self._n_characters += len(text)
        if self._n_characters > _MAX_CHARACTERS:
            node.refuse(
                "too-complex",
                f"numbers have more than {_MAX_CHARACTERS} characters in all",
            )
