"""State of all bodies into the data of MuJoCo and out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.spatial import Indices
    from pyrave_mujoco.part import Part
    from pyrave_mujoco.scene import Scene


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What MuJoCo knows about a body, for another model that has the body, too.

    Parameters
    ----------
    pose, values, base_velocity, rates
        How the body was then: what is kept counts while it is so.
    rows
        Of `qpos`, `qvel` and `qacc_warmstart`, by the keys of `Part.rows`.
    """

    pose: Array
    values: Array
    base_velocity: Array
    rates: Array
    rows: dict[tuple[str, int], tuple[Array, Array, Array]]


_NONE: Array = np.empty(0)


class _Moving:
    """A body that the engine moves, and what is looked up about it once."""

    __slots__ = ("body", "has_values", "is_exact", "missing", "part", "rows", "span")

    def __init__(self, part: Part, first_value: int) -> None:
        body = part.body
        self.part = part
        self.body = body
        self.span = slice(first_value, first_value + body.dof)
        self.has_values = body.dof > 0
        self.missing = ~np.isin(np.arange(body.dof), part.values)
        for ball in part.balls:
            self.missing[ball.value : ball.value + 3] = False
        self.is_exact = len(part.ids) == 1 or not part.is_soft
        first, count = int(part.ids[0]), len(part.ids)
        self.rows: Any = part.ids
        if np.array_equal(part.ids, np.arange(first, first + count)):
            self.rows = slice(first, first + count)  # much faster than indices


