"""Robots: manipulators, active degrees of freedom, sensors, controllers, IK."""

import dataclasses
import gc
import math
import weakref

import numpy as np
import pytest

import pyrave
from pyrave import (
    Affine,
    ArgumentError,
    IkParameterization,
    IkReturn,
    IkSolverBase,
    KinBody,
    LimitCheck,
    NotFoundError,
    NotSupportedError,
    SceneError,
    SensorBase,
    SensorData,
    SensorGeometry,
    SensorType,
    StateError,
)
from pyrave.ik import IkAction
from pyrave.scene import (
    AttachedSensorDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave.spatial import (
    as_pose,
    matrix_from_axis_angle,
    matrix_from_quat,
    quat_from_matrix,
)
from pyrave.summary import scene_summary
from pyrave.world import BodyChange

LENGTHS = (0.7, 0.4)


def planar():
    """Two links in a plane, a finger, a tool and a sensor at the end."""
    z = (0.0, 0.0, 1.0)
    links = tuple(LinkDescription(n) for n in ("base", "a", "b", "finger"))
    joints = (
        JointDescription("J0", "hinge", "base", "a", axes=(JointAxis(z),)),
        JointDescription(
            "J1",
            "hinge",
            "a",
            "b",
            Pose.from_translation(LENGTHS[0], 0, 0),
            axes=(JointAxis(z),),
        ),
        JointDescription(
            "F",
            "slider",
            "b",
            "finger",
            axes=(JointAxis((0.0, 1.0, 0.0), prismatic=True, lower=0, upper=0.1),),
        ),
    )
    tool = Pose.from_translation(LENGTHS[1], 0, 0)
    return RobotDescription(
        "planar",
        links,
        joints,
        manipulators=(
            ManipulatorDescription(
                "arm",
                "base",
                "b",
                tool,
                gripper_joints=("F",),
                chucking_direction=(-1.0,),
            ),
            ManipulatorDescription("half", "base", "a"),
        ),
        attached_sensors=(
            AttachedSensorDescription("eye", "b", Pose.from_translation(0, 0, 0.1)),
        ),
    )


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def robot(env):
    made = env.create("robot", "")
    made.init(planar())
    env.add(made)
    return made


class PlanarIk(IkSolverBase):
    """The two solutions of a planar arm in closed form."""

    contract = 2

    def init(self, manipulator):
        self._manipulator = weakref.ref(manipulator)
        return len(manipulator.arm_indices) == 2

    def get_manipulator(self):
        return self._manipulator()

    def solve_all(self, goal, options=0, free=None):
        base = self._manipulator().base.transform
        whole = goal.type is pyrave.IkParameterizationType.Transform6D
        pose = np.eye(4)
        if whole:
            pose = as_pose(goal.values)
        else:
            pose[:3, 3] = goal.values
        pose = np.linalg.inv(base) @ pose
        x, y, _ = pose[:3, 3]
        a, b = LENGTHS
        cosine = (x * x + y * y - a * a - b * b) / (2 * a * b)
        if abs(cosine) > 1:
            return [IkReturn(IkAction.REJECT_KINEMATICS)]
        found = []
        for elbow in (math.acos(cosine), -math.acos(cosine)):
            shoulder = math.atan2(y, x) - math.atan2(
                b * math.sin(elbow), a + b * math.cos(elbow)
            )
            turned = abs(math.sin(shoulder + elbow) - pose[1, 0])
            if not whole or turned < 1e-9:
                found.append(IkReturn(IkAction.SUCCESS, np.array((shoulder, elbow))))
        return found

    def solve(self, goal, q0=None, options=0, free=None):
        found = [r for r in self.solve_all(goal) if r]
        if not found:
            return IkReturn(IkAction.REJECT_KINEMATICS)
        return min(found, key=lambda r: np.linalg.norm(r.solution - q0))

    def get_num_free_parameters(self):
        return 0

    def get_free_parameters(self):
        return np.empty(0)

    def get_free_indices(self):
        return np.empty(0, dtype=np.int64)


class Eye(SensorBase):
    contract = 2
    pose = np.eye(4)

    def configure(self, command, blocking=False):
        return 1

    def get_sensor_geometry(self, sensor_type=SensorType.INVALID):
        return SensorGeometry()

    def create_sensor_data(self, sensor_type=SensorType.INVALID):
        return SensorData()

    def get_sensor_data(self, data):
        data.pose = self.transform
        return True

    def supports(self, sensor_type):
        return False


# -- manipulators ----------------------------------------------------------------------


def test_manipulator_attributes(robot):
    arm = robot.manipulators["arm"]
    assert (arm.base.name, arm.end_effector.name) == ("base", "b")
    assert arm.arm_indices.tolist() == [0, 1]
    assert arm.gripper_indices.tolist() == [2]
    assert arm.chucking_direction.tolist() == [-1]
    arm.chucking_direction = [2.5]
    assert arm.description.chucking_direction == (1.0,)
    assert arm.chucking_direction.tolist() == [1]
    with pytest.raises(ArgumentError, match="the chucking_direction of"):
        arm.chucking_direction = [1, 1]
    assert arm.direction.tolist() == [0, 0, 1]
    assert [joint.name for joint in arm.gripper_joints] == ["F"]
    robot.dof_values = (0.3, 0.5, 0)
    a, b = LENGTHS
    expected = (
        a * math.cos(0.3) + b * math.cos(0.8),
        a * math.sin(0.3) + b * math.sin(0.8),
        0,
    )
    np.testing.assert_allclose(arm.transform[:3, 3], expected)
    jacobian = arm.jacobian()
    assert jacobian.shape == (6, 2)
    np.testing.assert_allclose(jacobian[5], 1)
    np.testing.assert_allclose(jacobian[:2, 0], (-expected[1], expected[0]))
    np.testing.assert_allclose(
        jacobian[:2, 1], (-b * math.sin(0.8), b * math.cos(0.8)), atol=1e-15
    )


def test_the_active_manipulator(robot):
    assert robot.active_manipulator.name == "arm"
    robot.active_manipulator = "half"
    assert robot.active_manipulator is robot.manipulators["half"]
    assert robot.default_grab_link() == 1
    with robot.preserve_state():
        robot.active_manipulator = robot.manipulators["arm"]
        assert robot.default_grab_link() == 2
    assert robot.active_manipulator.name == "half"
    with pytest.raises(NotFoundError, match="did you mean 'half'"):
        robot.active_manipulator = "hal"
    robot.active_manipulator = None
    assert robot.active_manipulator.name == "arm"


def test_manipulators_come_and_go(robot):
    changes = []
    robot.register_change_callback(changes.append)
    made = robot.add_manipulator(ManipulatorDescription("tip", "base", "finger"))
    assert made.arm_indices.tolist() == [0, 1, 2]
    assert robot.manipulators.names == ("arm", "half", "tip")
    assert [m.name for m in robot.describe().manipulators] == ["arm", "half", "tip"]
    robot.active_manipulator = "tip"
    robot.remove_manipulator("tip")
    assert robot.active_manipulator.name == "arm"
    assert changes == [BodyChange.MANIPULATORS] * 2
    for wrong in (
        ManipulatorDescription("x", "base", "fingr"),
        ManipulatorDescription("x", "base", "b", gripper_joints=("G",)),
    ):
        with pytest.raises(NotFoundError):
            robot.add_manipulator(wrong)
    with pytest.raises(NotFoundError):
        robot.remove_manipulator("x")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"manipulators": (ManipulatorDescription("m", "base", "fingr"),)},
            "manipulator 'm' of 'planar' names the link 'fingr'.*did you mean 'finger'",
        ),
        (
            {
                "manipulators": (
                    ManipulatorDescription("m", "base", "b", gripper_joints=("G",)),
                )
            },
            "names the joint 'G'",
        ),
        (
            {"attached_sensors": (AttachedSensorDescription("s", "nose"),)},
            "attached sensor 's' of 'planar' names the link 'nose'",
        ),
    ],
)
def test_a_robot_that_refers_to_nothing_is_refused(env, change, text):
    with pytest.raises(SceneError, match=text):
        env.create("robot", "").init(dataclasses.replace(planar(), **change))


