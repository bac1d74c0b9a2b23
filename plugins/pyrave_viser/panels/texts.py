"""Texts of scenes in panels, shown without interpreting markup."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pyrave.texts import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.errors import Problem

_MARKS = frozenset("\\`*_{}[]<>()#|!~&")
_MAX_PROBLEMS = 60


def plain(text: str) -> str:
    """Return a text without what Markdown would take for its own."""
    safe = printable(text, keep="")
    return "".join(f"\\{one}" if one in _MARKS else one for one in safe)


def problem_list(problems: Sequence[Problem]) -> str:
    """Return the latest problems as HTML, every text escaped."""
    lines = [f"<li>{escape(str(one))}</li>" for one in problems[-_MAX_PROBLEMS:]]
    return f'<ul style="font-size:85%;padding-left:1.2em">{"".join(lines)}</ul>'
