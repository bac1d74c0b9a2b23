"""State of all bodies into the data of MuJoCo and out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array
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


class Transfer:
    """Moves state between the bodies and the data of a scene.

    The state of all bodies is read at once; what a user changed is found by stamps.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._free: list[Part] = []
        self._others: list[Part] = []
        values, rates, spans, at = [], [], [], 0
        for part in scene.parts:
            if not part.moves:
                continue
            single = part.roots and not part.scattered
            (self._free if single else self._others).append(part)
        moving = [*self._free, *self._others]
        targets = []
        for part in moving:
            own = part.values < part.body.dof
            values.append(part.places[own])
            rates.append(part.rates[own])
            targets.append(at + part.values[own])
            spans.append(slice(at, at + part.body.dof))
            at += part.body.dof
        self._size = at
        self._spans = spans
        self._moving = moving
        empty = [np.empty(0, np.int64)]
        self._values = np.concatenate(values or empty)
        self._rates = np.concatenate(rates or empty)
        self._targets = np.concatenate(targets or empty)
        self._wraps = [
            (span, part.body.model.wrap_ranges)
            for span, part in zip(spans, moving, strict=True)
            if np.isfinite(part.body.model.wrap_ranges).any()
        ]
        roots = [part.roots[0] for part in self._free]
        ids = [
            part.ids[link] for part, (link, _, _) in zip(self._free, roots, strict=True)
        ]
        self._ids = np.array(ids, np.int64)
        starts = np.array([row for _, _, row in roots], np.int64)
        self._twists = starts[:, None] + np.arange(6)
        self._fixed_values = [
            None if np.isin(np.arange(part.body.dof), part.values).all() else part.body
            for part in moving
        ]

    def push(self) -> None:
        """Put into the data what was changed about bodies since they were noted."""
        model, data = self.scene.model, self.scene.data
        for part in self.scene.parts:
            if not part.is_current():
                part.push(model, data)
            if part.followers:
                part.follow(model, data)

    def pull(self) -> None:
        """Let the bodies be where the data say."""
        library, data = self.scene.library, self.scene.data
        library.mj_kinematics(self.scene.model, data)
        values, rates = np.zeros(self._size), np.zeros(self._size)
        values[self._targets] = data.qpos[self._values]
        rates[self._targets] = data.qvel[self._rates]
        for k, body in enumerate(self._fixed_values):
            if body is not None:
                self._keep_fixed(k, values)
        for part, span in zip(self._moving, self._spans, strict=True):
            if part.balls:
                part.ball_values(data, values[span], rates[span])
        for span, (low, high) in self._wraps:
            _wrap(values[span], low, high)
        count = len(self._free)
        rotations = data.xmat[self._ids].reshape(-1, 3, 3)
        poses = np.zeros((count, 4, 4))
        poses[:, :3, :3] = rotations
        poses[:, :3, 3] = data.xpos[self._ids]
        poses[:, 3, 3] = 1.0
        twists = data.qvel[self._twists] if count else np.empty((0, 6))
        twists[:, 3:] = np.einsum("kij,kj->ki", rotations, twists[:, 3:])
        for k, part in enumerate(self._free):
            span, body, twist = self._spans[k], part.body, twists[k]
            own, speeds = values[span], rates[span]
            body.take_motion(poses[k], own, twist, speeds)
            if body.model.passive_values.any():
                self._passive(part)
            part.stamp = body.pose_stamp
            part.base_velocity, part.dof_velocities = twist, speeds
        for part, span in zip(self._others, self._spans[count:], strict=True):
            self._pull_other(part, values[span], rates[span])
        for part in self.scene.parts:
            if part.held:
                part.note()

    def _keep_fixed(self, k: int, values: Array) -> None:
        """Leave degrees of freedom as they are that the model does not have."""
        part, span = self._moving[k], self._spans[k]
        known = part.body.dof_values_view
        missing = ~np.isin(np.arange(part.body.dof), part.values)
        values[span][missing] = known[missing]

    def _pull_other(self, part: Part, values: Array, rates: Array) -> None:
        body, data = part.body, self.scene.data
        base = np.zeros(6)
        known, _ = body.velocity_views
        pose = body.transform
        if part.roots and part.roots[0][0] == 0:
            _, _, row = part.roots[0]
            pose = self._pose(int(part.ids[0]))
            base[:3] = data.qvel[row : row + 3]
            base[3:] = pose[:3, :3] @ data.qvel[row + 3 : row + 6]
        elif known is not None:
            base = known
        body.take_motion(pose, values, base, rates)
        if body.model.passive_values.any():
            self._passive(part)
        if part.scattered:
            body.set_link_transforms(
                [self._pose(number) for number in part.ids.tolist()]
            )
        part.note()

    def _passive(self, part: Part) -> None:
        found, which = part.passive(self.scene.data)
        if len(which):
            part.body.set_passive_values(found, which)

    def _pose(self, number: int) -> Array:
        pose = np.eye(4)
        pose[:3, :3] = self.scene.data.xmat[number].reshape(3, 3)
        pose[:3, 3] = self.scene.data.xpos[number]
        return pose

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
