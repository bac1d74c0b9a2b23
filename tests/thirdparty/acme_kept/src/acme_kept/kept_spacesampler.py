"""The spacesampler KeptSpacesampler."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave import ArgumentError, Environment
from pyrave.interfaces import Interval, SampleDataType, SpaceSamplerBase
from pyrave.spatial import Array


class KeptSpacesampler(SpaceSamplerBase):
    """Spreads points evenly over the unit cube with an additive recurrence.

    Point k has the fractional part of k times powers of a generalised golden ratio;
    the seed is the number of points to leave out.
    """

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.set_space_dof(1)

    def get_dof(self) -> int:
        """Return the number of degrees of freedom of the space."""
        return self._steps.size

    def get_number_of_values(self) -> int:
        """Return the count of numbers of one sample (4 for a quaternion's 3 DOF)."""
        return self._steps.size

    def supports(self, kind: SampleDataType) -> bool:
        """Return True if samples of that kind can be drawn."""
        return kind == SampleDataType.REAL

    def set_seed(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`."""
        if seed < 0:
            raise ArgumentError(f"the seed is {seed}, expected 0 or more")
        self._next = 1 + seed

    def set_space_dof(self, dof: int) -> None:
        """Sample a space of another dimension.

        Parameters
        ----------
        dof
            How many numbers a sample has.
        """
        if dof < 1:
            raise ArgumentError(f"the space has {dof} dimensions, expected 1 or more")
        ratio = 2.0
        for _ in range(64):  # the root of x**(dof + 1) == x + 1
            ratio = (1.0 + ratio) ** (1.0 / (dof + 1))
        self._steps = ratio ** -np.arange(1.0, dof + 1.0)
        self._next = 1

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` real samples, (n, n_values); fewer at the end."""
        if n < 0:
            raise ArgumentError(f"n is {n}, expected 0 or more samples")
        numbers = np.arange(self._next, self._next + n)
        self._next += n
        points = np.mod(0.5 + numbers[:, None] * self._steps, 1.0)
        smallest = np.finfo(np.float64).eps  # always inside of the open cube
        return np.asarray(np.clip(points, smallest, 1.0 - smallest))

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return `n` samples that cover the space as a whole, (n, n_values)."""
        kept, self._next = self._next, 1
        points = self.sample_sequence(n, interval)
        self._next = kept
        return points

    def get_own_state(self) -> Any:
        """Return the part that this class adds to the state of the object.

        Plain data that pickles: numbers, texts, arrays, lists, dataclasses. The caller
        copies it, so it may be what the object itself goes on with.
        """
        return self.get_dof(), self._next

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of it or a copy returned, copied."""
        dof, place = state
        self.set_space_dof(dof)
        self._next = place
