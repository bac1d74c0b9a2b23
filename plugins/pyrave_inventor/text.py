"""The text encoding: a tree of nodes from the words of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean
from pyrave_inventor.number_lists import (
    NUMBER,
    NotANumberError,
    parse_floats,
    parse_integers,
)
from pyrave_inventor.parser import NodeParser
from pyrave_inventor.schema import FIELD_TYPES, FieldType, NodeType, node_type
from pyrave_inventor.tree import Budget, InventorNode

if TYPE_CHECKING:
    from pyrave_inventor.document import Document

_SPACE = re.compile(rb"(?:[\s,]++|#[^\r\n]*+)*+")
_WORD = re.compile(rb"[^\s,{}\[\]()\"'#|=~]++")
_WORD_97 = re.compile(rb"[^\s,{}\[\]\"'#]++")
_STRING = re.compile(rb'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_LIST = re.compile(rb"(?:[^\]#]++|#[^\r\n]*+)*+\]")
_VALUE = re.compile(NUMBER + rb'|"(?:[^"\\]++|\\.)*+"|(?:TRUE|FALSE)\b', re.DOTALL)
_MARK = re.compile(rb'[{}\[\]]|"(?:[^"\\]++|\\.)*+"|#[^\r\n]*+|\bisA\b', re.DOTALL)
_UNKNOWN = NodeType("unknown", "-")
_SHOWN = 60
_EVENTS = {"eventIn", "eventOut"}
_VALUES = {"field", "exposedField"}
# what an instance of a prototype costs besides the bytes of its body
_OVERHEAD = 64


@dataclass(slots=True)
class Prototype:
    """A node type that a VRML 97 file declares.

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


