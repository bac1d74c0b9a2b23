"""`KinBody.KinBodyInfo` and `KinBody.GrabbedInfo`: bodies and grabs as data."""

from __future__ import annotations

import hashlib
import json
from typing import Any, ClassVar

import numpy as np

from pyrave import GrabbedBody
from pyrave_openravepy.api.bodies.infos.info import Field, Info, infos, plain, pose
from pyrave_openravepy.api.bodies.infos.joint_info import JointInfo
from pyrave_openravepy.api.bodies.infos.link_info import LinkInfo
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["GrabbedInfo", "KinBodyInfo", "grab_of", "grabbed_info"]


class GrabbedInfo(Info):
    """A held body: who holds it, where, and which links may touch it."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_grabbedname", "grabbedName", ""),
        plain("_robotlinkname", "robotLinkName", ""),
        pose("_trelative", "transform"),
        Field("_grabbedUserData", "", lambda: None),
        Field(
            "_setIgnoreRobotLinkNames",
            "ignoreRobotLinkNames",
            list,
            sorted,
            list,
        ),
    )

    def GetGrabbedInfoHash(self) -> str:
        """Return a digest of all that it says."""
        text = json.dumps(self.SerializeJSON(), sort_keys=True)
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    def __str__(self) -> str:
        return f"<grabbedinfo:{self._robotlinkname} -> {self._grabbedname}>"


def grabbed_info(grab: GrabbedBody) -> GrabbedInfo:
    """Return the info of a grab of pyrave."""
    info = GrabbedInfo()
    info._id = info._grabbedname = grab.name
    info._robotlinkname = grab.link
    info._trelative = np.array(grab.T_link_body)
    # one list there: what may touch always, and what touched when it was grabbed
    touching = {*grab.ignored_links, *grab.touching_links}
    info._setIgnoreRobotLinkNames = sorted(touching)
    return info


def grab_of(info: GrabbedInfo) -> GrabbedBody:
    """Return the grab of pyrave that an info says."""
    return GrabbedBody(
        str(info._grabbedname),
        str(info._robotlinkname),
        matrix_of(info._trelative),
        tuple(str(name) for name in info._setIgnoreRobotLinkNames),
    )


def _values_data(listed: Any) -> Any:
    return [
        {"jointName": name, "jointAxis": int(axis), "value": float(value)}
        for (name, axis), value in listed
    ]


def _values_of(data: Any) -> Any:
    return [
        ((one["jointName"], int(one.get("jointAxis", 0))), float(one["value"]))
        for one in data
    ]


class KinBodyInfo(Info):
    """All that a body is made of: links, joints, values, pose and grabs."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        plain("_interfaceType", "interfaceType", ""),
        plain("_uri", "uri", ""),
        plain("_referenceUri", "referenceUri", ""),
        plain("_isRobot", "isRobot", False),
        pose("_transform", "transform"),
        infos("_vLinkInfos", "links", LinkInfo),
        infos("_vJointInfos", "joints", JointInfo),
        infos("_vGrabbedInfos", "grabbed", GrabbedInfo),
        Field("_dofValues", "dofValues", list, _values_data, _values_of),
        plain("_readableInterfaces", "", {}),
        plain("_files", "files", []),
    )

    def __str__(self) -> str:
        return f"<{type(self).__name__} {self._name!r}>"


def values_by_axis(info: KinBodyInfo) -> dict[tuple[str, int], Any]:
    """Return the value of each axis that an info has one for."""
    return {(str(name), int(axis)): value for (name, axis), value in info._dofValues}
