"""Recognition of RobWork's files by their first bytes."""

from __future__ import annotations

from pyrave.formats.format_detection import root_tag

_WORKCELLS = frozenset({
    *("workcell", "serialdevice", "treedevice", "paralleldevice", "mobiledevice"),
})  # fmt: skip


def is_workcell(head: bytes) -> bool:
    """Return True if a file that starts with `head` is a WorkCell or a device."""
    # names in the wrong case are reported by the reader
    return root_tag(head) in _WORKCELLS
