"""Poses and velocities of the links of a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.body_dofs import as_indices
from pyrave_openravepy.api.bodies.boxes import pose_of, vector_of
from pyrave_openravepy.api.bodies.joint_limits import WRAP_OFFSETS
from pyrave_openravepy.api.enums import CheckLimitsAction, ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["BodyPoses"]

Array = NDArray[np.float64]
_ON_LIMIT = 1e-7


def _turns(native: Any, values: Array, last: Array) -> Array:
    """Return multiples of a turn (dof,) that take values nearest to others."""
    turning = np.zeros(len(values), dtype=bool)
    for joint in native.joints:
        turning[joint.dof_indices] = np.logical_not(joint.prismatic)
    round_ = 2.0 * np.pi
    turns = round_ * np.round((last - values) / round_)
    lower, upper = native.dof_limits
    low, high = lower - values - _ON_LIMIT, upper - values + _ON_LIMIT
    first, end = round_ * np.ceil(low / round_), round_ * np.floor(high / round_)
    inside = turning & (first <= end)
    turns[inside] = np.clip(turns, first, end)[inside]
    return np.where(turning & np.isfinite(turns), turns, 0.0)


class BodyPoses(Guarded):
    """Poses of links, Jacobians and what they are for; a part of `KinBody`."""

    _native: Any
    GetJoints: Any

    def GetTransform(self) -> Array:
        return self._native.transform  # type: ignore[no-any-return]

    def GetTransformPose(self) -> Array:
        return pose_of(self._native.transform)

    def SetTransform(self, transform: Any) -> None:
        self._native.transform = matrix_of(transform)

    def GetLinkTransformations(self, returndoflastvlaues: bool = False) -> Any:
        native = self._native
        poses = list(native.link_transforms)
        if not returndoflastvlaues:
            return poses
        return poses, native.dof_values

    def GetBodyTransformations(self) -> list[Array]:
        return list(self._native.link_transforms)

    def SetLinkTransformations(
        self, transforms: Any, doflastsetvalues: Any = None
    ) -> None:
        """Place all links; joint values become what the poses mean.

        Poses do not tell turns: values are those nearest to `doflastsetvalues`, which
        are the present ones if not given, and within limits if that is possible.
        """
        native = self._native
        poses = [matrix_of(one) for one in transforms]
        count = len(native.links)
        if len(poses) != count:
            raise openrave_exception(
                f"transforms has {len(poses)} poses, {self!r} has {count} links",
                ErrorCode.InvalidArguments,
            )
        last = native.dof_values
        for joint in self.GetJoints():
            for axis, offset in vars(joint).get(WRAP_OFFSETS, {}).items():
                last[joint.GetDOFIndex() + axis] = offset
        if doflastsetvalues is not None and len(doflastsetvalues):
            last = vector_of(doflastsetvalues, native.dof, "doflastsetvalues")
        native.set_link_transforms(np.array(poses))
        found = native.dof_values
        values = found + _turns(native, found, last)
        if np.any(values != found):
            native.set_dof_values(values, limits=CheckLimitsAction.Nothing)

    def SetBodyTransformations(
        self, transforms: Any, doflastsetvalues: Any = None
    ) -> None:
        self.SetLinkTransformations(transforms, doflastsetvalues)

    # -- velocities ----------------------------------------------------------------

    def GetLinkVelocities(self) -> Array:
        return np.array(self._native.dynamics.link_velocities)

    def SetLinkVelocities(self, velocities: Any) -> bool:
        self._native.dynamics.link_velocities = np.array(velocities, dtype=np.float64)
        return True

    def GetLinkAccelerations(
        self, dofaccelerations: Any, externalaccelerations: Any = None
    ) -> Array:
        """Return the accelerations (n, 6) of links, with those from outside.

        Parameters
        ----------
        externalaccelerations
            Accelerations (6,) by index of link, which are added to its own; None is
            gravity, as of a base that is held against it.
        """
        native = self._native
        found = np.array(native.dynamics.link_accelerations(dofaccelerations))
        if externalaccelerations is None:
            found[:, :3] -= native.env.gravity
            return found
        for index, its in dict(externalaccelerations).items():
            row = as_indices([index], len(found))[0]
            found[row] += vector_of(its, 6, "externalaccelerations")
        return found

    # -- Jacobians -----------------------------------------------------------------

    def ComputeJacobianTranslation(
        self, linkindex: int, position: Any, indices: Any = None
    ) -> Array:
        found = self._native.jacobian(int(linkindex), position)[:3]
        return self._columns(found, indices)

    def ComputeJacobianAxisAngle(self, linkindex: int, indices: Any = None) -> Array:
        return self._columns(self._native.jacobian(int(linkindex))[3:], indices)

    def CalculateJacobian(self, linkindex: int, position: Any) -> Array:
        return self.ComputeJacobianTranslation(linkindex, position)

    def CalculateAngularVelocityJacobian(self, linkindex: int) -> Array:
        return self.ComputeJacobianAxisAngle(linkindex)

    def CalculateRotationJacobian(self, linkindex: int, quat: Any) -> Array:
        """Return the derivative (4, dof) of the quaternion of a link by joint values.

        Parameters
        ----------
        quat
            The quaternion w x y z in question: that of the link, or its negative.
        """
        w, x, y, z = vector_of(quat, 4, "quat").tolist()
        turns = ((-x, -y, -z), (w, z, -y), (-z, w, x), (y, -x, w))
        angular = self._native.jacobian(int(linkindex))[3:]
        return np.asarray(0.5 * np.array(turns) @ angular)

    def ComputeHessianTranslation(
        self, linkindex: int, position: Any, indices: Any = None
    ) -> Array:
        found = self._native.hessian(int(linkindex), position)[:, :3]
        return self._both(found, indices)

    def ComputeHessianAxisAngle(self, linkindex: int, indices: Any = None) -> Array:
        """Return (dof, 3, dof) derivatives of the angular Jacobian, symmetric.

        A later axis does not turn an earlier one; the entry of such a pair is that of
        the pair the other way round, as there.
        """
        found = self._native.hessian(int(linkindex))[:, 3:]
        # of each two entries of a pair one is zero
        symmetric = found + found.transpose(2, 1, 0)
        each = np.arange(len(found))
        symmetric[each, :, each] = found[each, :, each]
        return self._both(symmetric, indices)

    def _columns(self, found: Array, indices: Any) -> Array:
        if indices is None:
            return np.array(found)
        return np.array(found[:, as_indices(indices, found.shape[1])])

    def _both(self, found: Array, indices: Any) -> Array:
        if indices is None:
            return np.array(found)
        which = as_indices(indices, len(found))
        return np.array(found[which][:, :, which])

    # -- dynamics ------------------------------------------------------------------

    def ComputeInverseDynamics(
        self,
        dofaccelerations: Any,
        externalforcetorque: Any = None,
        returncomponents: bool = False,
    ) -> Any:
        """Return the torques (dof,) of a motion, or three parts of them.

        Parameters
        ----------
        dofaccelerations
            (dof,) or None for none.
        externalforcetorque
            Force and torque (6,) by index of link, at its centre of mass: what the link
            is to exert there, as in OpenRAVE; pyrave's are those that act on it.
        returncomponents
            Return what is due to accelerations, to velocities, and to gravity and
            external forces.
        """
        native = self._native
        external = None
        if externalforcetorque is not None:
            external = np.zeros((len(native.links), 6))
            for index, its in dict(externalforcetorque).items():
                row = as_indices([index], len(external))[0]
                external[row] = -vector_of(its, 6, "externalforcetorque")
        given = None
        if dofaccelerations is not None and len(dofaccelerations):
            given = dofaccelerations
        found = native.inverse_dynamics(
            given, external=external, components=bool(returncomponents)
        )
        if returncomponents:
            return tuple(np.array(part) for part in found)
        return np.array(found)

    def GetMass(self) -> float:
        return float(self._native.mass)

    def GetCenterOfMass(self) -> Array:
        return np.array(self._native.center_of_mass)
