"""VisualFeedback: an arm brings its camera to where it sees the target."""

from __future__ import annotations

import numpy as np
import pytest
from command_texts import end_of, words

import pyrave
from pyrave import ArgumentError, NotSupportedError, StateError
from pyrave.manipulation import Observer
from pyrave.scene import body_from_boxes
from pyrave.spatial import invert_pose, pose_from_wxyz_xyz, wxyz_xyz_from_pose

EYE = (1, 0, 0, 0, 0.09, 0, 0.08)
START = [0.0, 0.1, 0.0, 1.2, 0.0, 0.9, 0.0]


@pytest.fixture(scope="module")
def scene():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    robot.add_sensor("eye", "BaseCamera", link="palm", pose=EYE, power=False)
    module = env.create("module", "VisualFeedback", robot="heron7")
    env.add(module)
    module.set_camera_and_target(sensorname="eye", targetlink="mug")
    module.process_visibility_extents(
        numrolls=4, sphere=[1, 0.3], conedirangles=[[0, 0, 0.9]]
    )
    return env, module, module.get_own_state()


@pytest.fixture
def visual(scene):
    env, module, state = scene
    module.set_own_state(state)
    with env.preserve_state():
        module.arm.arm_dof_values = START
        yield module


@pytest.fixture
def observer(visual):
    robot = visual.robot
    return Observer(visual.arm, robot.attached_sensors["eye"], visual.env.bodies["mug"])


def poses(visual):
    return np.array(visual.get_own_state()[2])


def test_settings_of_visual_feedback():
    env = pyrave.load("robots/heron7.robot.xml")
    made = env.create(
        "module", "VisualFeedback heron7 maxvelmult 0.5 ignoresensorcollision 1"
    )
    assert made.settings.ignoresensorcollision is True
    assert made.settings.maxvelmult == 0.5


def test_camera_and_target_come_by_names_and_texts(visual):
    env, robot = visual.env, visual.robot
    eye = [one.name for one in robot.attached_sensors].index("eye")
    assert visual.send_command(
        f"SetCameraAndTarget targetlink mug mug sensorrobot heron7 sensorindex {eye} "
        "manipname arm raydensity 0.02"
    ) == ""  # fmt: skip
    said = visual.get_own_state()[1]
    assert visual.set_camera_and_target(
        targetlink=env.bodies["mug"].links[0], sensorname="eye", raydensity=0.02
    )
    assert visual.get_own_state()[1] == said
    assert visual.send_command("SetCameraAndTarget target mug sensorname eye") == ""
    copy = env.clone().modules[-1]
    assert copy.get_own_state()[1] == visual.get_own_state()[1]
    geometry = env.bodies["mug"].links[0].geometries[0].name
    if geometry:
        assert visual.set_camera_and_target(
            targetlink="mug", targetgeomname=geometry, sensorname="eye"
        )
    for given, said in (
        ({}, "there is no targetlink"),
        ({"targetlink": "mug", "sensorindex": 90}, "sensorindex is 90"),
        ({"targetlink": "a b c"}, "expected a body, or a body and its link"),
        ({"targetlink": "heron7"}, "links, expected which one is meant"),
    ):
        with pytest.raises(ArgumentError, match=said):
            visual.set_camera_and_target(**given)
    with pytest.raises(pyrave.NotFoundError, match="did you mean 'mug'"):
        visual.send_command("SetCameraAndTarget targetlink mugg sensorname eye")
    with pytest.raises(pyrave.Error, match="geometr"):
        visual.send_command(
            "SetCameraAndTarget targetlink mug sensorname eye targetgeomname nothing"
        )


def test_before_a_camera_is_chosen_commands_say_so():
    env = pyrave.load("scenes/demo.env.xml")
    module = env.create("module", "VisualFeedback")
    env.add(module)
    with pytest.raises(StateError, match="SetCameraAndTarget comes first"):
        module.compute_visibility()
    robot = env.robots[0]
    robot.add_sensor("eye", "BaseCamera", link="palm", pose=EYE, power=False)
    module.set_camera_and_target(targetlink="mug")  # the first camera
    with pytest.raises(StateError, match="ProcessVisibilityExtents makes some"):
        module.sample_visibility_goal()
    module.reset()
    assert module.get_own_state()[1].target == ""


