"""``openravepy.options``: how methods return transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

__all__ = ["Options", "options", "returning_transforms"]

# methods of all classes that return a transform, or several
_NAMES = frozenset(
    (
        "GetBodyTransformations",
        "GetEndEffectorTransform",
        "GetGraspTransform",
        "GetInternalHierarchyLeftTransform",
        "GetInternalHierarchyRightTransform",
        "GetLinkTransformations",
        "GetLocalToolTransform",
        "GetRelativeTransform",
        "GetTransform",
        "GetTransform6D",
    )
)


class Options:
    """Choices that scripts make; they may put attributes of their own here.

    Parameters
    ----------
    returnTransformQuaternion
        Transforms are returned as seven numbers, ``w x y z`` and the position, instead
        of as matrices.
    """

    def __init__(self, returnTransformQuaternion: bool = False) -> None:
        self.returnTransformQuaternion = returnTransformQuaternion


options = Options()
"""The choices of this process."""


def returning_transforms(name: str, value: Any) -> Any:
    """Return a method that obeys `options`, if it is one that returns transforms."""
    if name not in _NAMES or not isinstance(value, FunctionType):
        return value
    method: Callable[..., Any] = value

    @functools.wraps(method)
    def call(*args: Any, **keywords: Any) -> Any:
        found = method(*args, **keywords)
        return _as_poses(found) if options.returnTransformQuaternion else found

    return call


def _as_poses(found: Any) -> Any:
    """Return matrices in what was found as seven numbers each."""
    if isinstance(found, tuple):
        return tuple(_as_poses(one) for one in found)
    if isinstance(found, list):
        return [_as_poses(one) for one in found]
    if np.ndim(found) < 2 or np.shape(found)[-2:] != (4, 4):
        return found
    from pyrave.spatial import wxyz_xyz_from_pose

    return np.array(wxyz_xyz_from_pose(found))
