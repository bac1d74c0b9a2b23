"""`Robot.Manipulator`: an arm, its tool and its gripper."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.spatial import wxyz_xyz_from_pose
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.enums import IkParameterizationType
from pyrave_openravepy.api.foundation.objects import ApiObject, wrap, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.robots.manipulator_collisions import ManipulatorCollisions
from pyrave_openravepy.api.robots.manipulator_ik import ManipulatorIk

__all__ = ["Manipulator", "wrap_manipulator"]

Array = NDArray[np.float64]


class Manipulator(ManipulatorIk, ManipulatorCollisions, ApiObject):
    """A chain of a robot with a tool frame and a gripper."""

    _native: pyrave.Manipulator

    # -- what it is ----------------------------------------------------------------

    def GetId(self) -> str:
        return self.GetName()

    def GetName(self) -> str:
        return self._native.name

    def SetName(self, name: str) -> None:
        self._native.name = str(name)

    def GetRobot(self) -> Any:
        return wrap(self._native.robot)

    def GetInfo(self) -> Any:
        from pyrave_openravepy.api.robots.infos import manipulator_info

        return manipulator_info(self._native, self._kept())

    def GetGripperName(self) -> str:
        return str(self._kept().get("gripper", ""))

    def GetToolChangerConnectedBodyToolName(self) -> str:
        return str(self._kept().get("tool changer", ""))

    def GetToolChangerLinkName(self) -> str:
        return str(self._kept().get("tool changer link", ""))

    def GetRestrictGraspSetNames(self) -> list[str]:
        return list(self._kept().get("grasp sets", ()))

    def _kept(self) -> dict[str, Any]:
        """Return all that its info said beyond pyrave's description."""
        known = self._native.robot.user_data.get(KEPT, {})
        return dict(known.get(self._native.name, {}))

    # -- the tool ------------------------------------------------------------------

    def GetTransform(self) -> Array:
        return self._native.transform

    def GetEndEffectorTransform(self) -> Array:
        return self._native.transform

    def GetTransformPose(self) -> Array:
        return wxyz_xyz_from_pose(self._native.transform)

    def GetVelocity(self) -> Array:
        return np.array(self._native.velocity)

    def GetLocalToolTransform(self) -> Array:
        return np.array(self._native.local_tool_transform)

    def GetGraspTransform(self) -> Array:
        return self.GetLocalToolTransform()

    def GetLocalToolTransformPose(self) -> Array:
        return wxyz_xyz_from_pose(self._native.local_tool_transform)

    def SetLocalToolTransform(self, transform: Any) -> None:
        self._native.local_tool_transform = matrix_of(transform)

    def GetLocalToolDirection(self) -> Array:
        return np.array(self._native.direction)

    def GetDirection(self) -> Array:
        return self.GetLocalToolDirection()

    def GetPalmDirection(self) -> Array:
        return self.GetLocalToolDirection()

    def SetLocalToolDirection(self, direction: Any) -> None:
        self._native.direction = np.ravel(direction)

    # -- links and joints ----------------------------------------------------------

    def _link(self, native: pyrave.Link) -> Any:
        return wrap_part(Link, native, self._native.robot)

    def _joints(self, natives: Any) -> list[Any]:
        from pyrave_openravepy.api.bodies.joint import Joint

        return [wrap_part(Joint, one, self._native.robot) for one in natives]

    def GetBase(self) -> Any:
        return self._link(self._native.base)

    def GetEndEffector(self) -> Any:
        return self._link(self._native.end_effector)

    def GetIkChainEndLink(self) -> Any:
        return self.GetEndEffector()

    def GetArmJoints(self) -> Any:
        return self.GetArmIndices()

    def GetArmIndices(self) -> NDArray[np.int64]:
        return np.array(self._native.arm_indices)

    def GetArmDOF(self) -> int:
        return len(self._native.arm_indices)

    def GetArmDOFValues(self) -> Array:
        return np.array(self._native.arm_dof_values)

    def GetGripperJoints(self) -> Any:
        return self.GetGripperIndices()

    def GetGripperIndices(self) -> NDArray[np.int64]:
        return np.array(self._native.gripper_indices)

    def GetGripperDOF(self) -> int:
        return len(self._native.gripper_indices)

    def GetGripperDOFValues(self) -> Array:
        return np.array(self._native.gripper_dof_values)

    def GetChuckingDirection(self) -> Array:
        return np.array(self._native.chucking_direction)

    def GetClosingDirection(self) -> Array:
        return self.GetChuckingDirection()

    def SetChuckingDirection(self, chuckingdirection: Any) -> None:
        """Set the sign that closes each degree of freedom of the gripper."""
        self._native.chucking_direction = np.ravel(chuckingdirection)

    def SetClosingDirection(self, closingdirection: Any) -> None:
        self.SetChuckingDirection(closingdirection)

    def GetChildJoints(self) -> list[Any]:
        return self._joints(self._native.child_joints)

    def GetChildDOFIndices(self) -> NDArray[np.int64]:
        return np.array(self._native.child_dof_indices)

    def GetChildLinks(self) -> list[Any]:
        return [self._link(one) for one in self._native.child_links]

    def IsChildLink(self, link: Any) -> bool:
        return self._native.is_child_link(link._native)

    def GetIndependentLinks(self) -> list[Any]:
        return [self._link(one) for one in self._native.independent_links]

    def IsGrabbing(self, body: Any) -> bool:
        return self._native.is_grabbing(body._native)

    def ReleaseAllGrabbed(self) -> None:
        """Let go of what this arm holds."""
        arm = self._native
        for body in arm.robot.grabbed:
            if arm.is_grabbing(body):
                arm.robot.release(body)

    # -- derivatives ---------------------------------------------------------------

    def CalculateJacobian(self) -> Array:
        return self._native.jacobian()[:3]

    def CalculateAngularVelocityJacobian(self) -> Array:
        return self._native.jacobian()[3:]

    def CalculateRotationJacobian(self) -> Array:
        return np.array(self._native.quaternion_jacobian())

    # -- specifications and digests ------------------------------------------------

    def GetArmConfigurationSpecification(self, interpolation: str = "") -> Any:
        from pyrave_openravepy.api.motion.specification import (
            ConfigurationSpecification,
        )

        native = self._native.arm_configuration_specification(str(interpolation))
        return ConfigurationSpecification._of(native)

    def GetIkConfigurationSpecification(
        self, iktype: Any, interpolation: str = ""
    ) -> Any:
        from pyrave_openravepy.api.ik.parameterization import IkParameterization

        return IkParameterization.GetConfigurationSpecificationFromType(
            iktype, interpolation, self._native.robot.name, self._native.name
        )

    def GetKinematicsStructureHash(self) -> str:
        return self._native.kinematics_hash[:32]

    def GetStructureHash(self) -> str:
        arm = self._native
        gripper = [joint.name for joint in arm.gripper_joints]
        return _digest(
            arm.kinematics_hash,
            repr(gripper),
            repr(np.round(arm.direction, 6).tolist()),
            repr(arm.chucking_direction.tolist()),
        )

    def GetInverseKinematicsStructureHash(self, iktype: Any) -> str:
        kind = IkParameterizationType(int(iktype))
        return _digest(self._native.kinematics_hash, kind.name)

    # -- texts ---------------------------------------------------------------------

    def __repr__(self) -> str:
        robot = self._native.robot
        return f"{wrap(robot)!r}.GetManipulator('{self._native.name}')"

    def __str__(self) -> str:
        return f"<manipulator:{self._native.name}, parent={self._native.robot.name}>"

    def __unicode__(self) -> str:
        return str(self)


KEPT = "openravepy manipulators"


def wrap_manipulator(native: pyrave.Manipulator) -> Manipulator:
    """Return the object of the API for a manipulator."""
    return wrap_part(Manipulator, native, native.robot)


def _digest(*parts: str) -> str:
    text = "\n".join(parts).encode()
    return hashlib.md5(text, usedforsecurity=False).hexdigest()
