"""Goals, solvers, filters and answers of inverse kinematics."""

import copy

import numpy as np
import pytest

SELF_FREE = 0x2  # IgnoreSelfCollisions


@pytest.fixture(scope="module")
def api(openravepy):
    return openravepy


@pytest.fixture
def arm(api):
    env = api.Environment()
    env.StopSimulation()
    assert env.Load("scenes/demo.env.xml")
    robot = env.GetRobots()[0]
    manip = robot.SetActiveManipulator("arm")
    robot.SetActiveDOFs(manip.GetArmIndices())
    robot.SetActiveDOFValues([0.3, 0.4, -0.2, 1.1, 0.1, 0.5, 0.2])
    yield manip
    env.Destroy()


def pose(angle=0.4, place=(0.1, 0.2, 0.3)):
    tool = np.eye(4)
    tool[:2, :2] = (np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))
    tool[:3, 3] = place
    return tool


# -- goals -------------------------------------------------------------------------


def test_each_type_gives_back_what_it_was_given(api):
    kinds = api.IkParameterizationType
    quat = np.array([0.5, 0.5, -0.5, 0.5])
    ray = api.Ray([1, 2, 3], [0, 0, 1])
    given = {
        kinds.Transform6D: pose(),
        kinds.Rotation3D: quat,
        kinds.Translation3D: [1, 2, 3],
        kinds.Direction3D: [0, 1, 0],
        kinds.Ray4D: ray,
        kinds.Lookat3D: [4, 5, 6],
        kinds.TranslationDirection5D: ray,
        kinds.TranslationXY2D: [7, 8],
        kinds.TranslationXYOrientation3D: [7, 8, 0.5],
        kinds.TranslationLocalGlobal6D: ([1, 2, 3], [4, 5, 6]),
        **{
            getattr(kinds, name): ([1, 2, 3], 0.25)
            for name in (
                "TranslationXAxisAngle4D",
                "TranslationYAxisAngle4D",
                "TranslationZAxisAngle4D",
                "TranslationXAxisAngleZNorm4D",
                "TranslationYAxisAngleXNorm4D",
                "TranslationZAxisAngleYNorm4D",
            )
        },
    }
    for kind, value in given.items():
        name = kind.name
        made = api.IkParameterization(value, kind)
        other = api.IkParameterization()
        several = isinstance(value, tuple)
        getattr(other, f"Set{name}")(*(value if several else (value,)))
        for goal in (made, other, api.IkParameterization(str(made)), copy.copy(made)):
            assert goal.GetType() == kind
            assert goal.GetName() == name
            assert goal.GetDOF() == int(kind) >> 28
            found = getattr(goal, f"Get{name}")()
            if isinstance(found, api.Ray):
                assert found.pos().tolist() == [1, 2, 3]
                assert found.dir().tolist() == [0, 0, 1]
            elif several:
                for one, wanted in zip(found, value, strict=True):
                    np.testing.assert_allclose(one, wanted, atol=1e-15)
            else:
                np.testing.assert_allclose(found, value, atol=1e-15)
            assert goal.ComputeDistanceSqr(made) == pytest.approx(0, abs=1e-14)
        read = api.IkParameterization()
        assert read.DeserializeJSON(made.SerializeJSON())
        assert read.ComputeDistanceSqr(made) == pytest.approx(0, abs=1e-14)
        assert made.GetNumberOfValues() == made.GetValues().size
        read.SetValues(made.GetValues(), kind)
        assert read.GetValues().tolist() == made.GetValues().tolist()


def test_transforms_multiply_goals_from_both_sides(api):
    tool, step = pose(), pose(-0.9, (0.5, 0, 1))
    goal = api.IkParameterization(tool, api.IkParameterization.Type.Transform6D)
    np.testing.assert_allclose((step * goal).GetTransform6D(), step @ tool, atol=1e-14)
    np.testing.assert_allclose((goal * step).GetTransform6D(), tool @ step, atol=1e-14)
    moved = goal.Transform(step)
    np.testing.assert_allclose(moved.GetTransform6D(), step @ tool, atol=1e-14)
    np.testing.assert_allclose(goal.GetTransform6D(), tool, atol=1e-14)
    goal.MultiplyTransform(step)
    goal.MultiplyTransformRight(step)
    np.testing.assert_allclose(goal.GetTransform6D(), step @ tool @ step, atol=1e-14)
    np.testing.assert_allclose(
        goal.GetTransform6DPose()[4:], (step @ tool @ step)[:3, 3], atol=1e-14
    )


