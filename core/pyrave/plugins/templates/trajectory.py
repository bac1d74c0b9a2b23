"""Template of a trajectory: the generic one with something added."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(GenericTrajectory):
    """A trajectory that can be reversed.

    Waypoints, interpolation and files come from GenericTrajectory. To store waypoints
    in another way, derive from `pyrave.TrajectoryBase` and write its abstract methods.
    """

    contract = 2

    @command
    def reverse(self) -> None:
        """Reverse the order of the waypoints; the time between them stays.

        Velocities and higher derivatives are not reversed: plan again if there are any.
        """
        spec = self.get_configuration_specification()
        rows = self.get_waypoints()[::-1].copy()
        for group in spec.groups:
            if group.kind == "deltatime":
                column = group.offset
                rows[:, column] = np.concatenate(([0.0], rows[:-1, column]))
        self.clear_waypoints()
        self.insert(0, rows)
'''

_TEST = """
def test_it_can_be_reversed(scene):
    trajectory = scene.create("trajectory", "@id@")
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values arm 0 1", 2, "linear"
    )
    trajectory.init(spec.add_delta_time_group())
    trajectory.insert(0, [[0, 0, 0], [1, 2, 0.5], [3, 3, 2.0]])
    trajectory.command("reverse")
    assert trajectory.get_duration() == 2.5
    np.testing.assert_allclose(trajectory.sample(0.0)[:2], [3, 3])
    np.testing.assert_allclose(trajectory.sample(2.0)[:2], [1, 2])
    np.testing.assert_allclose(trajectory.sample(2.5)[:2], [0, 0])
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <trajectory type="@id@"/>\n')
