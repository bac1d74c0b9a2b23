"""TaskManipulation: fingers close and open, and hands come to grasps."""

from __future__ import annotations

import numpy as np
import pytest
from command_texts import by_columns, end_of, words

import pyrave
from pyrave import ArgumentError, NotSupportedError, StateError
from pyrave.grasping import Grasp, Grasper, GraspSet, box_rays, roll_angles
from pyrave.planning import verify
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import invert_pose


@pytest.fixture(scope="module")
def scene():
    env = pyrave.load("scenes/demo.env.xml")
    module = env.create("module", "TaskManipulation", robot="heron7")
    env.add(module)
    arm = module.robot.active_manipulator
    grasps = Grasper(arm, env.bodies["mug"]).grasps(
        box_rays(env.bodies["mug"], 0.03),
        rolls=roll_angles(4),
        standoffs=[0.0, 0.02],
        preshapes=[[0.04]],
    )
    return env, module, grasps


@pytest.fixture
def task(scene):
    env, module, _ = scene
    module.reset()
    with env.preserve_state():
        yield module
        module.robot.release_all()


@pytest.fixture
def grasps(scene):
    return scene[2]


@pytest.fixture
def mug(scene):
    return scene[0].bodies["mug"]


def test_settings_have_a_grasper():
    env = pyrave.load("robots/heron7.robot.xml")
    made = env.create("module", "TaskManipulation heron7 graspername Grasper")
    assert made.settings.graspername == "Grasper"
    made = env.create("module", "TaskManipulation heron7 nograsper maxvelmult 0.5")
    assert made.settings.graspername == "none"
    assert made.settings.maxvelmult == 0.5
    with pytest.raises(pyrave.SettingError, match="graspername"):
        env.create("module", "TaskManipulation", graspername="other")


# -- fingers -----------------------------------------------------------------------


def test_fingers_close_and_open(task):
    arm = task.arm
    opened = task.release_fingers()
    assert opened, opened.cause
    assert arm.gripper_dof_values == pytest.approx(0.045, abs=1e-6)
    closed = task.close_fingers()
    assert closed, closed.cause
    np.testing.assert_allclose(arm.gripper_dof_values, closed.values, atol=1e-6)
    assert arm.gripper_dof_values[0] < 0.01


def test_fingers_by_texts_of_openrave(task):
    steps = "coarsestep 0.1 translationstepmult 0.1 finestep 0.01 releasegil 1"
    said = task.send_command(f"ReleaseFingers outputfinal execute 1 {steps}")
    assert float(said) == pytest.approx(0.045)
    said = task.send_command(f"CloseFingers execute 0 outputfinal outputtraj {steps}")
    number, _, rest = said.partition(" ")
    assert float(number) < 0.01
    assert rest.startswith("<trajectory")
    assert task.arm.gripper_dof_values == pytest.approx(0.045, abs=1e-6)
    for name in ("ChuckFingers", "UnchuckFingers", "ReleaseFingers", "CloseFingers"):
        assert "<trajectory" in task.send_command(f"{name} outputtrajobj execute 0")
        # and back
        assert task.send_command(f"{name} movingdir -1 execute 0") == ""
        assert task.command(name, movingdir=[-1.0], execute=False, outputtraj=True)


def test_fingers_go_on_by_an_offset(task):
    task.release_fingers()
    free = task.close_fingers(execute=False)
    less = task.close_fingers(offset=[-0.004], execute=False)
    assert less.values[0] == pytest.approx(free.values[0] + 0.004, abs=1e-9)
    np.testing.assert_allclose(end_of(task, less.trajectory), less.values, atol=1e-9)
    assert task.send_command("CloseFingers offset -0.004 execute 0") == ""
    more = task.close_fingers(offset=[0.5], movingdir=[-1], execute=False)
    assert more.values[0] == task.robot.dof_limits[0][7]  # at the limit
    with pytest.raises(ArgumentError, match="offset"):
        task.close_fingers(offset=[0.1, 0.2])
    with pytest.raises(ArgumentError, match="direction"):
        task.close_fingers(movingdir=[0.0])
    with pytest.raises(ArgumentError, match="a step"):
        task.close_fingers(finestep=-1.0)


