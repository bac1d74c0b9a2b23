"""Infos of robots: manipulators, attached sensors, grippers and connected bodies."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import pyrave
from pyrave.scene import (
    AttachedSensorDescription,
    GripperDescription,
    ManipulatorDescription,
    Pose,
)
from pyrave_openravepy.api.bodies.infos.body_info import KinBodyInfo
from pyrave_openravepy.api.bodies.infos.info import (
    Field,
    Info,
    array,
    infos,
    plain,
    pose,
)
from pyrave_openravepy.api.bodies.infos.joint_info import JointInfo
from pyrave_openravepy.api.bodies.infos.link_info import LinkInfo
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = [
    "AttachedSensorInfo",
    "ConnectedBodyInfo",
    "GripperInfo",
    "ManipulatorInfo",
    "RobotBaseInfo",
    "described_gripper",
    "described_manipulator",
    "gripper_info",
    "kept_of",
    "manipulator_info",
    "mount_sensor",
    "sensor_info",
]

_KEPT = {
    "gripper": "_grippername",
    "tool changer": "_toolChangerConnectedBodyToolName",
    "tool changer link": "_toolChangerLinkName",
    "grasp sets": "_vRestrictGraspSetNames",
}
"""Attributes without a place in descriptions of pyrave, by the key that keeps them."""


class ManipulatorInfo(Info):
    """The data of a manipulator."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        plain("_sBaseLinkName", "baseLinkName", ""),
        plain("_sIkChainEndLinkName", "ikChainEndLinkName", ""),
        plain("_sEffectorLinkName", "effectorLinkName", ""),
        pose("_tLocalTool", "transform"),
        array("_vChuckingDirection", "chuckingDirections", ()),
        array("_vdirection", "direction", (0, 0, 1)),
        plain("_sIkSolverXMLId", "ikSolverType", ""),
        plain("_vGripperJointNames", "gripperJointNames", []),
        plain("_grippername", "grippername", ""),
        plain(
            "_toolChangerConnectedBodyToolName", "toolChangerConnectedBodyToolName", ""
        ),
        plain("_toolChangerLinkName", "toolChangerLinkName", ""),
        plain("_vRestrictGraspSetNames", "restrictGraspSetNames", []),
    )

    @property
    def _vClosingDirection(self) -> Any:
        """The name of earlier versions."""
        return self._vChuckingDirection

    @_vClosingDirection.setter
    def _vClosingDirection(self, signs: Any) -> None:
        self._vChuckingDirection = np.array(signs, dtype=np.float64)


class AttachedSensorInfo(Info):
    """The data of an attached sensor."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        plain("_linkname", "linkName", ""),
        pose("_trelative", "transform"),
        plain("_sensorname", "type", ""),
        plain("_referenceAttachedSensorName", "referenceAttachedSensorName", ""),
        plain("_sensorMaker", "sensorMaker", ""),
        plain("_sensorModel", "sensorModel", ""),
        Field("_sensorgeometry", "", lambda: None),
    )


class GripperInfo(Info):
    """The data of a gripper, for the manipulators that name it."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        plain("_grippertype", "grippertype", ""),
        plain("_gripperJointNames", "gripperJointNames", []),
    )


class ConnectedBodyInfo(Info):
    """A body, a tool for example, that may be connected to a link of a robot."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        plain("_linkname", "linkName", ""),
        plain("_uri", "uri", ""),
        pose("_trelative", "transform"),
        infos("_linkInfos", "links", LinkInfo),
        infos("_jointInfos", "joints", JointInfo),
        infos("_manipulatorInfos", "tools", ManipulatorInfo),
        infos("_attachedSensorInfos", "attachedSensors", AttachedSensorInfo),
        infos("_gripperInfos", "gripperInfos", GripperInfo),
        plain("_bIsActive", "isActive", -1),
    )


class RobotBaseInfo(KinBodyInfo):
    """The data of a robot: a body with manipulators, sensors and grippers."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        *KinBodyInfo.FIELDS,
        infos("_vManipulatorInfos", "tools", ManipulatorInfo),
        infos("_vAttachedSensorInfos", "attachedSensors", AttachedSensorInfo),
        infos("_vConnectedBodyInfos", "connectedBodies", ConnectedBodyInfo),
        infos("_vGripperInfos", "gripperInfos", GripperInfo),
    )


