"""Random rays against Embree: distances, and each difference of hit and miss decided.

    python benchmarks/rays_correctness.py [--rays N] [--seed S]

Ten scenes of primitives, meshes of 100 000 and 1 000 000 triangles, degenerate
triangles, rays along edges and rays in planes get N / 10 rays each (10 million in all
if not told otherwise). Embree, through embreex, casts at triangles in float32.

* Where both hit, distances are equal to 1e-5 relative, or to what float32 makes of the
  coordinates. Else, and where one hits and the other does not, rational numbers decide:
  the ray, as float64 has it, against the triangles, as float64 has them. Ours must be
  right, or the ray within 1e-6 of an edge.
* Hits of primitives lie on their surfaces to 1e-12 of the ray's length.

Ends with status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction

import numpy as np
import rays_scenes as scenes

from pyrave.geometry import Mesh, RayInstance, RayScene, box_mesh, sphere_mesh

RANGE = 1000.0
NEAR_EDGE = 1e-6
PART = 250_000


def exact_hit(triangle, origin, direction):
    """Return t * |direction| and distance to the nearest edge, in rational numbers.

    None is a miss. The edge's distance is relative to the triangle: the least weight.
    """
    a, b, c = ([Fraction(float(x)) for x in corner] for corner in triangle)
    o = [Fraction(float(x)) for x in origin]
    d = [Fraction(float(x)) for x in direction]
    p, q, r = ([x - y for x, y in zip(corner, o, strict=True)] for corner in (a, b, c))
    u, v, w = det(d, q, r), det(d, r, p), det(d, p, q)
    total = u + v + w
    if total == 0:
        return None, 0.0
    weights = (u / total, v / total, w / total)
    t = det(p, q, r) / total
    edge = float(min(weights))
    return (float(t) if edge >= 0 and t >= 0 else None), abs(edge)


def det(x, y, z):
    return (
        x[0] * (y[1] * z[2] - y[2] * z[1])
        - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
    )


def nearest_exactly(triangles, boxes, origin, direction):
    """Return the nearest distance over all triangles, and how near an edge is."""
    unit = direction / np.sqrt(direction @ direction)
    with np.errstate(divide="ignore", invalid="ignore"):
        t0, t1 = (boxes[0] - 1e-6 - origin) / unit, (boxes[1] + 1e-6 - origin) / unit
    near = np.nanmax(np.minimum(t0, t1), axis=1)
    far = np.nanmin(np.maximum(t0, t1), axis=1)
    best, edge = np.inf, 1.0
    for k in np.flatnonzero((near <= far) & (far >= 0.0)):
        t, to_edge = exact_hit(triangles[k], origin, unit)
        edge = min(edge, to_edge)
        if t is not None:
            best = min(best, t)
    return best, edge


def rays_for(kind, triangles, count, rng):
    """Return origins and directions, some of them hard."""
    lo, hi = triangles.min(axis=(0, 1)) - 0.5, triangles.max(axis=(0, 1)) + 0.5
    origins = rng.uniform(lo, hi, (count, 3))
    directions = rng.normal(size=(count, 3))
    which = rng.integers(len(triangles), size=count)
    side = rng.integers(3, size=count)
    a, b = triangles[which, side], triangles[which, (side + 1) % 3]
    if kind == "edges":
        part = rng.choice((0.0, 0.25, 0.5, 1.0), (count, 1))
        directions = a + part * (b - a) - origins
    elif kind == "planes":
        origins = a + rng.uniform(-1.0, 2.0, (count, 1)) * (b - a)
        inside = triangles[which].mean(axis=1)
        directions = inside - origins
    # Embree sees float32: so do we, and differences are not those of the rays
    origins, directions = origins.astype(np.float32), directions.astype(np.float32)
    length = np.sqrt((directions.astype(np.float64) ** 2).sum(axis=1))
    keep = length > 1e-3
    return origins[keep].astype(np.float64), directions[keep].astype(np.float64)


def as_float32(mesh):
    return Mesh(mesh.vertices.astype(np.float32).astype(np.float64), mesh.faces)


def degenerate(rng):
    """Return a box with points, lines and slivers among its triangles."""
    box = box_mesh((1.0, 1.0, 1.0))
    corners = rng.uniform(-1.5, 1.5, (500, 3, 3))
    corners[:100, 1] = corners[:100, 0]
    corners[100:200, 1:] = corners[100:200, :1]
    corners[200:300, 2] = 0.5 * (corners[200:300, 0] + corners[200:300, 1])
    corners[300:, 2] = corners[300:, 1] + 1e-5 * rng.normal(size=(200, 3))
    more = Mesh(corners.reshape(-1, 3), np.arange(1500).reshape(500, 3))
    return Mesh.merge([box, more])


def mesh_scenes(rng):
    hundred, million = scenes.mesh_scene(), scenes.mesh_scene(1_000_000)
    round_one = sphere_mesh(1.0, 48)
    soup = rng.normal(size=(3000, 1, 3)) + 0.3 * rng.normal(size=(3000, 3, 3))
    return [
        ("100k triangles", "random", hundred),
        ("100k triangles, edges", "edges", hundred),
        ("1M triangles", "random", million),
        ("1M triangles, edges", "edges", million),
        ("closed mesh, edges", "edges", round_one),
        ("closed mesh, planes", "planes", round_one),
        ("triangle soup", "random",
         Mesh(soup.reshape(-1, 3), np.arange(9000).reshape(3000, 3))),
        ("degenerate triangles", "random", degenerate(rng)),
        ("hills, planes", "planes", scenes.terrain(60)),
    ]  # fmt: skip


def check_mesh(name, kind, mesh, count, rng, embree):
    mesh = as_float32(mesh)
    triangles = mesh.triangles()
    boxes = triangles.min(axis=1), triangles.max(axis=1)
    scene = RayScene([RayInstance(mesh)])
    other = embree(triangles)
    reach = np.abs(triangles).max()
    done = wrong = differ = decided = 0
    worst = 0.0
    while done < count:
        origins, directions = rays_for(kind, triangles, min(PART, count - done), rng)
        done += len(origins)
        ours = scene.cast(origins, directions, RANGE, fields=()).distance
        theirs = other(origins, directions)
        both = np.isfinite(ours) & np.isfinite(theirs)
        off = np.zeros(len(ours))
        off[both] = np.abs(ours[both] - theirs[both])
        allowed = np.maximum(1e-5 * ours, 1e-6 * reach)
        odd = np.flatnonzero((np.isfinite(ours) != np.isfinite(theirs))
                             | (both & (off > allowed)))  # fmt: skip
        fine = both & (off <= allowed)
        worst = max(worst, float((off[fine] / np.maximum(ours[fine], 0.1)).max()))
        differ += len(odd)
        # exact arithmetic takes long: of many differences a sample is decided
        for k in odd[: 200 if len(triangles) < 200_000 else 20]:
            right, edge = nearest_exactly(triangles, boxes, origins[k], directions[k])
            decided += 1
            same = right == ours[k] or abs(right - ours[k]) <= 1e-9 * max(right, 1.0)
            if not same and edge > NEAR_EDGE:
                wrong += 1
                print(f"  {name}: ray {origins[k]} {directions[k]}: {ours[k]}, "
                      f"Embree {theirs[k]}, exactly {right}")  # fmt: skip
    print(
        f"{name:24} {done:9} rays, {differ:6} differ from Embree, {decided} decided, "
        f"{wrong} wrong; others differ by at most {worst:.1e}",
        flush=True,
    )
    return wrong


def check_primitives(count, rng):
    """Compare the primitives with their equations, to 1e-12 of the ray's length."""
    items = scenes.primitives()
    scene = RayScene(items)
    wrong = 0
    origins = rng.uniform((-5, -5, -1), (5, 5, 3), (count, 3))
    directions = rng.normal(size=(count, 3))
    hits = scene.cast(origins, directions, RANGE, fields=("instance", "position"))
    worst = 0.0
    for k, item in enumerate(items):
        mine = hits.instance == k
        pose = np.asarray(item.T_world)
        local = (hits.position[mine] - pose[:3, 3]) @ pose[:3, :3]
        off = np.abs(surface(item.solid, local))
        scale = np.maximum(hits.distance[mine], 1.0)
        if len(off):
            worst = max(worst, float((off / scale).max()))
            wrong += int((off > 1e-12 * scale).sum())
    print(f"{'primitives':24} {count:9} rays, {int(hits.hit.sum())} hits, {wrong} "
          f"off their surface by more than 1e-12; at most {worst:.1e}")  # fmt: skip
    return wrong


def surface(solid, p):
    """Return how far points are off a primitive's surface."""
    if solid.type == "box":
        q = np.abs(p) - np.asarray(solid.half_extents)
        return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(axis=1), 0)
    if solid.type == "sphere":
        return np.linalg.norm(p, axis=1) - solid.radius
    q = np.stack(
        (np.hypot(p[:, 0], p[:, 1]) - solid.radius, np.abs(p[:, 2]) - solid.height / 2),
        axis=1,
    )
    return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(axis=1), 0)


def embree(triangles):
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    mesh = TriangleMesh(scene, triangles.astype(np.float32))

    def run(origins, directions, _keep=mesh):
        length = np.sqrt((directions**2).sum(axis=1))[:, None]
        o, d = origins.astype(np.float32), (directions / length).astype(np.float32)
        found = scene.run(o, d, output=True)
        hit = found["primID"] >= 0
        return np.where(hit, found["tfar"], np.inf)

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rays", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    each = options.rays // 10
    wrong = check_primitives(each, rng)
    for name, kind, mesh in mesh_scenes(rng):
        wrong += check_mesh(name, kind, mesh, each, rng, embree)
    print("all right" if wrong == 0 else f"{wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
