"""Grasp sets as databases, against what `Grasper` finds one by one."""

import numpy as np
import pytest
from grasping_scenes import block, hand_and_ball

from pyrave.databases import GraspDatabase
from pyrave.errors import ArgumentError, SettingError, StateError
from pyrave.grasping import Grasper, GraspSet, box_rays, noisy, sphere_rays

FEW = {
    "friction": 0.6,
    "box_spacing": 0.03,
    "rolls": (0.0, np.pi / 2),
    "standoffs": (0.0,),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))


def hand_and_cube(half=0.02):
    """Return a hand and a cube, whose faces fingers touch at several points."""
    arm, ball = hand_and_ball()
    ball.env.remove(ball)
    return arm, block(arm.robot.env, "cube", (half, half, half), (0.1, 0, 0))


def poses(grasps):
    found = np.array([one.T_hand_target for one in grasps]).reshape(-1, 16)
    return found[np.lexsort(found.round(9).T)]


def open_grasper(arm, target):
    arm.robot.dof_values = [0.0, 0.0, 0.0, 0.0]  # their lower limits: open
    return Grasper(arm, target, friction=0.6)


@pytest.mark.parametrize("rays", ["box", "sphere"])
def test_the_grasps_are_those_of_a_grasper(rays):
    arm, cube = hand_and_cube()
    given = {**FEW, "rays": rays, "sphere_spacing": 0.5}
    found = GraspDatabase(arm, cube, **given).build().grasps
    ways = box_rays(cube, 0.03) if rays == "box" else sphere_rays(cube, 0.5)
    expected = open_grasper(arm, cube).grasps(
        ways, rolls=FEW["rolls"], standoffs=0.0, least=1e-9
    )
    assert len(found) == len(expected) > 3
    assert np.allclose(poses(found), poses(expected), atol=1e-12)
    scores = [one.scores["epsilon"] for one in found]
    assert np.allclose(scores, [one.scores["epsilon"] for one in expected], atol=1e-12)
    assert scores == sorted(scores, reverse=True)
    assert found[0].contacts.links
    assert set(found[0].contacts.links) <= {link.name for link in arm.robot.links}


def test_they_are_the_same_wherever_hand_and_target_are():
    arm, cube = hand_and_cube()
    one = GraspDatabase(arm, cube, **FEW).build()
    arrays = dict(one.arrays)
    one.clean()
    arm.robot.transform = [0.6, 0, 0.8, 0, 3, 1, 2]
    cube.transform = [0, 0.6, 0.8, 0, -1, 1, 2]
    arm.robot.dof_values = [0.5, 0.1, 0.2, 0.3]
    block(cube.env, "wall", (0.1, 0.1, 0.1), (-1, 1, 2))
    again = GraspDatabase(arm, cube, **FEW).build()
    assert all(np.array_equal(again.arrays[name], arrays[name]) for name in arrays)


def test_links_have_the_names_that_they_have_now():
    arm, cube = hand_and_cube()
    one = GraspDatabase(arm, cube, **FEW).build()
    assert one.arrays["links"].dtype.kind == "i"
    robot, names = arm.robot, {link.name for link in arm.robot.links}
    found = {name for grasp in one.grasps for name in grasp.contacts.links}
    assert found <= names
    assert one.grasps.about["robot"] == robot.name
    assert one.grasps.about["target"] == "cube"


def test_without_force_closure_all_that_touch_count():
    arm, cube = hand_and_cube()
    slippery = {**FEW, "friction": 0.5}
    assert not GraspDatabase(arm, cube, **slippery).build().grasps
    every = GraspDatabase(arm, cube, **slippery, force_closure=False).build().grasps
    some = GraspDatabase(arm, cube, **FEW).build().grasps
    assert len(every) == len(some) > 0
    high = GraspDatabase(arm, cube, **FEW, threshold=some[2].scores["epsilon"]).build()
    expected = [one for one in some if one.scores["epsilon"] > high.settings.threshold]
    assert len(high.grasps) == len(expected) < len(some)


def test_with_noise_all_tries_hold():
    arm, cube = hand_and_cube()
    given = {**FEW, "noise": 0.002, "noise_angle": 0.01, "tries": 2}
    one = GraspDatabase(arm, cube, **given).build()
    some = GraspDatabase(arm, cube, **FEW).build().grasps
    assert 0 < len(one.grasps) < len(some)
    assert all(grasp.scores["worst"] <= 1.0 for grasp in one.grasps)
    # the first that is kept, tried by hand
    grasper = open_grasper(arm, cube)
    candidates = list(
        grasper.candidates(box_rays(cube, 0.03), rolls=FEW["rolls"], standoffs=0.0)
    )
    for index, candidate in enumerate(candidates):
        grasp = grasper.attempt(candidate)
        if grasp is None or grasp.scores["epsilon"] <= 1e-9:
            continue
        tries = np.tile(candidate.T_target_hand, (2, 1, 1))
        worst = []
        for pose in noisy(tries, 0.002, 0.01, seed=one._seed(index)):
            other = grasper.grasp(pose, approach=candidate.approach, standoff=0.0)
            worst.append(0.0 if other is None else other.scores["epsilon"])
        kept = [
            g for g in one.grasps if np.allclose(g.T_hand_target, grasp.T_hand_target)
        ]
        assert bool(kept) is (min(worst) > 1e-9), index
        for found in kept:
            assert found.scores["worst"] == pytest.approx(min(worst), abs=1e-12)


