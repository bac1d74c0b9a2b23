"""Hulls of links: what is in them, collisions with them, their keys."""

import numpy as np
import pytest
from grasping_scenes import block

import pyrave
from pyrave.databases import ConvexDecomposition
from pyrave.errors import ArgumentError, NotFoundError, SettingError, StateError
from pyrave.geometry import Mesh, prism_mesh
from pyrave.scene import (
    BodyDescription,
    Box,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Pose,
    Sphere,
    TriMesh,
)

_L = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "kept"))


def body_of(*shapes, env=None):
    link = LinkDescription(
        "base",
        geometries=tuple(
            one if isinstance(one, GeometryDescription) else GeometryDescription(one)
            for one in shapes
        ),
    )
    return (env or pyrave.Environment()).create_body(
        BodyDescription("thing", links=(link,))
    )


def mesh_shape(mesh):
    return TriMesh(MeshData(mesh.vertices, mesh.faces))


def ell():
    """Return a body like an L of 5 m3: what is not in its arms is outside."""
    return body_of(mesh_shape(prism_mesh(_L, 1.0)))


def test_an_l_is_cut_into_pieces_and_points_are_in_its_arms():
    pytest.importorskip("coacd")
    body = ell()
    hulls = ConvexDecomposition(body, padding=0.0).build()
    assert len(hulls.hulls()) >= 2
    assert hulls.summary()["volume"] == pytest.approx(5.0, rel=0.02)
    turn = pyrave.spatial.pose_from_rpy((0.3, 0.5, -0.7), (1.0, 2.0, 3.0))
    body.transform = turn
    rng = np.random.default_rng(1)
    low, half = body.links[0].local_aabb
    local = low + rng.uniform(-1.2, 1.2, (4000, 3)) * half
    x, y = local[:, 0], local[:, 1]
    inside = (np.abs(local[:, 2]) < half[2]) & (x > 0) & (y > 0)
    inside &= ((x < 1) & (y < 3)) | ((x < 3) & (y < 1))
    found = hulls.points_inside(local @ turn[:3, :3].T + turn[:3, 3])
    assert (found != inside).mean() < 0.02
    assert found.sum() > 500
    whole = ConvexDecomposition(body, padding=0.0, whole_above=10).build()
    (hull,) = whole.hulls()
    assert Mesh(hull.vertices, hull.faces).volume == pytest.approx(7.0)


