"""Names of their own for what files name alike."""

from __future__ import annotations


class FreeNames:
    """Gives each object a name that no other one has: the wanted one, or numbered."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        """Return a name that was not given before."""
        number, name = self._last.get(wanted, 0), wanted
        while name in self._last:
            number += 1
            name = f"{wanted}_{number}"
        self._last[wanted] = max(number, 1)
        self._last.setdefault(name, 1)
        return name
