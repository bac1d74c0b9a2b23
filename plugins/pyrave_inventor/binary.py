"""The binary encoding of Inventor 2.0 and 2.1.

Everything comes in words of four bytes, most significant first. Texts are a length and
bytes, padded. A node is its type name, flags (2.1 only), the number of its fields, each
as name, value and flags, and, for groups, the number of children and the children.
``DEF`` and a name come before a node, ``USE`` and a name stand for one.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import did_you_mean
from pyrave_inventor.parser import NodeParser
from pyrave_inventor.schema import FIELD_TYPES, FieldType, NodeType, node_type
from pyrave_inventor.tree import Budget, InventorNode

if TYPE_CHECKING:
    from pyrave_inventor.document import Document

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


class BinaryParser(NodeParser):
    """Reads words of four bytes."""

    def __init__(self, document: Document, budget: Budget, depth: int = 0) -> None:
        super().__init__(document, budget, depth)
        self._flagged = document.version > 20

    def nodes(self) -> list[InventorNode]:
        """Return the nodes up to the end of the file; see `NodeParser.nodes`."""
        found = []
        while self.at < len(self._data):
            if self._data.startswith(b"\0\0\0\0", self.at):
                if self._data[self.at :].strip(b"\0"):
                    self.fail("expected a node type or the end of the file")
                break  # padding
            node = self.node()
            if node is not None:
                found.append(node)
        return found

    def _body(self, name: str, start: int) -> InventorNode:
        self.budget.spend("nodes", 1, self.document, start)
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
                type_name, field_name = self.word(), self.word()
                kinds.setdefault(field_name, self._field_type(type_name, type_at))
        elif known is None:
            self.fail(
                f"the node type {name!r} is not known, and the file does not describe "
                "its fields",
                start,
                "convert the file to '#Inventor V2.1 ascii'",
            )
        node = InventorNode(known or NodeType(name, "-"), self.document, start)
        for _ in range(count):
            self._field(node, kinds)
        if is_group:
            for _ in range(self._count(4)):
                child = self.node()
                if child is not None:
                    node.children.append(child)
        return node

    def _field_type(self, name: str, at: int) -> FieldType:
        kind = FIELD_TYPES.get(name)
        if kind is None:
            self.fail(f"fields of type {name!r} are not known", at)
        return kind

    def _field(self, node: InventorNode, kinds: dict[str, FieldType]) -> None:
        start = self.at
        name = self.word()
        kind = kinds.get(name)
        if kind is None:
            near = did_you_mean(name, kinds)
            self.fail(f"{node.type.name} has no field {name!r}{near}", start)
        used = name in node.type.used
        value = self._value(kind, used=used)
        if used:
            node.fields[name] = value
        if self._int() & _CONNECTED:
            self.node()
            self.word()

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
            self.fail(
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
            self.fail(f"an image of {width} x {height} pixels has no meaning", start)
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

    def word(self, what: str = "a name") -> str:
        """Read a text of reasonable length."""
        start = self.at
        name = self._string()
        if not 0 < len(name) <= _LONGEST_NAME:
            self.fail(f"expected {what}, found {len(name)} characters", start)
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
            self.fail(
                f"{count} items are announced, but {len(self._data) - self.at} bytes "
                "follow",
                start,
            )
        return count

    def _take(self, size: int) -> None:
        """Pass over bytes."""
        if size > len(self._data) - self.at:
            self.fail("the file is cut off")
        self.at += size


_READERS = {
    "bool": "_bool",
    "string": "_string",
    "enum": "_string",
    "flags": "_flags",
    "node": "node",
}