# -- inverse kinematics ----------------------------------------------------------------


def test_without_the_solver_that_its_file_asks_for_ik_says_what_to_do(robot):
    arm = robot.manipulators["arm"]
    arm.description = dataclasses.replace(arm.description, ik_solver="TheirSolver 3")
    text = r"asks for 'TheirSolver 3'.*arm\.ik_solver = 'Id'"
    with pytest.raises(NotSupportedError, match=text):
        arm.solve_ik(np.eye(4))
    with pytest.raises(NotSupportedError, match=text):
        arm.ik_solver.find(np.eye(4))
    assert arm.own_ik_solver is None


def test_a_manipulator_whose_file_asks_for_none_gets_the_default_solver(robot):
    arm = robot.manipulators["arm"]
    assert arm.own_ik_solver is None
    # which searches for what arms of two joints meet now and then
    assert arm.solve_ik(np.eye(4)) is None
    assert arm.ik_solver is arm.own_ik_solver
    assert arm.ik_solver.get_manipulator() is arm


def test_looking_at_a_robot_makes_no_solver(env, robot, tmp_path):
    env.save(tmp_path / "scene.env.xml")
    twin = env.clone().robots[robot.name]
    scene_summary(env)
    with robot.preserve_state():
        pass
    copies = twin, robot.clone()
    arms = [one for body in (robot, *copies) for one in body.manipulators]
    assert [one.own_ik_solver for one in arms] == [None] * len(arms)


