"""Grasper: contacts of grasps, what they hold, many of them; hulls and distances."""

from __future__ import annotations

import numpy as np
import pytest
from command_texts import words

import pyrave
from pyrave import ArgumentError, NotSupportedError
from pyrave.grasping import Closure, Grasper, box_rays, roll_angles
from pyrave.scene import body_from_boxes
from pyrave.spatial import invert_pose, wxyz_xyz_from_pose


@pytest.fixture(scope="module")
def scene():
    """Return a gripper that nothing holds, a block that fits, and the module."""
    env = pyrave.load("robots/heron7.robot.xml")
    block = env.create_body(body_from_boxes("block", [(0, 0, 0, 0.02, 0.015, 0.03)]))
    block.transform = [1, 0, 0, 0, 0.5, 0.6, 0.2]
    module = env.create("module", "Grasper heron7 friction 0.6")
    env.add(module)
    module.robot.active_manipulator.gripper_dof_values = [0.04]
    return env, module, block


@pytest.fixture
def grasper(scene):
    env, module, _ = scene
    with env.preserve_state():
        yield module


@pytest.fixture
def block(scene):
    return scene[2]


@pytest.fixture
def ray(grasper, block):
    """Return a position, direction and roll with which the hand holds the block."""
    own = Grasper(grasper.arm, block, friction=0.6)
    rays, rolls = box_rays(block, 0.03), roll_angles(8)
    for line in rays:
        for roll in rolls:
            (one,) = list(own.candidates(line[None], rolls=[roll]))
            found = own.attempt(one)
            if found is not None and found.scores["epsilon"] > 0.05:
                return line[:3], line[3:], float(roll)
    return pytest.fail("no ray holds the block")


def test_settings_of_the_grasper():
    env = pyrave.load("robots/heron7.robot.xml")
    made = env.create(
        "module", "Grasper", robot="heron7", friction=0.4, avoidlinks=("palm",)
    )
    assert made.settings.friction == 0.4
    said = env.create("module", "Grasper heron7 friction 0.4 plannername Grasper")
    assert said.settings.plannername == "Grasper"
    with pytest.raises(pyrave.SettingError, match="friction"):
        env.create("module", "Grasper", friction=-0.1)


def test_contacts_are_on_the_target_and_held(grasper, block, ray):
    position, direction, roll = ray
    before = grasper.robot.dof_values, grasper.robot.transform
    found = grasper.grasp(
        direction=direction, position=position, roll=roll, standoff=0.0, target=block,
        forceclosure=True, translationstepmult=0.1, coarsestep=0.1, finestep=0.01,
    )  # fmt: skip
    assert found, found.cause
    local = (found.contacts[:, :3] - block.transform[:3, 3]) @ block.transform[:3, :3]
    half = np.array((0.02, 0.015, 0.03))
    assert (np.abs(local) <= half + 1e-5).all()
    assert (np.abs(np.abs(local) - half).min(axis=1) < 1e-5).all()
    # normals lead into it
    inward = np.einsum("ij,ij->i", found.contacts[:, 3:], -local)
    assert (inward > 0.0).all()
    own = Grasper(grasper.arm, block, friction=0.6)
    assert found.grasp is not None
    closure = Closure(found.grasp.contacts, center=own.center, length=own.length)
    assert found.mindist == pytest.approx(closure.epsilon, rel=1e-6)
    assert found.mindist > 0.0
    np.testing.assert_array_equal(grasper.robot.dof_values, before[0])
    np.testing.assert_array_equal(grasper.robot.transform, before[1])


def test_grasps_by_text_of_openrave(grasper, block, ray):
    position, direction, roll = ray
    text = (
        f"Grasp direction {words(direction)} position {words(position)} roll {roll!r} "
        "standoff 0.0 target block stablecontacts 0 forceclosure 1 transformrobot 1 "
        "onlycontacttarget 1 tightgrasp 0 graspingnoise 0 execute 0 outputfinal 1 "
        "friction 0.6 translationstepmult 0.1 coarsestep 0.1 finestep 0.01 "
        f"manipulatordirection {words(grasper.arm.direction)} vintersectplane 0 0 0 0 "
        "chuckingdirection -1 avoidcontact 0 avoidlink heron7_base"
    )
    text = text.replace(" avoidlink heron7_base", "")
    numbers = np.array(grasper.send_command(text).split(), float).tolist()
    volume, mindist = numbers.pop(), numbers.pop()
    dof = grasper.robot.dof
    values, pose = numbers[-dof:], numbers[-dof - 7 : -dof]
    contacts = np.reshape(numbers[: -dof - 7], (-1, 6))
    found = grasper.grasp(
        direction=direction, position=position, roll=roll, target="block",
        forceclosure=True,
    )  # fmt: skip
    np.testing.assert_allclose(contacts, found.contacts, atol=1e-9)
    assert (mindist, volume) == pytest.approx((found.mindist, found.volume))
    np.testing.assert_allclose(values, found.finalconfig[0], atol=1e-9)
    np.testing.assert_allclose(
        pose, wxyz_xyz_from_pose(found.finalconfig[1]), atol=1e-9
    )


