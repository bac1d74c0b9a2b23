"""The tree of nodes that both encodings give, and how large it may grow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.geometry import ClippingBudget

if TYPE_CHECKING:
    from pyrave_inventor.document import Document
    from pyrave_inventor.schema import NodeType

MAX_DEPTH = 100
"""Deepest nesting of nodes, those of included files counted too."""


@dataclass(slots=True, eq=False)
class InventorNode:
    """One node; nodes that a file refers to again are shared.

    Parameters
    ----------
    fields
        Values of the fields that the file gives and that matter for triangles:
        float, int, bool, str, frozenset of flags, Node, None, or (n,) or (n, k)
        arrays, lists of str or lists of nodes for fields with many values.
    at
        Where it starts in its document.
    """

    type: NodeType
    document: Document
    at: int
    fields: dict[str, Any] = field(default_factory=dict)
    children: list[InventorNode] = field(default_factory=list)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a field, or `default` where the file gives none."""
        return self.fields.get(name, default)


@dataclass(slots=True)
class Budget:
    """Budget of a file and all that it includes.

    A few bytes can ask for a lot: nodes used again and again, prototypes of
    prototypes, grids without data.
    """

    nodes: int = 500_000
    visits: int = 500_000
    corners: int = 30_000_000
    triangles: int = 5_000_000
    expanded: int = 4_000_000
    inclusions: int = 1000
    clipping: ClippingBudget = field(default_factory=ClippingBudget)
    _reported: set[str] = field(default_factory=set)

    def spend(self, name: str, amount: int, document: Document, at: int) -> None:
        """Take off an amount.

        Raises
        ------
        SceneError
            Nothing is left of it.
        """
        left = getattr(self, name) - amount
        setattr(self, name, left)
        if left < 0:
            raise document.error(
                f"the file is too large: {_MEANING[name]}", at, code="file-too-large"
            )

    def warn_once(self, message: str, document: Document, at: int) -> None:
        """Report something that is passed over, unless it or a lot has been."""
        if message not in self._reported and len(self._reported) < _MAX_WARNINGS:
            self._reported.add(message)
            document.warn(message, at)


_MAX_WARNINGS = 50
_MEANING = {
    "nodes": "more than 500 thousand nodes",
    "visits": "its nodes are used more than 500 thousand times",
    "corners": "its faces have more than 30 million corners",
    "triangles": "more than 5 million triangles",
    "inclusions": "it includes more than 1000 files",
    "expanded": "its prototypes expand to more than 4 million bytes",
}
