"""Template of a physics engine: free fall onto the floor."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(PhysicsEngineBase):
    """Lets free bodies without joints fall to the floor at z = 0 and rest there.

    Bodies do not hit each other, and turning bodies keep turning.
    """

    contract = 1

    @override@ simulate_step
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

_TEST = """
def test_a_ball_falls_and_rests(scene):
    scene.physics_engine = "@id@"
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
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <physicsengine type="@id@"/>\n')
