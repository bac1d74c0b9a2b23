"""What cameras see of a target, as their own pictures say; and arms that look."""

from dataclasses import replace

import numpy as np
import pytest
from grasping_scenes import block

import pyrave
from pyrave.errors import ArgumentError, NotFoundError, NotSupportedError, StateError
from pyrave.grasping import sphere_points
from pyrave.manipulation import Observer, camera_poses
from pyrave.scene import Box, Pose
from pyrave.spatial import invert_pose, look_at, pose_from_axis_angle

_CAMERA = {"width": 320, "height": 240, "kk": (300.0, 310.0, 150.0, 121.0)}


@pytest.fixture
def arm():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    arm = robot.active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    return arm


def eye_in_hand(arm, tilt=0.0, **settings):
    return arm.robot.add_sensor(
        "eye",
        "BaseCamera",
        link="palm",
        pose=pose_from_axis_angle((0, 1, 0), -tilt, (0.09, 0, 0.08)),
        power=False,
        **(_CAMERA | settings),
    )


def box_before(arm, distance=0.3, half=(0.03, 0.02, 0.01)):
    """Return a camera in the hand and a box in the middle of its picture."""
    camera = eye_in_hand(arm)
    target = block(arm.robot.env, "target", half, (0, 0, 0))
    pose = camera.transform
    place = np.eye(4)
    place[:3, :3] = pose[:3, :3] @ np.array(((0.8, -0.6, 0), (0.6, 0.8, 0), (0, 0, 1)))
    place[:3, 3] = pose[:3, 3] + pose[:3, :3] @ (0.0, 0.0, distance)
    target.transform = place
    return camera, target


def pictured(camera, body):
    """Return the mask of the pixels in which a camera's own picture has a body."""
    sensor = camera.sensor
    sensor.options = replace(sensor.options, outputs=("segmentation",))
    return sensor.measure().body_ids == body.id


def test_what_is_visible_is_what_the_picture_shows(arm):
    camera, target = box_before(arm)
    observer = Observer(arm, camera, target, spacing=1.0, allowed_occlusion=0.5)
    alone = pictured(camera, target)
    assert observer.visibility().fraction == 1.0
    eye = camera.transform
    for shift in (0.005, 0.012, 0.02, 0.03):
        x, y, z = eye[:3, 3] + eye[:3, :3] @ (shift + 0.02, 0.0, 0.2)
        before = block(arm.robot.env, "before", (0.02, 0.02, 0.02), (x, y, z))
        share = (pictured(camera, target) & alone).sum() / alone.sum()
        seen = observer.visibility()
        assert seen.fraction == pytest.approx(share, abs=0.02)
        assert bool(seen) == (share >= 0.5)
        assert seen.occluders == (() if seen else ("before/base",))
        if not seen:
            assert "of target/base is visible; before it: before/base" in seen.cause
            assert str(seen) == seen.cause
        through = replace(observer, transparent="before")
        assert through.visibility().fraction == 1.0
        arm.robot.env.remove(before)


def test_in_the_picture_is_what_projects_into_it(arm):
    camera, target = box_before(arm)
    observer = Observer(arm, camera, target)
    rng = np.random.default_rng(5)
    poses = camera_poses(rng.normal(size=(40, 3)), [0.1, 0.2, 0.3], 3)
    poses[:, :3, 3] += rng.uniform(-0.1, 0.1, (len(poses), 3))
    corners = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T * (
        0.03,
        0.02,
        0.01,
    )
    lens = camera.sensor.camera.lens
    for pose, found in zip(poses, observer.are_in_picture(poses), strict=True):
        local = (corners - pose[:3, 3]) @ pose[:3, :3]
        pixels = lens.project(local)
        inside = (pixels >= -0.5).all() and (pixels <= (319.5, 239.5)).all()
        assert found == (inside and (local[:, 2] > 0).all())
    assert 10 < observer.are_in_picture(poses).sum() < len(poses) - 10
    fewer = observer.are_in_picture(poses, margin=0.02)
    assert (fewer <= observer.are_in_picture(poses)).all()
    # a camera straight before a cube edge: the margin is the distance from the planes
    pose = camera_poses([(0, 0, 1)], 0.3, 1)[0]
    local = (corners - pose[:3, 3]) @ pose[:3, :3]
    upper = np.array((0.0, 310.0, 121.5)) / np.hypot(310.0, 121.5)
    left = np.array((300.0, 0.0, 150.5)) / np.hypot(300.0, 150.5)
    lower = np.array((0.0, -310.0, 118.5)) / np.hypot(310.0, 118.5)
    right = np.array((-300.0, 0.0, 169.5)) / np.hypot(300.0, 169.5)
    least = min((local @ n).min() for n in (upper, left, lower, right))
    assert observer.are_in_picture(pose[None], least - 1e-9)[0]
    assert not observer.are_in_picture(pose[None], least + 1e-9)[0]


