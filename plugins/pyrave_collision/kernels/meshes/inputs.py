"""Inputs and scratch arrays of collision kernels about meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import STACK, WIDTH
from pyrave_collision.kernels.convex.penetration import POLYTOPE
from pyrave_collision.kernels.meshes.nodes import QUERY
from pyrave_collision.kernels.meshes.results import CONTACT
from pyrave_collision.kernels.shapes import SHAPE

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64, U8

    Meshes = tuple[F32, I32, F32, I32, F64, F64, I32, F64, U8, F64, I32]
    """Planes, links, groups and firsts of a `pyrave.geometry.mesh_bvh.MeshPool`; its
    corners as (m, 9), and the same memory flat; its begins and frames; (meshes,)
    uint8, which of them are closed; (p, 3) one vertex of each connected component, and
    (meshes + 1,) where those of each mesh begin.

    Each mesh has at least one triangle.
    """
    Scratch = tuple[I64, F64, F64, F64, F64, F32, F32, F32, F64, F32, F64, F64]

# What kernels write on, one set for each thread: links or pairs of nodes; poses;
# triangles; boxes; two nearest points; a query; gaps of eight slots; a triangle in
# single precision; a polytope of EPA, or a simplex of GJK; bounds of pairs of nodes;
# a contact; the row of a solid.
SCRATCH = (
    ((4 * STACK,), np.int64),
    ((4, 12), np.float64),
    ((WIDTH + 1, 9), np.float64),
    ((2, 6), np.float64),
    ((6,), np.float64),
    ((QUERY,), np.float32),
    ((WIDTH,), np.float32),
    ((9,), np.float32),
    ((POLYTOPE,), np.float64),
    ((2 * STACK,), np.float32),
    ((CONTACT,), np.float64),
    ((SHAPE,), np.float64),
)
