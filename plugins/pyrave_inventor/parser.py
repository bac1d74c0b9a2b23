"""Base of the parsers of both encodings: nodes with names, uses and children."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NoReturn

from pyrave.errors import did_you_mean
from pyrave_inventor.tree import MAX_DEPTH, Budget, InventorNode

if TYPE_CHECKING:
    from pyrave_inventor.document import Document


class NodeParser(ABC):
    """Reads the nodes of one file; `nodes` gives those at its top.

    Parameters
    ----------
    depth
        How deep the node that includes this file is nested.
    """

    def __init__(self, document: Document, budget: Budget, depth: int = 0) -> None:
        self.document = document
        self.budget = budget
        self.depth = depth
        self.at = document.start
        self._data = document.data
        self._named: dict[str, InventorNode | None] = {}

    @abstractmethod
    def nodes(self) -> list[InventorNode]:
        """Return the nodes up to the end of the file.

        Raises
        ------
        SceneError
            The file is malformed.
        """

    @abstractmethod
    def word(self, what: str) -> str:
        """Read a name; `what` tells messages which."""

    @abstractmethod
    def _body(self, name: str, start: int) -> InventorNode:
        """Read what follows the type of a node, which starts at `start`."""

    def skip(self) -> None:
        """Pass over what stands between words."""

    def node(self) -> InventorNode | None:
        """Read ``NULL``, ``USE name``, or a node with or without ``DEF name``."""
        self.skip()
        start = self.at
        word = self.word("a node")
        if word == "NULL":
            return None
        if word == "USE":
            return self._used(self.word("a name"), start)
        name = None
        if word == "DEF":
            name = self.word("a name")
            # a name that is defined but not known yet: its own content asks for it
            self._named[name] = None
            self.skip()
            start = self.at
            word = self.word("a node type")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"nodes are nested deeper than {MAX_DEPTH}", start)
        node = self._body(word, start)
        self.depth -= 1
        if name is not None:
            self._named[name] = node
        return node

    def _used(self, name: str, start: int) -> InventorNode:
        node = self._named.get(name)
        if node is None:
            if name in self._named:
                self.fail(f"node {name!r} contains itself", start)
            near = did_you_mean(name, self._named)
            self.fail(f"USE of {name!r}, which no DEF names{near}", start)
        return node

    def fail(
        self, message: str, at: int | None = None, hint: str | None = None
    ) -> NoReturn:
        """Raise an error at a place, by default the present one."""
        raise self.document.error(message, self.at if at is None else at, hint)
