"""Drawing into an environment: handles, arguments, pictures."""

import gc

import numpy as np
import pytest

import pyrave
from pyrave.geometry import RayScene
from pyrave.pictures import DrawnLines, DrawnPoints, drawn_layer

EYE, TARGET = (0.0, -4.0, 0.5), (0.0, 0.0, 0.5)


@pytest.fixture
def env():
    return pyrave.Environment()


def pictured(env, size=(96, 72)):
    return env.picture(eye=EYE, target=TARGET, size=size).astype(int)


DRAWINGS = {
    "points": lambda draw: draw.points([[0, 0, 0.5]], size=0.3),
    "cloud": lambda draw: draw.points(
        [(0, 0, 0.5), (0, 0, 0.5)], color=[(1, 0, 0), (1, 0, 0)], size=0.3
    ),
    "line_strip": lambda draw: draw.line_strip([(-1, 0, 0.5), (1, 0, 0.5)], width=5),
    "lines": lambda draw: draw.lines([(-1, 0, 0.5), (1, 0, 0.5)], width=5),
    "arrow": lambda draw: draw.arrow((-1, 0, 0.5), (1, 0, 0.5), radius=0.1),
    "box": lambda draw: draw.box((0, 0, 0.5), (0.2, 0.2, 0.2)),
    "boxes": lambda draw: draw.boxes(
        [(0, 0, 0.5), (1, 0, 0)], [(0.2, 0.2, 0.2), (0.1, 0.1, 0.1)]
    ),
    "mesh": lambda draw: draw.mesh(
        [(-1, 0, 0), (1, 0, 0), (0, 0, 2)], [(0, 1, 2)], color="red"
    ),
    "plane": lambda draw: draw.plane(upright(), (0.5, 0.5), color="green"),
    "text": lambda draw: draw.text("hello", (-0.8, 0, 0.5), height=0.4),
    "frame": lambda draw: draw.frame(upright(), length=0.7),
}


def upright():
    """A frame whose z points at the eye, and whose y is up."""
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2] = (1, 0, 0), (0, 0, 1), (0, -1, 0)
    pose[:3, 3] = TARGET
    return pose


@pytest.mark.parametrize("kind", DRAWINGS)
def test_what_is_drawn_is_in_pictures_until_its_handle_goes(env, kind):
    empty = pictured(env)
    mark = DRAWINGS[kind](env.draw)
    drawn = pictured(env)
    assert (np.abs(drawn - empty).max(axis=2) > 30).sum() > 20
    mark.visible = False
    assert (pictured(env) == empty).all()
    mark.visible = True
    assert (pictured(env) == drawn).all()
    del mark
    gc.collect()
    assert (pictured(env) == empty).all()
    assert len(env.draw) == 0


def test_closing_erases_and_keeping_keeps(env):
    with env.draw.points([[0, 0, 0]]) as mark:
        assert len(env.draw) == 1
        assert repr(mark) == "<Drawing: Points>"
    assert len(env.draw) == 0
    assert repr(mark) == "<Drawing: erased>"
    env.draw.points([[0, 0, 0]]).keep()
    gc.collect()
    assert len(env.draw) == 1
    env.draw.clear()
    assert len(env.draw) == 0


def test_each_change_has_a_version(env):
    seen = [env.draw.version]
    mark = env.draw.points([[0, 0, 0]])
    seen.append(env.draw.version)
    mark.visible = False
    seen.append(env.draw.version)
    mark.visible = False
    assert env.draw.version == seen[-1]
    mark.close()
    seen.append(env.draw.version)
    assert seen == sorted(set(seen))


def test_drawings_hold_no_arrays_of_the_caller(env):
    points = np.zeros((3, 3))
    segments = np.zeros((2, 2, 3))
    marks = [env.draw.points(points), env.draw.lines(segments)]
    points += 1.0
    segments += 1.0
    for entry in env.draw.entries().values():
        item = entry.item
        assert isinstance(item, DrawnPoints | DrawnLines)
        kept = item.points if isinstance(item, DrawnPoints) else item.segments
        assert not kept.any()
    assert len(marks) == 2


def test_points_that_are_not_known_are_left_out(env):
    mark = env.draw.points([(0, 0, 0), (np.nan, 0, 0), (1, 1, 1)], color=np.eye(3))
    (entry,) = env.draw.entries().values()
    assert np.array_equal(entry.item.points, [(0, 0, 0), (1, 1, 1)])
    assert np.array_equal(entry.item.colors[:, :3], np.eye(3)[[0, 2]])
    mark.close()


