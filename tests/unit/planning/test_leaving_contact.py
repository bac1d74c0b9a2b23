"""Bodies that touch where a motion begins or ends may part there, and never deepen."""

from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave.collision import PairwiseChecker
from pyrave.errors import NotSupportedError
from pyrave.geometry import Mesh
from pyrave.ik import IkFilterOptions
from pyrave.interfaces import CollisionCheckerBase, CollisionOptions, Touches
from pyrave.planning import (
    FunctionConstraint,
    PlanFailureCode,
    smooth_trajectory,
    verify,
)
from pyrave.scene import (
    BodyDescription,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    MeshData,
    RobotDescription,
    TriMesh,
    body_from_boxes,
)

GAP = 2e-4
"""Metres that points may move from places that are compared."""
CUP = (0.03, 0.03, 0.05)
AXES = np.eye(3)


def gantry(name="gantry"):
    """Return three slides with a hand, which is at their values."""
    hand = body_from_boxes("b", [(0, 0, 0, 0.02, 0.02, 0.02)]).links[0]
    hand = replace(hand, name="hand")
    names = ["base", "x", "y", "hand"]
    links = [*map(LinkDescription, names[:3]), hand]
    joints = [
        JointDescription(
            f"slide{k}", "slider", names[k], names[k + 1],
            axes=(
                JointAxis(
                    tuple(AXES[k]), True, -0.5, 0.5, velocity_limit=0.5,
                    acceleration_limit=2.0, resolution=0.01,
                ),
            ),
        )
        for k in range(3)
    ]  # fmt: skip
    return RobotDescription(name, tuple(links), tuple(joints))


def on_a_table(depth=3e-4, cup=None, table=None):
    """Return a gantry that holds a cup which stands so deep in a table."""
    env = pyrave.Environment()
    robot = env.create_body(gantry())
    held = env.create_body(cup or body_from_boxes("cup", [(0, 0, 0, *CUP)]))
    held.transform = [1, 0, 0, 0, 0, 0, -0.08]
    below = env.create_body(
        table or body_from_boxes("table", [(0, 0, 0, 0.2, 0.2, 0.02)])
    )
    below.transform = [1, 0, 0, 0, 0, 0, -0.15 + depth]
    robot.grab(held, "hand")
    return env, robot


def bottom(robot, trajectory):
    """Return how high the lowest place of the hand is above where it was."""
    spec = robot.active.configuration_specification()
    times = np.linspace(0.0, trajectory.duration, 2001)
    return trajectory.sample_points(times, spec)[:, 2].min()


def use(env, name):
    if name != "Native":
        pytest.importorskip(name)
        env.collision_checker = name


checkers = pytest.mark.parametrize("name", ["Native", "coal"])


@checkers
@pytest.mark.parametrize("depth", [0.0, 3e-4, 1e-3 - 1e-9])
def test_what_stands_on_a_table_is_lifted_and_put_back(name, depth):
    env, robot = on_a_table(depth)
    use(env, name)
    up = robot.plan([0.1, 0.1, 0.2])
    assert up, up.cause
    assert bottom(robot, up.trajectory) > -GAP
    assert verify(robot, up.trajectory) == ()
    with robot.preserve_state():
        robot.dof_values = up.path[-1]
        down = robot.plan([0.05, -0.1, 0.0])
        assert down, down.cause
        assert bottom(robot, down.trajectory) > -GAP
        assert verify(robot, down.trajectory) == ()
    along = robot.plan([0.1, 0.0, 0.0])
    assert along, along.cause
    assert bottom(robot, along.trajectory) > -GAP
    assert (
        env.collision_checker.touches == Touches() or not env.collision_checker.touches
    )


@checkers
def test_what_is_deeper_than_the_tolerance_collides(name):
    env, robot = on_a_table(2e-3)
    use(env, name)
    stuck = robot.plan([0.1, 0.1, 0.2])
    assert stuck.failure.code is PlanFailureCode.START_COLLISION
    assert "cup" in stuck.failure.text
    assert robot.plan([0.1, 0.1, 0.2], touching=2.1e-3)


@checkers
def test_nothing_touches_if_that_is_wanted(name):
    env, robot = on_a_table()
    use(env, name)
    refused = robot.plan([0.1, 0.1, 0.2], touching=None)
    assert refused.failure.code is PlanFailureCode.START_COLLISION
    found = robot.plan([0.1, 0.1, 0.2])
    (violation,) = verify(robot, found.trajectory, touching=None)
    assert (violation.kind, violation.time) == ("collision", 0.0)


