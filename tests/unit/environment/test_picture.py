"""`Environment.picture`: views, layers, files, and what it refuses."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, NotSupportedError, ResourceError
from pyrave.geometry import encode_png
from pyrave.pictures import Skeleton, Viewpoint, layers_of, size_of
from pyrave.sensing import LaserData
from pyrave.spatial import matrix_from_axis_angle

SIZE = (120, 90)
BOX = """<kinbody name="{name}"><body name="b"><geom type="box">
<extents>{extents}</extents><diffusecolor>{colour}</diffusecolor></geom></body>
<translation>{place}</translation></kinbody>"""
ARM = """<robot name="arm"><kinbody>
<body name="l0"/><body name="l1"/><body name="l2"/>
<joint name="j1" type="hinge"><body>l0</body><body>l1</body><axis>0 0 1</axis>
<anchor>0 0 0</anchor></joint>
<joint name="j2" type="hinge"><body>l1</body><body>l2</body><axis>0 0 1</axis>
<anchor>1 0 0</anchor></joint></kinbody>
<manipulator name="m"><base>l0</base><effector>l2</effector>
<translation>2 0 0</translation></manipulator></robot>"""


def box(name, extents="0.1 0.1 0.1", colour="1 0 0", place="0 0 0"):
    return BOX.format(name=name, extents=extents, colour=colour, place=place)


def scene(*parts):
    return pyrave.load_string(f"<environment>{''.join(parts)}</environment>")


def reddish(image):
    red, green, blue = np.moveaxis(image.astype(int), 2, 0)
    return (red > green + 40) & (red > blue + 40)


def middle(mask):
    """Column and row of the middle of a mask, from the middle of the image."""
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    return columns.mean() - 0.5 * (width - 1), rows.mean() - 0.5 * (height - 1)


def test_it_is_an_array_and_a_file(tmp_path):
    env = scene(box("red"))
    image = env.picture(tmp_path / "a.PNG", size=SIZE)
    assert image.shape == (90, 120, 3)
    assert image.dtype == np.uint8
    assert (tmp_path / "a.PNG").read_bytes() == encode_png(image)
    assert env.picture().shape == (720, 960, 3)


def test_a_picture_in_jpeg(tmp_path):
    pil = pytest.importorskip("PIL.Image")
    image = scene(box("red")).picture(tmp_path / "a.jpg", size=SIZE)
    found = pil.open(tmp_path / "a.jpg")
    assert found.format == "JPEG"
    assert np.abs(np.asarray(found).astype(int) - image).mean() < 3


def test_jpeg_needs_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(NotSupportedError, match=r"JPEG file needs Pillow: pip install"):
        scene(box("red")).picture(tmp_path / "a.jpg", size=SIZE)
    assert not list(tmp_path.iterdir())


def test_a_single_thing_is_in_the_middle_and_large():
    mask = reddish(scene(box("red", place="5 -3 2")).picture(size=SIZE))
    assert mask.mean() > 0.1
    assert np.abs(middle(mask)).max() < 3


def test_places_and_zoom():
    env = scene(box("red", place="1 0 0"))
    straight = reddish(env.picture(eye=(-2, 0, 0), target=(1, 0, 0), size=SIZE))
    # 0.2 m at 2.9 m, 45 degrees over 90 rows
    wide = 0.2 / 2.9 * 45 / np.tan(np.radians(22.5))
    assert np.ptp(np.nonzero(straight)[1]) + 1 == pytest.approx(wide, abs=1.5)
    twice = reddish(env.picture(eye=(-2, 0, 0), target=(1, 0, 0), size=SIZE, zoom=2))
    assert twice.sum() == pytest.approx(4 * straight.sum(), rel=0.15)
    aside = reddish(env.picture(eye=(-2, 0, 0), target=(1, 0.3, 0), size=SIZE))
    # what is aimed at lies to the left of the thing
    assert middle(aside)[0] > 5


def test_a_body_as_target_fills_the_picture():
    white = box("white", "1 1 1", "1 1 1")
    env = scene(box("red", "0.02 0.02 0.02", place="3 0 0"), white)
    whole = reddish(env.picture(size=SIZE)).mean()
    near = reddish(env.picture(target=env.bodies["red"], size=SIZE)).mean()
    assert near > 0.05 > whole
    link = env.bodies["red"].links[0]
    assert reddish(env.picture(target=link, size=SIZE)).mean() == pytest.approx(near)


def test_a_floor_is_no_thing_to_frame():
    parts = [
        ARM.replace(
            'l1"/>',
            "l1\"><geom type='sphere'><radius>1</radius>"
            "<diffusecolor>1 0 0</diffusecolor></geom></body>",
            1,
        )
    ]
    alone = reddish(scene(*parts).picture(size=SIZE)).mean()
    floor = box("floor", "50 50 0.01", "1 1 1", "0 0 -1.1")
    assert reddish(scene(*parts, floor).picture(size=SIZE)).mean() > 0.7 * alone


def test_the_eye_is_where_the_robot_is_seen():
    """A screen hides it from the usual side."""
    ball = ARM.replace(
        'l1"/>',
        "l1\"><geom type='sphere'><radius>0.3</radius>"
        "<diffusecolor>1 0 0</diffusecolor></geom></body>",
        1,
    )
    screen = scene(ball, box("screen", "0.02 1.0 1.0", "1 1 1"))
    screen.bodies["screen"].transform = turned = np.eye(4)
    turned[:3, :3] = matrix_from_axis_angle((0, 0, np.arctan2(-1.2, 1.0)))
    turned[:3, 3] = np.array((1.0, -1.2, 0.5)) * 0.4
    usual = (2.9, -3.5, 2.4)
    hidden = reddish(screen.picture(eye=usual, target=(0, 0, 0), size=SIZE)).sum()
    assert reddish(screen.picture(size=SIZE)).sum() > 2 * hidden


def test_robots_are_seen_from_the_front():
    """They look along +x; the viewer begins there, too."""
    env = pyrave.load("robots/heron7.robot.xml")
    x, y, z = env.viewpoint().pose[:3, 3] - env.robots[0].aabb[0]
    assert x > 0.5 * abs(y) > 0.0
    assert z > 0.0


def test_the_scene_has_a_camera_of_its_own():
    env = pyrave.load("scenes/demo.env.xml")
    own = Viewpoint(size=SIZE).camera(env, np.eye(4))
    np.testing.assert_array_equal(own.pose, np.eye(4))
    chosen = Viewpoint(target=(0, 0, 1), size=SIZE).camera(env, np.eye(4))
    assert np.linalg.norm(chosen.pose[:3, 3]) > 1
    np.testing.assert_allclose(
        np.cross(chosen.pose[:3, 2], (0, 0, 1) - chosen.pose[:3, 3]), 0, atol=1e-12
    )


def test_an_empty_environment_has_a_picture():
    assert len(np.unique(pyrave.Environment().picture(size=SIZE))) > 10


def changed(env, **layer):
    place = {"eye": (0.5, -0.01, 5), "target": (0.5, 0, 0), "size": SIZE}
    plain = env.picture(**place).astype(int)
    image = env.picture(**place, **layer).astype(int)
    return (image != plain).any(axis=2), image


def test_scans_and_points_are_drawn():
    env = scene(box("white", colour="1 1 1", place="0.5 0 -1"))
    scan = LaserData(
        positions=np.zeros((1, 3)), ranges=np.array([(1.0, 0, 0)]),
        intensity=np.ones(1), body_ids=np.zeros(1, np.int64),
    )  # fmt: skip
    mask, image = changed(env, scans=scan)
    assert mask.sum() > 5
    assert reddish(image)[mask].any()
    points = np.array([(0.5, 0.2, 0), (0.5, -0.2, 0)])
    blue, image = changed(env, scans=points)
    red, _, most = image[blue].T
    assert (most > red).all()
    both, _ = changed(env, scans=[scan, points])
    assert (both & blue).sum() == blue.sum()
    assert both.sum() > blue.sum()


def test_regions_and_frames_are_drawn():
    env = scene(box("white", colour="1 1 1", place="0.5 0 -1"), ARM)
    square = np.array([(0.2, -0.3, 0), (0.8, -0.3, 0), (0.8, 0.3, 0), (0.2, 0.3, 0)])
    assert changed(env, regions=square)[0].sum() > 60

    class Region:
        points = square

    np.testing.assert_array_equal(
        changed(env, regions=[Region()])[1], changed(env, regions=[square.tolist()])[1]
    )
    pose = np.eye(4)
    pose[0, 3] = 0.5
    one, image = changed(env, frames=pose)
    assert reddish(image)[one].any()
    arm = env.robots["arm"]
    arm.dof_values = [0, 0]
    both = changed(env, frames=[pose, arm.manipulators["m"], arm.links[0]])[0]
    assert both.sum() > one.sum()
    # from above, x is to the right and y upwards
    assert middle(reddish(image) & one)[0] > 0


def planned(env, rows, spec):
    trajectory = env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, rows)
    return trajectory


def test_the_way_of_the_tool_is_an_arc():
    env = scene(ARM)
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values arm 0 1", 2, "linear"
    )
    arc = np.column_stack((np.linspace(0, np.pi, 50), np.zeros(50)))
    (way,) = layers_of(env, trajectory=planned(env, arc, spec))
    radius = np.linalg.norm(way.points, axis=1)
    np.testing.assert_allclose(radius, 2.0, atol=1e-12)
    np.testing.assert_allclose(way.points[-1], (-2, 0, 0), atol=1e-12)
    # nothing has moved
    np.testing.assert_array_equal(env.robots["arm"].dof_values, 0)
    timed = spec.add_group("deltatime", 1)
    rows = np.column_stack((arc, np.full(50, 0.1)))
    (again,) = layers_of(env, trajectory=[planned(env, rows, timed)])
    np.testing.assert_allclose(again.points[[0, -1]], way.points[[0, -1]], atol=1e-9)


def test_the_way_of_a_robot_without_manipulators_is_that_of_its_last_link():
    env = scene(ARM)
    robot = env.robots["arm"]
    for name in robot.manipulators.names:
        robot.remove_manipulator(name)
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values arm 0 1", 2, "linear"
    )
    (way,) = layers_of(env, trajectory=planned(env, [[0, 0], [np.pi, 0]], spec))
    there = robot.compute_link_transforms([[0, 0], [np.pi, 0]])[:, -1, :3, 3]
    np.testing.assert_allclose(way.points, there, atol=1e-12)


def test_bodies_without_shape_are_skeletons():
    env = scene(ARM, box("red"))
    found = Skeleton.from_body(env.robots["arm"])
    assert found.bones.shape == (2, 2, 3)
    assert Skeleton.from_body(env.bodies["red"]) is None
    env = scene(ARM)
    assert len(np.unique(env.picture(size=SIZE).reshape(-1, 3), axis=0)) > 50


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"path": "a.bmp"},
            r"'a.bmp', expected a name in \.png, \.jpg or \.jpeg",
        ),
        ({"path": 3}, "path is 3, expected a path"),
        ({"eye": (1, 2)}, "eye"),
        ({"eye": (1, 2, 3), "target": (1, 2, 3)}, "eye and target are at the same"),
        ({"size": 640}, "size is 640, expected width and height"),
        ({"size": (0, 10)}, "0 x 10 pixels is empty"),
        ({"size": (100000, 10000)}, "too large"),
        ({"zoom": 0}, "zoom is 0"),
        ({"scans": "laser"}, "expected measurements or points"),
        ({"scans": [np.zeros((3, 2))]}, r"expected measurements or points \(n, 3\)"),
        ({"regions": [np.zeros((3, 2))]}, r"expected corners \(n, 3\)"),
        ({"frames": [np.zeros((4, 4))]}, "expected a pose"),
        ({"trajectory": 3}, "trajectory is 3, expected a trajectory"),
    ],
)
def test_what_is_refused(wrong, said):
    env = scene(box("red"))
    with pytest.raises(ArgumentError, match=said):
        env.picture(**wrong)


def test_a_trajectory_of_nobody_is_refused():
    env, other = scene(box("red")), scene(ARM)
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values arm 0 1", 2, "linear"
    )
    way = planned(other, np.zeros((2, 2)), spec)
    with pytest.raises(ArgumentError, match="is about arm, the environment has red"):
        env.picture(trajectory=way)


def test_there_must_be_a_folder(tmp_path):
    with pytest.raises(ResourceError, match="make this folder"):
        scene(box("red")).picture(tmp_path / "new" / "a.png")
    (tmp_path / "a.png").mkdir()
    with pytest.raises(ArgumentError, match="cannot be written"):
        scene(box("red")).picture(tmp_path / "a.png", size=SIZE)


@pytest.mark.parametrize("text", ["", "960", "960x", "axb", "960 720", "-1x5", "9.5x3"])
def test_sizes_of_the_command_line(text):
    assert size_of("960X720") == (960, 720)
    with pytest.raises(ArgumentError, match="expected width and height"):
        size_of(text)


def test_each_body_that_moves_has_a_way():
    env = scene(ARM, ARM.replace('name="arm"', 'name="other"'), box("red"))
    spec = pyrave.ConfigurationSpecification()
    for name in ("arm", "other"):
        spec = spec.add_group(f"joint_values {name} 0 1", 2, "linear")
    rows = np.array([(0, 0, 0, 0), (0.5, 0, 0, 0.5)], float)
    one, other = layers_of(env, trajectory=planned(env, rows, spec))
    assert not np.allclose(one.points[-1], other.points[-1])
    np.testing.assert_allclose(one.points[0], other.points[0])


def test_a_base_that_moves_carries_its_tool():
    env = scene(ARM)
    spec = pyrave.ConfigurationSpecification().add_group(
        "affine_transform arm 7", 3, "linear"
    )
    rows = np.array([(0.0, 0, 0), (1, 2, 3)])
    (way,) = layers_of(env, trajectory=planned(env, rows, spec))
    np.testing.assert_allclose(way.points, rows + np.array((2, 0, 0)), atol=1e-12)


def test_a_plan_without_a_motion_has_no_way():
    env = scene(ARM)
    plan = env.robots["arm"].plan([99.0, 0.0], seed=0)
    assert not plan
    with pytest.raises(ArgumentError, match="the PlanResult is no motion: the goal"):
        env.picture(trajectory=plan)


def test_layers_may_be_empty():
    env = scene(box("red"))
    plain = env.picture(size=SIZE)
    nothing = {"scans": [], "regions": [np.zeros((0, 3))], "frames": []}
    np.testing.assert_array_equal(env.picture(size=SIZE, **nothing), plain)
    empty = {"scans": LaserData(), "regions": [], "trajectory": []}
    np.testing.assert_array_equal(env.picture(size=SIZE, **empty), plain)


def test_what_is_far_off_does_not_make_all_else_tiny():
    parts = [box(name, place=f"{x} 0 0") for name, x in (("a", 0), ("b", 1), ("c", 2))]
    near = reddish(scene(*parts).picture(size=SIZE)).sum()
    lost = scene(*parts, box("lost", "0.1 0.1 0.1", "1 1 1", "1e6 0 0"))
    assert reddish(lost.picture(size=SIZE)).sum() == pytest.approx(near, rel=0.2)


def test_the_world_is_seen_from_far_off():
    env = scene(box("red", "500 500 500"))
    image = env.picture(eye=(-9000, 0, 0), target=(0, 0, 0), size=SIZE)
    assert reddish(image).sum() > 30