def test_poses_are_those_that_the_observer_allows(visual, observer):
    found = visual.process_visibility_extents(
        numrolls=4, sphere=[1, 0.3], conedirangles=[[0, 0, 0.9]]
    )
    assert found
    every = np.array([pose_from_wxyz_xyz(row) for row in found.values])
    assert observer.are_possible(every).all()
    away = every[:, :3, 3] - observer.centre
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), 0.3, atol=1e-9)
    assert (away[:, 2] >= 0.3 * np.cos(0.9) - 1e-9).all()
    np.testing.assert_allclose(poses(visual), found.values)
    text = visual.send_command(
        "ProcessVisibilityExtents numrolls 4 sphere 1 1 0.3 conedirangle 0 0 0.9"
    )
    np.testing.assert_allclose(
        np.array(text.split(), float).reshape(-1, 7), found.values
    )
    # 42 directions, four rolls, and those that were given
    some = found.values[:2]
    both = visual.process_visibility_extents(
        numrolls=1, extents=[(0, 0, 0.3)], transforms=some
    )
    assert 2 <= len(both.values) <= 3
    text = visual.send_command(
        f"ProcessVisibilityExtents numrolls 1 extents 1 0 0 0.3 transforms 2 "
        f"{words(some)}"
    )
    assert len(text.split()) == both.values.size
    far = visual.process_visibility_extents(numrolls=1, extents=[(0, 0, 0.01)])
    assert not far
    assert "allow none of 1 poses" in far.cause
    assert visual.send_command("ProcessVisibilityExtents extents 1 0 0 0.01") is None
    with pytest.raises(ArgumentError, match="a level from 0 to 5, then"):
        visual.process_visibility_extents(sphere=[9, 0.3])
    with pytest.raises(ArgumentError, match="numrolls is 0"):
        visual.process_visibility_extents(numrolls=0)


def test_poses_may_be_given(visual):
    rows = poses(visual)
    assert visual.set_camera_transforms(rows)
    assert len(poses(visual)) == len(rows)
    twice = np.vstack((rows, rows))
    assert visual.set_camera_transforms(twice, mindist=0.01)
    np.testing.assert_allclose(poses(visual), rows, atol=1e-9)
    text = f"SetCameraTransforms transforms {len(twice)} {words(twice)} mindist "
    assert visual.send_command(f"{text} 0") == ""
    assert len(poses(visual)) == len(twice)
    assert visual.send_command(f"{text} 0.01") == ""
    np.testing.assert_allclose(poses(visual), rows, atol=1e-9)
    with pytest.raises(ArgumentError, match="there are no transforms"):
        visual.set_camera_transforms()


def test_what_is_seen_is_that_of_the_observer(visual, observer):
    assert not visual.compute_visibility()
    assert visual.send_command("ComputeVisibility 1") == "0"
    view = next(iter(observer.valid(np.array(poses(visual)))))
    visual.arm.arm_dof_values = view.values
    assert visual.compute_visibility()
    assert visual.send_command("ComputeVisibility checkocclusion 1") == "1"
    # something just before the camera
    plate = visual.env.create_body(
        body_from_boxes("plate", [(0, 0, 0, 0.2, 0.2, 0.001)])
    )
    eye = visual.robot.attached_sensors["eye"].transform
    place = eye.copy()
    place[:3, 3] += 0.1 * eye[:3, 2]
    plate.transform = place
    try:
        assert not visual.compute_visibility()
        assert visual.compute_visibility(checkocclusion=False)
        visual.send_command("SetParameter raymindist 0.15 allowableocclusion 0.1")
        assert visual.compute_visibility()  # the plate is nearer than rays look
        visual.set_parameter(raydensity=0.01, raymindist=0.0, allowableocclusion=1.0)
        assert visual.compute_visibility()
    finally:
        visual.env.remove(plate)
    assert visual.send_command("SetParameter raydensity 0.02") == ""
    assert visual.get_own_state()[1].raydensity == 0.02
    for name, value in (("raydensity", 0.0), ("raymindist", -1.0)):
        with pytest.raises(ArgumentError, match=name):
            visual.set_parameter(**{name: value})
    with pytest.raises(ArgumentError, match="allowableocclusion"):
        visual.set_parameter(allowableocclusion=2.0)


def test_a_part_of_the_image_may_count(visual, observer):
    view = next(iter(observer.valid(np.array(poses(visual)))))
    visual.arm.arm_dof_values = view.values
    corner = [(0, 0), (30, 0), (30, 30), (0, 30)]
    visual.set_camera_and_target(targetlink="mug", sensorname="eye", convexdata=corner)
    assert not visual.compute_visibility()
    whole = "0 0 640 0 640 480 0 480"
    text = f"SetCameraAndTarget targetlink mug sensorname eye convexdata 4 {whole}"
    assert visual.send_command(text) == ""
    assert visual.compute_visibility()


def test_the_arm_takes_the_camera_to_a_pose(visual, observer):
    (row, *_) = [one for one in poses(visual) if observer.find(pose_from_wxyz_xyz(one))]
    found = visual.compute_visible_configuration(row)
    assert found.values.shape == (1, 7)
    visual.arm.arm_dof_values = found.values[0]
    np.testing.assert_allclose(observer.pose, pose_from_wxyz_xyz(row), atol=1e-5)
    text = visual.send_command(f"ComputeVisibleConfiguration pose {words(row)}")
    assert len(text.split()) == 7
    far = row.copy()
    far[6] += 9.0
    none = visual.compute_visible_configuration(far)
    assert not none
    assert none.cause
    assert visual.send_command(f"ComputeVisibleConfiguration pose {words(far)}") is None


