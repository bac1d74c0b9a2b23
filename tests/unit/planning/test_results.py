"""Results: falsy without a solution, the cause in words, taken where motions are."""

import pickle

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, StateError
from pyrave.ik import IkPath, IkPathEnd
from pyrave.planning import plan, retime, verification, verify
from pyrave.spatial import pose_from_wxyz_xyz

FAR = np.array([1.0, 0, 0, 0, 5.0, 0, 1.0])


@pytest.fixture
def arm():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"].manipulators["arm"]


def line(arm, by=0.05):
    goal = arm.transform
    goal[2, 3] += by
    return arm.straight_line(goal, 10)


def ways_to_fail(arm):
    """Yield results without a solution of everything that looks for one."""
    yield arm.plan({"joint1": 9.0})
    yield plan(arm, pose_from_wxyz_xyz(FAR))
    yield arm.robot.env.plan({arm: {"joint1": 9.0}})
    yield arm.find_ik(FAR)
    yield arm.find_ik(FAR, nearest=True)
    yield arm.straight_line(FAR, 10)
    yield arm.follow([FAR, FAR])
    yield arm.ik_solver.solve(pyrave.IkParameterization.transform_6d(FAR))
    moved = retime(arm, [arm.arm_dof_values, arm.arm_dof_values + 0.3])
    arm.robot.set_controller("JointPIDController")
    arm.robot.env.physics_engine = arm.robot.env.create("physicsengine", "mujoco")
    yield arm.robot.execute(moved, patience=0.0, tolerance=0.0)


def test_no_solution_is_falsy_with_a_cause(arm):
    for result in ways_to_fail(arm):
        assert not result
        assert isinstance(result.cause, str)
        assert len(result.cause) > 10, result


def test_a_solution_is_true_and_has_no_cause(arm):
    path = line(arm)
    trajectory = retime(arm, path)
    found = (
        arm.plan({"joint1": 0.3}),
        arm.find_ik(arm.transform),
        path,
        verification(arm.robot, trajectory),
        arm.robot.execute(trajectory),
    )
    for result in found:
        assert result
        assert result.cause == ""


def test_what_a_trajectory_breaks_is_the_cause_of_a_verification(arm):
    robot = arm.robot
    values = np.stack([arm.arm_dof_values, arm.arm_dof_values + 0.4])
    fast = retime(arm, values)
    robot.dof_velocity_limits = robot.dof_velocity_limits / 4
    found = verification(robot, fast, collisions=False)
    assert not found
    assert "velocity limit" in found.cause
    assert found.cause in str(found)


def test_a_path_without_words_has_its_status_as_cause():
    path = IkPath(np.empty((0, 2)), 3, IkPathEnd.NO_START)
    assert path.cause == "no start"
    with pytest.raises(StateError, match="ends early: no start"):
        _ = path.trajectory


@pytest.mark.parametrize("make", [lambda arm: arm.plan({"joint1": 0.3}), line])
def test_plans_and_paths_are_taken_as_trajectories(arm, make, tmp_path):
    robot, env = arm.robot, arm.robot.env
    motion = make(arm)
    assert motion, motion.cause
    duration = motion.trajectory.duration
    assert motion.trajectory is motion.trajectory
    assert verify(robot, motion) == ()
    assert env.picture(trajectory=motion, size=(80, 60)).any()
    env.record(tmp_path / "a.html", motion)
    assert (tmp_path / "a.html").stat().st_size > 10_000
    assert env.clone().execute(motion).seconds >= duration - 1e-6
    assert robot.execute(motion)
    assert np.allclose(motion.trajectory.waypoints[-1][:7], arm.arm_dof_values)


def test_what_has_no_motion_is_refused_with_its_cause(arm, tmp_path):
    robot, env = arm.robot, arm.robot.env
    for motion in (arm.plan({"joint1": 9.0}), arm.straight_line(FAR, 10)):
        for use in (
            robot.execute,
            env.execute,
            lambda one: env.record(tmp_path / "a.html", one),
            lambda one: env.picture(trajectory=one),
            lambda one: env.picture(trajectory=[one]),
            env.draw.trajectory,
            lambda one: verify(robot, one),
            lambda one: (
                retime(arm, one) if isinstance(one, IkPath) else verify(robot, one)
            ),
        ):
            with pytest.raises(ArgumentError) as caught:
                use(motion)
            assert motion.cause.splitlines()[0][:60] in str(caught.value)
    assert not (tmp_path / "a.html").exists()


@pytest.mark.parametrize("given", [None, 3, [[0.0] * 7], "home"])
def test_what_is_no_motion_is_refused(arm, given):
    for use in (arm.robot.execute, arm.robot.env.execute):
        with pytest.raises(ArgumentError, match="expected a trajectory, the result of"):
            use(given)


def test_a_pickled_path_is_without_its_arm(arm):
    path = line(arm)
    assert path.arm is arm
    copy = pickle.loads(pickle.dumps(path))  # noqa: S301 - its own
    assert copy.arm is None
    assert (copy.values == path.values).all()
    with pytest.raises(ArgumentError, match=r"retime\(arm, path\)"):
        _ = copy.trajectory
