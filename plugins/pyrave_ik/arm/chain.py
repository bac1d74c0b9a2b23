"""An arm as screws: the axes from base to tool where every joint is at zero."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.kinematics import Chain as LinkChain
from pyrave.kinematics import joint_values, joint_values_batch
from pyrave.kinematics.periods import TURN, common_period, starts_about
from pyrave.spatial import Array, Indices, invert_pose, matrix_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.bodies import Manipulator
    from pyrave.kinematics import Model

ORIGIN = np.zeros(3)
WORLD = np.eye(4)
"""T_world_base of goals in the frame of the arm's base."""
_ON_AXIS = 1e-9
"""Metres by which a point may be off an axis that it is on."""

_STILL = -2
_FAR = 7.0
"""Radians up to which a joint that turns on and on is looked at, at the least."""
_FARTHEST = 400.0
_STEP = 1e-6
"""Step of joint values for difference quotients of formulas."""


@dataclass(frozen=True, eq=False)
class Couplings:
    """Values of a chain's axes by the formulas of the robot's own model. Immutable.

    Parameters
    ----------
    model
        The robot's model.
    dofs
        (n,) degrees of freedom of the model that are the arm's, in its order.
    still
        (n_dof,) values of the others.
    sources
        For each axis of the chain the model's axis that it is, or -1 where the
        chain's own factor and constant say all.
    """

    model: Model
    dofs: Indices
    still: Array
    sources: tuple[int, ...]

    def follows(self, n: int) -> NDArray[np.bool_]:
        """Return (m, n) which of n joints moves which coupled axis."""
        out = np.zeros((len(self.sources), n), dtype=bool)
        for axis, source in enumerate(self.sources):
            if source >= 0:
                out[axis, : len(self.dofs)] = self.model.follows[source, self.dofs]
        return out

    def values(self, q: Array) -> Array:
        """Return the values (k, m) of coupled axes for joint values (k, n).

        They are NaN where a formula is outside of its domain, and 0 for other axes.
        """
        rows = np.empty((len(q), len(self.still)))
        rows[:] = self.still
        rows[:, self.dofs] = q[:, : len(self.dofs)]
        sources = np.array(self.sources, dtype=np.int64)
        values = joint_values_batch(self.model, rows)[:, sources]
        values[:, sources < 0] = 0.0
        return values

    def linearised(self, q: Array) -> tuple[Array, Array]:
        """Return values (m,) and their derivatives (m, n) by the joint values (n,).

        These are differences of values: the velocities that a file states for a formula
        need not be its derivatives.
        """
        n = len(self.dofs)
        steps = _STEP * np.eye(n, len(q))
        values = self.values(np.concatenate([q[None], q + steps, q - steps]))
        slopes = np.zeros((len(self.sources), len(q)))
        slopes[:, :n] = (values[1 : n + 1] - values[n + 1 :]).T / (2.0 * _STEP)
        return values[0], slopes


