"""The kinds of databases by name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from pyrave.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.databases.database import Database

KINDS = {
    "convexdecomposition": "convex_decomposition:ConvexDecomposition",
    "grasping": "grasp_database:GraspDatabase",
    "inversekinematics": "ik_statistics:IkStatistics",
    "inversereachability": "inverse_reachability:InverseReachability",
    "kinematicreachability": "reachability:Reachability",
    "linkstatistics": "link_statistics:LinkStatistics",
    "visibilitymodel": "visibility_model:VisibilityModel",
}
"""Module and class in `pyrave.databases` of each kind that ships."""


def database_class(kind: str, *, known: Iterable[str] = ()) -> type[Database]:
    """Return the class of a kind that ships.

    Parameters
    ----------
    known
        Kinds of others, which a message is to name.

    Raises
    ------
    NotFoundError
        There is no such kind.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise NotFoundError("kind of database", kind, [*KINDS, *known])
    module, _, name = KINDS[kind].partition(":")
    found: type[Database] = getattr(
        importlib.import_module(f"pyrave.databases.{module}"), name
    )
    return found