def test_goals_have_named_numbers(api):
    goal = api.IkParameterization([1, 2, 3], api.IkParameterizationType.Translation3D)
    goal.SetCustomValues("a_transform=point_", [1, 0, 0])
    goal.SetCustomValue("b", 4)
    shifted = pose(0, (0, 0, 5)) * goal
    assert shifted.GetCustomValues("a_transform=point_").tolist() == [1, 0, 5]
    assert shifted.GetCustomDataMap()["b"].tolist() == [4]
    assert goal.GetCustomValues("none") is None
    read = api.IkParameterization(str(goal))
    assert read.GetCustomValues("b").tolist() == [4]
    assert goal.ClearCustomValues("b") == 1
    assert goal.ClearCustomValues() == 1
    assert goal.GetCustomDataMap() == {}


def test_goals_know_specifications(api):
    kind = api.IkParameterizationType.TranslationDirection5D
    spec = api.IkParameterization.GetConfigurationSpecificationFromType(
        kind, "linear", "bob", "arm"
    )
    (group,) = spec.GetGroups()
    assert group.name == f"ikparam_values {int(kind)} bob arm"
    assert (group.dof, group.interpolation) == (6, "linear")
    goal = api.IkParameterization(api.Ray([0, 0, 0], [1, 0, 0]), kind)
    assert goal.GetConfigurationSpecification().GetDOF() == 6
    velocity = api.IkParameterizationType.Translation3DVelocity
    spec = goal.GetConfigurationSpecificationFromType(velocity)
    assert spec.GetGroups()[0].name.startswith("ikparam_velocities ")


def test_wrong_goals_are_told(api, arm):
    goal = api.IkParameterization()
    assert goal.GetType() == 0
    kinds = api.IkParameterizationType
    for wrong in (
        goal.GetTransform6D,
        lambda: api.IkParameterization([1, 2], kinds.Translation3D),
        lambda: api.IkParameterization([0, 0, 0], kinds.Direction3D),
        lambda: api.IkParameterization(1, 2, 3),
        lambda: api.IkParameterization("12 nonsense"),
        lambda: api.IkParameterization([1, 2, 3], kinds.Translation3D).GetRay4D(),
        lambda: goal.DeserializeJSON({"type": "Tranform6D"}),
        lambda: goal.DeserializeJSON([1]),
        lambda: arm.FindIKSolution(goal, 0),
        lambda: arm.FindIKSolution(np.eye(3), 0),
        lambda: arm.FindIKSolution(np.eye(4)),
        lambda: arm.FindIKSolution(np.eye(4), 0, nonsense=1),
        lambda: arm.FindIKSolution(np.eye(4), [0.5, 0.5, 0.5], 0),
    ):
        with pytest.raises(api.openrave_exception):
            wrong()


# -- solutions ---------------------------------------------------------------------


def test_a_solution_brings_the_tool_there(api, arm):
    robot = arm.GetRobot()
    tool = arm.GetTransform()
    before = robot.GetDOFValues()
    found = arm.FindIKSolution(tool, api.IkFilterOptions.CheckEnvCollisions)
    np.testing.assert_allclose(found, arm.GetArmDOFValues(), atol=1e-6)
    np.testing.assert_allclose(robot.GetDOFValues(), before)
    rows = arm.FindIKSolutions(tool, SELF_FREE)
    assert rows.shape[1] == 7
    assert len(rows) > 1
    goal = arm.GetIkParameterization(api.IkParameterizationType.Transform6D)
    assert len(arm.FindIKSolutions(goal, SELF_FREE)) == len(rows)
    for row in rows[:20]:
        robot.SetDOFValues(row, arm.GetArmIndices())
        np.testing.assert_allclose(arm.GetTransform(), tool, atol=2e-4)


def test_poses_come_as_matrices_of_both_sizes_and_as_seven_numbers(api, arm):
    tool = arm.GetTransform()
    wanted = arm.FindIKSolution(tool, SELF_FREE)
    for given in (tool[:3], arm.GetTransformPose()):
        np.testing.assert_allclose(arm.FindIKSolution(given, SELF_FREE), wanted)


def test_what_is_out_of_reach_has_no_solutions(api, arm):
    far = pose(place=(20, 0, 0))
    assert arm.FindIKSolution(far, 0) is None
    assert arm.FindIKSolutions(far, 0).shape == (0, 7)
    assert arm.FindIKSolutions(far, 0, ikreturn=True) == []
    answer = arm.FindIKSolution(far, 0, ikreturn=True)
    assert answer.GetSolution() is None
    assert answer.GetAction() & api.IkReturnAction.Reject
    assert (
        answer.GetAction() & api.IkReturnAction.RejectKinematics
        == api.IkReturnAction.RejectKinematics
    )