@dataclass(frozen=True, eq=False)
class ArmChain:
    """Screws of an arm in its base link's frame, every joint at zero.

    The tool is at ``E_0(s_0 q[d_0] + o_0) ... E_n-1(...) home`` in the base link, the
    product of exponentials of Lynch & Park, Modern Robotics, 4.1. Immutable.

    Parameters
    ----------
    screws
        (n, 7): unit axis (3), a point on it (3), 1 for a sliding joint.
    home
        (4, 4) T_base_tool with every joint at zero.
    arm
        (n,) which of the arm's degrees of freedom moves each axis.
        -1 for an axis that follows several, or one by a formula that is not linear.
    scale, offset
        (n,) the axis' value is ``scale * q + offset``: not 1 and 0 for axes that
        follow a joint.
    names
        Names of the axes.
    couplings
        Formulas of the axes whose entry in `arm` is -1, or None.
    limits
        (n, 2) of the axes' values as the robot was loaded; None: not known.
    """

    screws: Array
    home: Array
    arm: tuple[int, ...]
    scale: Array
    offset: Array
    names: tuple[str, ...]
    couplings: Couplings | None = None
    limits: Array | None = None

    @property
    def n(self) -> int:
        """Number of axes."""
        return len(self.arm)

    @property
    def width(self) -> int:
        """Number of joint values that `values` takes, at the least."""
        coupled = 0 if self.couplings is None else len(self.couplings.dofs)
        return max(max(self.arm, default=-1) + 1, coupled)

    @property
    def n_joints(self) -> int:
        """Number of degrees of freedom that move the axes."""
        return int(self.follows(self.width).any(axis=0).sum())

    @property
    def reach(self) -> float:
        """Length of the way from axis to axis to the tool with sliders at zero, metres.

        1 if there is none.
        """
        points = np.vstack([self.screws[:, 3:6], self.home[:3, 3]])
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) or 1.0

    @property
    def ranges(self) -> Array:
        """(n, 2) least and greatest values to draw configurations from, all finite.

        At most half a turn to either side, or `reach`, where there are no limits.
        """
        half = np.where(self.screws[:, 6] != 0.0, self.reach, np.pi)
        ends = np.stack([-half, half], axis=1)
        if self.limits is None:
            return ends
        wide = (self.limits[:, 1] - self.limits[:, 0]) > 2.0 * half
        return np.where(wide[:, None], ends, self.limits)

    @property
    def coupled(self) -> bool:
        """True if some axes share a degree of freedom, or have none."""
        return len(set(self.arm) - {-1}) < len(self.arm)

    @classmethod
    def from_manipulator(cls, arm: Manipulator) -> ArmChain:
        """Return the chain of a manipulator.

        Raises
        ------
        NotSupportedError
            A joint on the way has no axes, or moves so that a loop stays closed.
        """
        model = arm.robot.state_model
        way = model.chain(arm.description.base, arm.description.end_effector)
        loops = model.tangent_loops
        if loops is not None:
            closing = np.isin(way.joints, model.value_joint[loops.moving])
            if closing.any():
                name = model.joint_names[way.joints[int(np.argmax(closing))]]
                raise NotSupportedError(
                    f"the joint {name!r} of {arm!r} keeps a loop closed, and solvers "
                    "are for chains; follow arm.jacobian() to the goal"
                )
        return cls.along(
            model,
            way,
            arm.local_tool_transform,
            arm.arm_indices,
            arm.robot.dof_values,
        )

    @classmethod
    def along(
        cls,
        model: Model,
        way: LinkChain,
        tool: Array,
        dofs: Indices,
        q: Array,
    ) -> ArmChain:
        """Return the chain along a way through a body.

        Parameters
        ----------
        tool
            (4, 4) T_end_effector_tool.
        dofs
            (k,) degrees of freedom that move it, in the arm's order.
        q
            (n_dof,) values that joints keep which the arm does not move.
        """
        follows = _Followers(model, dofs, q)
        pose = np.eye(4)
        rows, arm, scale, offset, names, sources = [], [], [], [], [], []
        for number, joint in enumerate(way.joints.tolist()):
            forward = way.links[number] == model.joint_links[joint, 0]
            first, count = (int(i) for i in model.joint_values[joint])
            into = (
                model.T_parent_joint[joint] if forward else model.T_child_joint[joint]
            )
            out = model.T_child_joint[joint] if forward else model.T_parent_joint[joint]
            pose = pose @ into
            kind = model.joint_types[joint]
            if kind in {"spherical", "trajectory"} and count:
                raise NotSupportedError(
                    f"joint {model.joint_names[joint]!r} is of type {kind!r}; inverse "
                    "kinematics needs joints whose axes turn or slide"
                )
            axes = range(first, first + count)
            for value in axes if forward else reversed(axes):
                direction = model.axis_directions[value] * (1.0 if forward else -1.0)
                slides = bool(model.prismatic[value])
                row = np.concatenate(
                    [pose[:3, :3] @ direction, pose[:3, 3], [float(slides)]]
                )
                index, factor, constant = follows.line(value)
                if index == _STILL:
                    pose = displaced(row, constant) @ pose
                    continue
                rows.append(row)
                arm.append(index)
                scale.append(factor)
                offset.append(constant)
                names.append(_axis_name(model, value))
                sources.append(-1 if index >= 0 else int(value))
            pose = pose @ invert_pose(out)
        return cls(
            np.array(rows).reshape(-1, 7),
            pose @ tool,
            tuple(arm),
            np.array(scale),
            np.array(offset),
            tuple(names),
            Couplings(model, dofs, q.copy(), tuple(sources)) if -1 in arm else None,
            _limits_of(model, dofs, arm, np.array(scale), np.array(offset)),
        )

    def bare(self, first: int = 0) -> ArmChain:
        """Return the chain with its axes as joints, numbered from `first` on."""
        return replace(
            self,
            arm=tuple(range(first, first + self.n)),
            scale=np.ones(self.n),
            offset=np.zeros(self.n),
            couplings=None,
        )

    def values(self, q: Array) -> Array:
        """Return the axes' values (n,) of the arm's joint values.

        They are NaN where the formula of a joint that follows is out of its domain.
        """
        return np.asarray(self.values_of_rows(q[None])[0])

    def values_of_rows(self, rows: Array) -> Array:
        """Return `values` (m, n) of many joint values (m, n_arm)."""
        values = np.asarray(self.scale * rows[:, list(self.arm)] + self.offset)
        if self.couplings is None:
            return values
        coupled = self.couplings.values(rows)
        return np.asarray(np.where(np.array(self.arm) < 0, coupled, values))

    def linearised(self, q: Array) -> tuple[Array, Array]:
        """Return `values` (n,) and their derivatives (n, n_arm) by the joint values."""
        values = np.asarray(self.scale * q[list(self.arm)] + self.offset)
        slopes = np.zeros((self.n, len(q)))
        if self.couplings is not None:
            coupled, slopes = self.couplings.linearised(q)
            values = np.where(np.array(self.arm) < 0, coupled, values)
        for axis, dof in enumerate(self.arm):
            if dof >= 0:
                slopes[axis, dof] = self.scale[axis]
        return values, slopes

    def follows(self, n: int) -> NDArray[np.bool_]:
        """Return (n_axes, n) which of n joints moves which axis."""
        out = np.zeros((self.n, n), dtype=bool)
        if self.couplings is not None:
            out |= self.couplings.follows(n)
        for axis, dof in enumerate(self.arm):
            if dof >= 0:
                out[axis, dof] = True
        return out

    def tool(self, q: Array) -> Array:
        """Return (4, 4) T_base_tool at the arm's joint values."""
        pose = self.home
        for row, value in zip(self.screws[::-1], self.values(q)[::-1], strict=True):
            pose = displaced(row, float(value)) @ pose
        return np.asarray(pose)