def test_a_registered_solver_answers(env, robot):
    env.register("iksolver", "PlanarIk", PlanarIk)
    arm = robot.manipulators["arm"]
    arm.ik_solver = "PlanarIk"
    robot.transform = (math.cos(0.2), 0, 0, math.sin(0.2), 1, 2, 0)
    robot.dof_values = (0.3, 0.5, 0)
    target = arm.transform
    robot.dof_values = (0.5, -0.6, 0)
    point = IkParameterization.translation_3d(target[:3, 3])
    both = arm.solve_ik(point, all=True)
    assert both.shape == (2, 2)
    for q in both:
        robot.set_dof_values(q, arm.arm_indices)
        np.testing.assert_allclose(arm.transform[:3, 3], target[:3, 3], atol=1e-12)
    robot.dof_values = (0.2, 0.4, 0)
    np.testing.assert_allclose(arm.solve_ik(target), (0.3, 0.5), atol=1e-12)
    seven = np.concatenate((quat_from_matrix(target[:3, :3]), target[:3, 3]))
    np.testing.assert_allclose(arm.solve_ik(seven), (0.3, 0.5), atol=1e-12)
    kind = pyrave.IkParameterizationType.Transform6D
    goal = IkParameterization.from_pose(kind, target)
    np.testing.assert_allclose(arm.solve_ik(goal), (0.3, 0.5), atol=1e-12)
    far = np.eye(4)
    far[0, 3] = 10
    assert arm.solve_ik(far) is None
    assert arm.solve_ik(far, all=True).shape == (0, 2)
    with pytest.raises(ArgumentError, match="target"):
        arm.solve_ik((1, 2, 3))
    twin = env.clone().robots[0].manipulators["arm"]
    assert isinstance(twin.ik_solver, PlanarIk)
    assert twin.ik_solver is not arm.ik_solver
    assert twin.ik_solver.get_manipulator() is twin


def test_a_solver_that_does_not_fit_is_refused(env, robot):
    env.register("iksolver", "PlanarIk", PlanarIk)
    with pytest.raises(NotSupportedError, match="does not fit"):
        robot.manipulators["half"].ik_solver = "PlanarIk"
    assert robot.manipulators["half"].own_ik_solver is None
    other = pyrave.Environment()
    other.register("iksolver", "PlanarIk", PlanarIk)
    for wrong, text in (
        (other.create("iksolver", "PlanarIk"), "made for another environment"),
        (3, "ik_solver is 3, expected the id of an iksolver"),
    ):
        with pytest.raises(ArgumentError, match=text):
            robot.manipulators["arm"].ik_solver = wrong


def test_filters_change_and_refuse_solutions(env, robot):
    env.register("iksolver", "PlanarIk", PlanarIk)
    arm = robot.manipulators["arm"]
    solver = arm.set_ik_solver("PlanarIk")
    order = []

    def note(name, answer):
        def ik_filter(solution, manipulator, goal):
            order.append(name)
            assert manipulator is arm
            solution += 1
            return answer

        return ik_filter

    solver.register_custom_filter(1, note("low", IkAction.SUCCESS))
    values = IkReturn(IkAction.SUCCESS, None, {"grip": 3})
    handle = solver.register_custom_filter(5, note("high", values))
    q = np.zeros(2)
    answer = solver.call_filters(q, None)
    assert order == ["high", "low"]
    assert answer.solution.tolist() == [2, 2]
    assert answer.values == {"grip": 3}
    solver.register_custom_filter(9, note("never", IkAction.REJECT))
    answer = solver.call_filters(q, None)
    assert order[2:] == ["never"]
    assert not answer
    assert answer.action & IkAction.REJECT_CUSTOM_FILTER
    handle.close()
    with pytest.raises(ArgumentError, match="cannot be called"):
        solver.register_custom_filter(0, 3)


