"""Pairs of frames that may collide: collision and proximity setups.

Rules name frames by patterns. They act in their order on the pairs of frames with
geometry that are not rigidly connected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import open_source
from pyrave_workcell.syntax import PLAIN, parse
from pyrave_workcell.workcell.document import WORLD, Document
from pyrave_workcell.workcell.pairs import Chosen, Pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.document import Frame, Setup
    from pyrave_workcell.workcell.load import WorkcellReading

REGEX = "REGEX"
"""Prefix of a pattern that is a regular expression."""
_MAX_WORK = 3_000_000
_MAX_REGEX = 200
_MAX_REPEATS = 3
_MAX_CHOICES = 10
# escaped ones are counted too: those in names are few
_REPEATS = re.compile(r"[*+{]")
_CHOICES = re.compile(r"[?|]")
_NESTED = re.compile(r"\)[*+{?]")
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Rule:
    """Pairs that are taken away, or put back: ``first`` with ``second``."""

    excludes: bool
    first: str
    second: str


def rules_of(document: Document, reading: WorkcellReading) -> tuple[Rule, ...] | None:
    """Return the rules of all setups, those of collisions first; None: no setup."""
    if not document.setups:
        return None
    rules = [
        rule
        for kind in ("CollisionSetup", "ProximitySetup")
        for setup in document.setups
        if setup.type == kind
        for rule in _rules_of_file(setup, reading)
    ]
    return tuple(rules)


def default_pairs(
    objects: Iterable[str], groups: Mapping[str, str], frames: Mapping[str, Frame]
) -> Pairs:
    """Return the pairs that RobWork checks in a WorkCell without a setup.

    A frame is not checked with its parent, nor with the other children of the frame
    that its parent stands in; free frames are checked with all.

    Parameters
    ----------
    objects
        Frames with geometry that collides.
    groups
        Of each frame, one that it is rigidly connected to; the same for all of those.
    """
    pairs = Pairs.between_groups(objects, groups)
    children: dict[str, list[str]] = defaultdict(list)
    nephews: dict[str, list[str]] = defaultdict(list)
    for name in pairs.names:
        frame = frames[name]
        if name == WORLD or frame.is_free:
            continue
        children[frame.parent].append(name)
        if frame.parent == WORLD:
            continue
        if not frames[frame.parent].is_free:
            pairs.exclude(pairs.chosen((name,)), pairs.chosen((frame.parent,)))
        nephews[frames[frame.parent].parent].append(name)
    for above, names in nephews.items():
        pairs.exclude(pairs.chosen(names), pairs.chosen(children[above]))
    return pairs


def checked_pairs(
    objects: Iterable[str],
    groups: Mapping[str, str],
    rules: Iterable[Rule],
    node: CellNode,
    reading: WorkcellReading,
) -> Pairs:
    """Return the pairs of frames that may collide.

    Parameters
    ----------
    objects, groups
        As of `default_pairs`.
    node
        Where rules that take too long are reported.
    """
    pairs = Pairs.between_groups(objects, groups)
    matches = _Matches(pairs)
    for rule in rules:
        first, second = matches.find(rule.first), matches.find(rule.second)
        matches.spent += len(first.places) + len(second.places)
        if matches.spent > _MAX_WORK:
            reading.error(
                node, "too-complex", "the rules of the setups match too many pairs"
            )
            break
        (pairs.exclude if rule.excludes else pairs.include)(first, second)
    return pairs


class _Matches:
    """The frames that patterns match; each pattern is matched once."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs
        self._length = sum(map(len, pairs.names))
        self._found: dict[str, Chosen] = {}
        self.spent = 0

    def find(self, pattern: str) -> Chosen:
        if pattern not in self._found:
            self._found[pattern] = self._pairs.chosen(self._match(pattern))
        return self._found[pattern]

    def _match(self, pattern: str) -> Iterable[str]:
        scope, mark, regex = pattern.partition(REGEX)
        if mark:
            return self._match_regex(scope, regex)
        if not {"*", "?"} & set(pattern):
            return (pattern,)
        self.spent += self._length
        if self.spent > _MAX_WORK:
            return ()
        return filter(_wild(pattern), self._pairs.names)

    def _match_regex(self, scope: str, regex: str) -> Iterator[str]:
        """Yield the names that begin with a scope and go on as a regular expression."""
        repeats, choices = len(_REPEATS.findall(regex)), len(_CHOICES.findall(regex))
        matches = re.compile(regex).fullmatch
        for name in self._pairs.names:
            if self.spent > _MAX_WORK:
                return
            if name.startswith(scope):
                rest = name[len(scope) :]
                steps = max(1, len(rest)) ** repeats << choices
                self.spent += 1 + steps // _STEPS
                if self.spent <= _MAX_WORK and matches(rest):
                    yield name


