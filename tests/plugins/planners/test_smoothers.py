"""Smoothers: faster motions that keep limits and stay free."""

import numpy as np
import pytest
from moved_clock import MovedClock
from planning_scenes import clearance, plane_of, wall

import pyrave
from pyrave.interfaces import PlannerAction, PlannerParameters, PlannerStatusCode
from pyrave.planning import verify
from pyrave.scene import body_from_boxes

SMOOTHERS = [
    "LinearSmoother",
    "ParabolicSmoother",
    "ParabolicSmoother2",
    "ConstraintParabolicSmoother",
    "CubicSmoother",
    "QuinticSmoother",
]
IN_TIME = SMOOTHERS[1:]


@pytest.fixture
def robot():
    """Return an arm that moves around a post."""
    robot = pyrave.load("scenes/minimal.env.xml").robots["planar3r"]
    robot.dof_velocity_limits = np.full(3, 1.0)
    robot.dof_acceleration_limits = np.full(3, 2.0)
    robot.limits.jerk = np.full(3, 20.0)
    robot.set_active_dofs(range(3))
    return robot


def detour(robot):
    """Return waypoints with an elbow that need not be there, and a long way round."""
    return np.array(
        [
            [-1.0, 0.2, 0.2],
            [-1.0, 1.6, 0.9],
            [0.0, 1.6, 1.2],
            [1.0, 1.6, 0.9],
            [1.0, 0.2, 0.2],
        ]
    )


def put_post(robot):
    """Put a post where the straight way between the ends of the detour leads."""
    with robot.preserve_state():
        robot.dof_values = [0.0, 0.2, 0.2]
        tip = robot.links[-1].transform[:3, 3]
    body_from = body_from_boxes("post", [(*tip, 0.05, 0.05, 0.5)])
    return robot.env.create_body(body_from)


def smoothed(robot, name, points, **options):
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.extra = options.pop("extra", {})
    for key, value in options.items():
        setattr(parameters, key, value)
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(parameters.specification)
    trajectory.insert(0, points)
    planner = robot.env.create("planner", name)
    status = planner.init_plan(robot, parameters)
    return (planner.plan_path(trajectory) if status else status), trajectory


def checked(robot, name, trajectory, points):
    found = verify(robot, trajectory)
    kinds = {one.kind for one in found}
    assert kinds <= ({"acceleration"} if name == "LinearSmoother" else set()), found
    rows = trajectory.sample_points(np.linspace(0, trajectory.duration, 2000))
    assert rows[[0, -1], :3] == pytest.approx(points[[0, -1]], abs=1e-9)
    if name in {"CubicSmoother", "QuinticSmoother"}:
        step = trajectory.duration / 1999
        jerks = np.abs(np.diff(rows[:, :3], n=3, axis=0)) / step**3
        assert (jerks <= robot.limits.jerk * (1 + 1e-5)).all()


@pytest.mark.parametrize("name", SMOOTHERS)
def test_without_obstacles_the_way_is_straight(robot, name):
    points = detour(robot)
    status, trajectory = smoothed(robot, name, points)
    assert status, status.description
    checked(robot, name, trajectory, points)
    least = 2.0 if name == "LinearSmoother" else 2.5  # 2 rad at 1 rad/s, and ramps
    assert least - 1e-9 <= trajectory.duration <= least + 0.301


@pytest.mark.parametrize("name", SMOOTHERS)
def test_what_is_in_the_way_is_passed(robot, name):
    put_post(robot)
    points = detour(robot)
    state = robot.dof_values
    status, trajectory = smoothed(robot, name, points, random_seed=1)
    assert status, status.description
    assert (robot.dof_values == state).all()
    checked(robot, name, trajectory, points)
    straight, _ = smoothed(robot, "ParabolicTrajectoryRetimer", points)
    assert straight
    slow = smoothed(robot, "ParabolicTrajectoryRetimer", points)[1].duration
    assert 2.0 < trajectory.duration < 0.9 * slow
    again = smoothed(robot, name, points, random_seed=1)[1]
    assert (again.waypoints == trajectory.waypoints).all()


@pytest.mark.parametrize("name", SMOOTHERS)
def test_a_path_through_something_is_refused(robot, name):
    put_post(robot)
    points = detour(robot)[[0, -1]]
    status, trajectory = smoothed(robot, name, points)
    assert not status
    assert status.code & PlannerStatusCode.ENV_COLLISION
    assert "the path is not free" in status.description
    assert "post" in status.description
    assert (trajectory.waypoints == points).all()


@pytest.mark.parametrize("name", SMOOTHERS)
def test_path_constraints_are_asked(robot, name):
    """The second joint stays above the lines that are forbidden."""

    def keeps(start, end):
        return bool(end[1] > 0.5 or abs(end[0]) > 0.9)

    points = detour(robot)
    status, trajectory = smoothed(robot, name, points, check_path_constraints=keeps)
    assert status, status.description
    checked(robot, name, trajectory, points)
    rows = trajectory.sample_points(np.linspace(0, trajectory.duration, 999))[:, :3]
    assert ((rows[:, 1] > 0.49) | (np.abs(rows[:, 0]) > 0.89)).all()