def test_free_values_hold_joints(api, arm):
    assert arm.GetNumFreeParameters() == 1
    free = arm.GetFreeParameters()
    assert free.shape == (1,)
    tool = arm.GetTransform()
    held = arm.FindIKSolution(tool, free, SELF_FREE)
    np.testing.assert_allclose(held, arm.GetArmDOFValues(), atol=1e-5)
    named = arm.FindIKSolutions(param=tool, freevalues=free, filteroptions=SELF_FREE)
    assert any(np.allclose(row, held, atol=1e-5) for row in named)


def test_collisions_are_left_out(api, arm):
    env, robot = arm.GetRobot().GetEnv(), arm.GetRobot()
    tool = arm.GetTransform()
    assert arm.FindIKSolution(tool, api.IkFilterOptions.CheckEnvCollisions) is not None
    body = _box(env, tool)
    options = int(api.IkFilterOptions.CheckEnvCollisions)
    answer = arm.FindIKSolution(tool, options, ikreturn=True)
    assert answer.GetAction() == api.IkReturnAction.QuitEndEffectorCollision
    assert arm.FindIKSolutions(tool, options).shape == (0, 7)
    free = options | int(api.IkFilterOptions.IgnoreEndEffectorEnvCollisions)
    assert arm.FindIKSolution(tool, free) is not None
    assert arm.CheckEndEffectorCollision()
    assert arm.CheckEndEffectorCollision(tool)
    assert not arm.CheckEndEffectorCollision(pose(place=(0, 0, 30)))
    assert all(link._native.enabled for link in robot.GetLinks())
    env._native.remove(body)
    assert arm.FindIKSolution(tool, options) is not None


def _box(env, tool):
    from pyrave.scene import body_from_boxes

    place = (*tool[:3, 3], 0.1, 0.1, 0.1)
    body = env._native.create_body(body_from_boxes("box", [place]))
    if body not in env._native.bodies:
        env._native.add(body)
    return body


def test_links_that_the_arm_does_not_move_may_touch(api, arm):
    env, robot = arm.GetRobot().GetEnv(), arm.GetRobot()
    base = arm.GetIndependentLinks()[0].GetTransform()
    _box(env, base)
    assert arm.CheckIndependentCollision()
    options = int(api.IkFilterOptions.CheckEnvCollisions)
    assert arm.FindIKSolution(arm.GetTransform(), options) is not None
    assert all(link._native.enabled for link in robot.GetLinks())


# -- filters -----------------------------------------------------------------------


def test_filters_are_asked_in_the_order_of_their_priorities(api, arm):
    robot, solver = arm.GetRobot(), arm.GetIkSolver()
    tool, asked = arm.GetTransform(), []

    def remember(name):
        def ask(values, manip, goal):
            assert manip is arm
            np.testing.assert_allclose(robot.GetActiveDOFValues(), values)
            base = arm.GetBase().GetTransform()
            np.testing.assert_allclose(base @ goal.GetTransform6D(), tool, atol=1e-9)
            asked.append(name)
            return api.IkReturnAction.Success

        return ask

    handles = [
        solver.RegisterCustomFilter(priority, remember(priority))
        for priority in (0, 10, -5)
    ]
    assert arm.FindIKSolution(tool, 0) is not None
    assert asked[:3] == [10, 0, -5]
    asked.clear()
    arm.FindIKSolution(tool, api.IkFilterOptions.IgnoreCustomFilters)
    assert asked == []
    handles[1].Close()
    arm.FindIKSolution(tool, 0)
    assert asked[:2] == [0, -5]
    asked.clear()
    answer = solver.CallFilters(
        api.IkParameterization(
            arm.GetIkParameterization(api.IkParameterizationType.Transform6D, False)
        )
    )
    assert answer.GetAction() == api.IkReturnAction.Success
    assert asked == [0, -5]


def test_a_filter_goes_with_its_handle(api, arm):
    tool, solver = arm.GetTransform(), arm.GetIkSolver()

    def reject(values, manip, goal):
        return api.IkReturnAction.Reject

    handle = solver.RegisterCustomFilter(0, reject)
    assert arm.FindIKSolution(tool, 0) is None
    answer = arm.FindIKSolution(tool, 0, ikreturn=True)
    custom = api.IkReturnAction.RejectCustomFilter
    assert answer.GetAction() & custom == custom
    del handle
    assert arm.FindIKSolution(tool, 0) is not None