# -- active degrees of freedom ---------------------------------------------------------

ROTATIONS = (0, Affine.ROTATION_AXIS, Affine.ROTATION_3D, Affine.ROTATION_QUAT)


@pytest.mark.parametrize("length", [1e308, 1e-200])
def test_rotation_axis_of_any_length(robot, length):
    robot.set_active_dofs([0], Affine.ROTATION_AXIS, [0.0, length, 0.0])
    np.testing.assert_array_equal(robot.active.affine_rotation_axis, [0.0, 1.0, 0.0])


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("translation", range(8))
def test_active_values_go_round(robot, translation, rotation):
    mask = Affine(translation | rotation)
    rng = np.random.default_rng(int(mask))
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    robot.set_active_dofs([1, 0], mask, 3 * axis)
    np.testing.assert_allclose(robot.active.affine_rotation_axis, axis)
    base = np.eye(4)
    base[:3, :3] = matrix_from_axis_angle(axis, 0.8)
    base[:3, 3] = rng.normal(size=3)
    robot.transform = base
    robot.dof_values = (0.1, 0.2, 0.05)
    values = robot.active.values
    assert values.shape == (robot.active.dof,) == (2 + mask.size,)
    assert values[:2].tolist() == [0.2, 0.1]
    moved = robot.get_state()
    robot.transform = np.eye(4)
    robot.dof_values = (0, 0, 0.05)
    robot.active.values = values
    expected = np.eye(4)
    for k in range(3):
        if translation & (1 << k):
            expected[k, 3] = base[k, 3]
    if rotation:
        expected[:3, :3] = base[:3, :3]
    np.testing.assert_allclose(robot.transform, expected, atol=1e-14)
    np.testing.assert_allclose(robot.active.values, values, atol=1e-14)
    np.testing.assert_array_equal(robot.dof_values, moved.dof_values)


def test_the_values_of_each_rotation(robot):
    quat = np.array((0.9, 0.1, -0.3, 0.2))
    quat /= np.linalg.norm(quat)
    robot.transform = (*quat, 1, 2, 3)
    robot.set_active_dofs([], Affine.TRANSFORM)
    np.testing.assert_allclose(robot.active.values, (1, 2, 3, *quat))
    robot.set_active_dofs([], Affine.ROTATION_3D)
    vector = robot.active.values
    np.testing.assert_allclose(matrix_from_axis_angle(vector), matrix_from_quat(quat))


