"""The physicsengine KeptPhysicsengine."""

from __future__ import annotations

from pyrave.bodies import KinBody
from pyrave.interfaces import PhysicsEngineBase


class KeptPhysicsengine(PhysicsEngineBase):
    """Lets free bodies without joints fall to the floor at z = 0 and rest there.

    Bodies do not hit each other, and turning bodies keep turning.
    """

    contract = 1

    def simulate_step(self, dt: float) -> None:
        """Advance all bodies by `dt` seconds."""
        held = {id(other) for body in self.env.bodies for other in body.grabbed}
        for body in self.env.bodies:
            if body.is_robot or body.dof or not body.links or body.links[0].static:
                continue
            if id(body) not in held:
                self._fall(body, dt)

    def _fall(self, body: KinBody, dt: float) -> None:
        velocity = body.base_velocity
        velocity[:3] += self.get_gravity() * dt
        pose = body.transform
        pose[:3, 3] += velocity[:3] * dt
        body.transform = pose
        centre, half = body.aabb
        depth = -(centre[2] - half[2])
        if depth > 0.0 and velocity[2] < 0.0:
            pose[2, 3] += depth
            body.transform = pose
            velocity[:] = 0.0
        body.base_velocity = velocity
