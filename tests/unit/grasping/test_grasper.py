"""A gripper of boxes on simple bodies, where all finals are known."""

import zipfile
from contextlib import suppress

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.errors import ArgumentError, NotSupportedError, ResourceError, StateError
from pyrave.grasping import (
    ContactSet,
    Grasp,
    Grasper,
    GraspSet,
    box_rays,
    roll_angles,
)
from pyrave.grasping.grasper import Candidate
from pyrave.spatial import pose_from_rpy

SCENE = scene_beside(__file__, "grasper.env.xml")


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load_string(SCENE)
    env.bodies["ball"].transform = pose_from_rpy((0.4, 0.1, -1), (1, 2, 3))
    return env


@pytest.fixture
def arm(env):
    return env.robots["hand"].manipulators["grip"]


@pytest.fixture
def grasper(arm):
    return Grasper(arm, arm.robot.env.bodies["ball"], length=0.02)


def test_fingers_close_to_where_they_touch(env, arm, grasper):
    before = env.bodies["ball"].transform.copy(), arm.robot.dof_values
    turned = pose_from_rpy((0.5, -0.3, 0.8), (0, 0, 0))
    grasp = grasper.grasp(turned)
    np.testing.assert_allclose(grasp.final, (0.025, 0.025), atol=2e-6)
    np.testing.assert_allclose(grasp.T_hand_target @ turned, np.eye(4), atol=1e-12)
    assert grasp.contacts.links == ("left", "right")
    there = grasp.contacts.moved(grasp.T_hand_target)
    np.testing.assert_allclose(there.points, [(-0.02, 0, 0), (0.02, 0, 0)], atol=1e-6)
    np.testing.assert_allclose(there.normals, [(1, 0, 0), (-1, 0, 0)], atol=1e-3)
    assert grasp.scores["epsilon"] == 0.0  # nothing holds about the line between
    assert np.array_equal(env.bodies["ball"].transform, before[0])
    assert np.array_equal(arm.robot.dof_values, before[1])
    assert len(env.bodies) == 3


def test_flat_fingers_touch_with_their_corners(env, arm):
    """Two pads on a box: a patch each, and force closure by two fingers."""
    env.load_string(
        """<environment><kinbody name="box"><translation>5 0 0</translation>
        <body name="b"><geom type="box"><extents>0.02 0.05 0.02</extents></geom></body>
        </kinbody></environment>"""
    )
    grasp = Grasper(arm, env.bodies["box"], length=0.02).grasp(np.eye(4))
    np.testing.assert_allclose(grasp.final, (0.025, 0.025), atol=2e-6)
    assert grasp.contacts.links.count("left") >= 4
    found = {tuple(one) for one in grasp.contacts.points.round(4).tolist()}
    corners = {(x, y, z) for x in (-0.02, 0.02) for y in (-0.01, 0.01)
               for z in (-0.02, 0.02)}  # fmt: skip
    assert corners <= found
    np.testing.assert_allclose(np.abs(grasp.contacts.normals[:, 0]), 1.0, atol=1e-5)
    assert grasp.scores["epsilon"] > 0.05


def test_each_finger_stops_by_itself(grasper):
    """Off the middle one touches first, and the other goes on."""
    grasp = grasper.grasp(pose_from_rpy((0, 0, 0), (0.01, 0, 0)))
    np.testing.assert_allclose(grasp.final, (0.015, 0.035), atol=2e-6)
    grasp = grasper.grasp(np.eye(4), preshape=(0.02, 0.0))
    np.testing.assert_allclose(grasp.final, (0.025, 0.025), atol=2e-6)
    assert grasp.preshape.tolist() == [0.02, 0.0]
    # nothing between them: they meet each other
    assert grasper.grasp(pose_from_rpy((0, 0, 0), (0, 0.3, 0))) is None
    # fingers inside of the ball
    assert grasper.grasp(pose_from_rpy((0, 0, 0), (0.05, 0, 0))) is None


