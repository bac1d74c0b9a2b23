"""Concave meshes in the engine ``mujoco``: what is free is not pushed."""

import dataclasses
import math

import numpy as np
import pytest
from physics_scenes import G, ball, box, box_inertia, chain, floor, run, world

from pyrave.geometry import Mesh, box_mesh, cylinder_mesh, prism_mesh
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Pose,
    TriMesh,
)
from pyrave.spatial import matrix_from_axis_angle

mujoco = pytest.importorskip("mujoco")

U_SHAPE = [
    (-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (0.2, 0.3),
    (0.2, -0.2), (-0.2, -0.2), (-0.2, 0.3), (-0.3, 0.3),
]  # fmt: skip


def shape(name, mesh, at=(0, 0, 0), mass=1.0, **link):
    inertial = box_inertia(mass, (0.1, 0.1, 0.1))
    geometries = (GeometryDescription(TriMesh(MeshData(mesh.vertices, mesh.faces))),)
    base = LinkDescription("base", geometries=geometries, inertial=inertial, **link)
    return BodyDescription(name, links=(base,), pose=Pose(translation=at))


def bowl(segments, radius=0.1, height=0.1, wall=0.01):
    """Return a round vessel that is open above, about z, with its foot at z = 0."""
    profile = [
        (radius, 0.0), (radius, height), (radius - wall, height), (radius - wall, wall)
    ]  # fmt: skip
    angles = 2.0 * math.pi * np.arange(segments) / segments
    rings = [(r * math.cos(a), r * math.sin(a), z) for r, z in profile for a in angles]
    vertices = np.array([*rings, (0, 0, 0), (0, 0, wall)])
    foot, ground = len(vertices) - 2, len(vertices) - 1
    faces = []
    for k in range(segments):
        n = (k + 1) % segments
        for ring in range(len(profile) - 1):
            a, b = ring * segments + k, ring * segments + n
            c, d = a + segments, b + segments
            faces += [(a, b, d), (a, d, c)]
        last = (len(profile) - 1) * segments
        faces += [(foot, n, k), (ground, last + k, last + n)]
    return Mesh(vertices, np.array(faces))


def merged(*parts):
    return Mesh.merge([box_mesh(half).transformed(moved(at)) for half, at in parts])


def moved(at):
    pose = np.eye(4)
    pose[:3, 3] = at
    return pose


def shelf():
    """Return three boards between two sides, which touch each other."""
    boards = [((0.4, 0.15, 0.01), (0, 0, z)) for z in (0.01, 0.31, 0.61)]
    sides = [((0.01, 0.15, 0.31), (x, 0, 0.31)) for x in (-0.41, 0.41)]
    return merged(*boards, *sides)


def room():
    """Return a block of 3 m with a hollow of 2.8 m in it."""
    outer, inner = box_mesh((1.5, 1.5, 1.5)), box_mesh((1.4, 1.4, 1.4))
    faces = np.concatenate((outer.faces, inner.faces[:, ::-1] + len(outer.vertices)))
    return Mesh(np.concatenate((outer.vertices, inner.vertices)), faces)


def tent():
    """Return a wedge of 20 degrees with a slit in its long side."""
    return prism_mesh([(0, 0), (0.5, 0), (0.5, 0.08), (0.3, 0.06), (0.5, 0.18)], 0.4)


MESHES = {
    "u": lambda: prism_mesh(U_SHAPE, 0.4),
    "bowl": lambda: bowl(48),
    "shelf": shelf,
    "room": room,
    "tent": tent,
    "open": lambda: Mesh(U_SURFACE, [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)]),
    "inside out": lambda: Mesh(bowl(24).vertices, bowl(24).faces[:, ::-1]),
}
U_SURFACE = [
    (0, 0, 0), (0.3, 0, 0), (0.3, 0.3, 0), (0, 0.3, 0), (0.3, 0, 0.3), (0.3, 0.3, 0.3)
]  # fmt: skip


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("moves", [False, True])
def test_what_is_free_to_the_checker_touches_nothing(name, moves):
    """And what meets the surface does; what is deep within a thick part need not."""
    rng, mesh = np.random.default_rng(33), MESHES[name]()
    half = 0.5 * np.ptp(mesh.vertices, axis=0)
    size = float(half.max())
    solid = shape("solid", mesh, static=not moves)
    surface = world(shape("surface", Mesh(mesh.vertices, mesh.faces[:, ::-1])))
    probes = (
        box("probe", half=(0.1 * size, 0.06 * size, 0.03 * size)),
        ball("probe", radius=0.07 * size),
    )
    centre = mesh.vertices.min(axis=0) + half
    free = touching = 0
    for probe in probes:
        env = world(solid, probe)
        body, engine = env.bodies["probe"], env.physics_engine
        other = surface.create_body(probe)
        for _ in range(120):
            pose = np.eye(4)
            pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
            pose[:3, 3] = centre + rng.uniform(-1.1, 1.1, 3) * (half + 0.05 * size)
            body.transform = other.transform = pose
            hits = bool(env.check_collision(body))
            model, data = engine.model, engine.data
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_collision(model, data)
            deepest = -min(data.contact.dist.tolist(), default=1.0)
            if not hits:
                free += 1
                assert deepest < 3e-5
            elif surface.check_collision(other):
                touching += 1
                assert deepest > -1e-6
        surface.remove(other)
        assert env.problems == ()
    assert free > 20
    assert touching > 10


