"""Prototypes of VRML 97: node types that a file defines itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave_inventor.schema import FIELD_TYPES, FieldType, NodeType
from pyrave_inventor.tree import Node

if TYPE_CHECKING:
    from pyrave_inventor.text import TextParser

_EVENTS = {"eventIn", "eventOut"}
_VALUES = {"field", "exposedField"}
# what an instance costs besides the bytes of its body
_OVERHEAD = 64


@dataclass(slots=True)
class Prototype:
    """A declared node type.

    Parameters
    ----------
    fields
        Type and default of each field; None for an event.
    body
        Where its nodes begin and end in the file; None for one of another file.
    open
        Whether it is being expanded.
    """

    name: str
    fields: dict[str, tuple[FieldType, Any] | None]
    body: tuple[int, int] | None
    open: bool = False


def declare(parser: TextParser, *, external: bool) -> None:
    """Read a declaration behind its keyword."""
    start = parser.at
    name = parser.word("the name of a prototype")
    fields = _interface(parser, external=external)
    if external:
        parser.value(FIELD_TYPES["MFString"])
        parser.warn_once(
            f"the prototype {name!r} of another file is passed over", start
        )
        parser.prototypes[name] = Prototype(name, fields, None)
        return
    parser.prototypes[name] = Prototype(name, fields, parser.pass_braces())


def _interface(
    parser: TextParser, *, external: bool
) -> dict[str, tuple[FieldType, Any] | None]:
    fields: dict[str, tuple[FieldType, Any] | None] = {}
    parser.expect(b"[")
    while parser.peek() != b"]":
        start = parser.at
        access = parser.word("field, exposedField, eventIn, eventOut or ']'")
        if access not in _EVENTS | _VALUES:
            parser.fail(
                f"found {access!r}, expected field, exposedField, eventIn or eventOut",
                start,
            )
        type_at = parser.at
        type_name = parser.word("a field type")
        kind = FIELD_TYPES.get(type_name)
        if kind is None:
            parser.fail(f"{type_name!r} is no field type", type_at)
        name = parser.word("the name of a field")
        fields[name] = None
        if access in _VALUES:
            fields[name] = (kind, None if external else parser.value(kind))
    parser.at += 1
    return fields


def instantiate(parser: TextParser, prototype: Prototype, start: int) -> Node:
    """Read a node of a prototype; return the first node of what it stands for."""
    listed = {name: bound[0] for name, bound in prototype.fields.items() if bound}
    kind = NodeType(prototype.name, "-", listed, frozenset(listed))
    instance = Node(kind, parser.document, start)
    parser.expect(b"{")
    parser.fields(instance)
    if prototype.body is None:
        return instance
    if prototype.open:
        parser.fail(f"the prototype {prototype.name!r} contains itself", start)
    begin, end = prototype.body
    cost = end - begin + _OVERHEAD * (1 + len(parser.prototypes))
    parser.budget.spend("expanded", cost, parser.document, start)
    values = {
        name: bound and (bound[0], instance.fields.get(name, bound[1]))
        for name, bound in prototype.fields.items()
    }
    prototype.open = True
    with parser.inside(begin, values):
        nodes: list[Node] = []
        while parser.peek() != b"}":
            parser.statement(nodes)
    prototype.open = False
    if not nodes:
        parser.fail(f"the prototype {prototype.name!r} has no node", start)
    return nodes[0]
