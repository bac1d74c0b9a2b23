"""Losses of a written scene: three kinds, gathered and reported once each.

Writers return losses as problems whose `code` says the kind:

``not-written``
    It is not in the file.
``written-otherwise``
    It is there, said in another way: a loop cut open, a joint as a chain of joints.
``pyrave-only``
    It is there and pyrave reads it back, but other programs pass over it.
"""

from __future__ import annotations

from typing import Literal

from pyrave.errors import Problem, Severity

LossKind = Literal["not-written", "written-otherwise", "pyrave-only"]
LOSS_KINDS: dict[str, str] = {
    "not-written": "lost",
    "written-otherwise": "written in another way",
    "pyrave-only": "not read by other programs",
}
"""Names of the kinds in reports, by code."""
_SHOWN = 5


def loss(
    message: str, kind: LossKind = "not-written", hint: str | None = None
) -> Problem:
    """Return a loss as the problem that writers return."""
    return Problem(Severity.WARNING, message, code=kind, hint=hint)


class Losses:
    """The losses of one save: what happens to many objects is reported in one line.

    Belongs to one thread.
    """

    def __init__(self) -> None:
        self._items: dict[tuple[LossKind, str, str | None], dict[str, None]] = {}

    def add(
        self,
        what: str,
        *items: str,
        kind: LossKind = "not-written",
        hint: str | None = None,
    ) -> None:
        """Note a loss.

        Parameters
        ----------
        what
            The same text for what is lost in the same way.
        items
            Names of the objects that lose it.
        hint
            What keeps it.
        """
        self._items.setdefault((kind, what, hint), {}).update(dict.fromkeys(items))

    def problems(self) -> list[Problem]:
        """Return one problem for each text, in the order in which they came."""
        return [
            loss(what + _listed(list(items)), kind, hint)
            for (kind, what, hint), items in self._items.items()
        ]


def _listed(items: list[str]) -> str:
    if not items:
        return ""
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ": " + ", ".join(map(repr, items[:_SHOWN])) + more
