"""`KinBody.Joint`: what connects two links."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.boxes import pose_of
from pyrave_openravepy.api.bodies.forces import push
from pyrave_openravepy.api.bodies.infos.joint_descriptions import joint_info, joint_type
from pyrave_openravepy.api.bodies.infos.joint_info import JointInfo
from pyrave_openravepy.api.bodies.infos.parameters import Parameters
from pyrave_openravepy.api.bodies.joint_limits import JointLimits
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.bodies.replacement import with_formula
from pyrave_openravepy.api.enums import ErrorCode, JointControlMode, JointType
from pyrave_openravepy.api.foundation.errors import (
    NotSupportedError,
    openrave_exception,
)
from pyrave_openravepy.api.foundation.objects import wrap, wrap_part
from pyrave_openravepy.api.interface import ReadableInterface, environment_text

__all__ = ["Joint"]

Array = NDArray[np.float64]


class JointFrames(ReadableInterface):
    """Links and frames of a joint; a part of `Joint`."""

    def GetFirstAttached(self) -> Any:
        return self._link(self._native.description.parent)

    def GetSecondAttached(self) -> Any:
        return self._link(self._native.description.child)

    def GetHierarchyParentLink(self) -> Any:
        native = self._native
        return wrap_part(Link, native.parent_link, native.body)

    def GetHierarchyChildLink(self) -> Any:
        native = self._native
        return wrap_part(Link, native.child_link, native.body)

    def _link(self, name: str) -> Any:
        body = self._native.body
        return wrap_part(Link, body.links[name], body)

    def GetAnchor(self) -> Array:
        return np.array(self._native.anchor)

    def GetAxis(self, axis: int = 0) -> Array:
        axes = np.array(self._native.axes)
        return axes[self._axis(axis)] if len(axes) else np.array((0.0, 0.0, 1.0))

    def _axis(self, axis: int) -> int:
        count = max(self._native.dof, 1)
        if not 0 <= int(axis) < count:
            raise openrave_exception(
                f"axis {axis} of {self!r} is asked for, it has {count}, counted from 0",
                ErrorCode.InvalidArguments,
            )
        return int(axis)

    # -- internal frames: the child is at left @ motion(values) @ right in the parent --

    def GetInternalHierarchyAxis(self, axis: int = 0) -> Array:
        axes = self._internal()[2]
        return axes[self._axis(axis)] if len(axes) else np.array((0.0, 0.0, 1.0))

    def GetInternalHierarchyLeftTransform(self) -> Array:
        return self._internal()[0]

    def GetInternalHierarchyLeftTransformPose(self) -> Array:
        return pose_of(self._internal()[0])

    def GetInternalHierarchyRightTransform(self) -> Array:
        return self._internal()[1]

    def GetInternalHierarchyRightTransformPose(self) -> Array:
        return pose_of(self._internal()[1])

    def _internal(self) -> tuple[Array, Array, Array]:
        """Return left and right transform and the axes (dof, 3) between them.

        The axis of a hinge is z of its frame, and the frame of a slider is parallel to
        that of its parent, as there.
        """
        from pyrave.spatial import invert_pose

        native = self._native
        description = native.description
        near = description.T_parent_joint.matrix
        far = description.T_child_joint.matrix
        axes = np.array([axis.direction for axis in description.axes]).reshape(-1, 3)
        if native.parent_link.name != description.parent:
            # the tree enters it from the other side: everything goes backwards
            near, far, axes = far, near, -axes
        left, right = near, invert_pose(far)
        if len(axes) == 1:
            turn = np.eye(4)
            turn[:3, :3] = near[:3, :3].T
            if not description.axes[0].prismatic:
                turn[:3, :3] = turn[:3, :3] @ _turn_to(near[:3, :3] @ axes[0])
            left, right = near @ turn, turn.T @ right
            axes = axes @ turn[:3, :3]
        return np.array(left), np.array(right), axes


def _turn_to(direction: Array) -> Array:
    """Return the shortest rotation (3, 3) of z to a direction."""
    x, y, z = direction.tolist()
    if z < -1.0 + 1e-12:
        return np.diag((1.0, -1.0, -1.0))
    f = 1.0 / (1.0 + z)
    return np.array(
        ((1 - x * x * f, -x * y * f, x), (-x * y * f, 1 - y * y * f, y), (-x, -y, z))
    )


class JointMimicry(ReadableInterface):
    """Formulas of joints that follow others; a part of `Joint`."""

    def IsMimic(self, axis: int = -1) -> bool:
        native = self._native
        if axis < 0:
            return bool(native.is_mimic)
        return axis < native.dof and native.mimic[axis] is not None

    def GetMimicEquation(self, axis: int = 0, type: int = 0, format: str = "") -> str:
        """Return a formula: 0 of the value, 1 of its velocity, 2 of its acceleration.

        Empty if the axis follows nothing, or the file gives none.
        """
        if format not in {"", "fparser"}:
            raise NotSupportedError(
                f"formulas have no form {format!r} here; ask for the text, format=''"
            )
        native = self._native
        if not self.IsMimic(axis):
            return ""
        formula = native.mimic[axis]
        texts = (formula.position, formula.velocity, formula.acceleration)
        return str(texts[int(type)])

    def GetMimicDOFIndices(self, axis: int = 0) -> list[int]:
        native = self._native
        if not self.IsMimic(axis):
            raise openrave_exception(
                f"{self!r} follows no other joint", ErrorCode.InvalidArguments
            )
        return [int(index) for index in native.mimic_dof_indices]

    def SetMimicEquations(
        self, axis: int, poseq: str, veleq: str, acceleq: str = ""
    ) -> None:
        """Let an axis follow others by formulas; ``""`` lets it go."""
        with_formula(self, int(axis), (str(poseq), str(veleq), str(acceleq)))


class Joint(Parameters, JointFrames, JointMimicry, JointLimits):
    """A connection of two links."""

    Type = JointType
    JointInfo = JointInfo

    def GetId(self) -> str:
        return self.GetName()

    def GetName(self) -> str:
        return str(self._native.name)

    def GetParent(self, resolve: bool = True) -> Any:
        return wrap(self._native.body)

    def GetType(self) -> Any:
        return joint_type(self._native.description)

    def GetDOF(self) -> int:
        # one without axes is a hinge that cannot move, as files say it there
        return max(int(self._native.dof), 1)

    def GetDOFIndex(self) -> int:
        return int(self._native.dof_index)

    def GetJointIndex(self) -> int:
        """Return its place among those with degrees of freedom, -1 if it has none."""
        native = self._native
        if not native.active:
            return -1
        return next(k for k, one in enumerate(native.body.joints) if one is native)

    # -- kind ----------------------------------------------------------------------

    def IsActive(self) -> bool:
        return bool(self._native.active)

    def IsStatic(self) -> bool:
        return bool(self._native.static)

    def IsCircular(self, axis: int = 0) -> bool:
        circular = self._native.circular
        return bool(circular[self._axis(axis)]) if circular else False

    def IsRevolute(self, axis: int = 0) -> bool:
        return not self.IsPrismatic(axis)

    def IsPrismatic(self, axis: int = 0) -> bool:
        prismatic = self._native.prismatic
        return bool(prismatic[self._axis(axis)]) if prismatic else False

    def GetControlMode(self) -> Any:
        return JointControlMode.JCM_None

    # -- values --------------------------------------------------------------------

    def GetValues(self) -> Array:
        native = self._native
        return np.array(native.values) if native.dof else np.zeros(1)

    def GetValue(self, axis: int = 0) -> float:
        return float(self.GetValues()[self._axis(axis)])

    def GetVelocities(self) -> Array:
        native = self._native
        return np.array(native.velocities) if native.dof else np.zeros(1)

    def GetVelocity(self, axis: int = 0) -> float:
        return float(self.GetVelocities()[self._axis(axis)])

    def SubtractValues(self, values0: Any, values1: Any) -> Array:
        return np.array(self._native.subtract_values(values0, values1))

    def SubtractValue(self, value0: float, value1: float, axis: int = 0) -> float:
        first, second = np.zeros((2, self.GetDOF()))
        first[self._axis(axis)], second[axis] = value0, value1
        return float(self.SubtractValues(first, second)[axis])

    def AddTorque(self, torques: Any) -> None:
        push(self._native.add_torques, torques)

    # -- data ----------------------------------------------------------------------

    def GetInfo(self) -> Any:
        return joint_info(self._native)

    def UpdateInfo(self) -> None:
        """Do nothing: infos are made when they are asked for."""

    def UpdateAndGetInfo(self) -> Any:
        return joint_info(self._native)

    def __repr__(self) -> str:
        body = self._native.body
        return (
            f"{environment_text(body.env)}.GetKinBody('{body.name}')"
            f".GetJoint('{self._native.name}')"
        )

    def __str__(self) -> str:
        native = self._native
        return (
            f"<joint:{native.name} ({self.GetJointIndex()}), dof={native.dof_index}, "
            f"parent={native.body.name}>"
        )
