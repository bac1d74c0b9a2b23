"""Repair of XML syntax errors that lenient parsers accept."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import TYPE_CHECKING
from xml.parsers import expat

from pyrave.errors import Problem, SceneError, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.formats.xml import Document

_BOM = b"\xef\xbb\xbf"
_OF_TWO_BYTES = (b"\xff\xfe", b"\xfe\xff")
_BLANK = b" \t\r\n"
_HEAD = 4096
_DECLARATION = re.compile(
    rb"<\?xml\b[^>]*?\bencoding\s*=\s*[\"'](?P<name>[^\"'>]*)[\"'][^>]*>"
)
_PROLOG = re.compile(rb"\s*(?:<\?(?:xml\b|(?![Xx][Mm][Ll]\b)[\w.:-]+)[^>]*\?>\s*)*")
_SURROGATES = "utf-8", "surrogatepass"
_LATE = re.compile(rb"<\?xml\b")
_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_OPEN, _CLOSE = b"<!--", b"-->"
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f]")
_AMPERSAND = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[0-9a-fA-F]+);)")
_VERBATIM, _VERBATIM_END = b"<![CDATA[", b"]]>"
_BYTES_ALONE = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
_MOST = 100


def parse_with_slips(
    data: bytes | str,
    file: str,
    parse: Callable[[bytes | str], Document],
    note: Callable[[Problem], None],
    *,
    root: bytes,
    hint: str,
) -> Document:
    """Parse a file; where it is no XML, parse what a lenient parser makes of it.

    Comments with two hyphens, zeros or bytes of another encoding are left out, and so
    is what stands before or behind the root. In names and texts, bytes that are no
    UTF-8 are Latin-1's characters, and ampersands are characters. Lines stay what they
    are.

    Parameters
    ----------
    parse
        Parses XML.
    note
        Told of each slip.
    root
        The tag of the root, a regular expression.
    hint
        What messages say of who refuses the file.

    Raises
    ------
    SceneError
        Something else is wrong.
    """
    try:
        return parse(data)
    except SceneError as error:
        if error.first.code != "malformed-xml":
            raise
        is_text = isinstance(data, str)
        content = data if isinstance(data, bytes) else data.encode(*_SURROGATES)
        slips = _Slips(content, root, is_text=is_text)
        found = list(slips.problems(file, hint))
        plain = slips.data.decode(*_SURROGATES) if is_text else slips.data
        document = None
        if found:
            with suppress(SceneError):
                document = parse(plain)
        if document is None:
            raise  # what is wrong stands elsewhere
    for problem in found:
        note(problem)
    return document


class _Slips:
    """Syntax errors of an XML file, with their places, and the file without them."""

    def __init__(self, data: bytes, root: bytes, *, is_text: bool) -> None:
        self._root = re.compile(rb"<" + root + rb"(?=[\s>/])")
        self._told: list[tuple[int, int, str]] = []
        self.data = data
        if data.startswith(_OF_TWO_BYTES):
            return
        encoding = "utf-8" if is_text else self._encoding()
        self._leave_out_comments(encoding)
        self._leave_out_before()
        if encoding == "utf-8":
            self._mend_texts()
        self._leave_out_behind()

    def problems(self, file: str, hint: str) -> Iterator[Problem]:
        """Yield a warning for each slip, in their order in the file."""
        for line, column, what in sorted(self._told)[:_MOST]:
            yield Problem(
                Severity.WARNING,
                what,
                file=file,
                line=line,
                column=column,
                hint=hint,
                code="not-xml",
            )

    def _tell(self, place: int, what: str, done: str = "it is passed over") -> None:
        line = self.data.count(b"\n", 0, place) + 1
        column = place - self.data.rfind(b"\n", 0, place)
        text = f"{what}, which XML does not allow; {done}"
        self._told.append((line, column, text))

    def _encoding(self) -> str:
        """Return the codec of the file; a declared one that cannot be is left out."""
        found = _DECLARATION.search(self.data, 0, _HEAD)
        if found is None:
            return "utf-8"
        name = found["name"].decode("latin-1")
        with suppress(LookupError, ValueError):
            codec = codecs.lookup(name).name
            if not codec.startswith(("utf-16", "utf-32")):
                return codec
        what = f"the file declares the encoding {name!r}, and has another one"
        self._tell(found.start("name"), what, "it is read as UTF-8")
        self._blank(found.start(), found.end())
        return "utf-8"

    def _leave_out_comments(self, encoding: str) -> None:
        parts, last = [], 0
        for start, end in _comments(self.data):
            what = _slip_in(self.data[start + len(_OPEN) : end - len(_CLOSE)], encoding)
            if what and len(self._told) < _MOST:
                self._tell(start, f"a comment has {what}")
            parts += [self.data[last:start], _blanks(self.data[start:end])]
            last = end
        self.data = b"".join([*parts, self.data[last:]])

    def _leave_out_before(self) -> None:
        root = self._root.search(self.data)
        if root is None:
            return
        before = self.data[: root.start()]
        start = len(_BOM) if before.startswith(_BOM) else 0
        late = _LATE.search(before, start + 1)
        is_prolog = _PROLOG.fullmatch(before, start) is not None
        if (is_prolog and late is None) or _DOCTYPE.search(before):
            return
        if is_prolog and late is not None:
            self._tell(late.start(), "the declaration is not at the start")
        else:
            place = start + len(before[start:]) - len(before[start:].lstrip())
            self._tell(place, "text is before the root")
        self._blank(start, root.start())

    def _mend_texts(self) -> None:
        data = self.data
        behind = len(data) - len(data.rstrip(b"\0" + _BLANK))
        if found := _CONTROL.search(data, 0, len(data) - behind):
            what = f"a character has the code {data[found.start()]}"
            self._tell(found.start(), what, "it is read as a blank")
        data = (
            _CONTROL.sub(b" ", data[: len(data) - behind]) + data[len(data) - behind :]
        )
        try:
            data.decode()
        except UnicodeDecodeError as error:
            self._tell(error.start, "bytes are no UTF-8", "they are read as Latin-1")
        alone = (_AMPERSAND.search(data, *span) for span in _marked_up(data))
        if found := next(filter(None, alone), None):
            self._tell(found.start(), "an '&' stands alone", "it is read as '&amp;'")
        text = data.decode("utf-8", "surrogateescape").translate(_BYTES_ALONE)
        data, parts, last = text.encode(), [], 0
        for start, end in _marked_up(data):
            parts += [data[last:start], _AMPERSAND.sub(b"&amp;", data[start:end])]
            last = end
        self.data = b"".join([*parts, data[last:]])

    def _leave_out_behind(self) -> None:
        end = _end_of_root(self.data)
        behind = self.data[end:].lstrip(_BLANK)
        if end and behind:
            place = len(self.data) - len(behind)
            if behind.strip(b"\0" + _BLANK):
                self._tell(place, "text is behind the end")
            else:
                self._tell(place, "zeros are behind the end", "they are passed over")
            self.data = self.data[:end]

    def _blank(self, start: int, end: int) -> None:
        blanks = _blanks(self.data[start:end])
        self.data = self.data[:start] + blanks + self.data[end:]


def _blanks(data: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", data)


def _comments(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each comment."""
    end = 0
    while (start := data.find(_OPEN, end)) >= 0:
        verbatim = data.find(_VERBATIM, end, start)
        if verbatim >= 0:
            end = data.find(_VERBATIM_END, verbatim) + len(_VERBATIM_END)
            if end < len(_VERBATIM_END):
                return
            continue
        end = data.find(_CLOSE, start + len(_OPEN)) + len(_CLOSE)
        if end < len(_CLOSE):
            return
        yield start, end


def _marked_up(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of what is no CDATA section."""
    end = 0
    while (start := data.find(_VERBATIM, end)) >= 0:
        close = data.find(_VERBATIM_END, start)
        if close < 0:
            break
        yield end, start
        end = close + len(_VERBATIM_END)
    yield end, len(data)


def _slip_in(comment: bytes, encoding: str) -> str:
    if b"--" in comment or comment.endswith(b"-"):
        return "two hyphens"
    if found := _CONTROL.search(comment):
        return "characters of codes below 32" if found[0] != b"\0" else "zeros"
    try:
        comment.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return f"bytes that are no {encoding.upper()}"
    return ""


def _end_of_root(data: bytes) -> int:
    """Return the end of the root element, 0 if it does not end."""
    parser = expat.ParserCreate()
    depth = end = 0

    def begin(*_given: object) -> None:
        nonlocal depth
        depth += 1

    def finish(_tag: str) -> None:
        nonlocal depth, end
        depth -= 1
        if not depth and not end:
            end = data.find(b">", parser.CurrentByteIndex) + 1

    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    with suppress(expat.ExpatError, ValueError, LookupError):
        parser.Parse(data, True)
    return end
