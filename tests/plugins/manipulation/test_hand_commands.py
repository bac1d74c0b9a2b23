"""BaseManipulation: the hand goes straight, and to goals."""

from __future__ import annotations

import numpy as np
import pytest
from command_texts import START, by_columns, end_of, put_on, values_at, words

from pyrave import Affine, ArgumentError, IkParameterization

# -- MoveHandStraight --------------------------------------------------------------


def test_the_hand_goes_straight(base):
    before = base.arm.transform
    answer = base.move_hand_straight([0, 0, -2.0], maxsteps=6, stepsize=0.01)
    assert answer, answer.cause
    moved = base.arm.transform
    np.testing.assert_allclose(moved[:3, :3], before[:3, :3], atol=1e-6)
    np.testing.assert_allclose(moved[:3, 3] - before[:3, 3], (0, 0, -0.06), atol=2e-6)


def test_the_hand_goes_straight_by_texts(base):
    z = base.arm.transform[2, 3]
    text = base.send_command(
        "MoveHandStraight direction 0 0 1 minsteps 2 maxsteps 4 steplength 0.01 "
        "ignorefirstcollision 0.1 greedysearch 1 maxdeviationangle 0.3 execute 1 "
        "outputtraj"
    )
    assert "<trajectory" in text
    assert base.arm.transform[2, 3] - z == pytest.approx(0.04, abs=3e-6)
    text = "MoveHandStraight direction 0 0 -1 maxsteps 3 outputtrajobj execute 0"
    assert "<trajectory" in base.send_command(text)


def test_a_line_ends_where_something_is_in_the_way(base):
    put_on(base, -0.03)  # three centimetres above
    free = base.move_hand_straight([0, 0, 1], maxsteps=10, stepsize=0.01, execute=False)
    ends = np.array([free.values])
    tool = base.arm.compute_transforms(ends)[0]
    assert 0.005 < tool[2, 3] - base.arm.transform[2, 3] < 0.035
    blocked = base.move_hand_straight([0, 0, 1], minsteps=9, stepsize=0.01)
    assert not blocked
    assert "of at least 0.09 m" in blocked.cause
    assert base.send_command("MoveHandStraight direction 0 0 1 minsteps 9") is None


def test_what_touches_at_first_may_part_unless_that_is_refused(base):
    put_on(base, 0.0003)
    assert base.env.check_collision(base.robot)
    assert base.move_hand_straight([0, 0, -1], maxsteps=3, execute=False)
    refused = base.move_hand_straight(
        [0, 0, -1], maxsteps=3, ignorefirstcollision=0, execute=False
    )
    assert "the start collides" in refused.cause


def test_a_line_may_begin_elsewhere(base):
    there = base.arm.transform
    there[2, 3] -= 0.05
    answer = base.move_hand_straight(
        [0, 0, -1], maxsteps=3, starteematrix=there, execute=False
    )
    tool = base.arm.compute_transforms(np.array([answer.values]))[0]
    np.testing.assert_allclose(tool[:3, 3], there[:3, 3] - (0, 0, 0.03), atol=3e-6)
    first = values_at(base, answer.trajectory, 0.0, range(7))
    np.testing.assert_allclose(first, START, atol=1e-9)
    text = "MoveHandStraight direction 0 0 -1 maxsteps 3 starteematrix "
    text += by_columns(there)
    assert base.send_command(text) == ""
    np.testing.assert_allclose(base.arm.transform, tool, atol=1e-5)
    there[0, 3] += 9.0
    answer = base.move_hand_straight([0, 0, 1], starteematrix=there)
    assert answer.cause.startswith("to the start: ")


def test_lines_by_a_planner_that_tracks(base):
    before = base.arm.transform
    answer = base.move_hand_straight(
        [0, 0, -1],
        minsteps=1,
        maxsteps=5,
        planner="WorkspaceTrajectoryTracker",
        greedysearch=False,
        maxdeviationangle=0.5,
        ignorefirstcollision=0,
        outputtraj=True,
        outputtrajobj=True,
        execute=True,
    )
    assert answer, answer.cause
    np.testing.assert_allclose(
        base.arm.transform[:3, 3] - before[:3, 3], (0, 0, -0.05), atol=1e-5
    )
    far = base.move_hand_straight(
        [1, 0, 0], minsteps=500, maxsteps=500, planner="WorkspaceTrajectoryTracker"
    )
    assert not far
    assert far.cause


