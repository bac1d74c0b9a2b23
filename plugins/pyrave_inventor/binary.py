"""The binary encoding of Inventor 2.0 and 2.1.

Everything comes in words of four bytes, most significant first. Texts are a length and
bytes, padded. A node is its type name, flags (2.1 only), the number of its fields, each
as name, value and flags, and, for groups, the number of children and the children.
``DEF`` and a name come before a node, ``USE`` and a name stand for one.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pyrave.errors import did_you_mean
from pyrave_inventor.schema import FIELD_TYPES, FieldType, NodeType, node_type
from pyrave_inventor.tree import MAX_DEPTH, Budget, Node

if TYPE_CHECKING:
    from pyrave_inventor.document import Document

__all__ = ["BinaryParser"]

_IS_GROUP = 2
_FIELD_COUNT = 0xFF
_NOT_BUILT_IN = 0x4000
_CONNECTED = 2
_LONGEST_NAME = 1000
_GROUP_ROLES = {
    "group",
    "separator",
    "transform_separator",
    "switch",
    "first_child",
    "array",
    "multiple_copy",
}
_DTYPES = {"float": ">f4", "int": ">i4", "double": ">f8"}


class BinaryParser:
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
        self._flagged = document.version > 20
        self._named: dict[str, Node | None] = {}

    def nodes(self) -> list[Node]:
        """Return the nodes up to the end of the file.

        Raises
        ------
        SceneError
            The file is malformed.
        """
        found = []
        while self.at < len(self._data):
            if self._data.startswith(b"\0\0\0\0", self.at):
                if self._data[self.at :].strip(b"\0"):
                    self._fail("expected a node type or the end of the file")
                break  # padding
            node = self._node()
            if node is not None:
                found.append(node)
        return found

    def _node(self) -> Node | None:
        start = self.at
        word = self._name()
        if word == "NULL":
            return None
        if word == "USE":
            return self._used(self._name(), start)
        name = None
        if word == "DEF":
            name = self._name()
            # a name that is defined but not known yet: its own content asks for it
            self._named[name] = None
            start, word = self.at, self._name()
        self.budget.spend("nodes", 1, self.document, start)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._fail(f"nodes are nested deeper than {MAX_DEPTH}", start)
        node = self._body(word, start)
        self.depth -= 1
        if name is not None:
            self._named[name] = node
        return node

    def _used(self, name: str, start: int) -> Node:
        node = self._named.get(name)
        if node is None:
            if name in self._named:
                self._fail(f"node {name!r} contains itself", start)
            near = did_you_mean(name, self._named)
            self._fail(f"USE of {name!r}, which no DEF names{near}", start)
        return node

    def _body(self, name: str, start: int) -> Node:
        known = node_type(name, self.document.dialect)
        is_group = known is not None and known.role in _GROUP_ROLES
        if self._flagged:
            is_group = bool(self._int() & _IS_GROUP)
        # before 2.1 a plain group has no fields, not even their number
        control = 0 if name == "Group" and not self._flagged else self._int()
        count = control & _FIELD_COUNT
        kinds = {} if known is None else dict(known.fields)
        if control & _NOT_BUILT_IN:
            for _ in range(count):
                type_at = self.at
                type_name, field_name = self._name(), self._name()
                kinds.setdefault(field_name, self._field_type(type_name, type_at))
        elif known is None:
            self._fail(
                f"the node type {name!r} is not known, and the file does not describe "
                "its fields",
                start,
                "convert the file to '#Inventor V2.1 ascii'",
            )
        node = Node(known or NodeType(name, "-"), self.document, start)
        for _ in range(count):
            self._field(node, kinds)
        if is_group:
            for _ in range(self._count(4)):
                child = self._node()
                if child is not None:
                    node.children.append(child)
        return node

    def _field_type(self, name: str, at: int) -> FieldType:
        kind = FIELD_TYPES.get(name)
        if kind is None:
            self._fail(f"fields of type {name!r} are not known", at)
        return kind

    def _field(self, node: Node, kinds: dict[str, FieldType]) -> None:
        start = self.at
        name = self._name()
        kind = kinds.get(name)
        if kind is None:
            near = did_you_mean(name, kinds)
            self._fail(f"{node.type.name} has no field {name!r}{near}", start)
        used = name in node.type.used
        value = self._value(kind, used=used)
        if used:
            node.fields[name] = value
        if self._int() & _CONNECTED:
            self._node()
            self._name()

    # --- values

    def _value(self, kind: FieldType, *, used: bool) -> Any:
        """Read the value of a field; None for numbers that are not `used`."""
        if kind.kind in _DTYPES:
            return self._numbers(kind, used=used)
        if kind.kind == "image":
            return self._image()
        if kind.kind == "trigger":
            return None
        read = getattr(self, _READERS[kind.kind])
        if not kind.many:
            return read()
        found = (read() for _ in range(self._count(4)))
        return [one for one in found if one is not None]

    def _numbers(self, kind: FieldType, *, used: bool) -> Any:
        dtype = np.dtype(_DTYPES[kind.kind])
        size = kind.width * dtype.itemsize
        count = self._count(size) if kind.many else 1
        start = self.at
        self._take(count * size)
        if not used:
            return None
        raw = np.frombuffer(self._data, dtype, count * kind.width, start)
        values: Any = raw.astype(np.int64 if kind.kind == "int" else np.float64)
        if kind.kind != "int" and not np.isfinite(values).all():
            first = int(np.argmin(np.isfinite(values)))
            self._fail(
                f"found {values[first]}, expected a finite number",
                start + first * dtype.itemsize,
            )
        if not kind.many:
            return values.item() if kind.width == 1 else values
        return values.reshape(-1, kind.width) if kind.width > 1 else values

    def _image(self) -> None:
        start = self.at
        width, height, components = self._int(), self._int(), self._int()
        if width < 0 or height < 0 or not 0 <= components <= 4:
            self._fail(f"an image of {width} x {height} pixels has no meaning", start)
        if self._flagged:
            self._take(-(-width * height * components // 4) * 4)
        else:
            self._take(width * height * 4)

    def _bool(self) -> bool:
        return self._int() != 0

    def _flags(self) -> frozenset[str]:
        found = set()
        while name := self._string():
            found.add(name)
        return frozenset(found)

    def _string(self) -> str:
        length = self._count(1)
        start = self.at
        self._take(-(-length // 4) * 4)
        return self._data[start : start + length].decode("utf-8", "replace")

    # --- words

    def _name(self) -> str:
        start = self.at
        name = self._string()
        if not 0 < len(name) <= _LONGEST_NAME:
            self._fail(f"found a name of {len(name)} characters", start)
        return name

    def _int(self) -> int:
        start = self.at
        self._take(4)
        value: int = struct.unpack_from(">i", self._data, start)[0]
        return value

    def _count(self, size: int) -> int:
        """Read how many items of at least `size` bytes follow."""
        start = self.at
        count = self._int()
        if not 0 <= count * size <= len(self._data) - self.at:
            self._fail(
                f"{count} items are announced, but {len(self._data) - self.at} bytes "
                "follow",
                start,
            )
        return count

    def _take(self, size: int) -> None:
        """Pass over bytes."""
        if size > len(self._data) - self.at:
            self._fail("the file is cut off")
        self.at += size

    def _fail(
        self, message: str, at: int | None = None, hint: str | None = None
    ) -> NoReturn:
        raise self.document.error(message, self.at if at is None else at, hint)


_READERS = {
    "bool": "_bool",
    "string": "_string",
    "enum": "_string",
    "flags": "_flags",
    "node": "_node",
}
