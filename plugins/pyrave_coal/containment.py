"""Solid meshes with something wholly inside, which trees of triangles do not see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave.world import GeometryTable
    from pyrave_coal.placed import Placed

    Rows = NDArray[np.int64]


def contained(first: Placed, second: Placed) -> bool:
    """Return True if one of two solids whose surfaces do not cross is in the other."""
    return contains(first, second) or contains(second, first)


def contains(outer: Placed, inner: Placed, component: int | None = None) -> bool:
    """Return True if a component of a solid, or any, is inside of a solid mesh.

    Surfaces that do not cross are assumed: then one point of each component says it.
    """
    if outer.shape.triangles is None:
        return False
    extremes, pose = inner.shape.extremes, outer.pose
    for points in (
        extremes if component is None else extremes[component : component + 1]
    ):
        world = points @ inner.pose[:3, :3].T + inner.pose[:3, 3]
        local = (world - pose[:3, 3]) @ pose[:3, :3]
        if outer.shape.boxes(local) and outer.shape.winds_around(local[0]):
            return True
    return False


class InsideCandidates:
    """The pairs of a plan of which one may be inside of the other.

    Parameters
    ----------
    solids
        By row.
    first, second
        (k,) rows of each pair, or of all members of both sides if `product`.
    """

    def __init__(
        self, solids: dict[int, Placed], first: Rows, second: Rows, *, product: bool
    ) -> None:
        hollow = {
            row
            for row in np.unique(np.concatenate((first, second))).tolist()
            if solids[row].shape.triangles is not None
        }
        pairs = []
        for outer, inner in ((first, second), (second, first)):
            chosen = np.isin(outer, list(hollow))
            if product:
                rows = outer[chosen]
                pairs += [np.repeat(rows, len(inner)), np.tile(inner, len(rows))]
            else:
                pairs += [outer[chosen], inner[chosen]]
        outer, inner = np.concatenate(pairs[::2]), np.concatenate(pairs[1::2])
        # each component of each inner solid, once
        rows, places = np.unique(inner, return_inverse=True)
        extremes = [solids[row].shape.extremes for row in rows.tolist()]
        counts = np.array([len(one) for one in extremes], np.int64)
        self._rows = np.repeat(rows, counts)
        self._points = np.array([p[0] for one in extremes for p in one]).reshape(-1, 3)
        # pairs of a solid and a component
        begins = np.cumsum(counts) - counts
        repeats = counts[places]
        self._outer = np.repeat(outer, repeats)
        within = np.arange(len(self._outer)) - np.repeat(
            np.cumsum(repeats) - repeats, repeats
        )
        self._component = within
        self._places = np.repeat(begins[places], repeats) + within

    def __len__(self) -> int:
        return len(self._outer)

    def pairs(self, table: GeometryTable) -> list[tuple[int, int, int]]:
        """Return outer and inner row and the component whose place allows it now."""
        poses, bounds = table.poses[self._rows], table.bounds[self._outer]
        world: Array = np.einsum("kij,kj->ki", poses[:, :3, :3], self._points)
        world += poses[:, :3, 3]
        points = world[self._places]
        inside = (points >= bounds[:, :3]) & (points <= bounds[:, 3:])
        found = np.flatnonzero(inside.all(axis=1))
        return list(
            zip(
                self._outer[found].tolist(),
                self._rows[self._places[found]].tolist(),
                self._component[found].tolist(),
                strict=True,
            )
        )
