"""Spelling suggestions: the known name nearest to an unknown one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from itertools import islice

__all__ = ["did_you_mean", "nearest"]

_MAX_COMPARED = 200
_MAX_KNOWN = 2_000
_MAX_CANDIDATES = 200
_ALIKE = 0.6
_MIN_PART = 4
_MAX_MEANT = 3
_MAX_SLIPS = 2
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MARKED = "_-. :/"
_MARKS = str.maketrans("", "", _MARKED)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, without regard to case, or None."""
    if len(name) > _MAX_COMPARED:
        return None
    wanted = name.lower()
    by_lower = {
        c.lower(): c for c in islice(known, _MAX_KNOWN) if 0 < len(c) <= _MAX_COMPARED
    }
    candidates = list(by_lower)
    if len(candidates) > _MAX_CANDIDATES:
        # comparing costs time: of very many only those that begin alike
        near = [c for c in candidates if c[:1] == wanted[:1]]
        near.sort(key=lambda c: abs(len(c) - len(wanted)))
        candidates = near[:_MAX_CANDIDATES]
    # as difflib.get_close_matches, but what shares most letters is compared first
    others = str.maketrans("", "", wanted)
    counts = [(letter, wanted.count(letter)) for letter in dict.fromkeys(wanted)]
    bounds = []
    for one in candidates:
        total = len(one) + len(wanted)
        # most have too few of its letters, however often
        if 2.0 * (len(one) - len(one.translate(others))) / total < _ALIKE:
            continue
        shared = sum([min(one.count(letter), n) for letter, n in counts])
        bounds.append((2.0 * shared / total, one))
    matcher = difflib.SequenceMatcher(b=wanted)
    letters = sorted(wanted)
    best = (_ALIKE, False, "")
    for bound, one in sorted(bounds, reverse=True):
        if bound < best[0]:
            break
        matcher.set_seq1(one)
        # of those that are equally alike, letters in another order come first
        found = (matcher.ratio(), sorted(one) == letters, one)
        if found > best and _is_slip(wanted, one):
            best = found
    if best[2]:
        # a name that was cut is meant rather than one in which much differs
        whole = [one for one in candidates if wanted in one]
        is_cut = len(whole) == 1 and len(wanted) >= 2 * _MIN_PART
        if is_cut and _edits(wanted, best[2]) > _MAX_SLIPS:
            return by_lower[whole[0]]
        return by_lower[best[2]]
    for is_meant in (_is_abbreviated, _is_last_word):
        meant = [one for one in candidates if is_meant(wanted, one)]
        if meant:
            return by_lower[meant[0]] if len(meant) == 1 else None
    return None


def _is_last_word(one: str, other: str) -> bool:
    """Return True if a name is what another is called behind a prefix and a mark."""
    return len(one) > 1 and other.endswith(one) and other[-len(one) - 1] in _MARKED


def _is_abbreviated(one: str, other: str) -> bool:
    """Return True if names have the same digits, and one is a short form of the other.

    So are l2 and link2.
    """
    if one[:1] != other[:1] or not any(map(str.isdigit, one)):
        return False
    if [*filter(str.isdigit, one)] != [*filter(str.isdigit, other)]:
        return False
    short, long = sorted((one.translate(_MARKS), other.translate(_MARKS)), key=len)
    return _is_in_order(short, long)


def _is_slip(one: str, other: str) -> bool:
    """Return True if two names may be one that was mistyped, cut or extended.

    Names can share most letters and mean different things, as rotorinertia and
    maxinertia do: a third of the letters may differ, one ends or starts with the
    other, or one is the other with letters left out after the first.
    """
    short, long = sorted((one.translate(_MARKS), other.translate(_MARKS)), key=len)
    if len(short) >= _MIN_PART and (long.startswith(short) or long.endswith(short)):
        return True
    if short[:1] == long[:1] and _is_in_order(short, long):
        return True
    return _edits(short, long) <= max(1, len(long) // 3)


def _is_in_order(short: str, long: str) -> bool:
    """Return True if all letters of one name are in another, in the same order."""
    rest = iter(long)
    return all(letter in rest for letter in short)


def _edits(one: str, other: str) -> int:
    """Return the edit distance: insertions, deletions, replacements and swaps.

    The optimal string alignment distance (Damerau 1964).
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, mark in enumerate(other, 1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != mark))
            if i > 1 and j > 1 and (letter, one[i - 2]) == (other[j - 2], mark):
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the nearest known name, or ``""``.

    Without one those count that have all words of the name, up to three of them.
    """
    every = list(islice(known, _MAX_KNOWN))
    found = nearest(name, every)
    meant = [found] if found else _with_words_of(name, every)
    return f", did you mean {' or '.join(map(repr, meant))}?" if meant else ""


def _with_words_of(name: str, known: Iterable[str]) -> list[str]:
    """Return the shortest names that have all words of another, perhaps misspelt.

    So has JointPIDController those of PIDController, and diffuse_color that of colour.
    """
    wanted = [] if len(name) > _MAX_COMPARED else _words(name)
    if not wanted or max(map(len, wanted)) < _MIN_PART:
        return []
    # comparing costs time: of very many none is likely to be meant
    candidates = [one for one in known if len(one) <= _MAX_COMPARED]
    if len(candidates) > _MAX_CANDIDATES:
        return []
    found = [
        (len(words), one)
        for one in candidates
        for words in (_words(one),)
        if all(any(_is_slip(word, own) for own in words) for word in wanted)
    ]
    fewest = [one for count, one in found if count == min(found)[0]]
    return fewest if len(fewest) <= _MAX_MEANT else []


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]