def test_a_grasp_may_be_executed(grasper, block, ray):
    position, direction, roll = ray
    robot, arm = grasper.robot, grasper.arm
    found = grasper.grasp(
        direction=direction, position=position, roll=roll, target=block, execute=True,
        outputfinal=True,
    )  # fmt: skip
    assert found, found.cause
    hand = found.grasp.hand_pose(block.transform)
    np.testing.assert_allclose(arm.transform, hand, atol=1e-9)
    np.testing.assert_allclose(robot.dof_values, found.finalconfig[0], atol=1e-9)
    # where it is now the fingers open and close again, with a controller
    arm.gripper_dof_values = [0.04]
    again = grasper.grasp(target=block, transformrobot=False, execute=True)
    assert again, again.cause
    np.testing.assert_allclose(arm.gripper_dof_values, found.grasp.final, atol=1e-4)
    here = grasper.grasp(execute=True, outputfinal=True)
    assert here
    assert len(here.contacts)
    # fingers that touch push into the block as they would close
    stable = grasper.get_stable_contacts(friction=0.6)
    assert len(stable.contacts)
    text = grasper.send_command("GetStableContacts friction 0.6 direction -1")
    np.testing.assert_allclose(
        np.array(text.split(), float).reshape(-1, 6), stable.contacts, atol=1e-9
    )
    opening = grasper.get_stable_contacts(direction=[1.0])
    assert not len(opening.contacts)
    assert len(grasper.grasp(stablecontacts=True).contacts)


def test_stable_contacts_are_those_that_push(grasper, block, ray):
    position, direction, roll = ray
    given = {"direction": direction, "position": position, "roll": roll}
    every = grasper.grasp(**given, target=block)
    stable = grasper.grasp(**given, target=block, stablecontacts=True)
    assert 0 < len(stable.contacts) <= len(every.contacts)
    kept = {tuple(row) for row in stable.contacts.round(9).tolist()}
    assert kept <= {tuple(row) for row in every.contacts.round(9).tolist()}


def test_a_plane_stops_the_hand(grasper, block, ray):
    position, direction, roll = ray
    free = grasper.grasp(
        direction=direction, position=position, roll=roll, target=block, standoff=0.0
    )
    away = position - 0.03 * direction / np.linalg.norm(direction)
    unit = direction / np.linalg.norm(direction)
    plane = [*unit, -float(unit @ away)]
    stopped = grasper.grasp(
        direction=direction, position=position, roll=roll, target=block,
        vintersectplane=plane,
    )  # fmt: skip
    if stopped:
        hands = [invert_pose(one.grasp.T_hand_target)[:3, 3] for one in (free, stopped)]
        assert (hands[0] - hands[1]) @ unit > 0.01
        assert unit @ hands[1] <= unit @ away + 1e-4
    else:
        assert "no finger touches" in stopped.cause
    aside = np.cross(unit, [0.3, 0.5, 0.8])
    with pytest.raises(ArgumentError, match="does not meet"):
        grasper.grasp(
            direction=direction, position=position, target=block,
            vintersectplane=[*aside, 0.1],
        )  # fmt: skip


def test_hands_come_without_touching_or_with_noise(grasper, block, ray):
    position, direction, roll = ray
    given = {"direction": direction, "position": position, "roll": roll}
    plain = grasper.grasp(**given, target=block)
    backed = grasper.grasp(**given, target=block, standoff=0.005, avoidcontact=True)
    assert backed or "collides where it starts" in backed.cause
    off = grasper.grasp(
        **given, target=block, graspingnoise=0.004, onlycontacttarget=False,
        manipulatordirection=grasper.arm.direction, chuckingdirection=[-1.0],
        ordereddofindices=grasper.arm.gripper_indices.tolist(),
    )  # fmt: skip
    assert not off or not np.allclose(
        off.grasp.T_hand_target, plain.grasp.T_hand_target
    )


