"""Constraints between links: ``<rigid_constraint>`` of physics models.

COLLADA says for each of six directions of a frame how far it goes. Descriptions have
kinds of constraints, each with free directions of its own: the kind, and how its frame
is turned, follow from what may move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import TYPE_CHECKING, Any

from pyrave.scene import (
    CONSTRAINT_FREEDOMS,
    IDENTITY,
    ConstraintDescription,
    IgnoredPair,
    Limits,
    LinkReference,
    Pose,
    Spring,
)
from pyrave.spatial import rotation_vector
from pyrave_collada.document.names import FreeNames
from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.initial_poses import Start
from pyrave_collada.vocabulary import DIRECTIONS, SLACK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave.scene import BodyDescription, ConstraintKind
    from pyrave_collada.reading.kinematics.masses import RigidPlaces
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.shapes.nodes import VisualNode

MOST_CONSTRAINTS = 10_000
_NEAR = 1e-9
_RANGES = (("linear", DIRECTIONS[:3]), ("swing_cone_and_twist", DIRECTIONS[3:]))
_SPRINGS = {"linear": DIRECTIONS[:3], "angular": DIRECTIONS[3:]}


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints, and pairs of links that may touch, of physics models in a scene.

    Parameters
    ----------
    ignored
        Pairs of links of different bodies that may be in each other.
    adjacent
        The same for links of one body, by body.
    """

    made: tuple[ConstraintDescription, ...]
    ignored: tuple[IgnoredPair, ...]
    adjacent: Mapping[str, frozenset[tuple[str, str]]]


def read_constraints(
    places: RigidPlaces,
    nodes: Iterable[VisualNode],
    bodies: Iterable[BodyDescription],
    reading: ColladaReading,
    *,
    partly: bool,
) -> Constraints:
    """Return the constraints of all physics models that scenes instantiate.

    Parameters
    ----------
    nodes
        The visual nodes: those that belong to no body are places in the world.
    partly
        Only some of the file's bodies are read: what names others is passed over.
    """
    used = list(islice(_used(places.instances, reading), MOST_CONSTRAINTS + 1))
    if not used:
        return Constraints((), (), {})
    if len(used) > MOST_CONSTRAINTS:
        reading.warn(
            used.pop()[0],
            "too-many-constraints",
            f"instances of physics models have more than {MOST_CONSTRAINTS} "
            "<rigid_constraint>s; the others are left out",
        )
    start, names = Start(bodies), FreeNames()
    by_element = {node.element: node for top in nodes for node in top.walk()}
    made: list[ConstraintDescription] = []
    ignored: dict[IgnoredPair, None] = {}
    adjacent: dict[str, set[tuple[str, str]]] = {}
    for element, instance, optional in used:
        one = _Element(element, instance, places, by_element, reading)
        one.optional = None if partly else optional
        found = one.read(start, names)
        if found is None:
            continue
        made.append(found)
        a, b = sorted((found.parent, found.child), key=lambda e: (e.body, e.link))
        if not (one.is_set("interpenetrate", default=False) and a.body):
            continue
        if a.body == b.body:
            adjacent.setdefault(a.body, set()).add((a.link, b.link))
        else:
            ignored[IgnoredPair(a.body, b.body, a.link, b.link)] = None
    return Constraints(
        tuple(made),
        tuple(sorted(ignored)),
        {body: frozenset(pairs) for body, pairs in adjacent.items()},
    )


def _used(
    instances: Iterable[tuple[Any, Any]], reading: ColladaReading
) -> Iterator[tuple[Any, Any, set[str]]]:
    """Yield (constraint, instance of its model, sids of the bodies of the model).

    They are those that an instance lists: all, if it lists none.
    """
    models: dict[Any, tuple[dict[str, Any], list[Any], set[str]]] = {}
    for instance, model in instances:
        if model not in models:
            elements = list(children(model, "rigid_constraint"))
            by_sid = {one.get("sid") or "": one for one in elements}
            sids = {one.get("sid") or "" for one in children(model, "rigid_body")}
            models[model] = by_sid, elements, sids
        known, elements, sids = models[model]
        listed = list(children(instance, "instance_rigid_constraint"))
        for one in listed:
            sid = one.get("constraint") or ""
            if sid in known:
                yield known[sid], instance, sids
            else:
                reading.dangling(one, "the rigid constraint", sid, filter(None, known))
        if not listed:
            yield from ((one, instance, sids) for one in elements)


