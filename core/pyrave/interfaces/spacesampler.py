"""Base of space samplers: sequences of points in a space."""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces.base import InterfaceBase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array


class Interval(enum.IntEnum):
    """Ends of a range that samples may take, with OpenRAVE's values."""

    OPEN = 0
    OPEN_START = 1
    OPEN_END = 2
    CLOSED = 3


class SampleDataType(enum.IntEnum):
    """Kinds of numbers that samplers give."""

    REAL = 1
    UINT32 = 2


class SpaceSamplerBase(InterfaceBase):
    """Samples points of a space of `get_dof` dimensions."""

    interface_type: ClassVar[str] = "spacesampler"
    contract: ClassVar[int] = 1

    @abstractmethod
    def get_dof(self) -> int:
        """Return the number of degrees of freedom of the space."""

    @abstractmethod
    def get_number_of_values(self) -> int:
        """Return the count of numbers of one sample (4 for a quaternion's 3 DOF)."""

    @abstractmethod
    def supports(self, kind: SampleDataType) -> bool:
        """Return True if samples of that kind can be drawn."""

    def set_seed(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`."""
        raise NotSupportedError(f"{self!r} takes no seed")

    def set_space_dof(self, dof: int) -> None:
        """Sample a space of another dimension.

        Parameters
        ----------
        dof
            How many numbers a sample has.
        """
        raise NotSupportedError(f"{self!r} has a fixed dimension")

    def get_limits(
        self, kind: SampleDataType = SampleDataType.REAL
    ) -> tuple[Array, Array]:
        """Return the smallest and largest values, two (n_values,) arrays."""
        if kind is not SampleDataType.REAL:
            raise NotSupportedError(f"{self!r} has no limits for {kind.name}")
        n = self.get_number_of_values()
        return np.zeros(n), np.ones(n)

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` real samples, (n, n_values); fewer at the end."""
        raise NotSupportedError(f"{self!r} gives no real samples")

    def sample_sequence_uint32(self, n: int = 1) -> NDArray[np.uint32]:
        """Return the next `n` integer samples, (n, n_values)."""
        raise NotSupportedError(f"{self!r} gives no integer samples")

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return `n` samples that cover the space as a whole, (n, n_values)."""
        raise NotSupportedError(f"{self!r} gives no complete sample sets")

    def set_neighbour_state_function(
        self, function: Callable[[Array, Array], Any] | None
    ) -> None:
        """Set how a configuration moves by a delta, for samplers of neighbours.

        Parameters
        ----------
        function
            Returns a configuration (dof,) moved by a difference (dof,).
        """
        raise NotSupportedError(f"{self!r} samples no neighbours")