def test_grasps_that_touch_others_do_not_count(grasper, block, ray):
    position, direction, roll = ray
    given = {"direction": direction, "position": position, "roll": roll}
    found = grasper.grasp(**given, target=block)
    assert found
    hand = found.grasp.hand_pose(block.transform)
    wall = grasper.env.create_body(
        body_from_boxes("wall", [(0, 0, 0, 0.05, 0.05, 0.05)])
    )
    wall.transform = hand @ np.diag([1.0, 1.0, 1.0, 1.0])
    place = wall.transform
    place[:3, 3] -= 0.12 * hand[:3, :3] @ grasper.arm.direction
    wall.transform = place
    try:
        blocked = grasper.grasp(**given, target=block)
        assert "touches 'wall'" in blocked.cause
        assert grasper.grasp(**given, target=block, onlycontacttarget=False)
    finally:
        grasper.env.remove(wall)
    finger = found.grasp.contacts.links[0]
    avoided = grasper.grasp(**given, target=block, avoidlinks=[finger])
    assert f"{finger!r} touches 'block', and is to avoid it" in avoided.cause
    with pytest.raises(pyrave.NotFoundError):
        grasper.grasp(**given, target=block, avoidlinks="fingr")


def test_what_the_grasper_refuses(grasper, block):
    for given, said in (
        ({"target": block}, "no direction"),
        ({"target": block, "direction": [0, 0, 0]}, "expected a direction"),
        ({"target": block, "direction": [0, 0, 1], "standoff": -1.0}, "standoff"),
        ({"target": block, "direction": [0, 0, 1], "friction": -1.0}, "friction"),
        ({"target": block, "chuckingdirection": [0.0]}, "chuckingdirection is 0"),
        ({"target": block, "direction": [0, 0, 1], "finestep": -1.0}, "a step"),
    ):
        with pytest.raises(ArgumentError, match=said):
            grasper.grasp(**given)
    with pytest.raises(NotSupportedError, match="tightgrasp is 1"):
        grasper.grasp(target=block, tightgrasp=True)
    with pytest.raises(NotSupportedError, match="close together"):
        grasper.grasp(target=block, ordereddofindices=[3])
    with pytest.raises(pyrave.NotFoundError, match="did you mean 'block'"):
        grasper.grasp(target="blok", direction=[0, 0, 1])


# -- GraspThreaded -----------------------------------------------------------------


@pytest.fixture(scope="module")
def many(scene):
    _, module, block = scene
    return module.grasp_threaded(
        box_rays(block, 0.03), rolls=roll_angles(4), preshapes=[[0.04]],
        standoffs=[0.0, 0.01], target=block, forceclosurethreshold=0.02,
    )  # fmt: skip


def test_many_grasps_are_those_of_the_grasper(grasper, block, many):
    own = Grasper(grasper.arm, block, friction=0.6)
    tries = list(
        own.candidates(
            box_rays(block, 0.03),
            rolls=roll_angles(4),
            preshapes=[[0.04]],
            standoffs=[0.0, 0.01],
        )
    )
    assert many
    assert many.nextid == len(tries)
    for index, grasp, row in zip(many.indices, many.grasps, many.rows, strict=True):
        alone = own.attempt(tries[index])
        np.testing.assert_allclose(alone.T_hand_target, grasp.T_hand_target, atol=1e-9)
        assert alone.scores["epsilon"] >= 0.02
        position, direction, (roll, back) = row[:3], row[3:6], row[6:8]
        again = grasper.grasp(
            direction=direction, position=position, roll=roll, standoff=back,
            manipulatordirection=row[8:11], target=block,
        )  # fmt: skip
        np.testing.assert_allclose(
            again.grasp.T_hand_target, grasp.T_hand_target, atol=1e-9
        )
        assert row[11] == pytest.approx(alone.scores["epsilon"], rel=1e-6)


def test_threads_change_nothing_and_searches_go_on(grasper, block, many):
    rays = box_rays(block, 0.03)
    given = {
        "approachrays": rays, "rolls": roll_angles(4), "preshapes": [[0.04]],
        "standoffs": [0.0, 0.01], "target": "block", "forceclosurethreshold": 0.02,
        "friction": 0.6, "transformrobot": True, "onlycontacttarget": True,
        "tightgrasp": False, "graspingnoise": 0.0, "translationstepmult": 0.1,
        "finestep": 0.01, "manipulatordirections": [grasper.arm.direction],
    }  # fmt: skip
    two = grasper.grasp_threaded(**given, numthreads=2)
    np.testing.assert_array_equal(two.rows, many.rows)
    assert two.indices == many.indices
    native = grasper.grasp_threaded(**given, collisionchecker="native", maxgrasps=1)
    assert native.indices == many.indices[:1]
    assert native.nextid == many.indices[0] + 1
    rest = grasper.grasp_threaded(**given, startindex=native.nextid)
    assert native.indices + rest.indices == many.indices


