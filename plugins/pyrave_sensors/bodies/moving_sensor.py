"""Base of the sensors that depend on the motion of a body, and of their geometry."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from pyrave.authoring import PeriodicSensor
from pyrave.interfaces.sensor import UnresolvedName
from pyrave.sensing.data import SensorData
from pyrave.spatial import Array
from pyrave_sensors.bodies.disturbance import is_covariance
from pyrave_sensors.bodies.motion import (
    BodyMotion,
    FrameMotion,
    MotionHistory,
    Snapshot,
)
from pyrave_sensors.settings.fields import Conflict, schema_of, setting
from pyrave_sensors.settings.file_geometry import FileGeometry
from pyrave_sensors.tracks.history import ticks_of

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link

G = TypeVar("G", bound="MovingGeometry")
D = TypeVar("D", bound=SensorData)


@dataclass(frozen=True, repr=False)
class MovingGeometry(FileGeometry):
    """Encoders, force, inertial and tactile sensors, odometers, motors."""

    # fmt: off
    time_measurement: float = setting(
        0.0, "time_measurement measurement_time", example="0.01", least=0.0,
        unit="seconds", doc="between measurements; 0 is every step")
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return a covariance that is not positive semidefinite."""
        for one in schema_of(type(self)).own():
            if not one.name.endswith("_covariance"):
                continue
            if not is_covariance(getattr(self, one.name)):
                message = f"{one.name} is not symmetric without negative moments"
                return Conflict((one.name,), message)
        return None


def quantity(
    default: float, unit: str, doc: str, example: str, tags: str = "", **more: Any
) -> Any:
    """Return the setting of a number that is not negative."""
    bounds = {"least": 0.0, **more}
    return setting(default, tags, example=example, unit=unit, doc=doc, **bounds)


def three(unit: str, doc: str, example: str) -> Any:
    """Return the setting of three limits; 0 or less: not known."""
    return setting(
        np.zeros(3), example=example, unit=unit, shown="unknown",
        doc=f"{doc}; 0 or less is not known",
    )  # fmt: skip


def covariance(unit: str, doc: str = "of each measurement", size: int = 3) -> Any:
    """Return the setting of a covariance matrix."""
    return setting(
        np.zeros((size, size)), example="0" + " 0" * (size**2 - 1), shown="zeros",
        unit=f"({unit}) squared, row by row", doc=doc,
    )  # fmt: skip


def for_each(example: str, doc: str, **bounds: float) -> Any:
    """Return the setting of one number for all degrees of freedom, or one for each."""
    doc = f"{doc}, one number or one for each joint"
    unit = "radians or metres"
    return setting(
        np.empty(0), example=example, shown="none", unit=unit, doc=doc, **bounds
    )


def switch(doc: str) -> Any:
    """Return the setting of a switch that is off at first."""
    return setting(False, example="1", doc=doc)


class MovingSensor(PeriodicSensor[D], Generic[G, D]):
    """A sensor that depends on the motion of a body.

    It records a snapshot in each step while it is switched on.
    """

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.history = MotionHistory()
        self.step = 0.0
        """Length of the step that is being made, seconds; 0 outside of steps."""

    @abstractmethod
    def sample(self, stamp: float, pose: Array) -> D:
        """Return a measurement of now.

        Parameters
        ----------
        stamp
            Simulated time, seconds.
        pose
            (4, 4) T_world_sensor, not to be changed.
        """

    def measure(self) -> D:
        """Measure now, switched on or not; returns data of the caller's own."""
        return self.record(self.sample(self.env.simulation_time, self.transform))

    @property
    def geometry(self) -> G:
        """The geometry of the sensor, which are its settings."""
        made: G = self._part_settings
        return made

    @property
    def period(self) -> float:
        """Seconds between measurements; 0: every step measures."""
        return self.geometry.time_measurement

    def observed(self) -> KinBody | None:
        """Return the body whose motion counts: the carrying robot, if there is one."""
        mounting = self.mounting
        return None if mounting is None else mounting.robot

    @property
    def carrier(self) -> Link | None:
        """The link that carries the sensor, None if it stands alone."""
        mounting = self.mounting
        return None if mounting is None else mounting.link

    def joint_above(self) -> Joint | None:
        """Return the nearest joint that moves the carrying link; None: it's a base."""
        carrier = self.carrier
        if carrier is None:
            return None
        body, index = carrier.body, carrier.index
        while (above := int(body.model.parent_joint[index])) >= 0:
            if body.all_joints[above].dof:
                return body.all_joints[above]
            index = int(body.model.parent_link[index])
        return None

    def joints_named(self, names: str) -> tuple[Joint, ...]:
        """Return joints of the carrying robot; NotFoundError for unknown names."""
        body = self.observed()
        if body is None:
            return ()
        numbers = [body.model.joint_number(name) for name in names.split()]
        return tuple(body.all_joints[number] for number in numbers)

    def unknown_joints(self, names: str) -> tuple[UnresolvedName, ...]:
        """Return the names that `joints_named` does not find."""
        mounting = self.mounting
        alone = mounting is None
        known = () if mounting is None else mounting.robot.model.joint_names
        there = frozenset(known)
        hint = "attach it to a robot: joints are those of the robot that carries it"
        return tuple(
            UnresolvedName("joint", name, known, alone, hint if alone else "")
            for name in dict.fromkeys(names.split())
            if name not in there
        )

    @property
    def time(self) -> int:
        """Time of the present state, whole microseconds."""
        return ticks_of(self.env)

    def restart(self) -> None:
        """Forget the motion so far."""
        super().restart()
        self.history.clear()

    def simulation_step(self, dt: float) -> None:
        """Note the motion, and measure if it is time and the sensor is switched on."""
        if not self.is_on:
            return
        self.step = dt
        try:
            self.history.record(self.time, self.snapshot())
            self.advance(dt)
            super().simulation_step(dt)
        finally:
            self.step = 0.0

    def advance(self, dt: float) -> None:
        """Follow the motion between measurements; does nothing unless overridden."""

    def snapshot(self) -> Snapshot:
        """Return the present state of the observed body or frame."""
        body = self.observed()
        if body is None:
            return Snapshot.of_frame(self.transform)
        return Snapshot.from_body(body)

    def motion(self) -> BodyMotion:
        """Return the present motion of the observed body or frame.

        One that is off has not followed it, and knows given velocities only.
        """
        history = self.history if self.is_on else MotionHistory()
        return history.motion(self.snapshot(), self.observed())

    def motion_of(self, link: Link | None) -> FrameMotion:
        """Return the motion of a link's origin, or of the observed frame."""
        motion = self.motion()
        if link is None:
            return FrameMotion.of_twists(motion.velocity, motion.acceleration)
        velocities, accelerations = motion.of_links(link.body)
        return FrameMotion.of_twists(velocities[link.index], accelerations[link.index])

    def get_own_state(self) -> Any:
        """Return the snapshots, and the state of the sensor type."""
        return self.history.items, self.kept()

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        items, kept = state
        self.history = MotionHistory(items)
        self.keep(kept)

    def kept(self) -> Any:
        """Return the state between measurements; must pickle."""
        return None

    def keep(self, kept: Any) -> None:
        """Adopt the `kept` of a copy."""
