"""Grasps as columns of arrays, for files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.grasping.contacts import ContactSet
from pyrave.grasping.grasp import Grasp

if TYPE_CHECKING:
    from pyrave.spatial import Array

_COLUMNS = {
    "poses": (4, 4),
    "preshapes": (None,),
    "finals": (None,),
    "approaches": (3,),
    "contact_counts": (),
}
_CONTACT_COLUMNS = {"points": (3,), "normals": (3,), "friction": (), "links": ()}


def columns_of(some: Sequence[Grasp], names: Sequence[str]) -> dict[str, Array | Any]:
    """Return the columns of grasps, which have scores of these names."""
    n = len(some)
    touch = [one.contacts for one in some]
    links = [one.links or ("",) * len(one) for one in touch]
    return {
        "poses": np.array([one.T_hand_target for one in some]).reshape(n, 4, 4),
        "preshapes": np.array([one.preshape for one in some]).reshape(
            n, -1 if n else 0
        ),
        "finals": np.array([one.final for one in some]).reshape(n, -1 if n else 0),
        "approaches": np.array([one.approach for one in some]).reshape(n, 3),
        "scores": np.array(
            [[one.scores[name] for name in names] for one in some]
        ).reshape(n, len(names)),
        "contact_counts": np.array([len(one) for one in touch], np.int64),
        "points": np.concatenate([np.zeros((0, 3)), *(t.points for t in touch)]),
        "normals": np.concatenate([np.zeros((0, 3)), *(t.normals for t in touch)]),
        "friction": np.concatenate([np.zeros(0), *(t.friction for t in touch)]),
        "links": np.array([name for some in links for name in some], np.str_),
    }


def grasps_of(columns: Mapping[str, Any], names: Sequence[str]) -> Iterator[Grasp]:
    """Yield the grasps of columns.

    Raises
    ------
    ValueError
        The columns have different lengths.
    """
    counts = columns["contact_counts"]
    ends = np.cumsum(counts)
    sizes = {len(columns[name]) for name in (*_COLUMNS, "scores")}
    total = int(ends[-1]) if len(ends) else 0
    if (
        sizes != {len(counts)}
        or (counts < 0).any()
        or {len(columns[name]) for name in _CONTACT_COLUMNS} != {total}
    ):
        raise ValueError("its columns have different lengths")
    for k, end in enumerate(ends.tolist()):
        some = slice(end - int(counts[k]), end)
        links = tuple(map(str, columns["links"][some]))
        yield Grasp(
            columns["poses"][k],
            columns["preshapes"][k],
            columns["finals"][k],
            columns["approaches"][k],
            ContactSet(
                columns["points"][some],
                columns["normals"][some],
                columns["friction"][some],
                links if any(links) else (),
            ),
            dict(zip(names, columns["scores"][k].tolist(), strict=True)),
        )