def test_goals_are_configurations_that_see(visual):
    found = visual.sample_visibility_goal(3)
    assert found.values.shape == (3, 7)
    for values in found.values:
        visual.arm.arm_dof_values = values
        assert visual.compute_visibility()
    text = visual.send_command("SampleVisibilityGoal numsamples 2").split()
    assert text[0] == "2"
    assert len(text) == 1 + 2 * 7


def test_the_arm_moves_to_where_it_sees(visual):
    answer = visual.move_to_observe_target(smoothpath=False, sampleprob=0.1)
    assert answer, answer.cause
    assert visual.compute_visibility()
    np.testing.assert_allclose(visual.arm.arm_dof_values, answer.values, atol=1e-6)
    assert answer.goal in range(len(poses(visual)))
    visual.arm.arm_dof_values = START
    text = visual.send_command(
        "MoveToObserveTarget affinedofs 0 smoothpath 1 planner BiRRT sampleprob 0.1 "
        "maxiter 4000 execute 0 outputtraj"
    )
    assert "<trajectory" in text
    with pytest.raises(NotSupportedError, match="the base stays where it is"):
        visual.move_to_observe_target(affinedofs=3)
    with pytest.raises(ArgumentError, match="sampleprob"):
        visual.move_to_observe_target(sampleprob=2.0)
    away = visual.env.bodies["mug"].transform
    away[0, 3] += 9.0
    visual.env.bodies["mug"].transform = away
    answer = visual.move_to_observe_target()
    assert "from none of" in answer.cause
    assert visual.send_command("SampleVisibilityGoal") is None


def test_the_hand_comes_to_a_grasp_by_a_place_that_sees(visual, observer):
    mug = visual.env.bodies["mug"]
    (view, *_) = visual.sample_visibility_goal(1).values
    tool = visual.arm.compute_transforms(view[None])[0]
    near = tool.copy()
    near[2, 3] -= 0.08
    grasp = wxyz_xyz_from_pose(invert_pose(mug.transform) @ near)
    given = {"graspdistthresh": 0.6, "visgraspthresh": 0.01, "numgradientsamples": 8}
    answer = visual.visual_feedback_grasping([grasp], execute=False, **given)
    assert answer, answer.cause
    assert answer.goal == 0
    trajectory = answer.trajectory
    end = end_of(visual, trajectory)
    reached = visual.arm.compute_transforms(end[None])[0]
    np.testing.assert_allclose(reached, near, atol=1e-5)
    seen = []
    for time in np.linspace(0.0, trajectory.duration, 60):
        row = trajectory.sample(time)
        values = trajectory.spec.extract_joint_values(row, visual.robot, np.arange(7))
        visual.arm.arm_dof_values = values
        seen.append(bool(visual.compute_visibility()))
    assert any(seen)
    visual.arm.arm_dof_values = START
    straight = visual.visual_feedback_grasping(
        [grasp], usevisibility=False, planner="BiRRT", maxiter=4000, execute=False
    )
    assert straight.trajectory.duration <= trajectory.duration + 1e-9
    text = visual.send_command(
        f"VisualFeedbackGrasping graspset 1 {words(grasp)} usevisibility 1 "
        "planner BiRRT graspdistthresh 0.6 visgraspthresh 0.01 numgradientsamples 8 "
        "maxiter 4000 execute 0 outputtraj"
    )
    assert "<trajectory" in text
    tight = visual.visual_feedback_grasping(
        [grasp], graspdistthresh=1e-6, visgraspthresh=0.0, execute=False
    )
    assert "no view is 0 to 1e-06 m from grasp 0" in tight.cause
    far = grasp.copy()
    far[6] += 9.0
    none = visual.visual_feedback_grasping([far], execute=False)
    assert "grasp 0 has no free IK solution" in none.cause
    with pytest.raises(ArgumentError, match="there is no graspset"):
        visual.visual_feedback_grasping()


def test_a_robot_that_carries_the_camera_may_be_left_out():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    mug = env.bodies["mug"]
    stand = env.load("robots/planar3r.robot.xml", name="stand") and env.robots[-1]
    stand.transform = [1, 0, 0, 0, -0.6, 0.9, 0.9]
    stand.add_sensor("eye", "BaseCamera", link=stand.links[0].name, power=False)
    mug.transform = arm.transform
    robot.grab(mug)
    made = env.create(
        "module", "VisualFeedback", robot="heron7", ignoresensorcollision=True
    )
    env.add(made)
    assert made.set_camera_and_target(
        targetlink="mug", sensorrobot=stand.name, sensorindex=0
    )
    look = np.eye(4)
    look[2, 3] = -0.4
    made.set_camera_transforms([look])
    enabled = [link.enabled for link in stand.links]
    made.sample_visibility_goal()
    assert [link.enabled for link in stand.links] == enabled
