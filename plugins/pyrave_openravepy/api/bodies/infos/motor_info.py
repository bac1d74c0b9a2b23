"""`ElectricMotorActuatorInfo`: the motor of a joint, as data."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pyrave.scene import Readable, XmlElement, XmlReadable
from pyrave_openravepy.api.bodies.infos.info import Field, Info, number, plain

__all__ = ["ElectricMotorActuatorInfo", "actuator_of", "motor_of"]

_NUMBERS = {
    "assigned_power_rating": "assignedPowerRating",
    "max_speed": "maxSpeed",
    "no_load_speed": "noLoadSpeed",
    "stall_torque": "stallTorque",
    "max_instantaneous_torque": "maxInstantaneousTorque",
    "nominal_torque": "nominalTorque",
    "rotor_inertia": "rotorInertia",
    "torque_constant": "torqueConstant",
    "nominal_voltage": "nominalVoltage",
    "speed_constant": "speedConstant",
    "starting_current": "startingCurrent",
    "terminal_resistance": "terminalResistance",
    "gear_ratio": "gearRatio",
    "coloumb_friction": "coloumbFriction",
    "viscous_friction": "viscousFriction",
}
_POINTS = {
    "nominal_speed_torque_points": "nominalSpeedTorquePoints",
    "max_speed_torque_points": "maxSpeedTorquePoints",
}


class ElectricMotorActuatorInfo(Info):
    """The motor of a joint; names are those of ``<actuator>``."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("model_type", "modelType", ""),
        *(number(name, key) for name, key in _NUMBERS.items()),
        *(plain(name, key, []) for name, key in _POINTS.items()),
    )


def motor_of(actuator: Readable | None) -> ElectricMotorActuatorInfo | None:
    """Return the motor that the actuator of a joint describes, None without."""
    if not isinstance(actuator, XmlReadable):
        return None
    info = ElectricMotorActuatorInfo()
    for child in actuator.element.children:
        tag, text = child.tag.lower(), child.text.strip()
        if tag in _NUMBERS and text:
            setattr(info, tag, float(text.split()[0]))
        elif tag in _POINTS or f"{tag}s" in _POINTS:
            name = tag if tag in _POINTS else f"{tag}s"
            pairs = np.array(text.split(), float).reshape(-1, 2)
            getattr(info, name).extend(tuple(pair) for pair in pairs.tolist())
        elif tag == "model_type":
            info.model_type = text
    return info


def actuator_of(info: ElectricMotorActuatorInfo | None) -> Readable | None:
    """Return the actuator that a motor is in a description."""
    if info is None:
        return None
    children = [XmlElement("model_type", text=str(info.model_type))]
    children += [
        XmlElement(name, text=repr(float(getattr(info, name)))) for name in _NUMBERS
    ]
    for name in _POINTS:
        # files have an element for each point
        children += [
            XmlElement(name[:-1], text=f"{float(speed)!r} {float(torque)!r}")
            for speed, torque in getattr(info, name)
        ]
    kind = (("type", "electric_motor"),)
    return XmlReadable(XmlElement("actuator", kind, children=tuple(children)))
