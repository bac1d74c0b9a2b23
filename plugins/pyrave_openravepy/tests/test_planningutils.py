"""`planningutils`: times, waypoints, operations on trajectories, jitter."""

import numpy as np
import pytest

from pyrave_openravepy.api.foundation.objects import wrap


@pytest.fixture(scope="module")
def utils(openravepy):
    return openravepy.planningutils


@pytest.fixture
def env(openravepy):
    env = openravepy.Environment()
    env.StopSimulation()
    assert env.Load("robots/heron7.robot.xml")
    return env


@pytest.fixture
def robot(env):
    robot = env.GetRobots()[0]
    robot._native.set_active_dofs(range(3))
    return robot


@pytest.fixture
def path(openravepy, env, robot):
    """Return a function that makes a trajectory of the first three joints."""

    def make(*rows):
        made = wrap(env._native.create("trajectory", ""))
        spec = openravepy.ConfigurationSpecification()
        spec.AddGroup(f"joint_values {robot.GetName()} 0 1 2", 3, "linear")
        made.Init(spec)
        made.Insert(0, np.ravel(rows))
        return made

    return make


ROWS = ([0, 0, 0], [0.5, 0.2, 0], [0.9, 0.2, 0.3])


@pytest.mark.parametrize(
    ("planner", "interpolation"),
    [
        ("", "quadratic"),
        ("LinearTrajectoryRetimer", "linear"),
        ("parabolictrajectoryretimer", "quadratic"),
        ("CubicTrajectoryRetimer", "cubic"),
        ("QuinticTrajectoryRetimer", "quintic"),
    ],
)
def test_times_keep_the_limits(utils, robot, path, planner, interpolation):
    trajectory = path(*ROWS)
    status = utils.RetimeActiveDOFTrajectory(trajectory, robot, plannername=planner)
    assert status.HasSolution == status
    spec = trajectory.GetConfigurationSpecification()
    assert spec.GetGroups()[0].interpolation == interpolation
    whole = trajectory.GetDuration()
    # half the speed of constant speeds takes twice as long, of others less
    slow = path(*ROWS)
    assert utils.RetimeActiveDOFTrajectory(slow, robot, False, 0.5, 0.5, planner)
    assert slow.GetDuration() > 1.3 * whole
    joints = path(*ROWS).GetConfigurationSpecification()
    times = np.linspace(0, whole, 400)
    rates = np.diff(trajectory.SamplePoints2D(times, joints), axis=0) / times[1]
    limits = robot._native.dof_velocity_limits[:3]
    assert (np.abs(rates).max(axis=0) <= limits * (1 + 1e-6)).all()
    np.testing.assert_allclose(trajectory.GetWaypoint(-1, joints), ROWS[-1])
    utils.VerifyTrajectory(None, trajectory, 0.002)


def test_times_of_limits_of_the_caller(utils, path):
    trajectory = path([0, 0, 0], [1, 0, 0])
    assert utils.RetimeAffineTrajectory(trajectory, [1, 1, 1], [4, 4, 4])
    # a trapezoid: 1 m at 1 m/s, and 1 / 4 s for speeding up and slowing down
    assert trajectory.GetDuration() == pytest.approx(1.25)
    assert utils.SmoothAffineTrajectory(trajectory, [1, 1, 1], [4, 4, 4])
    assert trajectory.GetDuration() == pytest.approx(1.25)
    retimer = utils.AffineTrajectoryRetimer("LinearTrajectoryRetimer")
    assert retimer.GetPlannerName() == "LinearTrajectoryRetimer"
    for arguments in (([2] * 3, [4] * 3), ([2] * 3, [4] * 3, [100] * 3, False)):
        again = path([0, 0, 0], [1, 0, 0])
        assert retimer.PlanPath(again, *arguments)
        assert again.GetDuration() == pytest.approx(0.5)


