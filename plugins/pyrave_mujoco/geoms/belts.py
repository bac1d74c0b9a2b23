"""Moving surfaces: conveyors, and bodies that carry others as they are placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import matrix_from_axis_angle, quat_from_matrix
from pyrave_mujoco.bodies.plan import MASSLESS
from pyrave_mujoco.library import mujoco

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array

_INERTIA = 1e4
"""Mass of a belt, kg: 1 kN slows it by 0.2 mm/s; 1e6 makes the solver inexact."""


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
    """Add a body that moves in all directions to a link, for its geoms; return it.

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
class BeltSurface:
    """Indices of a belt or a carrier in the arrays of MuJoCo.

    Parameters
    ----------
    place, rate
        Its first row in `qpos` and in `qvel`.
    velocity
        Of the surface: m/s of a belt along its axis, (3,) of a carrier.
    mocap
        Row of the link of a carrier in `mocap_pos`, -1 where something holds it.
    """

    place: int
    rate: int
    velocity: tuple[float, ...]
    mocap: int = -1

    @property
    def carries(self) -> bool:
        """True for a carrier, False for a belt."""
        return len(self.velocity) > 1


@dataclass(frozen=True, slots=True, eq=False)
class _Sweep:
    """A link on its way to where it was put.

    Parameters
    ----------
    surface
        Its carrier.
    row
        Of that in the velocities of all.
    velocity
        (6,) linear, m/s, and angular, rad/s, in the axes of the link at the end.
    position, rotation
        (3,) and (3, 3): where it ends.
    """

    surface: BeltSurface
    row: int
    velocity: Array
    position: Array
    rotation: Array


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
        self, model: Any, data: Any, rows: Sequence[tuple[KinBody, int, BeltSurface]]
    ) -> None:
        self._qpos, self._qvel = data.qpos, data.qvel
        self._warm = data.qacc_warmstart
        self._positions, self._quats = data.mocap_pos, data.mocap_quat
        self._sweeps: list[_Sweep] = []
        places: list[int] = []
        rates: list[int] = []
        home: list[float] = []
        speeds: list[float] = []
        self._carriers: dict[KinBody, list[tuple[int, int, BeltSurface]]] = {}
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
        """Let links arrive with velocities (n_links, 6) in their axes, others rest.

        The data have the links where they arrive; `sweep` puts them on their way.
        """
        self._sweeps.clear()
        for body, rows in self._carriers.items():
            moving = velocities.get(body)
            for link, row, one in rows:
                own = np.concatenate((one.velocity, np.zeros(3)))
                self._speeds[row : row + 6] = own
                if moving is None or not moving[link].any():
                    continue
                self._speeds[row : row + 6] += moving[link]
                pose = body.transforms_view[link]
                position, rotation = pose[:3, 3].copy(), pose[:3, :3].copy()
                self._sweeps.append(_Sweep(one, row, moving[link], position, rotation))
        if self._carriers:
            self.put_back()

    def sweep(self, left: float) -> None:
        """Put links where they are some seconds before they arrive.

        A link turns and moves at constant velocities of the world: from the end back
        in time by ``exp(-w t)`` in its own axes, and by ``-v t``.
        """
        for one in self._sweeps:
            linear, angular = one.velocity[:3], one.velocity[3:]
            back = matrix_from_axis_angle(-left * angular)
            rows = slice(one.row, one.row + 3)
            self._speeds[rows] = one.surface.velocity + linear @ back
            row = one.surface.mocap
            if row >= 0:
                position = one.position - left * (one.rotation @ linear)
                self._positions[row] = position
                self._quats[row] = quat_from_matrix(one.rotation @ back)
        if self._sweeps:
            self._qvel[self._rates] = self._speeds

    def put_back(self) -> None:
        """Let belts start again."""
        if not self:
            return
        self._qpos[self._places] = self._home
        self._qvel[self._rates] = self._speeds
        self._warm[self._rates] = 0.0
