"""Joints of pyrave from infos, and infos from joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.scene import (
    IDENTITY,
    JointAxis,
    JointDescription,
    MimicFormula,
    Pose,
)
from pyrave_openravepy.api.bodies.boxes import vector_of
from pyrave_openravepy.api.bodies.infos.joint_info import JointInfo, axes_of_type
from pyrave_openravepy.api.bodies.infos.link_info import PARAMETERS
from pyrave_openravepy.api.bodies.infos.motor_info import actuator_of, motor_of
from pyrave_openravepy.api.bodies.infos.parameters import parameter_items, parameters_of
from pyrave_openravepy.api.enums import ErrorCode, JointType
from pyrave_openravepy.api.foundation.errors import (
    NotSupportedError,
    openrave_exception,
)
from pyrave_openravepy.api.readables import Readable, native_readable

__all__ = ["described_joint", "joint_info", "joint_type"]

_TYPES = {
    "hinge": JointType.Hinge,
    "slider": JointType.Slider,
    "rr": JointType.RR,
    "rp": JointType.RP,
    "pr": JointType.PR,
    "pp": JointType.PP,
    "universal": JointType.Universal,
    "hinge2": JointType.Hinge2,
    "spherical": JointType.Spherical,
    "trajectory": JointType.Trajectory,
}
_LISTS = {
    "velocity_limit": "_vmaxvel",
    "acceleration_limit": "_vmaxaccel",
    "jerk_limit": "_vmaxjerk",
    "torque_limit": "_vmaxtorque",
    "inertia_limit": "_vmaxinertia",
    "hard_velocity_limit": "_vhardmaxvel",
    "hard_acceleration_limit": "_vhardmaxaccel",
    "hard_jerk_limit": "_vhardmaxjerk",
    "weight": "_vweights",
    "resolution": "_vresolution",
    "lower": "_vlowerlimit",
    "upper": "_vupperlimit",
}
"""Fields of an axis, and the lists of an info that have one number for each axis."""


def joint_type(description: JointDescription) -> Any:
    """Return the type of a joint in OpenRAVE's words.

    One without axes is a hinge that has no room, as files of OpenRAVE say it; compound
    ones are named by their axes.
    """
    if description.type == "fixed":
        return JointType.Hinge
    if description.type != "compound":
        return _TYPES[description.type]
    axes = description.axes
    code = len(axes) + sum(0x10 << k for k, one in enumerate(axes) if one.prismatic)
    return next((one for one in JointType if int(one) == code), code)


# -- from infos ------------------------------------------------------------------------


def described_joint(info: Any, T_link0_link1: Pose) -> JointDescription:
    """Return pyrave's description of an info.

    Parameters
    ----------
    T_link0_link1
        Where the second link is in the first while the joint has its current values.
    """
    if not isinstance(info, JointInfo):
        raise openrave_exception(
            f"a joint is {info!r}, expected a KinBody.JointInfo",
            ErrorCode.InvalidArguments,
        )
    kind = next((name for name, code in _TYPES.items() if code == info._type), None)
    count = axes_of_type(info._type)
    if kind is None and (int(info._type) & 0x80000000 or not 1 <= count <= 3):
        raise openrave_exception(
            f"joint {info._name!r} has type {info._type!r}, expected a "
            "KinBody.JointType",
            ErrorCode.InvalidArguments,
        )
    if kind == "trajectory":
        raise NotSupportedError(
            f"joint {info._name!r} follows a trajectory, which infos cannot say here: "
            "load the body from XML"
        )
    axes = tuple(_axis(info, k) for k in range(count))
    near = Pose.from_translation(*vector_of(info._vanchor, 3, "_vanchor").tolist())
    far = T_link0_link1.inverse() @ near @ _motion(kind or "compound", axes)
    readables = [
        pair
        for name, key in PARAMETERS.items()
        for pair in parameter_items(key, getattr(info, name))
    ]
    readables += [
        (key, native_readable(one))
        for key, one in dict(info._readableInterfaces).items()
    ]
    return JointDescription(
        str(info._name),
        kind or "compound",  # type: ignore[arg-type]
        str(info._linkname0),
        str(info._linkname1),
        near,
        far,
        axes,
        bool(info._bIsActive),
        actuator_of(info._infoElectricMotor),
        tuple(readables),
    )


def _axis(info: JointInfo, k: int) -> JointAxis:
    given = {name: _at(info, listed, k) for name, listed in _LISTS.items()}
    direction = vector_of(info._vaxes[k], 3, "_vaxes")
    length = float(np.linalg.norm(direction))
    if not length > 0.0:
        raise openrave_exception(
            f"axis {k} of joint {info._name!r} has no direction",
            ErrorCode.InvalidArguments,
        )
    x, y, z = (direction / length).tolist()
    circular = np.atleast_1d(info._bIsCircular).tolist()
    current = np.atleast_1d(np.asarray(info._vcurrentvalues, float)).tolist()
    mimic = list(info._vmimic or ())
    prismatic = bool((int(info._type) >> (4 + k)) & 1)
    if int(info._type) & 0x80000000:
        prismatic = False
    return JointAxis(
        (x, y, z),
        prismatic=prismatic,
        circular=bool(circular[k]) if k < len(circular) else False,
        initial=current[k] if k < len(current) else 0.0,
        mimic=_formula(mimic[k]) if k < len(mimic) else None,
        **given,
    )


def _at(info: JointInfo, name: str, k: int) -> float:
    """Return the number of an axis; what is not given is the default of new infos."""
    listed = np.atleast_1d(np.asarray(getattr(info, name), float))
    return float(listed[k]) if k < len(listed) else float(getattr(JointInfo(), name)[k])


def _formula(given: Any) -> MimicFormula | None:
    if given is None:
        return None
    texts = [given] if isinstance(given, str) else [str(one) for one in given]
    if not texts or not texts[0]:
        return None
    position, velocity, acceleration = (*texts, "", "")[:3]
    return MimicFormula(position, velocity, acceleration)


def _motion(kind: str, axes: tuple[JointAxis, ...]) -> Pose:
    """Return the motion of a joint at its initial values."""
    if kind == "spherical":
        turn = np.array([axis.initial for axis in axes])
        angle = float(np.linalg.norm(turn))
        return Pose.from_axis_angle(turn.tolist(), angle) if angle else IDENTITY
    made = IDENTITY
    for axis in axes:
        if axis.prismatic:
            x, y, z = (axis.initial * part for part in axis.direction)
            made @= Pose.from_translation(x, y, z)
        elif axis.initial:
            made @= Pose.from_axis_angle(axis.direction, axis.initial)
    return made


# -- to infos --------------------------------------------------------------------------


def joint_info(native: Any) -> JointInfo:
    """Return the info of a joint of pyrave at its present values."""
    description = native.description
    info = JointInfo()
    info._name = info._id = description.name
    info._type = joint_type(description)
    info._linkname0, info._linkname1 = description.parent, description.child
    near = description.T_parent_joint
    info._vanchor = np.array(near.translation)
    info._bIsActive = description.active
    info._infoElectricMotor = motor_of(description.actuator)
    info._vcurrentvalues = np.array(native.values)
    axes = description.axes
    for k, axis in enumerate(axes):
        info._vaxes[k] = np.array(near.rotate(axis.direction))
        info._bIsCircular[k] = axis.circular
        for name, listed in _LISTS.items():
            getattr(info, listed)[k] = getattr(axis, name)
        if axis.mimic is not None:
            formula = axis.mimic
            info._vmimic[k] = [formula.position, formula.velocity, formula.acceleration]
    _put_present(info, native)
    for name, key in PARAMETERS.items():
        setattr(info, name, parameters_of(description.readables, key))
    known = set(PARAMETERS.values())
    info._readableInterfaces = {
        key: Readable(key, one)
        for key, one in description.readables
        if key.lower() not in known
    }
    return info


def _put_present(info: JointInfo, native: Any) -> None:
    """Put in limits that a body has instead of those it was described with."""
    n = native.dof
    info._vmaxvel[:n] = native.velocity_limits
    info._vmaxaccel[:n] = native.acceleration_limits
    info._vmaxjerk[:n] = native.jerk_limits
    info._vmaxtorque[:n] = native.torque_limits
    info._vweights[:n] = native.weights
    info._vresolution[:n] = native.resolutions
    info._voffsets[:n] = native.wrap_offsets
    lower, upper = native.limits
    fixed = ~np.array(native.circular, bool)
    info._vlowerlimit[:n][fixed] = lower[fixed]
    info._vupperlimit[:n][fixed] = upper[fixed]
