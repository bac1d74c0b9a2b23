"""Numbers as C writes them, which is what URDF has."""

from __future__ import annotations


def plain_float(text: str) -> float:
    """Return a number, or raise ValueError.

    Digits of other scripts, and underscores between digits, only Python takes.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(text)
    return float(text)
