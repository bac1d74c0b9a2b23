"""CollisionMapRobot: a robot with maps of which values of two joints collide."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import Robot
from pyrave.bodies import KinBody
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError, did_you_mean
from pyrave.interfaces import (
    CollisionCheckerBase,
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
)
from pyrave.scene import Readable, XmlElement

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave import Environment
    from pyrave.formats import CustomReaderContext
    from pyrave.spatial import Array

TAG = "collisionmap"
_MOST = 1 << 24
_log = logging.getLogger("pyrave")


@dataclass(frozen=True)
class JointPairMap:
    """A map of which values of two joints are free.

    Parameters
    ----------
    joints
        Names of two joints with one degree of freedom each.
    minimum, maximum
        Values of the first and the last row and column.
    free
        A text of 0 and 1 for each row: 1 is free. The first joint chooses the row.
    """

    joints: tuple[str, str]
    minimum: tuple[float, float]
    maximum: tuple[float, float]
    free: tuple[str, ...]

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.free}
        if len(widths) != 1 or 0 in widths or set("".join(self.free)) - {*"01"}:
            raise ArgumentError(
                "free has rows of different lengths, none, or other characters than 0 "
                "and 1; expected a text of these for each row"
            )
        if not all(a < b for a, b in zip(self.minimum, self.maximum, strict=True)):
            raise ArgumentError(
                f"the maximum {self.maximum} is not above the minimum {self.minimum}"
            )

    def table(self) -> NDArray[np.bool_]:
        """Return the rows as an array, True where values are free."""
        rows = [np.frombuffer(row.encode(), np.uint8) for row in self.free]
        return np.asarray(np.array(rows) == ord("1"))

    def to_xml(self) -> XmlElement:
        """Return the ``<pair>`` that says the same."""
        attributes = (
            ("dims", f"{len(self.free)} {len(self.free[0])}"),
            ("min", " ".join(map(repr, self.minimum))),
            ("max", " ".join(map(repr, self.maximum))),
            ("joints", " ".join(self.joints)),
        )
        text = "\n".join(" ".join(row) for row in self.free)
        return XmlElement("pair", attributes, text)


@dataclass(frozen=True)
class CollisionMap(Readable):
    """The maps of a robot, as ``<collisionmap>`` says them."""

    pairs: tuple[JointPairMap, ...]

    def to_xml(self) -> XmlElement:
        """Return the element that says the same."""
        return XmlElement(TAG, children=tuple(one.to_xml() for one in self.pairs))


class CollisionMapRobot(Robot):
    """A robot that collides with itself where maps of two joints say so, too.

    ``<collisionmap>`` has the maps, and `readables` those of a description. Where a map
    has no value for the joints it says nothing. The maps are asked by the robot's
    `self_collision_checker`, after the environment's.
    """

    contract = 2

    def after_init(self) -> None:
        """Have self collisions checked by the maps."""
        self._maps: list[_IndexedMap] = []
        self._take_maps()
        self.self_collision_checker = CollisionMapChecker(self.env)

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over other maps."""
        if isinstance(readable, CollisionMap) and hasattr(self, "_maps"):
            self._take_maps()

    def _take_maps(self) -> None:
        self._maps = []
        for given in self.readables.all(TAG):
            for one in given.pairs if isinstance(given, CollisionMap) else ():
                indexed = self._indexed(one)
                if indexed is not None:
                    self._maps.append(indexed)

    def _indexed(self, one: JointPairMap) -> _IndexedMap | None:
        names = [joint.name for joint in self.joints if joint.dof == 1]
        for name in one.joints:
            if name not in names:
                _log.warning(
                    "a collision map of %r is left out: no joint %r with one degree of "
                    "freedom%s",
                    self.name,
                    name,
                    did_you_mean(name, names),
                )
                return None
        first, second = (self.joints[name] for name in one.joints)
        return _IndexedMap(
            (first.dof_index, second.dof_index),
            (first.child_link.index, second.child_link.index),
            np.array(one.minimum),
            np.array(one.maximum),
            one.table(),
        )

    def mapped_collisions(
        self, values: ArrayLike | None = None
    ) -> list[tuple[Link, Link]]:
        """Return the links that the maps say collide: what two joints move.

        Parameters
        ----------
        values
            (dof,) joint values; None: the present ones.
        """
        q = self.dof_values if values is None else np.asarray(values, float)
        return [
            (self.links[one.links[0]], self.links[one.links[1]])
            for one in self._maps
            if not one.is_free(q)
        ]


@dataclass(frozen=True, eq=False)
class _IndexedMap:
    """A map with the degrees of freedom and links of a robot."""

    dofs: tuple[int, int]
    links: tuple[int, int]
    minimum: Array
    maximum: Array
    table: NDArray[np.bool_]

    def is_free(self, values: Array) -> bool:
        shape = np.array(self.table.shape)
        part = (values[list(self.dofs)] - self.minimum) / (self.maximum - self.minimum)
        place = np.trunc((shape - 1) * part).astype(int)
        if (part < 0.0).any() or (place >= shape).any():
            return True
        return bool(self.table[place[0], place[1]])