def test_solids_hide_what_is_behind_them_and_are_hidden(env):
    body = pyrave.scene.body_from_boxes("wall", [(0, 0, 0.5, 1, 0.1, 1)])
    env.create_body(body)
    wall = pictured(env)
    behind = env.draw.box((0, 1, 0.5), (0.2, 0.2, 0.2), color="red")
    assert (pictured(env) == wall).all()
    front = env.draw.box((0, -1, 0.5), (0.2, 0.2, 0.2), color="red")
    middle = pictured(env)[36, 48]
    assert middle[0] > 2 * middle[1]
    half = env.draw.box((0, -1.5, 0.5), (0.1, 0.1, 0.1), color=(0, 0, 1, 0.5))
    mixed = pictured(env)[36, 48]
    assert mixed[0] < middle[0]
    assert mixed[2] > middle[2]
    assert behind.visible
    assert front.visible
    assert half.visible


def test_a_texture_is_the_right_way_round(env):
    texture = np.zeros((2, 2, 3), np.uint8)
    texture[0, 0], texture[0, 1] = (255, 0, 0), (0, 255, 0)
    texture[1, 0], texture[1, 1] = (0, 0, 255), (255, 255, 255)
    mark = env.draw.plane(upright(), (0.5, 0.5), texture=texture)
    image = pictured(env)
    assert image[30, 42].tolist() == [255, 0, 0]
    assert image[30, 54].tolist() == [0, 255, 0]
    assert image[42, 42].tolist() == [0, 0, 255]
    assert image[42, 54].tolist() == [255, 255, 255]
    mark.close()


def test_a_trajectory_is_the_way_of_the_tool():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    arm = robot.manipulators[0]
    result = arm.plan(values=robot.dof_values[arm.arm_indices] + 0.1, seed=0)
    mark = env.draw.trajectory(result)
    (entry,) = env.draw.entries().values()
    segments = entry.item.segments
    assert np.allclose(segments[0, 0], arm.transform[:3, 3], atol=1e-6)
    assert np.allclose(segments[1:, 0], segments[:-1, 1])
    mark.close()


WRONG = {
    "points": (lambda d: d.points([[0, 0]]), "points have shape (1, 2)"),
    "color": (lambda d: d.points([[0, 0, 0]], color="gren"), "'green'"),
    "colors": (lambda d: d.points([[0, 0, 0]], color=(1, 2, 3)), "from 0 to 1"),
    "shape": (lambda d: d.points([[0, 0, 0]], color=(1, 1)), "color has shape (2,)"),
    "size": (lambda d: d.points([[0, 0, 0]], size=0), "size is 0"),
    "odd": (lambda d: d.lines([[0, 0, 0]]), "segments has shape (1, 3)"),
    "nan": (lambda d: d.lines([[[0, 0, np.nan], [0, 0, 0]]]), "not finite"),
    "arrow": (lambda d: d.arrow((0, 0, 0), (0, 0, 0)), "the same place"),
    "box": (lambda d: d.box((0, 0, 0), (1, 1, 0)), "not above 0"),
    "boxes": (lambda d: d.boxes([(0, 0, 0)], np.ones((2, 3))), "(3,) or (1, 3)"),
    "faces": (lambda d: d.mesh(np.zeros((3, 3))), "without faces"),
    "texture": (
        lambda d: d.plane(np.eye(4), (1, 1), texture=np.zeros((2, 2))),
        "texture has shape",
    ),
    "text": (lambda d: d.text(5, (0, 0, 0)), "text is 5"),
    "frame": (lambda d: d.frame("tool"), "expected a pose"),
    "trajectory": (lambda d: d.trajectory(3), "expected a trajectory"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_drawn_is_refused(env, kind):
    call, message = WRONG[kind]
    with pytest.raises(pyrave.ArgumentError) as caught:
        call(env.draw)
    assert message in str(caught.value)
    assert len(env.draw) == 0


@pytest.mark.parametrize("kind", ["arrow", "box", "boxes", "mesh", "plane"])
@pytest.mark.parametrize("eye", [EYE, (0.0, -0.05, 0.5)])
def test_of_solids_only_the_part_that_is_seen_is_rendered(env, kind, eye, monkeypatch):
    mark = DRAWINGS[kind](env.draw)
    view = {"eye": eye, "target": (0.3, 0.0, 0.6), "size": (96, 72)}
    part = env.picture(**view)
    monkeypatch.setattr(
        drawn_layer,
        "_place",
        lambda camera, _: (slice(0, camera.height), slice(0, camera.width)),
    )
    assert (env.picture(**view) == part).all()
    assert mark.visible


def test_a_small_drawing_takes_few_rays(env, monkeypatch):
    counts = []
    cast = RayScene.cast

    def counted(scene, origins, directions, *args, **options):
        counts.append(directions.size // 3)
        return cast(scene, origins, directions, *args, **options)

    monkeypatch.setattr(RayScene, "cast", counted)
    mark = env.draw.box((0.2, 0, 0.5), (0.05, 0.05, 0.05))
    small = pictured(env)
    assert (small != pictured(pyrave.Environment())).any()
    assert 0 < counts[0] < 96 * 72 / 20
    assert mark.visible