class TextParser(NodeParser):
    """Reads the words of a text."""

    def __init__(self, document: Document, budget: Budget, depth: int = 0) -> None:
        super().__init__(document, budget, depth)
        self.prototypes: dict[str, Prototype] = {}
        self.bindings: dict[str, Any] | None = None
        self._names = _WORD_97 if document.dialect == "vrml97" else _WORD

    # --- statements

    def nodes(self) -> list[InventorNode]:
        """Return the nodes up to the end of the file; see `NodeParser.nodes`."""
        found: list[InventorNode] = []
        while self.peek():
            self.statement(found)
        return found

    def statement(self, found: list[InventorNode]) -> None:
        """Read a node, which is appended to `found`, or something else."""
        start = self.at
        word = self.word("a node")
        if not self.declaration(word):
            self.at = start
            node = self.node()
            if node is not None:
                found.append(node)

    def declaration(self, word: str) -> bool:
        """Read what follows a word that starts no node; False if it may start one."""
        if word == "ROUTE":
            for _ in range(3):
                self.word("a route, like ROUTE a.x TO b.y")
        elif word in {"PROTO", "EXTERNPROTO"}:
            self._declare_prototype(external=word == "EXTERNPROTO")
        else:
            return False
        return True

    def _body(self, name: str, start: int) -> InventorNode:
        if self.peek() != b"{":
            self.fail(f"expected '{{' behind the node type {name!r}, {self.found()}")
        self.budget.spend("nodes", 1, self.document, start)
        prototype = self.prototypes.get(name)
        if prototype is not None:
            return self._instantiate(prototype, start)
        known = node_type(name, self.document.dialect)
        if known is None or (self.document.dialect == "vrml97" and not known.fields):
            return self._unlisted(name, known, start)
        node = InventorNode(known, self.document, start)
        self.expect(b"{")
        self.fields(node)
        return node

    def fields(self, node: InventorNode) -> None:
        """Read fields and children up to and with the closing brace."""
        known = node.type.fields
        while True:
            char = self.peek()
            if char == b"}":
                self.at += 1
                return
            start = self.at
            word = self.word(f"a field of {node.type.name} or '}}'")
            kind = known.get(word)
            if kind is not None:
                self.field(node, word, kind)
            elif word in {"fields", "inputs"} and self.peek() == b"[":
                self._skip_list()
            elif word == "isA" and self.peek() in {b"[", b'"'}:
                self.value(FIELD_TYPES["MFString"])
            elif word in {"DEF", "USE"} or self.peek() == b"{":
                self.at = start
                child = self.node()
                if child is not None:
                    node.children.append(child)
            elif not self.declaration(word):
                self._skip_field(node.type.name, word, start)

    def field(self, node: InventorNode, name: str, kind: FieldType) -> None:
        """Read the value of a field, and a connection of Inventor behind it."""
        start = self.at
        if self.peek() not in {b"~", b"="}:
            if self.bindings is not None and self._keyword(b"IS"):
                self._bound(self.bindings, node, name, start)
                return
            value = self.value(kind, used=name in node.type.used)
            if name in node.type.used:
                node.fields[name] = value
        if self.document.dialect == "vrml97":
            return
        if self.peek() == b"~":
            self.at += 1
        if self.peek() == b"=":
            self.at += 1
            self._connection()

    def _bound(
        self, bindings: dict[str, Any], node: InventorNode, name: str, start: int
    ) -> None:
        kind = node.type.fields[name]
        source = self.word("a field of the prototype")
        if source not in bindings:
            near = did_you_mean(source, bindings)
            self.fail(f"the prototype has no field {source!r}{near}", start)
        bound = bindings[source]
        if bound is None:
            return
        given, value = bound
        if given != kind:
            self.fail(
                f"{name} is {kind.name}, but the prototype's {source} is {given.name}",
                start,
            )
        if name in node.type.used:
            node.fields[name] = value

    def _connection(self) -> None:
        """Pass over ``node . field`` behind a field's value."""
        if self._keyword(b"USE"):
            name = self.word("a name")
            if "." in name.rstrip(".") and name not in self._named:
                return
        else:
            self.node()
        if self.word("'.' and the name of a field") == ".":
            self.word("the name of a field")

    # --- nodes that are passed over

    def _unlisted(self, name: str, known: NodeType | None, start: int) -> InventorNode:
        """Read a node whose fields are not known, by its braces and brackets."""
        begin = self.at
        for supertype in () if known else self._supertypes():
            listed = node_type(supertype, self.document.dialect)
            if listed is not None:
                node = InventorNode(listed, self.document, start)
                self.at = begin + 1
                self.fields(node)
                return node
        self.at = begin + 1
        self._pass_over()
        if known is None:
            self.warn_once(
                f"the node type {name!r} is not known and passed over", start
            )
        return InventorNode(known or _UNKNOWN, self.document, start)

    def _supertypes(self) -> list[str]:
        """Return the types in a node's ``isA``, for which it can be taken."""
        places = [at for at, depth in self._marks() if depth == 1]
        if not places:
            return []
        self.at = places[0]
        found: list[str] = self.value(FIELD_TYPES["MFString"])
        return found

    def pass_braces(self) -> tuple[int, int]:
        """Pass over a body unread; return where its content begins and ends."""
        self.expect(b"{")
        begin = self.at
        self.at -= 1
        for _ in self._marks():
            pass
        return begin, self.at - 1

    def _marks(self) -> Iterator[tuple[int, int]]:
        """Pass over a body; yield the end and the depth of each ``isA`` in it."""
        start, depth = self.at, 0
        for match in _MARK.finditer(self._data, self.at):
            mark = match.group()
            if mark in {b"{", b"["}:
                depth += 1
            elif mark in {b"}", b"]"}:
                depth -= 1
                if depth == 0:
                    self.at = match.end()
                    return
            elif mark == b"isA":
                yield match.end(), depth
        self.fail("the file ends in this node", start)

    def _pass_over(self) -> None:
        """Pass over the content of a body; nodes in it get their names."""
        while True:
            char = self.peek()
            if not char:
                self.fail(f"expected '}}', {self.found()}")
            if char == b"}":
                self.at += 1
                return
            if char == b'"':
                self.string()
                continue
            match = self._names.match(self._data, self.at)
            if match is None:
                if char == b"{":
                    self.fail("expected a node type before '{'")
                self.at += 1
                continue
            start = self.at
            self.at = match.end()
            word = match.group()
            if word == b"USE":
                # a script may use the node that it is in
                self.word("a name")
            elif word == b"DEF" or self.peek() == b"{":
                self.at = start
                self.node()

    # --- prototypes of VRML 97

    def _declare_prototype(self, *, external: bool) -> None:
        """Read a declaration behind its keyword."""
        start = self.at
        name = self.word("the name of a prototype")
        fields = self._prototype_fields(external=external)
        if external:
            self.value(FIELD_TYPES["MFString"])
            self.warn_once(
                f"the prototype {name!r} of another file is passed over", start
            )
            self.prototypes[name] = Prototype(name, fields, None)
            return
        self.prototypes[name] = Prototype(name, fields, self.pass_braces())

    def _prototype_fields(
        self, *, external: bool
    ) -> dict[str, tuple[FieldType, Any] | None]:
        fields: dict[str, tuple[FieldType, Any] | None] = {}
        self.expect(b"[")
        while self.peek() != b"]":
            start = self.at
            access = self.word("field, exposedField, eventIn, eventOut or ']'")
            if access not in _EVENTS | _VALUES:
                self.fail(
                    f"found {access!r}, expected field, exposedField, eventIn or "
                    "eventOut",
                    start,
                )
            type_at = self.at
            type_name = self.word("a field type")
            kind = FIELD_TYPES.get(type_name)
            if kind is None:
                self.fail(f"{type_name!r} is no field type", type_at)
            name = self.word("the name of a field")
            fields[name] = None
            if access in _VALUES:
                fields[name] = (kind, None if external else self.value(kind))
        self.at += 1
        return fields

    def _instantiate(self, prototype: Prototype, start: int) -> InventorNode:
        """Read a node of a prototype; return the first node that it stands for."""
        listed = {name: bound[0] for name, bound in prototype.fields.items() if bound}
        kind = NodeType(prototype.name, "-", listed, frozenset(listed))
        instance = InventorNode(kind, self.document, start)
        self.expect(b"{")
        self.fields(instance)
        if prototype.body is None:
            return instance
        if prototype.open:
            self.fail(f"the prototype {prototype.name!r} contains itself", start)
        begin, end = prototype.body
        cost = end - begin + _OVERHEAD * (1 + len(self.prototypes))
        self.budget.spend("expanded", cost, self.document, start)
        values = {
            name: bound and (bound[0], instance.fields.get(name, bound[1]))
            for name, bound in prototype.fields.items()
        }
        prototype.open = True
        nodes: list[InventorNode] = []
        with self._inside(begin, values):
            while self.peek() != b"}":
                self.statement(nodes)
        prototype.open = False
        if not nodes:
            self.fail(f"the prototype {prototype.name!r} has no node", start)
        return nodes[0]

    @contextmanager
    def _inside(self, begin: int, bindings: dict[str, Any]) -> Iterator[None]:
        """Read elsewhere for a while: the body of a prototype, with names of its own.

        Parameters
        ----------
        begin
            Where to read.
        bindings
            Values of the prototype's fields.
        """
        kept = (self.at, self._named, self.prototypes, self.bindings)
        self.at, self._named, self.bindings = begin, {}, bindings
        self.prototypes = dict(self.prototypes)
        yield
        self.at, self._named, self.prototypes, self.bindings = kept

    def _skip_field(self, owner: str, name: str, start: int) -> None:
        """Pass over a field that is not known, as far as its value can be found."""
        self.warn_once(f"{owner} has no field {name!r}; it is passed over", start)
        if self._keyword(b"IS"):
            self.word("a field of the prototype")
        elif self.peek() == b"[":
            self._skip_list()
        else:
            while self.peek():
                match = _VALUE.match(self._data, self.at)
                if match is None:
                    return
                self.at = match.end()

    def _skip_list(self) -> None:
        """Pass over brackets and what is in them."""
        start, depth = self.at, 0
        while True:
            char = self.peek()
            if not char:
                self.fail("this list is not closed", start)
            if char == b'"':
                self.string()
            elif char == b"[":
                self.at, depth = self.at + 1, depth + 1
            elif char == b"]":
                self.at, depth = self.at + 1, depth - 1
                if depth == 0:
                    return
            else:
                word = self._names.match(self._data, self.at)
                self.at = word.end() if word else self.at + 1

    def warn_once(self, message: str, at: int) -> None:
        """Report something that is passed over."""
        self.budget.warn_once(message, self.document, at)

    # --- values

    def value(self, kind: FieldType, *, used: bool = True) -> Any:
        """Read the value of a field; None for numbers that are not `used`."""
        many = kind.many and self.peek() == b"["
        if kind.kind in {"float", "int", "double"}:
            return self._numbers(kind, listed=many, used=used)
        if kind.kind == "image":
            return self._image()
        if kind.kind == "trigger":
            return None
        read = getattr(self, _READERS[kind.kind])
        if not kind.many:
            return read()
        if not many:
            return [read()]
        start = self.at
        self.at += 1
        found = []
        while self.peek() != b"]":
            if not self.peek():
                self.fail("this list is not closed", start)
            one = read()
            if one is not None:
                found.append(one)
        self.at += 1
        return found

    def _list_end(self, begin: int) -> int:
        """Return the place of a list's closing bracket, or -1."""
        # most lists are long and have no comment
        end = self._data.find(b"]", begin)
        if end < 0 or self._data.find(b"#", begin, end) < 0:
            return end
        match = _LIST.match(self._data, begin)
        return -1 if match is None else match.end() - 1

    def _numbers(self, kind: FieldType, *, listed: bool, used: bool) -> Any:
        start = self.at
        if listed:
            begin = self.at + 1
            end = self._list_end(begin)
            if end < 0:
                self.fail("this list is not closed", start)
            self.at = end + 1
            if not used:
                return None
            text = self._data[begin:end]
        else:
            self.skip()
            begin = self.at
            for _ in range(kind.width):
                self.word(f"{kind.name}, a number")
            text = self._data[begin : self.at]
        try:
            if kind.kind == "int":
                values: Any = parse_integers(text)
            else:
                values = parse_floats(text)
        except NotANumberError as error:
            what = "an integer" if kind.kind == "int" else "a number"
            self.fail(f"found {_shown(error.word)}, expected {what}", begin + error.at)
        if not kind.many:
            return values.item() if kind.width == 1 else values
        if kind.width > 1:
            if len(values) % kind.width:
                self.fail(
                    f"a list of {kind.name} has {len(values)} numbers, expected a "
                    f"multiple of {kind.width}",
                    start,
                )
            values = values.reshape(-1, kind.width)
        return values

    def _image(self) -> None:
        width, height, components = (
            self._numbers(FIELD_TYPES["SFInt32"], listed=False, used=True)
            for _ in range(3)
        )
        if width < 0 or height < 0 or not 0 <= components <= 4:
            self.fail(f"an image of {width} x {height} pixels has no meaning")
        for _ in range(width * height if components else 0):
            self.word("a pixel")

    def _bool(self) -> bool:
        start = self.at
        word = self.word("TRUE or FALSE")
        if word not in {"TRUE", "FALSE", "1", "0"}:
            self.fail(f"found {word!r}, expected TRUE or FALSE", start)
        return word in {"TRUE", "1"}

    def string(self) -> str:
        """Read a quoted text, or a word: Inventor allows texts without quotes."""
        if self.peek() != b'"':
            return self.word("a text")
        match = _STRING.match(self._data, self.at)
        if match is None:
            self.fail("this text is not closed")
        self.at = match.end()
        return _ESCAPED.sub(rb"\1", match.group(1)).decode("utf-8", "replace")

    def _enum(self) -> str:
        return self.word("a value")

    def _flags(self) -> frozenset[str]:
        if self.peek() != b"(":
            return frozenset((self.word("a value"),))
        self.at += 1
        found = set()
        while self.peek() != b")":
            if self.peek() == b"|":
                self.at += 1
            else:
                found.add(self.word("a value, '|' or ')'"))
        self.at += 1
        return frozenset(found)

    # --- words

    def skip(self) -> None:
        """Pass over blanks, commas and comments."""
        if self._data[self.at : self.at + 1] > b",":
            return  # blanks and # come before the comma
        match = _SPACE.match(self._data, self.at)
        if match is not None:  # it matches nothing, too
            self.at = match.end()

    def peek(self) -> bytes:
        """Return the next character that means something, empty at the end."""
        self.skip()
        return self._data[self.at : self.at + 1]

    def expect(self, char: bytes) -> None:
        """Read a character.

        Raises
        ------
        SceneError
            It is another one.
        """
        if self.peek() != char:
            self.fail(f"expected {char.decode()!r}, {self.found()}")
        self.at += 1

    def word(self, what: str) -> str:
        """Read a word; `what` says in messages what was expected."""
        self.skip()
        match = self._names.match(self._data, self.at)
        if match is None:
            self.fail(f"expected {what}, {self.found()}")
        self.at = match.end()
        return match.group().decode("utf-8", "replace")

    def _keyword(self, word: bytes) -> bool:
        """Read a word if it is that one."""
        self.skip()
        match = self._names.match(self._data, self.at)
        if match is None or match.group() != word:
            return False
        self.at = match.end()
        return True

    def found(self) -> str:
        """Return the next word, for messages."""
        self.skip()
        match = self._names.match(self._data, self.at)
        rest = match.group() if match else self._data[self.at : self.at + 1]
        return f"found {_shown(rest)}" if rest else "found the end of the file"


_READERS = {
    "bool": "_bool",
    "string": "string",
    "enum": "_enum",
    "flags": "_flags",
    "node": "node",
}


def _shown(word: bytes) -> str:
    text = word[:_SHOWN].decode("utf-8", "replace")
    return repr(text + ("..." if len(word) > _SHOWN else ""))