@pytest.mark.parametrize("where", ["shelf", "room", "bowl", "u"])
def test_what_stands_in_something_stays(where):
    """It neither sinks nor moves, where the hulls threw it out at 10 m/s."""
    mesh = MESHES[where]()
    heights = {"shelf": 0.32, "room": -1.4, "bowl": 0.01, "u": -0.2}
    half = 0.03
    pose = Pose(tuple(matrix_from_axis_angle((math.pi / 2, 0, 0)).ravel().tolist()))
    solid = shape("solid", mesh, static=True)
    if where == "u":  # which is open along y
        solid = dataclasses.replace(solid, pose=pose)
    env = world(solid, box("thing", (0, 0, heights[where] + half), (half,) * 3))
    body = env.bodies["thing"]
    fastest = 0.0
    for _ in range(100):
        env.step(0.01)
        fastest = max(fastest, np.abs(body.base_velocity).max())
    assert fastest < 5e-3
    np.testing.assert_allclose(
        body.transform[:3, 3], (0, 0, heights[where] + half), atol=1e-4
    )
    assert env.problems == ()


def test_a_vessel_that_moves_goes_over_a_peg_and_holds_a_ball():
    """A bowl stands with a peg through what its hull would fill; then upside down."""
    env = world(
        floor(), shape("bowl", bowl(32), (0, 0, 0.0)), ball("ball", (0, 0, 0.05), 0.03)
    )
    run(env, 1.0)
    assert env.bodies["bowl"].transform[2, 3] == pytest.approx(0.0, abs=1e-4)
    assert env.bodies["ball"].transform[2, 3] == pytest.approx(0.04, abs=5e-4)
    over = world(
        floor(),
        box("peg", (0, 0, 0.04), (0.03, 0.03, 0.04), static=True),
        shape("bowl", bowl(32), (0, 0, 0.1)),
    )
    over.bodies["bowl"].transform = [0, 1, 0, 0, 0, 0, 0.1]
    run(over, 1.0)
    np.testing.assert_allclose(
        over.bodies["bowl"].transform[:3, 3], (0, 0, 0.1), atol=1e-4
    )
    assert over.problems == ()


@pytest.mark.parametrize("has_coacd", [True, False])
def test_many_faces_become_hulls_and_the_pairs_are_named_once(monkeypatch, has_coacd):
    from pyrave_mujoco import reports
    from pyrave_mujoco.geoms import contact_pairs

    found = object() if has_coacd else None
    monkeypatch.setattr(reports, "find_spec", lambda _name: found)
    monkeypatch.setattr(contact_pairs, "MOST_MOVING", 3 * 64)  # 3 a segment, and 2
    env = world(floor(), shape("bowl", bowl(64)), ball("ball", (0, 0, 0.0501), 0.04))
    run(env, 0.1)
    (problem,) = env.problems
    assert problem.code == "hulls-overlap"
    assert "'bowl/base' and 'ball/base'" in problem.message or (
        "'ball/base' and 'bowl/base'" in problem.message
    )
    assert "mm" in problem.message
    assert "concave_meshes='pieces'" in problem.hint
    assert ("pyrave[convex]" in problem.hint) == (not has_coacd)
    env.bodies["ball"].transform = [1, 0, 0, 0, 0, 0, 0.0501]
    env.bodies["ball"].links[0].mass = 2.0  # another model
    run(env, 0.1)
    assert len(env.problems) == 1


def test_hulls_that_touch_where_meshes_do_are_not_named():
    env = world(
        floor(),
        shape("bowl", bowl(32)),
        box("inside", (0, 0, 0.005), (0.02, 0.02, 0.02), kinematic=True),
    )
    engine = env.physics_engine
    engine.change_settings(concave_meshes="hull")
    run(env, 0.05)
    assert env.problems == ()


