"""Readables with a text, ``openravepy.stringreaders``."""

from __future__ import annotations

from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.readables import Readable, text_readable

__all__ = ["CreateStringReadable"]


@guarded
def CreateStringReadable(id: str, data: str) -> Readable:
    """Return a readable with a text."""
    return text_readable(id, data, is_xml=False)
