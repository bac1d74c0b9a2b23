"""A body's collisions as a function that compiled loops call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pyrave.spatial import Array


@dataclass(frozen=True, eq=False)
class CompiledCollisions:
    """Whether one body collides, for loops that Python is too slow for.

    ``function(world, selection, 0.0, link_poses, links, movers, local)`` takes
    `link_poses`, (n, 4, 4) C-contiguous float64 T_world_link of all links of the body,
    and `arguments` around them, and returns whether anything touches. Functions that
    numba compiles can call it, one thread at a time: it writes to the arrays. All other
    bodies are where they were when it was made.
    """

    function: Callable[..., bool]
    arguments: tuple[NDArray[Any], ...]
    """(world, selection, links, movers, local): int64 (n, 4) tables of two bundles,
    int32 (m,) twice, float64 (m, 16)."""
    around: NDArray[np.int64]
    """The part of the selection that is about other bodies, in the place of it."""
    within: NDArray[np.int64]
    """The part of the selection that is about the body itself."""
    kept: tuple[object, ...]
    """What the arrays refer to."""

    def __call__(self, link_poses: Array) -> bool:
        """Return what `function` returns for (n, 4, 4) link poses."""
        world, selection, links, movers, local = self.arguments
        return self.function(world, selection, 0.0, link_poses, links, movers, local)