@checkers
def test_a_goal_is_no_deeper_than_the_tolerance_or_the_start(name):
    env, robot = on_a_table(-0.1)
    use(env, name)
    for depth, code in ((9e-4, None), (1.1e-3, PlanFailureCode.GOAL_COLLISION)):
        found = robot.plan([0.1, 0.0, -0.1 - depth])
        assert bool(found) is (code is None), found.cause
        if code is None:
            assert bottom(robot, found.trajectory) > -0.1 - depth - GAP
        else:
            assert found.failure.code is code


def test_only_what_is_held_is_put_on_something():
    env, robot = on_a_table(-0.1)
    robot.release_all()
    env.remove(env.bodies["cup"])
    for height, code in ((-1e-4, PlanFailureCode.GOAL_COLLISION), (1e-4, None)):
        found = robot.plan([0.0, 0.0, -0.21 + height])
        assert bool(found) is (code is None)
        assert code is None or found.failure.code is code


@checkers
def test_a_motion_that_deepens_between_samples_is_no_motion(name):
    env, robot = on_a_table()
    use(env, name)
    spec = robot.active.configuration_specification("linear").add_delta_time_group()
    made = env.create("trajectory", "")
    made.init(spec)
    for depth, kinds in ((5e-4, ["collision"]), (0.0, [])):
        made.remove(0, len(made))
        # down and up again within two milliseconds, then away
        rows = [[0, 0, 0, 0], [0.1, 0, 0, 1.0005], [0.1001, 0, -depth, 5e-4],
                [0.1002, 0, 0, 5e-4], [0.2, 0, 0.1, 1.0]]  # fmt: skip
        made.insert(0, np.array(rows, float))
        found = verify(robot, made)
        assert [one.kind for one in found if one.kind == "collision"] == kinds


def test_what_has_parted_comes_back_no_deeper():
    _, robot = on_a_table()
    spec = robot.active.configuration_specification("linear").add_delta_time_group()
    made = robot.env.create("trajectory", "")
    made.init(spec)
    for height, collides in ((0.0, False), (-1e-3, True)):
        made.remove(0, len(made))
        rows = [[0, 0, 0, 0], [0, 0, 0.1, 1], [0, 0, height, 1], [0, 0, 0.1, 1]]
        made.insert(0, np.array(rows, float))
        found = [one for one in verify(robot, made) if one.kind == "collision"]
        assert bool(found) is collides


def test_a_pair_that_touches_leaves_others_as_they_are():
    env, robot = on_a_table()
    wall = env.create_body(body_from_boxes("wall", [(0, 0, 0, 0.01, 0.5, 0.5)]))
    wall.transform = [1, 0, 0, 0, 0.2, 0, 0]
    closed = robot.plan([0.4, 0.0, 0.2], timeout=0.5)
    assert closed.failure.code is PlanFailureCode.NO_PATH
    assert "wall" in closed.failure.text


def test_constraints_and_shortcuts_let_things_part():
    _, robot = on_a_table()
    level = FunctionConstraint(lambda values: values[0] - 2.0 * values[1])
    found = robot.plan([0.2, 0.1, 0.2], constraints=[level])
    assert found, found.cause
    assert bottom(robot, found.trajectory) > -GAP


@pytest.mark.parametrize(
    "planner", ["BiRRT", "BasicRRT", "RRTstar", "RAStar", "OMPL_RRTConnect"]
)
def test_every_planner_lets_things_part(planner):
    env, robot = on_a_table()
    if planner.startswith("OMPL"):
        pytest.importorskip("ompl")
    found = robot.plan([0.1, 0.1, 0.2], planner=planner, timeout=10.0)
    assert found, found.cause
    assert bottom(robot, found.trajectory) > -GAP
    made = pyrave.PlannerParameters()
    made.set_robot_active_joints(robot)
    made.goal_configuration = [0.1, 0.1, 0.2]
    made.max_planning_time = 5.0
    alone = env.create("planner", planner)
    assert alone.init_plan(robot, made)
    path = env.create("trajectory", "")
    assert alone.plan_path(path)


@pytest.mark.parametrize(
    "planner", ["LinearSmoother", "ParabolicSmoother", "shortcut_linear"]
)
def test_smoothers_let_things_part(planner):
    env, robot = on_a_table()
    made = env.create("trajectory", "")
    made.init(robot.active.configuration_specification("linear"))
    made.insert(
        0, np.array([[0, 0, 0], [0, 0.1, 0.2], [0.2, 0.1, 0.2], [0.2, 0, 0]], float)
    )
    if planner == "shortcut_linear":
        given = pyrave.PlannerParameters()
        given.set_robot_active_joints(robot)
        shorter = env.create("planner", planner)
        assert shorter.init_plan(robot, given)
        assert shorter.plan_path(made)
        assert made.get_waypoints()[:, 2].min() > -GAP
    else:
        smooth_trajectory(made, robot, planner=planner)
        assert bottom(robot, made) > -GAP


