"""Template of a kinematic body: a turntable."""

from pyrave.plugins.templates.base import TemplateSetting, TypeTemplate

_SOURCE = '''
class @id@(KinBody):
    """Turns about its own z axis while the simulation runs.

    ``type="@id@ 0.5"`` gives the speed in rad/s.
    """

    contract = 2
    settings_type = Settings
    word_settings = ("speed",)

    @override@ simulation_step
        super().simulation_step(dt)
        angle = self.settings.speed * dt
        cosine, sine = np.cos(angle), np.sin(angle)
        turn = np.eye(4)
        turn[:2, :2] = ((cosine, -sine), (sine, cosine))
        self.transform = self.transform @ turn
'''

_TEST = """
def test_it_turns(scene):
    body = next(b for b in scene.bodies if b.interface_id == "@id@")
    before = body.transform
    for _ in range(10):
        scene.step(0.1)
    turn = (np.linalg.inv(before) @ body.transform)[:3, :3]
    np.testing.assert_allclose(np.arccos((np.trace(turn) - 1) / 2), 0.5, atol=1e-6)
"""

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <kinbody type="@id@ 0.5" name="@snake@">
    <translation>0 2 0</translation>
    <body name="plate">
      <geom type="cylinder"><radius>0.3</radius><height>0.02</height></geom>
    </body>
  </kinbody>
""",
    (TemplateSetting("speed", 1.0, "about its z axis", "rad/s"),),
)
