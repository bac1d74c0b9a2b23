"""Bodies as nodes: links that move send their poses, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_viser.server.viser_internals import shift, turn
from pyrave_viser.shown.pools import Pools
from pyrave_viser.shown.quaternions import quaternions_of
from pyrave_viser.shown.solids import Shapes, solids_of
from pyrave_viser.shown.textured import add_solid

if TYPE_CHECKING:
    import viser

    from pyrave.bodies import KinBody
    from pyrave.spatial import Array
    from pyrave_viser.shown.pools import Clicked

# smaller changes of a pose are not sent
_STILL = 1e-9


class NodeChain:
    """Nodes of a body with several links: each in the node of the link before it.

    A joint that moves is one message, whatever hangs at it.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        number: int,
        body: KinBody,
        shapes: Shapes,
        poses: Array,
        clicked: Clicked | None = None,
    ) -> None:
        model = body.model
        self._parents = np.array(model.parent_link)
        self._root = server.scene.add_frame(f"/bodies/{number}", show_axes=False)
        names = [""] * model.n_links
        self._nodes: list[Any] = [None] * model.n_links
        for link in model.link_order.tolist():
            parent = int(self._parents[link])
            above = self._root.name if parent < 0 else names[parent]
            names[link] = f"{above}/{link}"
            self._nodes[link] = server.scene.add_frame(names[link], show_axes=False)
        self._local = np.full((model.n_links, 3, 4), np.inf)
        self._solids: dict[tuple[int, int], list[Any]] = {}
        for k, solid in enumerate(solids_of(body, shapes)):
            node = add_solid(server, f"{names[solid.link]}/g{k}", solid)
            self._solids.setdefault((solid.link, solid.geometry), []).append(node)
            if clicked is not None:
                node.on_click(_teller(clicked, number, solid.link, solid.geometry))
        self.move(poses)

    def move(self, poses: Array) -> None:
        """Put the links to T_world_link (n, 4, 4)."""
        above = np.where(
            self._parents[:, None, None] < 0, np.eye(4), poses[self._parents]
        )
        turned = above[:, :3, :3].swapaxes(1, 2)
        local = np.empty_like(self._local)
        local[:, :, :3] = turned @ poses[:, :3, :3]
        local[:, :, 3:] = turned @ (poses[:, :3, 3:] - above[:, :3, 3:])
        other = np.abs(local - self._local) > _STILL
        other |= ~np.isfinite(self._local)
        turns = np.flatnonzero(other[:, :, :3].any(axis=(1, 2)))
        shifts = np.flatnonzero(other[:, :, 3].any(axis=1))
        nodes = self._nodes
        turn([nodes[k] for k in turns], quaternions_of(local[turns, :, :3]))
        shift([nodes[k] for k in shifts], local[shifts, :, 3])
        self._local[turns, :, :3] = local[turns, :, :3]
        self._local[shifts, :, 3] = local[shifts, :, 3]

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        self._root.visible = visible

    def hide(self, parts: Collection[tuple[int, int]]) -> None:
        """Hide geometries, given indices of links and in them, and show all others."""
        for part, nodes in self._solids.items():
            for node in nodes:
                if node.visible == (part in parts):
                    node.visible = part not in parts

    def remove(self) -> None:
        """Show it no longer."""
        self._root.remove()