def test_several_robots_leave_their_tables():
    env, first = on_a_table()
    second = env.create_body(gantry("other"))
    second.transform = [1, 0, 0, 0, 0.0, 1.5, 0.0]
    for name, half, at in (("cup2", CUP, -0.08), ("table2", (0.2, 0.2, 0.02), -0.1498)):
        body = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
        body.transform = [1, 0, 0, 0, 0.0, 1.5, at]
    second.grab(env.bodies["cup2"], "hand")
    goals = {first: [0.1, 0.0, 0.0], second: [0.1, 0.1, 0.2]}
    found = env.plan(goals)
    assert found, found.cause
    assert found.path[:, 2].min() > -GAP
    assert not env.plan(goals, touching=None)


def bowl(segments=24, size=1.0):
    """Return a closed mesh that is not convex: a disc of 3 cm with a hollow above."""
    angle = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    ring = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    levels = ((0.03, -0.05), (0.03, 0.05), (0.025, 0.05), (0.025, -0.04))
    rows = [
        np.column_stack((radius * ring, np.full(segments, z))) for radius, z in levels
    ]
    points = np.vstack((*rows, [[0, 0, -0.05]], [[0, 0, -0.04]])) * size
    faces = []
    for k in range(segments):
        n = (k + 1) % segments
        for low, high in ((0, 1), (1, 2), (2, 3)):
            a, b, c, d = (low * segments + k, low * segments + n,
                          high * segments + k, high * segments + n)  # fmt: skip
            faces += [(a, b, d), (a, d, c)]
        faces += [(4 * segments, n, k)]
        faces += [(4 * segments + 1, 3 * segments + k, 3 * segments + n)]
    return Mesh(points, np.array(faces))


def table_mesh(cells=1):
    """Return a table as one closed mesh: a board with a rim below it, in cells."""
    outline = [(-0.2, 0.02), (0.2, 0.02), (0.2, -0.1), (0.15, -0.1), (0.15, -0.02),
               (-0.15, -0.02), (-0.15, -0.1), (-0.2, -0.1)]  # fmt: skip
    ys = np.linspace(-0.2, 0.2, cells + 1)
    count = len(outline)
    points = np.array([(x, y, z) for y in ys for x, z in outline])
    faces = []
    for row in range(cells):
        for k in range(count):
            n = (k + 1) % count
            a, b = row * count + k, row * count + n
            c, d = a + count, b + count
            faces += [(a, b, d), (a, d, c)]
    caps = [(0, 7, 3), (7, 6, 3), (0, 3, 4), (0, 4, 1), (1, 4, 2), (2, 4, 3)]
    caps = [(0, 5, 6), (0, 6, 7), (0, 4, 5), (0, 1, 4), (1, 3, 4), (1, 2, 3)]
    last = cells * count
    faces += [tuple(face[::-1]) for face in caps]
    faces += [tuple(last + k for k in face) for face in caps]
    mesh = Mesh(points, np.array(faces))
    assert mesh.is_watertight
    return mesh


def of_mesh(name, mesh):
    shape = TriMesh(MeshData(mesh.vertices, mesh.faces))
    link = LinkDescription("base", geometries=(GeometryDescription(shape),))
    return BodyDescription(name, (link,))


@pytest.mark.parametrize("depth", [0.0, 4e-4])
@pytest.mark.parametrize("kinds", ["mesh-box", "box-mesh", "mesh-mesh"])
def test_meshes_that_are_not_convex_part(kinds, depth):
    cup, table = kinds.split("-")
    env, robot = on_a_table(
        depth,
        of_mesh("cup", bowl()) if cup == "mesh" else None,
        of_mesh("table", table_mesh(40)) if table == "mesh" else None,
    )
    found = robot.plan([0.1, 0.1, 0.2])
    assert found, found.cause
    assert bottom(robot, found.trajectory) > -GAP
    into = robot.plan([0.1, 0.1, -0.03], timeout=2.0)
    assert into.failure.code is PlanFailureCode.GOAL_COLLISION
    checker, touches = (
        env.collision_checker,
        Touches.from_pairs(
            [(env.bodies["cup"].links[0], env.bodies["table"].links[0], 4e-4)]
        ),
    )
    with checker.allowing(touches):
        # pushed in, however small its triangles are: deeper is deeper
        rows = np.zeros((60, 3))
        rows[:, 2] = depth - 5e-4 - np.linspace(0.0, 0.03, 60)
        assert checker.check_configurations(robot, rows).all()
        rows[:, 2] = depth - 4e-4 + np.linspace(0.0, 0.03, 60)
        assert not checker.check_configurations(robot, rows).any()


