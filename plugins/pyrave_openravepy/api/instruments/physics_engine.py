"""`PhysicsEngine`: who moves bodies by forces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.forces import push
from pyrave_openravepy.api.foundation.objects import as_native, register_kind
from pyrave_openravepy.api.interface import Interface

__all__ = ["PhysicsEngine"]

Array = NDArray[np.float64]


class PhysicsEngine(Interface):
    """Moves bodies by forces; velocities are linear first, in world axes."""

    def GetPhysicsOptions(self) -> int:
        return int(self._native.get_physics_options())

    def SetPhysicsOptions(self, physicsoptions: int) -> bool:
        self._native.set_physics_options(int(physicsoptions))
        return True

    def InitEnvironment(self) -> bool:
        self._native.init_environment()
        return True

    def DestroyEnvironment(self) -> None:
        self._native.destroy_environment()

    def InitKinBody(self, body: Any) -> bool:
        self._native.init_kinbody(as_native(body))
        return True

    def SetLinkVelocity(self, link: Any, linearvel: Any, angularvel: Any) -> bool:
        self._native.set_link_velocity(as_native(link), linearvel, angularvel)
        return True

    def SetLinkVelocities(self, body: Any, velocities: Any) -> bool:
        rows = np.array(velocities, dtype=np.float64).reshape(-1, 6)
        self._native.set_link_velocities(as_native(body), rows)
        return True

    def GetLinkVelocity(self, link: Any) -> tuple[Array, Array]:
        found = np.array(self._native.get_link_velocity(as_native(link)))
        return found[:3].copy(), found[3:].copy()

    def GetLinkVelocities(self, body: Any) -> Array:
        return np.array(self._native.get_link_velocities(as_native(body)))

    def SetBodyForce(self, link: Any, force: Any, position: Any, bAdd: Any) -> bool:
        native = as_native(link)
        push(self._native.set_body_force, native, force, position, bool(bAdd))
        return True

    def SetBodyTorque(self, link: Any, torque: Any, bAdd: Any) -> bool:
        push(self._native.set_body_torque, as_native(link), torque, bool(bAdd))
        return True

    def AddJointTorque(self, joint: Any, torques: Any) -> bool:
        efforts = np.atleast_1d(np.array(torques, dtype=np.float64))
        push(self._native.add_joint_torque, as_native(joint), efforts)
        return True

    def GetLinkForceTorque(self, link: Any) -> tuple[Array, Array]:
        found = np.array(self._native.get_link_force_torque(as_native(link)))
        return found[:3].copy(), found[3:].copy()

    def GetJointForceTorque(self, joint: Any) -> tuple[Array, Array]:
        found = np.array(self._native.get_joint_force_torque(as_native(joint)))
        return found[:3].copy(), found[3:].copy()

    def SetGravity(self, gravity: Any) -> None:
        # that of the environment, which gives it to its engine
        vector = np.array(gravity, dtype=np.float64)
        env = self._native.env
        if env.physics_engine is self._native:
            env.gravity = vector
        else:
            self._native.set_gravity(vector)

    def GetGravity(self) -> Array:
        return np.array(self._native.get_gravity())

    def SimulateStep(self, timeelapsed: float) -> None:
        self._native.synchronise()
        self._native.simulate_step(float(timeelapsed))


register_kind("physicsengine", PhysicsEngine)
