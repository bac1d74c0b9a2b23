"""BaseManipulation: typed commands and OpenRAVE's texts move joints."""

from __future__ import annotations

import numpy as np
import pytest
from command_texts import START, end_of, put_on, values_at, words

import pyrave
from pyrave import Affine, ArgumentError, CommandError
from pyrave.interfaces import file_access
from pyrave.planning import verify
from pyrave.scene import body_from_boxes

# -- settings ----------------------------------------------------------------------


def test_settings_come_as_keywords_and_as_words_of_openrave():
    env = pyrave.load("robots/heron7.robot.xml")
    made = env.create(
        "module", "BaseManipulation", robot="heron7", planner="BiRRT", maxvelmult=0.5
    )
    said = env.create("module", "BaseManipulation heron7 planner BiRRT maxvelmult 0.5")
    assert made.settings == said.settings
    added = env.create("module", "BaseManipulation")
    env.add(added, args="heron7 planner BiRRT maxvelmult 0.5")
    assert added.settings == made.settings
    with pytest.raises(pyrave.SettingError, match="'planer', did you mean 'planner'"):
        env.create("module", "BaseManipulation heron7 planer BiRRT")
    with pytest.raises(pyrave.SettingError, match="'planner' without a value"):
        env.create("module", "BaseManipulation heron7 planner")
    with pytest.raises(pyrave.NotFoundError, match="heron"):
        env.add(env.create("module", "BaseManipulation"), args="heron8")


def test_a_module_is_of_the_only_robot_or_has_to_be_told():
    env = pyrave.Environment()
    module = env.create("module", "BaseManipulation")
    env.add(module)
    with pytest.raises(pyrave.StateError, match="has 0: name it"):
        module.move_manipulator(goal=[0.0])
    env.load("robots/heron7.robot.xml")
    assert module.robot.name == "heron7"
    env.load("robots/planar3r.robot.xml")
    assert module.send_command("SetRobot robot planar3r") == ""
    assert module.robot is env.robots["planar3r"]
    with pytest.raises(pyrave.NotFoundError, match="did you mean 'planar3r'"):
        module.set_robot("planar3")


def test_a_robot_without_manipulators_is_named():
    env = pyrave.load("robots/rover.robot.xml")
    module = env.create("module", "BaseManipulation")
    for arm in list(env.robots[0].manipulators):
        env.robots[0].remove_manipulator(arm)
    env.add(module)
    with pytest.raises(pyrave.StateError, match="has no manipulator"):
        module.move_to_hand_position(poses=np.eye(4))


def test_what_commands_set_goes_into_clones_and_ends_with_reset(base):
    base.set_minimum_goal_paths(3)
    base.set_post_processing("LinearSmoother", "<_nmaxiterations>5</_nmaxiterations>")
    copy = base.env.clone().modules[0]
    assert (
        copy.get_own_state()
        == base.get_own_state()
        == (
            3,
            (("LinearSmoother", "<_nmaxiterations>5</_nmaxiterations>"),),
        )
    )
    base.reset()
    assert base.get_own_state() == (1, ())


# -- MoveManipulator, MoveActiveJoints ---------------------------------------------


def test_move_manipulator_arrives_and_says_what_it_did(base):
    goal = START + 0.3
    answer = base.move_manipulator(goal=goal)
    assert answer
    assert answer.execution is not None
    np.testing.assert_allclose(base.arm.arm_dof_values, goal, atol=1e-6)
    assert answer.goal == 0
    assert verify(base.robot, answer.trajectory) == ()
    assert ", executed" in str(answer)
    assert "MotionAnswer" in repr(answer)


