"""Many configurations of one body, placed and checked without Python in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.collision.link_pairs import carrier_of, with_held
from pyrave.geometry.workers import core_count, deal
from pyrave.kinematics import link_transforms_batch
from pyrave.messages import ProgressLine
from pyrave.spatial import invert_pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import KinBody
    from pyrave.jit.bundles import ArrayBundle
    from pyrave.spatial import Array
    from pyrave.world import PackedWorld
    from pyrave_collision.prepared import PreparedWorld

_CHUNK = 128
"""Configurations of which a thread keeps the poses of links."""
_TRIED = 32
"""Configurations that show how long one takes."""
_AT_ONCE = 0.1
"""Seconds for which nobody hears Ctrl-C."""
_ALONE = 4e-3
"""Seconds of work that are not worth waking other threads for."""


class Movers:
    """The solids that a body carries: its own, and those of what it holds.

    Parameters
    ----------
    world
        The packed world.
    body
        Who moves.
    collidable
        (G,) whether a row is a solid that collides.
    """

    def __init__(
        self, world: PackedWorld, body: KinBody, collidable: NDArray[np.bool_]
    ) -> None:
        table = world.tables.geometries
        own = world.links_of(body.id)
        rows, links, local = [], [], []
        for one in with_held(body):
            if one.id not in world:
                continue
            carrier = -1 if one is body else carrier_of(body, one)
            solids = world.geometries_of(one.id)
            for row in np.flatnonzero(collidable[solids]) + solids.start:
                rows.append(row)
                if carrier < 0:
                    links.append(table.link[row] - own.start)
                    local.append(table.T_link_geometry[row])
                else:
                    pose = body.transforms_view[carrier]
                    links.append(carrier)
                    local.append(invert_pose(pose) @ table.poses[row])
        self.rows = np.array(rows, np.int32)
        """(m,) rows of the solids."""
        self.links = np.array(links, np.int32)
        """(m,) links of the body that carry them."""
        self.local = np.array(local).reshape(-1, 16)
        """(m, 16) T_link_solid."""


class Copies(threading.local):
    """The world's arrays that a thread may move solids in, of one prepared world."""

    def __init__(self) -> None:
        self._prepared: PreparedWorld | None = None
        self._stamp: tuple[Any, ...] = ()
        self._bundle: ArrayBundle | None = None

    def arrays_at(self, prepared: PreparedWorld, version: int) -> ArrayBundle:
        """Return arrays with all solids where they are at a version of the world."""
        stamp = (prepared.bundle, version)
        if self._bundle is None or self._stamp != stamp:
            self._bundle, self._stamp = prepared.copy(), stamp
        return self._bundle


def each_configuration(
    body: KinBody,
    rows: Array,
    world_of_thread: Callable[[], ArrayBundle],
    kernel: Callable[[ArrayBundle, Array, int, int], None],
) -> None:
    """Call a kernel with the link poses of configurations (n, dof), on all cores.

    Parameters
    ----------
    world_of_thread
        Gives a thread the world in which it may move solids.
    kernel
        Takes that, poses (k, links, 4, 4) of some configurations, and which these are,
        from the first to the one after the last.
    """
    model, base = body.state_model, body.transforms_view[0].copy()

    def work(first: int, last: int) -> int:
        world = world_of_thread()
        poses = np.empty((min(last - first, _CHUNK), model.n_links, 4, 4))
        for begin in range(first, last, _CHUNK):
            end = min(begin + _CHUNK, last)
            some = link_transforms_batch(
                model, base, rows[begin:end], poses[: end - begin]
            )
            kernel(world, some, begin, end)
        return 0

    count, tried = len(rows), min(len(rows), _TRIED)
    world_of_thread()  # which takes longer the first time
    begin = time.thread_time()
    work(0, tried)
    spent = time.thread_time() - begin
    if (count - tried) * spent <= tried * _ALONE:
        work(tried, count)
        return
    threads = core_count()
    at_once = max(int(tried * threads * _AT_ONCE / max(spent, 1e-9)), threads * _CHUNK)
    with ProgressLine("checking", count, "configurations") as line:
        for first in range(tried, count, at_once):

            def part(a: int, b: int, first: int = first) -> int:
                return work(first + a, first + b)

            line.done = first
            deal(part, min(at_once, count - first), threads)
