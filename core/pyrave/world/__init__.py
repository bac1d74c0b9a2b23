"""The packed world: contents of an environment as arrays for kernels.

Engines (collision checkers, physics, viewers, rays) read the rows of `PackedWorld` and
ask it what changed since they looked last.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.world.batch import BatchState
    from pyrave.world.body_state import (
        BodyChange,
        BodyState,
        GrabbedBody,
        StateParts,
        StateVersions,
    )
    from pyrave.world.changes import Changes
    from pyrave.world.ids import BodyIds, IdSource
    from pyrave.world.packed import PackedSolid, PackedWorld
    from pyrave.world.pending_changes import PendingChanges
    from pyrave.world.tables import (
        COLLISION,
        VISUAL,
        BodyTable,
        GeometryTable,
        LinkTable,
        WorldTables,
    )

__all__ = [
    "COLLISION",
    "VISUAL",
    "BatchState",
    "BodyChange",
    "BodyIds",
    "BodyState",
    "BodyTable",
    "Changes",
    "GeometryTable",
    "GrabbedBody",
    "IdSource",
    "LinkTable",
    "PackedSolid",
    "PackedWorld",
    "PendingChanges",
    "StateParts",
    "StateVersions",
    "WorldTables",
]


__getattr__, __dir__ = exports(
    __name__,
    {
        "batch": "BatchState",
        "body_state": "BodyChange BodyState GrabbedBody StateParts StateVersions",
        "changes": "Changes",
        "ids": "BodyIds IdSource",
        "packed": "PackedSolid PackedWorld",
        "pending_changes": "PendingChanges",
        "tables": "BodyTable COLLISION GeometryTable LinkTable VISUAL WorldTables",
    },
)