def test_what_is_held_is_let_go_of_before_fingers_open(task, grasps, mug):
    answer = task.grasp_planning(grasps=grasps, target=mug)
    assert answer, answer.cause
    closed = task.close_fingers()
    task.robot.grab(mug)
    planned = task.release_fingers(target="mug", execute=False)
    assert planned
    assert task.robot.grabbed == (mug,)  # planned only
    assert task.send_command("ReleaseFingers target mug") == ""
    assert task.robot.grabbed == ()
    assert task.arm.gripper_dof_values[0] > closed.values[0] + 0.001
    with pytest.raises(StateError, match="does not hold"):
        task.release_fingers(target=mug)


def test_active_joints_move_until_they_touch(task):
    robot = task.robot
    robot.set_active_dofs([7])
    opened = task.release_active()
    assert robot.dof_values[7] == pytest.approx(0.045, abs=1e-6)
    assert opened.values == pytest.approx(0.045)
    robot.set_active_dofs([1, 7])
    # the arm goes down until it meets something, or is at its limit
    down = task.release_active(
        movingdir=[1.0, 0.0], execute=False, outputfinal=True, outputtrajobj=True,
        translationstepmult=0.1, finestep=0.01, outputtraj=True,
    )  # fmt: skip
    assert down, down.cause
    further = down.values + np.array((1e-4, 0.0))
    with checks_of(robot, np.array([1, 7])) as collide:
        hits = collide(np.stack((down.values, further)))
    assert hits.tolist() == [False, further[0] <= robot.dof_limits[1][1]]
    text = task.send_command("ReleaseActive movingdir 0 -1 execute 0 outputfinal")
    assert len(text.split()) == 2
    with pytest.raises(ArgumentError, match="movingdir is 0 for all"):
        task.release_active(movingdir=[0.0, 0.0])
    with pytest.raises(ArgumentError, match="movingdir"):
        task.release_active(movingdir=[1.0])


# -- GraspPlanning -----------------------------------------------------------------


def test_the_hand_comes_to_a_grasp(task, grasps, mug):
    answer = task.grasp_planning(grasps=grasps, target=mug, randomgrasps=False)
    assert answer, answer.cause
    wanted = grasps[answer.goal].hand_pose(mug.transform)
    np.testing.assert_allclose(task.arm.transform, wanted, atol=1e-5)
    np.testing.assert_allclose(
        task.arm.gripper_dof_values, grasps[answer.goal].preshape, atol=1e-6
    )
    assert verify(task.robot, answer.trajectory) == ()
    assert answer.searchtime > 0.0
    closed = task.close_fingers(execute=False)
    assert closed
    same = task.grasp_planning(
        grasps=list(grasps), target="mug", execute=False, seedgrasps=3, seedik=2
    )
    assert same.goal in range(len(grasps)) or not same


def test_the_hand_ends_in_front_of_a_grasp(task, grasps, mug):
    answer = task.grasp_planning(
        grasps=grasps, target=mug, approachoffset=0.05, randomgrasps=False
    )
    assert answer, answer.cause
    grasp = grasps[answer.goal]
    pose = grasp.hand_pose(mug.transform)
    away = pose[:3, 3] - task.arm.transform[:3, 3]
    np.testing.assert_allclose(away, 0.05 * pose[:3, :3] @ grasp.approach, atol=1e-5)


def test_places_are_told_that_the_arm_reaches(task, grasps, mug):
    near, far = mug.transform, mug.transform
    near[:3, 3] += (0.0, 0.05, 0.0)
    far[0, 3] += 9.0
    answer = task.grasp_planning(
        grasps=grasps, target=mug, destposes=[far, near], execute=False, seeddests=1,
        randomdests=False,
    )  # fmt: skip
    assert answer, answer.cause
    (goal,) = answer.goals
    in_hand = invert_pose(mug.transform) @ grasps[answer.goal].hand_pose(mug.transform)
    quat = pyrave.IkParameterization.transform_6d(near @ in_hand).array
    np.testing.assert_allclose(goal.array, quat, atol=1e-9)
    assert mug.holder is None
    none = task.grasp_planning(
        grasps=grasps[:3], target=mug, destposes=[far], execute=False
    )
    assert "no place can be reached with it" in none.cause


