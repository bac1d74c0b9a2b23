"""Proximity setup next to a written WorkCell: pairs of frames that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from pyrave.formats import Diagnostics, ReadContext, Resolver, SceneSource
from pyrave_workcell.workcell.document import WORLD
from pyrave_workcell.workcell.load import WorkcellReading
from pyrave_workcell.workcell.pairs import Chosen, Pairs, places_of
from pyrave_workcell.workcell.proximity import (
    REGEX,
    Rule,
    checked_pairs,
    default_pairs,
)
from pyrave_workcell.workcell.scene import WorkCell, read_workcell
from pyrave_workcell.workcell.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyrave.scene import BodyDescription, SceneDescription

_KEY = "proximitysetup"


class _Unwritten(Resolver):
    """Finds every file: those of the text are written after it."""

    def find(
        self, name: str, base: str | None = None, extra: Sequence[str] = ()
    ) -> str | None:
        return name


def rules_for(scene: SceneDescription, data: bytes) -> tuple[Rule, ...] | None:
    """Return the rules that a written WorkCell needs, None if it needs no setup.

    Parameters
    ----------
    data
        The WorkCell without a setup.
    """
    context = ReadContext(diagnostics=Diagnostics(), resolver=_Unwritten())
    cell = read_workcell(SceneSource(data, "<written>", None), context)
    wanted = _Wanted(scene, cell)
    kept = _kept(scene)
    if kept is None and wanted.fits(None):
        return None
    return kept if kept is not None and wanted.fits(kept) else wanted.rules()


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


class _Wanted:
    """The pairs of frames that are to be checked.

    All count but those that are rigidly connected in one body, or both stand still.
    """

    def __init__(self, scene: SceneDescription, cell: WorkCell) -> None:
        self._cell = cell
        self._reading = WorkcellReading(ReadContext(diagnostics=Diagnostics()))
        self._rigid = State(cell.document, self._reading).rigid_with
        self._about = Pairs(cell.objects)
        self._out = Pairs(cell.objects)
        frames: dict[str, dict[str, str]] = {body.name: {} for body in scene.bodies}
        for name in sorted(cell.objects):
            place = cell.places[name]
            frames.setdefault(place.body, {})[place.link] = name
        for body in scene.bodies:
            mine = frames[body.name]
            self._add(self._about, mine.values(), mine.values())
            for one, other in _excluded(body):
                if one in mine and other in mine:
                    self._add(self._out, (mine[one],), (mine[other],))
        for grab in scene.grabs:
            held = tuple(frames.get(grab.body, {}).values())
            for link, one in frames.get(grab.holder, {}).items():
                self._add(self._about, (one,), held)
                if link in grab.ignored_links:
                    self._add(self._out, (one,), held)
        apart = Pairs.between_groups(cell.objects, self._rigid)
        self._about.keep(apart)
        self._out.keep(apart)
        self._add_others(scene, frames)

    def _add_others(
        self, scene: SceneDescription, frames: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Add the pairs of different bodies."""
        everything = self._about.chosen(self._about.names)
        for links in frames.values():
            mine = self._about.chosen(links.values())
            left = everything.row & ~mine.row
            self._about.include(mine, Chosen(tuple(places_of(left)), left))
        for pair in scene.ignored_pairs:
            sides = [
                (links[link],) if link in links else () if link else links.values()
                for links, link in (
                    (frames.get(pair.first, {}), pair.first_link),
                    (frames.get(pair.second, {}), pair.second_link),
                )
            ]
            self._add(self._out, *sides)
        still = self._about.chosen(
            name
            for body in scene.bodies
            if not body.joints and body.links and body.links[0].static
            for name in frames[body.name].values()
            if self._rigid[name] == WORLD
        )
        self._about.exclude(still, still)
        self._out.exclude(still, still)

    def _add(self, pairs: Pairs, first: Iterable[str], second: Iterable[str]) -> None:
        pairs.include(pairs.chosen(first), pairs.chosen(second))

    def fits(self, rules: tuple[Rule, ...] | None) -> bool:
        """Return True if rules take away what they should."""
        objects, document = self._cell.objects, self._cell.document
        if rules is None:
            pairs = default_pairs(objects, self._rigid, document.by_name)
        else:
            pairs = checked_pairs(
                objects, self._rigid, rules, document.node, self._reading
            )
        pairs.keep(self._about)
        return all(
            pairs.partners(place)
            == self._about.partners(place) & ~self._out.partners(place)
            for place in range(len(pairs.names))
        )

    def rules(self) -> tuple[Rule, ...]:
        """Return a rule for each pair that is taken away, or put back."""
        apart = Pairs.between_groups(self._cell.objects, self._rigid)
        taken, back = Pairs(self._cell.objects), Pairs(self._cell.objects)
        for made, known in ((taken, self._out), (back, self._about)):
            for place in range(len(made.names)):
                row = known.partners(place)
                made.include(
                    Chosen((place,), 1 << place), Chosen(tuple(places_of(row)), row)
                )
        taken.keep(apart)
        back.drop(apart)
        back.drop(self._out)
        return tuple(
            Rule(excludes, _pattern(first), _pattern(second))
            for excludes, pairs in ((True, taken), (False, back))
            for first, second in sorted(sorted(pair) for pair in pairs)
        )


def _pattern(name: str) -> str:
    """Return the pattern of one name, which may hold the * and ? of patterns."""
    wild = next((place for place, one in enumerate(name) if one in "*?"), None)
    if wild is None:
        return name
    codes = (
        one if one.isalnum() or ord(one) > 0x7F else f"\\x{ord(one):02x}"
        for one in name[wild:]
    )
    return f"{name[:wild]}{REGEX}{''.join(codes)}"


def _excluded(body: BodyDescription) -> Iterator[tuple[str, str]]:
    yield from body.adjacent
    if body.joined_links_adjacent:
        for joint in body.joints:
            yield joint.parent, joint.child
