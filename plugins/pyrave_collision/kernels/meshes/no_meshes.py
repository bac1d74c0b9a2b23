"""Replacements of mesh kernels for worlds in which all solids are convex."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.layout import Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def mesh_overlap(
    a: int, b: int, margin: float, solids: Solids, meshes: Meshes, scratch: Scratch
) -> bool:
    """Return False: there are no such solids."""
    return False


def mesh_distance(
    a: int, b: int, limit: float, solids: Solids, meshes: Meshes, scratch: Scratch,
    out: F64,
) -> float:  # fmt: skip
    """Return the limit: there are no such solids."""
    return limit


def mesh_contacts(
    a: int, b: int, margin: float, solids: Solids, meshes: Meshes, scratch: Scratch,
    contacts: F64,
) -> int:  # fmt: skip
    """Return 0: there are no such solids."""
    return 0


def mesh_depth(
    a: int, b: int, limit: float, solids: Solids, meshes: Meshes, scratch: Scratch,
    contacts: F64, near: F64,
) -> float:  # fmt: skip
    """Return minus the limit: there are no such solids."""
    return -limit