def table_of(grasps, mug):
    """Return grasps as OpenRAVE's table has them, and the first columns."""
    rows = []
    for grasp in grasps:
        hand = invert_pose(grasp.T_hand_target)
        rows.append([*grasp.preshape, *np.ravel(hand[:3].T), *grasp.approach])
    return np.array(rows), {
        "igrasppreshape": [0],
        "grasptrans_nocol": range(1, 13),
        "imanipulatordirection": range(13, 16),
        "performance": [],
    }


def test_tables_of_openrave_are_grasps(task, grasps, mug):
    rows, columns = table_of(grasps, mug)
    typed = task.grasp_planning(
        graspindices=columns, grasps=rows, target=mug, randomgrasps=False,
        execute=False, outputtrajobj=True,
    )  # fmt: skip
    own = task.grasp_planning(
        grasps=grasps, target=mug, randomgrasps=False, execute=False
    )
    assert typed.goal == own.goal
    np.testing.assert_allclose(
        typed.trajectory.waypoints, own.trajectory.waypoints, atol=1e-9
    )
    n, m = rows.shape
    text = task.send_command(
        f"GraspPlanning target mug approachoffset 0 grasps {n} {m} {words(rows)} "
        "igrasppreshape 0 igrasptrans 1 imanipulatordirection 13 grasptrans_nocol 1 "
        "grasptranslationstepmult 0.1 graspfinestep 0.01 seedgrasps 30 seeddests 2 "
        f"seedik 3 maxiter 4000 steplength 0.1 randomgrasps 0 randomdests 0 execute 0 "
        f"matdests 1 {by_columns(mug.transform)} outputtraj releasegil 1"
    )
    count, *rest = text.split()
    assert count == "1"
    goal = pyrave.IkParameterization.deserialize(" ".join(rest[:8]))
    assert goal.type.name == "Transform6D"
    assert int(rest[8]) in range(n)
    assert float(rest[9]) > 0.0
    assert rest[10].startswith("<trajectory")


def test_rays_of_tables_are_grasped_by_the_grasper(task, mug):
    rays = box_rays(mug, 0.03)
    rows = np.column_stack(
        (
            rays,
            np.zeros(len(rays)),
            0.01 * np.ones(len(rays)),
            0.04 * np.ones(len(rays)),
        )
    )
    answer = task.grasp_planning(
        grasps=rows, target=mug, execute=False, igrasppos=0, igraspdir=3, igrasproll=6,
        igraspstandoff=7, igrasppreshape=8, seedgrasps=60,
    )  # fmt: skip
    assert answer or "none of" in answer.cause
    text = (
        f"GraspPlanning target mug grasps {len(rows)} 9 {words(rows)} igrasppos 0 "
        "igraspdir 3 igrasproll 6 igraspstandoff 7 igrasppreshape 8 execute 0"
    )
    said = task.send_command(text)
    assert said is None or said.split()[0] == "0"


def test_a_model_of_grasps_has_both(task, grasps, mug):
    class Model:
        def __init__(self):
            self.grasps, self.target = grasps, mug

    model = Model()
    assert task.grasp_planning(gmodel=model, execute=False)
    with pytest.raises(ArgumentError, match="no target: name the body"):
        task.grasp_planning(grasps=grasps)
    with pytest.raises(ArgumentError, match="no grasps: give grasps"):
        task.grasp_planning(target=mug)


def test_another_geometry_group_counts_on_the_way(task, grasps, mug):
    with pytest.raises(pyrave.NotFoundError, match="padded"):
        task.grasp_planning(
            grasps=grasps, target=mug, paddedgeometryinfo=("padded", 0.01)
        )
    for given, said in ((["a", "b", "c"], "a geometry group and"), ("a b", "padding")):
        with pytest.raises(ArgumentError, match=said):
            task.grasp_planning(
                grasps=grasps, target=mug, paddedgeometryinfo=given, execute=False
            )


def test_why_no_grasp_can_be_taken(task, mug):
    beside = np.eye(4)
    beside[0, 3] = 9.0
    far = task.grasp_planning(grasps=[Grasp(beside)], target=mug)
    assert "1 times the pose has no IK solution" in far.cause
    none = task.grasp_planning(grasps=GraspSet([]), target=mug)
    assert "there are none" in none.cause
    assert (
        task.send_command(
            "GraspPlanning target mug grasps 1 12 1 0 0 0 1 0 0 0 1 9 9 9 igrasptrans 0"
        )
        is None
    )


