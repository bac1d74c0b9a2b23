"""Transfer of the state of bodies to MuJoCo and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.jit import Kernel
from pyrave.jit.bundles import ArrayBundle
from pyrave.spatial import Array
from pyrave.world.motion_groups import MotionGroup
from pyrave_mujoco.snapshot import Layout, Motion, Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave_mujoco.bodies.part import JointKey, StatePart
    from pyrave_mujoco.scene import Scene

PULL = Kernel(
    "pyrave_mujoco.kernels.body_states",
    "pull",
    "physics: states of bodies",
    2.0,
    whole=True,
)
_MILLISECONDS_PER_ROW = 0.01


class _Moving:
    """A body that is moved by itself, and what is looked up about it once."""

    def __init__(self, part: StatePart) -> None:
        body = part.body
        self.part = part
        self.body = body
        self.is_exact = len(part.ids) == 1 or not part.is_soft
        own = part.values < body.dof
        self.values, self.places = part.values[own], part.places[own]
        self.rates = part.rates[own]


class Transfer:
    """Moves state between the bodies and the data of a scene.

    Bodies whose state follows from MuJoCo's without exceptions are a `MotionGroup`: a
    kernel writes the states of all. Others are told one by one. Who changes a body
    between two steps notes it in `changed`.

    Attributes
    ----------
    changed
        Bodies that are not in the data as they are now.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._steps, self._dt = 0, 0.0
        self._order = {part.body: k for k, part in enumerate(scene.parts)}
        self.changed: set[KinBody] = set(self._order)
        self._group = self._watched = MotionGroup((), self.changed)
        self._others: list[_Moving] = []
        self._joints: dict[str, dict[JointKey, tuple[slice, slice]]] = {}
        self._layout: Layout | None = None
        self._join()

    def _join(self) -> None:
        """Make the groups of what moves together, and of what does not."""
        parts = self.scene.parts
        together = [part for part in parts if _moves_together(part)]
        alone = [part for part in parts if not _moves_together(part)]
        self.dissolve()
        self._group = MotionGroup([part.body for part in together], self.changed)
        self._watched = MotionGroup([part.body for part in alone], self.changed)
        self._others = [_Moving(part) for part in alone if part.moves]
        for part in together:
            part.group = self._group
            self._group.adopt(part.body)
        for part in alone:
            part.group = self._watched
        self._watched.watch()
        self._balls = [part for part in together if part.balls]
        self._held = [part for part in alone if part.held]
        model, data = self.scene.model, self.scene.data
        self._arrays = ArrayBundle((
            data.qpos, data.qvel, data.xpos, data.xmat, self._group.poses,
            self._group.values, self._group.rates, self._group.velocities,
            *_tables(together, self._group, model),
        ))  # fmt: skip
        self._layout = None
        self._cost = _MILLISECONDS_PER_ROW * sum(map(len, self._arrays.arrays[4:]))

    def dissolve(self) -> None:
        """Let go of all bodies."""
        self._group.dissolve()
        self._watched.dissolve()

    def push(self) -> None:
        """Put into the data what was changed about bodies."""
        if not self.changed:
            return
        parts, group = self.scene.parts, self._group
        changed = sorted(self._order[body] for body in self.changed)
        for part in (parts[k] for k in changed):
            part.push(self.scene.data, self._steps, self._dt)
        for tie in self.scene.ties:
            if tie.is_tied(self.changed):
                tie.put(self.scene.data)
        for cup in self.scene.cups:
            if cup.held >= 0:
                body, link = self.scene.link_of_body[cup.held]
                if body in self.changed or cup.tie.is_tied(self.changed):
                    cup.check(body.transforms_view[link])
        if any(
            (part.group is group) != _moves_together(part)
            for part in (parts[k] for k in changed)
        ):
            self._join()
        for part in (parts[k] for k in changed):
            if part.group is self._group:
                self._group.adopt(part.body)
            part.note()
        self.changed.clear()

    def pull(self, dt: float) -> None:
        """Let the bodies be where the data say, after a step of `dt` seconds."""
        self._steps, self._dt = self._steps + 1, dt
        scene, group = self.scene, self._group
        scene.library.mj_kinematics(scene.model, scene.data)
        (PULL.function or PULL.auto(self._cost))(self._arrays.table)
        for part in self._balls:
            dofs = group.dofs[part.body]
            part.ball_values(scene.data, group.values[dofs], group.rates[dofs])
        group.moved()
        for one in self._others:
            # one that a callback moved meanwhile stays where that put it
            if (one.part.held or one.part.is_current()) and self._pull_other(one):
                self._note(one.part)
        for part in self._held:
            self._note(part)

    def _note(self, part: StatePart) -> None:
        part.note()
        self.changed.discard(part.body)

    def _pull_other(self, one: _Moving) -> bool:
        """Move a body; whether it is so then, or a callback gave it another state."""
        part, body, data = one.part, one.body, self.scene.data
        known, _ = body.velocity_views
        base = np.zeros(6) if known is None else known
        links, pose = self._poses(part), body.transform
        values, rates = body.dof_values, np.zeros(body.dof)
        values[one.values], rates[one.values] = (
            data.qpos[one.places],
            data.qvel[one.rates],
        )
        part.ball_values(data, values, rates)
        _wrap(values, *body.model.wrap_ranges)
        if part.roots and part.roots[0][0] == 0:
            row, pose, base = part.roots[0][2], links[0], np.empty(6)
            base[:3] = data.qvel[row : row + 3]
            base[3:] = pose[:3, :3] @ data.qvel[row + 3 : row + 6]
        exact = one.is_exact and not part.held and not part.scattered
        stamp = body.pose_stamp + 1
        body.take_motion(pose, values, base, rates, links if exact else None)
        passive, which = part.passive(data) if part.has_passive else ((), ())
        if len(which) and body.pose_stamp == stamp:
            stamp += 1
            body.set_passive_values(passive, which)
        if part.scattered and body.pose_stamp == stamp:
            stamp += 1
            body.set_link_transforms(links)
        now, speeds = body.velocity_views
        return body.pose_stamp == stamp and now is base and speeds is rates

    def _poses(self, part: StatePart) -> Array:
        """Return (n_links, 4, 4) poses of a body's links."""
        data = self.scene.data
        poses = np.zeros((len(part.ids), 4, 4))
        poses[:, :3, :3] = data.xmat[part.ids].reshape(-1, 3, 3)
        poses[:, :3, 3] = data.xpos[part.ids]
        poses[:, 3, 3] = 1.0
        return poses

    # -- snapshots -----------------------------------------------------------------

    def keep(self) -> Snapshot:
        """Return MuJoCo's state beyond the states of the bodies."""
        scene, data = self.scene, self.scene.data
        others = {one.body.name: _motion_of(one.body) for one in self._others}
        changed, put = [], []
        for body in self.changed:
            part = scene.parts[self._order[body]]
            if part.moves:
                changed.append(body.name)
                if part.is_put():
                    put.append(body.name)
        placed = {
            part.body.name: one
            for part in scene.parts
            if (one := part.driving.last_placement(self._steps)) is not None
        }
        return Snapshot(
            self._known_layout(),
            (data.qpos.copy(), data.qvel.copy(), data.qacc_warmstart.copy()),
            self._group_motion(),
            others,
            frozenset(changed),
            placed,
            frozenset(put),
            self._dt,
            {
                one.tie.key: one.held(data, not one.is_tied(self.changed))
                for one in scene.ties
            },
            scene.keep_cups(),
        )

    def _known_layout(self) -> Layout:
        """Return the bodies' indices in the arrays, one object while these last."""
        if self._layout is None:
            if not self._joints:
                self._joints = {
                    part.body.name: dict(part.rows())
                    for part in self.scene.parts
                    if part.moves
                }
            group = self._group
            together = {
                body.name: (row, group.dofs[body]) for body, row in group.rows.items()
            }
            self._layout = Layout(self._joints, together)
        return self._layout

    def _group_motion(self) -> Motion:
        """Return the motion of the bodies that move together, copied."""
        group = self._group
        bases = group.poses[[group.links[body].start for body in group.bodies]]
        states = group.values, group.rates, group.velocities
        found = Motion(bases, *(one.copy() for one in states))
        for body in self.changed & group.links.keys():
            row, dofs = group.rows[body], group.dofs[body]
            found.poses[row], found.values[dofs] = body.transform, body.dof_values_view
            found.rates[dofs] = body.dof_velocities
            found.velocities[row] = body.base_velocity
        return found

    def can_rewind(self, known: Snapshot) -> bool:
        """Return True if the model would be made again as it is."""
        return known.layout.joints is self._joints or not self.scene.ties

    def rewind(self, known: Snapshot) -> None:
        """Take over what was kept, in place of all that was since."""
        scene, group = self.scene, self._group
        if known.layout is self._layout and self._group_motion().equals(known.group):
            scene.stop()
            scene.put_coordinates(known.coordinates)
            for body in self.changed & group.links.keys():
                group.adopt(body)
                self._note(scene.parts[self._order[body]])
            doubtful = [one.part for one in self._others if not known.knows(one.body)]
            doubtful += [
                scene.parts[self._order[body]]
                for body in group.bodies
                if body.name in known.changed
            ]
        else:
            scene.start_over()
            doubtful = scene.parts
        for part in doubtful:
            part.forget()
            self.changed.add(part.body)
        for part in scene.parts:
            part.driving.forget()
        self.restore(known)

    def restore(self, known: Snapshot) -> None:
        """Put the bodies into the data, and what was kept about them and ties.

        The solver starts where it was. What is as it was has its coordinates, too, to
        the last bit.
        """
        scene, data = self.scene, self.scene.data
        changed = [self._order[body] for body in self.changed]
        self.push()
        for tie in scene.ties:
            if tie.tie.key in known.held:
                tie.restore(known.held[tie.tie.key], data)
        for part in scene.parts:
            if part.body.name in known.placed:
                part.driving.restore(known.placed[part.body.name], self._steps)
        for row in changed:
            self._restore_part(scene.parts[row], known)
        scene.restore_cups(known.cups)
        self._dt = known.dt

    def _restore_part(self, part: StatePart, known: Snapshot) -> None:
        """Take over what was kept about a body."""
        data, name = self.scene.data, part.body.name
        motion = known.motion_of(name)
        if motion is None:
            return
        as_kept = motion.is_of(part.body)
        if (
            name in known.put
            and as_kept
            and part.driving.note_placement(self._steps, known.dt)
        ):
            # the next push has these
            self.changed.add(part.body)
        qpos, qvel, warm = known.coordinates
        theirs = known.layout.joints[name]
        for key, (place, rate) in part.rows():
            if key not in theirs:
                continue
            other_place, other_rate = theirs[key]
            data.qacc_warmstart[rate] = warm[other_rate]
            if as_kept and name not in known.changed:
                data.qpos[place], data.qvel[rate] = qpos[other_place], qvel[other_rate]