def test_no_grasp_is_an_empty_answer(grasper):
    rays = "2 9 9 9 1 0 0 9 9 8 1 0 0"  # past the block
    text = grasper.send_command(f"GraspThreaded approachrays {rays} target block")
    assert text.split() == ["2", "0"]


def test_many_grasps_by_text(grasper, block, many):
    rays = box_rays(block, 0.03)
    rolls = roll_angles(4)
    text = grasper.send_command(
        f"GraspThreaded approachrays {len(rays)} {words(rays)} rolls {len(rolls)} "
        f"{words(rolls)} standoffs 2 0.0 0.01 preshapes 1 0.04 manipulatordirections 1 "
        f"{words(grasper.arm.direction)} target block forceclosurethreshold 0.02 "
        "onlycontacttarget 1 tightgrasp 0 graspingnoise 0 transformrobot 1 "
        "numthreads 1 startindex 0 maxgrasps 2 translationstepmult 0.1 "
        "finestep 0.01 friction 0.6"
    )
    numbers = text.split()
    assert numbers[:2] == [str(many.indices[1] + 1), "2"]
    width = many.rows.shape[1]
    first = np.array(numbers[2 : 2 + width], float)
    np.testing.assert_allclose(first, many.rows[0], atol=1e-12)
    assert int(numbers[2 + width]) == len(many.grasps[0].contacts)
    for given, said in (
        ({"approachrays": rays, "transformrobot": False}, "transformrobot is 0"),
        ({"approachrays": rays, "numthreads": 0}, "numthreads is 0"),
        ({"approachrays": rays, "numthreads": 10**6}, "numthreads is 1000000"),
        ({"approachrays": [[np.nan] * 6]}, "not finite"),
        ({"approachrays": [1.0, 2.0]}, "approachrays has the shape"),
        ({}, "there are no approachrays"),
    ):
        with pytest.raises(ArgumentError, match=said):
            grasper.grasp_threaded(target=block, **given)
    with pytest.raises(ArgumentError, match="there is no target"):
        grasper.grasp_threaded(rays)


# -- shapes ------------------------------------------------------------------------


def test_a_cube_has_six_faces(grasper):
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    points = np.vstack((cube, cube[:2], [[0.5, 0.5, 0.5]]))
    found = grasper.convex_hull(points)
    assert len(found.planes) == len(found.faces) == 6
    assert len(found.triangles) == 12
    for plane, face in zip(found.planes, found.faces, strict=True):
        assert len(face) == 4
        np.testing.assert_allclose(points[list(face)] @ plane[:3] + plane[3], 0.0)
        assert plane[:3] @ (0.5, 0.5, 0.5) + plane[3] < 0.0  # outwards
        corners = points[list(face)]
        turn = np.cross(corners[1] - corners[0], corners[2] - corners[1])
        assert turn @ plane[:3] > 0.0
    volume = sum(np.linalg.det(points[one] - 0.5) for one in found.triangles) / 6.0
    assert volume == pytest.approx(1.0)


def test_hulls_of_random_points_hold_them_all(grasper):
    rng = np.random.default_rng(3)
    for n in (4, 10, 200):
        points = rng.normal(size=(n, 3))
        found = grasper.convex_hull(points, returnfaces=False, returntriangles=False)
        assert found.faces is None
        assert found.triangles is None
        heights = points @ found.planes[:, :3].T + found.planes[:, 3]
        assert heights.max() < 1e-9
        assert (np.abs(heights) < 1e-9).sum(axis=0).min() >= 3
        text = grasper.send_command(
            f"ConvexHull points {n} 3 {words(points)} returnplanes 1 returnfaces 0 "
            "returntriangles 0"
        )
        count, *numbers = text.split()
        assert int(count) == len(found.planes)
        np.testing.assert_allclose(
            np.array(numbers, float).reshape(-1, 4), found.planes
        )


def test_what_has_no_hull_says_so(grasper):
    with pytest.raises(ArgumentError, match="points have no convex hull"):
        grasper.convex_hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(NotSupportedError, match="have 2 dimensions"):
        grasper.convex_hull([[0.0, 1.0], [1.0, 0.0]])


def test_distances_are_those_of_a_box(grasper, block):
    found = grasper.compute_distance_map(block, conewidth=np.pi, count=20)
    corner = np.linalg.norm((0.02, 0.015, 0.03))
    np.testing.assert_allclose(found.distances, corner, rtol=1e-9)
    text = grasper.send_command(
        "ComputeDistanceMap target block conewidth 3.14159265 count 20"
    )
    rows = np.array(text.split(), float).reshape(-1, 4)
    np.testing.assert_allclose(rows[:, :3], found.directions)
    np.testing.assert_allclose(rows[:, 3], corner, rtol=1e-9)