def test_wrong_lines_are_refused(base):
    for given, said in (
        ({"direction": [0, 0, 0]}, "expected a direction"),
        ({"direction": [0, 0, 1], "stepsize": 0.0}, "stepsize"),
        ({"direction": [0, 0, 1], "maxsteps": 0}, "maxsteps is 0"),
        ({"direction": [0, 0, 1], "minsteps": 5, "maxsteps": 2}, "minsteps is 5, more"),
        (
            {"direction": [0, 0, 1], "stepsize": 0.1, "steplength": 0.1},
            "stepsize and steplength are the same",
        ),
        ({"direction": [0, 0, 1], "maxdeviationangle": -1.0}, "maxdeviationangle"),
        ({"direction": [0, np.nan, 1]}, "direction"),
    ):
        with pytest.raises(ArgumentError, match=said):
            base.move_hand_straight(**given)


# -- MoveToHandPosition ------------------------------------------------------------


@pytest.fixture
def goal(base):
    pose = base.arm.transform
    pose[:3, 3] += (0.05, 0.1, -0.05)
    return pose


def test_the_hand_goes_to_poses(base, goal):
    far = goal.copy()
    far[0, 3] += 9.0
    answer = base.move_to_hand_position(matrices=[far, goal])
    assert answer, answer.cause
    assert answer.goal == 1
    np.testing.assert_allclose(base.arm.transform, goal, atol=1e-6)


def test_goals_of_the_hand_as_openrave_writes_them(base, goal):
    kinds = {
        "matrices": f"matrices 1 {by_columns(goal)}",
        "poses": f"poses 1 {words(IkParameterization.transform_6d(goal).array)}",
        "ikparam": f"ikparam {IkParameterization.transform_6d(goal)}",
        "ikparams": f"ikparams 1 {IkParameterization.transform_6d(goal)}",
    }
    for kind, text in kinds.items():
        said = base.send_command(
            f"MoveToHandPosition {text} execute 0 outputtraj maxiter 4000 maxtries 2 "
            "seedik 4 goalsamples 5 goalsampleprob 0.1 goalmaxtries 3 jitter 0.03"
        )
        trajectory = base.env.create("trajectory", "")
        trajectory.deserialize(said)
        ends = end_of(base, trajectory)
        tool = base.arm.compute_transforms(ends[None])[0]
        np.testing.assert_allclose(tool, goal, atol=1e-6, err_msg=kind)
    two = [IkParameterization.transform_6d(goal)] * 2
    text = f"MoveToHandPosition ikparams 2 {two[0]} {two[1]} execute 0"
    assert base.send_command(text) == ""
    assert base.move_to_hand_position(ikparams=two, execute=False).goal in {0, 1}


def test_places_and_orientations_are_goals(base, goal):
    answer = base.move_to_hand_position(translation=goal[:3, 3])
    assert answer, answer.cause
    np.testing.assert_allclose(base.arm.transform[:3, 3], goal[:3, 3], atol=1e-6)
    assert base.send_command(
        f"MoveToHandPosition translation {words(goal[:3, 3])} execute 0 outputtrajobj "
        "releasegil 1"
    )
    quat = IkParameterization.transform_6d(goal).array[:4]
    answer = base.move_to_hand_position(rotation=quat)
    assert answer, answer.cause
    np.testing.assert_allclose(base.arm.transform[:3, :3], goal[:3, :3], atol=1e-6)
    text = f"MoveToHandPosition rotation {words(quat)} execute 0"
    assert base.send_command(text) == ""


def test_solutions_may_be_few(base, goal):
    few = base.move_to_hand_position(
        matrices=[goal],
        seedik=1,
        goalsamples=2,
        goalmaxsamples=1,
        goalmaxtries=2,
        execute=False,
        outputtraj=True,
        outputtrajobj=True,
    )
    nearest = base.arm.solve_ik(goal)
    np.testing.assert_allclose(end_of(base, few.trajectory), nearest, atol=1e-6)
    assert (
        base.send_command(
            f"MoveToHandPosition matrices 1 {by_columns(goal)} goalmaxsamples 3 "
            "execute 0 steplength 0.1"
        )
        == ""
    )


def test_free_joints_may_be_given(base, goal):
    solver = base.arm.ik_solver
    rows = base.arm.find_ik(goal).solutions
    free = [0.15]
    answer = base.move_to_hand_position(
        matrices=[goal], freevalues=free, execute=False, steplength=0.2, maxiter=9000
    )
    assert answer, answer.cause
    ends = end_of(base, answer.trajectory)
    wanted = base.arm.find_ik(goal, free=free).solutions
    assert np.abs(wanted - ends).max(axis=1).min() < 1e-9
    assert not len(rows) or solver is not None
    text = f"MoveToHandPosition matrices 1 {by_columns(goal)} freevalues 0.15 execute 0"
    assert base.send_command(text) == ""


