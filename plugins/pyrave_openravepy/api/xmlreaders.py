"""Readables with a piece of XML, ``openravepy.xmlreaders``."""

from __future__ import annotations

from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.readables import Readable, text_readable

__all__ = ["CreateStringXMLReadable"]


@guarded
def CreateStringXMLReadable(xmlid: str, data: str) -> Readable:
    """Return a readable with the text of an element."""
    return text_readable(xmlid, data, is_xml=True)