class ShownBodies:
    """The bodies of an environment as a server shows them.

    Parameters
    ----------
    server
        Where they are shown.
    clicked
        Called when somebody clicks at a geometry.
    """

    def __init__(self, server: viser.ViserServer, clicked: Clicked) -> None:
        self._server = server
        self._clicked = clicked
        self._pools = Pools(server, clicked)
        self._chains: dict[int, NodeChain] = {}
        self._stamps: dict[int, int] = {}
        self._known: dict[int, KinBody] = {}
        self._hidden: set[int] = set()
        self._hidden_parts: dict[int, set[tuple[int, int]]] = {}
        self._shapes = Shapes.VISUAL
        self.poses: dict[int, Array] = {}
        """(n_links, 4, 4) T_world_link of each body by its id, as shown."""
        self.values: dict[int, Array] = {}
        """(dof,) values of each body by its id, as shown."""

    @property
    def known(self) -> dict[int, KinBody]:
        """The bodies that are shown by id."""
        return self._known

    @property
    def shapes(self) -> Shapes:
        """The kinds of shapes that are shown; assignable."""
        return self._shapes

    @shapes.setter
    def shapes(self, shapes: Shapes) -> None:
        self._shapes = shapes
        for number in list(self._known):
            self.rebuild(number)

    def is_hidden(self, number: int) -> bool:
        """Return True if somebody hid a body."""
        return number in self._hidden

    def hide(self, number: int, hidden: bool) -> None:
        """Hide a body in viewers, or show it again."""
        (self._hidden.add if hidden else self._hidden.discard)(number)
        if number in self._chains:
            self._chains[number].show(not hidden)
        elif number in self._known:
            self.rebuild(number)

    def hidden_parts(self, number: int) -> frozenset[tuple[int, int]]:
        """Return the hidden geometries of a body: link, and index in it."""
        return frozenset(self._hidden_parts.get(number, ()))

    def hide_parts(
        self, number: int, parts: Iterable[tuple[int, int]], hidden: bool
    ) -> None:
        """Hide geometries of a body in viewers, or show them again."""
        known = self._hidden_parts.setdefault(number, set())
        (known.update if hidden else known.difference_update)(parts)
        if number in self._chains:
            self._chains[number].hide(known)
        elif number in self._known:
            self.rebuild(number)

    def show_all(self) -> None:
        """Show all that somebody hid."""
        for number in list(self._hidden_parts):
            self.hide_parts(number, self.hidden_parts(number), False)
        for number in list(self._hidden):
            self.hide(number, False)

    def rebuild(self, number: int) -> None:
        """Take over other shapes or looks of a body."""
        body = self._known.get(number)
        if body is None:
            return
        chain = self._chains.pop(number, None)
        if chain is not None:
            chain.remove()
        self._put(body)

    def follow(self, bodies: Iterable[KinBody]) -> tuple[bool, set[int]]:
        """Take over which bodies there are, and where they are now.

        Returns
        -------
        other, moved
            Whether bodies came or left, and the ids of those that moved.
        """
        present = {body.id: body for body in bodies if body.id >= 0}
        gone = self._known.keys() - present.keys()
        for number in gone:
            self._remove(number)
        moved = set()
        other = bool(gone)
        for number, body in present.items():
            stamp = self._stamps.get(number)
            if stamp is None:
                self._known[number] = body
                self._put(body)
                other = True
            elif stamp != body.pose_stamp:
                self._move(number, body)
            else:
                continue
            moved.add(number)
        self._pools.flush()
        return other, moved

    def _put(self, body: KinBody) -> None:
        number = body.id
        seen = body.glimpse()
        self._stamps[number] = seen.stamp
        poses = self.poses[number] = seen.link_transforms
        self.values[number] = seen.dof_values
        if len(poses) == 1:
            solids = [] if number in self._hidden else solids_of(body, self._shapes)
            hidden = self.hidden_parts(number)
            solids = [one for one in solids if (one.link, one.geometry) not in hidden]
            self._pools.put(number, solids, poses[0])
            return
        self._chains[number] = NodeChain(
            self._server, number, body, self._shapes, poses, self._clicked
        )
        self._chains[number].hide(self.hidden_parts(number))
        if number in self._hidden:
            self._chains[number].show(False)

    def _move(self, number: int, body: KinBody) -> None:
        seen = body.glimpse()
        if len(seen.link_transforms) != len(self.poses[number]):
            self.rebuild(number)
            return
        self._stamps[number] = seen.stamp
        poses = self.poses[number] = seen.link_transforms
        self.values[number] = seen.dof_values
        chain = self._chains.get(number)
        if chain is None:
            self._pools.move(number, poses[0])
        else:
            chain.move(poses)

    def _remove(self, number: int) -> None:
        for table in (self._known, self._stamps, self.poses, self.values):
            table.pop(number, None)
        self._hidden.discard(number)
        self._hidden_parts.pop(number, None)
        chain = self._chains.pop(number, None)
        if chain is None:
            self._pools.remove(number)
        else:
            chain.remove()


def _teller(clicked: Clicked, body: int, link: int, geometry: int) -> Any:
    def tell(event: Any) -> None:
        clicked(body, link, geometry, event)

    return tell
