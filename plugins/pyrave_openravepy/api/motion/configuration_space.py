"""Parameters of planners for the bodies that a specification is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters
    from pyrave.trajectories import ConfigurationSpecification
    from pyrave.trajectories.groups import Group

__all__ = ["fill_space", "positions_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Limits:
    """Limits of the values of a group, (dof,) each."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    resolutions: Array
    weights: Array
    periods: Array


def positions_of(
    spec: ConfigurationSpecification, *others: str
) -> ConfigurationSpecification:
    """Return the groups of a specification that place bodies, as lines from 0 on.

    Parameters
    ----------
    others
        Kinds of other groups that are wanted.
    """
    from pyrave.trajectories import ConfigurationSpecification

    kinds = {"joint_values", "affine_transform", *others}
    groups = tuple(
        replace(group, interpolation="linear")
        for group in spec.groups
        if group.kind in kinds
    )
    return ConfigurationSpecification(groups).reset_group_offsets()


def fill_space(
    parameters: PlannerParameters, env: Any, spec: ConfigurationSpecification
) -> None:
    """Fill the space and the functions of parameters, from where the bodies stand.

    Parameters
    ----------
    env
        pyrave's environment with the bodies.
    spec
        Groups of joint values, and of poses.
    """
    spec.require_valid()
    ordered = sorted(spec.groups, key=lambda group: group.offset)
    known = _joined([_limits_of(env, group) for group in ordered])
    parameters.specification = spec
    parameters.lower_limits, parameters.upper_limits = known.lower, known.upper
    parameters.velocity_limits = known.velocity
    parameters.acceleration_limits = known.acceleration
    parameters.jerk_limits = known.jerk
    parameters.resolutions, parameters.weights = known.resolutions, known.weights
    parameters.initial_configuration = spec.read(env)
    _set_functions(parameters, env, spec, known)


def _set_functions(
    parameters: PlannerParameters,
    env: Any,
    spec: ConfigurationSpecification,
    known: _Limits,
) -> None:
    bodies = spec.extract_used_bodies(env)
    turns = np.isfinite(known.periods)
    periods = np.where(turns, known.periods, 1.0)

    def difference(a: Array, b: Array) -> Array:
        found = np.asarray(a, float) - b
        return np.where(turns, found - periods * np.round(found / periods), found)

    def set_state(values: Array) -> bool:
        spec.apply(env, values)
        return True

    def neighbour_state(q: Array, dq: Array) -> Array:
        return np.clip(np.asarray(q) + dq, known.lower, known.upper)

    def distance_metric(a: Array, b: Array) -> float:
        return float(np.linalg.norm(known.weights * difference(a, b)))

    def is_free(_: Array, end: Array) -> bool:
        spec.apply(env, end)
        return not any(
            env.check_collision(body) or body.check_self_collision() for body in bodies
        )

    parameters.difference, parameters.set_state = difference, set_state
    parameters.get_state = lambda: spec.read(env)
    parameters.neighbour_state = neighbour_state
    parameters.distance_metric = distance_metric
    # a planner asks about collisions of its robot only
    several = len(bodies) != 1 or not bodies[0].is_robot
    parameters.check_path_constraints = is_free if several else None


def _joined(limits: Sequence[_Limits]) -> _Limits:
    rows = zip(*(vars(one).values() for one in limits), strict=True)
    return _Limits(*(np.concatenate(row) for row in rows))


def _limits_of(env: Any, group: Group) -> _Limits:
    body = env.bodies.get(group.body_name)
    if group.kind == "affine_transform":
        return _affine_limits(body, group)
    if group.kind != "joint_values" or body is None:
        raise openrave_exception(
            f"group {group.name!r} is no space to plan in, expected joint_values of a "
            "body of the environment, or affine_transform",
            ErrorCode.InvalidArguments,
        )
    indices = group.joint_indices
    if indices.max(initial=-1) >= body.dof:
        raise openrave_exception(
            f"group {group.name!r} names joint {indices.max()}, {body.name!r} has "
            f"{body.dof} degrees of freedom",
            ErrorCode.InvalidArguments,
        )
    lower, upper = body.dof_limits
    rows = (
        *(lower, upper, body.dof_velocity_limits, body.dof_acceleration_limits),
        *(body.limits.jerk, body.dof_resolutions, body.dof_weights),
        body.model.circular_periods,
    )
    return _Limits(*(np.array(row, float)[indices] for row in rows))


def _affine_limits(body: Any, group: Group) -> _Limits:
    from pyrave.bodies import AffineLimits
    from pyrave.kinematics import Affine

    mask = group.affine_mask
    is_robot = body is not None and body.is_robot
    known = body.base_limits if is_robot else AffineLimits()
    lower, upper, velocity, resolution, weight = (
        np.array(known.of(mask, name), float)
        for name in ("lower", "upper", "velocity", "resolution", "weight")
    )
    periods = np.full(mask.size, np.inf)
    if mask & Affine.ROTATION_AXIS:
        periods[-1] = 2.0 * np.pi
    return _Limits(
        lower, upper, velocity, velocity, velocity, resolution, weight, periods
    )
