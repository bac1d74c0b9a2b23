"""Surfaces of conveyors, which move things and stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_mujoco.library import mujoco
from pyrave_mujoco.plan import MASSLESS

if TYPE_CHECKING:
    from collections.abc import Sequence

_INERTIA = 1e4
"""Of a belt, kg: 1 kN slows it down by 0.2 mm/s, and with 1e6 the solver is inexact."""


def add_belt(link: Any, name: str, velocity: Sequence[float]) -> Any:
    """Return a slide in a link of a specification, for the geoms of the link.

    Contacts of MuJoCo go by the velocities of bodies, and so does their friction. The
    slide has that of the surface, and is put back in each step: see `Belts`.

    Parameters
    ----------
    name
        What it is called.
    velocity
        (3,) in link axes, m/s.
    """
    belt = link.add_body()
    belt.name = name
    belt.mass, belt.inertia = MASSLESS, np.full(3, MASSLESS)
    belt.explicitinertial = True
    joint = belt.add_joint()
    joint.type = mujoco().mjtJoint.mjJNT_SLIDE
    joint.axis = np.asarray(velocity) / np.linalg.norm(velocity)
    joint.armature = _INERTIA
    return belt


class Belts:
    """Keeps belts at their places and velocities.

    Parameters
    ----------
    model, data
        MuJoCo's; what the solver goes by is made right in the model.
    rows
        Of each belt: row in `qpos`, row in `qvel`, velocity in m/s.
    """

    def __init__(
        self, model: Any, data: Any, rows: Sequence[tuple[int, int, float]]
    ) -> None:
        self._qpos, self._qvel = data.qpos, data.qvel
        self._warm = data.qacc_warmstart
        self._places = np.array([row[0] for row in rows], np.int64)
        self._rates = np.array([row[1] for row in rows], np.int64)
        self._speeds = np.array([row[2] for row in rows])
        if rows:
            # MuJoCo takes these from masses, and scales its tolerance with the mean
            model.dof_invweight0[self._rates] = 1.0 / _INERTIA
            model.body_invweight0[model.dof_bodyid[self._rates]] = 0.0
            others = np.delete(model.dof_M0, self._rates)
            model.stat.meaninertia = others.mean() if len(others) else 1.0
        self.put_back()

    def __bool__(self) -> bool:
        return bool(len(self._places))

    def put_back(self) -> None:
        """Let belts start again."""
        self._qpos[self._places] = 0.0
        self._qvel[self._rates] = self._speeds
        self._warm[self._rates] = 0.0
