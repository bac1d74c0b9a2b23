"""Which of RobWork's files one is, by its first bytes."""

from __future__ import annotations

import re

_SKIPPED = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_ROOT = re.compile(rb"<([A-Za-z]+)[\s>/]")
_WORKCELLS = frozenset({
    *(b"workcell", b"serialdevice", b"treedevice", b"paralleldevice", b"mobiledevice"),
})  # fmt: skip


def root_of(head: bytes) -> bytes:
    """Return the name of the first element of a file, empty if there is none."""
    skipped = _SKIPPED.match(head)
    found = _ROOT.match(head, skipped.end() if skipped else 0)
    return found[1] if found else b""


def is_workcell(head: bytes) -> bool:
    """Return whether a file that starts with `head` is a WorkCell or a device."""
    # names in the wrong case are reported by the reader
    return root_of(head).lower() in _WORKCELLS
