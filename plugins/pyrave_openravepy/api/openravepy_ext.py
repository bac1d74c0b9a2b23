"""Additions of OpenRAVE's Python layer to its bindings: arrays, savers, decorators."""

from __future__ import annotations

import copyreg
import enum as enumerations
import functools
from collections.abc import Callable
from typing import Any, Self

from pyrave_openravepy.api import enums
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded, guarded
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


class CollisionOptionsStateSaver(Guarded):
    """Sets options of a collision checker and puts the old ones back at the end.

    Parameters
    ----------
    checker
        A collision checker.
    options
        `CollisionOptions`; None leaves them.
    required
        Raise `openrave_exception` if the checker does not have the options.
    """

    def __init__(
        self, checker: Any, options: Any = None, required: bool = True
    ) -> None:
        self.checker = checker
        self.newoptions = options
        self.required = required
        self.oldoptions: Any = None

    def __enter__(self) -> Self:
        self.oldoptions = self.checker.GetCollisionOptions()
        if self.newoptions is not None:
            done = self.checker.SetCollisionOptions(self.newoptions)
            if not done and self.required:
                raise openrave_exception(
                    f"the checker {self.checker.GetXMLId()} does not have the "
                    f"collision options {int(self.newoptions)}"
                )
        return self

    def __exit__(self, *raised: object) -> None:
        self.checker.SetCollisionOptions(self.oldoptions)


@guarded
def enum_to_dict(enum: Any) -> dict[str, Any]:
    """Return the members of an enumeration by name."""
    return {name: enum[name] for name in enum.__members__}


@guarded
def _tuple2enum(enum: str, value: int) -> Any:
    return getattr(enums, enum)(value)


def _registerEnumPicklers() -> None:
    """Let all enumerations pickle by name and number, as OpenRAVE's do."""
    for name in enums.__all__:
        cls = getattr(enums, name)
        if isinstance(cls, type) and issubclass(cls, enumerations.Enum):
            copyreg.pickle(cls, _reduced)


def _reduced(member: Any) -> tuple[Callable[..., Any], tuple[str, int]]:
    return _tuple2enum, (type(member).__name__, int(member))
