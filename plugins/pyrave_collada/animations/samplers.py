"""Animation curves: keys of a ``<sampler>`` as values over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.numbers import parse_numbers
from pyrave_collada.document.parsed import children

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pyrave.spatial import Array

_MAX_KEYS = 1_000_000
_MAX_LETTERS = 200_000_000
"""Largest size of the sources of all samplers, counted at each use."""
_BETWEEN, _MAX_POINTS = 16, 2_000_000
"""Points of one piece of a bent curve, and of all; with more keys these are joined."""
_BENT = frozenset({"BEZIER", "HERMITE"})
_KNOWN = frozenset({"LINEAR", "STEP", *_BENT})
_TANGENTS = ("IN_TANGENT", "OUT_TANGENT")


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Values at rising times.

    Parameters
    ----------
    times, values
        (n,) float64 seconds and (n, k) float64 in the units of the file.
    holds
        A value holds until the next one; else they are joined by lines.
    """

    times: Array
    values: Array
    holds: bool


class Curves:
    """Reads the samplers of one load, each one and each of their sources once.

    Bent pieces become lines between points of the curve.

    Parameters
    ----------
    target
        ``(element, attribute) -> element`` that a URL leads to, or None.
    """

    def __init__(self, target: Callable[[Any, str], Any]) -> None:
        self._target = target
        self._numbers: dict[Any, Array] = {}
        self._curves: dict[Any, Curve | tuple[str, Any]] = {}
        self._letters_left = _MAX_LETTERS

    def read(self, sampler: Any) -> Curve:
        """Return the curve of a ``<sampler>``.

        Raises
        ------
        ElementError
            It makes no sense.
        """
        found = self._curves.get(sampler)
        if found is None:
            try:
                found = self._read(sampler)
            except ElementError as error:
                found = str(error), error.element
            self._curves[sampler] = found
        if isinstance(found, Curve):
            return found
        raise ElementError(*found)

    def _read(self, sampler: Any) -> Curve:
        sources = {
            (one.get("semantic") or "").upper(): self._target(one, "source")
            for one in children(sampler, "input")
        }
        times = self._array(sources, "INPUT", sampler).reshape(-1)
        count = len(times)
        if count == 0 or count > _MAX_KEYS:
            raise ElementError(
                f"there are {count} keys, expected 1 to {_MAX_KEYS}", sampler
            )
        if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
            raise ElementError("its times do not rise", sampler)
        values = self._array(sources, "OUTPUT", sampler)
        if values.size % count or not values.size or not np.isfinite(values).all():
            raise ElementError(f"{values.size} finite values for {count} keys", sampler)
        values = values.reshape(count, -1)
        kinds = self._kinds(sources, count, sampler)
        unknown = sorted(set(kinds) - _KNOWN)
        if unknown:
            raise ElementError(
                f"the interpolation {unknown[0]!r} is not known; there are "
                f"{', '.join(sorted(_KNOWN))}",
                sampler,
            )
        if set(kinds) == {"STEP"}:
            return Curve(times, values, holds=True)
        if set(kinds) == {"LINEAR"}:
            return Curve(times, values, holds=False)
        tangents = None
        if _BENT & set(kinds):
            arriving, leaving = (
                self._tangents(sources, name, values.shape, sampler)
                for name in _TANGENTS
            )
            tangents = np.stack((leaving[:-1], arriving[1:]))
        return _pieces(times, values, np.array(kinds[: count - 1]), tangents)

    def _tangents(
        self, sources: dict[str, Any], name: str, shape: tuple[int, ...], sampler: Any
    ) -> Array:
        """Return the tangents of keys, (n, k, 2): time and value of each."""
        numbers, wanted = self._array(sources, name, sampler), 2 * shape[0] * shape[1]
        if numbers.size != wanted or not np.isfinite(numbers).all():
            raise ElementError(
                f"{name} has {numbers.size} values, expected {wanted} finite ones",
                sampler,
            )
        return numbers.reshape(*shape, 2)

    def _array(self, sources: dict[str, Any], semantic: str, sampler: Any) -> Array:
        array = self._named(sources, semantic, "float_array", sampler)
        if array is None:
            raise ElementError(f"there is no source of {semantic}", sampler)
        if array not in self._numbers:
            self._numbers[array] = parse_numbers(array, np.float64)
        return self._numbers[array]

    def _kinds(self, sources: dict[str, Any], count: int, sampler: Any) -> list[str]:
        """Return the interpolation behind each key, that of the last may be missing."""
        array = self._named(sources, "INTERPOLATION", "Name_array", sampler)
        if array is None:
            return ["LINEAR"] * count
        words = (array.text or "").upper().split()
        if len(words) not in {count, count - 1} or not words:
            raise ElementError(f"{len(words)} interpolations for {count} keys", sampler)
        return words

    def _named(
        self, sources: dict[str, Any], semantic: str, tag: str, sampler: Any
    ) -> Any:
        """Return the array of a source, None if there is none; its letters count."""
        source = sources.get(semantic)
        array = None if source is None else next(children(source, tag), None)
        if array is not None and self._letters_left >= 0:
            self._letters_left -= len(array.text or "")
        if self._letters_left < 0:
            raise ElementError(
                f"the sources of all have more than {_MAX_LETTERS} characters", sampler
            )
        return array