def test_preshapes_and_directions_are_rows():
    arm, cube = hand_and_cube()
    shapes = (0.0, 0.0, 0.0, 0.0, 0.05, 0.0, 0.05, 0.0)
    ways = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    one = GraspDatabase(
        arm, cube, **FEW, preshapes=shapes, directions=ways, force_closure=False
    ).build()
    expected = open_grasper(arm, cube).grasps(
        box_rays(cube, 0.03),
        rolls=FEW["rolls"],
        preshapes=np.reshape(shapes, (2, 4)),
        directions=np.reshape(ways, (2, 3)),
        least=-1.0,
    )
    assert len(one.grasps) == len(expected)
    assert {tuple(g.preshape) for g in one.grasps} == {shapes[:4], shapes[4:]}


@pytest.mark.parametrize("given", [{"length": 0.5}, {"edges": 5}, {"exact": True}])
def test_what_scores_are_made_of_is_passed_on(given):
    arm, cube = hand_and_cube()

    def scores(grasps):
        return sorted(one.scores["epsilon"] for one in grasps)

    def of_grasper(**options):
        return scores(
            Grasper(arm, cube, friction=0.6, **options).grasps(
                box_rays(cube, 0.03), rolls=FEW["rolls"], standoffs=0.0
            )
        )

    found = scores(GraspDatabase(arm, cube, **FEW, **given).build().grasps)
    arm.robot.dof_values = np.zeros(4)
    assert found == pytest.approx(of_grasper(**given), abs=1e-12)
    assert found != pytest.approx(of_grasper(), abs=1e-9)


def test_tilted_rays_are_tried_too():
    arm, cube = hand_and_cube()
    given = {**FEW, "tilt": 0.3, "tilt_step": 0.3, "force_closure": False}
    one = GraspDatabase(arm, cube, **given)
    rays = box_rays(cube, 0.03, tilt=0.3, tilt_step=0.3)
    assert len(one._candidates) == 2 * len(rays) > 2 * len(box_rays(cube, 0.03))
    straight = GraspDatabase(arm, cube, **FEW, force_closure=False)
    assert len(one.build().grasps) > len(straight.build().grasps)


def test_sets_are_kept_in_files_and_drawn(tmp_path):
    arm, cube = hand_and_cube()
    one = GraspDatabase(arm, cube, **FEW).build()
    one.grasps.save(tmp_path / "set.npz")
    assert GraspSet.load(tmp_path / "set.npz") == one.grasps
    assert GraspDatabase(arm, cube, **FEW).load().grasps == one.grasps
    drawn = one.show()
    assert len(drawn) == sum(len(grasp.contacts) for grasp in one.grasps)
    summary = one.summary()
    assert summary["grasps"] == len(one.grasps)
    assert summary["epsilon_best"] == one.grasps[0].scores["epsilon"]


def test_no_grasps_are_an_empty_set():
    arm, cube = hand_and_cube(0.2)
    one = GraspDatabase(arm, cube, box_spacing=0.3, threshold=10.0).build()
    assert len(one.grasps) == 0
    assert one.summary() == {
        "grasps": 0,
        "epsilon_best": None,
        "epsilon_median": None,
    }


def test_wrong_input_is_refused():
    arm, cube = hand_and_cube()
    for given, said in (
        ({"friction": -1}, "friction of grasping is -1, expected a number >= 0"),
        ({"box_spacing": 0}, "box_spacing of grasping is 0, expected a number > 0 m"),
        ({"rays": "cube"}, "expected one of box, sphere"),
        ({"frictoin": 1}, "did you mean 'friction'"),
        ({"directions": (1.0, 0.0)}, "directions has 2 numbers, expected three for"),
        ({"standoffs": ()}, "rolls or standoffs are empty"),
        ({"noise": float("nan")}, "noise of grasping is nan"),
    ):
        with pytest.raises(SettingError, match=said):
            GraspDatabase(arm, cube, **given)
    with pytest.raises(ArgumentError, match="preshapes has 3 numbers, expected 4 for"):
        GraspDatabase(arm, cube, preshapes=(1, 2, 3))
    with pytest.raises(ArgumentError, match="which is the hand's own robot"):
        GraspDatabase(arm, arm.robot)
    with pytest.raises(ArgumentError, match="manipulator of grasping is 'hand'"):
        GraspDatabase("hand", cube)
    with pytest.raises(StateError, match="has no results yet"):
        GraspDatabase(arm, cube).grasps  # noqa: B018


def test_more_than_anyone_tries_is_refused_before():
    arm, cube = hand_and_cube()
    rolls = tuple(np.linspace(0.0, 3.0, 3000))
    many = GraspDatabase(arm, cube, box_spacing=0.003, rolls=rolls)
    with pytest.raises(ArgumentError, match="grasps to try, expected 2,000,000 at"):
        many.build()
    with pytest.raises(ArgumentError, match=r"tilt_step is 0\.001 and tilt 1\.5"):
        GraspDatabase(arm, cube, tilt=1.5, tilt_step=1e-3).build()
