"""Placements of a robot's base in the plane, with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import StateError
from pyrave.planning.query.arguments import as_seed
from pyrave.spatial import Array, as_number, as_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Indices

_PAIRS = 4_000_000
"""Pairs of placements whose distances are there at once."""


@dataclass(frozen=True, eq=False)
class BaseDistribution:
    """Placements of a base, each with how much speaks for it.

    True if there are any. A placement is x, y and a turn about z, of the base as it
    stands when the distribution is asked for: metres, radians.

    Parameters
    ----------
    placements
        (k, 3).
    weights
        (k,) shares whose sum is 1.
    targets
        (k,) number of the tool pose that each was found for.
    transform
        (4, 4) T_world_base where the base stands.
    bandwidth
        Metres and radians by which each is spread, standard deviations.
    """

    placements: Array
    weights: Array
    targets: Indices
    transform: Array
    bandwidth: tuple[float, float]

    def __bool__(self) -> bool:
        return len(self.placements) > 0

    def __len__(self) -> int:
        return len(self.placements)

    def density(self, placements: ArrayLike) -> Array:
        """Return the density at placements (m, 3), per square metre and radian.

        Each placement of the distribution is spread as a normal distribution.

        Raises
        ------
        ArgumentError
            They are no placements.
        """
        asked = as_rows(placements, (3,), "placements")
        found = np.zeros(len(asked))
        if not self:
            return found
        wide, turned = self.bandwidth
        scale = (2.0 * math.pi) ** 1.5 * wide * wide * turned
        size = max(1, _PAIRS // len(self))
        for first in range(0, len(asked), size):
            some = asked[first : first + size, None]
            gap = (some - self.placements) / (wide, wide, 1.0)
            gap[..., 2] = np.remainder(gap[..., 2] + math.pi, 2.0 * math.pi) - math.pi
            gap[..., 2] /= turned
            near = np.exp(-0.5 * (gap * gap).sum(axis=2))
            found[first : first + size] = near @ self.weights / scale
        return found

    def best(self) -> Array:
        """Return T_world_base (4, 4) of the placement whose density is the greatest.

        Raises
        ------
        StateError
            There is none.
        """
        self._require()
        number = int(np.argmax(self.density(self.placements)))
        return np.asarray(self.transforms(self.placements[number])[0])

    def sample(self, n: int, *, seed: int = 0) -> Array:
        """Return (n, 3) placements that are distributed so.

        Raises
        ------
        ArgumentError
            `n` or `seed` are no such numbers.
        StateError
            There is none.
        """
        count = int(as_number(n, "n", 0, 1e8))
        self._require()
        random = np.random.default_rng(as_seed(seed))
        picked = random.choice(len(self), count, p=self.weights)
        wide, turned = self.bandwidth
        spread = random.normal(size=(count, 3)) * (wide, wide, turned)
        return np.asarray(self.placements[picked] + spread)

    def transforms(self, placements: ArrayLike) -> Array:
        """Return T_world_base (m, 4, 4) of placements (m, 3), or of one.

        Raises
        ------
        ArgumentError
            They are no placements.
        """
        given = as_rows(np.atleast_2d(np.asarray(placements)), (3,), "placements")
        planar = np.tile(np.eye(4), (len(given), 1, 1))
        c, s = np.cos(given[:, 2]), np.sin(given[:, 2])
        planar[:, 0, 0], planar[:, 0, 1] = c, -s
        planar[:, 1, 0], planar[:, 1, 1] = s, c
        planar[:, :2, 3] = given[:, :2]
        return np.asarray(self.transform @ planar)

    def _require(self) -> None:
        if not self:
            raise StateError(
                "there is no placement of the base from which the tool comes there; "
                "look at its height, or take more samples and larger thresholds"
            )


def joint_distribution(parts: list[BaseDistribution]) -> BaseDistribution:
    """Return the placements that speak for all of several distributions.

    The weight of each is the product of all densities there.
    """
    first = parts[0]
    rows = np.concatenate([one.placements for one in parts])
    targets = np.concatenate([one.targets for one in parts])
    logs = np.zeros(len(rows))
    for one in parts:
        with np.errstate(divide="ignore"):
            logs += np.log(one.density(rows))
    possible = np.isfinite(logs)
    weights = np.zeros(len(rows))
    if possible.any():
        weights[possible] = np.exp(logs[possible] - logs[possible].max())
    return weighted(rows, weights, targets, first.transform, first.bandwidth)


def mixed_distribution(parts: list[BaseDistribution]) -> BaseDistribution:
    """Return the placements of several distributions, each of which counts as much."""
    first = parts[0]
    return weighted(
        np.concatenate([one.placements for one in parts]),
        np.concatenate([one.weights for one in parts]),
        np.concatenate([one.targets for one in parts]),
        first.transform,
        first.bandwidth,
    )


def weighted(
    placements: Array,
    weights: Array,
    targets: Indices,
    transform: Array,
    bandwidth: tuple[float, float],
) -> BaseDistribution:
    """Return a distribution of those placements that have a weight."""
    some = weights > 1e-12 * weights.max(initial=0.0)
    shares = weights[some]
    if len(shares):
        shares = shares / shares.sum()
    return BaseDistribution(
        placements[some], shares, targets[some], transform, bandwidth
    )
