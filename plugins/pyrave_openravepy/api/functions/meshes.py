"""Convex pieces of triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.foundation.guard import guarded

__all__ = ["computeConvexDecomposition"]


@guarded
def computeConvexDecomposition(
    vertices: Any,
    indices: Any,
    skinWidth: float = 0,
    decompositionDepth: int = 8,  # noqa: ARG001
    maxHullVertices: int = 64,  # noqa: ARG001
    concavityThresholdPercent: float = 0.1,
    mergeThresholdPercent: float = 30.0,  # noqa: ARG001
    volumeSplitThresholdPercent: float = 0.1,  # noqa: ARG001
    useInitialIslandGeneration: bool = True,  # noqa: ARG001
    useIslandGeneration: bool = False,  # noqa: ARG001
) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Return vertices and triangles of convex pieces.

    The decomposition is another one than OpenRAVE's: what is left of its parameters is
    the concavity, at least 1 %, and the skin, by which pieces are larger. It needs
    the extra ``convex``.
    """
    from pyrave.geometry import Mesh, convex_pieces, hull_faces, padded_hull

    concavity = min(1.0, max(0.01, float(concavityThresholdPercent) / 100.0))
    faces = np.asarray(indices)
    mesh = Mesh(np.array(vertices, np.float64), faces.reshape(-1, 3))
    found = []
    for piece in convex_pieces(mesh, concavity):
        points = np.array(padded_hull(piece, float(skinWidth)) if skinWidth else piece)
        found.append((points, np.asarray(hull_faces(points), np.int64)))
    return found
