"""What a distribution's metadata demands of pyrave's version.

Only what plugins really write is understood: release numbers compared with the
operators of PEP 440. Anything more exotic (local versions, arbitrary equality,
environment markers) is left to the installer, which has checked it already.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["normalize_name", "unmet_requirement"]

_REQUIREMENT = re.compile(
    r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;()]*)\)?\s*(;.*)?$"
)
_CLAUSE = re.compile(r"^\s*(==|!=|>=|<=|~=|<|>)\s*v?(\d+(?:\.\d+)*)(\.\*)?([^\s]*)\s*$")
_RELEASE = re.compile(r"^v?(\d+(?:\.\d+)*)(.*)$")
_PRE = re.compile(r"^[._-]?(a|b|c|rc|alpha|beta|pre|preview|dev)", re.IGNORECASE)


def normalize_name(name: str) -> str:
    """Return a distribution's name in lower case with ``-`` as the only separator."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def unmet_requirement(requires: Iterable[str], version: str) -> str | None:
    """Return the first requirement on pyrave that `version` does not meet, or None.

    Parameters
    ----------
    requires
        Values of ``Requires-Dist`` such as ``"pyrave>=0.1,<2"``.
    version
        The version at hand.
    """
    for line in requires:
        match = _REQUIREMENT.match(line)
        if match is None or normalize_name(match[1]) != "pyrave" or match[3]:
            continue
        clauses = [clause for clause in match[2].split(",") if clause.strip()]
        if any(_satisfies(version, clause) is False for clause in clauses):
            return line.strip()
    return None


def _satisfies(version: str, clause: str) -> bool | None:
    """Compare; None when the clause or the version is beyond release numbers."""
    wanted, have = _CLAUSE.match(clause), _RELEASE.match(version)
    if wanted is None or have is None or wanted[4]:
        return None
    operator, release, wildcard = wanted[1], _numbers(wanted[2]), bool(wanted[3])
    own = _numbers(have[1])
    if wildcard:
        same = _padded(own, len(release))[: len(release)] == release
        return {"==": same, "!=": not same}.get(operator)
    width = max(len(own), len(release))
    # a pre-release sorts just before its release
    left = (_padded(own, width), 0 if _PRE.match(have[2]) else 1)
    right = (_padded(release, width), 1)
    if operator == "~=":
        return left >= right and own[: len(release) - 1] == release[:-1]
    return {
        "==": left == right,
        "!=": left != right,
        ">=": left >= right,
        "<=": left <= right,
        "<": left < right,
        ">": left > right,
    }[operator]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _padded(numbers: tuple[int, ...], width: int) -> tuple[int, ...]:
    padding = itertools.repeat(0, max(0, width - len(numbers)))
    return (*numbers, *padding)
