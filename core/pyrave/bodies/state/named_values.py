"""Joint values by the names of joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotFoundError, shown
from pyrave.spatial import Array, Indices, as_numbers, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from pyrave.kinematics import Model

JointValues = Mapping[str, "ArrayLike"]
"""Values by joint: a number, or as many as the joint has axes."""


def by_joint(
    model: Model, values: Array, joints: Iterable[int]
) -> dict[str, float | tuple[float, ...]]:
    """Return values of joints with degrees of freedom by name."""
    found: dict[str, float | tuple[float, ...]] = {}
    for joint in joints:
        first, count = model.joint_values[joint].tolist()
        its = tuple(values[first : first + count].tolist())
        found[model.joint_names[joint]] = its if count > 1 else its[0]
    return found


def indexed_values(model: Model, joints: Any) -> tuple[Indices, Array]:
    """Return degrees of freedom and their values, given by joint.

    Raises
    ------
    NotFoundError
        A name is of no joint with degrees of freedom.
    ArgumentError
        No mapping is given, or a joint has another number of axes.
    """
    if not isinstance(joints, Mapping):
        raise ArgumentError(
            f"joint values are {shown(joints)}, expected names and values: "
            "{'joint1': 0.2}"
        )
    indices: list[int] = []
    values = [np.empty(0)]
    for name, given in joints.items():
        joint = _joint(model, name)
        first, count = model.joint_values[joint].tolist()
        what = f"the value of joint {name!r}"
        one = as_vector(np.atleast_1d(as_numbers(given, what)), None, what)
        if len(one) != count:
            wanted = "one value" if count == 1 else f"{count} values"
            raise ArgumentError(f"{what} is {shown(given)}, expected {wanted}")
        indices += range(first, first + count)
        values.append(one)
    return np.array(indices, dtype=np.int64), np.concatenate(values)


def _joint(model: Model, name: Any) -> int:
    joint = model.joint_index.get(name) if isinstance(name, str) else None
    if joint is not None and model.joint_active[joint]:
        return joint
    known = (model.joint_names[i] for i in model.active_joints.tolist())
    hint = "" if joint is None else "it has no degrees of freedom of its own"
    raise NotFoundError("joint", name, known, hint)
