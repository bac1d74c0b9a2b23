"""Actuators: torque, current and temperature of the motor of a joint."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.sensing.data import ActuatorData, ActuatorState
from pyrave_sensors.bodies.disturbance import quantised, white
from pyrave_sensors.bodies.loads import joint_loads, link_loads
from pyrave_sensors.bodies.motors import (
    SHARED,
    STANDING,
    Motor,
    described_motor,
)
from pyrave_sensors.bodies.moving_sensor import MovingGeometry, MovingSensor, quantity
from pyrave_sensors.settings.fields import setting

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.views.joint import Joint
    from pyrave.interfaces.sensor import UnresolvedName
    from pyrave.spatial import Array


@dataclass(frozen=True, repr=False)
class ActuatorGeometry(MovingGeometry):
    """A motor and its gear; 0: the value of the joint's own motor, or unknown."""

    title = "an actuator"

    # fmt: off
    joint: str = setting(
        "", example="joint0", shown="the joint above",
        doc="has one degree of freedom")
    maximum_torque: float = quantity(
        0.0, "N m, N", "at the joint", "20", "maxtorque maximum_torque",
        shown="unknown")
    maximum_current: float = quantity(
        0.0, "A", "of the motor", "5", "maxcurrent maximum_current",
        shown="the joint's starting_current")
    nominal_current: float = quantity(
        0.0, "A", "kept", "2", "nominalcurrent nominal_current", shown="unknown")
    maximum_velocity: float = quantity(
        0.0, "rad/s, m/s", "kept", "3", "maxvelocity maximum_velocity", shown="unknown")
    maximum_acceleration: float = quantity(
        0.0, "rad/s2, m/s2", "kept", "10", "maxacceleration maximum_acceleration",
        shown="unknown")
    maximum_jerk: float = quantity(
        0.0, "rad/s3, m/s3", "kept", "100", "maxjerk maximum_jerk", shown="unknown")
    static_friction: float = quantity(
        0.0, "N m, N", "at the joint", "0.5", "staticfriction static_friction",
        shown="the joint's coloumb_friction")
    viscous_friction: float = quantity(
        0.0, "N m s/rad, N s/m", "at the joint", "0.1",
        "viscousfriction viscous_friction", shown="the joint's")
    gear_ratio: float = quantity(
        0.0, "turns of the motor by turns of the joint", "of the gear", "100",
        shown="the joint's, or 1")
    torque_constant: float = quantity(
        0.0, "N m/A", "maximum torque by maximum current if nothing is known", "0.0552",
        shown="the joint's")
    rotor_inertia: float = quantity(
        0.0, "kg m2", "of the motor", "2.3e-6", shown="the joint's")
    terminal_resistance: float = quantity(
        0.0, "ohms", "of the windings", "41.5", shown="the joint's")
    nominal_voltage: float = quantity(
        0.0, "volts", "with the resistance it limits the torque by the speed", "24",
        shown="the joint's")
    thermal_resistance: float = quantity(
        0.0, "K/W", "from the windings to the surroundings", "10")
    thermal_time_constant: float = quantity(
        0.0, "seconds", "of the windings; 0: they stay at the surroundings'", "300")
    ambient_temperature: float = quantity(
        25.0, "degrees Celsius", "of the surroundings", "25", least=-273.15)
    current_resolution: float = quantity(0.0, "A", "step of measured currents", "0.01")
    current_sigma: float = quantity(0.0, "A", "standard deviation", "0.005")
    # fmt: on


