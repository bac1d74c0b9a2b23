"""Denavit and Hartenberg's parameters of a body's joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.foundation.guard import Guarded, guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["DHParameter", "GetDHParameters"]


class DHParameter(Guarded):
    """The frame of a joint in that of the joint before it.

    Attributes
    ----------
    joint
        The joint.
    parentindex
        Which of the parameters is the joint before it, -1 for none.
    transform
        (4, 4) the frame in the world.
    d, a, theta, alpha
        Metres and radians.
    """

    def __init__(
        self,
        joint: Any = None,
        parentindex: int = -1,
        transform: Any = None,
        d: float = 0.0,
        a: float = 0.0,
        theta: float = 0.0,
        alpha: float = 0.0,
    ) -> None:
        if not (joint is None or hasattr(joint, "GetName")):
            raise TypeError(f"a joint is {joint!r:.80}, expected a KinBody.Joint")
        self.joint = joint
        self.parentindex = int(parentindex)
        self.transform = np.eye(4) if transform is None else matrix_of(transform)
        self.d, self.a = float(d), float(a)
        self.theta, self.alpha = float(theta), float(alpha)

    def __copy__(self) -> DHParameter:
        return DHParameter(
            self.joint, self.parentindex, self.transform,
            self.d, self.a, self.theta, self.alpha,
        )  # fmt: skip

    def __deepcopy__(self, memo: Any) -> DHParameter:
        return self.__copy__()

    def __repr__(self) -> str:
        name = "None" if self.joint is None else repr(self.joint.GetName())
        return (
            f"<DHParameter(joint={name}, d={self.d}, a={self.a}, theta={self.theta}, "
            f"alpha={self.alpha}, parentindex={self.parentindex})>"
        )

    __str__ = __unicode__ = __repr__


@guarded
def GetDHParameters(body: Any) -> list[DHParameter]:
    """Return the parameters of a body's joints where it stands."""
    from pyrave.planning import dh_parameters

    native = as_native(body)
    owner = wrap(native)
    return [
        DHParameter(
            owner.GetJoint(one.joint.name),
            one.parent_index,
            one.transform,
            one.d,
            one.a,
            one.theta,
            one.alpha,
        )
        for one in dh_parameters(native)
    ]
