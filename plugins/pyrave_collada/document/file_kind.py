"""Kind of a file by its first bytes."""

from __future__ import annotations

import re

from pyrave.formats.format_detection import root_tag

_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?COLLADA[\s>/]")


def is_archive(head: bytes) -> bool:
    """Return True if a file that starts with `head` is a zip archive."""
    return head.startswith(_ARCHIVES)


def is_collada(head: bytes) -> bool:
    """Return True if a file that starts with `head` is XML with the root COLLADA."""
    if _ROOT.search(head) is not None:
        return True
    return root_tag(head) == "collada"  # in an encoding of wide characters
