"""Electric motors: torque, current and heat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.bodies.views.joint import Joint

# The seed's tags of an <actuator> and the fields of a motor. Its gear makes turns of
# the joint from turns of the motor, its frictions act behind the gear.
_TAGS = {
    "gear_ratio": "gear_ratio",
    "torque_constant": "torque_constant",
    "rotor_inertia": "rotor_inertia",
    "terminal_resistance": "terminal_resistance",
    "nominal_voltage": "nominal_voltage",
    "starting_current": "maximum_current",
    "coloumb_friction": "static_friction",
    "viscous_friction": "viscous_friction",
}
SHARED = (*_TAGS.values(), "thermal_resistance", "thermal_time_constant")
"""Fields of a motor that a joint, or the geometry of a sensor, says."""
# Slower than this a joint counts as standing, rad/s or m/s
STANDING = 1e-6


@dataclass(frozen=True, slots=True)
class Motor:
    """A motor behind a gear, as an actuator names it; 0: not known.

    The gear loses nothing; the rotor's inertia counts at the joint by the square of
    the gear ratio.
    """

    gear_ratio: float = 1.0
    torque_constant: float = 0.0
    rotor_inertia: float = 0.0
    terminal_resistance: float = 0.0
    nominal_voltage: float = 0.0
    maximum_torque: float = 0.0
    maximum_current: float = 0.0
    static_friction: float = 0.0
    viscous_friction: float = 0.0
    thermal_resistance: float = 0.0
    thermal_time_constant: float = 0.0

    def torque(self, load: float, rate: float, acceleration: float) -> float:
        """Return the torque at the joint that the motor needs for a motion.

        Parameters
        ----------
        load
            What the joint needs without motor and friction, N m or N.
        """
        # powers of huge floats raise, products do not
        square = self.gear_ratio * self.gear_ratio
        turning = square * self.rotor_inertia * acceleration
        rubbing = self.viscous_friction * rate
        if abs(rate) > STANDING:
            rubbing += math.copysign(self.static_friction, rate)
        return load + turning + rubbing

    def limited(self, torque: float, rate: float) -> float:
        """Return the part of a torque that the motor can give at a joint that moves.

        What the windings induce, torque constant times speed, is missing of the
        voltage that drives a current through them.
        """
        limit = self.maximum_torque or math.inf
        if self.maximum_current and self.torque_constant:
            limit = min(limit, self.torque_of(self.maximum_current))
        if self.nominal_voltage and self.terminal_resistance and self.torque_constant:
            induced = self.torque_constant * self.gear_ratio * rate
            most, least = (
                self.torque_of((volts - induced) / self.terminal_resistance)
                for volts in (self.nominal_voltage, -self.nominal_voltage)
            )
            torque = max(least, min(torque, most))
        return max(-limit, min(torque, limit))

    def torque_of(self, current: float) -> float:
        """Return the torque at the joint of a current."""
        return current * self.torque_constant * self.gear_ratio

    def current_of(self, torque: float) -> float:
        """Return the current of a torque at the joint; NaN if it is not known."""
        by_current = self.torque_of(1.0)
        return torque / by_current if by_current > 0 else math.nan

    def heated(self, excess: float, current: float, dt: float) -> float:
        """Return the motor's temperature over its surroundings after a time.

        One thermal mass that the windings heat with I^2 R: the exact solution for a
        constant current.

        Parameters
        ----------
        excess
            How much warmer it is before, K.
        """
        power = current * current * self.terminal_resistance
        if not math.isfinite(power) or self.thermal_time_constant <= 0:
            return excess
        final = power * self.thermal_resistance
        return final + (excess - final) * math.exp(-dt / self.thermal_time_constant)


def described_motor(joint: Joint) -> dict[str, float]:
    """Return the values of the ``<actuator>`` of a joint, by the names of `Motor`."""
    actuator = joint.description.actuator
    element = None if actuator is None else actuator.to_xml()
    found: dict[str, float] = {}
    for child in () if element is None else element.children:
        name = _TAGS.get(child.tag.lower())
        if name is None:
            continue
        try:
            value = float(child.text)
        except ValueError:
            continue  # reported by the file's reader
        if math.isfinite(value) and value > 0:
            found[name] = value
    return found
