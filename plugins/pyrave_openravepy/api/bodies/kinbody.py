"""`KinBody`: links that joints connect."""

from __future__ import annotations

from typing import Any, Self

from pyrave_openravepy.api import enums
from pyrave_openravepy.api.bodies.body_dofs import BodyDofs
from pyrave_openravepy.api.bodies.body_factory import BodyFactory
from pyrave_openravepy.api.bodies.body_grabs import BodyGrabs
from pyrave_openravepy.api.bodies.body_hash import body_hash
from pyrave_openravepy.api.bodies.body_limits import BodyLimits
from pyrave_openravepy.api.bodies.body_parts import BodyParts
from pyrave_openravepy.api.bodies.body_poses import BodyPoses
from pyrave_openravepy.api.bodies.body_shape import BodyShape
from pyrave_openravepy.api.bodies.infos.body_info import GrabbedInfo, KinBodyInfo
from pyrave_openravepy.api.bodies.infos.geometry_info import GeometryInfo
from pyrave_openravepy.api.bodies.infos.joint_info import (
    JointControlInfo_ExternalDevice,
    JointControlInfo_IO,
    JointControlInfo_RobotController,
    JointInfo,
)
from pyrave_openravepy.api.bodies.infos.link_info import LinkInfo
from pyrave_openravepy.api.bodies.infos.motor_info import ElectricMotorActuatorInfo
from pyrave_openravepy.api.bodies.joint import Joint
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.bodies.manage_data import ManageData
from pyrave_openravepy.api.bodies.replacement import renamed
from pyrave_openravepy.api.bodies.savers import (
    BODY_PARTS,
    KinBodyStateSaver,
    StateRestoreContext,
    parts_of,
)
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import as_native, register_kind
from pyrave_openravepy.api.interface import environment_text

__all__ = ["KinBody"]


