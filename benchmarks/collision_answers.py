"""Whether the native collision checker and coal give the same answers, at large.

* ``--pairs N`` (1 000 000): random pairs of solids: spheres, boxes, cylinders,
  capsules, cones, convex hulls, closed and open meshes in every pairing; apart,
  touching, one in the other, flat and thin ones; of 1e-6 to 1e3 m. Native compares them
  at that size, coal at one of about 1 m, as its precision is absolute. Lengths scale by
  powers of two, which changes no digit.
* ``--configurations N`` (100 000): random configurations of each of three robots in
  three scenes, with everything else and with themselves. ``--corpus DIR`` takes
  OpenRAVE's robots from a directory with ``robots/*.robot.xml``, too.

Booleans must be equal, and distances to 1e-6 m, for solids of 1 m and in proportion.
Where they are not, `collision_exact` bounds the true distance from both sides: an
answer is wrong if it is further off than that. ``in band`` counts booleans that
differ nearer than that to touching; ``wrong`` says of whom and in which cases, each of
which ``--case SEED/POOL/PAIR`` shows again. Depths of solids that overlap count apart:
Native's are documented to be too large by up to 1e-3 of the sizes for some round ones
(``native off``: more than 1e-6), and are decided for a sample where both normals
do not say who is right.

``--part K/N`` takes every N-th part, ``--seconds`` ends earlier, ``--out`` keeps the
result as JSON. The exit code is 1 if Native is wrong anywhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import collision_exact as exact
import collision_solids as solids
import numpy as np
from collision_configurations import compare_robots
from collision_tally import BAND, Tally, exactly, is_convex, off_by, untrue
from measuring import machine

from pyrave.geometry import Mesh, Solid, kind_and_sizes
from pyrave.jit import KernelModule
from pyrave.jit.bundles import ArrayBundle
from pyrave_coal.placed import Placed, placed_solid
from pyrave_coal.solid_pair import Comparer
from pyrave_collision.broad_phase import BroadPhase
from pyrave_collision.kernels.nearest import DISTANCE, FOUND
from pyrave_collision.native import KERNELS
from pyrave_collision.prepared import PreparedMeshes, scratch, shapes_of

POOL = 8
"""Solids of each side of a pool, which meet in random pairs."""
PAIRS = 240
ROUNDING = 1e-12
"""What is not counted of solids that are far smaller than 1 m, or far away, metres."""
DEPTHS = 1e3
"""By how much larger the band is for depths, whose error is documented to be 1e-3."""
DECIDED = 0.002
"""Part of the depths that differ which are decided exactly."""
_rows = KernelModule("pyrave_collision.kernels.rows")


class NativePairs:
    """The kernels of the native checker on rows of pairs, without a scene."""

    def __init__(self, members: list[Solid], pairs: np.ndarray) -> None:
        meshes = list(dict.fromkeys(m for m in members if isinstance(m, Mesh)))
        prepared = PreparedMeshes(meshes)
        given = [kind_and_sizes(one, k) for k, one in enumerate(members)]
        self.nothing = np.array([kind for kind, _ in given])[pairs].min(axis=1) == 0
        number = {mesh: k for k, mesh in enumerate(meshes)}
        numbers = np.array([number.get(one, -1) for one in members], np.int64)
        centres = np.array(
            [m.aabb[0] if isinstance(m, Mesh) else np.zeros(3) for m in members]
        )
        shapes = shapes_of(
            np.array([kind for kind, _ in given], np.int32),
            np.array([sizes for _, sizes in given]), centres, numbers, prepared,
        )  # fmt: skip
        rows = pairs.ravel()
        self.poses = np.zeros((len(rows), 16))
        self._shapes, self._bounds = shapes[rows].copy(), np.zeros((len(rows), 6))
        nobody = BroadPhase(np.empty(0, np.intp), self._bounds)
        self._world = ArrayBundle((
            self._shapes, self.poses, self._bounds, *prepared.hull_arrays,
            prepared.slot_of(numbers)[rows], *prepared.pool_arrays, *nobody.arrays,
            *scratch(len(rows)),
        ))  # fmt: skip
        self._pair = np.zeros((1, 2), np.int32)
        nothing = np.empty(0, np.int32), np.empty(0, np.uint8)
        self._chosen = ArrayBundle((*nothing, self._pair))
        self._any = KERNELS["any_contact_with_meshes"].now()
        self._nearest = KERNELS["nearest_pair_with_meshes"].now()
        self._none, self._which = np.empty((0, 2), np.int32), np.empty(2, np.int32)

    def place(self, k: int, first: np.ndarray, second: np.ndarray) -> None:
        """Put the solids of pair k somewhere, poses (4, 4)."""
        self.poses[2 * k], self.poses[2 * k + 1] = first.ravel(), second.ravel()

    def placed(self) -> None:
        """Take over all poses."""
        _rows.jit.write_bounds(self._shapes, self.poses, self._bounds)

    def touch(self, k: int) -> bool:
        """Return whether the solids of pair k touch."""
        self._pair[:] = 2 * k, 2 * k + 1
        return bool(self._any(self._world.table, self._chosen.table, 0.0))

    def distance(self, k: int) -> tuple[float, np.ndarray]:
        """Return the signed distance of pair k, and the points and the normal."""
        self._pair[:] = 2 * k, 2 * k + 1
        out = np.zeros(FOUND)
        self._nearest(
            self._world.table, self._chosen.table, self._none, np.inf, out, self._which
        )
        return float(out[DISTANCE]), out[:DISTANCE]


class Pool:
    """Random solids of one pairing, size and regime, and pairs of them."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = rng = np.random.default_rng((seed, number))
        self.name = f"{seed}/{number}"
        kinds = [
            (one, other) for k, one in enumerate(solids.KINDS)
            for other in solids.KINDS[: k + 1]
        ]  # fmt: skip
        self.kinds = kinds[number % len(kinds)]
        self.regime = solids.REGIMES[int(rng.integers(len(solids.REGIMES)))]
        self.exponents = rng.choice(solids.SCALES), -int(rng.integers(0, 11))
        smaller = 2.0 ** (self.exponents[1] if rng.random() < 0.3 else 0)
        if self.regime == "nested":
            smaller = 2.0 ** -float(rng.integers(2, 8))
        self.factor = 2.0 ** float(self.exponents[0])
        self.members = [
            solids.scaled(
                solids.random_solid(rng, self.kinds[k // POOL], self.regime),
                1.0 if k < POOL else smaller,
            )
            for k in range(2 * POOL)
        ]
        self.pairs = rng.integers(0, POOL, (PAIRS, 2)) + np.array((0, POOL))
        swapped = rng.random(PAIRS) < 0.5
        self.pairs[swapped] = self.pairs[swapped][:, ::-1]
        large = [solids.scaled(one, self.factor) for one in self.members]
        self.native = NativePairs(large, self.pairs)
        self.poses = [self._poses(a, b) for a, b in self.pairs.tolist()]
        self._place()
        if self.regime in {"touching", "degenerate"}:
            self._bring_together()
            self._place()

    def _poses(self, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
        one, other = self.members[a], self.members[b]
        if self.regime == "nested" and a >= POOL:
            second, first = solids.random_poses(self.rng, other, one, self.regime)
            return first, second
        return solids.random_poses(self.rng, one, other, self.regime)

    def _place(self) -> None:
        for k, (first, second) in enumerate(self.poses):
            self.native.place(k, self._sized(first), self._sized(second))
        self.native.placed()

    def overlap(self, k: int, normal: np.ndarray) -> float:
        """Return how far the extents of convex solids overlap along a normal."""
        size = float(np.linalg.norm(normal))
        if not (size and self.is_convex(k)):
            return np.inf
        one, other = self.pieces(k)
        return exact.overlap(one[0], other[0], normal / size)

    def band(self, k: int) -> float:
        """Return how near two answers are that count as equal."""
        size = max(solids.reach(self.members[i]) for i in self.pairs[k].tolist())
        far = max(float(np.abs(pose[:3, 3]).max()) for pose in self.poses[k])
        # 1e-6 m, in proportion for pools that are smaller, and for solids above 1 m
        return BAND * max(size, min(1.0, 1.0 / self.factor)) + ROUNDING * (1.0 + far)

    def is_convex(self, k: int) -> bool:
        """Return whether both solids of a pair are convex."""
        return all(is_convex(self.members[i]) for i in self.pairs[k].tolist())

    def pieces(self, k: int) -> list[list[exact.Piece]]:
        """Return the pieces of both solids of a convex pair."""
        pair = [self.members[i] for i in self.pairs[k].tolist()]
        return [
            list(exact.pieces(solid, pose, whole=True))
            for solid, pose in zip(pair, self.poses[k], strict=True)
        ]

    def _sized(self, pose: np.ndarray) -> np.ndarray:
        found = pose.copy()
        found[:3, 3] *= self.factor
        return found

    def _bring_together(self) -> None:
        """Move the second of each pair until they nearly touch."""
        for k, (_, second) in enumerate(self.poses):
            if self.native.nothing[k] or self.rng.random() < 0.2:
                continue
            distance, out = self.native.distance(k)
            size = max(solids.reach(self.members[i]) for i in self.pairs[k].tolist())
            target = solids.random_gap(self.rng) * size
            second[:3, 3] += (target - distance / self.factor) * out[6:9]


def compare_pool(pool: Pool, comparer: Comparer, tally: Tally, only: int = -1) -> int:
    """Compare all pairs of a pool; returns how many there were."""
    placed = [placed_solid(one, np.eye(4)) for one in pool.members]
    done = 0
    for k, (a, b) in enumerate(pool.pairs.tolist()):
        if pool.native.nothing[k] or only not in {-1, k}:
            continue
        one, other = placed[a], placed[b]
        for side, pose in zip((one, other), pool.poses[k], strict=True):
            side.place(pose)
        done += 1
        _compare(pool, k, one, other, comparer, tally, told=only >= 0)
    key = " and ".join(pool.kinds)
    tally.counts["pairs: " + key] += done
    tally.counts["pairs: " + pool.regime] += done
    return done


def _compare(
    pool: Pool, k: int, one: Placed, other: Placed, comparer: Comparer, tally: Tally,
    *, told: bool,
) -> None:  # fmt: skip
    mine, its = pool.native.touch(k), comparer.touch(one, other)
    own, out = pool.native.distance(k)
    own /= pool.factor
    distance, points = comparer.distance(one, other)
    tally.counts["pairs: hits"] += mine
    near = pool.band(k)
    differ = mine != its
    if differ and abs(own) <= near and abs(distance) <= near:
        tally.counts["booleans: in band"] += 1
        differ = False
    if one.shape.convex != other.shape.convex or not pool.is_convex(k):
        # surfaces have no depth; only coal may see something convex
        distance = max(distance, 0.0)
    # what is deep in another solid counts apart
    deep = min(own, distance) < -near
    off = abs(own - distance)
    about = "depths" if deep else "distances"
    odd = (own < -near) != mine and abs(own) > near
    if off <= near and not (differ or odd or told):
        tally.worst(about, off)
        return
    ways = (out[6:9], points[1] - points[0], points[0] - points[1])
    if deep and not (differ or odd or told) and pool.rng.random() > DECIDED:
        # least overlaps take long to find: of most only what both normals prove
        proved = min(pool.overlap(k, way) for way in ways)
        if abs(proved + own) <= near:
            what = "larger" if distance < own else "smaller, which its normal disproves"
            tally.counts[f"depths: Native's proved by its normal, coal's {what}"] += 1
            return
    true = _exactly(pool, k, out[6:9])
    far = true if pool.is_convex(k) else true.of_surfaces()
    case = {
        "case": f"{pool.name}/{k}", "solids": [repr(pool.kinds), pool.regime],
        "size": pool.factor, "native": [mine, own], "coal": [bool(its), distance],
        "exact": [true.low, true.high],
    }  # fmt: skip
    if told:
        print(json.dumps(case, indent=1, default=float))
        return
    if differ or odd:
        tally.add(case | {
            "about": "booleans",
            "native wrong": untrue(mine, true, near),
            "coal wrong": untrue(its, true, near),
        })  # fmt: skip
    if off > near:
        tally.add(case | {
            "about": about,
            "native wrong": off_by(own, far) > (DEPTHS if deep else 1.0) * near,
            "coal wrong": off_by(distance, far) > near,
        })  # fmt: skip
        if off_by(own, far) > near:
            tally.counts[about + ": native off"] += 1
            tally.worst(about + ", native off", off_by(own, far))


def _exactly(pool: Pool, k: int, normal: np.ndarray) -> exact.Gap:
    (a, b), (first, second) = pool.pairs[k].tolist(), pool.poses[k]
    return exactly(pool.members[a], first, pool.members[b], second, normal)


def compare_pairs(options: argparse.Namespace, tally: Tally, end: float) -> int:
    """Compare as many pairs as wanted, or until the time is over."""
    comparer, done, pool, said = Comparer(), 0, options.part[0] - 1, 0.0
    wanted = options.pairs // options.part[1]
    while done < wanted and time.monotonic() < end:
        done += compare_pool(Pool(options.seed, pool), comparer, tally)
        pool += options.part[1]
        if time.monotonic() - said > 10.0:
            said = time.monotonic()
            _say(f"{done} pairs of {wanted}", tally)
            write(options, tally, done)
    return done


def _say(text: str, tally: Tally) -> None:
    wrong = {k: v for k, v in tally.counts.items() if "wrong" in k and v}
    print(f"{text}; {wrong or 'nothing wrong'}", file=sys.stderr, flush=True)


def write(options: argparse.Namespace, tally: Tally, done: int) -> dict[str, Any]:
    """Return the result, and keep it in the file that was asked for."""
    found = {
        "benchmark": "collision_answers", "machine": machine(), "seed": options.seed,
        "part": options.part, "pairs": done,
        "counts": dict(sorted(tally.counts.items())),
        "largest difference": tally.largest, "cases": tally.cases,
    }  # fmt: skip
    if options.out:
        Path(options.out).write_text(json.dumps(found, indent=1, default=float))
    return found


def part(text: str) -> tuple[int, int]:
    """Return K and N of K/N."""
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError
    return k, n


def main() -> int:
    """Compare, and print the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--configurations", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path, metavar="DIR")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", type=part, default=(1, 1), metavar="K/N")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--case", metavar="SEED/POOL/PAIR")
    options = parser.parse_args()
    tally = Tally()
    if options.case:
        seed, pool, pair = map(int, options.case.split("/"))
        compare_pool(Pool(seed, pool), Comparer(), tally, only=pair)
        return 0
    end = time.monotonic() + options.seconds
    done = compare_pairs(options, tally, end)

    def said(text: str, tally: Tally) -> None:
        _say(text, tally)
        write(options, tally, done)

    compare_robots(options, tally, end, said)
    found = write(options, tally, done)
    print(json.dumps(found, indent=2, default=float))
    return int(any("native wrong" in k and v for k, v in tally.counts.items()))


if __name__ == "__main__":
    sys.exit(main())
