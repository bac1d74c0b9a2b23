"""Ray casts against Embree, Open3D and MuJoCo in the same run.

    python benchmarks/rays.py [--json] [--open3d-python PYTHON] [--rounds N]

Times of one core are CPU time, which other work on the machine disturbs less than wall
time; all peers take turns. Ratios are medians of the ratios of the turns. All give
distances and ids in numpy: Embree and Open3D of float32 rays that they need no copy of,
pyrave through `RayScene.cast` of float64 ones, and as people call it through
`Environment.raycast`, which gives places and normals, too. Embree, through embreex, and
Open3D cast at the triangles of the primitives.

Kernels are compiled before they are used. Peers that are not installed are left out;
Open3D may live in another interpreter.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import rays_scenes as scenes
from measuring import report

import pyrave
from pyrave.geometry import Mesh, RayInstance, RayScene
from pyrave.geometry.mesh_bvh import _build
from pyrave.geometry.workers import core_count
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

RANGE = 1000.0
FOLDER = Path(__file__).parent

# (scene, rays, peer): largest ratio of our time per ray to the peer's
TARGETS = {
    ("primitives", "laser", "embree"): 0.4,
    ("primitives", "camera", "embree"): 0.4,
    ("primitives", "laser", "mujoco"): 0.15,
    ("primitives", "camera", "mujoco"): 0.15,
    ("mesh", "laser", "embree"): 0.5,
    ("mesh", "camera", "embree"): 0.45,
    ("mesh", "laser", "open3d"): 0.5,
    ("mesh", "camera", "open3d"): 0.45,
    ("mesh", "random", "embree"): 0.95,
    ("mesh", "random", "open3d"): 0.95,
}


class Open3D:
    """Open3D in a process of its own, asked line by line."""

    def __init__(self, python):
        self.process = subprocess.Popen(
            [python, str(FOLDER / "rays_open3d.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.version = self.process.stdout.readline().strip()

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def load(self, triangles, bundles):
        rays = {}
        for name, (origins, directions) in bundles.items():
            flat = directions.reshape(-1, 3)
            both = np.concatenate((np.broadcast_to(origins, flat.shape), flat), axis=1)
            rays[name] = both.astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scene.npz"
            np.savez(
                path,
                vertices=triangles.reshape(-1, 3).astype(np.float32),
                faces=np.arange(3 * len(triangles), dtype=np.uint32).reshape(-1, 3),
                **rays,
            )
            self.ask("load", path)


def clocked(function, repeat):
    begin = time.process_time()
    for _ in range(repeat):
        function()
    return time.process_time() - begin


def embree_case(triangles, origins, directions):
    try:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene
    except ImportError:
        return None
    scene = EmbreeScene()
    mesh = TriangleMesh(scene, triangles.astype(np.float32))
    flat = directions.reshape(-1, 3)
    o = np.ascontiguousarray(np.broadcast_to(origins, flat.shape), np.float32)
    d = flat.astype(np.float32)

    def run(_keep=mesh):
        return scene.run(o, d, output=True)

    return run


def mujoco_case(items, origins, directions):
    try:
        import mujoco
    except ImportError:
        return None
    spec = mujoco.MjSpec()
    kinds = {
        Box: (mujoco.mjtGeom.mjGEOM_BOX, lambda s: s.half_extents),
        Sphere: (mujoco.mjtGeom.mjGEOM_SPHERE, lambda s: (s.radius, 0, 0)),
        Cylinder: (
            mujoco.mjtGeom.mjGEOM_CYLINDER,
            lambda s: (s.radius, s.height / 2, 0),
        ),
    }
    for item in items:
        kind, size = kinds[type(item.solid)]
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.asarray(item.T_world)[:3, :3].flatten())
        spec.worldbody.add_geom(
            type=kind, size=size(item.solid), pos=item.T_world[:3, 3], quat=quat
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    flat = directions.reshape(-1, 3)
    n = len(flat)
    vec = flat.ravel().copy()
    ids, distance, normal = np.zeros(n, np.int32), np.zeros(n), None
    start = np.array(origins, dtype=np.float64)

    def run():
        try:
            mujoco.mj_multiRay(
                model, data, start, vec, None, 1, -1, ids, distance, normal, n, RANGE
            )
        except TypeError:  # before MuJoCo 3.4 there were no normals
            mujoco.mj_multiRay(
                model, data, start, vec, None, 1, -1, ids, distance, n, RANGE
            )
        return distance, ids

    return run


def environment_of(items):
    """Return an environment that has each instance as a body."""
    env = pyrave.Environment()
    for number, item in enumerate(items):
        shape = item.solid
        if isinstance(shape, Mesh):
            shape = TriMesh(MeshData(shape.vertices, shape.faces))
        link = LinkDescription("base", geometries=(GeometryDescription(shape),))
        pose = Pose.from_matrix(item.T_world)
        env.create_body(BodyDescription(f"body{number}", links=(link,), pose=pose))
    return env


def compare(name, items, peers_of, rounds, open3d):
    """Return the rows of one scene."""
    scene, env = RayScene(items), environment_of(items)
    triangles = scenes.triangles_of(items)
    bundles = {key: make() for key, make in scenes.BUNDLES.items()}
    if open3d:
        open3d.load(triangles, bundles)
    rows = []
    for rays, (origins, directions) in bundles.items():
        n = directions.reshape(-1, 3).shape[0]
        repeat = max(50_000 // n, 1)

        def ours(o=origins, d=directions):
            return scene.cast(o, d, RANGE, fields=(), threads=1)

        def called(o=origins, d=directions):
            return env.raycast(o, d, threads=1)

        cases = {
            "pyrave": lambda r=repeat, f=ours: clocked(f, r),
            "raycast": lambda r=repeat, f=called: clocked(f, r),
        }
        for peer, make in peers_of(triangles, items, origins, directions).items():
            if make is not None:
                cases[peer] = lambda r=repeat, f=make: clocked(f, r)
        if open3d:
            cases["open3d"] = lambda r=repeat, k=rays: open3d.ask("cast", k, r)
        times = {peer: [] for peer in cases}
        for turn in range(rounds + 1):
            for peer, case in cases.items():
                seconds = case()
                if turn:
                    times[peer].append(seconds / repeat / n * 1e9)
        for peer, values in times.items():
            if peer in {"pyrave", "raycast"}:
                continue
            ratio, called_ratio = (
                statistics.median(
                    a / b for a, b in zip(times[own], values, strict=True)
                )
                for own in ("pyrave", "raycast")
            )
            rows.append(
                {
                    "case": f"{name}/{rays}",
                    "peer": peer,
                    "ours_ns": statistics.median(times["pyrave"]),
                    "called_ns": statistics.median(times["raycast"]),
                    "peer_ns": statistics.median(values),
                    "ratio": ratio,
                    "called_ratio": called_ratio,
                    "target": TARGETS.get((name, rays, peer)),
                }
            )
    return rows


def mesh_peers(triangles, _items, origins, directions):
    return {"embree": embree_case(triangles, origins, directions)}


def primitive_peers(triangles, items, origins, directions):
    peers = mesh_peers(triangles, items, origins, directions)
    if np.ndim(origins) == 1:
        peers["mujoco"] = mujoco_case(items, origins, directions)
    return peers


def builds(rounds, open3d):
    """Return the times to build the trees of meshes."""
    mesh = scenes.mesh_scene()
    big = scenes.mesh_scene(1_000_000)
    rows = []
    if open3d:
        open3d.load(mesh.triangles(), {})
    ours, theirs = [], []
    for turn in range(rounds + 1):
        seconds = clocked(lambda: _build(Mesh(mesh.vertices, mesh.faces)), 1)
        other = open3d.ask("build") if open3d else float("nan")
        if turn:
            ours.append(seconds)
            theirs.append(other)
    if open3d:
        rows.append(
            {
                "case": f"build of {len(mesh.faces)} triangles",
                "peer": "open3d",
                "ours_ms": 1e3 * statistics.median(ours),
                "peer_ms": 1e3 * statistics.median(theirs),
                "ratio": statistics.median(
                    a / b for a, b in zip(ours, theirs, strict=True)
                ),
                "target": 0.75,
            }
        )
    seconds = statistics.median(clocked(lambda: _build(big), 1) for _ in range(3))
    rows.append(
        {"case": f"build of {len(big.faces)} triangles", "s": seconds, "target_s": 1.0}
    )
    return rows


def refit(rounds):
    """Return the time to move 50 bodies and to refit the tree."""
    items = scenes.primitives()
    scene = RayScene(items)
    ray = (np.array((0.0, 0.0, 9.0)), np.array([[0.0, 0.0, -1.0]]))
    scene.cast(*ray, RANGE, fields=())
    rng = np.random.default_rng(0)
    which = np.arange(50)
    poses = scene.poses

    def move():
        poses[:, :3, 3] += rng.uniform(-0.01, 0.01, (50, 3))
        scene.set_poses(which, poses)
        scene.cast(*ray, RANGE, fields=())

    bare = statistics.median(clocked(move, 20) / 20 for _ in range(rounds))
    return [{"case": "refit after moving 50 instances", "s": bare, "target_s": 1e-3}]


def threads(rounds):
    """Return how much quicker two cores are than one, in wall time."""
    mesh = RayScene([RayInstance(scenes.mesh_scene())])
    rows = []
    for name, bundle in (
        ("camera", scenes.camera()),
        ("random", scenes.random_rays(300_000)),
    ):
        walls = {1: [], 2: []}
        for _ in range(rounds):
            for count, seconds in walls.items():
                begin = time.perf_counter()
                mesh.cast(*bundle, RANGE, fields=(), threads=count)
                seconds.append(time.perf_counter() - begin)
        gain = min(walls[1]) / min(walls[2])
        rows.append({"case": f"two cores, {name}", "gain": gain, "target_gain": 1.6})
    return rows


def verdict(row):
    for value, target, better in (
        ("ratio", "target", lambda a, b: a <= b),
        ("s", "target_s", lambda a, b: a <= b),
        ("gain", "target_gain", lambda a, b: a >= b),
    ):
        if row.get(target) is not None:
            return "met" if better(row[value], row[target]) else "MISSED"
    return ""


def line(row):
    if "gain" in row:
        return f"{row['case']:34} {row['gain']:.2f}x, target {row['target_gain']}x"
    if "s" in row:
        return (
            f"{row['case']:34} {1e3 * row['s']:.3f} ms, target "
            f"{1e3 * row['target_s']:g} ms"
        )
    unit = "ns" if "ours_ns" in row else "ms"
    target = "" if row["target"] is None else f", target {row['target']}"
    return (
        f"{row['case']:34} {row['ours_' + unit]:8.1f} {unit}, {row['peer']:7} "
        f"{row['peer_' + unit]:8.1f} {unit}, ratio {row['ratio']:.2f}{target}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--open3d-python", help="interpreter that has Open3D")
    options = parser.parse_args()
    # kernels without vectors, and those that are interpreted, are not what is measured
    os.environ["PYRAVE_COMPILE"] = "foreground"
    open3d = Open3D(options.open3d_python) if options.open3d_python else None
    if open3d is None:
        try:
            import open3d as _  # noqa: F401

            open3d = Open3D(sys.executable)
        except ImportError:
            pass
    mesh = [RayInstance(scenes.mesh_scene())]
    rows = [
        *compare(
            "primitives", scenes.primitives(), primitive_peers, options.rounds, None
        ),
        *compare("mesh", mesh, mesh_peers, options.rounds, open3d),
        *builds(options.rounds, open3d),
        *refit(options.rounds),
        *(threads(options.rounds) if core_count() > 1 else ()),
    ]
    for row in rows:
        row["verdict"] = verdict(row)
    if options.json:
        report("rays", rows=rows)
        return
    for row in rows:
        print(f"{line(row)}  {row['verdict']}")


if __name__ == "__main__":
    main()
