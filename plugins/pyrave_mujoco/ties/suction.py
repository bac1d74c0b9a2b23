"""Suction cups: lips on springs that hold what they touch all around."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import Array, invert_pose, quat_from_matrix
from pyrave_mujoco.geoms.contact_pairs import full_name
from pyrave_mujoco.library import mujoco
from pyrave_mujoco.ties.chains import PoseJointChain
from pyrave_mujoco.ties.springs import Bushing
from pyrave_mujoco.ties.tie import Tie, end_of

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.scene import SuctionCup, SuctionSpring
    from pyrave_mujoco.ties.tie import Key
    from pyrave_mujoco.ties.tie_elements import LiveTie, TieWriter

_POINTS = 10
_REACH = 0.0025
"""Reach of points on the lip, metres: RobWork's spikes are as long."""
_STRENGTH = 500.0
"""Newtons along the axis of a cup that tear off what it holds, as in RobWork."""
_BELOW = 0.01
"""Distance below its holding height at which a cup stops, metres, as in RobWork."""
_POINT = 1e-4
_APART = 0.01
"""Displacement at which a held link is let go, metres and elements of a rotation."""


@dataclass(frozen=True, slots=True, eq=False)
class Seal:
    """The link that a cup holds, and its pose at the lip.

    Parameters
    ----------
    body, link
        Name of the body, index of its link.
    relative
        (4, 4) T_lip_link.
    """

    body: str
    link: int
    relative: Array


@dataclass(frozen=True, slots=True, eq=False)
class CupState:
    """State of a cup: its vacuum, and the link that it holds."""

    is_on: bool
    seal: Seal | None


@dataclass(frozen=True, slots=True, eq=False)
class WrittenCup:
    """A cup in the specification of a model.

    Parameters
    ----------
    cup
        What it is.
    tie
        How the lip hangs on the base.
    equality
        Name of the weld of the lip to what it holds.
    points
        Names of geoms on the lip.
    axis
        (3,) of the cup, in the lip.
    """

    cup: SuctionCup
    tie: Tie
    equality: str
    points: tuple[str, ...]
    axis: Array


def key_of(cup: SuctionCup) -> Key:
    """Return the key of a cup's tie."""
    return ("", "suction cup", cup.name)


def tie_of_cup(env: Environment, cup: SuctionCup, start: Array | None) -> Tie:
    """Return the tie of a lip to its base: it slides, then bends in two directions.

    Parameters
    ----------
    start
        T_base_lip where the cup is straight; None: as the links are now.
    """
    first, second = end_of(env, cup.base), end_of(env, cup.lip)
    start = invert_pose(first.pose) @ second.pose if start is None else start
    frame = cup.pose.matrix
    chain = PoseJointChain(("slide", "hinge", "hinge"), np.eye(3)[[2, 0, 1]])
    now = invert_pose(frame) @ start
    straight = np.array((now[2, 3], 0.0, 0.0))
    limits = ((cup.closed.height - _BELOW, math.inf), *((-math.inf, math.inf),) * 2)
    carried = invert_pose(chain.pose(straight)) @ now
    return Tie(
        key_of(cup),
        first,
        second,
        frame,
        chain,
        start,
        carried,
        limits,
        bellow_of(cup.open),
    )


def bellow_of(spring: SuctionSpring) -> Bushing:
    """Return the spring along the chain of a cup."""
    bend, slow = spring.bending_stiffness, spring.bending_damping
    return Bushing(
        np.diag((spring.stiffness, bend, bend)),
        np.diag((spring.damping, slow, slow)),
        np.array((-spring.height, 0.0, 0.0)),
        np.eye(3),
    )


def write_cup(spec: Any, ties: TieWriter, cup: SuctionCup, tie: Tie) -> WrittenCup:
    """Write a cup's tie, its weld and the points on its lip."""
    library = mujoco()
    ties.add(tie)
    lip = tie.second
    assert lip.body is not None  # noqa: S101 - a cup has two links
    name = full_name(lip.body, lip.link)
    weld = ties.equality("WELD", "BODY")
    weld.name1, weld.name2, weld.active = name, "world", False
    # stands for what is held, which the lip does not push; the world has no solids
    spare = spec.add_exclude()
    spare.bodyname1, spare.bodyname2 = "world", name
    turned = invert_pose(tie.carried)
    axis = turned[:3, 2]
    box = lip.body.links[lip.link].local_aabb
    height = 0.0 if box is None else float(axis @ box[0] + np.abs(axis) @ box[1])
    angles = np.arange(_POINTS) * 2.0 * np.pi / _POINTS
    ring = cup.radius * np.column_stack((np.cos(angles), np.sin(angles), 0.0 * angles))
    ring = ring @ turned[:3, :3].T + turned[:3, 3]
    ring += np.outer(height - _POINT - ring @ axis, axis)
    made = ties.body(lip)
    points = []
    for k, place in enumerate(ring):
        points.append(f"{weld.name} {k}")
        geom = made.add_geom(name=points[-1], type=library.mjtGeom.mjGEOM_SPHERE)
        geom.size, geom.pos = (_POINT, 0.0, 0.0), place
        geom.contype = geom.conaffinity = 0
    return WrittenCup(cup, tie, weld.name, tuple(points), axis)


