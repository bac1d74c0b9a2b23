"""Collision checks against MuJoCo, Pinocchio with coal, and python-fcl.

A seven-joint arm whose links are convex hulls of 40 points, 50 spheres, boxes and
cylinders around it; the same geometry in all libraries, whose answers are compared
first. One core, another configuration with every call, medians of interleaved samples.

* One configuration in, the answer out, poses of the links included: joint values are
  set and ``env.check_collision(robot)`` is asked; the same through
  ``check_configurations`` with one row; and the compiled form with poses from
  `pyrave.kinematics.link_transforms`. Target: <= 0.35x MuJoCo.
* Batch: ``check_configurations``, per configuration. Target: <= 0.22x MuJoCo.
* Self-collision, one configuration. Target: <= 0.6x MuJoCo.
* Smallest distance of the arm and the obstacles. Target: <= 0.06x python-fcl.
* Links of 5000 triangles that are not convex. Target: <= 0.3x Pinocchio.
* The checker ``coal`` against the same loop written with coal's own objects and broad
  phase. Target: <= 1.2x.
* The arm as 49 spheres: its time beside MuJoCo's for hulls. VAMP, which has no wheels,
  took 0.22x of that on the machine of the reference figures; target: <= 2x VAMP.
* Worlds of 10 to 10 000 bodies, one of which moves: a query's cost.

``pip install pyrave[bench]`` installs the peers; python-fcl may be missing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from measuring import each, interleaved, pin_to_one_core, report
from robots import LIMIT, arm7

import pyrave
from pyrave import kinematics
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

CALLS = 200
ROUNDS = 15
POINTS = 40


def hulls(robot: Any, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return points around each link of an arm, whose hull is its geometry."""
    ends = {part.parent: np.array(part.xyz) for part in robot.parts if part.parent}
    found = {}
    for part in robot.parts:
        end = ends.get(part.name, np.zeros(3))
        along = rng.uniform(0.0, 1.0, (POINTS, 1)) * end
        way = rng.normal(size=(POINTS, 3))
        way /= np.linalg.norm(way, axis=1)[:, None]
        found[part.name] = along + 0.06 * way
    return {name: found[name] for name in [p.name for p in robot.moving]}


def obstacles(
    rng: np.random.Generator, count: int = 50
) -> list[tuple[str, Any, Any, Any]]:
    """Return kind, sizes, position and quaternion (w x y z) of primitives."""
    made = []
    while len(made) < count:
        place = rng.uniform((-0.9, -0.9, -0.2), (0.9, 0.9, 1.2))
        if np.linalg.norm(place[:2]) < 0.25:
            continue
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        kind = ("sphere", "box", "cylinder")[len(made) % 3]
        sizes = rng.uniform(0.03, 0.1, 3)
        made.append((kind, sizes, place, turn))
    return made


