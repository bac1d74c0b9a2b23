"""Surfaces that move what touches them: of conveyors, and of what is put elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_mujoco.bodies.plan import MASSLESS
from pyrave_mujoco.library import mujoco

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array

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


def add_carrier(link: Any, name: str) -> Any:
    """Return what moves in all directions in a link of a specification, for its geoms.

    As a belt, for links that are put elsewhere in each step.
    """
    kinds = mujoco().mjtJoint
    carrier = link.add_body()
    carrier.name = name
    carrier.mass, carrier.inertia = MASSLESS, np.full(3, MASSLESS)
    carrier.explicitinertial = True
    for axis in np.eye(3):
        joint = carrier.add_joint()
        joint.type, joint.axis, joint.armature = kinds.mjJNT_SLIDE, axis, _INERTIA
    joint = carrier.add_joint()
    joint.type, joint.armature = kinds.mjJNT_BALL, _INERTIA
    return carrier


@dataclass(frozen=True, slots=True)
class Surface:
    """Where a belt or a carrier is in the arrays of MuJoCo.

    Parameters
    ----------
    place, rate
        Its first row in `qpos` and in `qvel`.
    velocity
        Of the surface: m/s of a belt along its axis, (3,) of a carrier.
    """

    place: int
    rate: int
    velocity: tuple[float, ...]

    @property
    def carries(self) -> bool:
        """Whether it is a carrier."""
        return len(self.velocity) > 1


class Belts:
    """Keeps belts and carriers at their places and velocities.

    Parameters
    ----------
    model, data
        MuJoCo's; what the solver goes by is made right in the model.
    rows
        Of each its body, link and place.
    """

    def __init__(
        self, model: Any, data: Any, rows: Sequence[tuple[KinBody, int, Surface]]
    ) -> None:
        self._qpos, self._qvel = data.qpos, data.qvel
        self._warm = data.qacc_warmstart
        places: list[int] = []
        rates: list[int] = []
        home: list[float] = []
        speeds: list[float] = []
        self._carriers: dict[KinBody, list[tuple[int, int, Surface]]] = {}
        for body, link, one in rows:
            if one.carries:
                known = self._carriers.setdefault(body, [])
                known.append((link, len(rates), one))
            count = 6 if one.carries else 1
            rates += range(one.rate, one.rate + count)
            places += range(one.place, one.place + (7 if one.carries else 1))
            home += [0.0] * 3 + [1.0] + [0.0] * 3 if one.carries else [0.0]
            speeds += [*one.velocity, *[0.0] * (count - len(one.velocity))]
        self._places = np.array(places, np.int64)
        self._rates = np.array(rates, np.int64)
        self._home, self._speeds = np.array(home), np.array(speeds)
        if rows:
            # MuJoCo takes these from masses, and scales its tolerance with the mean
            model.dof_invweight0[self._rates] = 1.0 / _INERTIA
            model.body_invweight0[model.dof_bodyid[self._rates]] = 0.0
            others = np.delete(model.dof_M0, self._rates)
            model.stat.meaninertia = others.mean() if len(others) else 1.0
        self.put_back()

    def __bool__(self) -> bool:
        return bool(len(self._places))

    def carry(self, velocities: Mapping[KinBody, Array]) -> None:
        """Let links have velocities (n_links, 6) in their axes, and others none."""
        for body, rows in self._carriers.items():
            moving = velocities.get(body)
            for link, row, one in rows:
                own = np.concatenate((one.velocity, np.zeros(3)))
                if moving is not None:
                    own += moving[link]
                self._speeds[row : row + 6] = own
        if self._carriers:
            self.put_back()

    def put_back(self) -> None:
        """Let belts start again."""
        self._qpos[self._places] = self._home
        self._qvel[self._rates] = self._speeds
        self._warm[self._rates] = 0.0
