"""How far two solids are apart, with bounds that prove themselves.

It shares nothing with the checkers. Solids are pieces: a convex solid, or the triangles
of a mesh. The distance d of two convex pieces lies between what any unit vector n
proves, the gap of their extents along n, and what any two points prove. Wolfe's
algorithm (P. Wolfe, "Finding the nearest point in a polytope", 1976), with the subsets
of at most four support points enumerated, closes in from both sides. Of pieces that
overlap the depth is the least overlap of extents over all n, here over many directions
and refined around the best, so that it is not too small. Whether a solid is inside of a
closed mesh is the sign of the sum of solid angles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from pyrave.geometry import Cone, Mesh, Solid
from pyrave.scene import Box, Capsule, Cylinder, Sphere

_STEPS = 400
_CLOSE = 1e-12
_TRIES = 60
_THIN = 1e-3
Support = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Gap:
    """The signed distance is between `low` and `high`, metres."""

    low: float
    high: float

    def of_surfaces(self) -> Gap:
        """Return the distance of solids that have no depth."""
        return Gap(max(self.low, 0.0), max(self.high, 0.0))


@dataclass(frozen=True)
class Piece:
    """A convex piece in the world: what is furthest along n, and its box."""

    support: Support
    low: np.ndarray
    high: np.ndarray
    normals: np.ndarray


def gap(
    one: Solid, at_one: np.ndarray, other: Solid, at_other: np.ndarray,
    *, convex: tuple[bool, bool], closed: tuple[bool, bool],
    hint: np.ndarray | None = None,
) -> Gap:  # fmt: skip
    """Return the signed distance of two solids at poses (4, 4).

    Parameters
    ----------
    convex
        Whether each is a convex solid.
    closed
        Whether each of those that are not is solid.
    hint
        A direction along which to measure depths, too.
    """
    middle = 0.5 * (at_one[:3, 3] + at_other[:3, 3])
    first = list(pieces(one, moved(at_one, middle), whole=convex[0]))
    second = list(pieces(other, moved(at_other, middle), whole=convex[1]))
    ways = np.empty((0, 3))
    if hint is not None and hint.any():
        ways = hint[None] / np.linalg.norm(hint)
    best = _least(first, second, ways)
    if all(convex) or best.high <= 0.0:
        return best
    for k, inner in ((0, second), (1, first)):
        if closed[k] and not convex[k]:
            solid, pose = ((one, at_one), (other, at_other))[k]
            if any(_inside(solid, moved(pose, middle), piece) for piece in inner):
                return Gap(-best.high, -best.low)
    return best


def moved(pose: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return a pose in a frame whose origin is elsewhere."""
    found = pose.copy()
    found[:3, 3] -= origin
    return found


def _least(first: list[Piece], second: list[Piece], hints: np.ndarray) -> Gap:
    """Return the least gap over all pairs of pieces, nearest boxes first."""
    low1, high1 = (np.array([getattr(p, n) for p in first]) for n in ("low", "high"))
    low2, high2 = (np.array([getattr(p, n) for p in second]) for n in ("low", "high"))
    apart = np.maximum(low2[None] - high1[:, None], low1[:, None] - high2[None])
    boxes = np.linalg.norm(np.maximum(apart, 0.0), axis=2)
    low, high = np.inf, np.inf
    for k in np.argsort(boxes, axis=None, kind="stable"):
        i, j = np.unravel_index(k, boxes.shape)
        if boxes[i, j] > high:
            break
        found = of_pieces(first[i], second[j], hints)
        low, high = min(low, found.low), min(high, found.high)
    return Gap(low, high)


def of_pieces(one: Piece, other: Piece, hints: np.ndarray) -> Gap:
    """Return the signed distance of two convex pieces."""

    def corner(n: np.ndarray) -> np.ndarray:
        return one.support(-n) - other.support(n)

    point = corner(one.low + one.high - other.low - other.high + 1e-30)
    points = point[None]
    low = -np.inf
    for _ in range(_STEPS):
        size = float(np.linalg.norm(point))
        if size <= 1e-14:
            break
        new = corner(point / size)
        low = max(low, float(new @ point) / size)
        if size - low <= _CLOSE:
            break
        points, point = _nearest(np.vstack((points, new)))
    size = float(np.linalg.norm(point))
    if low > 0.0 and size > 1e-13:
        return Gap(low, size)
    depth = _depth(one, other, hints)
    if size > 1e-13:
        return Gap(-depth, size)
    # between thin pieces the directions tried may be all too far from the best one
    thin = min((one.high - one.low).min(), (other.high - other.low).min()) < _THIN
    return Gap(-depth, 0.0 if thin else -depth)