def mesh_of(points: np.ndarray) -> MeshData:
    """Return the hull of points."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    for k, (face, plane) in enumerate(zip(faces, hull.equations, strict=True)):
        a, b, c = points[face]
        if np.cross(b - a, c - a) @ plane[:3] < 0:
            faces[k] = face[::-1]
    kept, numbers = np.unique(faces, return_inverse=True)
    return MeshData(points[kept], numbers.reshape(-1, 3))


def scene(robot: Any, shapes: dict[str, MeshData], things: list[Any]) -> Any:
    """Return an environment with the arm and the obstacles."""
    from dataclasses import replace

    env = pyrave.Environment()
    known = robot.description()
    links = tuple(
        replace(link, geometries=(GeometryDescription(TriMesh(shapes[link.name])),))
        if link.name in shapes
        else link
        for link in known.links
    )
    made = env.create("robot", "")
    made.init(replace(known, links=links))
    env.add(made)
    for k, (kind, sizes, place, turn) in enumerate(things):
        a, b, c = sizes.tolist()
        shape = {
            "sphere": Sphere(a),
            "box": Box((a, b, c)),
            "cylinder": Cylinder(a, 2 * b),
        }[kind]
        link = LinkDescription("base", geometries=(GeometryDescription(shape),))
        pose = Pose.from_quaternion(tuple(turn.tolist()), tuple(place.tolist()))
        env.create_body(BodyDescription(f"thing{k}", links=(link,), pose=pose))
    return env, made


def mujoco_model(robot: Any, shapes: dict[str, MeshData], things: list[Any]) -> Any:
    """Return MuJoCo's model; the arm's solids meet obstacles, not each other."""
    spec = mujoco.MjSpec.from_string(robot.mjcf())
    for name, mesh in shapes.items():
        made = spec.add_mesh()
        made.name = name
        made.uservert = np.asarray(mesh.vertices, np.float32).ravel()
        body = spec.body(name)
        geom = body.add_geom()
        geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, name
        geom.contype, geom.conaffinity = 1, 2
    for kind, sizes, place, turn in things:
        geom = spec.worldbody.add_geom()
        geom.type = {
            "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
            "box": mujoco.mjtGeom.mjGEOM_BOX,
            "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
        }[kind]
        geom.size, geom.pos, geom.quat = sizes, place, turn
        geom.contype, geom.conaffinity = 2, 1
    return spec.compile()


def primitive(library: Any, kind: str, sizes: list[float]) -> Any:
    """Return a primitive of coal or fcl, which name them alike."""
    a, b, c = sizes
    if kind == "sphere":
        return library.Sphere(a)
    if kind == "box":
        return library.Box(2 * a, 2 * b, 2 * c)
    return library.Cylinder(a, 2 * b)


def pinocchio_check(
    robot: Any, shapes: dict[str, MeshData], things: list[Any], *, convex: bool
) -> Callable[[np.ndarray], bool]:
    """Return a check by Pinocchio and coal's broad phase."""
    import coal
    import pinocchio

    model = pinocchio.buildModelFromXML(robot.urdf())
    solids, shapes_of_coal = pinocchio.GeometryModel(), []
    for name, mesh in shapes.items():
        shapes_of_coal.append(shape := coal.BVHModelOBBRSS())
        shape.beginModel(len(mesh.faces), len(mesh.vertices))
        shape.addVertices(np.asarray(mesh.vertices))
        shape.addTriangles(np.asarray(mesh.faces))
        shape.endModel()
        if convex:
            shape.buildConvexRepresentation(False)
            shape = shape.convex
        frame = model.getFrameId(name)
        parent = model.frames[frame].parentJoint
        solids.addGeometryObject(
            pinocchio.GeometryObject(
                name, parent, frame, model.frames[frame].placement, shape
            )
        )
    for k, (kind, sizes, place, turn) in enumerate(things):
        shape = primitive(coal, kind, sizes.tolist())
        pose = pinocchio.SE3(
            pinocchio.Quaternion(turn[0], *turn[1:]).toRotationMatrix(), place
        )
        number = solids.addGeometryObject(
            pinocchio.GeometryObject(f"thing{k}", 0, 0, pose, shape)
        )
        for own in range(len(shapes)):
            solids.addCollisionPair(pinocchio.CollisionPair(own, number))
    data, found = model.createData(), pinocchio.GeometryData(solids)
    manager = pinocchio.BroadPhaseManager_DynamicAABBTreeCollisionManager(
        model, solids, found
    )
    # the manager refers to these, which nobody else keeps
    kept = (solids, found, shapes_of_coal)

    def check(q: np.ndarray, _kept: Any = kept) -> bool:
        return bool(pinocchio.computeCollisions(model, data, manager, q, True))

    return check