def _limits_of(
    model: Model, dofs: Indices, arm: Sequence[int], scale: Array, offset: Array
) -> Array:
    """Return the limits (n, 2) of axes; infinite for those that turn without end."""
    limits = np.empty((len(arm), 2))
    for axis, joint in enumerate(arm):
        dof = dofs[joint]
        endless = joint < 0 or model.circular[dof]
        ends = (
            np.array([-np.inf, np.inf])
            if endless
            else np.array([model.dof_lower[dof], model.dof_upper[dof]])
        )
        limits[axis] = np.sort(scale[axis] * ends + offset[axis])
    return limits


class _Followers:
    """Dependence of each axis on the arm's degrees of freedom."""

    def __init__(self, model: Model, dofs: Indices, q: Array) -> None:
        self._model = model
        self._dofs = dofs
        self._zero = q.copy()
        self._zero[dofs] = 0.0
        self._at_zero = joint_values(model, self._zero)

    def line(self, value: int) -> tuple[int, float, float]:
        """Return (index in the arm, factor, constant) of an axis value.

        The index is `_STILL` for a value that nothing of the arm moves, and -1 for one
        that is no linear function of one degree of freedom.
        """
        moved = [
            i for i, dof in enumerate(self._dofs) if self._model.follows[value, dof]
        ]
        constant = float(self._at_zero[value])
        if not moved:
            return _STILL, 0.0, constant
        if value < self._model.n_dof:
            return moved[0], 1.0, 0.0
        if len(moved) > 1:
            return -1, 1.0, 0.0
        dof = int(self._dofs[moved[0]])
        ends = self._ends(dof)
        places = np.array([1.0, -1.0, 0.5, *ends])
        values = np.array([self._at(value, dof, x) for x in places]) - constant
        if not np.allclose(values, values[0] * places, rtol=1e-12, atol=1e-12):
            return -1, 1.0, 0.0
        return moved[0], float(values[0]), constant

    def _ends(self, dof: int) -> tuple[float, float]:
        """Return the range of a joint: limits of a follower may cut its line off."""
        model = self._model
        lower, upper = float(model.dof_lower[dof]), float(model.dof_upper[dof])
        if model.circular[dof]:
            # any value of one that is never back, else those that it reports
            upper = max(_FAR, float(np.abs(model.wrap_ranges[:, dof]).max()))
            lower = -upper
        return max(lower, -_FARTHEST), min(upper, _FARTHEST)

    def _at(self, value: int, dof: int, x: float) -> float:
        q = self._zero.copy()
        q[dof] = x
        return float(joint_values(self._model, q)[value])


