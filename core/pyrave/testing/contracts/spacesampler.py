"""The contract of space samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.testing import assert_array_equal

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces import Interval, SampleDataType
from pyrave.testing.contracts.interface import InterfaceContract, refuses

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import SpaceSamplerBase
    from pyrave.spatial import Array


class SpaceSamplerContract(InterfaceContract):
    """Contract of space samplers."""

    interface_type = "spacesampler"

    def _real(self, env: Environment) -> SpaceSamplerBase:
        sampler: SpaceSamplerBase = self.make(env)
        if not sampler.supports(SampleDataType.REAL):
            self.not_applicable("it gives no real samples")
        return sampler

    def _seeded(self, env: Environment, seed: int) -> SpaceSamplerBase:
        sampler = self._real(env)
        self.offered(sampler.set_seed, seed)
        return sampler

    def _first(self, env: Environment, seed: int) -> Array:
        return self._seeded(env, seed).sample_sequence(20)

    def test_dimension(self, env: Environment) -> None:
        """``get_dof`` and get_number_of_values are ints, 0 or more."""
        sampler = self.make(env)
        dof, width = sampler.get_dof(), sampler.get_number_of_values()
        assert isinstance(dof, int)
        assert isinstance(width, int)
        assert width >= dof >= 0, "a sample has at least a value per degree of freedom"

    def test_supports(self, env: Environment) -> None:
        """``supports`` a kind of samples; other kinds raise NotSupportedError."""
        sampler = self.make(env)
        kinds = [kind for kind in SampleDataType if sampler.supports(kind)]
        assert kinds, "supports() is False for every SampleDataType"
        if SampleDataType.REAL in kinds:
            sampler.sample_sequence(1)
        given = not refuses(NotSupportedError, sampler.sample_sequence_uint32, 1)
        fix = "leave sample_sequence_uint32 to the base class, or support UINT32"
        assert given == (SampleDataType.UINT32 in kinds), fix

    def test_shape(self, env: Environment) -> None:
        """``sample_sequence(n)`` returns (n, n_values) float64 within the limits."""
        sampler = self._real(env)
        width = sampler.get_number_of_values()
        lower, upper = sampler.get_limits()
        assert np.shape(lower) == np.shape(upper) == (width,)
        for n in (1, 0, 7):
            points = sampler.sample_sequence(n)
            assert isinstance(points, np.ndarray)
            assert points.dtype == np.float64
            assert points.shape[1:] == (width,)
            assert len(points) <= n
            assert np.isfinite(points).all()
            assert (points >= lower - 1e-12).all()
            assert (points <= upper + 1e-12).all()

    def test_refuses(self, env: Environment) -> None:
        """A negative n in ``sample_sequence`` raises ArgumentError."""
        assert refuses(ArgumentError, self._real(env).sample_sequence, -1)

    def test_ends_of_the_range(self, env: Environment) -> None:
        """``sample_sequence`` stays in the range and never gives an open end."""
        sampler = self._real(env)
        lower, upper = sampler.get_limits()
        wide = upper > lower
        fix = "draw again, or use np.nextafter to move into the range"
        for interval in Interval:
            try:
                points = sampler.sample_sequence(200, interval)[:, wide]
            except NotSupportedError:
                continue
            assert (points >= lower[wide]).all(), interval
            assert (points <= upper[wide]).all(), interval
            if interval in {Interval.OPEN, Interval.OPEN_START}:
                assert (points > lower[wide]).all(), fix
            if interval in {Interval.OPEN, Interval.OPEN_END}:
                assert (points < upper[wide]).all(), fix

    def test_seed(self, env: Environment) -> None:
        """``set_seed`` starts a sequence that is the same each time."""
        if np.array_equal(self._first(env, 7), self._first(env, 8)):
            self.not_applicable("it is not random: all seeds give the same sequence")
        sampler = self._seeded(env, 7)
        first = sampler.sample_sequence(20)
        sampler.set_seed(7)
        fix = "restart in set_seed: self._rng = np.random.default_rng(seed)"
        assert_array_equal(first, sampler.sample_sequence(20), fix)
        assert_array_equal(
            first, self._first(env, 7), "two samplers of one seed differ"
        )

    def test_global_state(self, env: Environment) -> None:
        """``sample_sequence`` does not touch numpy's global random generator."""
        sampler = self._real(env)
        before = str(np.random.get_state(legacy=False))  # noqa: NPY002 - it is guarded
        sampler.sample_sequence(10)
        after = str(np.random.get_state(legacy=False))  # noqa: NPY002
        assert before == after, "keep self._rng = np.random.default_rng(seed)"

    def test_one_by_one(self, env: Environment) -> None:
        """``sample_sequence(n)`` gives the samples of n calls."""
        first, second = self._seeded(env, 3), self._seeded(env, 3)
        alone = np.concatenate([second.sample_sequence(1) for _ in range(5)])
        assert_array_equal(first.sample_sequence(5), alone)

    def test_complete(self, env: Environment) -> None:
        """``sample_complete(n)`` returns (n, n_values), or NotSupportedError."""
        sampler = self._real(env)
        points = self.offered(sampler.sample_complete, 4)
        assert np.shape(points)[1:] == (sampler.get_number_of_values(),)

    def test_space(self, env: Environment) -> None:
        """``set_space_dof`` changes the dimension, or raises NotSupportedError."""
        sampler = self._real(env)
        self.offered(sampler.set_space_dof, 3)
        assert sampler.get_dof() == 3
        shape = (2, sampler.get_number_of_values())
        assert sampler.sample_sequence(2).shape == shape

    def test_resumes(self, env: Environment) -> None:
        """A sampler with a twin's state (``set_state``) goes on with its samples."""
        sampler, twin = self._real(env), self._real(env)
        sampler.sample_sequence(3)
        kept = sampler.get_state()
        if kept is None:
            self.not_applicable("it has no state")
        twin.set_state(kept)
        fix = "the state holds the generator's: self._rng.bit_generator.state"
        assert_array_equal(sampler.sample_sequence(4), twin.sample_sequence(4), fix)