def fcl_distance(
    robot: Any, shapes: dict[str, MeshData], things: list[Any]
) -> Callable[[np.ndarray], float] | None:
    """Return the smallest distance by python-fcl; None without it."""
    try:
        import fcl
    except ImportError:
        return None
    from pyrave.spatial import matrix_from_quat

    def transform(rotation: np.ndarray, place: np.ndarray) -> Any:
        return fcl.Transform(rotation, place)

    links = []
    for mesh in shapes.values():
        faces = np.column_stack((np.full(len(mesh.faces), 3), mesh.faces)).ravel()
        hull = fcl.Convex(np.asarray(mesh.vertices), len(mesh.faces), faces)
        links.append(fcl.CollisionObject(hull, fcl.Transform()))
    others = []
    for kind, sizes, place, turn in things:
        shape = primitive(fcl, kind, sizes.tolist())
        rotation = matrix_from_quat(turn)[:3, :3]
        others.append(fcl.CollisionObject(shape, transform(rotation, place)))
    still, moving = (fcl.DynamicAABBTreeCollisionManager() for _ in range(2))
    still.registerObjects(others)
    moving.registerObjects(links)
    still.setup()
    moving.setup()
    model = kinematics.compile_body(robot.description())
    rows = [model.link_names.index(name) for name in shapes]
    poses = np.empty((model.n_links, 4, 4))
    base = np.eye(4)

    def measure(q: np.ndarray) -> float:
        kinematics.link_transforms(model, base, q, poses)
        for link, row in zip(links, rows, strict=True):
            link.setTransform(transform(poses[row, :3, :3], poses[row, :3, 3]))
        moving.update()
        data = fcl.DistanceData()
        moving.distance(still, data, fcl.defaultDistanceCallback)
        return float(data.result.min_distance)

    return measure


def coal_check(
    robot: Any, shapes: dict[str, MeshData], things: list[Any]
) -> Callable[[np.ndarray], bool]:
    """Return a check by coal's own objects and managers."""
    import coal

    from pyrave.spatial import matrix_from_quat

    arm, others = (coal.DynamicAABBTreeCollisionManager() for _ in range(2))
    kept: list[Any] = []
    for kind, sizes, place, turn in things:
        shape = primitive(coal, kind, sizes.tolist())
        rotation = matrix_from_quat(turn)[:3, :3]
        kept.append((shape, made := coal.CollisionObject(shape, rotation, place)))
        others.registerObject(made)
    links = []
    for mesh in shapes.values():
        points = coal.StdVec_Vec3s()
        for vertex in np.asarray(mesh.vertices):
            points.append(vertex)
        hull = coal.Convex.convexHull(points, False, "")
        links.append(coal.CollisionObject(hull))
        kept.append((points, hull))
        arm.registerObject(links[-1])
    arm.setup()
    others.setup()
    model = kinematics.compile_body(robot.description())
    rows = [model.link_names.index(name) for name in shapes]
    poses = np.empty((model.n_links, 4, 4))
    base = np.eye(4)

    def check(q: np.ndarray, _kept: Any = kept) -> bool:
        kinematics.link_transforms(model, base, q, poses)
        for link, row in zip(links, rows, strict=True):
            turned = np.ascontiguousarray(poses[row, :3, :3])
            link.setTransform(coal.Transform3s(turned, poses[row, :3, 3]))
            link.computeAABB()
        arm.update()
        asked = coal.CollisionCallBackDefault()
        arm.collide(others, asked)
        return bool(asked.data.result.isCollision())

    return check


def of_spheres(robot: Any, things: list[Any]) -> tuple[Any, Any]:
    """Return an environment and the arm, whose links are seven spheres each."""
    from dataclasses import replace

    ends = {part.parent: np.array(part.xyz) for part in robot.parts if part.parent}
    env, made = scene(robot, {}, things)
    env.remove(made)
    known = robot.description()
    names = {part.name for part in robot.moving}
    places = {
        n: np.linspace(0, 1, 7)[:, None] * ends.get(n, np.zeros(3)) for n in names
    }
    links = [
        replace(
            link,
            geometries=tuple(
                GeometryDescription(Sphere(0.06), pose=Pose(translation=tuple(p)))
                for p in places.get(link.name, np.empty((0, 3))).tolist()
            ),
        )
        for link in known.links
    ]
    made = env.create("robot", "")
    made.init(replace(known, links=tuple(links)))
    env.add(made)
    return env, made