class LiveCup:
    """A suction cup in a compiled model.

    Parameters
    ----------
    written
        What it is.
    tie
        How its lip hangs on its base.
    model, data
        MuJoCo's.
    numbers
        Of its weld, of the lip's body, and of the points' geoms.

    Attributes
    ----------
    held
        MuJoCo's number of the body that it holds, -1 for none.
    relative
        (4, 4) T_lip_body of what it holds.
    is_on
        Whether there is a vacuum.
    """

    def __init__(
        self,
        written: WrittenCup,
        tie: LiveTie,
        model: Any,
        data: Any,
        numbers: tuple[int, int, list[int]],
    ) -> None:
        self.name = written.cup.name
        self.tie = tie
        self.held = -1
        self.relative = np.eye(4)
        self.is_on = True
        self._cup, self._axis = written.cup, written.axis
        self._model, self._data = model, data
        self._weld, self.lip, self._points = numbers
        self._springs = {False: bellow_of(written.cup.open)}
        self._springs[True] = bellow_of(written.cup.closed)

    def step(self) -> None:
        """Take hold or let go by the contacts and forces of the last step."""
        if not self.is_on:
            return
        if self.held < 0:
            found = self._sealed()
            if found >= 0:
                self.hold(found, invert_pose(self._pose(self.lip)) @ self._pose(found))
        elif self._tension() > _STRENGTH:
            self.let_go()

    def hold(self, number: int, relative: Array) -> None:
        """Weld the lip to one of MuJoCo's bodies, at T_lip_body (4, 4)."""
        self.held, self.relative = number, relative
        model = self._model
        row = model.eq_data[self._weld]
        row[:3], row[3:6] = 0.0, relative[:3, 3]
        row[6:10], row[10] = quat_from_matrix(relative[:3, :3]), 1.0
        model.eq_obj2id[self._weld] = number
        self._data.eq_active[self._weld] = 1
        self._spare(0, number)
        self.tie.bushing = self._springs[True]

    def check(self, pose: Array) -> None:
        """Let go of a link that was put elsewhere, at a pose (4, 4)."""
        now = invert_pose(self.tie.tie.second.pose) @ pose
        if np.abs(now - self.relative).max() > _APART:
            self.let_go()

    def let_go(self) -> None:
        """Hold nothing."""
        if self.held < 0:
            return
        self._data.eq_active[self._weld] = 0
        self._model.eq_obj2id[self._weld] = 0
        self._spare(self.held, 0)
        self.held = -1
        self.tie.bushing = self._springs[False]

    def _spare(self, before: int, after: int) -> None:
        """Let the lip not touch one body, in place of another.

        MuJoCo searches pairs by rising numbers: lower body times 2^16 plus higher body.
        """
        pairs = self._model.exclude_signature
        old, new = (
            (min(self.lip, one) << 16) + max(self.lip, one) for one in (before, after)
        )
        pairs[np.flatnonzero(pairs == old)[0]] = new
        pairs.sort()

    def _pose(self, number: int) -> Array:
        pose = np.eye(4)
        pose[:3, :3] = self._data.xmat[number].reshape(3, 3)
        pose[:3, 3] = self._data.xpos[number]
        return pose

    def _sealed(self) -> int:
        """Return the body that the lip touches, and is close to all around; or -1."""
        model, data = self._model, self._data
        if not data.ncon:
            return -1
        ends = model.geom_bodyid[data.contact.geom]
        # a contact that a callback ignores is none
        mine = (ends == self.lip) & (data.contact.exclude == 0)[:, None]
        touched = np.unique(ends[mine.any(axis=1)])
        for number in touched[touched != self.lip].tolist():
            first = int(model.body_geomadr[number])
            geoms = range(first, first + int(model.body_geomnum[number]))
            if all(self._is_near(point, geoms) for point in self._points):
                return int(number)
        return -1

    def _is_near(self, point: int, geoms: range) -> bool:
        distance = mujoco().mj_geomDistance
        model, data, reach = self._model, self._data, _REACH
        return any(
            distance(model, data, point, one, reach, None) < reach for one in geoms
        )

    def _tension(self) -> float:
        """Return the force along the axis with which the held body pulls the lip, N."""
        data = self._data
        own = (data.efc_type == 0) & (data.efc_id == self._weld)
        rows = np.flatnonzero(own)[:3]
        if len(rows) < 3:
            return 0.0
        way = data.xmat[self.lip].reshape(3, 3) @ self._axis
        return float(data.efc_force[rows] @ way)