def test_facets_are_merged_and_cover_the_surface():
    from pyrave_mujoco.geoms.concave import blocks_of
    from pyrave_mujoco.geoms.facets import facets_of

    mesh = prism_mesh(U_SHAPE, 0.4)
    facets = facets_of(mesh)
    assert len(facets) == 8 + 2 * 3, "the two ends are of three convex parts"
    area = sum(
        0.5 * np.linalg.norm(sum(np.cross(a, b) for a, b in ring(one.corners)))
        for one in facets
    )
    assert area == pytest.approx(mesh.area, rel=1e-9)
    assert all(one.depth == pytest.approx(0.05) for one in facets)
    assert sum(one.as_box() is not None for one in facets) >= 8
    assert len(blocks_of(shelf(), "faces", 100).parts) == 5, "boxes as such"
    nearly = cylinder_mesh(0.1, 0.2)
    noisy = nearly.vertices + 1e-8 * np.sin(np.arange(nearly.vertices.size)).reshape(
        nearly.vertices.shape
    )
    assert len(blocks_of(Mesh(noisy, nearly.faces), "faces", 100).parts) == 1


def ring(corners):
    return zip(corners, np.roll(corners, -1, axis=0), strict=True)


def test_copies_of_scenes_with_meshes_go_on_alike():
    env = world(
        shape("bowl", bowl(32), static=True), ball("ball", (0.03, 0.01, 0.2), 0.02)
    )
    run(env, 0.2)
    copy = env.clone()
    for one in (env, copy):
        run(one, 0.3)
    poses = [one.bodies["ball"].transform for one in (env, copy)]
    np.testing.assert_array_equal(*poses)


def channel(**settings):
    """Return where a ball comes to rest that falls into a channel along z."""
    mesh = prism_mesh(U_SHAPE, 0.4)
    env = world(shape("channel", mesh, static=True),
                ball("ball", (0, 0.6, 0)), gravity=(0, -G, 0))  # fmt: skip
    engine = env.physics_engine
    engine.change_settings(**settings)
    run(env, 1.0)
    assert not env.problems
    return env.bodies["ball"].transform[1, 3]


def test_concave_meshes(tmp_path, monkeypatch):
    pytest.importorskip("coacd")
    from pyrave.geometry import convex_decomposition as pieces

    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path))
    assert channel() == pytest.approx(-0.1, abs=2e-4), "as it is"
    assert channel(concave_meshes="hull") == pytest.approx(0.4, abs=2e-3)
    assert channel(concave_meshes="pieces") == pytest.approx(-0.1, abs=5e-3)
    (kept,) = tmp_path.rglob("*.npz")
    # from the disk, without the library
    pieces._known.clear()
    library = pieces.coacd()
    monkeypatch.setattr(library, "run_coacd", None)
    assert channel(concave_meshes="pieces") == pytest.approx(-0.1, abs=5e-3)
    monkeypatch.undo()
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path))
    kept.write_bytes(b"damaged")
    pieces._known.clear()
    assert channel(concave_meshes="pieces") == pytest.approx(-0.1, abs=5e-3)


def nested(**settings):
    """Return a world and a chain in it, the last link in a channel of the first."""
    mesh = prism_mesh(U_SHAPE, 0.4)
    channel = TriMesh(MeshData(mesh.vertices, mesh.faces))
    links = chain(kinds=("hinge", "slider"), axes=((1, 0, 0), (0, -1, 0)), length=0.0)
    shapes = channel, None, Box((0.05, 0.05, 0.05))
    env = world(
        dataclasses.replace(
            links,
            links=tuple(
                dataclasses.replace(
                    link, geometries=() if one is None else (GeometryDescription(one),)
                )
                for link, one in zip(links.links, shapes, strict=True)
            ),
        ),
        gravity=(0, 0, 0),
    )
    engine = env.physics_engine
    engine.change_settings(**settings)
    return env, env.bodies["chain"]


def test_links_whose_hulls_overlap_do_not_push_each_other():
    env, body = nested(concave_meshes="hull")
    assert not body.check_self_collision()
    for _ in range(2):
        run(env, 0.1)
        assert not env.physics_engine.contacts()
        assert np.abs(body.dof_values).max() < 1e-12
        # what the pairs were found from is another object
        body.links[2].set_geometries((GeometryDescription(Box((0.06,) * 3)),))
    body.links[2].set_geometries(
        (GeometryDescription(Box((0.06,) * 3), pose=Pose(translation=(0, 0.5, 0))),)
    )
    body.dof_values = [0, 0.25]
    env.step(0.01)
    assert env.physics_engine.contacts(), "they are apart at zero, and touch again"


@pytest.mark.parametrize("concave", ["faces", "pieces"])
def test_links_touch_where_their_parts_do(concave):
    if concave == "pieces":
        pytest.importorskip("coacd")
    env, body = nested(concave_meshes=concave)
    body.dof_values = [0, 0.1]
    body.dof_velocities = [0, 1.0]
    way = []
    for _ in range(30):
        env.step(0.01)
        way.append(body.dof_values[1])
    assert max(way) == pytest.approx(0.15, abs=0.01), "the floor of it is in the way"
