"""Removal of the server's folders from messages to clients."""

from __future__ import annotations

import re
from typing import Any

_FOLDERS = re.compile(
    r"""
    (?<=['"]) (?: ~[^'"\n/]* )? / (?!\.) [^'"\n]* /
    | (?<=['"]) [A-Za-z]:[\\/] (?: [^'"\n]* [\\/] )?
    | (?<![\w.:'"/\]]) (?: ~[\w.-]* )? (?: /[^\s'":;,()]+ )+ /
    | (?<![\w.'"/]) [A-Za-z]:\\ (?: [^\s'":;,()\\]+ \\ )*
    """,
    re.VERBOSE,
)


def without_folders(text: str) -> str:
    """Return a text in which files have no folders, for these are not the client's."""
    return _FOLDERS.sub("", text)


def redacted(problem: dict[str, Any]) -> dict[str, Any]:
    """Return the summary of a problem without folders and traceback."""
    found = problem | {"traceback": None}
    for key in ("message", "hint", "file"):
        if isinstance(found.get(key), str):
            found[key] = without_folders(found[key])
    return found