def test_texts_of_openrave_do_the_same(base):
    goal = START + 0.3
    text = base.send_command(
        f"MoveManipulator goal {words(goal)} execute 0 outputtraj maxiter 4000 "
        "maxtries 2 steplength 0.1 jitter 0.02 releasegil 1"
    )
    trajectory = base.env.create("trajectory", "")
    trajectory.deserialize(text)
    np.testing.assert_allclose(end_of(base, trajectory), goal, atol=1e-9)
    np.testing.assert_array_equal(base.arm.arm_dof_values, START)  # execute 0
    same = base.move_manipulator(
        goal=goal, execute=False, steplength=0.1, maxiter=4000, releasegil=True
    )
    np.testing.assert_allclose(
        trajectory.waypoints, same.trajectory.waypoints, atol=1e-12
    )
    same = base.send_command(f"movemanipulator goal {words(goal)} outputtrajobj")
    assert "<trajectory" in same
    np.testing.assert_allclose(base.arm.arm_dof_values, goal, atol=1e-6)


def test_of_several_goals_one_is_reached(base):
    goals = np.stack((START + 4.0, START + 0.2))
    goals[0] = np.clip(
        goals[0], *(b[base.arm.arm_indices] for b in base.robot.dof_limits)
    )
    answer = base.move_manipulator(goals=goals, execute=False)
    assert answer.goal in {0, 1}
    np.testing.assert_allclose(
        end_of(base, answer.trajectory), goals[answer.goal], atol=1e-9
    )
    text = f"MoveManipulator goals 2 {words(goals)} execute 0 outputtraj"
    assert "<trajectory" in base.send_command(text)
    both = base.move_manipulator(goal=START + 0.2, goals=goals[:1], execute=False)
    assert both


def test_goals_are_clamped_to_limits(base):
    upper = base.robot.dof_limits[1][base.arm.arm_indices]
    goal = START.copy()
    goal[0] = upper[0] + 5.0
    answer = base.move_manipulator(goal=goal, execute=False)
    assert end_of(base, answer.trajectory)[0] == pytest.approx(upper[0], abs=1e-9)


def test_ends_that_collide_are_joined_to_free_ones_near_them(base):
    put_on(base, 0.004)
    assert base.env.check_collision(base.robot)
    goal = START.copy()
    goal[0] += 0.8
    answer = base.move_manipulator(goal=goal, execute=False, jitter=0.04)
    assert answer, answer.cause
    trajectory = answer.trajectory
    np.testing.assert_allclose(
        values_at(base, trajectory, 0.0, range(7)), START, atol=1e-9
    )
    np.testing.assert_allclose(end_of(base, trajectory), goal, atol=1e-9)
    # only near the start does it collide
    base.arm.arm_dof_values = START
    hits = []
    for time in np.linspace(0.0, trajectory.duration, 200):
        values = values_at(base, trajectory, time, range(7))
        base.arm.arm_dof_values = values
        if base.env.check_collision(base.robot):
            hits.append(np.abs(values - START).max())
    assert hits
    assert max(hits) <= 0.04 + 1e-9
    base.arm.arm_dof_values = goal
    back = base.move_manipulator(goal=START, execute=False, jitter=0.04)
    np.testing.assert_allclose(end_of(base, back.trajectory), START, atol=1e-9)
    both = base.move_active_joints(goal=START, execute=False, jitter=0.0)
    assert not both
    assert "collides" in both.cause


def test_what_cannot_be_jittered_free_says_why(base, caplog):
    put_on(base, 0.03)
    goal = START.copy()
    goal[0] += 0.8
    answer = base.move_manipulator(goal=goal, jitter=1e-4)
    assert not answer
    assert "the start collides" in answer.cause
    assert "thing" in answer.cause
    with pytest.raises(pyrave.StateError, match="there is no motion: the start"):
        _ = answer.trajectory
    assert (
        base.send_command(f"MoveManipulator goal {words(goal)} jitter 0.0001") is None
    )
    assert "the start collides" in caplog.text
    base.arm.arm_dof_values = goal
    answer = base.move_manipulator(goal=START, jitter=1e-4)
    assert "the goal collides" in answer.cause


