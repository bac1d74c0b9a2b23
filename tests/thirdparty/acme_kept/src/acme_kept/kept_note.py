"""The tag ``<kept_note>`` of sensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyrave import Readable, XmlElement


@dataclass(frozen=True)
class KeptNote(Readable):
    """A remark, and how many it counts for."""

    text: str = ""
    weight: float = 1.0

    def to_xml(self) -> XmlElement:
        """Return the tag that it was read from."""
        return XmlElement("kept_note", (("weight", repr(self.weight)),), text=self.text)


def read_note(element: Any, context: Any) -> KeptNote | None:
    """Read the tag; a weight that is no number is reported with its place."""
    weight = element.get("weight", "1")
    try:
        return KeptNote((element.text or "").strip(), float(weight))
    except ValueError:
        context.error(f"weight is {weight!r}, expected a number", element)
        return None
