"""Template of a robot: one that counts how far its joints moved."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(Robot):
    """Adds up how far each joint travelled while the simulation ran."""

    contract = 2

    @override@ __init__
        super().__init__(env, *args)
        self._travel = np.zeros(self.dof)
        self._last = self.dof_values

    @override@ simulation_step
        super().simulation_step(dt)
        now = self.dof_values
        if self._travel.size == now.size:
            self._travel += np.abs(self.subtract_dof_values(now, self._last))
        else:
            # the first step after the description gave the robot its joints
            self._travel = np.zeros(now.size)
        self._last = now

    @override@ get_own_state
        return self._travel, self._last

    @override@ set_own_state
        self._travel, self._last = state

    @command
    def travel(self) -> list[float]:
        """Return the distance that each joint travelled, radians or metres."""
        return [float(value) for value in self._travel]
'''

_TEST = """
def test_travel_adds_up(scene):
    robot = next(r for r in scene.robots if r.interface_id == "@id@")
    start = robot.dof_values
    robot.simulation_step(0.1)
    for step in (0.05, -0.1, 0.2):
        robot.dof_values = robot.dof_values + step
        robot.simulation_step(0.1)
    assert np.allclose(robot.command("travel"), 0.35)
    assert np.allclose(robot.dof_values - start, 0.15)
    twin = scene.clone().robots[robot.name]
    assert np.allclose(twin.command("travel"), 0.35)
"""

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <robot type="@id@" name="@snake@">
    <translation>0 -2 0</translation>
    <kinbody>
      <body name="base" type="static">
        <geom type="box"><extents>0.1 0.1 0.05</extents></geom>
      </body>
      <body name="slide">
        <offsetfrom>base</offsetfrom>
        <translation>0 0 0.1</translation>
        <geom type="box"><extents>0.05 0.05 0.05</extents></geom>
      </body>
      <joint name="slider" type="slider">
        <body>base</body>
        <body>slide</body>
        <axis>0 0 1</axis>
        <limits>-1 1</limits>
      </joint>
    </kinbody>
  </robot>
""",
)
