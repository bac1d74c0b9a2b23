"""Reading characters as RobWork does: neither of its two parsers is one of XML.

A WorkCell goes through a preparser first, which pastes texts: ``<Include>`` other
files, ``<Use>`` what a ``<Define>`` remembered. Fragments of several elements are
common. A Dynamic WorkCell goes through a parser that takes any end tag for the end of
the open element; its ``<Include>`` names a file whose root is ``<IncludeData>``.
What is not well-formed XML and means something to RobWork is read, and reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from pyrave.errors import Problem, ResourceError, SceneError, Severity
from pyrave.formats import XmlLimits, open_source
from pyrave.formats.xml import MAX_DEPTH, TOO_DEEP
from pyrave_workcell.syntax.characters import decoded, without_entities
from pyrave_workcell.syntax.nodes import CellNode, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats import ReadContext, SceneSource

# before Python 3.11.5 a possessive group with a lookahead forgets where it was
# each token takes the text behind it; a start tag, text and end tag are one token
_TOKEN = re.compile(
    r"(?:<!--(.*?)-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<(/)?([A-Za-z_][\w:.\-]*+)"
    r"""([^<>"'/]*+(?:(?:"[^"]*+"|'[^']*+'|/(?!>))[^<>"'/]*+)*)(/)?>|(<))"""
    r"([^<]*+)(?(3)|(?(6)|(?:</\4\s*+>([^<]*+))?))",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""\s*+([A-Za-z_][\w:.\-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')"""
)
_KEY = re.compile(r"\s*+([A-Za-z_][\w:.\-]*+)\s*+=\s*+")
_DEFINE = re.compile(r"<!--.*?-->|<(/?)Define\b[^<>]*+>", re.DOTALL)
_PASTED = frozenset({"Include", "Define", "Use"})
_MAX_ELEMENTS = 50_000
_MAX_PASTED = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Dialect:
    """Rules of one of RobWork's two parsers.

    Parameters
    ----------
    pastes
        Includes are texts, and texts are defined and used.
    any_end
        An end tag of another name ends the open element all the same.
    included_root
        The root of included files, whose children take the place of the include;
        their names of files are relative to the first file.
    """

    pastes: bool
    any_end: bool
    included_root: str = ""


WORKCELL = Dialect(pastes=True, any_end=False)
"""WorkCells and devices."""
PLAIN = Dialect(pastes=False, any_end=False)
"""Collision and proximity setups."""
DYNAMIC = Dialect(pastes=False, any_end=True, included_root="IncludeData")


def parse(source: SceneSource, context: ReadContext, dialect: Dialect) -> CellNode:
    """Return the root element of a file, with all that it includes in its place.

    What XML forbids and RobWork reads is a warning.

    Raises
    ------
    SceneError
        RobWork could not read it either, an included file is missing or includes
        itself, or the file costs too much.
    """
    characters = decoded(source.data, source.file, context)
    text = Text(source.file, characters, source.folder)
    return _Parser(context, dialect, text).root()


