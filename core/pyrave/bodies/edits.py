"""Edits of body descriptions: another zero configuration, more adjacent links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.kinematics.formula import with_less, with_variables
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    MimicFormula,
    Pose,
)

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.kinematics import Model
    from pyrave.spatial import Array


def touching_links(body: KinBody) -> tuple[tuple[str, str], ...]:
    """Return the pairs of non-adjacent links that touch, as the checker says."""
    checker, links = body.env.collision_checker, body.links
    if not checker.finds_collisions or body not in body.env.bodies:
        return ()
    return tuple(
        (links[a].name, links[b].name)
        for a, b in body.non_adjacent_links.tolist()
        if checker.check_collision(links[a], links[b])
    )


def with_passive_values(
    joints: tuple[JointDescription, ...], model: Model, passive: Array | None
) -> tuple[JointDescription, ...]:
    """Return joints with other initial values (n_values,) of the passive ones."""
    if passive is None:
        return joints
    made = list(joints)
    for index in np.flatnonzero(model.passive_values).tolist():
        joint, axis = int(model.value_joint[index]), int(model.value_axis[index])
        axes = list(made[joint].axes)
        axes[axis] = replace(axes[axis], initial=float(passive[index]))
        made[joint] = replace(made[joint], axes=tuple(axes))
    return tuple(made)


def with_adjacent(
    body: KinBody, pairs: Iterable[tuple[Link | str, Link | str]]
) -> BodyDescription:
    """Return the body's description with more pairs of adjacent links."""
    try:
        listed = [(a, b) for a, b in pairs]
    except (TypeError, ValueError):
        raise ArgumentError(
            f"adjacent links are {pairs!r}, expected pairs of links"
        ) from None
    names, index = body.model.link_names, body.link_index
    given = {(names[index(a)], names[index(b)]) for a, b in listed}
    known = body.description
    return replace(known, adjacent=frozenset(known.adjacent | given))


def with_zero_at(
    description: BodyDescription, values: tuple[Array, ...]
) -> BodyDescription:
    """Return a body whose joints are at zero where they have `values` now.

    What can be reached stays the same: limits and all other values move along.

    Parameters
    ----------
    values
        Per joint of the description, one for each of its axes.

    Raises
    ------
    NotSupportedError
        A joint is not at zero whose axes cannot be counted from elsewhere: spherical,
        trajectory, or with more than two axes.
    """
    joints = tuple(
        _moved(joint, tuple(its.tolist())) if its.any() else joint
        for joint, its in zip(description.joints, values, strict=True)
    )
    shifts = _shifts_by_name(description.joints, values)
    if any(shifts.values()):
        joints = tuple(
            _with_shifted_formulas(joint, its, shifts)
            for joint, its in zip(joints, values, strict=True)
        )
    return replace(description, joints=joints, dof_values=None)


def _moved(joint: JointDescription, values: tuple[float, ...]) -> JointDescription:
    if joint.type in {"spherical", "trajectory"} or len(joint.axes) > 2:
        raise NotSupportedError(
            f"{joint.type} joint {joint.name!r} cannot count from another zero"
        )
    axes = tuple(
        replace(
            axis,
            lower=axis.lower - value,
            upper=axis.upper - value,
            initial=axis.initial - value,
        )
        for axis, value in zip(joint.axes, values, strict=True)
    )
    # each motion commutes with itself alone: the first goes to the parent's side, the
    # second to the child's
    near = joint.T_parent_joint @ _motion(joint.axes[0], values[0])
    far = joint.T_child_joint
    if len(values) > 1:
        far = far @ _motion(joint.axes[1], -values[1])
    return replace(joint, axes=axes, T_parent_joint=near, T_child_joint=far)


def _with_shifted_formulas(
    joint: JointDescription, values: Array, shifts: Mapping[str, float]
) -> JointDescription:
    """Return a joint whose formulas count from other zeros, its own among them."""
    if not any(axis.mimic for axis in joint.axes):
        return joint
    axes = tuple(
        replace(axis, mimic=_shifted(axis.mimic, value, shifts)) if axis.mimic else axis
        for axis, value in zip(joint.axes, values.tolist(), strict=True)
    )
    return replace(joint, axes=axes)


def _shifts_by_name(
    joints: tuple[JointDescription, ...], values: tuple[Array, ...]
) -> dict[str, float]:
    """Return the values of axes by their names in formulas."""
    found = {
        f"{joint.name}_{k}": value
        for joint, its in zip(joints, values, strict=True)
        for k, value in enumerate(its.tolist())
    }
    for joint, its in zip(joints, values, strict=True):
        if len(its):
            found[joint.name] = float(its[0])
    return found


def _shifted(
    formula: MimicFormula, value: float, shifts: Mapping[str, float]
) -> MimicFormula:
    """Return a formula of values that are less by `shifts`, for one less by `value`."""

    def raised(name: str) -> str:
        return f"({name} + {shifts[name]!r})" if shifts.get(name) else name

    def counted(text: str, entry: Callable[[str], str] | None = None) -> str:
        return with_variables(text, shifts, raised, entry)

    return replace(
        formula,
        position=counted(with_less(formula.position, shifts, value)),
        velocity=counted(formula.velocity, str),
        acceleration=counted(formula.acceleration, str),
    )


def _motion(axis: JointAxis, value: float) -> Pose:
    x, y, z = axis.direction
    if axis.prismatic:
        return Pose.from_translation(value * x, value * y, value * z)
    return Pose.from_axis_angle(axis.direction, value)