def test_active_joints_move_by_texts_and_keywords(base):
    robot = base.robot
    robot.set_active_dofs([0, 3])
    before = robot.dof_values
    assert base.send_command("MoveActiveJoints goal 0.5 1.0 outputtraj") is not None
    np.testing.assert_allclose(robot.dof_values[[0, 3]], (0.5, 1.0), atol=1e-6)
    np.testing.assert_array_equal(robot.dof_values[1], before[1])
    goals = [[0.1, 1.1], [0.2, 1.2]]
    answer = base.move_active_joints(
        goals=goals,
        steplength=0.1,
        maxiter=1000,
        maxtries=2,
        execute=False,
        outputtrajobj=True,
        jitter=0.01,
        releasegil=False,
    )
    assert answer.goal in {0, 1}
    assert "<trajectory" in answer.command_text()
    robot.set_active_dofs([])
    with pytest.raises(pyrave.StateError, match="no active joints"):
        base.move_active_joints(goal=[])


def test_motions_may_begin_at_several_configurations(base):
    robot = base.robot
    robot.set_active_dofs([0, 3])
    starts = [[0.4, 1.0], [0.5, 1.1]]
    answer = base.move_active_joints(
        goal=[0.0, 1.2], initialconfigs=starts, execute=False
    )
    first = values_at(base, answer.trajectory, 0.0, [0, 3])
    np.testing.assert_allclose(first, starts[0], atol=1e-9)
    text = base.send_command(
        "MoveActiveJoints goal 0 1.2 initialconfigs 2 0.4 1.0 0.5 1.1 execute 0 "
        "outputtraj"
    )
    assert "<trajectory" in text


def test_other_planners_may_change_the_path(base):
    base.robot.set_active_dofs([0, 3])
    goal = [0.6, 1.0]
    answer = base.move_active_joints(
        goal=goal,
        execute=False,
        postprocessingplanner="ParabolicSmoother",
        postprocessingparameters="<_nmaxiterations>10</_nmaxiterations>",
    )
    assert answer, answer.cause
    np.testing.assert_allclose(end_of(base, answer.trajectory), goal, atol=1e-9)
    assert base.send_command(
        "MoveActiveJoints goal 0.6 1.0 execute 0 outputtraj postprocessingplanner "
        "LinearSmoother postprocessingparameters <_nmaxiterations>5</_nmaxiterations>"
    )
    assert (
        base.send_command(
            "SetPostProcessing planner LinearSmoother parameters "
            "<_nmaxiterations>5</_nmaxiterations>"
        )
        == ""
    )
    linear = base.move_active_joints(goal=goal, execute=False)
    base.set_post_processing()
    own = base.move_active_joints(goal=goal, execute=False)
    kinds = [one.trajectory.spec.groups[0].interpolation for one in (linear, own)]
    assert kinds[1] == "cubic"
    assert kinds[0] != "cubic" or len(linear.trajectory) != len(own.trajectory)
    with pytest.raises(ArgumentError, match="of no planner: give its id"):
        base.move_active_joints(goal=goal, postprocessingparameters="<a/>")
    with pytest.raises(pyrave.InterfaceNotFoundError, match="LinearSmoother"):
        base.set_post_processing("LinearSmother")


def test_torque_limits_make_motions_slower(base):
    robot = base.robot
    robot.set_active_dofs(base.arm.arm_indices)
    goal = START.copy()
    goal[1] += 0.8
    base.env.gravity = (0, 0, -9.81)
    free = base.move_active_joints(goal=goal, execute=False)
    before = robot.dof_torque_limits
    needed = np.abs(robot.inverse_dynamics(np.zeros(robot.dof)))
    robot.dof_torque_limits = np.maximum(1.3 * needed, 0.2 * before.clip(0.1, 50.0))
    try:
        tight = base.move_active_joints(
            goal=goal, execute=False, usedynamicsconstraints=1
        )
        assert tight, tight.cause
        assert tight.trajectory.duration > free.trajectory.duration
        with pytest.raises(ArgumentError, match="expected 0 or 1"):
            base.move_active_joints(goal=goal, usedynamicsconstraints=3)
    finally:
        robot.dof_torque_limits = before