def still_axes(chain: ArmChain, point: Array) -> int:
    """Return the number of last axes that turn about a point (3,) of the tool.

    They leave it where it is, so a goal for the point alone leaves them free.
    """
    place = (chain.home @ np.append(point, 1.0))[:3]
    for count, row in enumerate(chain.screws[::-1]):
        off = np.cross(place - row[3:6], row[:3])
        if row[6] or float(np.abs(off).max()) > _ON_AXIS:
            return count
    return chain.n


def joint_periods(chains: Sequence[ArmChain], lower: Array, upper: Array) -> Array:
    """Return (n,) the least changes of joints that leave all tools where they are.

    Infinity for a joint that moves a tool for good, as a sliding one does.

    Parameters
    ----------
    chains
        Those that n joints move.
    lower, upper
        (n,) limits: some followers keep to their formulas in a part of them alone.
    """
    n = len(lower)
    low, high = np.maximum(lower, -_FAR), np.minimum(upper, _FAR)
    wide = upper - lower < 2.0 * _FARTHEST
    low, high = np.where(wide, lower, low), np.where(wide, upper, high)
    moved = np.concatenate([chain.follows(n) for chain in chains])
    slides = np.concatenate([chain.screws[:, 6] != 0.0 for chain in chains])
    scale = np.concatenate(
        [np.where(np.array(c.arm) < 0, 0.0, np.abs(c.scale)) for c in chains]
    )
    moduli = np.where(slides, np.inf, TURN)
    periods = np.full(n, np.inf)
    for joint in range(n):
        mine = np.flatnonzero(moved[:, joint])
        rates = scale[mine]
        unit = TURN / float(rates.max(initial=0.0) or 1.0)
        if not len(mine) or ((rates == rates[0]) & (rates > 0.0)).all():
            periods[joint] = np.inf if slides[mine].any() else unit
            continue

        def values(rows: Array, mine: Indices = mine) -> Array:
            each = [chain.values_of_rows(rows) for chain in chains]
            return np.asarray(np.concatenate(each, axis=1)[:, mine])

        starts = starts_about(np.zeros(n))
        starts[:, joint] = np.linspace(low[joint], high[joint], len(starts))
        periods[joint] = common_period(values, starts, joint, unit, moduli[mine])
    return periods


def dof_names(arm: Manipulator) -> list[str]:
    """Return the names of an arm's degrees of freedom."""
    return [_axis_name(arm.robot.model, dof) for dof in arm.arm_indices.tolist()]


def _axis_name(model: Model, value: int) -> str:
    joint = int(model.value_joint[value])
    axis = int(model.value_axis[value])
    several = model.joint_values[joint, 1] > 1
    return f"{model.joint_names[joint]}{f'_{axis}' if several else ''}"


def normals(direction: Array) -> tuple[Array, Array]:
    """Return two unit vectors that follow a direction in a right-handed frame."""
    u = np.cross(np.eye(3)[int(np.argmin(np.abs(direction)))], direction)
    u /= np.linalg.norm(u)
    return u, np.cross(direction, u)


def displaced(row: Array, value: float) -> Array:
    """Return the (4, 4) displacement of a joint with a screw (7,) at a value."""
    pose = np.eye(4)
    if row[6]:
        pose[:3, 3] = row[:3] * value
    else:
        pose[:3, :3] = matrix_from_axis_angle(row[:3], value)
        pose[:3, 3] = row[3:6] - pose[:3, :3] @ row[3:6]
    return pose
