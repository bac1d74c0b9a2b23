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
* Worlds of 10 to 10 000 bodies, one of which moves: a query's cost.

``pip install pyrave[bench]`` installs the peers but for python-fcl, whose row is left
out without it.
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
from pyrave.spatial import matrix_from_quat

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
    cases: dict[str, Callable[[], Any]] = {
        "one/mujoco": each(by_mujoco, rows),
        "one/environment": each(by_environment, rows),
        "one/row": each(by_row, rows),
        "one/compiled": each(by_compiled, rows),
        "self/compiled": each(by_self, rows),
        "query/env.check_collision": by_query,
        "batch/pyrave": lambda: checker.check_configurations(
            arm, rows, self_collision=False
        ),
    }
    measured = interleaved(cases, rounds)
    times = {name: one["median_s"] / CALLS * 1e6 for name, one in measured.items()}
    peer = times["one/mujoco"]
    report(
        "collision",
        microseconds={name: round(value, 2) for name, value in times.items()},
        to_mujoco={name: round(value / peer, 3) for name, value in times.items()},
        different_from_mujoco=different,
        colliding=float(np.mean(answers["mujoco"])),
    )


if __name__ == "__main__":
    main()
