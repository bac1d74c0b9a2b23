"""Springs and dampers of motors, which push joints together with what they touch.

A drive is a row of friction of MuJoCo's solver, a soft constraint of one joint whose
force is at most its torque limit. ``force = D (a_ref - a)`` with ``D = h kd + h^2 kp``
and ``D a_ref = kp (position - q - h v) + kd (rate - v) + effort`` is the law of the
drive as it is after a step of length h, which accelerates the joint by a: so it is
solved along with the forces of contacts, however light the links between are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces import JointDrive
    from pyrave_mujoco.bodies.part import StatePart

_HALF = (0.5, 0.5, 0.001, 0.5, 2.0)
"""Impedance at which the softness of a row is that of the table of its tendon."""
_UNLIMITED = 1e20
_SOFT = 1e-6
"""Product of a gain and a joint's mobility below which it changes no acceleration."""


def write_drive(specification: Any, joint: str) -> str:
    """Write the drive of a joint; return its name."""
    tendon = specification.add_tendon(name=f"drive of {joint}")
    tendon.wrap_joint(joint, 1.0)
    tendon.solimp_friction = _HALF
    return str(tendon.name)


class Drives:
    """Drives that act during a step of the environment.

    Parameters
    ----------
    model, data
        MuJoCo's.
    rows
        Of each body that can be driven: its part, and the tendons by values.
    """

    def __init__(
        self, model: Any, data: Any, rows: Sequence[tuple[StatePart, dict[int, int]]]
    ) -> None:
        self._model, self._data = model, data
        self._parts = {part.body: (part, tendons) for part, tendons in rows}
        self._owners: list[tuple[KinBody, int]] = []
        self._tendons = self._places = self._rates = np.empty(0, np.int64)
        self._goals = self._speeds = self._kp = self._kd = np.empty(0)
        self._added = self._limits = self._sums = np.empty(0)
        self._stiff = np.empty(0, bool)
        self._gains = np.empty(0)
        self._length, self._count, self._steps = 0.0, 0, 0

    def __bool__(self) -> bool:
        return bool(self._owners)

    def can_drive(self, bodies: Mapping[KinBody, Any]) -> bool:
        """Return True if the model has drives for bodies."""
        return all(body in self._parts for body in bodies)

    def begin(
        self, drives: Mapping[KinBody, Sequence[JointDrive]], length: float
    ) -> None:
        """Let drives act in steps of a length in seconds, in place of those before.

        What pushes their joints already counts as effort of theirs. Bodies that cannot
        be simulated have none.
        """
        if self._owners:
            self._model.tendon_frictionloss[self._tendons] = 0.0
        self._owners, self._sums = [], np.empty(0)
        if not drives:
            return
        table: list[tuple[float, ...]] = []
        for body, given in drives.items():
            if body in self._parts:
                self._join(body, given, table)
        if not table:
            return
        columns = np.array(table, float).reshape(-1, 9).T
        self._tendons, self._places, self._rates = columns[:3].astype(np.int64)
        offsets, self._speeds, self._kp, self._kd, self._added, self._limits = columns[
            3:
        ]
        data = self._data
        self._goals = data.qpos[self._places] + offsets
        self._added = self._added + data.qfrc_applied[self._rates]
        data.qfrc_applied[self._rates] = 0.0
        self._length, self._steps = length, 0
        self._sums = np.zeros(len(self._owners))
        self._gains = length * self._kd + length * length * self._kp
        self._stiff = self._gains * self._model.dof_invweight0[self._rates] > _SOFT
        stiff, rows = self._stiff, self._tendons[self._stiff]
        self._count = len(rows)
        self._model.tendon_frictionloss[rows] = self._limits[stiff]
        self._model.tendon_invweight0[rows] = 1.0 / self._gains[stiff]

    def _join(
        self,
        body: KinBody,
        drives: Sequence[JointDrive],
        table: list[tuple[float, ...]],
    ) -> None:
        """Add rows about what moves of a body; of several drives the last counts."""
        part, tendons = self._parts[body]
        where = {
            value: (place, rate)
            for value, place, rate in zip(
                part.values.tolist(),
                part.places.tolist(),
                part.rates.tolist(),
                strict=True,
            )
        }
        values, limits = body.dof_values_view, body.dof_torque_limits
        limits[limits <= 0.0] = _UNLIMITED
        found: dict[int, tuple[float, ...]] = {}
        for drive in drives:
            offsets = drive.positions - values[drive.dofs]
            columns = np.column_stack(
                (
                    offsets,
                    drive.rates,
                    drive.stiffness,
                    drive.damping,
                    drive.efforts,
                    limits[drive.dofs],
                )
            )
            for dof, row in zip(drive.dofs.tolist(), columns.tolist(), strict=True):
                if dof in tendons:
                    found[dof] = (tendons[dof], *where[dof], *row)
        # rows of the solver are in the order of tendons
        for dof in sorted(found, key=lambda one: found[one][0]):
            self._owners.append((body, dof))
            table.append(found[dof])

    def push(self, left: float) -> None:
        """Set what drives do in the step of MuJoCo that is under way.

        Between MuJoCo's evaluation of velocities and that of forces.

        Parameters
        ----------
        left
            How long the environment's step goes on after it, seconds.
        """
        if not self._owners:
            return
        data, h = self._data, self._length
        rates = data.qvel[self._rates]
        errors = self._goals - left * self._speeds - data.qpos[self._places] - h * rates
        law = self._kp * errors + self._kd * (self._speeds - rates) + self._added
        stiff = self._stiff
        if self._count:
            last = data.ne + data.nf
            data.efc_aref[last - self._count : last] = law[stiff] / self._gains[stiff]
        if self._count < len(stiff):
            soft = ~stiff
            pushed = np.clip(law[soft], -self._limits[soft], self._limits[soft])
            data.qfrc_applied[self._rates[soft]] = pushed

    def note(self) -> None:
        """Record the efforts of drives in a step of MuJoCo."""
        if not self._owners:
            return
        data, stiff = self._data, self._stiff
        last = data.ne + data.nf
        self._sums[stiff] += data.efc_force[last - self._count : last]
        self._sums[~stiff] += data.qfrc_applied[self._rates[~stiff]]
        self._steps += 1

    def efforts(self) -> list[tuple[KinBody, int, float]]:
        """Return bodies, degrees of freedom and mean efforts since `begin`."""
        means = (self._sums / max(self._steps, 1)).tolist()
        pairs = zip(self._owners, means, strict=True)
        return [(body, dof, mean) for (body, dof), mean in pairs]