class _Element:
    """One ``<rigid_constraint>`` in one instance of its model.

    Attributes
    ----------
    optional
        Sids of rigid bodies that the instance need not have; None: no end is needed.
    """

    optional: set[str] | None

    def __init__(
        self,
        element: Any,
        instance: Any,
        places: RigidPlaces,
        nodes: Mapping[Any, VisualNode],
        reading: ColladaReading,
    ) -> None:
        self._element = element
        self._instance = instance
        self._places = places
        self._nodes = nodes
        self._reading = reading
        self._common = child(element, "technique_common")
        self._unit = reading.unit(element)

    def read(self, start: Start, names: FreeNames) -> ConstraintDescription | None:
        """Return the constraint; None, after a report, if it ties nothing."""
        parent, follower = self._end("ref_attachment"), self._end("attachment")
        if parent is None or follower is None:
            return None
        (first, frame), (second, other) = parent, follower
        get = self._element.get
        name = get("name") or get("sid") or "constraint"
        if first == second:
            self._warn(f"{name!r} ties a link to itself; it is left out")
            return None
        if not self.is_set("enabled", default=True):
            self._warn(f"{name!r} is not enabled; it is left out")
            return None
        there = (start.pose_of(first) @ frame).inverse() @ start.pose_of(second) @ other
        turned = rotation_vector(there.matrix[:3, :3]).tolist()
        away = dict(zip(DIRECTIONS, (*there.translation, *turned), strict=True))
        away = {key: d if abs(d) > _NEAR else 0.0 for key, d in away.items()}
        ranges = self._ranges(name, away)
        if ranges is None:
            return None
        kind, turn, order = _kind_of({k for k, one in ranges.items() if one})
        limits = [ranges[key] or Limits(0.0, 0.0) for key in order]
        while limits and limits[-1] == Limits():
            limits.pop()
        return ConstraintDescription(
            names.unique(name),
            kind,
            first,
            second,
            frame if turn == IDENTITY else frame @ turn,
            tuple(limits),
            self._spring(name, order, away),
            # what the file does not mention is not asked for
            collide=not self.is_set("interpenetrate", default=True),
            location=self._reading.location(self._element),
        )

    def _warn(self, message: str) -> None:
        self._reading.warn(
            self._element, "bad-constraint", f"the <rigid_constraint> {message}"
        )

    def is_set(self, tag: str, *, default: bool) -> bool:
        """Return the truth value in an element of the technique, or a default."""
        one = None if self._common is None else child(self._common, tag)
        found = None if one is None else self._reading.values.truth(one)
        return default if found is None else found

    # -- ends ------------------------------------------------------------------------

    def _end(self, tag: str) -> tuple[LinkReference, Pose] | None:
        """Return the link of an end and T_link_frame; None, after a report, if none.

        Without a name it is the world.
        """
        element = child(self._element, tag)
        path = "" if element is None else (element.get("rigid_body") or "").strip()
        pose = IDENTITY if element is None else self._reading.values.pose(element)
        if not path.strip("#./"):
            return LinkReference(), pose
        place = self._places.named(path, self._instance, self._element)
        if place is not None:
            return LinkReference(*place), pose
        node = self._node(path)
        if node is not None:
            place = self._places.shown.get(node)
            if place is None:
                world = Pose.from_matrix(node.world(lambda _: False))
                return LinkReference(), world @ pose
            if self._places.is_own(node):
                return LinkReference(*place), pose
        if self.optional is not None and path.removeprefix("./") not in self.optional:
            self._reading.dangling(element, "the rigid body", path)
        return None

    def _node(self, path: str) -> VisualNode | None:
        library = self._reading.library
        if path.startswith("#"):
            element = library.by_url(path, self._element)
        else:
            found = library.find(path, self._element)
            element = None if found is None else found.element
        return self._nodes.get(element)

    # -- directions ------------------------------------------------------------------

    def _ranges(
        self, name: str, away: Mapping[str, float]
    ) -> dict[str, Limits | None] | None:
        """Return the range of each direction about its start; None: it is fixed.

        None, after a report, if a range makes no sense.
        """
        holder = None if self._common is None else child(self._common, "limits")
        found: dict[str, Limits | None] = {}
        apart = []
        for tag, directions in _RANGES:
            part = None if holder is None else child(holder, tag)
            factor = self._unit if tag == "linear" else math.radians(1.0)
            low, high = (self._triple(part, end) for end in ("min", "max"))
            for key, lower, upper in zip(directions, low, high, strict=True):
                if lower > upper:
                    text = f"goes from {lower:g} to {upper:g} in <{tag}>"
                    self._warn(f"{name!r} {text}; it is left out")
                    return None
                if lower < upper:
                    a, b = (end * factor - away[key] for end in (lower, upper))
                    found[key] = Limits(a, b)
                    continue
                found[key] = None
                if abs(lower * factor - away[key]) > _NEAR:
                    apart.append(key)
        if apart:
            self._warn(
                f"{name!r} starts where it may not be, in {' '.join(apart)}; the links "
                "are held where they are"
            )
        return found

    def _triple(self, part: Any, tag: str) -> tuple[float, float, float]:
        element = None if part is None else child(part, tag)
        if element is None:
            return 0.0, 0.0, 0.0
        try:
            x, y, z = map(float, (element.text or "").split())
        except ValueError:
            x = math.nan
        if math.isnan(x) or math.isnan(y) or math.isnan(z):
            self._reading.warn(
                element,
                "bad-number",
                f"<{tag}> holds {(element.text or '').strip()[:60]!r}, expected 3 "
                "numbers, INF or -INF; it is ignored",
            )
            return 0.0, 0.0, 0.0
        return x, y, z

    # -- springs ---------------------------------------------------------------------

    def _spring(
        self, name: str, order: tuple[str, ...], away: Mapping[str, float]
    ) -> Spring | None:
        """Return the spring along free directions, or None."""
        holder = None if self._common is None else child(self._common, "spring")
        if holder is None:
            return None
        stiffness, damping = dict.fromkeys(order, 0.0), dict.fromkeys(order, 0.0)
        pulls = []
        for tag, directions in _SPRINGS.items():
            part = child(holder, tag)
            if part is None:
                continue
            unit = self._unit if tag == "linear" else math.radians(1.0)
            hard = self._amount(part, "stiffness", 1.0) / unit
            slow = self._amount(part, "damping", 0.0) / unit
            target = child(part, "target_value")
            rest = None if target is None else self._reading.values.number(target)
            for key in directions:
                if key in stiffness:
                    stiffness[key], damping[key] = hard, slow
                    if hard and abs((rest or 0.0) * unit - away[key]) > _NEAR:
                        pulls.append(key)
        if pulls:
            self._warn(
                f"{name!r} starts with its spring bent, in {' '.join(pulls)}; here it "
                "rests where the links start"
            )
        if not any((*stiffness.values(), *damping.values())):
            return None
        slack = [1.0 / k if k > 1.0 / SLACK else SLACK for k in stiffness.values()]
        return Spring(
            _diagonal(slack) if any(stiffness.values()) else (),
            _diagonal(list(damping.values())) if any(damping.values()) else (),
        )

    def _amount(self, part: Any, tag: str, default: float) -> float:
        element = child(part, tag)
        found = None if element is None else self._reading.values.number(element)
        if element is None:
            return default
        if found is not None and found < 0.0:
            self._reading.warn(
                element,
                "bad-number",
                f"<{tag}> is {found:g}, expected 0 or more; it is taken as 0",
            )
        return max(found or 0.0, 0.0)


