"""Ties in a model: how they are written, and where their state is.

MuJoCo's equality constraints join two bodies in a point or in all directions, and its
joints need a tree. So what moves in some directions only is a light body,
which hangs with the free directions as joints on the first link, and is welded to the
second one. Limits of the tie are those of these joints, springs and dampers push them.
The links stay where they are in the tree: what is set about them and what they touch is
as without a tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import (
    Array,
    invert_pose,
    matrix_from_quat,
    quat_from_matrix,
    rotation_vector,
)
from pyrave_mujoco.bodies.plan import MASSLESS
from pyrave_mujoco.geoms.contact_pairs import full_name
from pyrave_mujoco.library import mujoco

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave_mujoco.bodies.built import Built
    from pyrave_mujoco.ties.springs import Bushing
    from pyrave_mujoco.ties.tie import End, Tie

_LIGHT, _EQUAL = 1e-4, 1.0
"""Parts of a link's mass that a tie takes of it or has. With much less the solver
loses its digits, and blows up, where a link of a robot is tied."""
_STIFF = (0.999, 0.9999, 0.001, 0.5, 2.0)
_NARROW = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """State of a tie, for another model that has the tie, too.

    Parameters
    ----------
    start
        T_first_second to begin with.
    relative, twist
        Pose and velocity of the second link against the first one now: the coordinates
        count while these are so.
    rows
        Of `qpos`, `qvel` and `qacc_warmstart`.
    is_current
        Whether the rows say where its links were.
    """

    start: Array
    relative: Array
    twist: Array
    rows: tuple[Array, Array, Array]
    is_current: bool


class TieWriter:
    """Writes ties into the specification of a model.

    Parameters
    ----------
    spec
        What is written to.
    step
        Longest step of the engine, seconds: how stiff ties are.
    bodies
        What was written about bodies.
    """

    def __init__(self, spec: Any, step: float, bodies: Mapping[KinBody, Built]) -> None:
        self._library = mujoco()
        self._spec = spec
        self._solref = (2.0 * step, 1.0)
        self._bodies = bodies
        self.written: list[tuple[Tie, str, str]] = []
        self._n_equalities = 0

    def equality(self, kind: str, ends: str) -> Any:
        """Return a new equality constraint of a kind, as stiff as the step allows."""
        made = self._spec.add_equality()
        made.name = f"equality{self._n_equalities}"
        self._n_equalities += 1
        made.type = getattr(self._library.mjtEq, f"mjEQ_{kind}")
        made.objtype = getattr(self._library.mjtObj, f"mjOBJ_{ends}")
        made.solref, made.solimp = self._solref, _STIFF
        return made

    def add(self, tie: Tie) -> None:
        """Write a tie, unless both its links stay where they are put."""
        if not (self.moves(tie.first) or self.moves(tie.second)):
            return
        equality = self.equality("CONNECT" if tie.is_point else "WELD", "BODY")
        equality.name1, equality.name2 = self._name(tie.first), self._name(tie.second)
        carrier = ""
        if tie.chain is not None and not tie.is_point:
            carrier = equality.name1 = f"tie{len(self.written)}"
            self._hang(tie, carrier)
        self.written.append((tie, equality.name, carrier))

    def moves(self, end: End) -> bool:
        """Return True if MuJoCo moves a link."""
        return end.body is not None and self._bodies[end.body].moving[end.link]

    def _name(self, end: End) -> str:
        return "world" if end.body is None else full_name(end.body, end.link)

    def body(self, end: End) -> Any:
        """Return a link's body in the specification."""
        if end.body is None:
            return self._spec.worldbody
        return self._bodies[end.body].links[end.link]

    def _hang(self, tie: Tie, name: str) -> None:
        made = self.body(tie.first).add_body(name=name)
        made.pos, made.quat = tie.frame[:3, 3], quat_from_matrix(tie.frame[:3, :3])
        # welded to what stays where it is, the carrier burdens nothing
        second = self.moves(tie.second)
        share, end = (_LIGHT, tie.second) if second else (_EQUAL, tie.first)
        assert end.body is not None  # noqa: S101 - the world does not move
        plan = self._bodies[end.body].plan
        made.mass = max(share * float(plan.masses[end.link]), MASSLESS)
        if second:
            # the sum is the link's mass, and where it was
            self.body(end).mass = max(self.body(end).mass - made.mass, MASSLESS)
            made.ipos = tie.carried[:3, :3] @ plan.coms[end.link] + tie.carried[:3, 3]
        moment = share * float(plan.moments[end.link].min())
        made.inertia = np.full(3, max(moment, MASSLESS))
        made.explicitinertial = True
        assert tie.chain is not None  # noqa: S101 - it has joints
        kinds = self._library.mjtJoint
        rows = zip(tie.chain.kinds, tie.chain.axes, tie.limits, strict=True)
        for k, (kind, axis, (low, high)) in enumerate(rows):
            joint = made.add_joint(name=f"{name} {k}")
            joint.type = getattr(kinds, f"mjJNT_{kind.upper()}")
            if kind != "ball":
                joint.axis = axis
            if np.isfinite(high) or (kind != "ball" and np.isfinite(low)):
                if high - low < _NARROW:
                    low, high = low - _NARROW, high + _NARROW  # noqa: PLW2901
                joint.limited = True
                joint.range = np.clip((low, high), -1e6, 1e6)
                joint.solref_limit, joint.solimp_limit = self._solref, _STIFF


