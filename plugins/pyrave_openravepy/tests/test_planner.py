"""`Planner`, its parameters, and what it answers."""

import lxml.etree
import numpy as np
import pytest

from pyrave_openravepy.api.foundation.objects import wrap


@pytest.fixture
def env(openravepy):
    env = openravepy.Environment()
    env.StopSimulation()
    assert env.Load("robots/heron7.robot.xml")
    return env


@pytest.fixture
def robot(env):
    robot = env.GetRobots()[0]
    robot._native.set_active_dofs(range(7))
    return robot


def create(env, kind, name):
    return wrap(env._native.create(kind, name))


@pytest.fixture
def goal(robot):
    goal = robot.GetDOFValues()[:7]
    goal[0] += 0.7
    goal[1] += 0.3
    return goal


@pytest.fixture
def parameters(openravepy, robot, goal):
    parameters = openravepy.Planner.PlannerParameters()
    parameters.SetRobotActiveJoints(robot)
    parameters.SetGoalConfig(goal)
    return parameters


@pytest.mark.parametrize("name", ["birrt", "BasicRRT", "OMPL_RRTConnect"])
def test_a_plan_is_smoothed_and_timed(openravepy, env, robot, parameters, goal, name):
    start = robot.GetDOFValues()[:7]
    planner = create(env, "planner", name)
    assert planner.GetParameters() is None
    assert planner.InitPlan(robot, parameters)
    trajectory = create(env, "trajectory", "")
    status = planner.PlanPath(trajectory)
    assert status == openravepy.PlannerStatusCode.HasSolution
    assert trajectory.GetDuration() > 0.4
    spec = parameters.GetConfigurationSpecification()
    np.testing.assert_allclose(trajectory.GetWaypoint(0, spec), start)
    np.testing.assert_allclose(trajectory.GetWaypoint(-1, spec), goal)
    groups = trajectory.GetConfigurationSpecification().GetGroups()
    assert [group.name.split()[0] for group in groups][:3] == [
        "joint_values",
        "joint_velocities",
        "deltatime",
    ]
    assert planner.GetParameters().GetConfigurationSpecification().GetDOF() == 7


def test_the_simulation_waits_for_planners(openravepy, env, robot, parameters):
    env.StartSimulation(1e-3, True)
    try:
        planner = create(env, "planner", "ParabolicSmoother")
        trajectory = create(env, "trajectory", "")
        parameters.SetPostProcessing("", "")
        trajectory.Init(parameters.GetConfigurationSpecification())
        for _ in range(5):
            ends = [robot.GetDOFValues()[:7], np.full(7, 0.1)]
            trajectory.Insert(
                0, np.ravel(ends), parameters.GetConfigurationSpecification()
            )
            assert planner.InitPlan(robot, parameters)
            assert planner.PlanPath(trajectory)
            trajectory.ClearWaypoints()
    finally:
        env.StopSimulation()


def test_post_processing_is_chosen(env, robot, parameters):
    planner, trajectory = create(env, "planner", "birrt"), create(env, "trajectory", "")
    for change in (
        lambda: parameters.SetPostProcessing("", ""),
        lambda: parameters.SetExtraParameters('<_postprocessing planner=""/>'),
    ):
        change()
        assert planner.InitPlan(robot, parameters)
        assert planner.PlanPath(trajectory)
        assert trajectory.GetDuration() == 0
    parameters.SetExtraParameters("")
    parameters.SetPostProcessing(
        "LinearSmoother", "<_nmaxiterations>5</_nmaxiterations>"
    )
    assert planner.InitPlan(robot, parameters)
    assert planner.PlanPath(trajectory)
    groups = trajectory.GetConfigurationSpecification().GetGroups()
    assert groups[0].interpolation == "linear"
    assert trajectory.GetDuration() > 0.4


def test_a_failure_to_plan_is_a_status(openravepy, env, robot, parameters, goal):
    planner = create(env, "planner", "birrt")
    goal[0] = 99
    parameters.SetGoalConfig(goal)
    status = planner.InitPlan(robot, parameters)
    assert not status
    assert status == openravepy.PlannerStatusCode.Failed
    assert status.statusCode & 0x80000
    assert "joint1" in status.description or "99" in status.description
    assert status.errorOrigin == "BiRRT"
    # without a problem, too
    assert planner.PlanPath(create(env, "trajectory", "")) == 0


@pytest.mark.parametrize("closes", [True, False])
def test_a_callback_interrupts(openravepy, env, robot, parameters, closes):
    planner, trajectory = create(env, "planner", "birrt"), create(env, "trajectory", "")
    asked = []

    def interrupt(progress):
        asked.append(progress._iteration)
        return openravepy.PlannerAction.Interrupt

    handle = planner.RegisterPlanCallback(interrupt)
    smoother = create(env, "planner", "ParabolicSmoother")
    parameters.SetPostProcessing("", "")
    assert planner.InitPlan(robot, parameters)
    assert planner.PlanPath(trajectory)
    # a straight way is found without a search: a smoother always asks
    kept = smoother.RegisterPlanCallback(interrupt)
    assert smoother.InitPlan(robot, parameters)
    before = len(asked)
    status = smoother.PlanPath(trajectory)
    assert status == openravepy.PlannerStatusCode.Interrupted
    assert len(asked) == before + 1
    if closes:
        kept.Close()
    del handle, kept
    assert smoother.PlanPath(trajectory)
    assert len(asked) == before + 1


