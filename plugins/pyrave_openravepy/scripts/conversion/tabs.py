"""Tabs in indentation, which Python 2 took for eight columns."""

from __future__ import annotations

import re

__all__ = ["expand_tabs"]

_TEXTS = re.compile(
    r"""\#[^\n]*
    | '''(?:[^\\]|\\.)*?(?:'''|\Z) | \"""(?:[^\\]|\\.)*?(?:\"""|\Z)
    | '(?:[^\\'\n]|\\.)*(?:'|\Z|(?=\n)) | "(?:[^\\"\n]|\\.)*(?:"|\Z|(?=\n))""",
    re.VERBOSE | re.DOTALL,
)
_INDENTATION = re.compile(r"^[ \t\f]*\t[ \t\f]*", re.MULTILINE)


def expand_tabs(text: str) -> str:
    """Return a text in which indentation has blanks for tabs; strings are kept."""
    kept = [match.span() for match in _TEXTS.finditer(text)]
    parts, done, place = [], 0, 0
    for match in _INDENTATION.finditer(text):
        start, end = match.span()
        while place < len(kept) and kept[place][1] <= start:
            place += 1
        if place < len(kept) and kept[place][0] < start:
            continue
        parts += [text[done:start], match[0].expandtabs(8)]
        done = end
    return "".join([*parts, text[done:]])
