"""Joint velocities for goals of velocity types.

The values of such a goal are the rates, per second, of the values of the goal that the
tool meets at a configuration (`Manipulator.ik_parameterization`). They are linear in
the velocity of the tool, which the Jacobian makes of joint velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik import IkAction, IkFilterOptions, IkRejection, IkResult, IkReturn
from pyrave.ik import IkParameterizationType as Kind
from pyrave.kinematics import LimitCheck
from pyrave.spatial import as_vector, invert_pose, quat_from_matrix, skew
from pyrave.world.body_state import StateParts
from pyrave_ik.arm.chain import dof_names
from pyrave_ik.methods.candidates import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization
    from pyrave.spatial import Array

MISSED = 1e-6
"""Rates are met that are missed by no more than this part of the greatest, or this."""
AT_LIMIT = 1e-9
_SINGULAR = 1e-9
"""Part of the greatest singular value below which the tool does not move."""
_PROJECTIONS = 20_000
_EYE = np.eye(3)


@dataclass(frozen=True, eq=False)
class JointVelocities:
    """The joint velocities (n_arm,) of a goal, or why there are none.

    Parameters
    ----------
    values
        Those of the least norm; also where they are refused.
    action
        SUCCESS, or why they are refused.
    reason
        The same in words.
    unique
        Whether there are no others.
    """

    values: Array
    action: IkAction
    reason: str
    unique: bool

    @property
    def answer(self) -> IkReturn:
        """The same as a solver's answer."""
        if self.action is not IkAction.SUCCESS:
            return IkReturn(self.action, failures=(self.reason,))
        return IkReturn(self.action, self.values)

    def result(self, goal: IkParameterization) -> IkResult:
        """Return the same as a result of `Manipulator.find_ik`."""
        met = self.action is IkAction.SUCCESS
        refused = () if met else (IkRejection(self.action, self.values, self.reason),)
        return IkResult(
            goal,
            self.values[None] if met else np.empty((0, len(self.values))),
            np.full(int(met), -1),
            refused,
            self.action,
            ({},) if met else (),
            complete=self.unique,
        )


def joint_velocities(
    arm: Manipulator,
    goal: IkParameterization,
    q0: ArrayLike | None,
    options: IkFilterOptions,
    free: ArrayLike | None,
) -> JointVelocities:
    """Return the least joint velocities that give the tool the rates of a goal.

    They are within the velocity limits of the joints, and none leaves its range, unless
    limits are ignored. The base is at rest. Filters and collisions have no say.

    Parameters
    ----------
    goal
        Of a velocity type, in the world.
    q0
        (n_arm,) the configuration; None: the present one.

    Raises
    ------
    ArgumentError
        Free parameters are given.
    """
    if free is not None and np.size(free):
        raise ArgumentError(
            f"{goal.type.name} has no free parameters, found {np.size(free)}; "
            "expected none"
        )
    robot, indices = arm.robot, arm.arm_indices
    q = arm.arm_dof_values if q0 is None else as_vector(q0, len(indices), "q0")
    with robot.preserve_state(StateParts.PLANNED):
        robot.set_dof_values(q, indices, limits=LimitCheck.NONE)
        tool, jacobian = arm.transform, arm.jacobian()
    rows, rates = tool_rows(goal, arm.base.transform, tool, arm.direction)
    matrix = rows @ jacobian
    # rates that no joint makes, or that singular configurations do not allow
    inverse = _inverse(matrix)
    least = inverse @ rates
    missed = float(np.abs(matrix @ least - rates).max())
    unique = bool(np.linalg.matrix_rank(matrix, rtol=_SINGULAR) == len(q))
    if missed > MISSED * max(1.0, float(np.abs(rates).max())):
        reason = (
            f"no joint velocities give the tool this {goal.type.name} at this "
            f"configuration: its rates are missed by {missed:.3g}"
        )
        action = IkAction.REJECT | IkAction.REJECT_KINEMATICS
        return JointVelocities(least, action, reason, unique)
    if options & IkFilterOptions.IGNORE_JOINT_LIMITS:
        return JointVelocities(least, IkAction.SUCCESS, "", unique)
    lower, upper = _bounds(arm, q)
    if _is_inside(least, lower, upper):
        return JointVelocities(least, IkAction.SUCCESS, "", unique)
    if not unique:
        other = _inside(matrix, inverse, rates, lower, upper)
        if other is not None:
            return JointVelocities(other, IkAction.SUCCESS, "", unique)
    reason = _too_fast(least, lower, upper, dof_names(arm))
    return JointVelocities(least, OUTSIDE, reason, unique)