class CollisionMapChecker(CollisionCheckerBase):
    """The environment's checker for a robot itself, and its maps."""

    contract = 2
    synchronises_itself = True

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE

    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check the solids, then the maps."""
        return self._checked("check_self_collision", subject, report)

    def check_standalone_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check the solids without what the robot holds, then the maps."""
        return self._checked("check_standalone_self_collision", subject, report)

    def _checked(
        self, query: str, subject: KinBody | Link, report: CollisionReport | None
    ) -> bool:
        hit = bool(self._ask(query, subject, report))
        if hit and (
            report is None or CollisionOptions.ALL_LINK_COLLISIONS not in report.options
        ):
            return hit
        body = subject.body if isinstance(subject, Link) else subject
        if not isinstance(body, CollisionMapRobot):
            return hit
        for pair in body.mapped_collisions():
            if subject is body or subject in pair:
                hit = True
                if report is None:
                    break
                first, second = map(CollisionSide.of_link, pair)
                report.pairs.append(CollisionPair(first, second))
                if CollisionOptions.ALL_LINK_COLLISIONS not in report.options:
                    break
        return hit

    def _ask(self, query: str, *args: Any, **options: Any) -> Any:
        """Ask the environment's checker, which answers itself meanwhile."""
        checker = self.env.collision_checker
        before, checker.answers_itself = checker.answers_itself, True
        try:
            return getattr(checker, query)(*args, **options)
        finally:
            checker.answers_itself = before

    # -- all else is the environment's -----------------------------------------------

    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Ask the environment's checker."""
        return bool(
            self._ask(
                "check_collision", first, second, excluded_bodies=excluded_bodies,
                excluded_links=excluded_links, report=report,
            )
        )  # fmt: skip

    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Ask the environment's checker."""
        return bool(self._ask("check_ray", origin, direction, target, report))

    def check_link_self_collision(
        self, link: Link, transform: ArrayLike, report: CollisionReport | None = None
    ) -> bool:
        """Ask the environment's checker: maps are about joints."""
        return bool(self._ask("check_link_self_collision", link, transform, report))

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Take note of options; the environment's checker has its own."""
        self._options = CollisionOptions(options)

    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""
        return self._options

    def set_tolerance(self, tolerance: float) -> None:
        """Do nothing: the environment's checker has its own."""

    def init_environment(self) -> None:
        """Do nothing: the maps are the robot's."""

    def destroy_environment(self) -> None:
        """Do nothing; see `init_environment`."""

    def init_kinbody(self, body: KinBody) -> None:
        """Do nothing; see `init_environment`."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Do nothing; see `init_environment`."""


# -- files ---------------------------------------------------------------------------


def read_collision_map(
    element: Any, context: CustomReaderContext
) -> CollisionMap | None:
    """Return the maps of a ``<collisionmap>`` element."""
    found = []
    for child in element.iterchildren("*"):
        if child.tag != "pair":
            context.warn(f"<{child.tag}> says nothing here, expected <pair>", child)
            continue
        one = _pair(child, context)
        if one is not None:
            found.append(one)
    return CollisionMap(tuple(found))


def _pair(element: Any, context: CustomReaderContext) -> JointPairMap | None:
    joints = element.get("joints", "").split()
    if len(joints) != 2:
        context.error(
            f"joints is {element.get('joints')!r}, expected the names of two joints",
            element,
        )
        return None
    numbers = {}
    for name in ("dims", "min", "max"):
        given = _numbers(element.get(name, ""))
        if given is None or len(given) != 2:
            context.error(
                f"{name} is {element.get(name)!r}, expected two numbers", element
            )
            return None
        numbers[name] = given
    words = element.xpath("string()").split()
    rows, columns = (int(one) for one in numbers["dims"])
    fits = min(rows, columns) > 0 and rows * columns == len(words) <= _MOST
    if not fits or set(words) - {"0", "1"}:
        context.error(
            f"a map of {element.get('dims')!r} has {len(words)} values, expected 0 or "
            f"1 for each, at most {_MOST}",
            element,
        )
        return None
    text = "".join(words)
    try:
        return JointPairMap(
            (joints[0], joints[1]),
            (numbers["min"][0], numbers["min"][1]),
            (numbers["max"][0], numbers["max"][1]),
            tuple(text[k : k + columns] for k in range(0, len(text), columns)),
        )
    except ArgumentError as error:
        context.error(str(error), element)
        return None


def _numbers(text: str) -> list[float] | None:
    try:
        found = [float(word) for word in text.split()]
    except ValueError:
        return None
    return found if np.isfinite(found).all() else None
