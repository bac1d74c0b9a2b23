"""Meanings of a format's elements, and where in pyrave they act, as data.

Readers take the tags that they know from here, tell what acts nowhere, and the
reference pages print it: there is one list of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Area = Literal[
    "kinematics",
    "dynamics",
    "physics",
    "collision",
    "looks",
    "sensors",
    "control",
    "planning",
    "structure",
]
"""Parts of pyrave in which elements act. ``dynamics`` is inverse and forward dynamics,
and physics with them; ``structure`` names, joins or holds other elements."""
AREAS: tuple[str, ...] = get_args(Area)
NOWHERE = "nowhere"
"""Word of tables for elements without effect."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of an element.

    Parameters
    ----------
    becomes
        In words, for the reference.
    acts
        Where; none: it is kept as data and written back, or left out.
    told
        Whether readers tell of it where it acts nowhere. They do not where that is
        what the element is for, such as names of makers.
    """

    becomes: str
    acts: tuple[Area, ...] = ()
    told: bool = True

    @property
    def shown(self) -> str:
        """The areas in which it acts, in words."""
        untold = NOWHERE if self.told else f"{NOWHERE}, untold"
        return ", ".join(self.acts) or untold


Vocabulary = Mapping[str, Mapping[str, Meaning]]
"""Meanings of elements by the element that they stand in, and by their tag or path."""


class IdleElements:
    """Elements of one file that act nowhere; each kind is told once a load."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Any]] = {}

    def note(self, owner: str, tag: str, element: Any) -> None:
        """Note an element by what it stands in and how it is called there."""
        self._found.setdefault(owner, {}).setdefault(tag, element)

    def tell(self, note: Callable[[Any, str, str, str], None]) -> None:
        """Report all as one note for each owner, at the first element.

        Parameters
        ----------
        note
            Called with (element, code, message, hint).
        """
        for owner, elements in self._found.items():
            first = next(iter(elements.values()))
            names = ", ".join(f"<{tag}>" for tag in elements)
            verb = "acts" if len(elements) == 1 else "act"
            note(
                first,
                "acts-nowhere",
                f"{names} in {owner} {verb} nowhere in pyrave",
                "the page of the format says where each element acts",
            )
        self._found.clear()