def test_regions_are_parts_of_the_image(arm):
    camera, target = box_before(arm, half=(0.005, 0.005, 0.005))
    corners = [(200, 20), (300, 20), (300, 100), (200, 100)]
    observer = Observer(arm, camera, target, region=corners)
    assert not observer.visibility()
    assert "not all in the picture" in observer.visibility().cause
    middle = camera.sensor.camera.lens.unproject((250.0, 60.0))
    np.testing.assert_allclose(observer.axis, middle / middle[2], atol=1e-12)
    (pose,) = camera_poses(
        [(0, 0, 1)], 0.3, 1, centre=observer.centre, axis=observer.axis
    )
    assert observer.visibility(pose)
    backwards = Observer(arm, camera, target, region=corners[::-1])
    assert backwards.visibility(pose)
    np.testing.assert_allclose(backwards.axis, observer.axis)


def test_lenses_with_distortion_see_less_than_their_rays(arm):
    camera = eye_in_hand(
        arm, distortion_model="plumb_bob", distortion_coeffs=(-0.3, 0.1, 0, 0, 0)
    )
    target = block(arm.robot.env, "target", (0.02, 0.02, 0.02), (0, 0, 0))
    observer = Observer(arm, camera, target)
    rng = np.random.default_rng(1)
    poses = camera_poses(rng.normal(size=(80, 3)), [0.15, 0.3], 2)
    poses[:, :3, 3] += rng.uniform(-0.1, 0.1, (len(poses), 3))
    corners = np.array(np.meshgrid(*[(-0.02, 0.02)] * 3)).reshape(3, -1).T
    lens = camera.sensor.camera.lens
    count = 0
    for pose in poses[observer.are_in_picture(poses)]:
        pixels = lens.project((corners - pose[:3, 3]) @ pose[:3, :3])
        assert ((pixels >= -0.5) & (pixels <= (319.5, 239.5))).all()
        count += 1
    assert count > 20


def test_one_geometry_of_a_link_may_be_the_target(arm):
    camera, target = box_before(arm)
    link = target.links[0]
    shape = link.geometries[0].description
    link.set_geometries(
        [
            replace(shape, name="case"),
            replace(
                shape,
                name="label",
                shape=Box((0.01, 0.01, 0.001)),
                pose=Pose.from_translation(0, 0, -0.0105),
            ),
        ]
    )
    label = Observer(arm, camera, target, "label")
    assert label.visibility().fraction == 1.0  # on the side of the camera
    half_turn = target.transform
    half_turn[:3, 1:3] *= -1
    target.transform = half_turn
    hidden = label.visibility()
    assert hidden.fraction == 0.0
    assert hidden.occluders == ("target/base",)
    assert Observer(arm, camera, target, "case").visibility().fraction == 1.0
    with pytest.raises(NotFoundError, match="lable"):
        Observer(arm, camera, target, "lable")


def test_views_are_where_they_should_be_and_see_the_target(arm):
    env, robot = arm.robot.env, arm.robot
    camera = eye_in_hand(arm)
    x, y, z = arm.transform[:3, 3]
    target = block(env, "target", (0.02, 0.02, 0.02), (x, y, z - 0.1))
    screen = block(env, "screen", (0.01, 0.1, 0.05), (x - 0.08, y, z - 0.1))
    observer = Observer(arm, camera, target)
    assert observer.is_eye_in_hand
    poses = camera_poses(
        sphere_points(30), [0.25], 4, centre=observer.centre, axis=observer.axis
    )
    before, there = robot.dof_values, target.transform
    possible = observer.are_possible(poses)
    assert (target.transform == there).all()
    views = list(observer.valid(poses[possible]))
    assert (robot.dof_values == before).all()
    assert len(views) > 5
    joints = arm.arm_indices
    for view in views:
        assert view
        assert (view.pose == poses[possible][view.index]).all()
        robot.set_dof_values(view.values, joints)
        np.testing.assert_allclose(observer.pose, view.pose, atol=1e-6)
        assert not env.check_collision(robot)
        assert observer.visibility().fraction >= 0.9
        robot.dof_values = before
    blind = list(observer.valid(poses[possible], occlusion=False))
    assert len(blind) > len(views)  # the screen is before some
    chance = [view.index for view in observer.valid(poses[possible], seed=4)]
    assert chance != sorted(chance)
    assert sorted(chance) == [view.index for view in views]
    failed = [view for view in map(observer.find, poses[possible]) if not view]
    assert any("the arm cannot go there: <IkResult" in view.cause for view in failed)
    assert any("before it: screen/base" in view.cause for view in failed)
    assert all(not len(view.values) for view in failed)
    assert repr(views[0]) == f"<CameraView {views[0].index}: {views[0].visibility}>"
    assert screen.id >= 0