def tool_rows(
    goal: IkParameterization, base: Array, tool: Array, direction: Array
) -> tuple[Array, Array]:
    """Return rows (r, 6) and rates (r,): what a goal wants of the tool's velocity.

    It is met by ``rows @ (v, w) = rates`` for the velocity v of the tool's origin and
    the angular velocity w, in the world. What would change nothing but the length of a
    unit quaternion or direction counts for nothing.

    Parameters
    ----------
    goal
        Of a velocity type, in the world.
    base, tool
        (4, 4) T_world_base and T_world_tool.
    direction
        (3,) the tool's direction in the tool frame.
    """
    kind = goal.type.position_type
    rates = goal.array
    rotation = tool[:3, :3]
    pointing = rotation @ direction / np.sqrt(direction @ direction)
    # how the direction moves with w, and what is across it
    turning = -skew(pointing)
    across = _EYE - np.outer(pointing, pointing)
    none = np.zeros((3, 3))
    place, turn = np.hstack([_EYE, none]), np.hstack([none, _EYE])
    point = np.hstack([none, turning])
    match kind:
        case Kind.Transform6D | Kind.Rotation3D:
            spin = _spin(quat_from_matrix(rotation), rates[:4])
            if kind is Kind.Rotation3D:
                return turn, spin
            return np.vstack([turn, place]), np.concatenate([spin, rates[4:]])
        case Kind.Translation3D:
            return place, rates
        case Kind.TranslationLocalGlobal6D:
            # the point is the tool's origin now
            return place, rates[3:] - rotation @ rates[:3]
        case Kind.Direction3D:
            return point, across @ rates
        case Kind.TranslationDirection5D:
            both = np.concatenate([across @ rates[:3], rates[3:]])
            return np.vstack([point, place]), both
        case Kind.Ray4D:
            both = np.concatenate([across @ rates[:3], across @ rates[3:]])
            return np.vstack([point, across @ place]), both
        case Kind.Lookat3D:
            # the point that is looked at is 1 m ahead
            return across @ place + point, across @ rates
        case Kind.TranslationXY2D | Kind.TranslationXYOrientation3D:
            local = goal.transformed(invert_pose(base)).array
            turned = base[:3, :3].T
            plane = np.hstack([turned[:2], np.zeros((2, 3))])
            if kind is Kind.TranslationXY2D:
                return plane, local
            row = _turn_about_z(quat_from_matrix(turned @ rotation)) @ turned
            return np.vstack([plane, np.hstack([np.zeros(3), row])]), local
        case _:
            row, rate = _angle(kind.name, base[:3, :3].T, pointing, turning, rates[0])
            angle = np.hstack([np.zeros((len(row), 3)), row])
            return np.vstack([place, angle]), np.concatenate([rates[1:], rate])


def _inverse(matrix: Array) -> Array:
    """Return the pseudoinverse without nearly singular directions."""
    return np.asarray(np.linalg.pinv(matrix, rcond=_SINGULAR), dtype=np.float64)


def _spin(quat: Array, rate: Array) -> Array:
    """Return the angular velocity of a unit quaternion's rate, ``2 q' conj(q)``."""
    w, v = rate[0], rate[1:]
    return np.asarray(2.0 * (quat[0] * v - w * quat[1:] - np.cross(v, quat[1:])))


