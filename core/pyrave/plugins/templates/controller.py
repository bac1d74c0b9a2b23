"""Template of a controller: drives to its goal at limited speed."""

from pyrave.plugins.templates.base import TemplateSetting, TypeTemplate

_SOURCE = '''
class @id@(JointController):
    """Drives every joint towards its goal, no faster than one speed."""

    contract = 2
    settings_type = Settings

    @override@ next_values
        reach = self.settings.speed * dt
        return self.values + np.clip(self.error(wanted), -reach, reach)
'''

_TEST = """
def test_it_drives_at_its_speed(scene):
    robot = scene.robots["arm"]
    controller = robot.set_controller("@id@")
    robot.dof_values = np.zeros(robot.dof)
    goal = np.array([0.5, -0.25])
    assert controller.set_desired(goal)
    scene.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [0.1, -0.1], atol=1e-9)
    for _ in range(5):
        scene.step(0.1)
    assert controller.is_done()
    np.testing.assert_allclose(robot.dof_values, goal, atol=1e-9)


def test_its_speed_is_set(scene):
    robot = scene.robots["arm"]
    assert robot.set_controller("@id@", speed=3).settings.speed == 3.0
    robot.controller.change_settings(speed=0.5)
    assert robot.controller.settings.speed == 0.5
"""

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <controller type="@id@" robot="arm">
    <speed>2</speed>
  </controller>
""",
    (TemplateSetting("speed", 1.0, "of joints, at most", "rad/s or m/s"),),
)