class BaseActuator(MovingSensor[ActuatorGeometry, ActuatorData]):
    """Measure current and temperature of the motor that moves a joint.

    The joint is ``joint`` or the one that moves the carrying link, and must have one
    degree of freedom. Its torque is what a physics engine pushed the joint with in the
    last step, on average. Where nothing did it is what inverse dynamics asks for at the
    present motion (with what the robot holds), plus friction (Coulomb friction while it
    moves, viscous), plus what the rotor's inertia needs. The motor gives it up to
    ``maximum_torque`` and ``maximum_current``, and up to what ``nominal_voltage``
    drives through its windings at its speed; by gear ratio and torque constant that is
    the applied current. The measured one has noise, and is rounded to
    ``current_resolution``.

    Values that the sensor lacks come from the joint's ``<actuator>``: gear_ratio,
    torque_constant, rotor_inertia, terminal_resistance, nominal_voltage,
    coloumb_friction, viscous_friction, and starting_current as the maximum. Without any
    torque constant it is maximum_torque by maximum_current; if that is not known
    either, currents are NaN.

    The temperature begins at the surroundings' when the sensor is switched on, and with
    thermal resistance and time constant follows the heat of the windings.

    State: idle while the joint stands, moving while it moves, stalled while the motor
    gives less than is needed and the joint stands, undefined without a joint.

    XML tags: see `ActuatorGeometry`.
    """

    contract = 2
    settings_type = ActuatorGeometry
    data_type = ActuatorData

    def __init__(self, env: Environment, *args: str) -> None:
        # how much warmer than its surroundings the motor is, K
        self._excess = 0.0
        super().__init__(env, *args)

    def restart(self) -> None:
        """Forget the motion so far; the motor is cold."""
        super().restart()
        self._excess = 0.0

    @property
    def joint(self) -> Joint | None:
        """The driven joint; None if there is none.

        Raises
        ------
        ArgumentError
            It has not one degree of freedom of its own.
        """
        named = self.joints_named(self.geometry.joint)
        joint = named[0] if named else self.joint_above()
        if joint is not None and (joint.dof != 1 or not joint.active):
            raise ArgumentError(
                f"{self!r} measures the motor of {joint!r}, which has {joint.dof} "
                "degrees of freedom and "
                + ("is active" if joint.active else "is passive")
                + "; expected an active joint with one"
            )
        return joint

    def unresolved_names(self) -> tuple[UnresolvedName, ...]:
        """Return the joint whose motor it shall measure if it does not find it."""
        return self.unknown_joints(self.geometry.joint)

    def advance(self, dt: float) -> None:
        """Heat the motor."""
        g, joint = self.geometry, self.joint
        if joint is None or g.thermal_time_constant == 0:
            return
        motor = motor_of(g, joint)
        current = motor.current_of(motor.limited(*self._needed(joint, motor)))
        self._excess = motor.heated(self._excess, current, dt)

    def sample(self, stamp: float, pose: Array) -> ActuatorData:
        """Measure the motor."""
        g, joint = self.geometry, self.joint
        data = ActuatorData(stamp, pose.copy())
        data.measured_temperature = g.ambient_temperature + self._excess
        error = white(self.random, g.current_sigma, 1)
        if joint is None:
            return data
        motor = motor_of(g, joint)
        needed, rate = self._needed(joint, motor)
        data.torque = motor.limited(needed, rate)
        data.applied_current = motor.current_of(data.torque)
        shown = data.applied_current + error
        data.measured_current = float(quantised(shown, g.current_resolution)[0])
        weak = not math.isclose(needed, data.torque, rel_tol=1e-9, abs_tol=1e-12)
        data.state = _state(moving=abs(rate) > STANDING, weak=weak)
        return data

    def _needed(self, joint: Joint, motor: Motor) -> tuple[float, float]:
        """Return the torque that moves or holds a joint, and the joint's rate."""
        motion, k = self.motion(), joint.dof_index
        rate, acceleration = float(motion.rates[k]), float(motion.accelerations[k])
        pushed = self._pushed(joint)
        if pushed:
            return pushed, rate
        loads = link_loads(joint.body, motion, self.env.gravity)
        load = float(joint_loads(joint.body, loads)[k])
        return motor.torque(load, rate, acceleration), rate

    def _pushed(self, joint: Joint) -> float:
        """Return the physics engine's effort at a joint, 0 where it has none."""
        try:
            efforts = self.env.physics_engine.get_joint_efforts(joint.body)
        except NotSupportedError:
            return 0.0
        return float(efforts[joint.dof_index])

    def kept(self) -> Any:
        """Return the excess temperature of the motor, K."""
        return self._excess

    def keep(self, kept: Any) -> None:
        """Adopt the temperature of a copy."""
        self._excess = kept


def _state(*, moving: bool, weak: bool) -> ActuatorState:
    if moving:
        return ActuatorState.MOVING
    return ActuatorState.STALLED if weak else ActuatorState.IDLE


def motor_of(geometry: ActuatorGeometry, joint: Joint) -> Motor:
    """Return the motor that a sensor describes, completed by the joint's own one."""
    values = {name: getattr(geometry, name) for name in SHARED}
    own = described_motor(joint)
    known = {name: value or own.get(name, 0.0) for name, value in values.items()}
    known["gear_ratio"] = known["gear_ratio"] or 1.0
    motor = Motor(**known, maximum_torque=geometry.maximum_torque)
    if motor.torque_constant or not (motor.maximum_torque and motor.maximum_current):
        return motor
    per_current = motor.maximum_torque / motor.maximum_current
    return replace(motor, torque_constant=per_current / motor.gear_ratio)