class LiveTie:
    """A tie in a compiled model.

    Parameters
    ----------
    tie
        What it ties.
    model
        The model.
    equality, carrier
        Numbers of its constraint, and of the body that hangs on the first link; -1
        where there is none.
    numbers
        Of the bodies of its links.
    moving
        Whether MuJoCo moves the first, and the second link.

    Attributes
    ----------
    bushing
        Its springs now.
    carrier
        Number of the body that hangs on the first link, -1 for none.
    """

    def __init__(
        self,
        tie: Tie,
        model: Any,
        equality: int,
        carrier: int,
        numbers: list[int],
        moving: list[bool],
    ) -> None:
        self.tie = tie
        self.bushing: Bushing | None = tie.bushing
        self.carrier = carrier
        self._moving = moving
        self.places = self.rates = slice(0, 0)
        row = model.eq_data[equality]
        if tie.is_point:
            row[:3] = tie.frame[:3, 3]
            row[3:6] = (invert_pose(tie.start) @ tie.frame[:, 3])[:3]
            return
        row[:3], row[3:6] = 0.0, tie.carried[:3, 3]
        row[6:10], row[10] = quat_from_matrix(tie.carried[:3, :3]), 1.0
        if carrier < 0 or tie.chain is None:
            return
        joint, rate = int(model.body_jntadr[carrier]), int(model.body_dofadr[carrier])
        place, count = int(model.jnt_qposadr[joint]), int(model.body_dofnum[carrier])
        self.places = slice(place, place + len(tie.chain.zero))
        self.rates = slice(rate, rate + count)
        # by itself MuJoCo takes the carrier for what it holds, and is soft with it
        weights = model.body_invweight0
        weights[carrier] = weights[numbers[0]]
        for k, kind in enumerate(tie.chain.kinds):
            turns = int(kind != "slide")
            span = slice(rate + k, rate + (count if kind == "ball" else k + 1))
            model.dof_invweight0[span] = weights[numbers, turns].sum()

    @property
    def has_state(self) -> bool:
        """True if it has coordinates."""
        return self.places.stop > self.places.start

    # -- state ---------------------------------------------------------------------

    def is_tied(self, bodies: Iterable[KinBody]) -> bool:
        """Return True if one of its links is of one of some bodies."""
        ends = (self.tie.first.body, self.tie.second.body)
        return any(body in ends for body in bodies)

    def put(self, data: Any) -> None:
        """Put the coordinates and rates into the data that its links have now."""
        tie, chain = self.tie, self.tie.chain
        if not self.has_state or chain is None:
            return
        base = tie.first.pose @ tie.frame
        last = tie.second.pose @ invert_pose(tie.carried)
        q = chain.coordinates(invert_pose(base) @ last, data.qpos[self.places])
        data.qpos[self.places] = q
        twist = self._twist(last[:3, 3]).reshape(2, 3) @ base[:3, :3]
        data.qvel[self.rates] = chain.rates(q, twist.ravel())

    def _twist(self, point: Array) -> Array:
        """Return the velocity (6,) of the second link at a point against the first."""
        twist = np.zeros(6)
        ends = (self.tie.first, self.tie.second)
        for end, sign, moves in zip(ends, (-1.0, 1.0), self._moving, strict=True):
            if moves and end.body is not None:
                own = end.body.dynamics.link_velocities[end.link]
                arm = point - end.pose[:3, 3]
                twist[:3] += sign * (own[:3] + np.cross(own[3:], arm))
                twist[3:] += sign * own[3:]
        return twist

    def held(self, data: Any, is_current: bool) -> Held:
        """Return its state for another model.

        Parameters
        ----------
        is_current
            Whether the data say where its links are.
        """
        rows = (
            data.qpos[self.places].copy(),
            data.qvel[self.rates].copy(),
            data.qacc_warmstart[self.rates].copy(),
        )
        here = self._relative(), self._motion()
        return Held(self.tie.start, *here, rows, is_current)

    def restore(self, known: Held, data: Any) -> None:
        """Take over what was known; coordinates start from it if the links moved."""
        places, rates, last = known.rows
        if places.shape != data.qpos[self.places].shape:
            return
        data.qpos[self.places], data.qvel[self.rates] = places, rates
        data.qacc_warmstart[self.rates] = last
        if not (
            known.is_current
            and np.array_equal(known.relative, self._relative())
            and np.array_equal(known.twist, self._motion())
        ):
            self.put(data)

    def _relative(self) -> Array:
        return invert_pose(self.tie.first.pose) @ self.tie.second.pose

    def _motion(self) -> Array:
        return self._twist(self.tie.second.pose[:3, 3])

    # -- springs -------------------------------------------------------------------

    def push(self, data: Any) -> None:
        """Let its springs and dampers push for the next step."""
        spring, chain = self.bushing, self.tie.chain
        if spring is None or chain is None or not self.has_state:
            return
        q, rates = data.qpos[self.places], data.qvel[self.rates]
        if not chain.has_ball:
            load = spring.stiffness @ (q + spring.shift) + spring.damping @ rates
            data.qfrc_applied[self.rates] = -load
            return
        turn = matrix_from_quat(q[-4:])
        x, speed = spring.shift.copy(), rates.copy()
        x[:-3] += q[:-4]
        x[-3:] = rotation_vector(turn @ spring.turn)
        speed[-3:] = turn @ rates[-3:]
        load = spring.stiffness @ x + spring.damping @ speed
        load[-3:] = turn.T @ load[-3:]
        data.qfrc_applied[self.rates] = -load
