"""Motions of a base as numbers: functions on masks of `DOFAffine`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import DOFAffine, ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.motion.specification import ConfigurationSpecification

if TYPE_CHECKING:
    from pyrave.kinematics import Affine

__all__ = [
    "RaveGetAffineConfigurationSpecification",
    "RaveGetAffineDOF",
    "RaveGetAffineDOFFromIndex",
    "RaveGetAffineDOFValuesFromTransform",
    "RaveGetIndexFromAffineDOF",
]

_PARTS = (
    DOFAffine.X,
    DOFAffine.Y,
    DOFAffine.Z,
    DOFAffine.RotationAxis,
    DOFAffine.Rotation3D,
    DOFAffine.RotationQuat,
)


def _mask(affinedofs: int) -> Affine:
    from pyrave.kinematics import Affine

    mask = Affine(int(affinedofs))
    mask.check()
    return mask


@guarded
def RaveGetAffineDOF(affinedofs: int) -> int:
    """Return the number of values of a mask."""
    return _mask(affinedofs).size


@guarded
def RaveGetAffineDOFFromIndex(affinedofs: int, index: int) -> Any:
    """Return the motion that the value at an index belongs to."""
    end = 0
    for part in _PARTS:
        if int(affinedofs) & part:
            end += _mask(part).size
            if 0 <= int(index) < end:
                return part
    raise openrave_exception(
        f"index {index} is not within the {end} values of the mask {int(affinedofs)}",
        ErrorCode.InvalidArguments,
    )


@guarded
def RaveGetIndexFromAffineDOF(affinedofs: int, dof: int) -> int:
    """Return the index of the first value of a motion."""
    if int(affinedofs) & int(dof):
        below = int(affinedofs) & (int(dof) - 1)
        return sum(_mask(part).size for part in _PARTS if below & part)
    raise openrave_exception(
        f"the mask {int(affinedofs)} has no {DOFAffine(int(dof))!s}",
        ErrorCode.InvalidArguments,
    )


@guarded
def RaveGetAffineDOFValuesFromTransform(
    transform: Any, affinedofs: int, rotationaxis: Any = None
) -> NDArray[np.float64]:
    """Return the values of a pose."""
    axis = np.asarray((0, 0, 1) if rotationaxis is None else rotationaxis, float)
    return np.array(_mask(affinedofs).values_of(matrix_of(transform), axis))


@guarded
def RaveGetAffineConfigurationSpecification(
    affinedofs: int, body: Any = None, interpolation: str = ""
) -> ConfigurationSpecification:
    """Return a specification of the values of a mask."""
    mask = _mask(affinedofs)
    name = "__dummy__" if body is None else as_native(body).name
    made = ConfigurationSpecification()
    made.AddGroup(f"affine_transform {name} {int(mask)}", mask.size, interpolation)
    return made
