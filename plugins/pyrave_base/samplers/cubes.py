"""Samplers of the unit cube: pseudo-random and quasi-random sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces.settings.declarations import setting
from pyrave.interfaces.spacesampler import Interval, SampleDataType, SpaceSamplerBase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.spatial import Array

_MAX_SAMPLES = 1_000_000_000
_MAX_DOF = 100_000
_DEFAULT_SEED = 5489


def checked_count(n: int, n_values: int) -> int:
    """Return a number of samples, or raise an ArgumentError."""
    if not 0 <= n <= _MAX_SAMPLES // max(1, n_values):
        raise ArgumentError(
            f"n is {n}, expected 0 to {_MAX_SAMPLES // max(1, n_values)} samples"
        )
    return int(n)


def checked_dof(dof: int) -> int:
    """Return the dimension of a cube, or raise an ArgumentError."""
    if not 1 <= dof <= _MAX_DOF:
        raise ArgumentError(f"dof is {dof}, expected 1 to {_MAX_DOF}")
    return int(dof)


@dataclass(frozen=True)
class CubeSettings:
    """Settings of samplers of the unit cube."""

    dof: int = setting(1, "dimension of the cube", least=1, most=_MAX_DOF)


@dataclass(frozen=True)
class TwisterSettings(CubeSettings):
    """Settings of `MersenneTwisterSampler`."""

    seed: int = setting(_DEFAULT_SEED, "of the sequence", least=0, most=2**32 - 1)


class MersenneTwisterSampler(SpaceSamplerBase):
    """Draw uniform pseudo-random numbers with the generator MT19937.

    The same seed gives the same numbers as OpenRAVE's sampler: 32 bits a number,
    divided by 2^32 (so that 1 does not occur even in closed intervals). Where 0 is
    excluded the numbers are shifted by half a step, or by one for (0, 1].

    Matsumoto & Nishimura, ACM Trans. Modeling and Computer Simulation 8(1), 1998.
    """

    contract = 1
    settings_type = TwisterSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._dof: int = self.settings.dof
        self._generator = np.random.MT19937()
        self.set_seed(self.settings.seed)

    def settings_changed(self, before: TwisterSettings) -> None:
        """Sample another cube; another seed starts its sequence."""
        self._dof = self.settings.dof
        if self.settings.seed != before.seed:
            self.set_seed(self.settings.seed)

    def get_dof(self) -> int:
        """Return the dimension of the cube."""
        return self._dof

    def get_number_of_values(self) -> int:
        """Return the dimension of the cube."""
        return self._dof

    def set_space_dof(self, dof: int) -> None:
        """Sample a cube of another dimension; the sequence of numbers goes on."""
        self._dof = checked_dof(dof)
        if self.settings.dof != self._dof:
            self._part_settings = replace(self.settings, dof=self._dof)

    def supports(self, kind: SampleDataType) -> bool:
        """Return True: real numbers and 32-bit integers can be drawn."""
        return kind in {SampleDataType.REAL, SampleDataType.UINT32}

    def set_seed(self, seed: int) -> None:
        """Start the sequence of a seed, 0 to 2^32 - 1."""
        if not 0 <= seed < 2**32:
            raise ArgumentError(f"seed is {seed}, expected 0 to 2**32 - 1")
        # RandomState seeds as the reference implementation's init_genrand does
        state: Any = np.random.RandomState(int(seed)).get_state(legacy=False)
        self._generator.state = state

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` samples, (n, dof), in 0 to 1."""
        kind = Interval(interval)
        bits = self.sample_sequence_uint32(n).astype(np.float64)
        if kind is Interval.OPEN:
            bits += 0.5
        elif kind is Interval.OPEN_START:
            bits += 1.0
        return np.asarray(bits * 2.0**-32)

    def sample_sequence_uint32(self, n: int = 1) -> NDArray[np.uint32]:
        """Return the next `n` integer samples, (n, dof)."""
        count = checked_count(n, self._dof)
        raw = self._generator.random_raw(count * self._dof)
        return np.asarray(raw, dtype=np.uint32).reshape(count, self._dof)

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return `n` samples of the sequence, (n, dof)."""
        return self.sample_sequence(n, interval)

    def get_own_state(self) -> Any:
        """Return the place in the sequence."""
        return self._dof, self._generator.state

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        dof, self._generator.state = state
        self.set_space_dof(dof)


class HaltonSampler(SpaceSamplerBase):
    """Walk through the Halton sequence, which fills the unit cube evenly.

    Dimension k counts in the k-th prime. The sequence starts at 0, which is left out
    where the interval excludes it; no number reaches 1. It is not random: a seed
    changes nothing, and does not start it again, as in OpenRAVE.

    Halton, Numerische Mathematik 2, 1960.
    """

    contract = 1
    settings_type = CubeSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._bases = _primes(self.settings.dof)
        self._next = 0

    def get_dof(self) -> int:
        """Return the dimension of the cube."""
        return len(self._bases)

    def get_number_of_values(self) -> int:
        """Return the dimension of the cube."""
        return len(self._bases)

    def set_space_dof(self, dof: int) -> None:
        """Sample a cube of another dimension, from the start of the sequence."""
        self._bases = _primes(checked_dof(dof))
        self._next = 0
        if self.settings.dof != dof:
            self._part_settings = replace(self.settings, dof=int(dof))

    def settings_changed(self, before: CubeSettings) -> None:
        """Sample another cube, from the start of the sequence."""
        if self.settings.dof != before.dof:
            self.set_space_dof(self.settings.dof)

    def supports(self, kind: SampleDataType) -> bool:
        """Return True for real numbers."""
        return kind == SampleDataType.REAL

    def set_seed(self, seed: int) -> None:
        """Change nothing: the sequence is the same for all seeds."""

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` points, (n, dof), in 0 to 1."""
        count = checked_count(n, len(self._bases))
        skips_zero = Interval(interval) in {Interval.OPEN, Interval.OPEN_START}
        first = max(self._next, 1) if skips_zero else self._next
        if count:
            self._next = first + count
        indices = np.arange(first, first + count)
        columns = [_radical_inverse(indices, base) for base in self._bases]
        return np.stack(columns, axis=1).reshape(count, len(self._bases))

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return the next `n` points, (n, dof): they cover the cube."""
        return self.sample_sequence(n, interval)

    def sample_sequence_uint32(self, n: int = 1) -> NDArray[np.uint32]:
        """Raise: the sequence has no integers."""
        raise NotSupportedError(
            f"{self!r} gives real numbers only, not {n} integers; use MT19937"
        )

    def get_own_state(self) -> Any:
        """Return the place in the sequence."""
        return len(self._bases), self._next

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        dof, place = state
        self.set_space_dof(dof)
        self._next = place


def _radical_inverse(indices: NDArray[np.int64], base: int) -> Array:
    """Return the digits of indices in a base, mirrored at the point."""
    result = np.zeros(indices.shape)
    rest = indices.copy()
    weight = 1.0 / base
    while rest.any():
        rest, digit = np.divmod(rest, base)
        result += digit * weight
        weight /= base
    # rounding must not make 1 of the digits of a number below 1
    return np.minimum(result, np.nextafter(1.0, 0.0))


def _primes(count: int) -> list[int]:
    """Return the first primes, by the sieve of Eratosthenes."""
    size = 16
    while True:
        sieve = np.ones(size, dtype=np.bool_)
        sieve[:2] = False
        for i in range(2, int(size**0.5) + 1):
            if sieve[i]:
                sieve[i * i :: i] = False
        found = np.flatnonzero(sieve)
        if len(found) >= count:
            return [int(prime) for prime in found[:count]]
        size *= 2
