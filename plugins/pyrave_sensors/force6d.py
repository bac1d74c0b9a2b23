"""Force-torque sensors: the wrench that a joint transmits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotSupportedError, Problem, Severity
from pyrave.interfaces.commands import command
from pyrave.sensing.data import Force6DData
from pyrave.spatial import Array
from pyrave_sensors.bodies.disturbance import quantised, saturated, white
from pyrave_sensors.bodies.loads import carried_links, link_loads, load_at
from pyrave_sensors.bodies.motion import cross
from pyrave_sensors.bodies.moving_sensor import (
    MovingGeometry,
    MovingSensor,
    quantity,
    three,
)
from pyrave_sensors.settings.fields import setting

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.views.joint import Joint


@dataclass(frozen=True, repr=False)
class Force6DGeometry(MovingGeometry):
    """Response of a force-torque sensor: limits, resolution, calibration."""

    title = "a force sensor"

    # fmt: off
    polarity: int = setting(
        1, example="1", choices=(1, -1), doc="1 shows the load, -1 the reaction")
    correction_matrix: Array = setting(
        np.eye(6), shown="unit matrix",
        example=" ".join(map(str, np.eye(6, dtype=int).ravel())),
        doc="36 numbers; multiplies force and torque last")
    load_range_force: Array = three(
        "N", "where it saturates", "200 200 400")
    load_range_torque: Array = three(
        "N m", "where it saturates", "10 10 10")
    load_resolution_force: Array = three(
        "N", "to which it rounds", "0.1 0.1 0.2")
    load_resolution_torque: Array = three(
        "N m", "to which it rounds", "0.01 0.01 0.01")
    load_capacity_range_force: Array = three(
        "N", "where it breaks", "1000 1000 2000")
    load_capacity_range_torque: Array = three(
        "N m", "where it breaks", "50 50 50")
    force_sigma: float = quantity(0.0, "N", "standard deviation of the noise", "0.05")
    torque_sigma: float = quantity(
        0.0, "N m", "standard deviation of the noise", "0.002")
    # fmt: on


class BaseForce6D(MovingSensor[Force6DGeometry, Force6DData]):
    """Measure what hangs on the carrying link: force and torque through its joint.

    The load is the weight and inertia of the carrying link, of all links behind it in
    the spanning tree and of what they hold, about the sensor's origin and in its axes.
    With a physics engine that knows joint forces they are taken instead. A
    stand-alone sensor carries nothing and shows zero.

    In this order: the capacity is checked (a sensor that breaks reports a problem once
    and says so in its data from then on, until the command ``Repair``), ``polarity``
    gives the sign, noise is added, the range clips, the resolution
    rounds, and ``correction_matrix`` multiplies.

    XML tags: see `Force6DGeometry`.
    """

    contract = 2
    settings_type = Force6DGeometry
    data_type = Force6DData

    def __init__(self, env: Environment, *args: str) -> None:
        self._broken = False
        super().__init__(env, *args)

    @command(name="Repair")
    def repair(self) -> bool:
        """Make a broken sensor whole again."""
        self._broken = False
        return True

    def sample(self, stamp: float, pose: Array) -> Force6DData:
        """Measure the load."""
        g = self.geometry
        load = self._load(pose)
        capacity = (g.load_capacity_range_force, g.load_capacity_range_torque)
        self._check_capacity(load, np.concatenate(capacity))
        sigmas = np.repeat((g.force_sigma, g.torque_sigma), 3)
        shown = g.polarity * load + white(self.random, sigmas, 6)
        ranges = np.concatenate((g.load_range_force, g.load_range_torque))
        steps = np.concatenate((g.load_resolution_force, g.load_resolution_torque))
        shown, beyond = saturated(shown, ranges)
        shown = g.correction_matrix @ quantised(shown, steps)
        return Force6DData(
            stamp, pose.copy(), shown[:3], shown[3:], beyond, self._broken
        )

    def _load(self, pose: Array) -> Array:
        """Return the load (6,) on the sensor, in its axes."""
        link = self.carrier
        if link is None:
            return np.zeros(6)
        body, origin = link.body, pose[:3, 3]
        above = int(body.model.parent_joint[link.index])
        wrench = None
        if above >= 0:
            wrench = self._from_physics(body.all_joints[above], origin)
        if wrench is None:
            loads = link_loads(body, self.motion(), self.env.gravity)
            wrench = load_at(body, loads, carried_links(body, link.index), origin)
        turn = pose[:3, :3].T
        return np.concatenate((turn @ wrench[:3], turn @ wrench[3:]))

    def _from_physics(self, joint: Joint, origin: Array) -> Array | None:
        """Return the load about the sensor, world axes, if a physics engine knows it.

        What the engine gives acts on the child link, at the anchor: its opposite is
        the load.
        """
        try:
            found = self.env.physics_engine.get_joint_force_torque(joint)
        except NotSupportedError:
            return None
        load = -np.asarray(found, dtype=np.float64)
        load[3:] += cross(joint.anchor - origin, load[:3])
        return load

    def _check_capacity(self, load: Array, capacity: Array) -> None:
        beyond = saturated(load, capacity)[1]
        if self._broken or not beyond.any():
            return
        self._broken = True
        k = int(np.argmax(beyond))
        axis = "force" if k < 3 else "torque"
        unit = "N" if k < 3 else "N m"
        self.env.report_problem(
            Problem(
                Severity.WARNING,
                f"{self!r} is broken: its {axis} about {'xyz'[k % 3]} is "
                f"{load[k]:g} {unit}, it withstands {capacity[k]:g} {unit}",
                hint="the command Repair makes it whole again",
                code="sensor-broken",
            )
        )

    def kept(self) -> Any:
        """Return True if it is broken."""
        return self._broken

    def keep(self, kept: Any) -> None:
        """Adopt whether a copy is broken."""
        self._broken = kept
