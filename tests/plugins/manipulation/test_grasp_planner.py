"""The planner Grasper: trajectories that end where the hand holds its target."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.grasping import Grasper, box_rays, roll_angles
from pyrave.interfaces import PlannerParameters
from pyrave.manipulation import close
from pyrave.scene import body_from_boxes
from pyrave.spatial import invert_pose


@pytest.fixture(scope="module")
def scene():
    """Return a gripper that nothing holds, a block that fits, and a ray to it."""
    env = pyrave.load("robots/heron7.robot.xml")
    block = env.create_body(body_from_boxes("block", [(0, 0, 0, 0.02, 0.015, 0.03)]))
    block.transform = [0.8, 0, 0.6, 0, 0.5, 0.6, 0.2]
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    arm.gripper_dof_values = [0.04]
    robot.set_active_dofs(arm.gripper_indices)
    own = Grasper(arm, block, friction=0.6)
    for line in box_rays(block, 0.03):
        for roll in roll_angles(8):
            (one,) = list(own.candidates(line[None], rolls=[roll]))
            found = own.attempt(one)
            if found is not None and found.scores["epsilon"] > 0.05:
                return robot, block, (line, float(roll), found)
    return pytest.fail("no ray holds the block")


@pytest.fixture
def robot(scene):
    with scene[0].env.preserve_state():
        yield scene[0]


@pytest.fixture
def block(scene):
    return scene[1]


@pytest.fixture
def along(scene):
    """Return the settings of a hand that comes along the ray."""
    line, roll, _ = scene[2]
    return {
        "target": "block", "direction": line[3:], "position": line[:3], "roll": roll,
        "transform_robot": True,
    }  # fmt: skip


def problem(robot):
    made = PlannerParameters()
    made.set_robot_active_joints(robot)
    return made


def grasp(robot, parameters=None, **settings):
    """Return the status, and the trajectory."""
    planner = robot.env.create("planner", "Grasper", **settings)
    given = problem(robot) if parameters is None else parameters
    found = robot.env.create("trajectory", "")
    status = planner.init_plan(robot, given)
    return planner.plan_path(found) if status else status, found


def module(robot, friction=0.6):
    return robot.env.create("module", f"Grasper heron7 friction {friction}")


def hand_and_fingers(robot, found, index=-1):
    """Return T_world_hand and fingers of a waypoint."""
    arm = robot.active_manipulator
    with robot.preserve_state():
        found.spec.apply(robot.env, found.waypoints[index])
        return arm.transform, arm.gripper_dof_values


def test_it_ends_where_the_module_and_the_functions_do(robot, block, along, scene):
    before = robot.dof_values, robot.transform
    status, found = grasp(robot, **along)
    assert status, status.description
    assert "touch 'block' at" in status.description
    assert len(found.waypoints) == 1
    hand, fingers = hand_and_fingers(robot, found)
    said = module(robot).grasp(
        direction=along["direction"], position=along["position"], roll=along["roll"],
        target=block,
    )  # fmt: skip
    for one in (said.grasp, scene[2][2]):
        np.testing.assert_allclose(hand, one.hand_pose(block.transform), atol=1e-9)
        np.testing.assert_allclose(fingers, one.final, atol=1e-12)
    np.testing.assert_array_equal(robot.dof_values, before[0])
    np.testing.assert_array_equal(robot.transform, before[1])
    # joints that are not active are no part of it
    used, _ = found.spec.extract_used_indices(robot)
    assert used.tolist() == robot.active_manipulator.gripper_indices.tolist()


def test_the_way_begins_outside_and_touches_at_its_end_alone(robot, block, along):
    along |= {"return_trajectory": True, "standoff": 0.004}
    status, found = grasp(robot, **along)
    assert status, status.description
    (far, open_then), (stop, still), (end, closed) = (
        hand_and_fingers(robot, found, k) for k in range(3)
    )
    unit = block.transform[:3, :3] @ along["direction"]
    unit /= np.linalg.norm(unit)
    way = stop[:3, 3] - far[:3, 3]
    assert np.linalg.norm(np.cross(unit, way)) < 1e-9
    assert unit @ way > 0.05
    np.testing.assert_allclose(stop, end, atol=1e-12)
    np.testing.assert_allclose(far[:3, :3], stop[:3, :3], atol=1e-12)
    np.testing.assert_array_equal(open_then, [0.04])
    np.testing.assert_array_equal(still, [0.04])
    assert closed[0] < 0.04
    rows = found.waypoints
    with robot.preserve_state():
        for part in np.linspace(0.0, 1.0, 50):
            found.spec.apply(robot.env, rows[0] + part * (rows[1] - rows[0]))
            assert not robot.env.check_collision(robot, block)
        found.spec.apply(robot.env, rows[2])
        near = [abs(robot.env.distance(link, block)) for link in robot.links]
        assert min(near) < 1e-5
    # without a standoff the hand comes further in, by as much
    nearer = hand_and_fingers(robot, grasp(robot, **along | {"standoff": 0.0})[1])[0]
    assert unit @ (nearer - end)[:3, 3] == pytest.approx(0.004, abs=5e-5)


def test_hands_that_stay_close_where_they_are(robot, block, along, scene):
    arm = robot.active_manipulator
    hand = scene[2][2].hand_pose(block.transform)
    robot.transform = hand @ invert_pose(arm.transform) @ robot.transform
    with robot.preserve_state():
        wanted = close(arm).values
    for settings in ({"target": "block"}, {}):
        status, found = grasp(robot, return_trajectory=True, **settings)
        assert status, status.description
        assert [group.kind for group in found.spec.groups] == ["joint_values"]
        np.testing.assert_allclose(found.waypoints[:, 0], [0.04, wanted[0]], atol=1e-5)
    # they begin with the fingers of the parameters
    given = problem(robot)
    given.initial_configuration = np.array([0.035])
    _, found = grasp(robot, given, target="block", return_trajectory=True)
    assert found.waypoints[0, 0] == pytest.approx(0.035)
    np.testing.assert_array_equal(arm.gripper_dof_values, [0.04])


def test_openraves_text_says_the_same(robot, along):
    wanted = grasp(robot, **along, standoff=0.003, grasping_noise=0.002)[1]

    def numbers(name):
        return " ".join(map(repr, np.asarray(along[name], float).tolist()))

    given = problem(robot)
    given.read_xml(
        "<PlannerParameters><fstandoff>0.003</fstandoff>"
        "<targetbody>block</targetbody>"
        f"<ftargetroll>{along['roll']!r}</ftargetroll>"
        f"<vtargetdirection>{numbers('direction')}</vtargetdirection>"
        f"<vtargetposition>{numbers('position')}</vtargetposition>"
        "<vmanipulatordirection>0 0 1</vmanipulatordirection>"
        "<btransformrobot>1</btransformrobot><breturntrajectory>0</breturntrajectory>"
        "<bonlycontacttarget>1</bonlycontacttarget><btightgrasp>0</btightgrasp>"
        "<bavoidcontact>0</bavoidcontact><vavoidlinkgeometry></vavoidlinkgeometry>"
        "<fcoarsestep>0.1</fcoarsestep><ffinestep>0.001</ffinestep>"
        "<ftranslationstepmult>0.1</ftranslationstepmult>"
        "<fgraspingnoise>0.002</fgraspingnoise></PlannerParameters>"
    )
    status, found = grasp(robot, given)
    assert status, status.description
    np.testing.assert_allclose(robot.active_manipulator.direction, [0, 0, 1])
    np.testing.assert_array_equal(found.waypoints, wanted.waypoints)
    # chance is that of the seed
    given.random_seed = 7
    other = grasp(robot, given)[1].waypoints
    assert not len(other) or not np.allclose(other, wanted.waypoints)


def test_planes_and_standoffs_hold_the_hand_back(robot, block, along):
    unit = along["direction"] / np.linalg.norm(along["direction"])
    away = along["position"] - 0.2 * unit
    status, _ = grasp(robot, **along, intersect_plane=[*unit, -float(unit @ away)])
    assert "no finger touches 'block'" in status.description
    status, _ = grasp(robot, **along, avoid_contact=True, standoff=0.2)
    assert "no finger touches 'block'" in status.description
    assert grasp(robot, **along, intersect_plane=[0.0, 0.0, 0.0, 0.0])[0]


def test_what_else_is_touched_counts_if_it_may(robot, block, along, scene):
    hand = scene[2][2].hand_pose(block.transform)
    wall = robot.env.create_body(body_from_boxes("wall", [(0, 0, 0, 0.05, 0.05, 0.05)]))
    place = hand.copy()
    place[:3, 3] -= 0.12 * hand[:3, :3] @ robot.active_manipulator.direction
    wall.transform = place
    try:
        status, _ = grasp(robot, **along)
        assert "touches 'wall'" in status.description
        assert grasp(robot, **along, only_contact_target=False)[0]
    finally:
        robot.env.remove(wall)
    finger = scene[2][2].contacts.links[0]
    status, found = grasp(robot, **along, avoid_links=(finger,))
    assert f"{finger!r} touches 'block', and is to avoid it" in status.description
    assert not len(found.waypoints)


def test_the_base_may_be_part_of_the_space(robot, block, along):
    arm = robot.active_manipulator
    robot.set_active_dofs(arm.gripper_indices, pyrave.Affine.TRANSFORM)
    try:
        given = problem(robot)
        planner = robot.env.create("planner", "Grasper", **along)
        assert planner.init_plan(robot, given)
        status, path = planner.find_path()
        assert status, status.description
        assert path.shape == (1, 8)
        with robot.preserve_state():
            robot.active.set_values(path[-1])
            hand = arm.transform
    finally:
        robot.set_active_dofs(arm.gripper_indices)
    np.testing.assert_allclose(
        hand, hand_and_fingers(robot, grasp(robot, **along)[1])[0], atol=1e-9
    )


def test_what_no_grasp_comes_of_has_a_cause(robot, along):
    for settings, said in (
        ({"target": "blok"}, "did you mean 'block'"),
        ({"target": "heron7"}, "cannot take hold of itself"),
        ({"transform_robot": True}, "target is empty"),
        ({"target": "block", "transform_robot": True}, "direction is left out"),
        (along | {"direction": (0.0, 0.0, 0.0)}, "expected a direction"),
        (along | {"manipulator_direction": (0.0, 0.0, 0.0)}, "expected a direction"),
        (along | {"tight_grasp": True}, "tightgrasp is 1"),
        (along | {"avoid_links": ("fingr",)}, "fingr"),
        ({"target": "block"}, "no finger touches 'block'"),
    ):
        status, _ = grasp(robot, **settings)
        assert not status
        assert said in status.description, settings
    given = problem(robot)
    given.check_path_constraints = lambda a, b: True
    assert (
        "check_path_constraints is set" in grasp(robot, given, **along)[0].description
    )
    for values in ([np.nan], [0.04, 0.04]):
        given = problem(robot)
        given.initial_configuration = np.array(values)
        status, _ = grasp(robot, given, **along)
        assert "initial_configuration" in status.description
    given = problem(robot)
    given.extra = {"fstandoff": "-1"}
    assert "standoff" in grasp(robot, given, **along)[0].description
    arm = robot.active_manipulator
    robot.set_active_dofs(arm.arm_indices)
    try:
        status, _ = grasp(robot, **along)
        assert "set_active_dofs(arm.gripper_indices)" in status.description
    finally:
        robot.set_active_dofs(arm.gripper_indices)
    with pytest.raises(pyrave.SettingError, match="standoff"):
        robot.env.create("planner", "Grasper", standoff=-1.0)