def _pieces(
    times: Array, values: Array, kinds: NDArray[np.str_], tangents: Array | None
) -> Curve:
    """Return a curve of mixed pieces as lines.

    Parameters
    ----------
    kinds
        Interpolation of each piece (n - 1,).
    tangents
        (2, n - 1, k, 2): what leaves the first key of each piece, and what arrives at
        its last; None if no piece is bent.
    """
    starts, ends = times[:-1], times[1:]
    is_step, is_bent = kinds == "STEP", np.isin(kinds, list(_BENT))
    # each piece ends in its last key; before that it holds, or is bent
    found_times, found = [times], [values]
    almost = np.nextafter(ends, starts)
    holding = is_step & (almost > starts)
    found_times.append(almost[holding])
    found.append(values[:-1][holding])
    n_bent = int(is_bent.sum())
    if tangents is not None and n_bent * values.shape[1] * _BETWEEN <= _MAX_POINTS:
        steps = np.arange(1, _BETWEEN) / _BETWEEN
        inside = starts[is_bent, None] + (ends - starts)[is_bent, None] * steps
        first = np.stack(
            np.broadcast_arrays(starts[is_bent, None], values[:-1][is_bent]), axis=-1
        )
        last = np.stack(
            np.broadcast_arrays(ends[is_bent, None], values[1:][is_bent]), axis=-1
        )
        leaving, arriving = tangents[:, is_bent]
        is_hermite = (kinds[is_bent] == "HERMITE")[:, None, None]
        # its tangents are directions, not points
        leaving = np.where(is_hermite, first + leaving / 3.0, leaving)
        arriving = np.where(is_hermite, last - arriving / 3.0, arriving)
        points = np.stack((first, leaving, arriving, last))
        found_times.append(inside.reshape(-1))
        found.append(_bent(inside, points).reshape(-1, values.shape[1]))
    joined = np.concatenate(found_times)
    order = np.argsort(joined, kind="stable")
    return Curve(joined[order], np.concatenate(found)[order], holds=False)


def _bent(times: Array, points: Array) -> Array:
    """Return the values (n, m, k) of pieces at times (COLLADA 1.5, chapter 4).

    Parameters
    ----------
    times
        (n, m) float64, seconds.
    points
        (4, n, k, 2) float64: time and value of the points of each piece.
    """
    where = points[:, :, None, :, 0]
    # time must not run back
    where[1:3] = np.clip(where[1:3], where[0], where[3])
    low = np.zeros((*times.shape, points.shape[2]))
    high = np.ones_like(low)
    for _ in range(52):
        middle = 0.5 * (low + high)
        early = _bernstein(middle, where) < times[:, :, None]
        low = np.where(early, middle, low)
        high = np.where(early, high, middle)
    return _bernstein(high, points[:, :, None, :, 1])


def _bernstein(s: Array, p: Array) -> Array:
    r = 1.0 - s
    found: Array = (
        r**3 * p[0] + 3.0 * r * r * s * p[1] + 3.0 * r * s * s * p[2] + s**3 * p[3]
    )
    return found