def test_a_hand_comes_until_it_touches(grasper):
    """The goal is behind the ball: the palm meets it before."""
    behind = pose_from_rpy((0, 0, 0), (0, 0, 0.06))
    grasp = grasper.grasp(behind, standoff=0.0)
    assert grasp.T_hand_target[2, 3] + 0.04 == pytest.approx(0.02, abs=5e-5)
    grasp = grasper.grasp(behind, standoff=0.01)
    assert grasp.T_hand_target[2, 3] + 0.04 == pytest.approx(0.03, abs=5e-5)
    # before its goal nothing is in the way
    grasp = grasper.grasp(np.eye(4), standoff=0.01)
    assert grasp.T_hand_target[2, 3] == pytest.approx(0.01, abs=5e-5)
    side = grasper.grasp(behind, approach=(0, 1, 0), standoff=0.0)
    assert side is None


def test_all_combinations_are_tried(grasper):
    rays = box_rays(grasper.target, 0.02)
    rays = rays[np.abs(rays[:, 2]) < 1e-3]
    found = grasper.grasps(
        rays, rolls=roll_angles(2), standoffs=(0.0, 0.01), least=-1.0
    )
    tries = list(grasper.candidates(rays, rolls=roll_angles(2), standoffs=(0.0, 0.01)))
    assert len(tries) == 4 * len(rays)
    assert 0 < len(found) <= len(tries)
    assert len(grasper.grasps(rays)) == 0  # two points have no force closure
    assert len(grasper.grasps(rays, least=-1.0, limit=2)) == 2
    noise = [
        grasper.grasps(rays, noise=(1e-3, 0.1), seed=seed, least=-1.0)
        for seed in (1, 1, 2)
    ]
    assert noise[0] == noise[1] != noise[2]
    assert found.about["joints"] == ["l", "r"]
    assert found.about["length"] == 0.02


def test_what_is_found_can_be_taken(env, arm, grasper):
    found = GraspSet(
        [grasper.grasp(np.eye(4)), grasper.grasp(pose_from_rpy((0, 1, 0), (0, 0, 0)))],
        grasper.describe(),
    )
    assert len(found.valid(arm, all=True)) == 2
    env.load_string(
        """<environment><kinbody name="wall"><body name="b">
        <geom type="box"><extents>0.01 0.2 0.2</extents></geom></body></kinbody>
        </environment>"""
    )
    ball, wall = env.bodies["ball"], env.bodies["wall"]
    # where the left finger would be
    hand = found[0].hand_pose(ball.transform)
    wall.transform = hand @ pose_from_rpy((0, 0, 0), (-0.06, 0, 0))
    lazy = found.valid(arm)
    assert next(lazy, None) != found[0]
    wall.transform = pose_from_rpy((0, 0, 0), (9, 9, 9))
    env.load_string(
        """<environment><kinbody name="post"><body name="b">
        <geom type="box"><extents>0.002 0.002 0.002</extents></geom></body></kinbody>
        </environment>"""
    )
    post = env.bodies["post"]
    # where the left finger is when it has closed, beside the ball
    post.transform = hand @ pose_from_rpy((0, 0, 0), (-0.025, 0.008, 0))
    assert next(found.valid(arm), None) != found[0]
    post.transform = pose_from_rpy((0, 0, 0), (9, 9, 9))
    assert next(found.valid(arm, "ball")) is found[0]
    assert np.array_equal(arm.gripper_dof_values, (0, 0))


def test_an_arm_takes_what_it_reaches():
    env = pyrave.load("scenes/demo.env.xml")
    arm, mug = env.robots["heron7"].manipulators[0], env.bodies["mug"]
    grasper = Grasper(arm, mug, friction=0.6)
    down = pose_from_rpy((np.pi, 0, 0), (0, 0, 0.16))
    poses = [down @ pose_from_rpy((0, 0, k * np.pi / 4), (0, 0, 0)) for k in range(8)]
    some = [grasper.grasp(pose, standoff=0.0, preshape=[0.04]) for pose in poses]
    found = GraspSet([one for one in some if one is not None], grasper.describe())
    before = arm.robot.dof_values, arm.robot.active.indices
    valid = found.valid(arm, all=True)
    assert valid == GraspSet(list(found.valid(arm)), found.about)
    for grasp in valid:
        assert arm.solve_ik(grasp.hand_pose(mug.transform)) is not None
    assert np.array_equal(arm.robot.dof_values, before[0])
    assert np.array_equal(arm.robot.active.indices, before[1])
    mug.transform = pose_from_rpy((0, 0, 0), (9, 9, 9))
    assert len(found.valid(arm, all=True)) == 0


