"""`KinBody.JointInfo`: what a joint is made of, as data."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pyrave_openravepy.api.bodies.infos.info import (
    Field,
    Info,
    array,
    inner,
    maps,
    plain,
    word,
)
from pyrave_openravepy.api.bodies.infos.motor_info import ElectricMotorActuatorInfo
from pyrave_openravepy.api.enums import JointControlMode, JointType

__all__ = [
    "JointControlInfo_ExternalDevice",
    "JointControlInfo_IO",
    "JointControlInfo_RobotController",
    "JointInfo",
    "axes_of_type",
]

_NONE = getattr(JointType, "None")
_WORDS = {
    "none": _NONE,
    "hinge": JointType.Hinge,
    "slider": JointType.Slider,
    "prismatic": JointType.Prismatic,
    "revolute": JointType.Revolute,
    "rr": JointType.RR,
    "rp": JointType.RP,
    "pr": JointType.PR,
    "pp": JointType.PP,
    "universal": JointType.Universal,
    "hinge2": JointType.Hinge2,
    "spherical": JointType.Spherical,
    "trajectory": JointType.Trajectory,
}
_MODES = {
    "None": JointControlMode.JCM_None,
    "RobotController": JointControlMode.JCM_RobotController,
    "IO": JointControlMode.JCM_IO,
    "ExternalDevice": JointControlMode.JCM_ExternalDevice,
}


class JointControlInfo_RobotController(Info):  # noqa: N801
    """A drive of a joint by a robot's controller."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("controllerType", "controllerType", ""),
        array("robotControllerAxisIndex", "robotControllerAxisIndex", (-1, -1, -1)),
        array("robotControllerAxisMult", "robotControllerAxisMult", (1, 1, 1)),
        array("robotControllerAxisOffset", "robotControllerAxisOffset", (0, 0, 0)),
        plain(
            "robotControllerAxisManufacturerCode",
            "robotControllerAxisManufacturerCode",
            ["", "", ""],
        ),
        plain(
            "robotControllerAxisProductCode",
            "robotControllerAxisProductCode",
            ["", "", ""],
        ),
    )


class JointControlInfo_IO(Info):  # noqa: N801
    """A drive of a joint by inputs and outputs."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("deviceType", "deviceType", ""),
        plain("moveIONames", "moveIONames", []),
        plain("upperLimitIONames", "upperLimitIONames", []),
        plain("upperLimitSensorIsOn", "upperLimitSensorIsOn", []),
        plain("lowerLimitIONames", "lowerLimitIONames", []),
        plain("lowerLimitSensorIsOn", "lowerLimitSensorIsOn", []),
    )


class JointControlInfo_ExternalDevice(Info):  # noqa: N801
    """The device that drives a joint."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("externalDeviceType", "externalDeviceType", ""),
    )


def _mimic_data(given: Any) -> Any:
    listed = [
        None if one is None else {"equations": [str(text) for text in one]}
        for one in given
    ]
    return listed if any(listed) else None


def _mimic_of(data: Any) -> Any:
    return [None if one is None else list(one["equations"]) for one in data]


def _axes_data(given: Any) -> Any:
    return [np.asarray(one, float).tolist() for one in given]


def _axes_of(data: Any) -> Any:
    return [np.array(one, float) for one in data]


def _upright() -> list[Any]:
    return [np.array((0.0, 0.0, 1.0)) for _ in range(3)]


class JointInfo(Info):
    """All that a joint is made of.

    Anchor and axes are in the frame of the first link.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        word("_type", "type", _NONE, _WORDS),
        plain("_linkname0", "parentLinkName", ""),
        plain("_linkname1", "childLinkName", ""),
        array("_vanchor", "anchors", (0, 0, 0)),
        Field("_vaxes", "axes", _upright, _axes_data, _axes_of),
        array("_vcurrentvalues", "currentValues", ()),
        array("_vresolution", "resolutions", (0.02, 0.02, 0.02)),
        array("_vmaxvel", "maxVel", (10, 10, 10)),
        array("_vhardmaxvel", "hardMaxVel", (0, 0, 0)),
        array("_vmaxaccel", "maxAccel", (50, 50, 50)),
        array("_vhardmaxaccel", "hardMaxAccel", (0, 0, 0)),
        array("_vmaxjerk", "maxJerk", (50000, 50000, 50000)),
        array("_vhardmaxjerk", "hardMaxJerk", (0, 0, 0)),
        array("_vmaxtorque", "maxTorque", (0, 0, 0)),
        array("_vmaxinertia", "maxInertia", (0, 0, 0)),
        array("_vweights", "weights", (1, 1, 1)),
        array("_voffsets", "offsets", (0, 0, 0)),
        array("_vlowerlimit", "lowerLimit", (0, 0, 0)),
        array("_vupperlimit", "upperLimit", (0, 0, 0)),
        Field("_trajfollow", "", lambda: None),
        Field("_vmimic", "mimics", lambda: [None] * 3, _mimic_data, _mimic_of),
        maps("_mapFloatParameters", "floatParameters"),
        maps("_mapIntParameters", "intParameters"),
        maps("_mapStringParameters", "stringParameters"),
        plain("_readableInterfaces", "", {}),
        plain("_bIsCircular", "isCircular", [False, False, False]),
        plain("_bIsActive", "isActive", True),
        inner("_infoElectricMotor", "electricMotorActuator", ElectricMotorActuatorInfo),
        word("_controlMode", "controlMode", JointControlMode.JCM_None, _MODES),
        inner(
            "_jci_robotcontroller", "robotController", JointControlInfo_RobotController
        ),
        inner("_jci_io", "io", JointControlInfo_IO),
        inner("_jci_externaldevice", "externalDevice", JointControlInfo_ExternalDevice),
    )

    def GetDOF(self) -> int:
        return axes_of_type(self._type)


def axes_of_type(kind: int) -> int:
    """Return the number of axes of a type of joints."""
    special = {
        int(JointType.Universal): 2,
        int(JointType.Hinge2): 2,
        int(JointType.Spherical): 3,
        int(JointType.Trajectory): 1,
    }
    return special.get(int(kind), int(kind) & 0xF)
