"""Names of frames and devices as names in a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class FreeNames:
    """Names that are given once each; soon also where very many are alike."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._last: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def keep(self, name: str) -> None:
        """Give a name to nobody."""
        self._taken.add(name)

    def take(self, name: str) -> str:
        """Return a name, with a number if it is taken: ``Name_2``."""
        made, n = name, self._last.get(name, 1)
        while made in self._taken:
            n += 1
            made = f"{name}_{n}"
        self._last[name] = n
        self._taken.add(made)
        return made


def without_blanks(name: str) -> str:
    """Return a name as pyrave's may be: an underscore for blanks, and never empty."""
    return "_".join(name.split()) or "unnamed"
