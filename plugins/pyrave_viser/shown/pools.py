"""Instanced drawing of equal solids of bodies with one link.

A thousand crates are one message of poses, not a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_viser.shown.colors import linear
from pyrave_viser.shown.quaternions import quaternions_of
from pyrave_viser.shown.textured import gltf_of, has_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import viser

    from pyrave.spatial import Array
    from pyrave_viser.shown.solids import ShownSolid
    from pyrave_viser.shown.surfaces import LookPart

    Clicked = Callable[[int, int, int, Any], None]
    """Body id, index of its link, index of the geometry in it, event."""


@dataclass(eq=False)
class _Pool:
    """Solids with the same triangles, as rows of one node.

    Parameters
    ----------
    name
        Of the node.
    part
        The triangles.
    transparent
        Whether rows have opacities.
    bodies
        Solids of each body, by its id, in the order of the rows.
    """

    name: str
    part: LookPart
    transparent: bool
    bodies: dict[int, list[ShownSolid]] = field(default_factory=dict)
    stale: bool = True
    moved: set[int] = field(default_factory=set)
    first: dict[int, int] = field(default_factory=dict)
    owners: list[tuple[int, int]] = field(default_factory=list)
    local: Any = None
    positions: Any = None
    wxyzs: Any = None
    handle: Any = None

    def fill(self, poses: Mapping[int, Array]) -> None:
        """Make all rows anew from where the bodies are."""
        self.first, self.owners = {}, []
        local: list[Array] = []
        world: list[Array] = []
        for body, solids in self.bodies.items():
            self.first[body] = len(local)
            for solid in solids:
                self.owners.append((body, solid.geometry))
                local.append(solid.T_link_solid)
                world.append(poses[body])
        self.local = np.array(local)
        self.positions = np.empty((len(local), 3))
        self.wxyzs = np.empty((len(local), 4))
        self._place(np.arange(len(local)), np.array(world))

    def place(self, poses: Mapping[int, Array]) -> None:
        """Move the rows of the bodies that moved."""
        rows, links = [], []
        for body in self.moved:
            first = self.first[body]
            for row in range(first, first + len(self.bodies[body])):
                rows.append(row)
                links.append(poses[body])
        self._place(np.array(rows), np.array(links))

    def _place(self, rows: Any, links: Array) -> None:
        world = links @ self.local[rows]
        self.positions[rows] = world[:, :3, 3]
        self.wxyzs[rows] = quaternions_of(world[:, :3, :3])


class Pools:
    """All pools of a server.

    Parameters
    ----------
    server
        Where they are shown.
    clicked
        Called when somebody clicks at a row, or None.
    """

    def __init__(
        self, server: viser.ViserServer, clicked: Clicked | None = None
    ) -> None:
        self._server = server
        self._clicked = clicked
        self._pools: dict[tuple[object, ...], _Pool] = {}
        self._of_body: dict[int, list[_Pool]] = {}
        self._poses: dict[int, Array] = {}
        self._count = 0

    def put(self, body: int, solids: Iterable[ShownSolid], pose: Array) -> None:
        """Show the solids of a body in place of those it had; T_world_link (4, 4)."""
        self.remove(body)
        self._poses[body] = pose
        found: dict[_Pool, None] = {}
        for solid in solids:
            transparent = solid.opacity < 1.0
            key: tuple[object, ...] = solid.part, transparent
            if has_image(solid.part):
                # rows of these have one look
                key = (*key, *solid.color.tolist(), solid.opacity)
            pool = self._pools.get(key)
            if pool is None:
                pool = _Pool(f"/pools/{self._count}", solid.part, transparent)
                self._pools[key] = pool
                self._count += 1
            pool.bodies.setdefault(body, []).append(solid)
            pool.stale = True
            found[pool] = None
        self._of_body[body] = list(found)

    def remove(self, body: int) -> None:
        """Show nothing of a body any longer."""
        self._poses.pop(body, None)
        for pool in self._of_body.pop(body, ()):
            del pool.bodies[body]
            pool.moved.discard(body)
            pool.stale = True

    def has(self, body: int) -> bool:
        """Return True if solids of a body are shown."""
        return body in self._of_body

    def move(self, body: int, pose: Array) -> None:
        """Put the solids of a body elsewhere, given T_world_link (4, 4)."""
        self._poses[body] = pose
        for pool in self._of_body[body]:
            pool.moved.add(body)

    def flush(self) -> None:
        """Send what changed."""
        for key, pool in list(self._pools.items()):
            if pool.stale and not pool.bodies:
                if pool.handle is not None:
                    pool.handle.remove()
                del self._pools[key]
            elif pool.stale:
                pool.fill(self._poses)
                self._show(pool)
            elif pool.moved:
                pool.place(self._poses)
                pool.handle.batched_positions = pool.positions
                pool.handle.batched_wxyzs = pool.wxyzs
            pool.stale = False
            pool.moved.clear()

    def _show(self, pool: _Pool) -> None:
        solids = [one for several in pool.bodies.values() for one in several]
        pool.handle = self._added(pool, solids)
        tell = self._clicked
        if tell is None:
            return

        def clicked(event: Any) -> None:
            row = event.instance_index
            if row is not None and 0 <= row < len(pool.owners):
                body, geometry = pool.owners[row]
                tell(body, 0, geometry, event)

        pool.handle.on_click(clicked)

    def _added(self, pool: _Pool, solids: list[ShownSolid]) -> Any:
        scene, closed = self._server.scene, pool.part.is_closed
        if has_image(pool.part):
            return scene.add_batched_glb(
                pool.name, gltf_of(solids[0]), pool.wxyzs, pool.positions,
                lod="off", receive_shadow=closed,
            )  # fmt: skip
        opacities = np.array([one.opacity for one in solids], np.float32)
        return scene.add_batched_meshes_simple(
            pool.name,
            pool.part.vertices,
            pool.part.faces,
            pool.wxyzs,
            pool.positions,
            batched_scales=np.array([one.scale for one in solids], np.float32),
            batched_colors=linear([one.color for one in solids]),
            batched_opacities=opacities if pool.transparent else None,
            lod="off",
            side="front" if closed else "double",
            receive_shadow=closed,
        )
