"""`SpaceSampler`: sequences of points of a space."""

from __future__ import annotations

from typing import Any

import numpy as np

import pyrave
from pyrave_openravepy.api.enums import Interval, SampleDataType
from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.interface import Interface

__all__ = ["SpaceSampler"]


class SpaceSampler(Interface):
    """Samples points of a space."""

    def SetSeed(self, seed: int) -> None:
        self._native.set_seed(int(seed))

    def SetSpaceDOF(self, dof: int) -> None:
        self._native.set_space_dof(int(dof))

    def GetDOF(self) -> int:
        return int(self._native.get_dof())

    def GetNumberOfValues(self) -> int:
        return int(self._native.get_number_of_values())

    def Supports(self, seed: int) -> bool:
        return bool(self._native.supports(pyrave.SampleDataType(int(seed))))

    def GetLimits(self, seed: int) -> tuple[Any, Any]:
        lower, upper = self._native.get_limits(pyrave.SampleDataType(int(seed)))
        return np.array(lower), np.array(upper)

    def SampleSequence(
        self, type: int, num: int, interval: int = Interval.Closed
    ) -> Any:
        return self.SampleSequence2D(type, num, interval).ravel()

    def SampleSequence2D(
        self, type: int, num: int, interval: int = Interval.Closed
    ) -> Any:
        if int(type) == SampleDataType.Uint32:
            return np.array(self._native.sample_sequence_uint32(int(num)))
        if int(type) != SampleDataType.Real:
            raise ValueError(
                f"type is {type}, expected SampleDataType.Real or SampleDataType.Uint32"
            )
        return np.array(self._native.sample_sequence(int(num), _ends(interval)))

    def SampleSequenceOneReal(self, interval: int = Interval.Closed) -> float:
        return float(self.SampleSequence(SampleDataType.Real, 1, interval)[0])

    def SampleSequenceOneUInt32(self) -> int:
        return int(self.SampleSequence(SampleDataType.Uint32, 1)[0])

    def SampleComplete(
        self, type: int, num: int, interval: int = Interval.Closed
    ) -> Any:
        return self.SampleComplete2D(type, num, interval).ravel()

    def SampleComplete2D(
        self, type: int, num: int, interval: int = Interval.Closed
    ) -> Any:
        if int(type) != SampleDataType.Real:
            raise pyrave.NotSupportedError(
                f"{self.GetXMLId()} gives complete sets of real samples alone: "
                "SampleDataType.Real"
            )
        return np.array(self._native.sample_complete(int(num), _ends(interval)))


def _ends(interval: int) -> pyrave.Interval:
    return pyrave.Interval(int(interval) & int(Interval.IntervalMask))


register_kind("spacesampler", SpaceSampler)