class _Parser:
    """One load: the open elements, and what it has cost."""

    def __init__(self, context: ReadContext, dialect: Dialect, top: Text) -> None:
        self._context = context
        self._dialect = dialect
        self._limits = context.limits or XmlLimits()
        self._most = min(self._limits.elements, _MAX_ELEMENTS)
        self._top = top
        self._open: list[CellNode] = []
        self._roots: list[CellNode] = []
        self._defined: dict[Text, dict[str, tuple[int, int]]] = {}
        self._files: list[str] = []
        self._special = _PASTED if dialect.pastes else frozenset[str]()
        if dialect.included_root:
            self._special = frozenset({"Include"})
        self._pieces: dict[CellNode, list[str]] = {}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._known: dict[str, Mapping[str, str]] = {"": {}}
        self._few = 2 * self._limits.attributes + 1
        self._pasting = 0
        self._n_marks = 0
        self._n_left = self._most
        self._n_pastes = 0
        self._n_pasted = 0

    def root(self) -> CellNode:
        text = self._top
        self._files.append(text.file)
        self._count_marks(text, 0, len(text.characters))
        self._scan(text, 0, len(text.characters))
        if self._open:
            last = self._open[-1]
            self._refuse(
                "malformed-xml",
                f"<{last.tag}> has no end tag",
                text,
                last.offset if last.document is text else 0,
            )
        if not self._roots:
            self._refuse("malformed-xml", "the file has no element", text, 0)
        if len(self._roots) > 1:
            self._report_roots(self._roots[1])
        return self._roots[0]

    def _count_marks(self, text: Text, start: int, stop: int) -> None:
        """Refuse what has too many tokens before they are looked at."""
        self._n_marks += text.characters.count("<", start, stop)
        if self._n_marks > 2 * self._most + 1:
            self._refuse(
                "too-complex",
                f"the file has more than {self._most} elements",
                self._top,
                0,
            )

    def _report_roots(self, second: CellNode) -> None:
        message = (
            f"the file has several roots, the second is <{second.tag}>; "
            "the first one counts"
        )
        hint = "files of several elements are for <Include>"
        report = self._context.diagnostics.error
        if self._dialect.any_end:
            report = self._context.diagnostics.warning
        report(
            "several-roots",
            message,
            second.document,
            second,
            hint,
            named_at=second.document.named_at,
        )

    # -- tokens ----------------------------------------------------------------------

    def _scan(self, text: Text, start: int, stop: int) -> None:
        """Read a part of a text into the open elements."""
        characters = text.characters
        at = start
        while at < stop:
            mark = characters.find("<", at, stop)
            mark = stop if mark < 0 else mark
            if mark > at:
                self._add_text(text, mark, characters[at:mark])
            at = self._tokens(text, mark, stop)

    def _tokens(self, text: Text, start: int, stop: int) -> int:
        """Read tokens until one has others pasted; return where to go on."""
        opened, special, known = self._open, self._special, self._known
        pieces = self._pieces
        for found in _TOKEN.finditer(text.characters, start, stop):
            comment, data, end, tag, rest, empty, mark, piece, tail = found.groups()
            if tag is None:
                self._other(text, found.start(), comment, data, mark)
            elif end:
                node = opened.pop() if opened else None
                if (
                    node is None
                    or node.tag != tag
                    or (node.text and not node.text.isspace())
                    or pieces
                    or tag in special
                ):
                    self._close(node, tag, text, found.start())
            else:
                offset = found.start()
                attributes = known.get(rest)
                if attributes is None:
                    attributes = self._attributes(rest, tag, text, offset)
                parent = opened[-1] if opened else None
                node = CellNode(tag, attributes, text, offset, parent)
                self._n_left -= 1
                if self._n_left < 0:
                    self._refuse_cost(
                        f"there are more than {self._most} elements", node
                    )
                if tag in special:
                    return self._start(node, found.start(8), stop, is_empty=bool(empty))
                (self._roots if parent is None else parent.children).append(node)
                if not empty:
                    node.text = without_entities(piece) if "&" in piece else piece
                    piece = tail
                    if tail is None:
                        self._push(node)
            # blanks between children are the most of all texts, and mean nothing
            if piece and not (opened and opened[-1].children and piece.isspace()):
                self._add_text(text, found.end(), piece)
        return stop

    def _other(
        self,
        text: Text,
        offset: int,
        comment: str | None,
        data: str | None,
        mark: str | None,
    ) -> None:
        """Take what is no tag."""
        if mark is not None:
            self._refuse_mark(text, offset)
        if data is not None:
            if self._open:
                self._add_piece(self._open[-1], data)
        elif comment is not None and ("--" in comment or comment.endswith("-")):
            self._warn(
                "malformed-comment",
                "a comment holds '--', which XML forbids",
                text,
                offset,
                "it ends at the first '-->'; write other marks in it",
            )

    def _refuse_mark(self, text: Text, offset: int) -> NoReturn:
        rest = text.characters[offset : offset + 9].upper()
        if rest == "<!DOCTYPE":
            self._refuse(
                "doctype",
                "a document type (<!DOCTYPE ...>) is refused, as are entities",
                text,
                offset,
                "remove it; scene files need none",
            )
        what = "a comment without '-->'" if rest.startswith("<!--") else "no tag"
        self._refuse(
            "malformed-xml", f"'<' starts {what}", text, offset, "write &lt; in texts"
        )

    def _add_text(self, text: Text, stop: int, piece: str) -> None:
        """Add a piece of a text, which ends at a place, to the element it stands in."""
        if self._open:
            self._add_piece(self._open[-1], without_entities(piece))
        elif not piece.isspace():
            words = piece.strip()
            self._refuse(
                "malformed-xml",
                f"the text {words!r} stands outside of all elements",
                text,
                stop - len(piece.lstrip()),
            )

    def _add_piece(self, node: CellNode, piece: str) -> None:
        if node.children and piece.isspace():
            return
        if node.text:
            self._pieces.setdefault(node, [node.text]).append(piece)
        else:
            node.text = piece

    def _start(self, node: CellNode, at: int, stop: int, *, is_empty: bool) -> int:
        """Take an element that others replace; return where to go on.

        Parameters
        ----------
        at
            Where its start tag ends.
        """
        if self._dialect.pastes:
            if node.tag == "Define" and not is_empty:
                return self._define(node, at, stop)
            self._paste(node)
            if not is_empty:
                self._push(node)  # what stands in it goes nowhere
            return at
        siblings = self._roots if node.parent is None else node.parent.children
        siblings.append(node)
        if is_empty:
            self._splice(node)
        else:
            self._push(node)
        return at

    def _push(self, node: CellNode) -> None:
        opened = self._open
        opened.append(node)
        if len(opened) > MAX_DEPTH:
            self._refuse_cost(TOO_DEEP, node)

    def _close(self, node: CellNode | None, tag: str, text: Text, offset: int) -> None:
        if node is None:
            self._refuse("malformed-xml", f"</{tag}> ends nothing", text, offset)
        if node in self._pieces:
            node.text = "".join(self._pieces.pop(node))
        if node.children and (words := node.text.strip()):
            self._warn(
                "stray-text",
                f"<{node.tag}> has the text {words!r:.80} between its elements; it is "
                "not read",
                node.document,
                node.offset,
                "put it into the tag that it belongs to, or delete it",
            )
        if node.tag != tag:
            line = node.location.line
            message = f"</{tag}> ends <{node.tag}> of line {line}"
            if not self._dialect.any_end:
                self._refuse("malformed-xml", message, text, offset)
            self._warn("wrong-end-tag", message, text, offset)
        if node.tag == "Include" and self._dialect.included_root:
            self._splice(node)

    def _attributes(
        self, rest: str, tag: str, text: Text, offset: int
    ) -> Mapping[str, str]:
        """Return the attributes in the rest of a start tag that is not known."""
        if "'" in rest or "&" in rest:
            return self._odd_attributes(rest, tag, text, offset)
        parts = rest.split('"', self._few + 1)
        around = tuple(parts[::2])
        # most elements of a tag have the same attributes
        names = self._names.get(around)
        if names is None:
            names = _names_in(around)
            if not names or len(parts) > self._few:
                return self._odd_attributes(rest, tag, text, offset)
            self._names[around] = names
        found = dict(zip(names, parts[1::2], strict=True))
        self._known[rest] = found
        return found

    def _odd_attributes(
        self, rest: str, tag: str, text: Text, offset: int
    ) -> dict[str, str]:
        """Return attributes of any kind; reports what is wrong with them."""
        attributes: dict[str, str] = {}
        at = 0
        most = self._limits.attributes
        while len(attributes) <= most and (one := _ATTRIBUTE.match(rest, at)):
            name, double, single = one.groups()
            at = one.end()
            value = without_entities(single if double is None else double)
            if name in attributes:
                self._warn(
                    "repeated-item",
                    f"<{tag}> has the attribute {name!r} twice; the first counts",
                    text,
                    offset,
                )
            attributes.setdefault(name, value)
            if double is None and self._dialect.pastes:
                self._warn(
                    "not-robwork",
                    f"<{tag}> has {name}='...': RobWork reads double quotes only",
                    text,
                    offset,
                )
        if len(attributes) > most:
            message = f"<{tag}> has more than {most} attributes"
            self._refuse("too-complex", message, text, offset)
        wrong = rest[at:].strip()
        if wrong:
            self._refuse(
                "malformed-xml",
                f'<{tag}> holds {wrong!r}, expected name="value"',
                text,
                offset,
            )
        return attributes

    # -- what comes from elsewhere -----------------------------------------------------

    def _define(self, node: CellNode, start: int, stop: int) -> int:
        """Remember a text, and return what is behind it."""
        text, depth, at = node.document, 1, start
        for found in _DEFINE.finditer(text.characters, start, stop):
            at = found.end()
            if found.group().startswith("<!"):
                continue
            if found[1]:
                depth -= 1
            elif not found.group().endswith("/>"):
                depth += 1
            if not depth:
                break
        else:
            self._refuse("malformed-xml", "<Define> has no end tag", text, node.offset)
        name = self._named(node, "id")
        self._defined.setdefault(text, {})[name] = (start, found.start())
        return at

    def _named(self, node: CellNode, attribute: str) -> str:
        name = (node.get(attribute) or "").strip()
        if not name:
            self._refuse(
                "missing-attribute",
                f"<{node.tag}> has no attribute {attribute!r}",
                node.document,
                node.offset,
            )
        return name

    def _paste(self, node: CellNode) -> None:
        if node.tag == "Define":
            return
        if node.tag == "Include":
            text = self._included(node, node.document.folder)
            self._within(node, text, 0, len(text.characters))
            self._files.pop()
            return
        name = self._named(node, "id")
        defined = self._defined.get(node.document, {})
        place = defined.get(name)
        if place is None:
            self._context.diagnostics.warning(
                "unknown-definition",
                f"<Use> of {name!r}, which no <Define> of this file above has; "
                "nothing is pasted",
                node.document,
                node,
                named_at=node.document.named_at,
            )
            return
        self._within(node, node.document, *place)

    def _within(self, node: CellNode, text: Text, start: int, stop: int) -> None:
        """Scan a text in the place of an element."""
        self._pasting += 1
        self._n_pastes += 1
        self._n_pasted += stop - start
        deepest = self._limits.inclusion_depth
        if self._pasting > deepest:
            self._refuse_cost(
                f"texts are pasted into each other more than {deepest} deep", node
            )
        if self._n_pastes > self._limits.inclusions:
            self._refuse_cost(
                f"more than {self._limits.inclusions} texts are pasted", node
            )
        if self._n_pasted > _MAX_PASTED:
            self._refuse_cost(
                f"more than {_MAX_PASTED} characters are pasted in all", node
            )
        self._count_marks(text, start, stop)
        self._scan(text, start, stop)
        self._pasting -= 1

    def _splice(self, node: CellNode) -> None:
        """Put the children of an included file's root where the include stands."""
        siblings = self._roots if node.parent is None else node.parent.children
        siblings.pop()  # it ended just now
        text = self._included(node, self._top.folder)
        outer, roots = self._open, self._roots
        self._open, self._roots = [], []
        self._within(node, text, 0, len(text.characters))
        found, left = self._roots, self._open
        self._open, self._roots = outer, roots
        self._files.pop()
        root = found[0] if found else None
        wanted = self._dialect.included_root
        if root is None or left or root.tag != wanted:
            what = "ends too early" if left else f"has no root <{wanted}>"
            self._refuse("wrong-root", f"the file {what}", text, 0)
        for child in root:
            child.parent = node.parent
        siblings.extend(root)

    def _included(self, node: CellNode, folder: str | None) -> Text:
        """Return the text of an included file, and enter it."""
        name = self._named(node, "file").replace("\\", "/")
        line, _ = node.document.line_and_column(node.offset)
        named_at = (f"{node.document.file}:{line}", *node.document.named_at)
        context = self._context
        try:
            path = context.resolver.resolve(name, folder)
        except SceneError as error:
            first = error.first
            self._refuse(
                "bad-uri", first.message, node.document, node.offset, first.hint
            )
        except ResourceError as error:
            self._refuse_missing(error, node)
        if path in self._files:
            self._refuse(
                "include-cycle",
                f"{name!r} is being included already: "
                f"{' > '.join([*self._files, path])}",
                node.document,
                node.offset,
            )
        try:
            source = open_source(path, context, included=True)
        except ResourceError as error:
            self._refuse_missing(error, node)
        self._files.append(path)
        characters = decoded(source.data, path, context)
        return Text(path, characters, source.folder, named_at)

    def _refuse_missing(self, error: ResourceError, node: CellNode) -> NoReturn:
        self._refuse(
            "missing-file",
            f"the included {error.message}",
            node.document,
            node.offset,
            error.hint or None,
        )

    # -- reports -----------------------------------------------------------------------

    def _warn(
        self, code: str, message: str, text: Text, offset: int, hint: str | None = None
    ) -> None:
        diagnostics = self._context.diagnostics
        if diagnostics.is_full:
            diagnostics.warning(code, message)
        else:
            diagnostics.add(
                _problem(Severity.WARNING, code, message, text, offset, hint)
            )

    def _refuse_cost(self, message: str, node: CellNode) -> NoReturn:
        self._refuse("too-complex", message, node.document, node.offset)

    def _refuse(
        self, code: str, message: str, text: Text, offset: int, hint: str | None = None
    ) -> NoReturn:
        raise SceneError(_problem(Severity.ERROR, code, message, text, offset, hint))


def _names_in(around: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in what stands around values in double quotes.

    Empty where anything else stands there, or a name twice.
    """
    *keys, last = around
    found = [key[1] for key in map(_KEY.fullmatch, keys) if key is not None]
    is_plain = len(set(found)) == len(keys) and not last.strip()
    return tuple(found) if is_plain else ()


def _problem(
    severity: Severity,
    code: str,
    message: str,
    text: Text,
    offset: int,
    hint: str | None,
) -> Problem:
    line, column = text.line_and_column(offset)
    return Problem(
        severity,
        message,
        file=text.file,
        line=line,
        column=column,
        hint=hint,
        code=code,
        named_at=text.named_at,
    )
