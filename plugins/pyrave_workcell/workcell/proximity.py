"""Which pairs of frames may collide: collision and proximity setups.

Rules name frames by patterns. They act in their order on the pairs of frames with
geometry that are not rigidly connected.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import open_source
from pyrave_workcell.syntax import PLAIN, parse
from pyrave_workcell.workcell.document import WORLD, Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave_workcell.syntax import Node
    from pyrave_workcell.workcell.document import Frame, Setup
    from pyrave_workcell.workcell.reading import Reading

Pair = frozenset[str]
_REGEX = "REGEX"
_MOST_FRAMES = 1000
_MOST_CHOICES = 20_000_000
_MOST_REGEX = 200
_MOST_REPEATS = 3
_REPEATS = re.compile(r"(?<!\\)[*+{]")
_NESTED = re.compile(r"(?<!\\)\)[*+{?]")


@dataclass(frozen=True, slots=True)
class Rule:
    """Pairs that are taken away, or put back: ``first`` with ``second``."""

    excludes: bool
    first: str
    second: str


def rules_of(document: Document, reading: Reading) -> tuple[Rule, ...] | None:
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


def default_rules(frames: Mapping[str, Frame]) -> Iterator[Rule]:
    """Yield RobWork's rules for a WorkCell without a setup.

    A frame is not checked with its parent, nor with the other children of the frame
    that its parent stands in; free frames are checked with all.
    """
    children: dict[str, list[str]] = {}
    for frame in frames.values():
        if frame.name != WORLD and not frame.is_free:
            children.setdefault(frame.parent, []).append(frame.name)
    for frame in frames.values():
        if frame.name == WORLD or frame.is_free or frame.parent == WORLD:
            continue
        if not frames[frame.parent].is_free:
            yield Rule(True, frame.name, frame.parent)
        above = frames[frame.parent].parent
        for other in children.get(above, ()):
            yield Rule(True, frame.name, other)


def checked_pairs(
    objects: Iterable[str],
    groups: Mapping[str, str],
    rules: Iterable[Rule],
    node: Node,
    reading: Reading,
) -> frozenset[Pair]:
    """Return the pairs of frames that may collide.

    Parameters
    ----------
    objects
        Frames with geometry that collides.
    groups
        Of each frame, one that it is rigidly connected to; the same for all of those.
    node
        Where an absurd number of frames is reported.
    """
    names = sorted(objects)
    if len(names) > _MOST_FRAMES:
        reading.error(
            node,
            "too-complex",
            f"{len(names)} frames have geometry, at most {_MOST_FRAMES} are compared",
        )
        return frozenset()
    moving = {
        frozenset(pair)
        for pair in combinations(names, 2)
        if groups[pair[0]] != groups[pair[1]]
    }
    every = {frozenset(pair) for pair in combinations(names, 2)}
    pairs = set(moving)
    matches = _Matches(names)
    for rule in rules:
        first, second = matches.of(rule.first), matches.of(rule.second)
        matches.spend(len(first) * len(second))
        if matches.spent > _MOST_CHOICES:
            reading.error(
                node, "too-complex", "the rules of the setups match too many pairs"
            )
            return frozenset()
        chosen = {frozenset((a, b)) for a in first for b in second if a != b}
        pairs = pairs - chosen if rule.excludes else pairs | (chosen & every)
    return frozenset(pairs)


class _Matches:
    """The frames that patterns match; each pattern is matched once."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._known = frozenset(names)
        self._found: dict[str, tuple[str, ...]] = {}
        self.spent = 0

    def spend(self, amount: int) -> None:
        self.spent += amount

    def of(self, pattern: str) -> tuple[str, ...]:
        if pattern not in self._found:
            self._found[pattern] = tuple(self._match(pattern))
        return self._found[pattern]

    def _match(self, pattern: str) -> Iterator[str]:
        scope, mark, regex = pattern.partition(_REGEX)
        if not mark and not {"*", "?"} & set(pattern):
            if pattern in self._known:
                yield pattern
            return
        self.spent += len(self._names)
        for name in self._names:
            if mark:
                if name.startswith(scope) and re.fullmatch(regex, name[len(scope) :]):
                    yield name
            elif _wild(pattern, name):
                yield name


def _wild(pattern: str, name: str) -> bool:
    """Return whether a name is that of a pattern with * and ?, in linear time."""
    star = mark = -1
    p = n = 0
    while n < len(name):
        if p < len(pattern) and pattern[p] == "*":
            star, mark = p, n
            p += 1
        elif p < len(pattern) and pattern[p] in {"?", name[n]}:
            p, n = p + 1, n + 1
        elif star >= 0:
            mark += 1
            p, n = star + 1, mark
        else:
            return False
    return not pattern[p:].strip("*")


# -- files of setups -------------------------------------------------------------------


def _rules_of_file(setup: Setup, reading: Reading) -> list[Rule]:
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
        root = parse(open_source(path), context, PLAIN)
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


def _collision_rules(root: Node, scope: str, reading: Reading) -> Iterator[Rule]:
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


def _proximity_rules(root: Node, scope: str, reading: Reading) -> Iterator[Rule]:
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
    node: Node, names: tuple[str, str], scope: str, reading: Reading, *, excludes: bool
) -> Iterator[Rule]:
    """Yield the rule of an element, if its patterns can be matched."""
    reading.attributes(node, names, names)
    first, second = (scope + (node.get(name) or "") for name in names)
    usable = [_is_usable(node, one, reading) for one in (first, second)]
    if all(usable):
        yield Rule(excludes, first, second)


def _is_usable(node: Node, pattern: str, reading: Reading) -> bool:
    """Return whether a pattern is one, and soon matched; else it is reported."""
    _, mark, regex = pattern.partition(_REGEX)
    if not mark:
        return True
    try:
        re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        reading.error(node, "bad-value", f"{regex!r} is no regular expression: {error}")
        return False
    repeats = len(_REPEATS.findall(regex))
    if len(regex) > _MOST_REGEX or repeats > _MOST_REPEATS or _NESTED.search(regex):
        reading.error(
            node,
            "too-complex",
            f"the regular expression {regex!r} may take too long; at most "
            f"{_MOST_REPEATS} repetitions, none of groups, are matched",
            "write several rules",
        )
        return False
    return True
