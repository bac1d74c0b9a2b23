"""The base of controllers of which a step is written."""

import pickle

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, ConfigurationSpecification, JointController
from pyrave.testing import ControllerContract

ARM = """<environment><robot name="arm"><kinbody>
  <body name="base" type="static"/>
  <body name="a"><offsetfrom>base</offsetfrom><mass type="sphere"><total>1</total>
    </mass></body>
  <body name="b"><offsetfrom>a</offsetfrom><translation>0.5 0 0</translation>
    <mass type="sphere"><total>1</total></mass></body>
  <joint name="j" type="hinge"><body>base</body><body>a</body><axis>0 0 1</axis>
    <limits>-1 1</limits></joint>
  <joint name="k" circular="true"><body>a</body><body>b</body><axis>0 0 1</axis>
    <offsetfrom>b</offsetfrom></joint>
</kinbody></robot></environment>"""


class Follow(JointController):
    """Half of the way in a tenth of a second."""

    contract = 2

    def next_values(self, wanted, dt):
        return self.values + (1.0 - 0.5 ** (10.0 * dt)) * self.error(wanted)


class Exact(JointController):
    """At once where it should be; counts its steps."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.steps = 0

    def next_values(self, wanted, dt):
        self.steps += 1
        return wanted.values

    def get_own_state(self):
        return self.steps

    def set_own_state(self, state):
        self.steps = state


class Spring(Exact):
    """A damped spring where a physics engine applies efforts."""

    contract = 2

    def efforts(self, wanted, dt):
        rates = self.require_robot().dof_velocities[self.get_control_dof_indices()]
        return 40.0 * self.error(wanted) + 12.0 * (wanted.rates - rates)


class TestFollow(ControllerContract):
    interface = Follow


class TestExact(ControllerContract):
    interface = Exact


def arm(kind, indices=None):
    env = pyrave.Environment()
    env.load_string(ARM)
    env.register("controller", kind.__name__, kind)
    robot = env.robots[0]
    robot.set_controller(kind.__name__, indices)
    return env, robot, robot.controller


def path(env, robot, rows, times):
    spec = ConfigurationSpecification().add_group("joint_values arm 0 1", 2, "linear")
    made = env.create("trajectory", "")
    made.init(spec.add_delta_time_group())
    steps = np.diff(times, prepend=times[0])
    made.insert(0, np.column_stack((rows, steps)))
    return made


def test_it_comes_half_as_near_each_step_and_is_done_within_its_tolerance():
    env, robot, controller = arm(Follow)
    assert controller.set_desired([0.8, 0.4])
    for k in range(1, 30):
        env.step(0.1)
        np.testing.assert_allclose(
            robot.dof_values, (1 - 0.5**k) * np.array([0.8, 0.4])
        )
        # 0.8 / 2**10 < 1e-3, and 0.8 / 2**10 in 0.1 s is slower than 1e-2
        assert controller.is_done() == (k >= 10)


def test_goals_are_copied_and_within_limits_and_circular_joints_go_the_short_way():
    env, robot, controller = arm(Exact)
    goal = np.array([5.0, 0.5])
    controller.set_desired(goal)
    goal[:] = 0.0
    env.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [1.0, 0.5])
    env, robot, controller = arm(Follow)
    robot.dof_values = [0.0, 3.0]
    controller.set_desired([0.0, -3.0])
    env.step(0.1)
    way = robot.subtract_dof_values(robot.dof_values, [0.0, 3.0])
    np.testing.assert_allclose(way, [0.0, np.pi - 3.0])


def test_a_copy_of_a_path_is_followed_by_simulated_time_and_held():
    env, robot, controller = arm(Exact)
    trajectory = path(env, robot, [[0, 0], [0.5, 1.0], [0.0, 1.0]], [0, 1, 2])
    assert controller.set_path(trajectory)
    trajectory.clear_waypoints()
    for k in range(1, 31):
        env.step(0.1)
        t = min(0.1 * k, 2.0)
        wanted = [0.5 * min(t, 2 - t), min(t, 1.0)]
        np.testing.assert_allclose(robot.dof_values, wanted, atol=1e-9)
        assert controller.get_time() == pytest.approx(t)
        # at the end it moved in the step before
        assert controller.is_done() == (k > 20)


def test_only_joints_of_the_controller_move():
    env, robot, controller = arm(Exact, [1])
    controller.set_desired([0.3])
    env.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [0.0, 0.3])


def test_clones_and_pickled_states_go_on_along_the_path():
    env, robot, controller = arm(Exact)
    controller.set_path(path(env, robot, [[0, 0], [0.5, 1.0]], [0, 1]))
    for _ in range(5):
        env.step(0.1)
    twin = env.clone()
    pickled = pickle.loads(pickle.dumps(controller.get_state()))  # noqa: S301
    controller.reset()
    for _ in range(2):
        twin.step(0.1)
    copy = twin.robots[0].controller
    np.testing.assert_allclose(twin.robots[0].dof_values, [0.35, 0.7])
    assert copy.steps == 7
    controller.set_state(pickled)
    assert controller.get_time() == pytest.approx(0.5)
    env.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [0.3, 0.6])


def test_what_makes_no_sense_is_refused_and_changes_nothing():
    env, robot, controller = arm(Exact)
    controller.set_desired([0.3, 0.3])
    with pytest.raises(ArgumentError, match="values of set_desired"):
        controller.set_desired([1.0])
    with pytest.raises(ArgumentError, match="drives joints only"):
        controller.set_desired([1.0, 1.0], np.eye(4))
    with pytest.raises(ArgumentError, match="expected a trajectory"):
        controller.set_path(3)
    untimed = env.create("trajectory", "")
    untimed.init(ConfigurationSpecification().add_group("joint_values arm 0 1", 2))
    untimed.insert(0, [[0.0, 0.0]])
    with pytest.raises(ArgumentError, match="no 'deltatime' group"):
        controller.set_path(untimed)
    env.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [0.3, 0.3])


@pytest.mark.parametrize(
    "kind",
    ["Exact", "IdealController", "PDDeviceController", "ComputedTorqueController"],
)
def test_paths_that_are_refused_are_told_and_change_nothing(kind, caplog):
    env, robot, _ = arm(Exact)
    robot.set_controller(kind)
    controller = robot.controller
    controller.set_desired([0.3, 0.3])
    foreign = ConfigurationSpecification().add_group("joint_values other 0", 1)
    made = env.create("trajectory", "")
    made.init(foreign.add_delta_time_group())
    made.insert(0, [[0.5, 0.0], [0.6, 1.0]])
    assert not controller.set_path(made)
    assert "refuses a trajectory without groups for joints [0 1] of robot 'arm'" in (
        caplog.text
    )
    grabbing = path(env, robot, [[0, 0], [0.9, 0.9]], [0, 1])
    spec = grabbing.spec.add_group("grabbody nobody arm", 1, "previous")
    made = env.create("trajectory", "")
    made.init(spec)
    made.insert(0, [[0.3, 0.3, 0.0, 0.0], [0.3, 0.3, 1.0, 0.0]])
    grabs = kind in {"IdealController", "ComputedTorqueController"}
    assert controller.set_path(made) == grabs
    assert ("refuses a trajectory that grabs" in caplog.text) != grabs
    for _ in range(60):
        env.step(0.05)
    np.testing.assert_allclose(robot.dof_values, [0.3, 0.3], atol=1e-2)


def test_next_values_of_a_wrong_size_disable_the_controller():
    env, robot, controller = arm(Exact)
    controller.next_values = lambda wanted, dt: [1.0]
    controller.set_desired([0.3, 0.3])
    env.step(0.1)
    assert "next_values() of <controller Exact>" in str(env.problems[-1])
    np.testing.assert_allclose(robot.dof_values, [0.0, 0.0])


def test_efforts_push_where_an_engine_applies_them():
    pytest.importorskip("mujoco")
    env, robot, controller = arm(Spring)
    env.physics_engine = "mujoco"
    env.gravity = (0.0, 0.0, 0.0)
    assert controller.set_desired([0.5, -0.5])
    env.step(0.001)
    # pushed, not put: it has just begun to move
    assert 0.0 < robot.dof_values[0] < 0.01
    assert controller.get_torque()[0] == pytest.approx(20.0)
    for _ in range(5000):
        env.step(0.001)
    assert controller.is_done()
    assert controller.steps == 0
    np.testing.assert_allclose(robot.dof_values, [0.5, -0.5], atol=2e-3)
