"""Replacements of mesh and primitive kernels for scenes without such solids."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()


def meet_mesh(
    mode: int, i: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    found: I32, found_row: I32, found_distance: F64,
    ray: F64, hit: I64, bottom: int, stack: I64, entries: F64, slots: F64,
) -> None:  # fmt: skip
    """Meet nothing."""


def meet_primitive(
    mode: int, i: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    kinds: I32, dims: F64, numbers: I32,
    found: I32, found_row: I32, found_distance: F64, ray: F64, hit: I64,
) -> None:  # fmt: skip
    """Meet nothing."""
