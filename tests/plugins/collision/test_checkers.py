"""Answers of pyrave's collision checkers, against closed forms and brute force."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from solid_scenes import (
    CHECKERS,
    add_solid,
    as_shape,
    at,
    installed_checker,
    random_pose,
    random_solid,
    torus,
    triangle_distance,
)

import pyrave
from pyrave import ArgumentError, CollisionOptions, CollisionReport, NotFoundError
from pyrave.geometry import Mesh
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    Sphere,
)
from pyrave.testing import kit_environment
from pyrave.testing.solid_distance import boxes_overlap, point_distance

BAND = 1e-6
BALL = Sphere(0.5)


@pytest.fixture(params=CHECKERS)
def env(request):
    made = pyrave.Environment()
    installed_checker(made, request.param)
    return made


@pytest.fixture(params=CHECKERS)
def kit(request):
    made = kit_environment()
    installed_checker(made, request.param)
    return made


@pytest.mark.parametrize("seed", range(40))
def test_balls_have_the_distance_of_closed_forms(env, seed):
    rng = np.random.default_rng(seed)
    solid, radius = random_solid(rng), float(rng.uniform(0.1, 0.5))
    pose, place = random_pose(rng, 0.5), random_pose(rng, 0.9)
    one, ball = (
        add_solid(env, "one", solid, pose=pose),
        add_solid(env, "ball", Sphere(radius), pose=place),
    )
    exact = point_distance(place[:3, 3], solid, pose) - radius
    assert env.check_collision(one) is env.check_collision(ball, one) is (exact <= 0)
    found = one.distance_to(ball)
    assert found == pytest.approx(exact, abs=1e-5 if exact < 0 else BAND)
    report = CollisionReport()
    with env.collision_checker.options(CollisionOptions.DISTANCE):
        assert env.collision_checker.check_collision(one, ball, report=report) == (
            exact <= 0
        )
    near, far = report.nearest_points
    assert np.linalg.norm(far - near) == pytest.approx(abs(exact), abs=1e-4)
    assert point_distance(near, solid, pose) == pytest.approx(0, abs=1e-4)
    assert np.linalg.norm(far - place[:3, 3]) == pytest.approx(radius, abs=1e-4)


@pytest.mark.parametrize("seed", range(40))
def test_boxes_touch_unless_an_axis_separates_them(env, seed):
    rng = np.random.default_rng(seed)
    one, other = random_solid(rng, (Box,)), random_solid(rng, (Box,))
    poses = random_pose(rng, 0.4), random_pose(rng, 0.4)
    first = add_solid(env, "first", one, pose=poses[0])
    second = add_solid(env, "second", other, pose=poses[1])
    touching = boxes_overlap(one, poses[0], other, poses[1])
    assert env.check_collision(first, second) is touching
    assert (env.distance(second, first) <= 0) is touching


@pytest.mark.parametrize("seed", range(20))
def test_a_ball_and_a_torus(env, seed):
    """The surface by brute force over all triangles, the inside by the formula."""
    rng = np.random.default_rng(seed)
    mesh = torus()
    pose, place = random_pose(rng, 0.3), random_pose(rng, 1.2)
    radius = float(rng.uniform(0.02, 0.3))
    ring = add_solid(env, "ring", as_shape(mesh), pose=pose)
    ball = add_solid(env, "ball", Sphere(radius), pose=place)
    local = (place[:3, 3] - pose[:3, 3]) @ pose[:3, :3]
    inside = np.hypot(np.hypot(*local[:2]) - 1.0, local[2]) < 0.3 * np.cos(np.pi / 16)
    gap = triangle_distance(local, mesh.triangles()) - radius
    assert env.check_collision(ring, ball) is bool(inside or gap <= 0)
    exact = 0.0 if inside else max(gap, 0.0)
    assert env.distance(ring, ball) == pytest.approx(exact, abs=BAND)


def test_what_is_wholly_inside_of_a_closed_mesh_collides(env):
    ring = add_solid(env, "ring", as_shape(torus()))
    for shape in (Sphere(0.05), Box((0.05,) * 3), as_shape(torus(0.1, 0.03))):
        small = add_solid(env, "small", shape, pose=at(1.0))
        assert env.check_collision(small, ring)
        assert env.check_collision(ring, small)
        assert env.distance(ring, small) == 0.0
        small.transform = at(0.0)  # in the hole
        assert not env.check_collision(small, ring)
        env.remove(small)
    mesh = torus()
    opened = Mesh(mesh.vertices, mesh.faces[1:])
    sheet = add_solid(env, "sheet", as_shape(opened))
    env.remove(ring)
    small = add_solid(env, "small", Sphere(0.05), pose=at(-1.0))
    assert not env.check_collision(small, sheet), "an open mesh is a surface"
    turned = add_solid(
        env, "turned", as_shape(Mesh(mesh.vertices, mesh.faces[:, ::-1]))
    )
    env.remove(sheet)
    assert not env.check_collision(small, turned), "an inside-out mesh is a surface"


def test_contacts_look_out_of_the_first(env):
    one = add_solid(env, "one", Box((0.5, 0.5, 0.5)))
    other = add_solid(env, "other", BALL, pose=at(0.0, 0.9))
    with env.collision_checker.options(CollisionOptions.CONTACTS):
        for first, second, sign in ((one, other, 1.0), (other, one, -1.0)):
            report = env.check_collision(first, second, report=True)
            (contact,) = report.pairs[0].contacts
            assert_allclose(contact.normal, (0.0, sign, 0.0), atol=1e-6)
            assert_allclose(contact.position, (0.0, 0.45, 0.0), atol=1e-6)
            assert contact.depth == pytest.approx(0.1, abs=1e-6)
    assert "one/base x other/base" in str(env.check_collision(one, report=True))


def crowd(env):
    """Add a body of two links, two boxes each, across a plate and a ball."""
    plate = add_solid(env, "plate", Box((2.0, 2.0, 0.1)), Box((0.1, 0.1, 0.4)))
    ball = add_solid(env, "ball", BALL, pose=at(0.3))
    far = add_solid(env, "far", BALL, pose=at(9.0))
    return plate, ball, far


def test_options_say_how_much_is_found(env):
    plate, ball, _ = crowd(env)
    other = add_solid(env, "other", BALL, pose=at(-0.3))
    checker = env.collision_checker
    counts = {}
    for options in (
        CollisionOptions.NONE,
        CollisionOptions.ALL_LINK_COLLISIONS,
        CollisionOptions.ALL_GEOMETRY_COLLISIONS,
        CollisionOptions.ALL_LINK_COLLISIONS | CollisionOptions.ALL_GEOMETRY_COLLISIONS,
    ):
        with checker.options(options):
            assert checker.get_collision_options() == options
            report = env.check_collision(plate, report=True)
            assert report.options == options
            counts[options] = len(report.pairs)
            bodies = {pair.second.body_name for pair in report.pairs}
            assert bodies <= {ball.name, other.name}
    assert list(counts.values()) == [1, 2, 2, 4]
    assert checker.get_collision_options() == CollisionOptions.NONE


def test_tolerance(env):
    one = add_solid(env, "one", BALL)
    two = add_solid(env, "two", BALL, pose=at(1.05))
    checker = env.collision_checker
    checker.set_tolerance(0.1)
    assert not checker.check_collision(one, two)
    with checker.options(CollisionOptions.USE_TOLERANCE):
        report = CollisionReport()
        assert checker.check_collision(one, two, report=report)
        assert report.n_within_tolerance == 1
        assert checker.check_collision(one)
        two.transform = at(1.2)
        assert not checker.check_collision(one, two)
    for wrong in (-1.0, float("nan"), "far"):
        with pytest.raises(ArgumentError, match="tolerance"):
            checker.set_tolerance(wrong)


def test_the_distance_is_that_of_the_nearest(env):
    plate, ball, far = crowd(env)
    with env.collision_checker.options(CollisionOptions.DISTANCE):
        report = CollisionReport()
        env.collision_checker.check_collision(far, report=report)
        assert report.min_distance == pytest.approx(9.0 - 2.0 - 0.5, abs=BAND)
        assert report.nearest[1].body is plate
        assert report.n_tested >= 1
        env.collision_checker.check_collision(
            far, excluded_bodies=[plate], report=report
        )
        assert report.min_distance == pytest.approx(8.7 - 1.0, abs=BAND)
        assert report.nearest[1].body is ball
    env.remove(plate)
    env.remove(ball)
    assert far.distance_to(add_solid(env, "nothing")) == np.inf


def test_callbacks_are_asked_about_each_pair(env):
    """One ignored pair hides no other."""
    plate, ball, _ = crowd(env)
    other = add_solid(env, "other", BALL, pose=at(-0.3))
    asked = []

    def ignore(name):
        def callback(report):
            (pair,) = report.pairs
            asked.append(pair.second.body_name)
            if pair.second.body_name == name:
                return pyrave.CollisionAction.IGNORE
            return None

        return callback

    with env.on_collision(ignore("ball")):
        assert env.check_collision(plate)
        assert env.collision_checker.check_collision(plate)
        report = env.check_collision(plate, report=True)
        assert {pair.second.body_name for pair in report.pairs} == {"other"}
        with env.on_collision(ignore("other")):
            assert not env.check_collision(plate)
            options = CollisionOptions.IGNORE_CALLBACKS
            with env.collision_checker.options(options):
                assert env.check_collision(plate)
        with env.collision_checker.options(CollisionOptions.DISTANCE):
            report = env.check_collision(ball, report=True)
    assert {"ball", "other"} <= set(asked)
    assert ball.links[0] in {pair.first.link for pair in report.pairs}
    assert other in env.bodies


def test_filters_of_bodies(env):
    plate, ball, _ = crowd(env)
    other = add_solid(env, "other", BALL, pose=at(-0.3))
    asked = []

    def counts(own, its):
        asked.append((own.body, its.body))
        return its.body is not ball

    plate.collision_filter = counts
    assert env.check_collision(plate)
    assert not env.check_collision(plate, ball)
    assert not env.check_collision(ball, plate)
    assert env.check_collision(ball), "the other ball"
    assert {own for own, _ in asked} == {plate}
    report = env.check_collision(plate, report=True)
    assert [pair.second.body for pair in report.pairs] == [other]
    plate.collision_filter = None
    assert env.check_collision(ball, plate)
    with pytest.raises(ArgumentError, match="collision_filter"):
        plate.collision_filter = 3
    checker, here = env.collision_checker, np.zeros((2, 0))
    assert checker.check_configurations(ball, here).all()
    other.collision_filter = plate.collision_filter = lambda own, its: False
    assert not checker.check_configurations(ball, here).any()
    assert not checker.check_motions(ball, here, here, continuous=True)[0] < np.inf
    other.collision_filter = plate.collision_filter = None
    ball.collision_filter = lambda own, its: False
    assert not env.check_collision(ball)
    assert not env.collision_checker.check_aabb((0.3, 0, 0), (0.1,) * 3, bodies=[ball])
    twin = env.clone()
    assert twin.check_collision(twin.bodies["ball"])


def test_meshes_boxes_and_links_elsewhere(kit):
    checker = kit.collision_checker
    arm, box, ball = (
        kit.robots["kit_arm"],
        kit.bodies["kit_box"],
        kit.bodies["kit_ball"],
    )
    mesh = torus(0.2, 0.05)
    assert checker.check_mesh(mesh, at(2.0, 0, 0.5))
    assert checker.check_mesh(mesh, at(2.0, 0, 0.5), box)
    assert not checker.check_mesh(mesh, at(2.0, 0, 0.5), ball)
    assert not checker.check_mesh(mesh, at(2.0, 0, 9.0))
    report = CollisionReport()
    assert checker.check_aabb((2.0, 0, 1.0), (0.1, 0.1, 0.1), report=report)
    assert report.pairs[0].second.body is box
    assert report.pairs[0].first.body is None
    assert not checker.check_aabb((2.0, 0, 1.2), (0.1, 0.1, 0.1))
    assert not checker.check_aabb((2.0, 0, 1.0), (0.1, 0.1, 0.1), bodies=[ball])
    assert checker.check_aabb((0, 0, 0), (0.1, 0.1, 0.1), at(2.0, 0, 1.0))
    hand = arm.links["hand"]
    before = hand.transform
    assert not checker.check_link_collision(hand, before)
    assert checker.check_link_collision(hand, box.transform, report=report)
    assert report.pairs[0].first.link is hand
    assert not checker.check_link_collision(hand, box.transform, excluded_bodies=[box])
    assert checker.check_link_self_collision(hand, arm.links["base"].transform)
    assert not checker.check_link_self_collision(hand, before)
    assert_allclose(hand.transform, before)
    assert not checker.check_link_collision(hand, at(2.0, 0, -0.3))
    ball.transform = at(*(before[:3, 3] + (0, 0, 0.6)))
    arm.grab(ball, "hand")
    assert checker.check_link_collision(hand, at(2.0, 0, -0.3)), "the ball in the hand"


def test_holding(kit):
    checker = kit.collision_checker
    arm, box, ball = (
        kit.robots["kit_arm"],
        kit.bodies["kit_box"],
        kit.bodies["kit_ball"],
    )
    hand = arm.links["hand"]
    ball.transform = at(*(hand.transform[:3, 3] + (0, 0, 0.4)))
    assert checker.check_collision(arm, ball)
    arm.grab(ball, "hand")
    (info,) = arm.grabs.info
    assert "fore" in info.touching_links
    assert not checker.check_collision(arm, ball)
    assert not checker.check_collision(arm)
    assert not checker.check_collision(ball)
    assert not arm.check_self_collision()
    assert checker.check_collision(hand, ball), "links are checked as they are"
    box.transform = ball.transform
    for first in (arm, ball):
        assert checker.check_collision(first, box)
        assert checker.check_collision(first)
    assert not checker.check_collision(arm, excluded_bodies=[box])
    arm.release(ball)
    assert checker.check_collision(arm, ball)
    box.transform = at(9.0)
    ball.transform = at(*(hand.transform[:3, 3] + (0, 0, 0.6)))
    arm.grab(ball, "hand")
    arm.dof_values = (0.0, 1.7, -0.1)
    hit = checker.check_self_collision(arm)
    exact = point_distance(ball.transform[:3, 3], Box((0.15, 0.15, 0.1)), arm.transform)
    assert hit is bool(exact <= 0.5)
    assert not checker.check_standalone_self_collision(arm)


def test_two_bodies_in_one_hand(kit):
    """Those that touched each other when they were grabbed may go on doing so."""
    arm, box, ball = (kit.bodies[f"kit_{name}"] for name in ("arm", "box", "ball"))
    box.transform = at(0.0, 0.0, 3.0)
    ball.transform = at(0.0, 0.0, 3.9)
    arm.grab(box, "hand")
    arm.grab(ball, "hand")
    assert arm.grabs.info[1].touching_bodies == ("kit_box",)
    assert not arm.check_self_collision()
    arm.grabs.renew()
    assert arm.grabs.info[1].touching_bodies == ("kit_box",)
    ball.transform = at(0.0, 0.0, 4.1)
    arm.grabs.renew()
    assert arm.grabs.info[1].touching_bodies == ()
    assert not arm.check_self_collision()
    ball.transform = at(0.0, 0.0, 3.9)
    report = arm.check_self_collision(report=True)
    assert report.pairs[0].first.body is box
    assert report.pairs[0].second.body is ball


def test_active_degrees_of_freedom(kit):
    checker = kit.collision_checker
    arm, box = kit.robots["kit_arm"], kit.bodies["kit_box"]
    box.transform = at(0.6)  # reaches the base alone
    assert checker.check_collision(arm)
    options = CollisionOptions.ACTIVE_DOFS
    with checker.options(options):
        arm.active_dof_indices = [1, 2]
        assert not checker.check_collision(arm)
        box.transform = at(0.0, 0, 1.2)
        assert checker.check_collision(arm)
        box.transform = at(0.6)
        arm.set_active_dofs([1, 2], pyrave.Affine.X)
        assert checker.check_collision(arm)


def test_what_the_active_joints_carry_as_one_is_not_compared(kit):
    """Of a hand and what it holds nothing moves when the arm does."""
    checker, arm = kit.collision_checker, kit.robots["kit_arm"]
    ball = kit.bodies["kit_ball"]
    hand = arm.links["hand"]
    ball.transform = at(*(hand.transform[:3, 3] + (0, 0, 0.6)))
    arm.grab(ball, "hand")
    ball.transform = hand.transform  # in the hand, where it was not when it was grabbed
    assert checker.check_self_collision(arm)
    with checker.options(CollisionOptions.ACTIVE_DOFS):
        arm.active_dof_indices = [1, 2]
        report = CollisionReport()
        checker.check_self_collision(arm, report)
        own = {(pair.first.link_name, pair.second.body_name) for pair in report.pairs}
        assert ("hand", "kit_ball") not in own


def test_rays_are_those_of_the_environment(env):
    add_solid(env, "near", BALL, pose=at(3.0))
    add_solid(env, "far", BALL, pose=at(6.0))
    checker, report = env.collision_checker, CollisionReport()
    assert checker.check_ray((0, 0, 0), (10, 0, 0), report=report)
    assert report.pairs[0].first.body_name == "near"
    assert report.min_distance == pytest.approx(2.5)
    with checker.options(CollisionOptions.RAY_ANY_HIT):
        assert checker.check_ray((0, 0, 0), (10, 0, 0), report=report)
        assert report.pairs[0].first.body_name in {"near", "far"}
    assert not checker.check_ray((0, 0, 0), (2, 0, 0))


def test_groups_of_geometries(env):
    """Links that have geometries of the group are compared with these."""
    thin = GeometryDescription(shape=Sphere(0.1))
    padded = GeometryDescription(shape=Sphere(0.4), group="padded")
    link = LinkDescription("base", geometries=(thin, padded))
    one = env.create_body(BodyDescription("one", links=(link,)))
    other = add_solid(env, "other", BALL, pose=at(0.8))
    checker = env.collision_checker
    assert checker.get_geometry_group() == "self"
    assert not checker.check_collision(one)
    checker.set_geometry_group("padded")
    assert checker.get_geometry_group() == "padded"
    assert checker.check_collision(one)
    assert env.distance(one, other) == pytest.approx(-0.1, abs=BAND)
    report = env.check_collision(one, report=True)
    assert report.pairs[0].first.geometry is one.links[0].all_geometries[1]
    assert checker.check_configurations(one, np.zeros((2, 0))).all()
    other.transform = at(0.95)
    assert not checker.check_collision(one)
    one.transform = at(0.1)
    assert checker.check_collision(other)
    assert checker.check_link_collision(one.links[0], at(0.2))
    one.links[0].enabled = False
    assert not checker.check_collision(other)
    one.links[0].enabled = True
    one.links[0].set_geometries([GeometryDescription(shape=Sphere(0.2))], "padded")
    assert not checker.check_collision(other)
    twin = env.clone()
    assert twin.collision_checker.get_geometry_group() == "padded"
    assert twin.distance(*twin.bodies) == pytest.approx(0.15, abs=BAND)
    env.remove(other)
    assert not checker.check_collision(one)
    env.add(other)
    other.transform = one.transform
    assert checker.check_collision(one)
    other.transform = at(0.45 + 0.1 + 0.5)
    checker.set_geometry_group("self")
    assert env.distance(one, other) == pytest.approx(0.35, abs=BAND)
    with pytest.raises(NotFoundError, match="geometry group 'paded'"):
        checker.set_geometry_group("paded")
    assert not checker.check_ray((0.1, 0.15, -1), (0, 0, 2)), (
        "rays meet the first group"
    )


def test_what_changes_is_followed(env):
    plate, ball, far = crowd(env)
    checker = env.collision_checker
    assert checker.check_collision(ball)
    plate.links[0].enabled = False
    assert not checker.check_collision(ball)
    plate.links[0].enabled = True
    plate.links[0].geometries[0].edit(shape=Box((0.1, 0.1, 0.1)))
    assert checker.check_collision(ball)
    plate.links[0].geometries[1].edit(shape=Sphere(0.1))
    ball.transform = at(0.0, 0.0, 0.65)
    assert not checker.check_collision(ball)
    plate.links[0].geometries[0].edit(
        pose=plate.links[0].geometries[0].description.pose
    )
    env.remove(plate)
    far.transform = ball.transform
    assert checker.check_collision(ball)
    env.add(plate)
    plate.transform = ball.transform
    far.transform = at(9.0)
    assert checker.check_collision(ball)
    checker.set_collision_options(CollisionOptions.CONTACTS)
    checker.set_tolerance(0.01)
    twin = env.clone()
    assert type(twin.collision_checker) is type(checker)
    assert twin.collision_checker.get_state() == checker.get_state()
    assert twin.check_collision(twin.bodies["ball"])
    twin.bodies["plate"].transform = at(20.0)
    assert not twin.check_collision(twin.bodies["ball"])
    assert env.check_collision(ball)


def test_environments_travel_with_their_checker(env):
    crowd(env)
    twin = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    assert type(twin.collision_checker) is type(env.collision_checker)
    assert twin.check_collision(twin.bodies["ball"])


def test_wrong_arguments(env):
    plate, ball, _ = crowd(env)
    checker = env.collision_checker
    other = add_solid(pyrave.Environment(), "other", BALL)
    with pytest.raises(ArgumentError, match="another environment"):
        checker.check_collision(other)
    with pytest.raises(ArgumentError, match="another environment"):
        checker.check_collision(ball, other.links[0])
    env.remove(plate)
    with pytest.raises(ArgumentError, match="not in the environment"):
        checker.check_collision(plate)
    for wrong in (None, 3, [1]):
        with pytest.raises(ArgumentError, match="expected a body or link"):
            checker.check_collision(wrong)
        with pytest.raises(ArgumentError, match="expected a"):
            checker.check_self_collision(wrong)
    with pytest.raises(ArgumentError, match="excluded_bodies"):
        checker.check_collision(ball, excluded_bodies=[3])
    with pytest.raises(ArgumentError, match="excluded_links"):
        checker.check_collision(ball, excluded_links=[ball])
    with pytest.raises(ArgumentError, match="no triangles"):
        checker.check_mesh(Mesh(np.zeros((3, 3)), np.zeros((0, 3), int)), np.eye(4))
    with pytest.raises(ArgumentError, match="half_extents"):
        checker.check_aabb((0, 0, 0), (-1, 1, 1))
    with pytest.raises(ArgumentError, match="CollisionReport"):
        checker.check_collision(ball, report=True)
    with pytest.raises(ArgumentError, match="expected a link"):
        checker.check_link_collision(ball, np.eye(4))
    with pytest.raises(ArgumentError):
        checker.check_link_collision(ball.links[0], np.full((4, 4), np.nan))


def test_a_report_outlives_its_bodies(env):
    plate, ball, _ = crowd(env)
    report = env.check_collision(ball, report=True)
    number = plate.id
    env.remove(plate)
    assert report.pairs[0].second.body_id == number
    assert report.pairs[0].second.body_name == "plate"


def test_many_configurations(kit):
    checker = kit.collision_checker
    arm, box = kit.robots["kit_arm"], kit.bodies["kit_box"]
    box.transform = at(0.8, 0, 0.5)
    rng = np.random.default_rng(1)
    rows = rng.uniform(-1.5, 1.5, (60, 3)) * (1, 1, 0.1)
    before = arm.dof_values
    hits = checker.check_configurations(arm, rows)
    distances = checker.distances(arm, rows)
    reports = checker.check_configurations(arm, rows, report=True)
    only_own = checker.check_configurations(arm, rows, environment=False)
    assert_allclose(arm.dof_values, before)
    assert hits.any()
    assert not hits.all()
    np.testing.assert_array_equal(hits, distances <= 0)
    np.testing.assert_array_equal(hits, [bool(report) for report in reports])
    np.testing.assert_array_equal(only_own, [
        report.pairs[0].second.body is arm if report else False for report in reports
    ])  # fmt: skip
    for values, hit in zip(rows, hits, strict=True):
        arm.set_dof_values(values, limits=pyrave.LimitCheck.NONE)
        assert hit == (
            checker.check_collision(arm) or checker.check_self_collision(arm)
        )
    (nearest,) = checker.distances(arm, before[None], report=True)
    assert nearest.nearest[0].body is arm
    with pytest.raises(ArgumentError, match="configurations"):
        checker.check_configurations(arm, rows[:, :2])


def test_motions_stop_where_they_first_collide(kit):
    checker = kit.collision_checker
    arm, box = kit.robots["kit_arm"], kit.bodies["kit_box"]
    # a wall 2 mm thick in the way of the arm
    box.links[0].geometries[0].edit(shape=Box((0.001, 0.5, 0.5)))
    box.transform = [np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0.7, 0.0, 0.5]
    start, end = np.array((-0.6, 1.5, 0.0)), np.array((0.6, 1.5, 0.0))
    rows = checker.check_configurations(arm, [start, end])
    assert not rows.any()
    coarse = checker.check_motions(arm, [start], [end], resolution=0.5)
    fine = checker.check_motions(arm, [start], [end], resolution=0.001)
    sure = checker.check_motions(arm, [start], [end], continuous=True)
    assert np.isinf(coarse[0]), "steps of 0.4 rad jump over the wall"
    assert np.isfinite(fine[0])
    assert sure[0] == pytest.approx(fine[0], abs=2e-3)
    assert sure[0] <= fine[0]
    back = checker.check_motions(arm, [end, start], [end, start], continuous=True)
    assert np.isinf(back).all()
    hit = start + fine[0] * (end - start)
    assert checker.check_motions(arm, [hit], [end])[0] == 0.0
    assert checker.check_motions(arm, [hit], [end], continuous=True)[0] == 0.0
    # what stays where it is may be near to something
    low = arm.links[0].aabb[0] - arm.links[0].aabb[1]
    floor = kit.create_body(
        BodyDescription("floor", links=(LinkDescription("base", geometries=(
            GeometryDescription(Box((0.5, 0.5, 0.01))),
        )),))
    )  # fmt: skip
    floor.transform = [1, 0, 0, 0, 0.0, 0.0, low[2] - 0.01 - 2e-4]
    before = arm.active_dof_indices
    near = checker.check_motions(arm, [start], [end], continuous=True)
    assert near[0] == pytest.approx(sure[0], abs=1e-3)
    np.testing.assert_array_equal(arm.active_dof_indices, before)
    kit.remove(floor)
    for wrong in (0.0, -1.0, (1.0, 2.0), np.nan):
        with pytest.raises(ArgumentError, match="resolution"):
            checker.check_motions(arm, [start], [end], wrong)
    with pytest.raises(ArgumentError, match="tolerance"):
        checker.check_motions(arm, [start], [end], continuous=True, tolerance=0.0)
    with pytest.raises(ArgumentError, match="steps"):
        checker.check_motions(arm, [start], [end], 1e-9)


def test_the_bound_of_motions_is_one():
    """No corner of any link moves further than the bound of its path."""
    from pyrave.interfaces.collision.batches import MotionBounds

    env = kit_environment()
    arm = env.robots["kit_arm"]
    bounds = MotionBounds(arm)
    rng = np.random.default_rng(3)
    for _ in range(50):
        start = rng.uniform(-1, 1, 3) * (2, 1.5, 0.2)
        way = rng.uniform(-1, 1, 3) * (1, 1, 0.1)
        bound = bounds.speed(start, way)
        paths = []
        for time in np.linspace(0, 1, 200):
            arm.set_dof_values(start + time * way, limits=pyrave.LimitCheck.NONE)
            paths.append([corners(g) for link in arm.links for g in link.geometries])
        lengths = np.linalg.norm(np.diff(paths, axis=0), axis=-1).sum(axis=0)
        assert lengths.max() <= bound


def corners(geometry):
    signs = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    pose = geometry.world_transform
    return signs * geometry.half_extents @ pose[:3, :3].T + pose[:3, 3]


def test_flat_and_empty_things(env):
    plate = add_solid(env, "plate", Box((1.0, 1.0, 0.0)))
    ball = add_solid(env, "ball", BALL, pose=at(0, 0, 0.4))
    assert env.check_collision(plate, ball)
    ball.transform = at(0, 0, 0.6)
    assert not env.check_collision(plate, ball)
    assert env.distance(plate, ball) == pytest.approx(0.1, abs=BAND)
    point = add_solid(env, "point", Sphere(0.0), pose=at(0, 0, 0.6))
    line = add_solid(env, "line", Capsule(0.0, 1.0), Cylinder(0.0, 1.0))
    assert not env.check_collision(point, ball)
    assert not env.check_collision(line)
