"""Visibility models: what they keep, and what their keys depend on."""

import numpy as np
import pytest
from grasping_scenes import block

import pyrave
from pyrave.databases import VisibilityModel
from pyrave.errors import ArgumentError, NotFoundError, SettingError, StateError
from pyrave.spatial import invert_pose

_CAMERA = {"width": 320, "height": 240, "kk": (300.0, 310.0, 150.0, 121.0)}
_FEW = {"directions": 40, "distances": (0.15, 0.25), "rolls": 2}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))


@pytest.fixture
def arm():
    env = pyrave.load("robots/heron7.robot.xml")
    arm = env.robots[0].active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    return arm


def scene(arm, name="target", tilt=0.2):
    robot = arm.robot
    camera = robot.add_sensor(
        "eye",
        "BaseCamera",
        link="palm",
        pose=pyrave.spatial.pose_from_axis_angle((0, 1, 0), -tilt, (0.09, 0, 0.08)),
        power=False,
        **_CAMERA,
    )
    x, y, z = arm.transform[:3, 3]
    return camera, block(robot.env, name, (0.03, 0.02, 0.03), (x, y, z - 0.1))


def test_poses_are_those_that_hand_and_target_allow(arm):
    camera, target = scene(arm)
    model = VisibilityModel(arm, camera, target, **_FEW).build()
    assert 0 < len(model.poses) < 160
    hand = ("palm", "left_finger", "right_finger")
    robot = arm.robot
    robot.set_dof_values(model.preshape, arm.gripper_indices)
    np.testing.assert_allclose(model.preshape, robot.dof_limits[1][arm.gripper_indices])
    for pose in model.poses:
        target.transform = camera.transform @ invert_pose(pose)
        assert not any(
            robot.env.check_collision(robot.links[one], target) for one in hand
        )
        assert model.observer.visibility().fraction >= 0.9
    said = model.summary()
    assert said["poses"] == len(model.poses)
    assert said["tried"] == 160
    assert 0.15 <= said["nearest"] <= said["farthest"] < 0.3
    assert len(model.show()) == 1 + -(-len(model.poses) // -(-len(model.poses) // 50))


def test_valid_views_are_of_now(arm):
    camera, target = scene(arm)
    model = VisibilityModel(arm, camera, target, **_FEW).build()
    again = VisibilityModel(arm, camera, target, **_FEW).load()
    assert (again.poses == model.poses).all()
    views = list(again.valid())
    assert views
    arm.arm_dof_values = views[0].values
    np.testing.assert_allclose(model.observer.pose, views[0].pose, atol=1e-6)
    x, y, z = target.transform[:3, 3]
    block(arm.robot.env, "lid", (0.2, 0.2, 0.01), (x, y, z + 0.06))
    fewer = [view.index for view in model.valid()]
    assert set(fewer) < {view.index for view in views}


def test_cones_and_pruning_leave_some(arm):
    camera, target = scene(arm)
    every = VisibilityModel(arm, camera, target, **_FEW).build().poses
    above = VisibilityModel(arm, camera, target, cones=(0, 0, 0.8), **_FEW).build()
    out = above.poses[:, :3, 3] / np.linalg.norm(above.poses[:, :3, 3], axis=1)[:, None]
    assert 0 < len(out) < len(every)
    assert (out[:, 2] >= np.cos(0.8)).all()
    apart = VisibilityModel(arm, camera, target, apart=0.2, apart_angle=1.2, **_FEW)
    assert 0 < len(apart.build().poses) < len(every)


def test_results_do_not_depend_on_workers(arm):
    camera, target = scene(arm)
    more = {"directions": 60, "rolls": 4}
    one = VisibilityModel(arm, camera, target, **more).build()
    assert one.clean() > 0
    poses = VisibilityModel(arm, camera, target, **more).build().poses
    one.clean()
    several = VisibilityModel(arm, camera, target, **more).build(workers=2)
    assert (several.poses == poses).all()
    assert len(poses) > 100


def test_keys_follow_hand_camera_and_target(arm):
    camera, target = scene(arm)
    key = VisibilityModel(arm, camera, target).key
    target.transform = [1, 0, 0, 0, 5, 5, 5]
    target.links[0].geometries[0].diffuse_color = (1, 0, 0)
    arm.robot.transform = [1, 0, 0, 0, 1, 0, 0]
    arm.arm_dof_values = [0.1] * 7
    arm.gripper_dof_values = [0.01]
    assert VisibilityModel(arm, camera, target).key == key
    assert VisibilityModel(arm, camera, target, rolls=4).key != key
    assert VisibilityModel(arm, camera, target, preshape=(0.01,)).key != key
    camera.sensor.change_settings(kk=(301.0, 310.0, 150.0, 121.0))
    moved = VisibilityModel(arm, camera, target).key
    assert moved != key
    camera.local_transform = pyrave.spatial.pose_from_rpy((0, 0, 0), (0.1, 0, 0.08))
    assert VisibilityModel(arm, camera, target).key not in {key, moved}
    other = block(arm.robot.env, "other", (0.03, 0.02, 0.03), (0, 0, 2))
    alike = VisibilityModel(arm, camera, other).key
    assert alike == VisibilityModel(arm, camera, target).key
    larger = block(arm.robot.env, "larger", (0.03, 0.02, 0.04), (0, 0, 2))
    assert VisibilityModel(arm, camera, larger).key != alike


def test_a_camera_elsewhere_sees_what_the_arm_holds(arm):
    env, robot = arm.robot.env, arm.robot
    env.load_string("""<robot name="stand"><kinbody>
      <body name="post"><geom type="box"><extents>0.02 0.02 0.02</extents></geom>
      </body></kinbody><attachedsensor name="eye"><link>post</link>
      <sensor type="BaseCamera"><kk>300 300 159.5 119.5</kk><width>320</width>
      <height>240</height></sensor></attachedsensor></robot>""")
    eye = env.robots["stand"].attached_sensors["eye"]
    part = block(env, "part", (0.03, 0.02, 0.01), arm.transform[:3, 3])
    with pytest.raises(ArgumentError, match="moves neither"):
        VisibilityModel(arm, eye, part)
    robot.grab(part)
    model = VisibilityModel(arm, eye, part, directions=20, distances=(0.3,), rolls=2)
    assert len(model.build().poses) == 40  # all of it is in the picture from all sides


def test_wrong_input_is_told(arm):
    camera, target = scene(arm)
    with pytest.raises(StateError, match=r"call build\(\) or load\(\)"):
        VisibilityModel(arm, camera, target).valid()
    for wrong in (
        {"cones": (0.0, 1.0)}, {"region": (1.0,)}, {"distances": ()},
        {"distances": (0.0,)}, {"rolls": 0}, {"allowed_occlusion": 2.0},
    ):  # fmt: skip
        with pytest.raises(SettingError, match=next(iter(wrong))):
            VisibilityModel(arm, camera, target, **wrong)
    with pytest.raises(ArgumentError, match="preshape"):
        VisibilityModel(arm, camera, target, preshape=(0.1, 0.2))
    with pytest.raises(ArgumentError, match="the arm's own robot"):
        VisibilityModel(arm, camera, arm.robot)
    with pytest.raises(NotFoundError, match="bse"):
        VisibilityModel(arm, camera, target, link="bse")
    with pytest.raises(NotFoundError, match="lid"):
        VisibilityModel(arm, camera, target, geometry="lid")


def test_margins_leave_poses_near_the_border_out(arm):
    camera, target = scene(arm)
    every = VisibilityModel(arm, camera, target, **_FEW).build()
    inner = VisibilityModel(arm, camera, target, margin=0.03, **_FEW).build()
    assert 0 < len(inner.poses) < len(every.poses)
    assert inner.observer.are_possible(inner.poses, 0.03).all()
    assert not every.observer.are_possible(every.poses, 0.03).all()


def test_rays_are_as_many_pixels_apart_as_asked(arm):
    camera, target = scene(arm)
    for pixels in (5.0, 40.0):
        model = VisibilityModel(arm, camera, target, spacing=pixels, **_FEW)
        assert model.observer.spacing == pixels