class Depthless(CollisionCheckerBase):
    """Says what the native checker says, but for distances and contacts."""

    contract = CollisionCheckerBase.contract

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self._native = env.create("collisionchecker", "Native")
        for name in ("init_environment", "destroy_environment", "init_kinbody",
                     "remove_kinbody", "set_tolerance", "check_ray",
                     "get_collision_options"):  # fmt: skip
            setattr(self, name, getattr(self._native, name))

    def set_collision_options(self, options):
        if options & (CollisionOptions.CONTACTS | CollisionOptions.DISTANCE):
            raise NotSupportedError("nothing is measured")
        self._native.set_collision_options(options)

    def check_collision(self, first, second=None, **options):
        return self._native.check_collision(first, second, **options)

    def check_self_collision(self, subject, report=None):
        return self._native.check_self_collision(subject, report)

    init_environment = destroy_environment = init_kinbody = remove_kinbody = None
    set_tolerance = check_ray = get_collision_options = None


class Measuring(PairwiseChecker):
    """A checker as authors write it, of boxes along the axes of the world."""

    contract = CollisionCheckerBase.contract

    def check_pair(self, first, second):
        return self.pair_distance(first, second)[0] <= 0.0

    def pair_distance(self, first, second):
        (centre, half), (its_centre, its_half) = first.aabb, second.aabb
        gaps = np.abs(centre - its_centre) - half - its_half
        apart = np.linalg.norm(np.maximum(gaps, 0.0))
        return float(apart or gaps.max()), np.stack((centre, its_centre))


def test_distances_of_authors_are_depths():
    env, robot = on_a_table()
    env.register("collisionchecker", "Measuring", Measuring)
    env.collision_checker = "Measuring"
    cup, table = env.bodies["cup"].links[0], env.bodies["table"].links[0]
    assert env.collision_checker.depth(cup, table) == pytest.approx(3e-4)
    found = robot.plan([0.1, 0.1, 0.2])
    assert found, found.cause
    assert bottom(robot, found.trajectory) > -GAP
    assert robot.plan([0.1, 0.1, 0.2], touching=1e-4).cause


def test_a_checker_that_knows_no_depths_lets_nothing_part():
    env, robot = on_a_table()
    env.register("collisionchecker", "Depthless", Depthless)
    env.collision_checker = "Depthless"
    refused = robot.plan([0.1, 0.1, 0.2])
    assert refused.failure.code is PlanFailureCode.START_COLLISION


def test_how_deep_is_a_number_of_metres():
    _, robot = on_a_table()
    for wrong in (-1.0, np.nan, "deep"):
        with pytest.raises(pyrave.errors.ArgumentError, match="touching"):
            robot.plan([0.1, 0.1, 0.2], touching=wrong)


def test_lines_leave_contact_and_come_back():
    env = pyrave.load("robots/heron7.robot.xml")
    arm = env.robots[0].active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    here, checks = arm.transform, IkFilterOptions.CHECK_ENV_COLLISIONS
    for name, half, low in (("cup", CUP, 0.0), ("table", (0.2, 0.2, 0.02), 0.0697)):
        body = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
        body.transform = [1, 0, 0, 0, *here[:3, 3] - (0, 0, low)]
    env.robots[0].grab(env.bodies["cup"])

    def moved(height, along=0.0):
        pose = here.copy()
        pose[:3, 3] += (along, 0.0, height)
        return pose

    line = arm.straight_line(moved(0.1), 20, options=checks)
    assert line, line.cause
    assert arm.straight_line(moved(0.0, 0.05), 20, options=checks)
    assert not arm.straight_line(moved(-0.005), 20, options=checks)
    assert not arm.straight_line(moved(0.1), 20, options=checks, touching=None)
    arm.arm_dof_values = line.values[-1]
    assert arm.straight_line(moved(0.0), 20, options=checks)
    # 0.3 mm and as much more are less than a millimetre, and 1.3 mm are not
    assert arm.straight_line(moved(-3e-4), 20, options=checks)
    assert not arm.straight_line(moved(-1e-3), 20, options=checks)
