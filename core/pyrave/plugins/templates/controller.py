"""Template of a controller: drives to its goal at limited speed."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
class @id@(ControllerBase):
    """Drives every joint to its goal at one speed, or follows a trajectory exactly."""

    contract = 1

    @override@ __init__
        super().__init__(env, *args)
        self._settings = Settings()
        self._robot: weakref.ref[Robot] | None = None
        self._indices = as_indices((), "dof_indices")
        self._drives_base = False
        self.reset()

    @override@ readable_changed
        if isinstance(readable, Settings):
            self._settings = readable

    @override@ init
        self._robot = weakref.ref(robot)
        self._indices = as_indices(dof_indices, "dof_indices")
        self._drives_base = control_transform
        self.reset()

    @override@ get_control_dof_indices
        return self._indices

    @override@ is_control_transformation
        return self._drives_base

    @override@ get_robot
        return None if self._robot is None else self._robot()

    @override@ reset
        self._goal: Array | None = None
        self._base_goal: Array | None = None
        self._path: TrajectoryBase | None = None
        self._time = 0.0

    @override@ set_desired
        goal = as_vector(values, len(self._indices), "values").copy()
        if transform is not None and not self._drives_base:
            raise ArgumentError("this controller does not drive the base")
        base = None if transform is None else as_pose(transform, "transform").copy()
        self.reset()
        self._goal, self._base_goal = goal, base
        return True

    @override@ set_path
        self.reset()
        if trajectory is not None and trajectory.get_num_waypoints():
            trajectory.sample(0.0)  # raises if the trajectory has no times
            self._path = trajectory
        return True

    @override@ simulation_step
        robot = self.get_robot()
        if robot is None:
            return
        if self._path is not None:
            self._follow(robot, self._path, dt)
        elif self._goal is not None:
            values = robot.dof_values[self._indices]
            reach = self._settings.speed * dt
            way = robot.subtract_dof_values(self._goal, values, self._indices)
            step = np.clip(way, -reach, reach)
            robot.set_dof_values(values + step, self._indices)
            if self._base_goal is not None:
                robot.transform = self._base_goal
            if not way.size or np.abs(way).max() <= reach:
                self._goal = self._base_goal = None

    def _follow(self, robot: Robot, path: TrajectoryBase, dt: float) -> None:
        self._time = min(self._time + dt, path.get_duration())
        words = ["joint_values", robot.name, *map(str, self._indices)]
        spec = ConfigurationSpecification()
        spec = spec.add_group(" ".join(words), len(self._indices), "linear")
        robot.set_dof_values(path.sample(self._time, spec), self._indices)
        if self._time >= path.get_duration():
            self._path = None

    @override@ is_done
        return self._goal is None and self._path is None

    @override@ get_time
        return self._time

    @override@ get_own_state
        path = None if self._path is None else self._path.serialize()
        return self._goal, self._base_goal, path, self._time

    @override@ set_own_state
        self._goal, self._base_goal, path, self._time = state
        self._path = None
        if path is not None:
            self._path = cast(TrajectoryBase, self.env.create("trajectory", ""))
            self._path.deserialize(path)
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
"""

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <controller type="@id@" robot="arm">
    <@snake@_settings speed="2"/>
  </controller>
""",
    {"speed": 1.0},
    "rad/s or m/s",
)