def described_manipulator(info: Any) -> ManipulatorDescription:
    """Return pyrave's description of the info of a manipulator."""
    if not isinstance(info, ManipulatorInfo):
        raise openrave_exception(
            f"the manipulator is {info!r}, expected a Robot.ManipulatorInfo",
            ErrorCode.InvalidArguments,
        )
    x, y, z = np.ravel(np.asarray(info._vdirection, dtype=np.float64)).tolist()
    length = float(np.sqrt(x * x + y * y + z * z)) or 1.0
    signs = np.sign(np.ravel(np.asarray(info._vChuckingDirection, dtype=np.float64)))
    return ManipulatorDescription(
        str(info._name),
        str(info._sBaseLinkName),
        str(info._sEffectorLinkName),
        Pose.from_matrix(matrix_of(info._tLocalTool)),
        (x / length, y / length, z / length),
        tuple(str(name) for name in info._vGripperJointNames),
        tuple(signs.tolist()),
        str(info._sIkSolverXMLId),
    )


def described_gripper(info: Any) -> GripperDescription:
    """Return pyrave's description of the info of a gripper."""
    if not isinstance(info, GripperInfo):
        raise openrave_exception(
            f"the gripper is {info!r}, expected a Robot.GripperInfo",
            ErrorCode.InvalidArguments,
        )
    return GripperDescription(
        str(info._name),
        str(info._grippertype),
        tuple(str(name) for name in info._gripperJointNames),
    )


def gripper_info(known: GripperDescription) -> GripperInfo:
    """Return the info of a gripper of pyrave."""
    info = GripperInfo()
    info._id = info._name = known.name
    info._grippertype = known.kind
    info._gripperJointNames = list(known.joints)
    return info


def kept_of(info: ManipulatorInfo) -> dict[str, Any]:
    """Return all that an info says beyond pyrave's description."""
    return {key: getattr(info, name) for key, name in _KEPT.items()}


def manipulator_info(native: pyrave.Manipulator, kept: Any) -> ManipulatorInfo:
    """Return the info of a manipulator of pyrave.

    Parameters
    ----------
    kept
        What `kept_of` returned when it was made of an info, or nothing.
    """
    info, known = ManipulatorInfo(), native.description
    info._id = info._name = known.name
    info._sBaseLinkName = known.base
    info._sEffectorLinkName = info._sIkChainEndLinkName = known.end_effector
    info._tLocalTool = np.array(native.local_tool_transform)
    info._vdirection = np.array(native.direction)
    info._vChuckingDirection = np.array(native.chucking_direction)
    info._vGripperJointNames = list(known.gripper_joints)
    info._sIkSolverXMLId = known.ik_solver
    for key, value in dict(kept).items():
        setattr(info, _KEPT[key], value)
    return info


def mount_sensor(robot: pyrave.Robot, info: Any) -> pyrave.AttachedSensor:
    """Mount what the info of an attached sensor says on pyrave's robot.

    A sensor of a type that is not installed is a bare frame.
    """
    if not isinstance(info, AttachedSensorInfo):
        raise openrave_exception(
            f"the sensor is {info!r}, expected a Robot.AttachedSensorInfo",
            ErrorCode.InvalidArguments,
        )
    place = Pose.from_matrix(matrix_of(info._trelative))
    kind, geometry = str(info._sensorname), info._sensorgeometry
    described = AttachedSensorDescription(
        str(info._name), str(info._linkname), place, kind
    )
    mounted = robot.add_attached_sensor(described)
    if kind:
        try:
            sensor: Any = robot.env.create("sensor", kind)
        except (pyrave.InterfaceNotFoundError, pyrave.InterfaceCreationError) as error:
            RaveLogWarn(f"{mounted!r} is a bare frame: {error}")
            return mounted
        mounted.sensor = sensor
        if geometry is not None:
            from pyrave_openravepy.api.foundation.objects import wrap

            wrap(sensor).SetSensorGeometry(geometry)
    return mounted


def sensor_info(native: pyrave.AttachedSensor) -> AttachedSensorInfo:
    """Return the info of an attached sensor of pyrave."""
    info, known = AttachedSensorInfo(), native.description
    info._id = info._name = known.name
    info._linkname = known.link
    info._trelative = np.array(native.local_transform)
    info._sensorname = known.interface
    if native.has_sensor:
        from pyrave_openravepy.api.foundation.objects import wrap

        info._sensorname = native.sensor.interface_id
        info._sensorgeometry = wrap(native.sensor).GetSensorGeometry()
    return info
