"""Names of solvers in OpenRAVE's files, and the words after them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OLD_NAMES", "OLD_PATTERNS", "Arguments", "note_of", "parse_arguments"]

_SHIPPED = "a generated solver of OpenRAVE's robots"
OLD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "ikfast": "OpenRAVE's loader of generated solvers; the library is not needed",
        "WAM7ikfast": f"{_SHIPPED}: Barrett WAM, 7 joints",
        "WAM4ikfast": f"{_SHIPPED}: Barrett WAM, 4 joints",
        "PUMAikfast": f"{_SHIPPED}: PUMA 560",
        "PA10ikfast": f"{_SHIPPED}: Mitsubishi PA-10",
        "ikfast_pr2_head": f"{_SHIPPED}: head of the PR2",
        "ikfast_pr2_head_torso": f"{_SHIPPED}: head and torso of the PR2",
        "ikfast_pr2_leftarm": f"{_SHIPPED}: left arm of the PR2",
        "ikfast_pr2_leftarm_torso": f"{_SHIPPED}: left arm and torso of the PR2",
        "ikfast_pr2_rightarm": f"{_SHIPPED}: right arm of the PR2",
        "ikfast_pr2_rightarm_torso": f"{_SHIPPED}: right arm and torso of the PR2",
        "ikfast_schunk_lwa3": f"{_SHIPPED}: Schunk LWA3",
        "ikfast_katana5d": f"{_SHIPPED}: Katana, position and direction",
        "ikfast_katana5d_trans": f"{_SHIPPED}: Katana, position",
    }
)
"""What names in files stood for; they match without case."""

OLD_PATTERNS: tuple[str, ...] = ("ikfast*", "*ikfast")
"""Names that OpenRAVE's users gave to solvers that they generated."""

_THRESHOLD = "ikthreshold"
_FREE = "free"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the words after a solver's id ask for.

    Parameters
    ----------
    steps
        Steps in which free joints are searched, radians or metres: none, one for all,
        or one for each.
    threshold
        How far solutions may miss goals that are not reached, None: not at all.
    free
        Names of joints that are held and searched; empty: the solver chooses.
    library
        Name of a generated library, which is not needed.
    """

    steps: tuple[float, ...] = ()
    threshold: float | None = None
    free: tuple[str, ...] = ()
    library: str = ""


def parse_arguments(words: tuple[str, ...], *, library: bool) -> Arguments:
    """Read the words after a solver's id.

    Parameters
    ----------
    library
        Whether the first word may name a library.

    Raises
    ------
    ArgumentError
        A word is neither a number above zero nor known.
    """
    steps: list[float] = []
    free: list[str] = []
    threshold, name = None, ""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.lower() == _THRESHOLD:
            threshold = _positive(rest.pop(0) if rest else "", _THRESHOLD)
        elif word.lower() == _FREE:
            if not rest:
                raise ArgumentError(f"{_FREE!r} is not followed by a joint's name")
            free.append(rest.pop(0))
        elif library and not name and not steps and not _is_number(word):
            name = word
        else:
            steps.append(_positive(word, "the step of a free joint"))
    return Arguments(tuple(steps), threshold, tuple(free), name)


def note_of(interface_id: str, arguments: Arguments) -> str:
    """Return what there is to say about an old name, empty for our own."""
    name = interface_id.lower()
    known = {old.lower(): text for old, text in OLD_NAMES.items()}
    was = known.get(name)
    if was is None:
        if not any(fnmatchcase(name, pattern) for pattern in OLD_PATTERNS):
            return ""
        was = "the name of a generated solver"
    library = f" (library {arguments.library!r})" if arguments.library else ""
    return (
        f"{interface_id!r}{library} was {was}; the analytic solver of pyrave takes "
        "its place and needs no generated code"
    )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _positive(word: str, what: str) -> float:
    if not _is_number(word) or not 0.0 < float(word) < float("inf"):
        raise ArgumentError(
            f"{what} is {word!r}, expected a number above 0; an analytic solver takes "
            "'[ikthreshold NUMBER] [free JOINT] ... [STEP ...]'"
        )
    return float(word)