def made(k):
    return Grasp(
        pose_from_rpy((0.1 * k, 0, 0), (k, 0, 0)),
        (0.1, 0.2),
        (0.3, 0.1 * k),
        (0, 1, 0),
        ContactSet([(k, 0, 0)] * k, [(0, 0, 1)] * k, 0.3, ("left",) * k),
        {"epsilon": (k * 7 % 5) / 10, "mine": float(k)},
    )


def test_sets_sort_and_choose():
    some = GraspSet([made(k) for k in range(5)], {"manipulator": "m", "target": "t"})
    assert [g.scores["mine"] for g in some.sorted()] == [2, 4, 1, 3, 0]
    assert [g.scores["mine"] for g in some.sorted("mine", ascending=True)] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    assert len(some.sorted(lambda grasp: len(grasp.contacts))[0].contacts) == 4
    assert len(some.where(lambda grasp: grasp.scores["epsilon"] > 0.2)) == 2
    assert some[1:3].about == some.about
    assert repr(some) == "<GraspSet: 5 grasps of 'm' on 't'>"
    with pytest.raises(ArgumentError, match="no score 'volume'; known: epsilon, mine"):
        some.sorted("volume")
    with pytest.raises(ArgumentError, match=r"grasps\[0\] is 1, expected"):
        GraspSet([1])


@pytest.mark.parametrize("count", [0, 1, 5])
def test_files_keep_everything(tmp_path, count):
    some = GraspSet([made(k) for k in range(count)], {"target": "t", "friction": 0.5})
    path = tmp_path / "some.npz"
    some.save(path)
    assert GraspSet.load(path) == some
    with pytest.raises(StateError, match=r"cannot be read: it is no file"):
        GraspSet.load(tmp_path)
    with pytest.raises(StateError, match=r"cannot be written: "):
        some.save(tmp_path)
    with np.load(path, allow_pickle=False) as file:
        assert '"format": "pyrave-grasps"' in str(file["header"])


