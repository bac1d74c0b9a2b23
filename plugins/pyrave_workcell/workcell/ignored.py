"""Pairs of different bodies that the setups of a WorkCell leave out."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pyrave.scene import IgnoredPair
from pyrave_workcell.workcell.document import WORLD
from pyrave_workcell.workcell.pairs import Pairs

if TYPE_CHECKING:
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.bodies import Bodies
    from pyrave_workcell.workcell.load import WorkcellReading
    from pyrave_workcell.workcell.state import State

_MOST = 100_000


def ignored_pairs(
    bodies: Bodies,
    state: State,
    checked: Pairs,
    node: CellNode,
    reading: WorkcellReading,
) -> tuple[IgnoredPair, ...]:
    """Return pairs of different bodies that are not checked, sorted.

    Bodies that both stand still are compared if a user asks for it.

    Parameters
    ----------
    checked
        The pairs of frames that may collide.
    node
        Where too many pairs are reported.
    """
    places = {name: bodies.places[name] for name in checked.names}
    left = Pairs.between_groups(
        places, {name: place.body for name, place in places.items()}
    )
    left.drop(checked)
    standing = {
        group.name
        for group in bodies.groups
        if group.device is None and state.rigid_with[group.anchor] == WORLD
    }
    still = left.chosen(n for n, place in places.items() if place.body in standing)
    left.exclude(still, still)
    if len(left) > _MOST:
        reading.warn(
            node,
            "too-complex",
            f"the setups leave out {len(left)} pairs of different bodies, at most "
            f"{_MOST} are ignored; all of these are checked",
        )
        return ()
    sizes = Counter(place.body for place in places.values())
    by_bodies: dict[tuple[str, str], list[IgnoredPair]] = defaultdict(list)
    for pair in left:
        one, other = sorted((places[name].body, places[name].link) for name in pair)
        made = IgnoredPair(one[0], other[0], one[1], other[1])
        by_bodies[one[0], other[0]].append(made)
    found: list[IgnoredPair] = []
    for (first, second), some in by_bodies.items():
        whole = len(some) == sizes[first] * sizes[second]
        found += [IgnoredPair(first, second)] if whole else some
    return tuple(sorted(found))