def _wild(pattern: str) -> Callable[[str], bool]:
    """Return a test of names for a pattern with * and ?.

    Between two stars a text is looked for from where the one before it ended.
    """
    parts = [
        re.compile(".".join(map(re.escape, part.split("?"))), re.DOTALL)
        for part in pattern.split("*")
    ]
    if len(parts) == 1:
        return lambda name: parts[0].fullmatch(name) is not None
    first, *middle, _ = parts
    last = pattern.rpartition("*")[2]

    def matches(name: str) -> bool:
        found = first.match(name)
        for part in middle:
            if found is None:
                return False
            found = part.search(name, found.end())
        if found is None or len(name) - len(last) < found.end():
            return False
        return parts[-1].fullmatch(name, len(name) - len(last)) is not None

    return matches


# -- files of setups -------------------------------------------------------------------


def _rules_of_file(setup: Setup, reading: WorkcellReading) -> list[Rule]:
    """Return the rules of one file; what is wrong is reported."""
    context = reading.context
    name = setup.file.replace("\\", "/")
    try:
        path = context.resolver.resolve(name, setup.node.document.folder)
    except SceneError as error:
        reading.error(setup.node, "bad-uri", error.first.message, error.hint)
        return []
    except ResourceError as error:
        reading.error(setup.node, "missing-file", f"the setup {error}")
        return []
    try:
        root = parse(open_source(path, context, included=True), context, PLAIN)
    except ResourceError as error:
        reading.error(setup.node, "missing-file", f"the setup {error}")
        return []
    except SceneError as error:
        context.diagnostics.extend(error.problems)
        return []
    document = root.document
    line = setup.node.location.line
    document.named_at = (f"{setup.node.document.file}:{line}",)
    if root.tag != setup.type:
        reading.error(
            root,
            "wrong-root",
            f"the root is <{root.tag}>, and <{setup.type}> names the file",
        )
        return []
    read = _collision_rules if root.tag == "CollisionSetup" else _proximity_rules
    return list(read(root, setup.scope, reading))


def _collision_rules(
    root: CellNode, scope: str, reading: WorkcellReading
) -> Iterator[Rule]:
    reading.attributes(root, ())
    for child in root:
        if child.tag == "Exclude":
            for pair in child:
                if pair.tag != "FramePair":
                    reading.unknown(pair, ("FramePair",))
                    continue
                names = ("first", "second")
                yield from _rule(pair, names, scope, reading, excludes=True)
        elif child.tag not in {"Volatile", "ExcludeStaticPairs"}:
            reading.unknown(child, ("Exclude", "Volatile", "ExcludeStaticPairs"))


def _proximity_rules(
    root: CellNode, scope: str, reading: WorkcellReading
) -> Iterator[Rule]:
    switches = ("UseIncludeAll", "UseExcludeStaticPairs")
    reading.attributes(root, switches)
    for name in switches:
        if (root.get(name) or "true").strip().lower() != "true":
            reading.warn(
                root,
                "not-robwork",
                f"RobWork loses {name}={root.get(name)!r}: it is always true",
                'write <Exclude PatternA="*" PatternB="*"/> to begin with no pairs'
                if name == "UseIncludeAll"
                else None,
            )
    for child in root:
        if child.tag not in {"Exclude", "Include"}:
            reading.unknown(child, ("Exclude", "Include"))
            continue
        names = ("PatternA", "PatternB")
        excludes = child.tag == "Exclude"
        yield from _rule(child, names, scope, reading, excludes=excludes)


def _rule(
    node: CellNode,
    names: tuple[str, str],
    scope: str,
    reading: WorkcellReading,
    *,
    excludes: bool,
) -> Iterator[Rule]:
    """Yield the rule of an element, if its patterns can be matched."""
    reading.attributes(node, names, names)
    first, second = (scope + (node.get(name) or "") for name in names)
    usable = [_is_usable(node, one, reading) for one in (first, second)]
    if all(usable):
        yield Rule(excludes, first, second)


def _is_usable(node: CellNode, pattern: str, reading: WorkcellReading) -> bool:
    """Return True if a pattern is one, and soon matched; else it is reported."""
    _, mark, regex = pattern.partition(REGEX)
    if not mark:
        return True
    try:
        re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        reading.error(node, "bad-value", f"{regex!r} is no regular expression: {error}")
        return False
    if (
        len(regex) > _MAX_REGEX
        or len(_REPEATS.findall(regex)) > _MAX_REPEATS
        or len(_CHOICES.findall(regex)) > _MAX_CHOICES
        or _NESTED.search(regex)
    ):
        reading.error(
            node,
            "too-complex",
            f"the regular expression {regex!r} may take too long; at most "
            f"{_MAX_REPEATS} repetitions, none of groups, and {_MAX_CHOICES} of ? "
            "and | are matched",
            "write several rules",
        )
        return False
    return True