def test_wrong_files_are_told(tmp_path):
    path = tmp_path / "some.npz"
    with pytest.raises(ResourceError, match=r"some\.npz"):
        GraspSet.load(path)
    some = GraspSet([made(k) for k in range(1, 4)])
    some.save(path)
    whole = path.read_bytes()
    for end in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:end])
        with pytest.raises(ArgumentError, match=r"some\.npz is no whole file of"):
            GraspSet.load(path)
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        with suppress(ArgumentError):
            GraspSet.load(path)
    np.savez(path, header=np.array("{}"))
    with pytest.raises(ArgumentError, match=r"has no grasps: its header is"):
        GraspSet.load(path)
    np.savez(path, header=np.array('{"format": "pyrave-grasps", "version": 99}'))
    with pytest.raises(ArgumentError, match="of version 99, and this pyrave reads"):
        GraspSet.load(path)
    np.savez(path, header=np.array({"a": object()}, dtype=object), allow_pickle=True)
    with pytest.raises(ArgumentError, match=r"is no whole file of grasps"):
        GraspSet.load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.npy", b"\x93NUMPY\x01\x00\x02\x00{\n")
    with pytest.raises(ArgumentError, match=r"is no whole file of grasps"):
        GraspSet.load(path)
    before = path.read_bytes()
    with pytest.raises(ArgumentError, match="JSON cannot hold"):
        GraspSet([made(1)], {"target": object()}).save(path)
    with pytest.raises(ArgumentError, match="different scores"):
        GraspSet([made(1), Grasp(np.eye(4), (1, 2))]).save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda e, a: Grasper("a", e.bodies["ball"]), ArgumentError, "arm is 'a'"),
        (lambda e, a: Grasper(a, 3), ArgumentError, "target is 3"),
        (
            lambda e, a: Grasper(a.robot.manipulators["none"], e.bodies["ball"]),
            ArgumentError,
            "has no gripper joints",
        ),
        (
            lambda e, a: Grasper(a.robot.manipulators["still"], e.bodies["ball"]),
            ArgumentError,
            "is 0 for all of its 2 gripper joints, so that nothing closes",
        ),
        (
            lambda e, a: Grasper(a, e.bodies["air"]),
            ArgumentError,
            "has no geometry to touch",
        ),
        (
            lambda e, a: Grasper(a, a.robot),
            ArgumentError,
            "which cannot take hold of itself",
        ),
        (
            lambda e, a: Grasper(a, e.bodies["ball"], friction=-0.1),
            ArgumentError,
            "friction is -0.1",
        ),
        (
            lambda e, a: Grasper(a, e.bodies["ball"], length=0),
            ArgumentError,
            "length is 0",
        ),
        (
            lambda e, a: Grasper(a, e.bodies["ball"]).grasp(np.full((4, 4), np.nan)),
            ArgumentError,
            "T_target_hand has values that are not finite",
        ),
        (
            lambda e, a: Grasper(a, e.bodies["ball"]).grasp(np.eye(4), preshape=(9, 0)),
            ArgumentError,
            r"preshape\[0\] is 9, expected a value of 'l' from 0 to 0.06",
        ),
        (
            lambda e, a: Grasper(a, e.bodies["ball"]).grasps(
                np.ones((1, 6)), standoffs=-1
            ),
            ArgumentError,
            "standoffs has -1",
        ),
        (
            lambda e, a: GraspSet([Grasp(np.eye(4), (1,))]).valid(a, "ball"),
            ArgumentError,
            "they are of another hand",
        ),
        (lambda e, a: GraspSet().valid(a), ArgumentError, "target is None"),
        (lambda e, a: GraspSet().valid(a, 3), ArgumentError, "target is 3, expected a"),
        (lambda e, a: GraspSet().draw("ball"), ArgumentError, "target is 'ball'"),
        (
            lambda e, a: Grasp(np.eye(4), scores=[1]),
            ArgumentError,
            r"scores are \[1\], expected numbers by their names",
        ),
        *(
            (
                lambda e, a, given=given: Grasper(a, e.bodies["ball"]).grasps(
                    np.ones((1, 6)), **given
                ),
                ArgumentError,
                message,
            )
            for given, message in (
                ({"limit": 0}, "limit is 0, expected"),
                ({"limit": 1.5}, "limit is 1.5, expected a whole number"),
                ({"noise": 0.1}, "noise has shape"),
                ({"noise": (-1, 0)}, "translation is -1"),
                ({"seed": -1}, "seed is -1, expected a whole number"),
            )
        ),
    ],
)
def test_wrong_input_is_told(env, arm, call, error, message):
    with pytest.raises(error, match=message):
        call(env, arm)


def test_candidates_of_others_are_checked(grasper):
    pose, way = np.eye(4), np.array((0.0, 0.0, 1.0))
    for wrong, message in (
        (Candidate(pose, way, -1.0, np.zeros(1)), "preshape has"),
        (Candidate(pose[:3], way, -1.0, np.zeros(2)), "pose has shape"),
    ):
        with pytest.raises(ArgumentError, match=message):
            grasper.attempt(wrong)


def test_fingers_without_limits_are_told(env, arm):
    lower, upper = arm.robot.dof_limits
    first = arm.gripper_indices[0]
    lower[first], upper[first] = -np.inf, np.inf
    arm.robot.dof_limits = lower, upper
    with pytest.raises(ArgumentError, match="has no limit in the direction in which"):
        Grasper(arm, env.bodies["ball"])


def test_what_cannot_be_grasped_now_is_told(env, arm):
    ball, robot = env.bodies["ball"], arm.robot
    env.bodies["air"].grab(ball)
    with pytest.raises(StateError, match=r"is held by .*air"):
        Grasper(arm, ball)
    with pytest.raises(StateError, match=r"is held by .*air"):
        GraspSet().valid(arm, ball)
    env.bodies["air"].release_all()
    env.remove(ball)
    with pytest.raises(StateError, match="is not in the environment of"):
        GraspSet().valid(arm, ball)
    with pytest.raises(StateError, match="is not in the environment of"):
        Grasper(arm, ball)
    env.remove(robot)
    with pytest.raises(StateError, match="is in no environment"):
        Grasper(arm, ball)


def test_other_checkers_are_told(env, arm):
    env.collision_checker = "GenericCollisionChecker"
    with pytest.raises(NotSupportedError, match="compiled"):
        Grasper(arm, env.bodies["ball"])
