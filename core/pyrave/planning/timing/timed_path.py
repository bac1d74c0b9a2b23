"""Motions as polynomial pieces in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import as_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.spatial import Array, Indices

_ROUNDING = 4e-15
"""Rounding error of positions and times, ignored in short pieces."""


@dataclass(frozen=True, slots=True, eq=False)
class TimedPath:
    """Polynomial pieces in time: cubics, or quintics where accelerations are given.

    Parameters
    ----------
    times
        (n + 1,) seconds, from 0.
    positions, velocities
        (n + 1, dof) at these times.
    accelerations
        (n + 1, dof), or None.
    """

    times: Array
    positions: Array
    velocities: Array
    accelerations: Array | None = None

    @property
    def duration(self) -> float:
        """Seconds from the first to the last point."""
        return float(self.times[-1])

    def at(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations, (m, dof) each.

        Parameters
        ----------
        times
            (m,) seconds; before the first point and after the last one all rests.
        """
        asked = np.atleast_1d(as_numbers(times, "times"))
        if len(self.times) == 1:
            rest = np.repeat(self.positions, len(asked), axis=0)
            return rest, np.zeros_like(rest), np.zeros_like(rest)
        inside = np.clip(asked, 0.0, self.times[-1])
        row = self.pieces_at(inside)
        t = inside[:, None] - self.times[row][:, None]
        c = self.coefficients()[:, row]
        value, rate, change = c[-1], np.zeros_like(c[0]), np.zeros_like(c[0])
        for lower in c[-2::-1]:
            change = change * t + 2.0 * rate
            rate = rate * t + value
            value = value * t + lower
        change[(asked < 0.0) | (asked > self.times[-1])] = 0.0
        return value, rate, change

    def pieces_at(self, times: Array) -> Indices:
        """Return the indices (m,) of the pieces that times (m,) are in."""
        row = np.searchsorted(self.times, times, side="right") - 1
        return np.clip(row, 0, max(0, len(self.times) - 2))

    def coefficients(self) -> Array:
        """Return those of powers of the time since each piece began.

        (4, n, dof), or (6, n, dof) where accelerations are given.
        """
        span = np.diff(self.times)[:, None]
        p, after = self.positions[:-1], self.positions[1:]
        v, last = self.velocities[:-1], self.velocities[1:]
        # by how much the mean velocity is not that of a steady acceleration
        bulge = (after - p) / span - 0.5 * (v + last)
        size = np.maximum(np.abs(p), np.abs(after))
        size += np.abs(last) * self.times[1:, None]
        least = _ROUNDING * size / span
        rise = last - v
        if self.accelerations is None:
            bulge[np.abs(bulge) <= least] = 0.0
            return np.stack(
                (p, v, (0.5 * rise + 3.0 * bulge) / span, -2.0 * bulge / span**2)
            )
        a, end = self.accelerations[:-1], self.accelerations[1:]
        lacks = rise - 0.5 * (a + end) * span
        lacks[np.abs(lacks) <= 100.0 * _ROUNDING * np.abs(v)] = 0.0
        bulge += (end - a) * span / 12.0
        bulge[np.abs(bulge) <= least] = 0.0
        return np.stack(
            (
                p,
                v,
                0.5 * a,
                (10.0 * bulge + lacks) / span**2 + (end - a) / (6.0 * span),
                -(15.0 * bulge + 0.5 * lacks) / span**3,
                6.0 * bulge / span**4,
            )
        )


def joined(
    points: Array,
    velocities: Array,
    pieces: Sequence[TimedPath],
    *,
    is_quintic: bool = False,
) -> TimedPath:
    """Return motions from waypoint to waypoint as one.

    Parameters
    ----------
    points, velocities
        (k, dof) of the waypoints; the first are those at the time zero.
    pieces
        k - 1 motions, each between two waypoints.
    is_quintic
        Whether accelerations are given, which are zero at the waypoints.
    """
    end = 0.0
    times, rows, rates = [np.zeros(1)], [points[:1]], [velocities[:1]]
    for piece in pieces:
        times.append(end + piece.times[1:])
        end += piece.duration
        rows.append(piece.positions[1:])
        rates.append(piece.velocities[1:])
    positions = np.concatenate(rows)
    return TimedPath(
        np.concatenate(times),
        positions,
        np.concatenate(rates),
        np.zeros_like(positions) if is_quintic else None,
    )