def _nearest(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a hull's face nearest to 0, and its nearest point."""
    best, found = np.inf, (points[:1], points[0])
    for count in range(1, 5):
        for chosen in combinations(range(len(points)), min(count, len(points))):
            some = points[list(chosen)]
            edges = (some[1:] - some[0]).T
            weights = np.zeros(0)
            if len(some) > 1:
                weights = np.linalg.lstsq(edges, -some[0], rcond=1e-15)[0]
            if (weights < 0.0).any() or weights.sum() > 1.0:
                continue
            place = some[0] + edges @ weights
            size = float(np.linalg.norm(place))
            if size < best:
                best, found = size, (some, place)
    return found


def overlap(one: Piece, other: Piece, n: np.ndarray) -> float:
    """Return how far the extents of two pieces overlap along a unit vector."""
    return float((one.support(n) - other.support(-n)) @ n)


def _depth(one: Piece, other: Piece, hints: np.ndarray) -> float:
    """Return the least overlap of the extents of two pieces over all directions."""

    ways = [
        hints,
        _directions(),
        one.normals,
        -one.normals,
        other.normals,
        -other.normals,
    ]
    if len(one.normals) and len(other.normals) and len(one.normals) < 64:
        ways += _across(one.normals[:12], other.normals[:12])
    directions = np.concatenate(ways)
    values = np.array([overlap(one, other, n) for n in directions])
    best = float(values.min())
    for k in np.argsort(values)[:6]:
        n, value, step = directions[k], values[k], 0.05
        for _ in range(_TRIES):
            u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
            u /= np.linalg.norm(u)
            v = np.cross(n, u)
            around = [n + step * (np.cos(t) * u + np.sin(t) * v) for t in _TURNS]
            around = [m / np.linalg.norm(m) for m in around]
            tried = [overlap(one, other, m) for m in around]
            least = int(np.argmin(tried))
            if tried[least] < value:
                n, value = around[least], tried[least]
            else:
                step *= 0.5
        best = min(best, value)
    return best


_TURNS = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)


@lru_cache(maxsize=1)
def _directions(count: int = 1500) -> np.ndarray:
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    side = np.sqrt(1.0 - z * z)
    return np.stack((side * np.cos(turn), side * np.sin(turn), z), axis=1)


def _across(one: np.ndarray, other: np.ndarray) -> list[np.ndarray]:
    found = np.cross(one[:, None], other[None]).reshape(-1, 3)
    sizes = np.linalg.norm(found, axis=1)
    found = found[sizes > 1e-9] / sizes[sizes > 1e-9, None]
    return [found, -found]


def pieces(solid: Solid, pose: np.ndarray, *, whole: bool) -> Iterator[Piece]:
    """Yield the convex pieces of a solid at a pose (4, 4)."""
    turn, place = pose[:3, :3], pose[:3, 3]
    if isinstance(solid, Mesh):
        points = solid.vertices @ turn.T + place
        if whole:
            yield _polytope(points, points[solid.faces])
        else:
            for corners in points[solid.faces]:
                yield _polytope(corners, corners[None])
        return

    def support(n: np.ndarray) -> np.ndarray:
        return place + turn @ _furthest(solid, turn.T @ n)

    ends = [[support(side * axis) for axis in np.eye(3)] for side in (-1.0, 1.0)]
    low, high = (np.diagonal(np.array(end)).copy() for end in ends)
    yield Piece(support, low, high, turn.T.copy())


def _polytope(points: np.ndarray, triangles: np.ndarray) -> Piece:
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normals = np.concatenate(
        (np.cross(b - a, c - a), b - a, c - b, a - c) if len(triangles) == 1
        else (np.cross(b - a, c - a),)
    )  # fmt: skip
    sizes = np.linalg.norm(normals, axis=1)
    kept = sizes > 0.0
    return Piece(
        lambda n: points[np.argmax(points @ n)],
        points.min(axis=0), points.max(axis=0), normals[kept] / sizes[kept, None],
    )  # fmt: skip


def _furthest(solid: Solid, n: np.ndarray) -> np.ndarray:
    """Return the point of a primitive that is furthest along n, in its frame."""
    across = float(np.hypot(n[0], n[1]))
    rim = np.array((n[0], n[1], 0.0)) / across if across > 0.0 else np.zeros(3)
    match solid:
        case Sphere():
            return solid.radius * n / np.linalg.norm(n)
        case Box():
            return np.copysign(solid.half_extents, n)
        case Capsule():
            end = np.array((0.0, 0.0, np.copysign(0.5 * solid.height, n[2])))
            return end + solid.radius * n / np.linalg.norm(n)
        case Cylinder():
            end = np.array((0.0, 0.0, np.copysign(0.5 * solid.height, n[2])))
            return end + solid.radius * rim
        case Cone():
            half = np.array((0.0, 0.0, 0.5 * solid.height))
            ends = (half + solid.top_radius * rim, solid.radius * rim - half)
            return max(ends, key=lambda point: float(point @ n))
    raise TypeError(f"no extents of {solid!r}")


def _inside(outer: Mesh, pose: np.ndarray, piece: Piece) -> bool:
    """Return whether a piece that does not cross a mesh is inside of it."""
    corners = outer.triangles() @ pose[:3, :3].T + pose[:3, 3]
    a, b, c = (corners[:, k] - piece.support(np.eye(3)[0]) for k in range(3))
    la, lb, lc = (np.linalg.norm(one, axis=1) for one in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = (
        la * lb * lc
        + np.einsum("ij,ij->i", a, b) * lc
        + np.einsum("ij,ij->i", b, c) * la
        + np.einsum("ij,ij->i", c, a) * lb
    )
    return float(2.0 * np.arctan2(volume, dots).sum()) > 2.0 * np.pi
