"""Which pairs of frames are compared: a proximity setup next to the WorkCell."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from lxml import etree

from pyrave.formats import Diagnostics, ReadContext, SceneSource
from pyrave_workcell.workcell.proximity import Rule, checked_pairs, default_rules
from pyrave_workcell.workcell.reading import Reading
from pyrave_workcell.workcell.scene import WorkCell, read_workcell
from pyrave_workcell.workcell.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyrave.scene import BodyDescription, SceneDescription
    from pyrave_workcell.workcell.proximity import Pair

_KEY = "proximitysetup"


def rules_for(scene: SceneDescription, data: bytes) -> tuple[Rule, ...] | None:
    """Return the rules that a written WorkCell needs, None if it needs no setup.

    Parameters
    ----------
    data
        The WorkCell without a setup.
    """
    cell = read_workcell(
        SceneSource(data, "<written>", None), ReadContext(diagnostics=Diagnostics())
    )
    pairs = _Pairs(scene, cell)
    kept = _kept(scene)
    if kept is not None and pairs.fits(kept):
        return kept
    if kept is None and pairs.fits(None):
        return None
    return tuple(
        Rule(True, first, second) for first, second in sorted(map(sorted, pairs.out))
    )


def setup_bytes(rules: Sequence[Rule], prefix: str = "") -> bytes:
    """Return the file of a setup.

    Parameters
    ----------
    prefix
        What RobWork puts before all names, when a device names the file.
    """
    root = etree.Element("ProximitySetup")
    for rule in rules:
        tag = "Exclude" if rule.excludes else "Include"
        child = etree.SubElement(root, tag)
        child.set("PatternA", rule.first.removeprefix(prefix))
        child.set("PatternB", rule.second.removeprefix(prefix))
    etree.indent(root)
    data: bytes = etree.tostring(root, encoding="utf-8")
    return data + b"\n"


def _kept(scene: SceneDescription) -> tuple[Rule, ...] | None:
    """Return the rules of a WorkCell that the scene came from."""
    for key, readable in scene.readables:
        element = readable.to_xml() if key.lower() == _KEY else None
        if element is not None:
            return tuple(
                Rule(
                    one.tag == "Exclude",
                    one.get("PatternA") or "",
                    one.get("PatternB") or "",
                )
                for one in element.children
            )
    return None


class _Pairs:
    """The pairs of frames of each body, and those of held bodies and their holders."""

    def __init__(self, scene: SceneDescription, cell: WorkCell) -> None:
        self._cell = cell
        self._reading = Reading(ReadContext(diagnostics=Diagnostics()))
        self._rigid = State(cell.document, self._reading).rigid_with
        frames: dict[str, dict[str, str]] = {body.name: {} for body in scene.bodies}
        for name in sorted(cell.objects):
            place = cell.places[name]
            frames.setdefault(place.body, {})[place.link] = name
        self._about: set[Pair] = set()
        self.out: set[Pair] = set()
        for body in scene.bodies:
            mine = frames[body.name]
            self._about |= set(map(frozenset, combinations(mine.values(), 2)))
            for one, other in _excluded(body):
                if one in mine and other in mine:
                    self.out.add(frozenset((mine[one], mine[other])))
        self._held: list[tuple[set[Pair], bool]] = []
        for grab in scene.grabs:
            held = frames.get(grab.body, {}).values()
            for link, one in frames.get(grab.holder, {}).items():
                pairs: set[Pair] = {frozenset((one, other)) for other in held}
                ignored = link in grab.ignored_links
                self._held.append((pairs, ignored))
                self.out |= pairs if ignored else set()
        self._about = set(filter(self._is_moving, self._about))
        self.out = set(filter(self._is_moving, self.out))

    def _is_moving(self, pair: Pair) -> bool:
        return len({self._rigid[one] for one in pair}) > 1

    def fits(self, rules: tuple[Rule, ...] | None) -> bool:
        """Return whether rules take away what they should."""
        document = self._cell.document
        pairs = checked_pairs(
            self._cell.objects,
            self._rigid,
            default_rules(document.by_name) if rules is None else rules,
            document.node,
            self._reading,
        )
        if pairs & self._about != self._about - self.out:
            return False
        return all(
            ignored == (not pairs & wanted) for wanted, ignored in self._held if wanted
        )


def _excluded(body: BodyDescription) -> Iterator[tuple[str, str]]:
    yield from body.adjacent
    if body.joined_links_adjacent:
        for joint in body.joints:
            yield joint.parent, joint.child
