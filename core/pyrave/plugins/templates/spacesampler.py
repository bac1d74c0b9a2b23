"""Template of a space sampler: an additive recurrence."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The space sampler @id@."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyrave import ArgumentError
from pyrave.interfaces import Interval, SampleDataType, SpaceSamplerBase

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyrave.interfaces import EnvironmentProtocol


class @id@(SpaceSamplerBase):
    """Spreads points evenly over the unit cube with an additive recurrence.

    Point k has the fractional part of k times powers of a generalised golden ratio.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._next = 1
        self.set_space_dof(1)

    def get_dof(self) -> int:
        """Return the number of degrees of freedom."""
        return self._steps.size

    def get_number_of_values(self) -> int:
        """Return the count of numbers of one sample."""
        return self._steps.size

    def supports(self, kind: SampleDataType) -> bool:
        """Return True for real samples."""
        return kind == SampleDataType.REAL

    def set_seed(self, seed: int) -> None:
        """Start with point `seed` + 1 of the sequence."""
        if seed < 0:
            raise ArgumentError(f"the seed is {seed}, expected 0 or more")
        self._next = 1 + seed

    def set_space_dof(self, dof: int) -> None:
        """Sample a space of another dimension; the sequence begins again."""
        if dof < 1:
            raise ArgumentError(f"the space has {dof} dimensions, expected 1 or more")
        ratio = 2.0
        for _ in range(64):  # the root of x**(dof + 1) == x + 1
            ratio = (1.0 + ratio) ** (1.0 / (dof + 1))
        self._steps = ratio ** -np.arange(1.0, dof + 1.0)
        self._next = 1

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> NDArray[np.float64]:
        """Return the next `n` samples, (n, dof), always inside of the open cube."""
        if n < 0:
            raise ArgumentError(f"n is {n}, expected 0 or more samples")
        numbers = np.arange(self._next, self._next + n)
        self._next += n
        points = np.mod(0.5 + numbers[:, None] * self._steps, 1.0)
        smallest = np.finfo(np.float64).eps
        return np.asarray(np.clip(points, smallest, 1.0 - smallest))

    def sample_complete(
        self, n: int, interval: Interval = Interval.CLOSED
    ) -> NDArray[np.float64]:
        """Return the first `n` points of the sequence, (n, dof)."""
        kept, self._next = self._next, 1
        points = self.sample_sequence(n, interval)
        self._next = kept
        return points

    def get_state(self) -> tuple[int, int]:
        """Return the dimension and the place in the sequence."""
        return self.get_dof(), self._next

    def set_state(self, state: tuple[int, int]) -> None:
        """Take over what `get_state` returned."""
        if state is not None:
            self.set_space_dof(state[0])
            self._next = state[1]
'''

_TEST = '''"""What @id@ samples."""

import numpy as np


def test_points_spread_evenly(scene):
    sampler = scene.create("spacesampler", "@id@")
    sampler.set_space_dof(2)
    points = sampler.sample_sequence(1000)
    assert points.shape == (1000, 2)
    counts, _, _ = np.histogram2d(*points.T, bins=5, range=[[0, 1], [0, 1]])
    assert counts.min() > 30
    assert counts.max() < 50


def test_the_seed_decides(scene):
    sampler = scene.create("spacesampler", "@id@")
    sampler.set_seed(7)
    first = sampler.sample_sequence(5)
    sampler.set_seed(7)
    np.testing.assert_array_equal(first, sampler.sample_sequence(5))
    assert not np.array_equal(first, sampler.sample_sequence(5))
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <spacesampler type="@id@"/>\n')
