"""The packed world: all bodies of an environment as arrays that change in place."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.geometry import Mesh, Solid, kind_and_sizes
from pyrave.jit import Kernel
from pyrave.jit.bundles import ArrayBundle
from pyrave.world.changes import Changes
from pyrave.world.rows import GrowingTable
from pyrave.world.tables import (
    BODY_COLUMNS,
    COLLISION,
    GEOMETRY_COLUMNS,
    LINK_COLUMNS,
    BodyTable,
    GeometryTable,
    LinkTable,
    WorldTables,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.spatial import Array
    from pyrave.world.ids import BodyIds

_place_row = Kernel(
    "pyrave.world.kernels.placement", "place_row", "poses of bodies", 1,
    compile_after=500.0, whole=True,
)  # fmt: skip
KERNELS = {"place_row": _place_row}
"""Kernels by name."""
_MILLISECONDS_PER_PLACEMENT = 0.05
_WHITE = (1.0, 1.0, 1.0, 1.0)
# Removals that are remembered; who looks less often than that starts over.
_REMOVALS = 4096
_ADDED, _RESHAPED, _MOVED, _MASKED = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class PackedSolid:
    """One solid of a body, to be put into a packed world.

    Parameters
    ----------
    geometry
        Id of the geometry that it belongs to.
    link
        Index of its link in the body.
    solid
        A primitive or a mesh.
    T_link_solid
        (4, 4).
    mask
        Bits `COLLISION` and `VISUAL`.
    colour
        Red, green, blue and opacity, 0 to 1.
    """

    geometry: int
    link: int
    solid: Solid
    T_link_solid: Array
    mask: int = COLLISION
    colour: tuple[float, float, float, float] = _WHITE


class PackedWorld:
    """Rows of bodies, links and solids that are added, moved and masked in place.

    An environment keeps one up to date; engines read `tables` from
    inside their kernels and ask `changes_since`. Rows of a body stay where they are as
    long as it is there; those of its solids may move to others when it is reshaped.
    Not for use by several threads while anything changes.
    """

    def __init__(self) -> None:
        self.version = 0
        """Grows with each change."""
        self.relations = 0
        """Grows when bodies take hold of others or let go, and with other adjacent
        links or active degrees of freedom; rows stay as they are."""
        self._bodies = GrowingTable(BODY_COLUMNS)
        self._links = GrowingTable(LINK_COLUMNS)
        self._geometries = GrowingTable(GEOMETRY_COLUMNS)
        self._rows: dict[int, int] = {}
        self._mesh_slots: dict[Mesh, int] = {}
        self._mesh_uses: list[int] = []
        self._meshes: list[Mesh | None] = []
        # of each kind of change the versions by body, the latest at the end
        self._stamps: tuple[dict[int, int], ...] = ({}, {}, {}, {})
        self.settled = 0
        """The version of the last change that was no move."""
        self._removals: deque[tuple[int, int, int]] = deque()
        self._forgotten = 0
        self._tables: WorldTables | None = None
        self._placed = ArrayBundle(())

    # -- reading -------------------------------------------------------------------

    @property
    def tables(self) -> WorldTables:
        """The arrays; to be read only."""
        if self._tables is None:
            self._tables = WorldTables(
                BodyTable(*self._bodies.columns()),
                LinkTable(*self._links.columns()),
                GeometryTable(*self._geometries.columns()),
            )
            bodies, links, solids = self._tables
            self._placed = ArrayBundle((
                *bodies[1:], links.poses, solids.link, solids.kind, solids.sizes,
                solids.centre, solids.T_link_geometry, solids.poses, solids.bounds,
            ))  # fmt: skip
        return self._tables

    @property
    def solid_count(self) -> int:
        """Number of rows of solids, those between them that are not in use included."""
        return self._geometries.count

    @property
    def meshes(self) -> tuple[Mesh | None, ...]:
        """The meshes that solids refer to; None where one was given up."""
        return tuple(self._meshes)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        solids = int(self.tables.bodies.n_geometries.sum())
        parts = f"{counted(len(self), 'body')}, {counted(solids, 'solid')}"
        return f"<PackedWorld: {parts}, version {self.version}>"

    def __contains__(self, body: object) -> bool:
        return body in self._rows

    def row_of(self, body: int) -> int:
        """Return the row of a body given its id.

        Raises
        ------
        NotFoundError
            No such body is there.
        """
        row = self._rows.get(body)
        if row is None:
            raise NotFoundError("body id", str(body), [])
        return row

    def links_of(self, body: int) -> slice:
        """Return the rows of a body's links."""
        row, table = self.row_of(body), self.tables.bodies
        first = int(table.first_link[row])
        return slice(first, first + int(table.n_links[row]))

    def link_row(self, link: int) -> int:
        """Return the row of a link given its id.

        Raises
        ------
        NotFoundError
            No such link is there.
        """
        rows = np.flatnonzero(self.tables.links.id == link)
        if link < 0 or not len(rows):
            raise NotFoundError("link id", str(link), [])
        return int(rows[0])

    def geometries_of(self, body: int) -> slice:
        """Return the rows of a body's solids."""
        row, table = self.row_of(body), self.tables.bodies
        first = int(table.first_geometry[row])
        return slice(first, first + int(table.n_geometries[row]))

    def changes_since(self, version: int) -> Changes:
        """Return the changes after a version; 0 for everything.

        Raises
        ------
        ArgumentError
            The version is none that the world had yet.
        """
        if not 0 <= version <= self.version:
            raise ArgumentError(
                f"version is {version}, expected 0 to {self.version}, "
                "the version of the last changes"
            )
        if version == self.version:
            return Changes(version)
        if self.settled <= version:
            return Changes(self.version, moved=_after(self._stamps[_MOVED], version))
        if 0 < version < self._forgotten:
            return Changes(self.version, tuple(self._rows), reset=True)
        added = _after(self._stamps[_ADDED], version)
        removed: tuple[int, ...] = ()
        if self._removals and self._removals[-1][0] > version:
            removed = tuple(
                body for gone, came, body in self._removals if gone > version >= came
            )
        reshaped, moved, masked = (
            _after(stamps, version) for stamps in self._stamps[_RESHAPED:]
        )
        if added:
            known = set(added)
            reshaped, moved, masked = (
                tuple(body for body in bodies if body not in known)
                for bodies in (reshaped, moved, masked)
            )
        return Changes(self.version, added, removed, reshaped, moved, masked)

    # -- changing ------------------------------------------------------------------

    def add(
        self,
        ids: BodyIds,
        link_poses: ArrayLike,
        enabled: ArrayLike,
        solids: Sequence[PackedSolid],
    ) -> None:
        """Add a body.

        Parameters
        ----------
        ids
            What it and its links are called from now on.
        link_poses
            (n_links, 4, 4) T_world_link.
        enabled
            (n_links,) bool.
        solids
            In any order.

        Raises
        ------
        ArgumentError
            The body is there already, or a solid has sizes without meaning.
        """
        if ids.body in self._rows:
            raise ArgumentError(f"body {ids.body} is in the packed world already")
        poses = np.ascontiguousarray(link_poses, np.float64)
        flags = np.asarray(enabled, np.uint8)
        count = len(poses)
        checked = [kind_and_sizes(one.solid, k) for k, one in enumerate(solids)]
        row, first = self._bodies.take(1), self._links.take(count)
        self._tables = None
        bodies, links, _ = self.tables
        self._rows[ids.body] = row
        bodies.id[row], bodies.first_link[row], bodies.n_links[row] = (
            ids.body,
            first,
            count,
        )
        rows = slice(first, first + count)
        links.id[rows] = ids.first_link + np.arange(count)
        links.body[rows], links.node[rows] = row, np.arange(count)
        links.enabled[rows] = flags
        self._put_solids(row, solids, checked)
        self._place(row, poses)
        self._stamp(ids.body, _ADDED)

    def remove(self, body: int) -> None:
        """Take a body out; its ids are never used again."""
        row = self.row_of(body)
        self._drop_solids(row)
        links = self.links_of(body)
        self._links.give_back(links.start, links.stop - links.start)
        del self._rows[body]
        came = self._stamps[_ADDED][body]
        for stamps in self._stamps:
            stamps.pop(body, None)
        self._bodies.give_back(row, 1)
        self._tables = None
        self.version += 1
        self.settled = self.version
        self._removals.append((self.version, came, body))
        if len(self._removals) > _REMOVALS:
            self._forgotten = self._removals.popleft()[0]

    def reshape(self, body: int, solids: Sequence[PackedSolid]) -> None:
        """Give a body other solids; ids of the geometries say which are the same.

        Raises
        ------
        ArgumentError
            A solid has sizes without meaning; nothing is changed.
        """
        row = self.row_of(body)
        checked = [kind_and_sizes(one.solid, k) for k, one in enumerate(solids)]
        poses = self.tables.links.poses[self.links_of(body)].copy()
        self._drop_solids(row)
        self._put_solids(row, solids, checked)
        self._place(row, poses)
        self._stamp(body, _RESHAPED)

    def move(self, body: int, link_poses: Array) -> None:
        """Put the links of a body, and what they carry, to (n_links, 4, 4) poses."""
        row = self.row_of(body)
        self._place(row, link_poses)
        self._stamp(body, _MOVED)

    def enable(self, body: int, enabled: ArrayLike) -> None:
        """Switch the links of a body on or off, (n_links,) bool."""
        self.tables.links.enabled[self.links_of(body)] = enabled
        self._stamp(body, _MASKED)

    def paint(self, body: int, masks: ArrayLike, colours: ArrayLike) -> None:
        """Show, hide or paint the solids of a body.

        Parameters
        ----------
        masks
            (n,) bits `COLLISION` and `VISUAL` of its solids, in their order.
        colours
            (n, 4) red, green, blue and opacity.
        """
        rows = self.geometries_of(body)
        table = self.tables.geometries
        table.mask[rows] = masks
        table.colour[rows] = np.reshape(colours, (-1, 4))
        self._stamp(body, _MASKED)

    # -- parts ---------------------------------------------------------------------

    def _stamp(self, body: int, kind: int) -> None:
        self.version += 1
        if kind != _MOVED:
            self.settled = self.version
        stamps = self._stamps[kind]
        stamps.pop(body, None)
        stamps[body] = self.version

    def _put_solids(
        self,
        row: int,
        solids: Sequence[PackedSolid],
        checked: Sequence[tuple[int, tuple[float, float, float]]],
    ) -> None:
        count = len(solids)
        first = self._geometries.take(count) if count else 0
        self._tables = None
        bodies, _, table = self.tables
        bodies.first_geometry[row], bodies.n_geometries[row] = first, count
        first_link = int(bodies.first_link[row])
        for g, (one, (kind, sizes)) in enumerate(
            zip(solids, checked, strict=True), first
        ):
            table.id[g], table.body[g] = one.geometry, row
            table.link[g] = first_link + one.link
            table.kind[g], table.sizes[g] = kind, sizes
            table.mask[g], table.colour[g] = one.mask, one.colour
            table.T_link_geometry[g] = one.T_link_solid
            if isinstance(one.solid, Mesh):
                table.mesh[g] = self._mesh_slot(one.solid)
                table.centre[g] = one.solid.aabb[0]

    def _drop_solids(self, row: int) -> None:
        bodies, _, table = self.tables
        first, count = int(bodies.first_geometry[row]), int(bodies.n_geometries[row])
        for slot in table.mesh[first : first + count].tolist():
            if slot >= 0:
                self._give_up(slot)
        self._geometries.give_back(first, count)
        bodies.n_geometries[row] = 0
        self._tables = None

    def _mesh_slot(self, mesh: Mesh) -> int:
        slot = self._mesh_slots.get(mesh)
        if slot is None:
            slot = next(
                (k for k, known in enumerate(self._meshes) if known is None),
                len(self._meshes),
            )
            self._meshes[slot : slot + 1] = [mesh]
            self._mesh_uses[slot : slot + 1] = [0]
            self._mesh_slots[mesh] = slot
        self._mesh_uses[slot] += 1
        return slot

    def _give_up(self, slot: int) -> None:
        self._mesh_uses[slot] -= 1
        mesh = self._meshes[slot]
        if self._mesh_uses[slot] == 0 and mesh is not None:
            del self._mesh_slots[mesh]
            self._meshes[slot] = None

    def _place(self, row: int, poses: NDArray[np.float64]) -> None:
        place_row = _place_row.function
        if place_row is None:
            place_row = _place_row.auto(_MILLISECONDS_PER_PLACEMENT)
        if not place_row(self._placed.table, row, poses):
            raise ArgumentError(
                f"link poses have shape {poses.shape}, expected "
                f"({self.tables.bodies.n_links[row]}, 4, 4)"
            )


def _after(stamps: dict[int, int], version: int) -> tuple[int, ...]:
    """Return the bodies with a later stamp; the latest stamps are at the end."""
    if not stamps or next(reversed(stamps.values())) <= version:
        return ()
    found = []
    for body, stamp in reversed(stamps.items()):
        if stamp <= version:
            break
        found.append(body)
    return tuple(reversed(found))