def _diagonal(values: list[float]) -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple(value if row == column else 0.0 for column in range(len(values)))
        for row, value in enumerate(values)
    )


# -- kinds -----------------------------------------------------------------------------


def _frames() -> Iterator[tuple[Pose, dict[str, str]]]:
    """Yield turned frames, and what their directions are in the frame itself.

    Those that mirror have -y, which no kind that needs them moves along or about.
    """
    for axes in permutations("xyz"):
        x, y, z = ("xyz".index(axis) for axis in axes)
        odd = (x, y, z) in {(1, 0, 2), (0, 2, 1), (2, 1, 0)}
        rows = [[0.0] * 3 for _ in range(3)]
        for column, (axis, sign) in enumerate(((x, 1), (y, -1 if odd else 1), (z, 1))):
            rows[axis][column] = float(sign)
        named = dict(zip("xyz", axes, strict=True))
        names = named | {f"r{new}": f"r{old}" for new, old in named.items()}
        if odd:
            del names["y"], names["ry"]
        yield Pose.from_matrix([[*row, 0.0] for row in rows]), names


_TURNED = tuple(sorted(_frames(), key=lambda one: len(one[1]), reverse=True))


def _kind_of(free: set[str]) -> tuple[ConstraintKind, Pose, tuple[str, ...]]:
    """Return the kind with some free directions, its frame, and them in its order.

    What no kind has is a free one, some directions of which go nowhere.
    """
    for turn, names in _TURNED:
        for kind, freedoms in CONSTRAINT_FREEDOMS.items():
            there = [names.get(one, "") for one in freedoms]
            if len(there) == len(free) and set(there) == free:
                return kind, turn, tuple(there)
    return "free", IDENTITY, DIRECTIONS


def with_adjacent(
    body: BodyDescription, adjacent: Mapping[str, frozenset[tuple[str, str]]]
) -> BodyDescription:
    """Return a body, some more of whose links are adjacent."""
    links = {link.name for link in body.links}
    given = adjacent.get(body.name, frozenset()) - body.adjacent
    pairs = {pair for pair in given if links.issuperset(pair)}
    return replace(body, adjacent=body.adjacent | pairs) if pairs else body