def uneven(points: np.ndarray, count: int, rng: np.random.Generator) -> MeshData:
    """Return a mesh of many triangles around points that is not convex."""
    centre = points.mean(axis=0)
    around = np.arange(count // 2)
    height = 1.0 - 2.0 * (around + 0.5) / len(around)
    turn = np.pi * (1.0 + 5**0.5) * around
    ways = np.stack(
        (
            np.sqrt(1.0 - height**2) * np.cos(turn),
            np.sqrt(1.0 - height**2) * np.sin(turn),
            height,
        ),
        axis=1,
    )
    faces = np.asarray(mesh_of(ways).faces)
    reach = np.abs((points - centre) @ ways.T).max(axis=0)
    dents = 1.0 - 0.05 * rng.uniform(size=len(ways))
    return MeshData(centre + (reach * dents)[:, None] * ways, faces)


def crowds(rng: np.random.Generator) -> dict[str, float]:
    """Return microseconds of a query about one of many bodies, which moves."""
    found = {}
    for count in (10, 100, 1000, 10_000):
        env = pyrave.Environment()
        size = 0.6 * count ** (1.0 / 3.0)
        for k, place in enumerate(rng.uniform(-size, size, (count, 3))):
            link = LinkDescription(
                "base", geometries=(GeometryDescription(Box((0.1, 0.1, 0.1))),)
            )
            pose = Pose(translation=tuple(place.tolist()))
            env.create_body(BodyDescription(f"box{k}", links=(link,), pose=pose))
        box = env.bodies["box0"]
        pose = np.eye(4)
        places = rng.uniform(-size, size, (CALLS, 3))

        def move_and_ask(
            env: Any = env, box: Any = box, pose: Any = pose, places: Any = places
        ) -> None:
            for place in places:
                pose[:3, 3] = place
                box.transform = pose
                env.check_collision(box)

        measured = interleaved({"query": move_and_ask}, 7, 2)
        found[str(count)] = round(measured["query"]["median_s"] / CALLS * 1e6, 2)
    return found


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    pin_to_one_core()
    rng = np.random.default_rng(1)
    robot = arm7()
    points = hulls(robot, rng)
    shapes = {name: mesh_of(one) for name, one in points.items()}
    things = obstacles(rng)
    env, arm = scene(robot, shapes, things)
    checker = env.collision_checker
    model = mujoco_model(robot, shapes, things)
    data = mujoco.MjData(model)
    rows = rng.uniform(-LIMIT, LIMIT, (CALLS, arm.dof))

    def by_mujoco(q: np.ndarray) -> bool:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        return data.ncon > 0

    def by_environment(q: np.ndarray) -> bool:
        arm.dof_values = q
        return env.check_collision(arm)

    def by_row(q: np.ndarray) -> bool:
        return bool(checker.check_configurations(arm, q[None], self_collision=False)[0])

    compiled = checker.compiled(arm, self_collision=False)
    within = checker.compiled(arm, environment=False)
    poses = np.empty((len(arm.links), 4, 4))
    base = np.eye(4)

    def by_compiled(q: np.ndarray) -> bool:
        kinematics.link_transforms(arm.model, base, q, poses)
        return compiled(poses)

    def by_self(q: np.ndarray) -> bool:
        kinematics.link_transforms(arm.model, base, q, poses)
        return within(poses)

    def by_query() -> None:
        for _ in range(CALLS):
            env.check_collision(arm)

    def by_kernel() -> None:
        for _ in range(CALLS):
            compiled(poses)

    answers = {
        name: [one(q) for q in rows]
        for name, one in {
            "mujoco": by_mujoco,
            "environment": by_environment,
            "row": by_row,
            "compiled": by_compiled,
        }.items()
    }
    batch = checker.check_configurations(arm, rows, self_collision=False)
    answers["batch"] = batch.tolist()
    different = {
        name: int(np.sum(np.array(one) != np.array(answers["mujoco"])))
        for name, one in answers.items()
    }
    by_pinocchio = pinocchio_check(robot, shapes, things, convex=True)
    dense = {name: uneven(one, 2504, rng) for name, one in points.items()}
    its_env, its_arm = scene(robot, dense, things)
    of_meshes = its_env.collision_checker.compiled(its_arm, self_collision=False)
    meshes_by_pinocchio = pinocchio_check(robot, dense, things, convex=False)

    def by_meshes(q: np.ndarray) -> bool:
        kinematics.link_transforms(its_arm.model, base, q, poses)
        return of_meshes(poses)

    def by_meshes_query(q: np.ndarray) -> bool:
        its_arm.dof_values = q
        return its_env.check_collision(its_arm)

    def by_distance(q: np.ndarray) -> float:
        return float(checker.distances(arm, q[None], self_collision=False)[0])

    asking_coal, arm_of_coal = scene(robot, shapes, things)
    asking_coal.collision_checker = "coal"

    def by_coal(q: np.ndarray) -> bool:
        arm_of_coal.dof_values = q
        return asking_coal.check_collision(arm_of_coal)

    coal_alone = coal_check(robot, shapes, things)
    round_env, round_arm = of_spheres(robot, things)
    of_balls = round_env.collision_checker.compiled(round_arm, self_collision=False)

    def by_spheres(q: np.ndarray) -> bool:
        kinematics.link_transforms(round_arm.model, base, q, poses)
        return of_balls(poses)

    distance_by_fcl = fcl_distance(robot, shapes, things)
    different["pinocchio"] = sum(
        by_pinocchio(q) != one for q, one in zip(rows, answers["mujoco"], strict=True)
    )
    for name, other in (("coal", by_coal), ("coal alone", coal_alone)):
        different[name] = sum(
            other(q) != one for q, one in zip(rows, answers["mujoco"], strict=True)
        )
    different["meshes, of pinocchio's"] = sum(
        by_meshes(q) != meshes_by_pinocchio(q) for q in rows
    )
    extra: dict[str, Callable[[], Any]] = {}
    if distance_by_fcl is not None:
        extra["distance/fcl"] = each(distance_by_fcl, rows)
        apart = [q for q, hit in zip(rows, answers["mujoco"], strict=True) if not hit]
        different["largest distance off fcl's"] = max(
            abs(by_distance(q) - distance_by_fcl(q)) for q in apart
        )
    cases: dict[str, Callable[[], Any]] = {
        "one/pinocchio": each(by_pinocchio, rows),
        "coal/pyrave": each(by_coal, rows),
        "coal/alone": each(coal_alone, rows),
        "spheres/compiled": each(by_spheres, rows),
        "meshes/compiled": each(by_meshes, rows),
        "meshes/environment": each(by_meshes_query, rows),
        "meshes/pinocchio": each(meshes_by_pinocchio, rows),
        "distance/row": each(by_distance, rows),
        "distance/batch": lambda: checker.distances(arm, rows, self_collision=False),
        **extra,
        "one/mujoco": each(by_mujoco, rows),
        "one/environment": each(by_environment, rows),
        "one/row": each(by_row, rows),
        "one/compiled": each(by_compiled, rows),
        "self/compiled": each(by_self, rows),
        "query/env.check_collision": by_query,
        "query/kernel": by_kernel,
        "batch/pyrave": lambda: checker.check_configurations(
            arm, rows, self_collision=False
        ),
    }
    # kernels that are cheap to interpret are compiled after some thousand calls
    measured = interleaved(cases, rounds, 40)
    times = {name: one["cpu_median_s"] / CALLS * 1e6 for name, one in measured.items()}
    ratios = {
        "one/environment": ("one/environment", "one/mujoco"),
        "one/row": ("one/row", "one/mujoco"),
        "one/compiled": ("one/compiled", "one/mujoco"),
        "batch": ("batch/pyrave", "one/mujoco"),
        "self": ("self/compiled", "one/mujoco"),
        "coal": ("coal/pyrave", "coal/alone"),
        "spheres": ("spheres/compiled", "one/mujoco"),
        "meshes": ("meshes/compiled", "meshes/pinocchio"),
        "distance": ("distance/row", "distance/fcl"),
        "distance, batch": ("distance/batch", "distance/fcl"),
        "query to kernel": ("query/env.check_collision", "query/kernel"),
    }
    report(
        "collision",
        microseconds={name: round(value, 2) for name, value in times.items()},
        ratios={
            name: round(times[one] / times[other], 3)
            for name, (one, other) in ratios.items()
            if other in times
        },
        crowds=crowds(rng),
        different_from_mujoco=different,
        colliding=float(np.mean(answers["mujoco"])),
    )


if __name__ == "__main__":
    main()