def _turn_about_z(quat: Array) -> Array:
    """Return the derivative of the turn about z, ``2 atan2(z, w)``, by w (3,)."""
    w, x, y, z = quat
    length = w * w + z * z
    if length < _SINGULAR:
        return np.zeros(3)
    return np.array((w * y + z * x, z * y - w * x, length)) / float(length)


def _angle(
    name: str, turned: Array, pointing: Array, turning: Array, rate: float
) -> tuple[Array, Array]:
    """Return rows (r, 3) and rates (r,) of the angle between a direction and an axis.

    Parameters
    ----------
    turned
        (3, 3) rotation from the world to the base.
    pointing, turning
        (3,) the direction in the world and (3, 3) how it moves with w.
    """
    axis = "XYZ".index(name[len("Translation")])
    order = [axis, (axis + 1) % 3, (axis + 2) % 3]
    along, side, other = (turned @ pointing)[order]
    moving = (turned @ turning)[order]
    if name.endswith("Norm4D"):
        # of the shadow in the plane, by its squared length
        row = along * moving[1] - side * moving[0]
        return row[None], np.array((rate * (along**2 + side**2),))
    sine = float(np.hypot(side, other))
    if sine < _SINGULAR:
        # at either end the angle only stays if the direction does
        return np.vstack([moving, np.zeros(3)]), np.array((0.0, 0.0, 0.0, rate))
    return -moving[:1], np.array((rate * sine,))


def _bounds(arm: Manipulator, q: Array) -> tuple[Array, Array]:
    """Return the least and greatest velocities (n,), 0 towards limits that are met."""
    robot, indices = arm.robot, arm.arm_indices
    most = robot.dof_velocity_limits[indices]
    lower, upper = (bound[indices] for bound in robot.dof_limits)
    return (
        np.where(q > lower + AT_LIMIT, -most, 0.0),
        np.where(q < upper - AT_LIMIT, most, 0.0),
    )


def _is_inside(values: Array, lower: Array, upper: Array) -> bool:
    slack = MISSED * np.maximum(np.abs(lower), np.abs(upper))
    return bool(((values >= lower - slack) & (values <= upper + slack)).all())


def _inside(
    matrix: Array, inverse: Array, rates: Array, lower: Array, upper: Array
) -> Array | None:
    """Return the least velocities inside their bounds, None if there are none.

    Dykstra's projections (Boyle and Dykstra, 1986) find out which joints are at their
    bounds; the others follow from linear equations.
    """
    values = inverse @ rates
    beyond = np.zeros(len(values))
    for _ in range(_PROJECTIONS):
        held = np.clip(values + beyond, lower, upper)
        beyond += values - held
        before, values = values, held - inverse @ (matrix @ held - rates)
        if np.abs(values - before).max() < 1e-12:
            break
    ends = np.clip(values, lower, upper)
    low, high = np.abs(ends - lower) < MISSED, np.abs(ends - upper) < MISSED
    bound = low | high
    fixed = np.where(low, lower, np.where(high, upper, 0.0))
    rest = _inverse(matrix[:, ~bound])
    fixed[~bound] = rest @ (rates - matrix @ fixed)
    missed = np.abs(matrix @ fixed - rates).max()
    if not _is_inside(fixed, lower, upper):
        return None
    return fixed if missed <= MISSED * max(1.0, np.abs(rates).max()) else None


def _too_fast(values: Array, lower: Array, upper: Array, names: Sequence[str]) -> str:
    said = []
    for value, least, most, name in zip(values, lower, upper, names, strict=True):
        limit = most if value > 0.0 else least
        if abs(value) > abs(limit) * (1.0 + MISSED):
            why = (
                f"its limit is {limit:.4g}"
                if limit
                else "it is at the end of its range"
            )
            said.append(f"joint {name!r} would move with {value:.4g}, {why}")
    return "; ".join(said)
