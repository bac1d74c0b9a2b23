"""Names of solvers in OpenRAVE's files, and the words after them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyrave.errors import SettingError
from pyrave.interfaces import setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class OldSolver:
    """A solver that OpenRAVE generated and shipped.

    Parameters
    ----------
    arm
        The arm it was for; empty: any.
    n_joints
        Number of the arm's joints; 0: any.
    held
        Indices, in the arm's joints, of those that it held and searched.
    """

    arm: str
    n_joints: int = 0
    held: tuple[int, ...] = ()


OLD_NAMES: Mapping[str, OldSolver] = MappingProxyType(
    {
        "ikfast": OldSolver(""),
        "WAM7ikfast": OldSolver("Barrett WAM, 7 joints", 7, (2,)),
        "WAM4ikfast": OldSolver("Barrett WAM, 4 joints", 4),
        "PUMAikfast": OldSolver("PUMA 560", 6),
        "PA10ikfast": OldSolver("Mitsubishi PA-10", 7, (2,)),
        "ikfast_pr2_head": OldSolver("head of the PR2", 2),
        "ikfast_pr2_head_torso": OldSolver("head and torso of the PR2", 3, (0,)),
        "ikfast_pr2_leftarm": OldSolver("left arm of the PR2", 7, (2,)),
        "ikfast_pr2_leftarm_torso": OldSolver(
            "left arm and torso of the PR2", 8, (0, 3)
        ),
        "ikfast_pr2_rightarm": OldSolver("right arm of the PR2", 7, (2,)),
        "ikfast_pr2_rightarm_torso": OldSolver(
            "right arm and torso of the PR2", 8, (0, 3)
        ),
        "ikfast_schunk_lwa3": OldSolver("Schunk LWA3", 7, (2,)),
        "ikfast_katana5d": OldSolver("Katana, position and direction", 5),
        "ikfast_katana5d_trans": OldSolver("Katana, position", 5, (3, 4)),
    }
)
"""Solvers that names in files stand for; names match without case."""

OLD_PATTERNS: tuple[str, ...] = ("ikfast*", "*ikfast")
"""Names that OpenRAVE's users gave to solvers that they generated."""

_THRESHOLD = "ikthreshold"
_FREE = "free"


@dataclass(frozen=True, slots=True)
class AnalyticSettings:
    """Settings of the solvers of an arm."""

    steps: tuple[float, ...] = setting(
        (),
        "steps in which free joints are searched: none, one for all, or one for each",
        unit="rad or m",
        above=0.0,
    )
    threshold: float | None = setting(
        None,
        "how far solutions may miss goals that are not reached; none: not at all",
        unit="m",
        above=0.0,
    )
    free: tuple[str, ...] = setting(
        (), "joints that are held and searched; none: the solver chooses"
    )


@dataclass(frozen=True, slots=True)
class OldNameSettings(AnalyticSettings):
    """Settings of solvers under OpenRAVE's names."""

    library: str = setting("", "name of a generated library, which is not needed")


def read_old_words(words: tuple[str, ...], *, library: bool) -> dict[str, str]:
    """Return the words after a solver's id, as OpenRAVE has them, as texts by name.

    Parameters
    ----------
    library
        Whether the first word may name a library.

    Raises
    ------
    SettingError
        A word is neither a number nor known, or says a setting twice.
    """
    steps: list[str] = []
    free: list[str] = []
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, text = word.partition("=")
        if equals:
            _once(found, name)
            found[name] = text
        elif word.lower() == _THRESHOLD:
            _once(found, "threshold")
            found["threshold"] = rest.pop(0) if rest else ""
        elif word.lower() == _FREE:
            if not rest:
                raise SettingError(f"{_FREE!r} is not followed by a joint's name")
            free.append(rest.pop(0))
        elif library and "library" not in found and not steps and not _is_number(word):
            found["library"] = word
        else:
            steps.append(word)
    for name, several in (("steps", steps), ("free", free)):
        if several:
            _once(found, name)
            found[name] = " ".join(several)
    return found


def _once(found: Mapping[str, str], name: str) -> None:
    if name in found:
        raise SettingError(
            f"the words behind the id give two settings {name!r}, expected one; "
            "several numbers or names have commas between them: steps=0.1,0.2",
            name,
        )


def note_of(interface_id: str, settings: AnalyticSettings) -> str:
    """Return a note on an old name, empty for our own."""
    known = _known(interface_id)
    if known is not None and known.arm:
        was = f"a generated solver of OpenRAVE's robots: {known.arm}"
    elif known is not None:
        was = "OpenRAVE's loader of generated solvers; the library is not needed"
    elif any(fnmatchcase(interface_id.lower(), pattern) for pattern in OLD_PATTERNS):
        was = "the name of a generated solver"
    else:
        return ""
    given = getattr(settings, "library", "")
    library = f" (library {given!r})" if given else ""
    return (
        f"{interface_id!r}{library} was {was}; the analytic solver of pyrave takes "
        "its place and needs no generated code"
    )


def held_by(interface_id: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that OpenRAVE's solver of that name held and searched.

    Parameters
    ----------
    names
        Names of the arm's joints, base to tool. An arm with another number of joints
        than the original's gets none.
    """
    known = _known(interface_id)
    if known is None or len(names) != known.n_joints:
        return ()
    return tuple(names[number] for number in known.held)


def _known(interface_id: str) -> OldSolver | None:
    name = interface_id.lower()
    return next((was for old, was in OLD_NAMES.items() if old.lower() == name), None)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
