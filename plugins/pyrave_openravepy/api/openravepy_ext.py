"""Additions of OpenRAVE's Python layer to its bindings: arrays, savers, decorators."""

from __future__ import annotations

import copyreg
import enum as enumerations
import functools
from collections.abc import Callable
from typing import Any

from pyrave_openravepy.api import enums
from pyrave_openravepy.api.collision.savers import CollisionOptionsStateSaver
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.functions.arrays import (
    ComputePoseArrayDistSqr,
    TransformInversePoints,
    TransformPoints,
    normalizeZRotation,
    poseMultArrayT,
    quatArrayRotate,
    quatArrayTDist,
    quatArrayTMult,
    quatArrayTRotate,
    quatMultArrayT,
    quatRotate,
    quatRotateArrayT,
    transformInversePoints,
    transformPoints,
)

__all__ = [
    "CollisionOptionsStateSaver",
    "ComputePoseArrayDistSqr",
    "KinBodyStateSaver",
    "RobotStateSaver",
    "TransformInversePoints",
    "TransformPoints",
    "enum_to_dict",
    "normalizeZRotation",
    "poseMultArrayT",
    "quatArrayRotate",
    "quatArrayTDist",
    "quatArrayTMult",
    "quatArrayTRotate",
    "quatMultArrayT",
    "quatRotate",
    "quatRotateArrayT",
    "transformInversePoints",
    "transformPoints",
    "with_destroy",
]


def with_destroy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function at whose end everything of OpenRAVE is destroyed."""

    @functools.wraps(fn)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return fn(*args, **keywords)
        finally:
            home().RaveDestroy()

    return call


@guarded
def KinBodyStateSaver(body: Any, options: Any = None) -> Any:
    if options is None:
        return body.CreateKinBodyStateSaver()
    return body.CreateKinBodyStateSaver(options)


@guarded
def RobotStateSaver(body: Any, options: Any = None) -> Any:
    if options is None:
        return body.CreateRobotStateSaver()
    return body.CreateRobotStateSaver(options)


@guarded
def enum_to_dict(enum: Any) -> dict[str, Any]:
    """Return the members of an enumeration by name."""
    return {name: enum[name] for name in enum.__members__}


@guarded
def _tuple2enum(enum: str, value: int) -> Any:
    return getattr(enums, enum)(value)


@guarded
def _registerEnumPicklers() -> None:
    """Let all enumerations pickle by name and number, as OpenRAVE's do."""
    for name in enums.__all__:
        cls = getattr(enums, name)
        if isinstance(cls, type) and issubclass(cls, enumerations.Enum):
            copyreg.pickle(cls, _reduced)


def _reduced(member: Any) -> tuple[Callable[..., Any], tuple[str, int]]:
    return _tuple2enum, (type(member).__name__, int(member))