def test_texts_are_parameters(env, robot, goal):
    planner, trajectory = create(env, "planner", "birrt"), create(env, "trajectory", "")
    numbers = " ".join(map(repr, goal.tolist()))
    text = (
        f"<PlannerParameters><_vgoalconfig>{numbers}</_vgoalconfig>"
        "<_nmaxiterations>77</_nmaxiterations><_fsteplength>0.07</_fsteplength>"
        '<_postprocessing planner=""/></PlannerParameters>'
    )
    assert planner.InitPlan(robot, text)
    used = repr(planner.GetParameters())
    assert "<_nmaxiterations>77<" in used
    assert "<_fsteplength>0.07<" in used
    assert planner.PlanPath(trajectory)
    np.testing.assert_allclose(trajectory.GetWaypoint(-1), goal)
    assert trajectory.GetDuration() == 0


def test_scripts_cut_the_xml_out_of_parameters(env, robot, parameters, goal):
    parameters.SetGoalConfig(goal)
    parameters.SetExtraParameters("<_fsteplength>0.07</_fsteplength>")
    assert str(parameters) == "<PlannerParameters, dof=7>"
    text = repr(parameters).split('"""')[1]
    root = lxml.etree.fromstring(text)
    root.remove(root.find("_postprocessing"))
    lxml.etree.SubElement(root, "_nmaxiterations").text = "77"
    planner = create(env, "planner", "birrt")
    assert planner.InitPlan(robot, lxml.etree.tostring(root))
    used = repr(planner.GetParameters())
    assert "<_nmaxiterations>77<" in used
    assert "<_fsteplength>0.07<" in used


def test_a_specification_is_a_space(openravepy, env, robot, parameters, goal):
    spec = parameters.GetConfigurationSpecification()
    own = openravepy.Planner.PlannerParameters()
    own.SetConfigurationSpecification(env, spec)
    for name in ("Velocity", "Acceleration", "Jerk"):
        get = f"GetConfig{name}Limit"
        np.testing.assert_array_equal(getattr(own, get)(), getattr(parameters, get)())
    np.testing.assert_array_equal(
        own.GetConfigResolution(), parameters.GetConfigResolution()
    )
    start = robot.GetDOFValues()[:7]
    assert own.DistMetricFn(start, goal) == parameters.DistMetricFn(start, goal)
    own.SetGoalConfig(goal)
    planner, trajectory = create(env, "planner", "birrt"), create(env, "trajectory", "")
    assert planner.InitPlan(robot, own)
    assert planner.PlanPath(trajectory)
    np.testing.assert_allclose(trajectory.GetWaypoint(-1, spec), goal)


def test_functions_of_the_space(openravepy, robot, parameters):
    start = robot.GetDOFValues()[:7]
    assert parameters.GetStateFn().tolist() == start.tolist()
    assert parameters.HasNeighStateFn()
    far = parameters.NeighStateFn(start, np.full(7, 100.0), 0)
    np.testing.assert_allclose(far, robot._native.active.limits[1])
    assert parameters.SetStateValues(start + 0.1, 0) == 0
    np.testing.assert_allclose(robot.GetDOFValues()[:7], start + 0.1)
    parameters.SetConfigVelocityLimit(np.ones(7))
    assert parameters.GetConfigVelocityLimit().tolist() == [1.0] * 7
    check = parameters.CheckPathAllConstraints
    assert check(start, start + 0.2, [], [], 0, openravepy.Interval.Closed) == 0
    fast = np.full(7, 2.0)
    bit = openravepy.ConstraintFilterOptions.CheckTimeBasedConstraints
    assert check(start, start + 0.2, fast, fast, 0.1, 3) == bit
    found = check(start, start, [], [], 1.0, 3, 0xFFFF, True)
    assert found["returncode"] == 0
    assert found["configurationtimes"].tolist() == [0, 1]
    copied = openravepy.Planner.PlannerParameters(parameters)
    assert copied != parameters
    assert copied.GetConfigVelocityLimit().tolist() == [1.0] * 7


def test_a_status_compares_with_codes_and_integers(openravepy):
    codes = openravepy.PlannerStatusCode
    status = openravepy.PlannerStatus(0x80000)
    assert status == codes.Failed == openravepy.PlannerStatus.Failed
    assert status == 0
    assert status == 0x80000
    assert status != 0x40000
    assert status != codes.HasSolution
    assert not status
    assert not status & codes.HasSolution
    done = openravepy.PlannerStatus(codes.InterruptedWithSolution)
    assert done
    assert done & openravepy.PlannerStatus.HasSolution
    assert done == 3
    assert done != status


def test_what_is_wrong_is_an_openrave_exception(openravepy, env, robot, parameters):
    planner = create(env, "planner", "birrt")
    bare = openravepy.Planner.PlannerParameters()
    for wrong, text in (
        (lambda: planner.InitPlan(robot, 3), "expected PlannerParameters"),
        (lambda: planner.InitPlan(robot, "<nothing/>"), "expected <PlannerParameters>"),
        (lambda: parameters.SetExtraParameters("<a>"), "a"),
        (lambda: parameters.SetGoalConfig("x"), "SetGoalConfig"),
        (bare.GetStateFn, "SetRobotActiveJoints"),
        (lambda: bare.SetConfigurationSpecification(env, 3), "expected a Config"),
        (
            lambda: parameters.CheckPathAllConstraints([1], [2], [], [], 0, 3),
            "q0 has 1",
        ),
        (lambda: openravepy.Planner.PlannerParameters(3), "expected PlannerParameters"),
    ):
        with pytest.raises(openravepy.openrave_exception, match=text):
            wrong()
