"""Untrusted texts: refused names, and printable forms of others.

Some characters break a line or a document, steer a terminal, or turn what stands around
them, so that a text reads as another one (Unicode Technical Report 36, Trojan Source).
"""

from __future__ import annotations

import math
import re

__all__ = ["degrees_hint", "name_fault", "printable"]

_CONTROLS = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# of Unicode Standard Annex 9: embeddings, overrides, isolates and marks
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BLANKS = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def degrees_hint(radians: float) -> str:
    """Return a question if an angle beyond its limits looks like degrees, else ``""``.

    So do more than a turn in steps of 5: 45, 90, 180.
    """
    if not 6.3 < abs(radians) <= 720.0 or radians % 5.0:
        return ""
    return f"; radians? {radians:g} degrees are {math.radians(radians):.4g}"


def name_fault(name: str) -> str:
    """Return the fault in the characters of a name, empty if there is none."""
    if name.isprintable() and " " not in name:
        return ""
    if _CONTROLS.search(name):
        return "has blanks or control characters"
    found = _TURNING.search(name)
    if found is not None:
        return f"has a mark that turns texts around (U+{ord(found[0]):04X})"
    return ""


def printable(text: str, keep: str = "\n\t") -> str:
    """Return a text in which what does not print is written as in Python's texts.

    These are the characters of Unicode's categories Cc, Cf, Cs, Co, Cn, Zl and Zp:
    controls, marks of direction, halves of characters, and those that are not assigned.

    Parameters
    ----------
    keep
        Characters that stay, besides blanks.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in keep or one in _BLANKS else _escaped(one)
        for one in text
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