def test_goals_without_a_free_solution_are_moved_a_little(base):
    goal = base.arm.transform
    away = START.copy()
    away[0] += 0.6
    put_on(base, 0.004)
    base.arm.arm_dof_values = away
    strict = base.move_to_hand_position(
        matrices=[goal], jitter=0.0, seedik=1, freevalues=[START[2]], execute=False
    )
    assert "collides" in strict.cause
    moved = base.move_to_hand_position(
        matrices=[goal], jitter=0.0, jittergoal=0.03, goalmaxtries=20, execute=False
    )
    assert moved, moved.cause
    tool = base.arm.compute_transforms(end_of(base, moved.trajectory)[None])[0]
    assert np.linalg.norm(tool[:3, 3] - goal[:3, 3]) < 0.03 * np.sqrt(3) + 1e-9
    text = (
        f"MoveToHandPosition matrices 1 {by_columns(goal)} jitter 0.03 jittergoal 0.02 "
        "execute 0"
    )
    assert base.send_command(text) == ""


def test_the_start_of_a_hand_motion_is_jittered_free(base, goal):
    put_on(base, 0.004)
    answer = base.move_to_hand_position(matrices=[goal], execute=False)
    assert answer, answer.cause
    first = values_at(base, answer.trajectory, 0.0, range(7))
    np.testing.assert_allclose(first, START, atol=1e-9)


def test_a_constraint_holds_on_the_whole_way(base):
    tool = base.arm.transform
    goal = tool.copy()
    goal[:3, 3] += (0.0, 0.15, 0.0)
    to_frame = np.linalg.inv(tool)
    answer = base.move_to_hand_position(
        matrices=[goal],
        constraintfreedoms=[1, 1, 0, 0, 0, 0],
        constraintmatrix=to_frame,
        constrainttaskmatrix=np.eye(4),
        constrainterrorthresh=0.1,
        execute=False,
    )
    assert answer, answer.cause
    for time in np.linspace(0.0, answer.trajectory.duration, 50):
        values = values_at(base, answer.trajectory, time, range(7))
        inside = to_frame @ base.arm.compute_transforms(values[None])[0]
        roll = np.arctan2(inside[2, 1], inside[2, 2])
        pitch = np.arcsin(np.clip(-inside[2, 0], -1.0, 1.0))
        assert max(abs(roll), abs(pitch)) <= 0.1 + 1e-6
    quat = IkParameterization.transform_6d(to_frame).array
    text = (
        f"MoveToHandPosition matrices 1 {by_columns(goal)} constraintfreedoms "
        f"1 1 0 0 0 0 constraintpose {words(quat)} constrainttaskpose 1 0 0 0 0 0 0 "
        "constrainterrorthresh 0.1 execute 0"
    )
    assert base.send_command(text) == ""
    for given, said in (
        ({"constraintfreedoms": [1] * 6}, "without constrainterrorthresh"),
        (
            {"constraintfreedoms": [2] * 6, "constrainterrorthresh": 0.1},
            "expected six of 0 and 1",
        ),
        (
            {
                "constraintmatrix": to_frame,
                "constraintpose": quat,
                "constrainterrorthresh": 0.1,
            },
            "both given, expected one",
        ),
    ):
        with pytest.raises(ArgumentError, match=said):
            base.move_to_hand_position(matrices=[goal], **given)


def test_a_base_goes_to_where_the_arm_reaches(base, goal):
    robot = base.robot
    both = Affine.X | Affine.Y
    robot.active.set_affine_limits(
        both, lower=(-4, -4, 0), upper=(4, 4, 0), resolution=0.05
    )
    far = goal.copy()
    far[:2, 3] += (1.5, -1.0)
    answer = base.move_to_hand_position(matrices=[far], affinedofs=int(both))
    assert answer, answer.cause
    np.testing.assert_allclose(base.arm.transform, far, atol=1e-5)
    assert np.linalg.norm(robot.transform[:2, 3]) > 0.5
    text = f"MoveToHandPosition matrices 1 {by_columns(far)} affinedofs 3 execute 0"
    assert base.send_command(text) == ""
    with pytest.raises(ArgumentError, match="Y, Z and ROTATION_AXIS"):
        base.move_to_hand_position(matrices=[far], affinedofs=128)
    far[2, 3] += 9.0
    answer = base.move_to_hand_position(matrices=[far], affinedofs=3)
    assert "at none of 400 places of the base" in answer.cause