class KinBody(
    BodyFactory, BodyDofs, BodyLimits, BodyParts, BodyPoses, BodyShape, BodyGrabs
):
    """A body; robots are bodies as well."""

    Link = Link
    Joint = Joint
    GeometryInfo = GeometryInfo
    LinkInfo = LinkInfo
    JointInfo = JointInfo
    GrabbedInfo = GrabbedInfo
    KinBodyInfo = KinBodyInfo
    ElectricMotorActuatorInfo = ElectricMotorActuatorInfo
    JointControlInfo_RobotController = JointControlInfo_RobotController
    JointControlInfo_IO = JointControlInfo_IO
    JointControlInfo_ExternalDevice = JointControlInfo_ExternalDevice
    KinBodyStateSaver: Any = KinBodyStateSaver
    ManageData = ManageData
    SaveParameters = enums.SaveParameters
    CheckLimitsAction = enums.CheckLimitsAction
    AdjacentOptions = enums.AdjacentOptions
    JointType = enums.JointType
    JointControlMode = enums.JointControlMode
    ExtractInfoOptions = enums.ExtractInfoOptions
    GrabbedInfoCheckResult = enums.GrabbedInfoCheckResult

    _with_parts = BODY_PARTS
    """Parts of the state that ``with body:`` puts back."""

    # -- identity ------------------------------------------------------------------

    def GetName(self) -> str:
        return str(self._native.name)

    def SetName(self, name: str) -> None:
        renamed(self._native, str(name))

    def GetXMLId(self) -> str:
        """Return the id of the class, empty for plain bodies as there."""
        known = super().GetXMLId()
        return "" if known == "GenericKinBody" else known

    def GetId(self) -> str:
        return str(self.__dict__.get("_id", self._native.name))

    def SetId(self, id: str) -> None:
        self._id = str(id)

    def GetEnvironmentId(self) -> int:
        return self.GetEnvironmentBodyIndex()

    def GetEnvironmentBodyIndex(self) -> int:
        """Return its number in the environment from 1 on, 0 while it is in none."""
        return int(self._native.id) + 1

    def IsRobot(self) -> bool:
        return bool(self._native.is_robot)

    def GetURI(self) -> str:
        return str(self._native.uri)

    def GetXMLFilename(self) -> str:
        return str(self._native.uri)

    def GetKinematicsGeometryHash(self) -> str:
        return body_hash(self._native)

    def GetUpdateStamp(self) -> int:
        """Return a number that grows whenever the body changes."""
        return int(sum(self._native.versions))

    def GetAssociatedFileEntries(self) -> list[Any]:
        return []

    def GetLastModifiedAtUS(self) -> int:
        return 0

    def GetRevisionId(self) -> int:
        return 0

    def Clone(self, ref: Any, cloningoptions: int = 0) -> None:
        """Become a copy of another body; what it holds is not taken over."""
        native, other = self._native, as_native(ref)
        if not hasattr(other, "describe"):
            raise openrave_exception(
                f"a body is to be a copy of {ref!r}, expected a KinBody",
                ErrorCode.InvalidArguments,
            )
        native.init(other.describe(), other.model)
        native.enabled = bool(other.enabled)

    def Destroy(self) -> None:
        """Forget links and joints; it is taken out of its environment for that."""
        native = self._native
        if native in native.env.bodies:
            native.env.remove(native)
        native.release_all()

    def GetManageData(self) -> Any:
        """Return the hold of a sensor system on the body, None without."""
        native = self._native
        for system in native.env.interfaces:
            if system.interface_type != "sensorsystem":
                continue
            tracked = getattr(system, "tracked", ())
            if native.name in tracked or system.is_body_present(native):
                return ManageData(self, system)
        return None

    # -- configuration -------------------------------------------------------------

    def GetConfigurationSpecification(self, interpolation: str = "") -> Any:
        return _specification(
            self._native.configuration_specification(str(interpolation))
        )

    def GetConfigurationSpecificationIndices(
        self, indices: Any, interpolation: str = ""
    ) -> Any:
        listed = [int(index) for index in indices]
        native = self._native
        return _specification(
            native.specification_of(listed, interpolation=str(interpolation))
        )

    def SetZeroConfiguration(self) -> None:
        self._native.set_zero_configuration()

    def SetNonCollidingConfiguration(self) -> None:
        """Leave out of self collision queries what touches now."""
        self._native.structure.declare_touching_adjacent()

    # -- state ---------------------------------------------------------------------

    def CreateKinBodyStateSaver(self, options: Any = None) -> StateRestoreContext:
        return StateRestoreContext(self, options)

    def __enter__(self) -> Self:
        """Lock the environment, and keep the state until the end of the block."""
        native = self._native
        native.env.__enter__()
        try:
            saver = native.preserve_state(parts_of(self._with_parts))
        except BaseException:
            native.env.__exit__(None, None, None)
            raise
        self.__dict__.setdefault("_entered", []).append(saver)
        return self

    def __exit__(self, *exc_info: object) -> None:
        env = self._native.env
        try:
            self._entered.pop().restore()
        finally:
            env.__exit__(None, None, None)

    def serialize(self, options: int) -> str:
        """Return a text that is equal for bodies that are equal, as bits ask."""
        from pyrave_openravepy.api.bodies.body_text import text_of_body

        return text_of_body(self._native, int(options))

    # -- texts ---------------------------------------------------------------------

    def __repr__(self) -> str:
        native = self._native
        kind = "GetRobot" if native.is_robot else "GetKinBody"
        return f"{environment_text(native.env)}.{kind}('{native.name}')"

    def __str__(self) -> str:
        native = self._native
        return (
            f"<{native.interface_type}:{self.GetXMLId()} - {native.name} "
            f"({self.GetKinematicsGeometryHash()})>"
        )


def _specification(native: Any) -> Any:
    from pyrave_openravepy.api.motion.specification import ConfigurationSpecification

    return ConfigurationSpecification._of(native)


register_kind("kinbody", KinBody)
