"""Samplers of grids: endless sequences that cover directions, rotations and cubes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.geometry import kronecker_sequence, rotation_sequence, sphere_sequence
from pyrave.interfaces.spacesampler import Interval, SampleDataType, SpaceSamplerBase
from pyrave_base.samplers.cubes import CubeSettings, checked_count, checked_dof

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.spatial import Array


class _SequenceSampler(SpaceSamplerBase):
    """Walks through a sequence that is the same for all seeds."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._next = 0

    @abstractmethod
    def _points(self, first: int, count: int) -> Array:
        """Return points `first` to ``first + count`` of the sequence."""

    def supports(self, kind: SampleDataType) -> bool:
        """Return True for real numbers."""
        return kind == SampleDataType.REAL

    def set_seed(self, seed: int) -> None:
        """Change nothing: the sequence is the same for all seeds."""

    def set_space_dof(self, dof: int) -> None:
        """Accept the dimension of the space, no other."""
        if dof != self.get_dof():
            raise NotSupportedError(
                f"the space of {self!r} has {self.get_dof()} dimensions, not {dof}"
            )

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` points, (n, n_values); none is at an interval's end."""
        Interval(interval)
        count = checked_count(n, self.get_number_of_values())
        first, self._next = self._next, self._next + count
        return self._points(first, count)

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return the first `n` points, (n, n_values): they cover the space."""
        Interval(interval)
        return self._points(0, checked_count(n, self.get_number_of_values()))

    def sample_sequence_uint32(self, n: int = 1) -> NDArray[np.uint32]:
        """Raise: the sequence has no integers."""
        raise NotSupportedError(
            f"{self!r} gives real numbers only, not {n} integers; use MT19937"
        )

    def get_own_state(self) -> Any:
        """Return the place in the sequence."""
        return self._next

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        self._next = state


class SphereGridSampler(_SequenceSampler):
    """Walk through unit vectors that cover the sphere evenly.

    Of its first 12, 48, 192 ... vectors each is in a HEALPix pixel of its own, see
    `pyrave.geometry.healpix_directions`.
    """

    contract = 1

    def get_dof(self) -> int:
        """Return 2, the dimension of the sphere."""
        return 2

    def get_number_of_values(self) -> int:
        """Return 3, the numbers of a vector."""
        return 3

    def get_limits(
        self, kind: SampleDataType = SampleDataType.REAL
    ) -> tuple[Array, Array]:
        """Return the smallest and largest values, two (3,) arrays."""
        _, upper = super().get_limits(kind)
        return -upper, upper

    def _points(self, first: int, count: int) -> Array:
        return sphere_sequence(first, count)


class RotationGridSampler(_SequenceSampler):
    """Walk through unit quaternions w x y z that cover all rotations evenly.

    Of its first 72, 576, 4608 ... rotations each is in a cell of its own of
    `pyrave.geometry.rotation_grid`.
    """

    contract = 1

    def get_dof(self) -> int:
        """Return 3, the dimension of rotations."""
        return 3

    def get_number_of_values(self) -> int:
        """Return 4, the numbers of a quaternion."""
        return 4

    def get_limits(
        self, kind: SampleDataType = SampleDataType.REAL
    ) -> tuple[Array, Array]:
        """Return the smallest and largest values, two (4,) arrays."""
        _, upper = super().get_limits(kind)
        return np.array((0.0, -1.0, -1.0, -1.0)), upper

    def _points(self, first: int, count: int) -> Array:
        return rotation_sequence(first, count)


class LatticeSampler(_SequenceSampler):
    """Walk through points of the unit cube of which any number in a row is even.

    The points are those of `pyrave.geometry.kronecker_sequence`.
    """

    contract = 1
    settings_type = CubeSettings

    def get_dof(self) -> int:
        """Return the dimension of the cube."""
        return int(self.settings.dof)

    def get_number_of_values(self) -> int:
        """Return the dimension of the cube."""
        return int(self.settings.dof)

    def set_space_dof(self, dof: int) -> None:
        """Sample a cube of another dimension, from the start of the sequence."""
        self._part_settings = replace(self.settings, dof=checked_dof(dof))
        self._next = 0

    def settings_changed(self, before: CubeSettings) -> None:
        """Sample another cube, from the start of the sequence."""
        if self.settings.dof != before.dof:
            self._next = 0

    def get_own_state(self) -> Any:
        """Return the dimension and the place in the sequence."""
        return self.get_dof(), self._next

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        dof, place = state
        self.set_space_dof(dof)
        self._next = place

    def _points(self, first: int, count: int) -> Array:
        return kronecker_sequence(first, count, self.get_dof())