def test_active_values_are_all_or_nothing(robot):
    robot.set_active_dofs([0], Affine.X)
    with pytest.raises(ArgumentError, match="outside of its limits"):
        robot.active.set_values((9, 5), LimitCheck.RAISE)
    assert robot.transform[0, 3] == 0
    robot.set_active_dofs([0], Affine.ROTATION_QUAT)
    with pytest.raises(ArgumentError, match="quaternion"):
        robot.active.values = (1, 0, 0, 0, 0)
    assert robot.dof_values[0] == 0
    with pytest.raises(ArgumentError, match="length 5"):
        robot.active.values = (1, 0)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([0, 0],), "repeat"),
        (([3],), "not in 0..2"),
        (([0], Affine.ROTATION_3D | Affine.ROTATION_AXIS), "one kind of rotation"),
        (([0], 64), "0..63"),
        (([0], Affine.ROTATION_AXIS, (0, 0, 0)), "no direction"),
    ],
)
def test_active_dofs_without_meaning_are_refused(robot, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        robot.set_active_dofs(*arguments)
    assert robot.active_dof_indices.tolist() == [0, 1, 2]
    assert robot.active.affine is Affine.NONE


# -- sensors ---------------------------------------------------------------------------


def test_sensors_follow_their_robot(env, robot):
    env.register("sensor", "Eye", Eye)
    mounted = robot.attached_sensors["eye"]
    assert mounted.link.name == "b"
    with pytest.raises(NotSupportedError, match="has no sensor object"):
        mounted.read()
    assert len(env.sensors) == 0
    mounted.sensor = eye = env.create("sensor", "Eye")
    assert env.sensors["planar:eye"] is eye
    for move in (
        lambda: setattr(robot, "dof_values", (0.3, 0.4, 0)),
        lambda: setattr(robot, "transform", (0, 1, 0, 0, 1, 2, 3)),
        lambda: setattr(robot.links["b"], "transform", np.eye(4)),
    ):
        move()
        expected = robot.links["b"].transform @ mounted.local_transform
        np.testing.assert_allclose(eye.transform, expected, atol=1e-14)
        np.testing.assert_allclose(mounted.read().pose, mounted.transform)
    with robot.preserve_state():
        robot.dof_values = (0, 0, 0)
    np.testing.assert_allclose(eye.transform, mounted.transform, atol=1e-14)
    with pytest.raises(StateError, match="local_transform of its mounting"):
        eye.transform = np.eye(4)
    mounted.sensor = None
    left = eye.transform
    robot.dof_values = (0.3, 0.4, 0)
    np.testing.assert_array_equal(eye.transform, left)
    mounted.sensor = eye
    np.testing.assert_array_equal(eye.transform, mounted.transform)
    stranger = pyrave.Environment()
    stranger.register("sensor", "Eye", Eye)
    with pytest.raises(ArgumentError, match="not a sensor made for"):
        mounted.sensor = stranger.create("sensor", "Eye")
    assert mounted.sensor is eye


def test_a_clone_carries_its_own_sensors(env, robot):
    env.register("sensor", "Eye", Eye)
    robot.attached_sensors["eye"].sensor = env.create("sensor", "Eye")
    robot.dof_values = (0.3, 0.4, 0)
    twin = robot.clone()
    assert twin.own_controller is None
    env.add(twin, rename=True)
    assert env.sensors.names == ("planar:eye", "planar1:eye")
    twin.dof_values = (1, 1, 0)
    eyes = [env.sensors[name].transform for name in env.sensors.names]
    assert not np.allclose(eyes[0], eyes[1])


# -- controllers -----------------------------------------------------------------------


def test_controllers(env, robot):
    assert robot.own_controller is None
    first = robot.controller
    made = robot.set_controller("IdealController", [0], control_transform=True)
    assert robot.controller is made
    assert made is not first
    assert made.get_control_dof_indices().tolist() == [0]
    assert made.is_control_transformation()
    assert made.get_robot() is robot
    made.set_desired((0.7,))
    env.step(0.01)
    assert robot.dof_values[0] == pytest.approx(0.7)
    with pytest.raises(ArgumentError, match=r"not in 0\.\.2"):
        robot.set_controller("IdealController", [7])
    with pytest.raises(pyrave.InterfaceNotFoundError):
        robot.set_controller("NoSuchController")
    stranger = pyrave.Environment()
    other = stranger.create("controller", "IdealController")
    for wrong in (other, 3):
        with pytest.raises(
            ArgumentError, match=r"made for another environment|controller is 3"
        ):
            robot.set_controller(wrong)
    assert robot.controller is made
    assert robot.set_controller(None) is None
    assert robot.own_controller is None


def test_a_robot_is_a_body_and_grabs_with_its_hand(env, robot):
    assert isinstance(robot, KinBody)
    box = env.create("kinbody", "")
    env.add(box)
    robot.grab(box)
    robot.dof_values = (0.2, 0.5, 0)
    np.testing.assert_allclose(
        box.transform,
        robot.links["b"].transform @ Pose(translation=(-LENGTHS[0], 0.0, 0.0)).matrix,
        atol=1e-14,
    )


def test_robots_go_away_by_themselves(env):
    env.register("iksolver", "PlanarIk", PlanarIk)
    robot = env.create("robot", "")
    robot.init(planar())
    env.add(robot)
    arm = robot.manipulators["arm"]
    arm.ik_solver = "PlanarIk"
    watched = [weakref.ref(item) for item in (robot, arm, robot.controller)]
    env.remove(robot)
    del robot, arm
    gc.collect()
    assert [ref() for ref in watched] == [None] * 3