def test_limits_of_tools_are_kept(robot):
    points = detour(robot)
    extra = {"maxmanipspeed": "0.25", "maxmanipaccel": "1.5"}
    status, slow = smoothed(robot, "ConstraintParabolicSmoother", points, extra=extra)
    assert status, status.description
    checked(robot, "ConstraintParabolicSmoother", slow, points)
    times = np.arange(0, slow.duration, 1e-3)
    rows = slow.sample_points(times)[:, :3]
    arm = robot.manipulators[0]
    poses = robot.compute_link_transforms(rows)[:, arm.end_effector.index]
    places = (poses @ arm.local_tool_transform)[:, :3, 3]
    rates = np.diff(places, axis=0) / 1e-3
    assert np.linalg.norm(rates, axis=1).max() <= 0.25 * (1 + 1e-6)
    changes = np.diff(rates, axis=0) / 1e-3
    assert np.linalg.norm(changes, axis=1).max() <= 1.5 * (1 + 1e-6)
    _, free = smoothed(robot, "ConstraintParabolicSmoother", points)
    assert free.duration < slow.duration


@pytest.mark.parametrize("name", SMOOTHERS)
def test_callbacks_interrupt(robot, name):
    put_post(robot)
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    for action, ends in (
        (PlannerAction.INTERRUPT, False),
        (PlannerAction.RETURN_WITH_ANY_SOLUTION, True),
    ):
        trajectory = robot.env.create("trajectory", "")
        trajectory.init(parameters.specification)
        trajectory.insert(0, detour(robot))
        planner = robot.env.create("planner", name)
        handle = planner.register_progress_callback(lambda _, what=action: what)
        assert planner.init_plan(robot, parameters)
        status = planner.plan_path(trajectory)
        assert bool(status) == ends
        assert bool(status.code & PlannerStatusCode.INTERRUPTED) or ends
        handle.close()


@pytest.mark.parametrize("name", SMOOTHERS)
def test_what_smoothers_do_not_take(robot, name):
    points = detour(robot)
    status, _ = smoothed(robot, name, points, resolutions=np.zeros(3))
    assert "expected 3 positive numbers" in status.description
    status, _ = smoothed(robot, name, points, extra={"hastimestamps": "1"})
    assert not status
    assert "no deltatime group" in status.description


@pytest.mark.parametrize("name", ["CubicSmoother", "QuinticSmoother"])
def test_limits_of_jerk_are_needed(robot, name):
    status, _ = smoothed(robot, name, detour(robot), jerk_limits=np.empty(0))
    assert "jerk_limits are empty" in status.description


def test_time_is_limited(robot, monkeypatch):
    put_post(robot)
    clock = MovedClock(tick=0.01)
    clock.show_to(monkeypatch, "pyrave_planners.smoothers")
    status, trajectory = smoothed(
        robot,
        "ParabolicSmoother",
        detour(robot),
        max_iterations=10_000_000,
        max_planning_time=0.3,
    )
    assert status
    assert clock.now < 1000.5
    checked(robot, "ParabolicSmoother", trajectory, detour(robot))


@pytest.mark.parametrize("name", SMOOTHERS)
def test_what_does_not_move_rests(robot, name):
    for points in (detour(robot)[:1], detour(robot)[[0, 0]], detour(robot)[[0, 1, 0]]):
        status, trajectory = smoothed(robot, name, points)
        assert status, status.description
        assert trajectory.duration == pytest.approx(0, abs=1e-12)
        assert trajectory.sample(0.0)[:3] == pytest.approx(points[0])


@pytest.mark.parametrize("checker", ["Native", "coal"])
@pytest.mark.parametrize("name", SMOOTHERS)
def test_a_thin_plate_between_steps_is_in_the_way(name, checker):
    plate = wall("plate", (0.0002, 0.5, 0.2), (0.0, 0.5, 0.0))
    env, ball = plane_of(plate)
    env.collision_checker = checker
    points = np.array([[-0.5, 0.6], [-0.4, -0.3], [0.5, -0.2], [0.5, 0.7]])
    ball.set_active_dofs([0, 1])
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(ball)
    parameters.resolutions = np.full(2, 0.45)
    parameters.jerk_limits = np.full(2, 50.0)
    made = env.create("trajectory", "")
    made.init(parameters.specification)
    made.insert(0, points)
    planner = env.create("planner", name)
    assert planner.init_plan(ball, parameters)
    status = planner.plan_path(made)
    assert status, status.description
    times = np.linspace(0.0, made.duration, 5001)
    rows = made.sample_points(times, parameters.specification)
    assert clearance(rows, [plate]) > 0.0


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"extra": {"maxmanipspeed": "0.5"}}, "no limits of links and tools"),
        ({"post_processing": (("ParabolicSmoother", ""),)}, "'ParabolicSmoother'"),
        ({"goal_velocities": np.ones(3)}, "begin and end at rest"),
    ],
)
@pytest.mark.parametrize("name", ["ParabolicSmoother", "ParabolicTrajectoryRetimer"])
def test_what_is_not_kept_is_refused(robot, name, fields, said):
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    for field, value in fields.items():
        setattr(parameters, field, value)
    status = robot.env.create("planner", name).init_plan(robot, parameters)
    assert not status
    assert said in status.description