def test_hand_motions_may_begin_at_several_configurations(base, goal):
    starts = np.stack((START + 0.05, START + 0.1))
    answer = base.move_to_hand_position(
        matrices=[goal], initialconfigs=starts, execute=False
    )
    first = values_at(base, answer.trajectory, 0.0, range(7))
    np.testing.assert_allclose(first, starts[0], atol=1e-9)
    assert (
        base.send_command(
            f"MoveToHandPosition matrices 1 {by_columns(goal)} initialconfigs 2 "
            f"{words(starts)} execute 0"
        )
        == ""
    )
    with pytest.raises(ArgumentError, match="initialconfigs are of arms"):
        base.move_to_hand_position(matrices=[goal], initialconfigs=starts, affinedofs=3)


def test_paths_of_the_hand_are_post_processed_and_chosen(base, goal):
    for given in (
        {"postprocessing": ("ParabolicSmoother", "")},
        {"postprocessing": "ParabolicSmoother <_nmaxiterations>5</_nmaxiterations>"},
        {
            "postprocessingplanner": "ParabolicSmoother",
            "postprocessingparameters": "<_nmaxiterations>5</_nmaxiterations>",
        },
        {"minimumgoalpaths": 2},
    ):
        answer = base.move_to_hand_position(matrices=[goal], execute=False, **given)
        assert answer, (given, answer.cause)
    assert (
        base.send_command(
            f"MoveToHandPosition matrices 1 {by_columns(goal)} minimumgoalpaths 2 "
            "postprocessingplanner LinearSmoother postprocessingparameters "
            "<_nmaxiterations>5</_nmaxiterations> execute 0"
        )
        == ""
    )
    assert (
        base.send_command(
            f"MoveToHandPosition matrices 1 {by_columns(goal)} postprocessing "
            "LinearSmoother <_nmaxiterations>5</_nmaxiterations> execute 0"
        )
        == ""
    )


def test_goals_out_of_reach_say_so(base, goal):
    goal[0, 3] += 9.0
    answer = base.move_to_hand_position(matrices=[goal])
    assert "has no IK solution" in answer.cause
    answer = base.move_to_hand_position(matrices=[goal], seedik=3)
    assert "has no IK solution" in answer.cause


def test_wrong_goals_of_the_hand_are_refused(base, goal):
    for given, said in (
        ({}, "there is no goal: give matrices, poses, translation"),
        ({"matrices": [1.0, 2.0]}, "expected poses"),
        ({"ikparam": "12 3"}, "unknown ik parameterization type 12"),
        ({"ikparams": ["2", "1728053249", "1"]}, "expected type codes"),
        ({"ikparams": []}, "expected a list of goals"),
        ({"translation": [0.0, 1.0]}, "translation"),
        ({"matrices": [goal], "goalsampleprob": 2.0}, "goalsampleprob"),
        ({"matrices": [goal], "seedik": 0}, "seedik is 0"),
        ({"matrices": [goal], "jitter": -1.0}, "jitter"),
    ):
        with pytest.raises(ArgumentError, match=said):
            base.move_to_hand_position(**given)


# -- FindIKWithFilters -------------------------------------------------------------


def test_ik_solutions_are_in_the_cone(base, goal):
    target = IkParameterization.translation_3d(goal[:3, 3])
    axis = base.arm.transform[:3, 2]
    cone = [0, 0, 1, *axis, 0.4]
    found = base.find_ik_with_filters(target, cone=cone, solveall=True)
    everything = base.find_ik_with_filters(target, solveall=True)
    assert len(found.values) < len(everything.values) or len(found.values)
    for pose in base.arm.compute_transforms(found.values):
        assert np.arccos(np.clip(pose[:3, 2] @ axis, -1, 1)) <= 0.4 + 1e-9
        np.testing.assert_allclose(pose[:3, 3], goal[:3, 3], atol=1e-5)


def test_ik_solutions_by_text_are_a_number_and_values(base, goal):
    target = IkParameterization.transform_6d(goal)
    text = base.send_command(
        f"FindIKWithFilters ikparam {target} cone 0 0 1 {words(goal[:3, 2])} 0.01 "
        "solveall filteroptions 1"
    )
    count, *numbers = text.split()
    rows = np.array(numbers, float).reshape(int(count), 7)
    poses = base.arm.compute_transforms(rows)
    np.testing.assert_allclose(poses, np.tile(goal, (len(rows), 1, 1)), atol=1e-5)
    one = base.send_command(f"FindIKWithFilters ikparam {target}").split()
    assert one[0] == "1"
    turned = f"cone 0 0 1 {words(-goal[:3, 2])} 0.01"
    assert base.send_command(f"FindIKWithFilters ikparam {target} {turned}") is None
    with pytest.raises(ArgumentError, match="expected two directions"):
        base.find_ik_with_filters(target, cone=[0, 0, 0, 0, 0, 1, 0.1])
    with pytest.raises(ArgumentError, match="expected bits of IkFilterOptions"):
        base.find_ik_with_filters(target, filteroptions=1 << 20)
