"""A body's collisions as functions that compiled loops call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pyrave.spatial import Array


@dataclass(frozen=True, eq=False)
class CompiledCollisions:
    """Compiled collision test of one body, for loops that are too slow in Python.

    Functions that numba compiles can call these, one thread at a time: they write to
    the arrays. All other bodies are where they were when they were made.

    Parameters
    ----------
    functions
        Returns `function` and `sift`, which are compiled only then.
    arguments
        (world, selection, carried): int64 (n, 4) tables of three bundles.
    spheres
        (n_links, 4) centre, in the frame of the link, and radius of a sphere around all
        that it carries and that collides, metres; radius -1 for nothing.
    kept
        What the arrays refer to.
    near_points
        Returns a third function, which is compiled only then; None if the checker has
        none. ``near_points()(world, selection, carried, link_poses, margin, found)``
        writes a row for each pair of solids that are nearer than `margin`, metres, to
        `found`, (m, 12) float64: the rows of both in the packed world, their distance,
        the nearest point of each, and the unit normal from the first to the second. The
        row behind the last is -1. It returns whether there was room for all.
    written
        `function` and `sift` in Python, for loops that are interpreted; None if there
        are none, or it pays to compile at once.
    """

    functions: Callable[[], tuple[Callable[..., bool], Callable[..., bool]]]
    arguments: tuple[NDArray[np.int64], ...]
    spheres: Array
    kept: tuple[object, ...]
    near_points: Callable[[], Callable[..., bool]] | None = None
    written: tuple[Callable[..., bool], Callable[..., bool]] | None = None

    @property
    def function(self) -> Callable[..., bool]:
        """The compiled test of a configuration.

        ``function(world, selection, carried, link_poses)`` takes `arguments` and
        `link_poses`, (n, 4, 4) C-contiguous float64 T_world_link of all links of the
        body, and returns whether anything touches.
        """
        return self.functions()[0]

    @property
    def sift(self) -> Callable[..., bool]:
        """The compiled test of a short motion.

        ``sift(world, selection, carried, link_poses, motions, left)`` returns the same
        for the middle of the motion, and leaves in `left` which pairs of solids may
        touch elsewhere in it. `motions`, (n, 7 or more) float64, says how each link
        moves to either end: its twist times the time, in world axes at the world's
        origin, linear part first, and how far its points may get from where such a
        turn takes them, metres, seen from any link that carries it. `left`, (1 + 2 m,)
        int32, is how many pairs are looked at, and these; -1 stands for all, and for
        more than m.
        """
        return self.functions()[1]

    def __call__(self, link_poses: Array) -> bool:
        """Return the result of `function` for (n, 4, 4) link poses."""
        return self.function(*self.arguments, link_poses)