def test_convex_geometries_are_padded_without_a_library(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)
    body = body_of(
        GeometryDescription(Box((0.1, 0.2, 0.3)), pose=Pose.from_translation(1, 0, 0)),
        Sphere(0.25),
        GeometryDescription(Cylinder(0.1, 0.4), pose=Pose.from_translation(0, 2, 0)),
    )
    hulls = ConvexDecomposition(body, padding=0.05).build()
    box, ball, can = hulls.hulls("base")
    assert [one.geometry for one in (box, ball, can)] == [0, 1, 2]
    signs = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    expected = signs * (0.15, 0.25, 0.35) + (1, 0, 0)
    assert sorted(map(tuple, box.vertices.round(9))) == sorted(
        map(tuple, expected.round(9))
    )
    assert box.planes.shape == (6, 4)
    rng = np.random.default_rng(0)
    ways = rng.normal(size=(2000, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    assert hulls.points_inside(0.2999 * ways).all()
    assert not hulls.points_inside(0.32 * ways).any()
    turns = rng.uniform(0, 2 * np.pi, 500)
    ring = np.stack((np.cos(turns), np.sin(turns), rng.uniform(-1, 1, 500)), axis=1)
    assert hulls.points_inside(ring * (0.1499, 0.1499, 0.2499) + (0, 2, 0)).all()
    assert not hulls.points_inside(ring * (0.16, 0.16, 0.2499) + (0, 2, 0)).any()
    assert ((ball.vertices @ ball.planes[:, :3].T + ball.planes[:, 3]) < 1e-12).all()
    assert len(hulls.show()) == 3


def test_what_is_flat_becomes_a_plate():
    square = Mesh(
        np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float),
        np.array([(0, 1, 2), (0, 2, 3)], np.int32),
    )
    plate = ConvexDecomposition(body_of(mesh_shape(square)), padding=0.01).build()
    points = [(0.5, 0.5, 0.009), (0.5, 0.5, 0.011), (-0.009, 0.5, 0), (-0.02, 0.5, 0)]
    assert plate.points_inside(points).tolist() == [True, False, True, False]
    thin = ConvexDecomposition(body_of(mesh_shape(square)), padding=0.0).build()
    assert thin.points_inside([(0.5, 0.5, 0.0), (0.5, 0.5, 0.001)]).tolist() == [1, 0]


def test_hulls_collide_as_a_group():
    env = pyrave.Environment()
    body = body_of(Box((0.1, 0.1, 0.1)), env=env)
    other = block(env, "other", (0.1, 0.1, 0.1), (0.206, 0, 0))
    hulls = ConvexDecomposition(body, padding=0.005).build()
    hulls.add_group()
    assert body.links[0].geometry_groups == ("self", "convex")
    checker = env.collision_checker
    assert not env.check_collision(body, other)
    checker.set_geometry_group("convex")
    assert not env.check_collision(body, other)
    other.transform = [1, 0, 0, 0, 0.204, 0, 0]
    assert env.check_collision(body, other)
    checker.set_geometry_group("self")
    assert not env.check_collision(body, other)
    hulls.add_group()
    assert len(body.links[0].group_geometries("convex")) == 1
    body.use_geometry_group("convex")
    assert env.check_collision(body, other)
    assert body.links[0].geometries[0].mesh.is_convex


def test_a_robot_in_its_group_collides_as_far_as_the_padding_says():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    hulls = ConvexDecomposition(robot, padding=0.02).build()
    assert {one.link for one in hulls.hulls()} == set(range(len(robot.links)))
    hulls.add_group("padded")
    checker = env.collision_checker
    probe = block(env, "probe", (0.01, 0.01, 0.01), (0, 0, 0))
    rng = np.random.default_rng(3)
    counts = [0, 0]
    for _ in range(300):
        robot.dof_values = robot.sample_configurations(1, seed=int(rng.integers(1000)))[
            0
        ]
        x, y, z = robot.links["link4"].transform[:3, 3] + rng.uniform(-0.3, 0.3, 3)
        probe.transform = [1, 0, 0, 0, x, y, z]
        distance = env.distance(robot, probe)
        checker.set_geometry_group("padded")
        hit = env.check_collision(robot, probe)
        checker.set_geometry_group("self")
        counts[0] += distance < 0.02
        counts[1] += hit
        assert hit or distance > 0.02 - 1e-6
        assert not hit or distance < 0.05
    assert 20 < counts[0] <= counts[1] < 280


def test_keys_follow_shapes_and_parameters_alone():
    body = body_of(Box((0.1, 0.2, 0.3)))
    key = ConvexDecomposition(body).key
    body.transform = [1, 0, 0, 0, 1, 2, 3]
    body.links[0].geometries[0].diffuse_color = (1, 0, 0)
    assert ConvexDecomposition(body).key == key
    hulls = ConvexDecomposition(body).build()
    hulls.add_group()
    assert ConvexDecomposition(body).key == key
    assert ConvexDecomposition(body, padding=0.006).key != key
    geometry = body.links[0].geometries[0]
    geometry.edit(shape=Box((0.1, 0.2, 0.31)))
    assert ConvexDecomposition(body).key != key


def test_bodies_without_geometry_have_no_hulls():
    env = pyrave.Environment()
    bare = env.create_body(BodyDescription("bare", links=(LinkDescription("base"),)))
    hulls = ConvexDecomposition(bare).build()
    assert hulls.hulls() == ()
    assert hulls.points_inside(np.zeros((2, 3))).tolist() == [False, False]
    hulls.add_group()
    assert hulls.summary()["hulls"] == 0


def test_wrong_input_is_told():
    body = body_of(Box((0.1, 0.2, 0.3)))
    hulls = ConvexDecomposition(body)
    with pytest.raises(StateError, match=r"call build\(\) or load\(\)"):
        hulls.points_inside(np.zeros((1, 3)))
    hulls.build()
    for name in ("", "self", 3):
        with pytest.raises(ArgumentError, match="expected a name that is not 'self'"):
            hulls.add_group(name)
    with pytest.raises(NotFoundError, match="bse"):
        hulls.hulls("bse")
    with pytest.raises(ArgumentError, match="points"):
        hulls.points_inside([(1, 2)])
    for wrong in ({"padding": -1.0}, {"padding": np.nan}, {"concavity": 0.0},
                  {"whole_above": 0}):  # fmt: skip
        with pytest.raises(SettingError, match=next(iter(wrong))):
            ConvexDecomposition(body, **wrong)