def test_wrong_tables_are_refused(task, mug):
    row = np.zeros((1, 13))
    for given, said in (
        ({"grasps": row}, "name no igraspdir and no igrasppos"),
        ({"grasps": row, "graspindices": 3}, "a mapping of names to columns"),
        (
            {"grasps": row, "graspindices": {"igraspdr": [0]}},
            "did you mean 'igraspdir'",
        ),
        ({"grasps": row, "igrasptrans": 5}, "begins at column 5 and has 12 numbers"),
        ({"grasps": [1.0, 2.0], "igrasptrans": 0}, "grasps has the shape"),
        ({"grasps": row, "igrasptrans": 0, "seedgrasps": 0}, "seedgrasps is 0"),
        ({"grasps": row, "igrasptrans": 0, "approachoffset": -1.0}, "approachoffset"),
    ):
        with pytest.raises(ArgumentError, match=said):
            task.grasp_planning(target=mug, **given)
    task.robot.grab(mug)
    with pytest.raises(StateError, match="already"):
        task.grasp_planning(target=mug, grasps=row)


# -- others ------------------------------------------------------------------------


def test_configurations_are_moved_to_where_a_constraint_is_met(task):
    arm, robot = task.arm, task.robot
    robot.set_active_dofs(arm.arm_indices)
    to_frame = invert_pose(arm.transform)
    present = arm.arm_dof_values
    rows = np.stack((present, present + 0.1))
    found = task.evaluate_constraints(
        freedoms=[1, 1, 0, 0, 0, 1], configs=rows, targetframematrix=to_frame,
        errorthresh=0.01,
    )  # fmt: skip
    assert found
    assert found.iterations.tolist() == [0.0, 1.0]
    np.testing.assert_array_equal(found.values[0], present)
    inside = to_frame @ arm.compute_transforms(found.values[1:])[0]
    assert abs(inside[2, 3]) <= 0.01
    assert abs(np.arctan2(inside[2, 1], inside[2, 2])) <= 0.01
    assert abs(np.arcsin(-inside[2, 0])) <= 0.01
    quat = pyrave.IkParameterization.transform_6d(to_frame).array
    for frame in (
        f"constraintmatrix {by_columns(to_frame)}",
        f"pose {words(quat)}",
        f"targetframepose {words(quat)}",
    ):
        text = task.send_command(
            f"EvaluateConstraints constraintfreedoms 1 1 0 0 0 1 {frame} "
            f"constrainterrorthresh 0.01 config {words(rows[0])} config "
            + words(rows[1])
        )
        np.testing.assert_allclose(
            np.array(text.split(), float), [0, 1, *found.values.ravel()], atol=1e-6
        )
    with pytest.raises(ArgumentError, match="there are no configs"):
        task.evaluate_constraints(freedoms=[1] * 6)
    with pytest.raises(ArgumentError, match="configs has the shape"):
        task.evaluate_constraints(configs=[1.0, 2.0])


def test_sensor_systems_are_created(task):
    with pytest.raises(pyrave.InterfaceNotFoundError, match="nosuchsystem"):
        task.send_command("CreateSystem nosuchsystem")
    with pytest.raises(ArgumentError, match="system is empty"):
        task.create_system()

    class Beacons(pyrave.SensorSystemBase):
        contract = 1

        def reset(self): ...
        def add_registered_bodies(self, bodies): ...
        def add_kinbody(self, body, data=None): ...
        def remove_kinbody(self, body): ...
        def is_body_present(self, body): ...
        def enable_body(self, body, enable): ...
        def switch_body(self, first, second): ...

    with task.env.register("sensorsystem", "Beacons", Beacons):
        assert task.send_command("CreateSystem system Beacons") == ""
        assert task.create_system("Beacons")


def test_what_openrave_lacks_names_what_to_use(task):
    with pytest.raises(NotSupportedError, match="use_geometry_group"):
        task.send_command("SwitchModels switchtofat 1")
    for name in (
        "switchpatterns",
        "unregister",
        "clearpatterns",
        "clearmodels",
        "update",
    ):
        with pytest.raises(NotSupportedError, match="paddedgeometryinfo"):
            task.send_command(f"SwitchModels {name} 1")
    with pytest.raises(NotSupportedError):
        task.switch_models(
            switchpatterns=[], unregister=[], switchtofat=True, clearpatterns=True,
            clearmodels=True, update=True,
        )  # fmt: skip
