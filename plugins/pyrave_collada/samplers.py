"""Animation curves: keys of a ``<sampler>`` as values over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_collada.document import children
from pyrave_collada.polygons import GeometryError, parse_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.spatial import Array

__all__ = ["Curve", "CurveError", "read_curve"]

_MAX_KEYS = 1_000_000
_BETWEEN = 16
"""Points of one piece of a bent curve."""
_BENT = frozenset({"BEZIER", "HERMITE"})
_KNOWN = frozenset({"LINEAR", "STEP", *_BENT})
_TANGENTS = ("IN_TANGENT", "OUT_TANGENT")


class CurveError(Exception):
    """A sampler cannot be read.

    Parameters
    ----------
    element
        Where it is wrong.
    """

    def __init__(self, message: str, element: Any) -> None:
        super().__init__(message)
        self.element = element


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


def read_curve(sampler: Any, target: Callable[[Any, str], Any]) -> Curve:
    """Return the curve of a ``<sampler>``.

    Bent pieces become lines between points of the curve.

    Parameters
    ----------
    target
        ``(element, attribute) -> element`` that a URL leads to, or None.

    Raises
    ------
    CurveError
        It makes no sense.
    """
    sources = {
        (one.get("semantic") or "").upper(): target(one, "source")
        for one in children(sampler, "input")
    }
    times = _numbers(sources.get("INPUT"), sampler, "INPUT").reshape(-1)
    count = len(times)
    if count == 0 or count > _MAX_KEYS:
        raise CurveError(f"there are {count} keys, expected 1 to {_MAX_KEYS}", sampler)
    if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise CurveError("its times do not rise", sampler)
    values = _numbers(sources.get("OUTPUT"), sampler, "OUTPUT")
    if values.size % count or not values.size or not np.isfinite(values).all():
        raise CurveError(f"{values.size} finite values for {count} keys", sampler)
    values = values.reshape(count, -1)
    kinds = _names(sources.get("INTERPOLATION"), count, sampler)
    unknown = sorted(set(kinds) - _KNOWN)
    if unknown:
        raise CurveError(
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
        tangents = _tangents(sources, values.shape, sampler)
    return _pieces(times, values, kinds, tangents)


def _tangents(
    sources: dict[str, Any], shape: tuple[int, ...], sampler: Any
) -> tuple[Array, Array]:
    """Return the tangents of keys, (n, k, 2): time and value of each."""
    found = []
    for name in _TANGENTS:
        numbers = _numbers(sources.get(name), sampler, name)
        wanted = shape[0] * shape[1]
        if numbers.size == 2 * wanted and np.isfinite(numbers).all():
            found.append(numbers.reshape(*shape, 2))
        else:
            raise CurveError(
                f"{name} has {numbers.size} values, expected {2 * wanted}", sampler
            )
    return found[0], found[1]


def _pieces(times: Array, values: Array, kinds: list[str], tangents: Any) -> Curve:
    """Return a curve of mixed pieces as lines."""
    steps = np.arange(1, _BETWEEN + 1) / _BETWEEN
    width = values.shape[1]
    if len(times) * width * _BETWEEN > _MAX_KEYS * 16:
        steps = np.array([1.0])
    made_times, made = [times[:1]], [values[:1]]
    for i, kind in enumerate(kinds[: len(times) - 1]):
        start, end = times[i], times[i + 1]
        if kind == "STEP":
            almost = np.nextafter(end, start)
            inside = [almost, end] if almost > start else [end]
            made_times.append(np.array(inside))
            made.append(np.vstack([values[i]] * (len(inside) - 1) + [values[i + 1]]))
            continue
        if kind == "LINEAR" or tangents is None:
            made_times.append(times[i + 1 : i + 2])
            made.append(values[i + 1 : i + 2])
            continue
        here = start + (end - start) * steps
        made_times.append(here)
        made.append(
            np.stack(
                [
                    _bent(
                        here,
                        (start, values[i, k]),
                        tangents[1][i, k],
                        tangents[0][i + 1, k],
                        (end, values[i + 1, k]),
                        hermite=kind == "HERMITE",
                    )
                    for k in range(width)
                ],
                axis=1,
            )
        )
    return Curve(np.concatenate(made_times), np.concatenate(made), holds=False)


def _bent(
    times: Array, first: Any, leaving: Any, arriving: Any, last: Any, *, hermite: bool
) -> Array:
    """Return the values of one piece at some times (COLLADA 1.5, chapter 4)."""
    points = np.array([first, leaving, arriving, last], dtype=np.float64)
    if hermite:  # tangents are directions, not points
        points[1] = points[0] + points[1] / 3.0
        points[2] = points[3] - points[2] / 3.0
    # time must not run back
    points[1:3, 0] = np.clip(points[1:3, 0], points[0, 0], points[3, 0])
    low, high = np.zeros(len(times)), np.ones(len(times))
    for _ in range(52):
        middle = 0.5 * (low + high)
        early = _bernstein(middle, points[:, 0]) < times
        low = np.where(early, middle, low)
        high = np.where(early, high, middle)
    return _bernstein(high, points[:, 1])


def _bernstein(s: Array, p: Array) -> Array:
    r = 1.0 - s
    found: Array = (
        r**3 * p[0] + 3.0 * r * r * s * p[1] + 3.0 * r * s * s * p[2] + s**3 * p[3]
    )
    return found


def _numbers(source: Any, sampler: Any, semantic: str) -> Array:
    array = None if source is None else next(children(source, "float_array"), None)
    if array is None:
        raise CurveError(f"there is no source of {semantic}", sampler)
    try:
        return np.asarray(parse_numbers(array, np.float64), dtype=np.float64)
    except GeometryError as error:
        raise CurveError(str(error), error.element) from None


def _names(source: Any, count: int, sampler: Any) -> list[str]:
    array = None if source is None else next(children(source, "Name_array"), None)
    if array is None:
        return ["LINEAR"] * count
    words = (array.text or "").upper().split()
    if len(words) not in {count, count - 1} or not words:
        raise CurveError(f"{len(words)} interpolations for {count} keys", sampler)
    return words