def _motion_of(body: KinBody) -> Motion:
    return Motion(
        body.transform, body.dof_values, body.dof_velocities, body.base_velocity
    )


def _moves_together(part: StatePart) -> bool:
    """Return True if a body's state follows from MuJoCo's without exceptions."""
    return (
        part.moves
        and not (part.held or part.scattered or part.is_soft)
        and part.body.moves_alone
    )


def _tables(
    parts: list[StatePart], group: MotionGroup, model: Any
) -> tuple[NDArray[Any], ...]:
    """Return the tables that `pulling.pull` reads."""
    links, free = [np.empty((0, 2), np.int32)], []
    dofs, ranges = [np.empty((0, 3), np.int32)], [np.empty((0, 2))]
    for row, part in enumerate(parts):
        first, value = group.links[part.body].start, group.dofs[part.body].start
        moving = model.body_weldid[part.ids] > 0
        rows = first + np.flatnonzero(moving)
        links.append(np.column_stack((part.ids[moving], rows)))
        free += [(rate, first, row) for _, _, rate in part.roots]
        own = part.values < part.body.dof
        targets = part.values[own]
        dofs.append(
            np.column_stack((part.places[own], part.rates[own], value + targets))
        )
        low, high = part.body.model.wrap_ranges
        ranges.append(np.column_stack((low[targets], high[targets])))
    return (
        np.concatenate(links).astype(np.int32),
        np.concatenate(dofs).astype(np.int32),
        np.concatenate(ranges),
        np.array(free, np.int32).reshape(-1, 3),
    )


def _wrap(values: Array, low: Array, high: Array) -> None:
    """Bring values into their ranges by whole periods."""
    wide = np.isfinite(low) & np.isfinite(high)
    period = (high - low)[wide]
    values[wide] -= period * np.floor((values[wide] - low[wide]) / period)
