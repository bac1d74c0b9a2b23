"""Template of a physics engine: free fall onto the floor."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The physics engine @id@."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyrave import ArgumentError
from pyrave.interfaces import PhysicsEngineBase
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pyrave.bodies import KinBody, Link


class @id@(PhysicsEngineBase):
    """Lets free bodies without joints fall to the floor at z = 0 and rest there.

    Bodies do not hit each other, and turning bodies keep turning.
    """

    contract = 1

    def set_physics_options(self, options: int) -> None:
        """Accept 0 only: there are no options."""
        if options:
            raise ArgumentError(f"options are {options:#x}, expected 0")

    def get_physics_options(self) -> int:
        """Return 0."""
        return 0

    def init_environment(self) -> None:
        """Need nothing: bodies hold their velocities."""

    def destroy_environment(self) -> None:
        """Need nothing: bodies keep their velocities."""

    def init_kinbody(self, body: KinBody) -> None:
        """Need nothing: the body holds its velocity."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Need nothing: the body keeps its velocity."""

    def set_link_velocity(
        self, link: Link, linear: ArrayLike, angular: ArrayLike
    ) -> None:
        """Move the whole body so that a link has a velocity."""
        v, w = as_vector(linear, 3, "linear"), as_vector(angular, 3, "angular")
        body = link.body
        arm = body.transform[:3, 3] - link.transform[:3, 3]
        body.base_velocity = np.concatenate((v + np.cross(w, arm), w))

    def set_link_velocities(self, body: KinBody, velocities: ArrayLike) -> None:
        """Take over the velocity of the base link; rows are links, linear first."""
        rows = np.asarray(velocities, dtype=np.float64)
        if rows.shape != (len(body.links), 6):
            raise ArgumentError(
                f"velocities have shape {rows.shape}, expected ({len(body.links)}, 6)"
            )
        body.base_velocity = rows[0]

    def get_link_velocity(self, link: Link) -> NDArray[np.float64]:
        """Return the velocity of a link, (6,), linear first."""
        return link.velocity

    def get_link_velocities(self, body: KinBody) -> NDArray[np.float64]:
        """Return all link velocities, (n_links, 6), linear first."""
        return body.link_velocities

    def simulate_step(self, dt: float) -> None:
        """Let every free body fall for `dt` seconds."""
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
'''

_TEST = '''"""How bodies fall with @id@."""

import numpy as np


def test_a_ball_falls_and_rests(scene):
    scene.physics_engine = scene.create("physicsengine", "@id@")
    scene.gravity = (0.0, 0.0, -10.0)
    ball = scene.bodies["ball"]
    pose = np.eye(4)
    pose[2, 3] = 1.0
    ball.transform = pose
    ball.base_velocity = np.zeros(6)
    for _ in range(10):
        scene.step(0.01)
    np.testing.assert_allclose(ball.base_velocity[2], -1.0, atol=1e-9)
    np.testing.assert_allclose(ball.transform[2, 3], 1.0 - 0.055, atol=1e-9)
    for _ in range(100):
        scene.step(0.01)
    np.testing.assert_allclose(ball.transform[2, 3], 0.1, atol=1e-6)


def test_velocities_come_back(scene):
    engine = scene.create("physicsengine", "@id@")
    ball = scene.bodies["ball"]
    engine.set_link_velocity(ball.links[0], (1, 2, 3), (0, 0, 1))
    found = engine.get_link_velocity(ball.links[0])
    np.testing.assert_allclose(found, [1, 2, 3, 0, 0, 1], atol=1e-12)
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <physicsengine type="@id@"/>\n')