def test_hands_before_or_in_the_target_are_no_views(arm):
    camera = eye_in_hand(arm, tilt=0.4)
    target = block(arm.robot.env, "target", (0.03, 0.02, 0.03), (0, 0, 0))
    observer = Observer(arm, camera, target)
    poses = camera_poses(sphere_points(50), [0.12, 0.16, 0.2, 0.3], 2)
    asked = observer.are_in_picture(poses)
    possible = observer.are_possible(poses)
    assert not possible[~asked].any()
    assert 0 < possible.sum() < asked.sum()
    # the same by moving the arm: nothing but hand and target is there
    hand = ("palm", "left_finger", "right_finger")
    for pose, expected in zip(poses[asked], possible[asked], strict=True):
        target.transform = camera.transform @ invert_pose(pose)
        hits = any(
            arm.robot.env.check_collision(arm.robot.links[name], target)
            for name in hand
        )
        others = [link for link in arm.robot.links if link.name not in hand]
        seen = replace(observer, transparent=others).visibility()
        assert expected == (not hits and bool(seen))


def test_a_camera_elsewhere_sees_what_the_arm_holds(arm):
    env, robot = arm.robot.env, arm.robot
    env.load_string("""<robot name="stand"><kinbody>
      <body name="post"><geom type="box"><extents>0.02 0.02 0.02</extents></geom>
      </body></kinbody><attachedsensor name="eye"><link>post</link>
      <translation>0 0 0.03</translation>
      <sensor type="BaseCamera"><kk>300 300 159.5 119.5</kk><width>320</width>
      <height>240</height></sensor></attachedsensor></robot>""")
    stand = env.robots["stand"]
    eye = stand.attached_sensors["eye"]
    part = block(env, "part", (0.03, 0.02, 0.01), arm.transform[:3, 3])
    with pytest.raises(ArgumentError, match="moves neither"):
        Observer(arm, eye, part)
    robot.grab(part)
    stand.transform = look_at((1.2, 0.3, 0.6), arm.transform[:3, 3])
    observer = Observer(arm, eye, part, allowed_occlusion=0.6)
    assert not observer.is_eye_in_hand
    poses = camera_poses(sphere_points(40), 0.8, 4, centre=observer.centre)
    views = list(observer.valid(poses[observer.are_possible(poses)]))
    assert views
    for view in views[:10]:
        robot.set_dof_values(view.values, arm.arm_indices)
        np.testing.assert_allclose(observer.pose, view.pose, atol=1e-6)
        assert observer.visibility().fraction >= 0.4


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"arm": "arm"}, "expected a manipulator"),
        ({"camera": "eye"}, r"attached_sensors\[...\]"),
        ({"target": 3}, "expected a link or a body"),
        ({"target": "heron7"}, "expected one of its links: 'base'"),
        ({"target": "heron7/palm"}, "rigid with each other"),
        ({"spacing": 0.0}, "spacing"),
        ({"nearest": np.nan}, "nearest"),
        ({"allowed_occlusion": 1.5}, "allowed_occlusion"),
        ({"region": [(0, 0), (1, 1)]}, "3 at least"),
        ({"region": [(0, 0), (10, 10), (20, 20)]}, "on a line"),
        ({"region": [(0, 0), (100, 100), (100, 0), (0, 100)]}, "not convex"),
    ],
)
def test_wrong_input_is_told(arm, change, text):
    camera, target = box_before(arm)
    given = {"arm": arm, "camera": camera, "target": target} | change
    with pytest.raises(ArgumentError, match=text):
        Observer(**given)


def test_cameras_that_are_none_are_told(arm):
    env, robot = arm.robot.env, arm.robot
    target = block(env, "target", (0.01, 0.01, 0.01), (1, 1, 1))
    with pytest.raises(NotSupportedError, match="is no camera"):
        Observer(arm, robot.attached_sensors["laser"], target)
    camera = eye_in_hand(arm)
    target.links[0].visible = False
    with pytest.raises(ArgumentError, match="nothing that is visible"):
        Observer(arm, camera, target)
    target.links[0].visible = True
    observer = Observer(arm, camera, "target")
    env.remove(target)
    with pytest.raises(StateError, match="not in the environment"):
        Observer(arm, camera, target)
    assert "looks at" in repr(observer)


def test_fisheyes_need_a_region(arm):
    camera = eye_in_hand(
        arm,
        kk=(60.0, 60.0, 159.5, 119.5),
        distortion_model="equidistant",
        distortion_coeffs=(0.05, 0.0, 0.0, 0.0),
    )
    target = block(arm.robot.env, "target", (0.01, 0.01, 0.01), (1, 1, 1))
    with pytest.raises(ArgumentError, match="give a smaller region"):
        Observer(arm, camera, target)
    region = [(140, 100), (180, 100), (180, 140), (140, 140)]
    assert Observer(arm, camera, target, region=region).axis[2] == 1.0