def test_a_base_moves_if_it_is_active(base):
    robot = base.robot
    robot.set_active_dofs([0], Affine.X | Affine.Y)
    robot.active.set_affine_limits(
        Affine.X | Affine.Y, lower=(-3, -3, 0), upper=(3, 3, 0), resolution=0.05
    )
    answer = base.move_active_joints(goal=[0.4, 0.5, -0.5])
    assert answer, answer.cause
    np.testing.assert_allclose(robot.transform[:2, 3], (0.5, -0.5), atol=1e-6)
    with pytest.raises(ArgumentError, match="motions of the base"):
        base.move_active_joints(goal=[0.4, 0.5, -0.5], usedynamicsconstraints=1)


def test_velocities_are_parts_of_the_limits(base):
    slow = base.env.create("module", "BaseManipulation", maxvelmult=0.25)
    fast = base.move_manipulator(goal=START + 0.5, execute=False)
    half = slow.move_manipulator(goal=START + 0.5, execute=False)
    assert half.trajectory.duration > 1.9 * fast.trajectory.duration


def test_several_goal_paths_are_looked_for(base):
    assert base.send_command("SetMinimumGoalPaths count 2") == ""
    assert base.get_own_state()[0] == 2
    goals = np.stack((START + 0.4, START - 0.2))
    answer = base.move_manipulator(goals=goals, execute=False)
    assert answer, answer.cause
    assert answer.goal == 1  # it is nearer
    with pytest.raises(
        ArgumentError, match="count is 0, expected a whole number from 1"
    ):
        base.set_minimum_goal_paths(0)


# -- JitterActive, MoveUnsyncJoints ------------------------------------------------


def test_jitter_active_makes_the_robot_free(base):
    assert base.send_command("JitterActive outputfinal execute 0") == words(START)
    put_on(base, 0.004)
    answer = base.jitter_active(maxiter=2000, jitter=0.05, outputfinal=True)
    assert answer, answer.cause
    assert np.abs(base.arm.arm_dof_values - START).max() <= 0.05 + 1e-9
    assert not base.env.check_collision(base.robot)
    text = answer.command_text()
    np.testing.assert_allclose(np.array(text.split(), float), answer.values)
    text = base.send_command("JitterActive maxiter 10 jitter 0.01 outputtraj execute 0")
    assert "<trajectory" in text
    assert "<trajectory" in base.send_command("JitterActive outputtrajobj execute 0")
    put_on(base, 0.03, "deep")
    answer = base.jitter_active(jitter=1e-4)
    assert not answer
    assert "deep" in answer.cause


def test_the_arm_makes_way_for_the_hand(base):
    robot, arm = base.robot, base.arm
    (finger,) = arm.gripper_indices
    opening = robot.dof_limits[1][finger]
    robot.set_dof_values([0.0], [finger])
    plain = base.move_unsync_joints([opening], [finger], maxdivision=20, execute=False)
    assert plain
    moved = plain.trajectory.spec.extract_used_indices(robot)[0]
    assert moved.tolist() == [finger]
    # a thing where the finger opens to: the arm has to go away first
    with robot.preserve_state():
        robot.set_dof_values([opening], [finger])
        link = next(
            one
            for one in robot.links
            if robot.model.dof_affects[finger][one.index] and one.aabb is not None
        )
        with_open = link.aabb
    with robot.preserve_state():
        robot.set_dof_values([0.0], [finger])
        way = with_open[0] - link.aabb[0]
    way /= np.linalg.norm(way)
    thing = base.env.create_body(
        body_from_boxes("post", [(0, 0, 0, 0.004, 0.004, 0.004)])
    )
    place = np.eye(4)
    for away in np.linspace(-0.05, 0.05, 200):
        place[:3, 3] = with_open[0] + away * way
        thing.transform = place
        robot.set_dof_values([opening], [finger])
        hits = base.env.check_collision(robot)
        robot.set_dof_values([0.0], [finger])
        if hits and not base.env.check_collision(robot):
            break
    else:
        pytest.fail("no place for a thing was found")
    answer = base.move_unsync_joints(
        jointvalues=[opening], jointinds=[finger], maxtries=2, planner="BasicRRT"
    )
    assert answer, answer.cause
    assert robot.dof_values[finger] == pytest.approx(opening, abs=1e-6)
    assert np.abs(arm.arm_dof_values - START).max() > 1e-3
    assert not base.env.check_collision(robot)


