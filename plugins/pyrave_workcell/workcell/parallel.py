"""``ParallelDevice``: legs, and junctions where legs end in the same pose."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pyrave.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.document import Frame
    from pyrave_workcell.workcell.load import WorkcellReading


@dataclass(frozen=True, slots=True)
class Leg:
    """A chain of frames; the first is the one that the leg stands in.

    Parameters
    ----------
    name
        That of its ``SerialChain``, empty if it has none.
    """

    name: str
    frames: tuple[str, ...]

    @property
    def end(self) -> str:
        """The last frame."""
        return self.frames[-1]


def legs_of(device: str, frames: Sequence[Frame]) -> list[Leg]:
    """Return the legs of a device in their order.

    A leg ends where the next frame does not stand in the one before, where others stand
    in that one as well, and before a frame that leads over to another ``SerialChain``.

    Parameters
    ----------
    frames
        All frames of the device in the order of the file, one or more.
    """
    last_child = {frame.parent: i for i, frame in enumerate(frames)}
    scopes = [_scope(device, frame.name) for frame in frames]
    legs: list[Leg] = []
    name, chain = "", [frames[0].name]
    for i in range(1, len(frames)):
        frame, before = frames[i], frames[i - 1].name
        begins = frame.parent != before or (i >= 2 and last_child[before] > i)
        if not begins and name and i + 1 < len(frames):
            follows = frames[i + 1].parent == frame.name
            begins = follows and scopes[i + 1] not in {name, ""}
        if begins:
            legs.append(Leg(name, tuple(chain)))
            name, chain = "", [frame.parent]
        name = scopes[i] or name
        chain.append(frame.name)
    return [*legs, Leg(name, tuple(chain))]


def _scope(device: str, name: str) -> str:
    """Return the innermost chain that a frame stands in, empty for the device."""
    inside = name.removeprefix(f"{device}.").split(".")
    return inside[-2] if len(inside) > 1 else ""


def meeting_ends(
    node: CellNode,
    device: str,
    legs: Sequence[Leg],
    junctions: Sequence[CellNode],
    reading: WorkcellReading,
) -> tuple[str, list[tuple[str, str]]]:
    """Return the end of a parallel device, and pairs of frames that have one pose."""
    ends = [list(_ends(one, device, legs, reading)) for one in junctions]
    ends = [found for found in ends if found]
    if not ends:
        ends = [[leg.end for leg in legs]]
    pairs = [
        (first, second)
        for found in ends
        for first, second in pairwise(found)
        if first != second
    ]
    if not pairs:
        reading.warn(
            node,
            "no-loop",
            f"the ParallelDevice {device!r} has one leg, which closes no loop",
            "write a <SerialChain> for each leg",
        )
    return ends[0][0], pairs


def _ends(
    junction: CellNode, device: str, legs: Sequence[Leg], reading: WorkcellReading
) -> Iterator[str]:
    """Yield the ends of a junction's chains."""
    reading.attributes(junction, ())
    by_name = {leg.name: leg for leg in legs if leg.name}
    for child in junction:
        if child.tag != "Chains":
            reading.unknown(child, ("Chains",))
            continue
        reading.attributes(child, ())
        end = ""
        for name in child.text.split():
            leg = by_name.get(name)
            if leg is None:
                near = nearest(name, by_name)
                reading.error(
                    child,
                    "unknown-chain",
                    f"the ParallelDevice {device!r} has no leg {name!r}",
                    f"did you mean {near!r}?" if near else None,
                )
                end = ""
                break
            if end and leg.frames[0] != end:
                reading.warn(
                    child,
                    "bad-junction",
                    f"the leg {name!r} stands in {leg.frames[0]!r}, and the one before "
                    f"it ends in {end!r}; only where the last one ends counts",
                )
            end = leg.end
        if end:
            yield end