class Transfer:
    """Moves state between the bodies and the data of a scene.

    The state of all bodies is read at once; what a user changed is found by stamps.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._steps, self._dt = 0, 0.0
        parts = [part for part in scene.parts if part.moves]
        free = [part for part in parts if part.roots and not part.scattered]
        others = [part for part in parts if not part.roots or part.scattered]
        moving: list[_Moving] = []
        at = 0
        for part in (*free, *others):
            moving.append(_Moving(part, at))
            at = moving[-1].span.stop
        self._size = at
        self._free, self._others = moving[: len(free)], moving[len(free) :]
        self._incomplete = [one for one in moving if one.missing.any()]
        self._balls = [one for one in moving if one.part.balls]
        ranges = [(one.span, one.body.model.wrap_ranges) for one in moving]
        self._wraps = [one for one in ranges if np.isfinite(one[1]).any()]
        empty = np.empty((0, 3), np.int64)
        rows = np.concatenate((empty, *(_value_rows(one) for one in moving)))
        self._targets, self._places, self._rates = rows.T.copy()
        self._ids = np.array([part.ids[0] for part in free], np.int64)
        starts = np.array([part.roots[0][2] for part in free], np.int64)
        self._twists = starts[:, None] + np.arange(6)

    def push(self) -> None:
        """Put into the data what was changed about bodies since they were noted."""
        for part in self.scene.parts:
            if not part.is_current():
                part.push(self.scene.data, self._steps, self._dt)

    def pull(self, dt: float) -> None:
        """Let the bodies be where the data say, after a step of `dt` seconds."""
        self._steps, self._dt = self._steps + 1, dt
        library, data = self.scene.library, self.scene.data
        library.mj_kinematics(self.scene.model, data)
        values, rates = self._joints()
        poses = self._poses()
        twists = data.qvel[self._twists]
        rotations = poses[self._ids, :3, :3]
        twists[:, 3:] = np.einsum("kij,kj->ki", rotations, twists[:, 3:])
        for one, twist in zip(self._free, twists, strict=True):
            part, body, links = one.part, one.body, poses[one.rows]
            own, speeds = _NONE, _NONE
            if one.has_values:
                own, speeds = values[one.span], rates[one.span]
            known = links if one.is_exact else None
            body.take_motion(links[0], own, twist, speeds, known)
            if part.has_passive:
                self._passive(part)
            part.stamp = body.pose_stamp
            part.base_velocity, part.dof_velocities = twist, speeds
        for one in self._others:
            self._pull_other(one, values[one.span], rates[one.span], poses)
        for part in self.scene.parts:
            if part.held:
                part.note()

    def _joints(self) -> tuple[Array, Array]:
        """Return values and rates of the degrees of freedom of all that moves."""
        data = self.scene.data
        values, rates = np.zeros(self._size), np.zeros(self._size)
        values[self._targets] = data.qpos[self._places]
        rates[self._targets] = data.qvel[self._rates]
        for one in self._incomplete:
            values[one.span][one.missing] = one.body.dof_values_view[one.missing]
        for one in self._balls:
            one.part.ball_values(data, values[one.span], rates[one.span])
        for span, (low, high) in self._wraps:
            _wrap(values[span], low, high)
        return values, rates

    def _poses(self) -> Array:
        """Return (n, 4, 4) poses of all of MuJoCo's bodies."""
        data = self.scene.data
        poses = np.zeros((len(data.xpos), 4, 4))
        poses[:, :3, :3] = data.xmat.reshape(-1, 3, 3)
        poses[:, :3, 3] = data.xpos
        poses[:, 3, 3] = 1.0
        return poses

    def _pull_other(
        self, one: _Moving, values: Array, rates: Array, poses: Array
    ) -> None:
        part, body, data = one.part, one.body, self.scene.data
        known, _ = body.velocity_views
        base = np.zeros(6) if known is None else known
        links, pose = poses[one.rows], body.transform
        if part.roots and part.roots[0][0] == 0:
            row, pose, base = part.roots[0][2], links[0], np.empty(6)
            base[:3] = data.qvel[row : row + 3]
            base[3:] = pose[:3, :3] @ data.qvel[row + 3 : row + 6]
        exact = one.is_exact and not part.held and not part.scattered
        body.take_motion(pose, values, base, rates, links if exact else None)
        if part.has_passive:
            self._passive(part)
        if part.scattered:
            body.set_link_transforms(links)
        part.note()

    def _passive(self, part: Part) -> None:
        found, which = part.passive(self.scene.data)
        if len(which):
            part.body.set_passive_values(found, which)

    # -- other models --------------------------------------------------------------

    def keep(self) -> dict[str, Kept]:
        """Return what MuJoCo knows about the bodies that nobody changed, by name."""
        data = self.scene.data
        found = {}
        for part in self.scene.parts:
            body = part.body
            if not part.moves or not part.is_current():
                continue
            rows = {
                key: (
                    data.qpos[place].copy(),
                    data.qvel[rate].copy(),
                    data.qacc_warmstart[rate].copy(),
                )
                for key, place, rate in part.rows()
            }
            found[body.name] = Kept(
                body.transform,
                body.dof_values,
                body.base_velocity,
                body.dof_velocities,
                rows,
            )
        return found

    def restore(self, kept: dict[str, Kept]) -> None:
        """Take over what was kept about bodies that are as they were."""
        data = self.scene.data
        for part in self.scene.parts:
            known = kept.get(part.body.name)
            if known is None or not _unchanged(part, known):
                continue
            for key, place, rate in part.rows():
                rows = known.rows.get(key)
                if rows is not None:
                    data.qpos[place], data.qvel[rate] = rows[0], rows[1]
                    data.qacc_warmstart[rate] = rows[2]


def _value_rows(one: _Moving) -> Indices:
    """Return (n, 3): degrees of freedom, and their rows in `qpos` and `qvel`."""
    part = one.part
    own = part.values < part.body.dof
    targets = one.span.start + part.values
    return np.column_stack((targets, part.places, part.rates))[own]


def _unchanged(part: Part, known: Kept) -> bool:
    body = part.body
    return (
        np.array_equal(body.transform, known.pose)
        and np.array_equal(body.dof_values_view, known.values)
        and np.array_equal(body.base_velocity, known.base_velocity)
        and np.array_equal(body.dof_velocities, known.rates)
    )


def _wrap(values: Array, low: Array, high: Array) -> None:
    """Bring values into their ranges by whole periods."""
    wide = np.isfinite(low) & np.isfinite(high)
    period = (high - low)[wide]
    values[wide] -= period * np.floor((values[wide] - low[wide]) / period)