def test_unsynchronised_joints_by_text(base):
    (finger,) = base.arm.gripper_indices
    text = base.send_command(
        f"MoveUnsyncJoints handjoints 1 0.02 {finger} maxtries 1 maxdivision 10 "
        "planner BasicRRT execute 1 outputtraj"
    )
    assert "<trajectory" in text
    assert base.robot.dof_values[finger] == pytest.approx(0.02, abs=1e-6)
    assert "<trajectory" in base.send_command(
        f"MoveUnsyncJoints handjoints 1 0.01 {finger} outputtrajobj execute 0"
    )
    for given, said in (
        ({"handjoints": [2, 0.0, 1]}, "handjoints has 3 numbers"),
        ({"jointvalues": [0.0]}, "give jointvalues and jointinds, or handjoints"),
        ({"jointvalues": [0.0], "jointinds": [40]}, "expected 0 to 7"),
        ({"jointvalues": [0.0, 0.0], "jointinds": [7, 7]}, "different whole numbers"),
        ({"jointvalues": [9.0], "jointinds": [finger]}, "expected a value of"),
        ({"handjoints": [1, 0.0, 7], "jointinds": [7]}, "give handjoints, or"),
    ):
        with pytest.raises(ArgumentError, match=said):
            base.move_unsync_joints(**given)


# -- GrabBody, ReleaseAll, Traj, VerifyTrajectory -----------------------------------


def test_bodies_are_grabbed_and_released(base):
    box = put_on(base, -0.1)
    assert base.send_command("GrabBody name thing") == ""
    assert base.robot.grabbed == (box,)
    assert base.send_command("ReleaseAll") == ""
    assert base.robot.grabbed == ()
    assert base.grab_body("thing")
    assert base.release_all()
    with pytest.raises(pyrave.NotFoundError, match="did you mean 'thing'"):
        base.grab_body("thinge")


def test_trajectories_are_restored_from_texts_and_files(base, tmp_path):
    goal = START + 0.2
    motion = base.move_manipulator(goal=goal, execute=False).trajectory
    assert base.send_command(f"Traj stream {motion.to_xml(17)} 0 0") == ""
    np.testing.assert_allclose(base.arm.arm_dof_values, goal, atol=1e-6)
    # it begins where the robot is no more: resettrans puts it there
    with pytest.raises(pyrave.StateError):
        base.traj(motion.to_xml(17))
    assert base.send_command(f"traj stream {motion.to_xml(17)} 1 1") == ""
    path = tmp_path / "motion.xml"
    path.write_text(motion.to_xml(17))
    slow = base.env.create("module", "BaseManipulation", maxvelmult=0.5)
    base.arm.arm_dof_values = START
    again = slow.traj(filename=str(path), resettiming=True, execute=False)
    assert again.trajectory.duration > 1.5 * motion.duration
    assert base.send_command(f"Traj {path} 1 0") == ""
    assert base.traj(motion, resettrans=True, execute=False)
    for given, said in (
        ({}, "there is no trajectory: give stream or filename"),
        ({"filename": str(tmp_path / "none.xml")}, "cannot be read"),
        ({"stream": ["stream", "<trajectory/>", "7"]}, "expected resettrans and"),
    ):
        with pytest.raises(ArgumentError, match=said):
            base.traj(**given)
    with pytest.raises(pyrave.SceneError):
        base.traj("<trajectory>no</trajectory>")