def test_filters_leave_data_and_change_solutions(api, arm):
    tool, solver = arm.GetTransform(), arm.GetIkSolver()

    def change(values, manip, goal):
        answer = api.IkReturn(api.IkReturnAction.Success)
        values[0] += 0.01
        answer.SetSolution(values)
        answer.SetMapKeyValue("first", [values[0]])
        answer.SetUserData({"any": 1})
        return answer

    plain = arm.FindIKSolution(tool, 0)
    handle = solver.RegisterCustomFilter(0, change)
    answer = arm.FindIKSolution(tool, 0, ikreturn=True)
    np.testing.assert_allclose(answer.GetSolution()[0], plain[0] + 0.01, atol=1e-6)
    assert answer.GetMapData("first")[0] == pytest.approx(plain[0] + 0.01, abs=1e-6)
    assert answer.GetMapDataDict().keys() == {"first"}
    assert answer.GetUserData() == {"any": 1}
    every = arm.FindIKSolutions(tool, 0, ikreturn=True)
    assert every
    assert all(one.GetMapData("first").size == 1 for one in every)
    handle.Close()


def test_a_quit_ends_the_search(api, arm):
    asked = []

    def leave(values, manip, goal):
        asked.append(1)
        return api.IkReturnAction.Quit

    handle = arm.GetIkSolver().RegisterCustomFilter(0, leave)
    assert arm.FindIKSolutions(arm.GetTransform(), 0).shape == (0, 7)
    assert asked == [1]
    handle.Close()


def test_a_filter_that_answers_nothing_rejects(api, arm):
    handle = arm.GetIkSolver().RegisterCustomFilter(0, lambda *_: None)
    assert arm.FindIKSolution(arm.GetTransform(), 0) is None
    handle.Close()
    with pytest.raises(api.openrave_exception):
        arm.GetIkSolver().RegisterCustomFilter(0, 3)


def test_reasons_are_collected(api, arm):
    told = api.IkFailureAccumulatorBase()

    def reject(values, manip, goal):
        return api.IkReturnAction.Reject

    handle = arm.GetIkSolver().RegisterCustomFilter(0, reject)
    arm.FindIKSolutions(arm.GetTransform(), 0, ikFailureAccumulator=told)
    handle.Close()
    assert len(told) > 0
    custom = api.IkReturnAction.RejectCustomFilter
    infos = [told[index] for index in range(len(told))]
    refused = next(one for one in infos if one.GetAction() & custom == custom)
    assert refused.GetConfiguration().shape == (7,)
    assert "filter" in refused.GetDescription()
    assert refused.SerializeJSON()["action"] == int(refused.GetAction())


# -- solvers -----------------------------------------------------------------------


def test_a_solver_works_in_the_frame_of_the_base(api, arm):
    solver = arm.GetIkSolver()
    assert solver is arm.GetIkSolver()
    assert solver.GetXMLId() == "Analytic"
    kinds = api.IkParameterizationType
    assert solver.Supports(kinds.Transform6D)
    goal = arm.GetIkParameterization(kinds.Transform6D, inworld=False)
    answer = solver.Solve(goal, arm.GetArmDOFValues(), SELF_FREE)
    np.testing.assert_allclose(answer.GetSolution(), arm.GetArmDOFValues(), atol=1e-6)
    free = solver.GetFreeParameters()
    assert free.size == solver.GetNumFreeParameters()
    held = solver.Solve(goal, None, free, SELF_FREE)
    np.testing.assert_allclose(held.GetSolution(), arm.GetArmDOFValues(), atol=1e-5)
    assert solver.SolveAll(goal, SELF_FREE)
    assert solver.SolveAll(goal, free, SELF_FREE)


def test_another_solver_may_be_set(api, arm):
    env = arm.GetRobot().GetEnv()
    native = env._native.create("iksolver", "Numerical")
    assert arm.SetIkSolver(native)
    assert arm.GetIkSolver().GetXMLId() == "Numerical"
    assert arm.SetIKSolver(None)
    assert arm.GetIkSolver().GetXMLId() == "Analytic"


@pytest.mark.parametrize(
    "name", ["Translation3D", "TranslationDirection5D", "Direction3D", "Rotation3D"]
)
def test_goals_of_other_types_are_met(api, arm, name):
    kind = getattr(api.IkParameterizationType, name)
    goal = arm.GetIkParameterization(kind)
    found = arm.FindIKSolution(goal, SELF_FREE)
    arm.GetRobot().SetDOFValues(found, arm.GetArmIndices())
    now = arm.GetIkParameterization(kind)
    assert now.ComputeDistanceSqr(goal) == pytest.approx(0, abs=1e-6)


def test_the_goal_that_the_tool_meets_may_be_a_velocity(api, arm):
    robot = arm.GetRobot()
    robot.SetActiveDOFVelocities([0.1, 0.2, -0.1, 0.3, 0.0, 0.1, 0.2])
    kinds = api.IkParameterizationType
    goal = arm.GetIkParameterization(kinds.Translation3DVelocity)
    np.testing.assert_allclose(goal.GetValues(), arm.GetVelocity()[:3], atol=1e-6)
