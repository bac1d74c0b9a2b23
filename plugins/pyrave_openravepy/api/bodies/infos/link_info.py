"""`KinBody.LinkInfo`: what a link is made of, and links of pyrave from it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pyrave.scene import Inertial, LinkDescription, Pose
from pyrave_openravepy.api.bodies.boxes import vector_of
from pyrave_openravepy.api.bodies.infos.geometry_info import GeometryInfo
from pyrave_openravepy.api.bodies.infos.geometry_shapes import (
    described_geometry,
    geometry_info,
)
from pyrave_openravepy.api.bodies.infos.info import (
    Field,
    Info,
    array,
    infos,
    maps,
    number,
    plain,
    pose,
)
from pyrave_openravepy.api.bodies.infos.parameters import (
    FLOATS,
    INTS,
    TEXTS,
    parameter_items,
    parameters_of,
)
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.readables import Readable, native_readable

__all__ = ["PARAMETERS", "LinkInfo", "described_link", "inertial_of", "link_info"]

PARAMETERS = {
    "_mapFloatParameters": FLOATS,
    "_mapIntParameters": INTS,
    "_mapStringParameters": TEXTS,
}
"""Attributes of infos with parameters, and the keys of these as readables."""


def _group_data(groups: dict[str, Any]) -> Any:
    return {
        name: [one.SerializeJSON() for one in listed] for name, listed in groups.items()
    }


def _groups_of(data: Any) -> dict[str, Any]:
    return {
        name: [GeometryInfo._from_data(one) for one in listed]
        for name, listed in dict(data).items()
    }


class LinkInfo(Info):
    """All that a link is made of; `_t` is where it is in its body."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        pose("_t", "transform"),
        pose("_tMassFrame", "massTransform"),
        number("_mass", "mass", 1e-10),
        array("_vinertiamoments", "inertiaMoments", (1e-7, 1e-7, 1e-7)),
        infos("_vgeometryinfos", "geometries", GeometryInfo),
        Field("_mapExtraGeometries", "extraGeometries", dict, _group_data, _groups_of),
        maps("_mapFloatParameters", "floatParameters"),
        maps("_mapIntParameters", "intParameters"),
        maps("_mapStringParameters", "stringParameters"),
        plain("_vForcedAdjacentLinks", "forcedAdjacentLinks", []),
        plain("_readableInterfaces", "", {}),
        plain("_bStatic", "isStatic", False),
        plain("_bIsEnabled", "isEnabled", True),
        plain("_bVisible", "isVisible", True),
        plain("_bIgnoreSelfCollision", "isSelfCollisionIgnored", False),
    )


def described_link(info: Any, where: Pose) -> LinkDescription:
    """Return pyrave's description of an info.

    Parameters
    ----------
    where
        Its pose in its body.
    """
    if not isinstance(info, LinkInfo):
        raise openrave_exception(
            f"a link is {info!r}, expected a KinBody.LinkInfo",
            ErrorCode.InvalidArguments,
        )
    geometries = [described_geometry(one) for one in info._vgeometryinfos]
    for group, listed in dict(info._mapExtraGeometries).items():
        geometries += [described_geometry(one, str(group)) for one in listed]
    readables = [
        pair
        for name, key in PARAMETERS.items()
        for pair in parameter_items(key, getattr(info, name))
    ]
    readables += [
        (key, native_readable(one))
        for key, one in dict(info._readableInterfaces).items()
    ]
    return LinkDescription(
        str(info._name),
        where,
        tuple(geometries),
        inertial_of(info._mass, info._tMassFrame, info._vinertiamoments),
        bool(info._bStatic),
        bool(info._bIsEnabled),
        tuple(readables),
    )


def inertial_of(mass: Any, frame: Any, moments: Any) -> Inertial:
    """Return mass, centre and inertia of principal moments (3,) in a mass frame."""
    matrix = matrix_of(frame)
    turn = matrix[:3, :3]
    inertia = turn @ np.diag(vector_of(moments, 3, "_vinertiamoments")) @ turn.T
    x, y, z = matrix[:3, 3].tolist()
    return Inertial(float(mass), (x, y, z), tuple(inertia.ravel().tolist()))  # type: ignore[arg-type]


def link_info(native: Any) -> LinkInfo:
    """Return the info of a link of pyrave, which is where the link is in the world."""
    info = LinkInfo()
    info._name = info._id = native.name
    info._t = np.array(native.transform)
    info._tMassFrame = np.array(native.principal_frame)
    info._vinertiamoments = np.array(native.principal_moments)
    info._mass = float(native.mass)
    info._vgeometryinfos = [geometry_info(one) for one in native.geometries]
    info._mapExtraGeometries = {
        group: [geometry_info(one) for one in native.group_geometries(group)]
        for group in native.geometry_groups
        if group != "self"
    }
    readables = native.description.readables
    for name, key in PARAMETERS.items():
        setattr(info, name, parameters_of(readables, key))
    known = set(PARAMETERS.values())
    info._readableInterfaces = {
        key: Readable(key, one) for key, one in readables if key.lower() not in known
    }
    adjacent = native.body.description.adjacent
    info._vForcedAdjacentLinks = sorted(
        b if a == native.name else a for a, b in adjacent if native.name in {a, b}
    )
    info._bStatic = bool(native.static)
    info._bIsEnabled = bool(native.enabled)
    info._bVisible = bool(native.visible) or not native.geometries
    return info