class _OneFile:
    """A policy that grants reading one file, by the name "motion"."""

    def __init__(self, path):
        self.path = str(path)

    def to_read(self, name):
        if name != "motion":
            raise pyrave.StateError(f"nobody may read {name!r}")
        return self.path

    to_write = to_read


@pytest.mark.parametrize("command", ["Traj", "VerifyTrajectory"])
def test_callers_read_no_file_that_is_not_granted(base, tmp_path, command):
    """Whichever parameter names it."""
    motion = base.move_manipulator(goal=START + 0.2, execute=False).trajectory
    path = tmp_path / "motion.xml"
    path.write_text(motion.to_xml(17))
    with file_access(_OneFile(path)):
        for how in (f"stream {path}", f"filename {path}", str(path)):
            with pytest.raises(pyrave.Error, match="nobody may read"):
                base.send_command(f"{command} {how}")
        for how in ("stream motion", "filename motion"):
            assert base.send_command(f"{command} {how} resettrans 1") == ""


def test_trajectories_are_verified(base, tmp_path):
    motion = base.move_manipulator(goal=START + 0.2, execute=False).trajectory
    text = f"stream {motion.to_xml(17)} resettrans 1 resettiming 0 samplingstep 0.002"
    assert base.send_command(f"VerifyTrajectory {text}") == ""
    path = tmp_path / "motion.xml"
    path.write_text(motion.to_xml(17))
    assert base.verify_trajectory(filename=str(path), resettiming=True)
    base.arm.arm_dof_values = START + 0.1
    put_on(base, 0.02)
    base.arm.arm_dof_values = START
    found = base.verify_trajectory(motion, samplingstep=0.001)
    assert not found
    assert "thing" in found.cause
    assert base.send_command(f"VerifyTrajectory {text}") is None


# -- mistakes ----------------------------------------------------------------------


def test_misspelt_commands_and_parameters_are_told_the_nearest(base):
    with pytest.raises(CommandError, match="did you mean 'MoveManipulator'"):
        base.send_command("MoveManipulater goal 0")
    with pytest.raises(CommandError, match="did you mean 'goal'"):
        base.send_command("MoveManipulator gaol 0 0 0")
    with pytest.raises(CommandError, match="did you mean 'maxiter'"):
        base.command("MoveManipulator", goal=START, maxitr=3)
    with pytest.raises(CommandError, match="did you mean 'maxiter'"):
        base.send_command(f"MoveManipulator goal {words(START)} maxitr 3")
    with pytest.raises(ArgumentError, match="no goal: give goal, 7 numbers"):
        base.move_manipulator()
    with pytest.raises(ArgumentError, match="goals has the shape"):
        base.move_manipulator(goals=[[0.0, 1.0]])
    with pytest.raises(ArgumentError, match="maxtries is 0"):
        base.move_manipulator(goal=START, maxtries=0)
    with pytest.raises(pyrave.Error, match="goal"):
        base.move_manipulator(goal=[np.nan] * 7)
    assert "**MoveManipulator(" in base.send_command("help MoveManipulator")
    assert "goal: list[float] | None = None" in base.send_command(
        "help MoveManipulator"
    )


def test_a_scene_has_modules_and_commands():
    env = pyrave.Environment()
    text = """
    <environment>
      <robot name="arm" file="robots/planar3r.robot.xml"/>
      <module type="BaseManipulation" args="arm planner BiRRT maxvelmult 0.5">
        <sendcommand>MoveManipulator goal 0.1 0.2 0.3</sendcommand>
      </module>
    </environment>
    """
    report = env.load_string(text)
    assert not report.problems, report.problems
    (module,) = env.modules
    assert module.settings.maxvelmult == 0.5
    np.testing.assert_allclose(
        env.robots["arm"].active_manipulator.arm_dof_values, (0.1, 0.2, 0.3), atol=1e-6
    )