def test_bases_are_timed(openravepy, utils, env, robot):
    dof = openravepy.DOFAffine
    mask = dof.X | dof.Y | dof.RotationAxis
    trajectory = wrap(env._native.create("trajectory", ""))
    spec = openravepy.RaveGetAffineConfigurationSpecification(mask, robot, "linear")
    trajectory.Init(spec)
    # the short way round
    trajectory.Insert(0, [0, 0, 3, 1, 0, -3])
    assert utils.RetimeAffineTrajectory(trajectory, [1, 1, 1], [4, 4, 4])
    assert trajectory.GetDuration() == pytest.approx(1.25)
    middle = trajectory.Sample(0.625, spec)
    assert abs(abs(middle[2]) - np.pi) < 0.2
    robot._native.set_active_dofs([], mask, [0, 0, 1])
    slow = wrap(env._native.create("trajectory", ""))
    slow.Init(spec)
    slow.Insert(0, [0, 0, 0, 1, 0, 0.1])
    assert utils.RetimeActiveDOFTrajectory(slow, robot)
    assert slow.GetDuration() == pytest.approx(2)


def test_goals_and_quaternions_are_timed(openravepy, utils, env, robot):
    from pyrave.spatial import pose_from_wxyz_xyz

    trajectory = wrap(env._native.create("trajectory", ""))
    spec = openravepy.ConfigurationSpecification()
    pose = openravepy.IkParameterizationType.Transform6D
    spec.AddGroup(f"ikparam_values {int(pose)}", 7, "linear")
    trajectory.Init(spec)
    # quaternions of both signs
    rows = [[1, 0, 0, 0, 0, 0, 0], [-1, 0, 0, -1e-3, 0, 0, 2]]
    trajectory.Insert(0, np.ravel(rows))
    assert utils.RetimeAffineTrajectory(trajectory, np.ones(7), 4 * np.ones(7))
    assert trajectory.GetDuration() == pytest.approx(2.25)
    names = [g.name for g in trajectory.GetConfigurationSpecification().GetGroups()]
    assert names == [
        f"ikparam_values {int(pose)}",
        f"ikparam_velocities {int(pose)}",
        "deltatime",
    ]
    np.testing.assert_allclose(trajectory.Sample(1.125)[4:7], [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(trajectory.Sample(1.125)[0], 1, atol=1e-6)
    base = wrap(env._native.create("trajectory", ""))
    whole = openravepy.DOFAffine.Transform
    spec = openravepy.RaveGetAffineConfigurationSpecification(whole, robot, "linear")
    base.Init(spec)
    base.Insert(0, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -0.6, 0, 0, -0.8])
    assert utils.RetimeAffineTrajectory(base, np.ones(7), 4 * np.ones(7))
    found = spec.ExtractTransform(None, base.Sample(99, spec), robot)
    end = pose_from_wxyz_xyz([0.6, 0, 0, 0.8, 1, 0, 0])
    np.testing.assert_allclose(found, end, atol=1e-9)
    with pytest.raises(openravepy.openrave_exception, match="RetimeAffineTrajectory"):
        utils.RetimeTrajectory(base)


def test_times_are_kept(openravepy, utils, robot, path):
    trajectory = path(*ROWS)
    spec = trajectory.GetConfigurationSpecification()
    spec.AddDeltaTimeGroup()
    utils.ConvertTrajectorySpecification(trajectory, spec)
    assert trajectory.GetWaypoint(1).tolist() == [0.5, 0.2, 0, 0]
    times = openravepy.ConfigurationSpecification()
    times.AddDeltaTimeGroup()
    trajectory.Insert(0, [0, 2, 3], times, True)
    assert utils.RetimeTrajectory(trajectory, True)
    assert trajectory.GetDuration() == pytest.approx(5)
    retimer = utils.ActiveDOFTrajectoryRetimer(robot, "LinearTrajectoryRetimer", "")
    assert retimer.PlanPath(trajectory, True)
    assert trajectory.GetDuration() == pytest.approx(5)


def test_smoothing_is_faster(utils, robot, path):
    slow, fast, also = path(*ROWS), path(*ROWS), path(*ROWS)
    assert utils.RetimeTrajectory(slow)
    text = "<_nmaxiterations>50</_nmaxiterations>"
    assert utils.SmoothActiveDOFTrajectory(fast, robot, plannerparameters=text)
    assert utils.SmoothTrajectory(also)
    assert fast.GetDuration() < 0.9 * slow.GetDuration()
    assert also.GetDuration() < 0.9 * slow.GetDuration()
    smoother = utils.ActiveDOFTrajectorySmoother(robot, "ParabolicSmoother", text)
    assert smoother.PlanPath(slow)
    assert slow.GetDuration() == pytest.approx(fast.GetDuration())
    utils.VerifyTrajectory(None, fast)


def test_failures_are_a_status(openravepy, utils, robot, path):
    trajectory = path([0, 0, 0], [9, 0, 0])
    for call in (
        lambda: utils.RetimeActiveDOFTrajectory(trajectory, robot),
        lambda: utils.SmoothTrajectory(trajectory),
        lambda: utils.RetimeTrajectory(path(*ROWS), plannername="nothing"),
    ):
        status = call()
        assert not status
        assert status == openravepy.PlannerStatusCode.Failed
        assert status.description
    assert trajectory.GetWaypoint(1).tolist() == [9, 0, 0]


def test_trajectories_are_cut_joined_and_turned(openravepy, utils, env, robot, path):
    trajectory = path(*ROWS)
    joints = trajectory.GetConfigurationSpecification()
    utils.RetimeTrajectory(trajectory)
    whole = trajectory.GetDuration()
    at = [trajectory.Sample(time, joints) for time in (0.1, 0.3)]
    part = utils.GetTrajectorySegment(trajectory, 0.1, 0.3)
    assert part.GetDuration() == pytest.approx(0.2)
    np.testing.assert_allclose(part.Sample(0, joints), at[0])
    np.testing.assert_allclose(part.Sample(0.2, joints), at[1])
    back = utils.ReverseTrajectory(trajectory)
    np.testing.assert_allclose(back.Sample(whole - 0.1, joints), at[0], atol=1e-12)
    utils.SegmentTrajectory(trajectory, 0.1, 99)
    assert trajectory.GetDuration() == pytest.approx(whole - 0.1)
    other = wrap(env._native.create("trajectory", ""))
    spec = openravepy.ConfigurationSpecification()
    spec.AddGroup(f"joint_values {robot.GetName()} 4", 1, "linear")
    other.Init(spec)
    other.Insert(0, [0, 0.5])
    utils.RetimeTrajectory(other)
    both = utils.MergeTrajectories([trajectory, other])
    longest = max(trajectory.GetDuration(), other.GetDuration())
    assert both.GetDuration() == pytest.approx(longest)
    np.testing.assert_allclose(both.Sample(0.1, spec), other.Sample(0.1, spec))
    utils.ComputeTrajectoryDerivatives(both, 2)
    kinds = {
        g.name.split()[0] for g in both.GetConfigurationSpecification().GetGroups()
    }
    assert {"joint_velocities", "joint_accelerations"} <= kinds


def test_a_waypoint_is_inserted(utils, robot, path):
    trajectory = path(*ROWS)
    joints = trajectory.GetConfigurationSpecification()
    utils.RetimeActiveDOFTrajectory(trajectory, robot)
    whole, count = trajectory.GetDuration(), len(trajectory)
    between = [0.3, 0.3, 0.1]
    insert = utils.InsertActiveDOFWaypointWithRetiming
    place = insert(1, between, np.zeros(3), trajectory, robot, 1, 1)
    np.testing.assert_allclose(trajectory.GetWaypoint(place, joints), between)
    assert trajectory.GetDuration() > whole
    assert len(trajectory) > count
    np.testing.assert_allclose(trajectory.GetWaypoint(0, joints), ROWS[0])
    np.testing.assert_allclose(trajectory.GetWaypoint(-1, joints), ROWS[-1])
    utils.VerifyTrajectory(None, trajectory)
    whole = trajectory.GetDuration()
    end = [0.9, 0.2, 0.8]
    extend = utils.ExtendActiveDOFWaypoint
    place = extend(len(trajectory), end, np.zeros(3), trajectory, robot)
    assert place == len(trajectory) - 1
    np.testing.assert_allclose(trajectory.GetWaypoint(-1, joints), end)
    assert extend(0, [0, 0, -0.4], np.zeros(3), trajectory, robot) == 0
    np.testing.assert_allclose(trajectory.Sample(0, joints), [0, 0, -0.4])
    assert trajectory.GetDuration() > whole + 0.2
    utils.VerifyTrajectory(None, trajectory)
    retimer = wrap(trajectory._native.env.create("planner", utils_retimer))
    assert utils.ExtendWaypoint(0, [0, 0, 0], np.zeros(3), trajectory, retimer) == 0
    smooth = utils.InsertWaypointWithSmoothing
    place = smooth(1, [0, 0, -0.2], [0, 0, -0.3], trajectory, 1, 1, "ParabolicSmoother")
    velocities = joints.ConvertToVelocitySpecification()
    found = trajectory.GetWaypoint(place, velocities)
    np.testing.assert_allclose(found, [0, 0, -0.3], atol=1e-9)


utils_retimer = "ParabolicTrajectoryRetimer"


def test_what_breaks_limits_is_not_valid(openravepy, utils, robot, path):
    trajectory = path([0, 0, 0], [0.5, 0, 0])
    parameters = openravepy.Planner.PlannerParameters()
    parameters.SetRobotActiveJoints(robot)
    utils.VerifyTrajectory(parameters, trajectory)
    utils.RetimeAffineTrajectory(trajectory, [9, 9, 9], [4, 4, 4])
    utils.VerifyTrajectory(parameters, trajectory, 0.01)
    parameters.SetConfigAccelerationLimit([1, 1, 1])
    before = robot._native.dof_acceleration_limits.copy()
    with pytest.raises(
        openravepy.openrave_exception, match="acceleration limit"
    ) as one:
        utils.VerifyTrajectory(parameters, trajectory, 0.01)
    assert one.value.GetCode() == openravepy.ErrorCode.InconsistentConstraints
    np.testing.assert_array_equal(robot._native.dof_acceleration_limits, before)
    with pytest.raises(openravepy.openrave_exception, match="expected -"):
        utils.VerifyTrajectory(None, path([0, 0, 0], [9, 0, 0]))


def test_motions_are_compared_with_efforts(openravepy, utils, robot):
    parameters = openravepy.Planner.PlannerParameters()
    parameters.SetRobotActiveJoints(robot)
    bits = openravepy.ConstraintFilterOptions
    constraint = utils.DynamicsCollisionConstraint(parameters, [robot])
    q, rest = robot.GetDOFValues()[:3], np.zeros(3)
    assert constraint.Check(q, q, rest, rest, 0.1) == 0
    strong = np.array([1e6, 0, 0])
    check = constraint.CheckWithAccelerations
    assert check(q, q, rest, rest, strong, rest, 0.1) == 0
    constraint.SetTorqueLimitMode(1)
    robot._native.dof_torque_limits = np.full(robot.GetDOF(), 1e4)
    assert check(q, q, rest, rest, strong, rest, 0.1) == bits.CheckTimeBasedConstraints
    assert constraint.GetReport() is None
    constraint.SetFilterMask(bits.CheckEnvCollisions)
    constraint.SetPerturbation(1e-5)
    assert check(q, q, rest, rest, strong, rest, 0.1) == 0


@pytest.fixture
def beside(openravepy, env, robot):
    """Return a box that just touches the last link of the robot from above."""
    box = openravepy.RaveCreateKinBody(env, "")
    box.SetName("box")
    box.InitFromBoxes(np.array([[0, 0, 0, 0.05, 0.05, 0.05]]), True)
    env.Add(box)
    top = robot.ComputeAABB()
    pose = np.eye(4)
    pose[:3, 3] = top.pos()
    pose[2, 3] += top.extents()[2] + 0.05 - 0.004
    box.SetTransform(pose)
    return box


def test_a_body_is_moved_until_it_is_free(utils, env, beside):
    present = beside.GetTransform()
    beside.SetTransform(np.diag([1.0, 1, 1, 1]) + np.pad([[9.0]], ((0, 3), (3, 0))))
    away = beside.GetTransform()
    assert utils.JitterTransform(beside, 0.1) is True
    np.testing.assert_array_equal(beside.GetTransform(), away)
    beside.SetTransform(present)
    assert env.CheckCollision(beside)
    assert utils.JitterTransform(beside, 1e-6, 20) is False
    np.testing.assert_array_equal(beside.GetTransform(), present)
    assert utils.JitterTransform(beside, 0.1) is True
    assert not env.CheckCollision(beside)
    moved = beside.GetTransform()[:3, 3] - present[:3, 3]
    assert 0 < np.abs(moved).max() <= 0.1


def test_a_robot_is_moved_until_it_is_free(openravepy, utils, env, robot, beside):
    robot._native.set_active_dofs([1, 3, 5])
    parameters = openravepy.Planner.PlannerParameters()
    parameters.SetRobotActiveJoints(robot)
    start = robot.GetDOFValues([1, 3, 5])
    assert env.CheckCollision(robot)
    check = utils.DynamicsCollisionConstraint(parameters, [robot]).Check
    constraint = utils.DynamicsCollisionConstraint(parameters, [robot])
    none = np.zeros(3)
    bits = openravepy.ConstraintFilterOptions
    found = constraint.Check(start, start, none, none, 0)
    assert found == bits.CheckEnvCollisions
    report = constraint.GetReport()
    assert beside in (report.plink1.GetParent(), report.plink2.GetParent())
    assert utils.JitterCurrentConfiguration(parameters, 10, 1e-7) == -1
    np.testing.assert_array_equal(robot.GetDOFValues([1, 3, 5]), start)
    assert utils.JitterCurrentConfiguration(parameters, 5000, 0.1) == 1
    moved = robot.GetDOFValues([1, 3, 5])
    assert not env.CheckCollision(robot)
    assert 0 < np.abs(moved - start).max() <= 0.1
    assert utils.JitterCurrentConfiguration(parameters) == 0
    np.testing.assert_array_equal(robot.GetDOFValues([1, 3, 5]), moved)
    assert check(moved, moved, none, none, 0) == 0


def test_frames_of_joints(utils, robot):
    found = utils.GetDHParameters(robot)
    assert [one.joint for one in found[:3]] == robot.GetJoints()[:3]
    assert found[0].parentindex == -1
    for one in found:
        before = np.eye(4) if one.parentindex < 0 else found[one.parentindex].transform
        turn, lean = np.eye(4), np.eye(4)
        c, s = np.cos(one.theta), np.sin(one.theta)
        turn[:2, :2], turn[2, 3] = [[c, -s], [s, c]], one.d
        c, s = np.cos(one.alpha), np.sin(one.alpha)
        lean[1:3, 1:3], lean[0, 3] = [[c, -s], [s, c]], one.a
        np.testing.assert_allclose(before @ turn @ lean, one.transform, atol=1e-12)
        # z is the axis of the joint
        axis = one.joint.GetAxis(0)
        np.testing.assert_allclose(one.transform[:3, 2], axis, atol=1e-9)
    made = utils.DHParameter(found[0].joint, -1, np.eye(4), 1, 2, 3, 4)
    assert (made.d, made.a, made.theta, made.alpha) == (1, 2, 3, 4)


def test_wrong_arguments_are_openrave_exceptions(openravepy, utils, robot, path):
    timed = path(*ROWS)
    utils.RetimeTrajectory(timed)
    insert = utils.InsertWaypointWithSmoothing
    for wrong, text in (
        (lambda: utils.RetimeTrajectory(3), "RetimeTrajectory"),
        (lambda: utils.RetimeActiveDOFTrajectory(timed, robot, speed=1), "speed"),
        (lambda: utils.RetimeTrajectory(timed, plannerparameters="<a>"), "a"),
        (lambda: utils.ReverseTrajectory(path(*ROWS)), "retime it first"),
        (lambda: utils.MergeTrajectories([]), "no trajectories"),
        (lambda: utils.ComputeTrajectoryDerivatives(timed, 0), "order"),
        (lambda: insert(99, ROWS[0], [], timed), "expected 0 to"),
        (lambda: insert(1, [1], [], timed), "1 values"),
        (lambda: insert(1, ROWS[0], [], path(*ROWS)), "has no times"),
        (lambda: utils.ExtendActiveDOFWaypoint(1, [], [], timed, robot), "index is 1"),
        (lambda: utils.VerifyTrajectory(3, timed), "expected PlannerParameters"),
        (lambda: utils.JitterCurrentConfiguration(3), "expected PlannerParameters"),
        (lambda: utils.ManipulatorIKGoalSampler(None, []), "no parameterizations"),
        (lambda: utils.DynamicsCollisionConstraint(3, []), "expected PlannerParam"),
    ):
        with pytest.raises(openravepy.openrave_exception, match=text):
            wrong()
